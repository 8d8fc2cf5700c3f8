/* SPDX-License-Identifier: Apache-2.0 */
#include "shadow.h"

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *shadowed, *shadow;

/* A content that was synced, by its inode. */
static void content_path(const struct stat *st, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s.contents/%llu", shadow, (unsigned long long)st->st_ino);
}

static void copy_file(const char *from, const char *to, mode_t mode)
{
	char piece[65536];
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ssize_t n;

	if (in < 0 || out < 0)
		abort();
	while ((n = read(in, piece, sizeof(piece))) > 0)
		if (write(out, piece, (size_t)n) != n)
			abort();
	fchmod(out, mode & 07777);
	close(in);
	close(out);
}

/* Where a name is durable already, the content is what it shows. */
static void show(const char *name)
{
	char path[PATH_MAX], content[PATH_MAX], copy[PATH_MAX];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", shadowed, name);
	snprintf(copy, sizeof(copy), "%s/%s", shadow, name);
	if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	content_path(&st, content);
	if (access(content, F_OK) == 0) {
		copy_file(content, copy, st.st_mode);
		return;
	}
	fd = open(copy, O_WRONLY | O_CREAT | O_TRUNC, st.st_mode & 07777);
	if (fd >= 0)
		close(fd);
}

static void sync_names(void)
{
	DIR *d = opendir(shadowed);
	struct dirent *n;

	if (d == NULL)
		abort();
	while ((n = readdir(d)) != NULL)
		show(n->d_name);
	closedir(d);
}

static void sync_content(int fd, const struct stat *st)
{
	char from[64], to[PATH_MAX], target[PATH_MAX], copy[PATH_MAX];
	ssize_t n;

	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	content_path(st, to);
	copy_file(from, to, st->st_mode);
	n = readlink(from, target, sizeof(target) - 1);
	if (n <= 0)
		return;
	target[n] = '\0';
	snprintf(copy, sizeof(copy), "%s/%s", shadow, strrchr(target, '/') + 1);
	if (access(copy, F_OK) == 0)
		copy_file(to, copy, st->st_mode);
}

/* What is there at first is durable. */
static void take_present(void)
{
	char path[PATH_MAX], content[PATH_MAX];
	DIR *d = opendir(shadowed);
	struct dirent *n;
	struct stat st;

	if (d == NULL)
		return;
	while ((n = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", shadowed, n->d_name);
		if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
			continue;
		content_path(&st, content);
		copy_file(path, content, st.st_mode);
	}
	closedir(d);
	sync_names();
}

void shadow_start(const char *dir, const char *copy)
{
	char contents[PATH_MAX];

	shadowed = dir;
	shadow = copy;
	if (dir == NULL)
		return;
	snprintf(contents, sizeof(contents), "%s.contents", copy);
	if (mkdir(copy, 0700) != 0 || mkdir(contents, 0700) != 0)
		abort();
	take_present();
}

void shadow_synced(int fd)
{
	struct stat st, dir;

	if (shadowed == NULL || fstat(fd, &st) != 0 || stat(shadowed, &dir) != 0)
		return;
	if (st.st_ino == dir.st_ino)
		sync_names();
	else if (S_ISREG(st.st_mode))
		sync_content(fd, &st);
}
