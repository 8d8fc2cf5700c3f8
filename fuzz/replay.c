/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands in for libFuzzer where there is none: gives each file of the corpus, and the empty input,
 * to the target once. Arguments are directories.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each input lies in a block of exactly its size, so that a read past the end is seen. */
static int replay_open_file(int fd)
{
	struct stat st;
	uint8_t *data = NULL;
	int done = -1;

	if (fstat(fd, &st) != 0)
		return -1;
	if (!S_ISREG(st.st_mode))
		return 0;
	if ((data = malloc((size_t)st.st_size)) == NULL && st.st_size > 0)
		return -1;
	if (read(fd, data, (size_t)st.st_size) == st.st_size) {
		LLVMFuzzerTestOneInput(data, (size_t)st.st_size);
		done = 1;
	}
	free(data);
	return done;
}

/* Returns how many inputs were replayed: 1, 0 for what is no file, -1 with the reason printed. */
static int replay_entry(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	int done = fd < 0 ? -1 : replay_open_file(fd);

	if (done < 0)
		perror(name);
	if (fd >= 0)
		close(fd);
	return done;
}

static int replay_directory(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	int total = 0;

	if (dir == NULL) {
		perror(path);
		return -1;
	}
	while (total >= 0 && (entry = readdir(dir)) != NULL) {
		int done = replay_entry(dirfd(dir), entry->d_name);

		total = done < 0 ? -1 : total + done;
	}
	closedir(dir);
	return total;
}

int main(int argc, char **argv)
{
	LLVMFuzzerTestOneInput(NULL, 0);
	for (int i = 1; i < argc; i++) {
		int n = replay_directory(argv[i]);

		/* A corpus that is empty or not there would pass by testing nothing. */
		if (n <= 0) {
			fprintf(stderr, "%s: nothing to replay\n", argv[i]);
			return EXIT_FAILURE;
		}
		printf("%s: %d inputs\n", argv[i], n);
	}
	return EXIT_SUCCESS;
}
