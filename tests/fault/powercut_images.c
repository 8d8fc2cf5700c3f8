/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the directories that a power cut may have left, from the log of powercut_shim, and runs a command on each:
 *
 *   powercut_images LOG ROOT IMAGE ACKS COUNT SEED COMMAND...
 *
 * ROOT is the directory that was logged, IMAGE where its images go, ACKS a file that gets what was acknowledged until then. COMMAND must
 * succeed on each of COUNT images; COUNT 0: one cut after each entry. Prints and repeats by SEED; the exit status is 1 when an image failed.
 *
 * What may be lost, more than any file system in use would: of a file, each write and each change of length since its last
 * sync, independently of each other, and any 512 bytes of a write; of what was appended (O_APPEND), all behind some byte, or zeros are there
 * instead: a file system writes the data before the length, or the length before the data; of the names, all after the last one that a sync of its directory
 * made durable, from any point on (the journal of a file system keeps their order).
 */
#include "powercut.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECTOR 512
#define NAMES  4096

struct entry {
	struct powercut_entry e;
	const uint8_t *a, *b;
};

static struct entry *log_entries;
static size_t log_n;

/* How the unsynced is treated in one image. */
enum fate { LOSE_ALL, KEEP_ALL, LOSE_SOME, TEAR, FATES };

static unsigned rnd;

static bool chance(unsigned percent)
{
	return (unsigned)rand_r(&rnd) % 100 < percent;
}

static void die(const char *what)
{
	perror(what);
	exit(2);
}

/* ---- the log ---- */

static void load(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	uint8_t *p;
	size_t at = 0, room = 0;

	if (f == NULL || fstat(fileno(f), &st) != 0)
		die(path);
	p = malloc((size_t)st.st_size + 1);
	if (p == NULL || fread(p, 1, (size_t)st.st_size, f) != (size_t)st.st_size)
		die(path);
	fclose(f);
	while (at + sizeof(struct powercut_entry) <= (size_t)st.st_size) {
		struct entry *n;

		if (log_n == room) {
			room = room == 0 ? 1024 : room * 2;
			log_entries = realloc(log_entries, room * sizeof(*log_entries));
			if (log_entries == NULL)
				die("realloc");
		}
		n = &log_entries[log_n++];
		memcpy(&n->e, p + at, sizeof(n->e));
		at += sizeof(n->e);
		n->a = p + at;
		n->b = n->a + n->e.a_n;
		at += (size_t)n->e.a_n + n->e.b_n;
	}
}

/* ---- files ---- */

struct file {
	uint8_t *p;
	size_t n, room;
};

static void resize(struct file *f, size_t n)
{
	if (n > f->room) {
		f->p = realloc(f->p, n * 2);
		if (f->p == NULL)
			die("realloc");
		f->room = n * 2;
	}
	if (n > f->n)
		memset(f->p + f->n, 0, n - f->n);
	f->n = n;
}

static void apply_sectors(struct file *f, const struct entry *n, bool torn)
{
	size_t at = n->e.at, end = at + n->e.a_n;

	if (end > f->n)
		resize(f, end);
	while (at < end) {
		size_t next = (at / SECTOR + 1) * SECTOR;

		if (next > end)
			next = end;
		if (!torn || chance(50))
			memcpy(f->p + at, n->a + (at - n->e.at), next - at);
		at = next;
	}
}

/* Returns whether more may follow. */
static bool append(struct file *f, const struct entry *n, bool whole, bool torn)
{
	size_t kept = whole ? n->e.a_n : torn ? (size_t)rand_r(&rnd) % n->e.a_n : 0;

	resize(f, n->e.at + kept);
	memcpy(f->p + n->e.at, n->a, kept);
	if (!whole && chance(30))
		resize(f, n->e.at + n->e.a_n);
	return whole;
}

static bool survives(enum fate fate)
{
	return fate == KEEP_ALL || fate == TEAR || (fate == LOSE_SOME && chance(50));
}

/* The last sync of a file before the cut; everything before it is durable. */
static size_t last_sync(uint64_t ino, size_t cut)
{
	for (size_t i = cut; i-- > 0;)
		if (log_entries[i].e.op == POWERCUT_SYNC && log_entries[i].e.ino == ino)
			return i;
	return 0;
}

/* An inode number is used again after its file is gone: what comes from there on is another file's. */
static size_t end_of(uint64_t ino, size_t made, size_t cut)
{
	for (size_t i = made + 1; i < cut; i++)
		if (log_entries[i].e.op == POWERCUT_CREATE && log_entries[i].e.ino == ino)
			return i;
	return cut;
}

static void build_file(struct file *f, uint64_t ino, size_t made, size_t cut, enum fate fate)
{
	size_t end = end_of(ino, made, cut), durable = last_sync(ino, end);
	bool more = true;

	f->n = 0;
	for (size_t i = made; i < end; i++) {
		const struct entry *n = &log_entries[i];
		bool sure = i < durable, torn = !sure && fate == TEAR;

		if (n->e.ino != ino)
			continue;
		if (n->e.op == POWERCUT_APPEND && more)
			more = append(f, n, sure || (!torn && survives(fate)), torn);
		else if (n->e.op == POWERCUT_WRITE && (sure || survives(fate)))
			apply_sectors(f, n, torn);
		else if (n->e.op == POWERCUT_TRUNCATE && (sure || survives(fate)))
			resize(f, n->e.at);
	}
}

/* ---- names ---- */

struct name {
	char path[PATH_MAX];
	bool dir;
	uint64_t ino;
	size_t made; /* entry that gave the file its inode */
};

static struct name *names;
static size_t names_n;

static bool is_name_op(uint32_t op)
{
	return op == POWERCUT_CREATE || op == POWERCUT_LINK || op == POWERCUT_MKDIR ||
	       op == POWERCUT_RENAME || op == POWERCUT_UNLINK;
}

static bool is_parent(const char *dir, const char *path)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && path[n] == '/' && strchr(path + n + 1, '/') == NULL;
}

/* Whether a sync of its directory, before the cut, came after the entry. */
static bool name_is_durable(size_t at, size_t cut)
{
	const struct entry *n = &log_entries[at];
	const char *path = (const char *)(n->e.op == POWERCUT_RENAME ? n->b : n->a);

	for (size_t i = at + 1; i < cut; i++)
		if (log_entries[i].e.op == POWERCUT_SYNC_DIR &&
		    is_parent((const char *)log_entries[i].a, path))
			return true;
	return false;
}

/* Names up to here survive, at least. */
static size_t names_durable(size_t cut)
{
	for (size_t i = cut; i-- > 0;)
		if (is_name_op(log_entries[i].e.op) && name_is_durable(i, cut))
			return i + 1;
	return 0;
}

static struct name *find(const char *path)
{
	for (size_t i = 0; i < names_n; i++)
		if (strcmp(names[i].path, path) == 0)
			return &names[i];
	return NULL;
}

static void add(const char *path, bool dir, uint64_t ino, size_t made)
{
	struct name *n = find(path);

	if (n == NULL) {
		if (names_n == NAMES) {
			fprintf(stderr, "too many names\n");
			exit(2);
		}
		n = &names[names_n++];
	}
	snprintf(n->path, sizeof(n->path), "%s", path);
	n->dir = dir;
	n->ino = ino;
	n->made = made;
}

static void drop_name(const char *path)
{
	struct name *n = find(path);

	if (n != NULL)
		*n = names[--names_n];
}

/* A file, or a directory with all that is in it. */
static void rename_name(const char *from, const char *to)
{
	size_t k = strlen(from);

	drop_name(to);
	for (size_t i = 0; i < names_n; i++) {
		char rest[PATH_MAX];

		if (strncmp(names[i].path, from, k) != 0 ||
		    (names[i].path[k] != '\0' && names[i].path[k] != '/'))
			continue;
		snprintf(rest, sizeof(rest), "%s", names[i].path + k);
		snprintf(names[i].path, sizeof(names[i].path), "%.2000s%.2000s", to, rest);
	}
}

/* The entry that made the inode which a link names again. */
static size_t birth(uint64_t ino, size_t at)
{
	while (at-- > 0)
		if (log_entries[at].e.op == POWERCUT_CREATE && log_entries[at].e.ino == ino)
			return at;
	return 0;
}

static void apply_name(const struct entry *n, size_t at)
{
	const char *a = (const char *)n->a, *b = (const char *)n->b;

	if (n->e.op == POWERCUT_CREATE)
		add(a, false, n->e.ino, at);
	else if (n->e.op == POWERCUT_LINK)
		add(a, false, n->e.ino, birth(n->e.ino, at));
	else if (n->e.op == POWERCUT_MKDIR)
		add(a, true, 0, at);
	else if (n->e.op == POWERCUT_RENAME)
		rename_name(a, b);
	else
		drop_name(a);
}

static void build_names(size_t cut, enum fate fate)
{
	size_t sure = names_durable(cut), until = cut;

	names_n = 0;
	if (fate == LOSE_ALL)
		until = sure;
	else if (fate != KEEP_ALL)
		until = sure + (size_t)rand_r(&rnd) % (cut - sure + 1);
	for (size_t i = 0; i < until; i++)
		if (is_name_op(log_entries[i].e.op))
			apply_name(&log_entries[i], i);
}

/* ---- an image ---- */

static void place(const char *root, const char *image, const char *path, char out[PATH_MAX])
{
	snprintf(out, PATH_MAX, "%.2000s%.2000s", image, path + strlen(root));
}

static void write_file(const char *path, const struct file *f)
{
	FILE *out = fopen(path, "wb");

	if (out == NULL || fwrite(f->p, 1, f->n, out) != f->n || fchmod(fileno(out), 0600) != 0 ||
	    fclose(out) != 0)
		die(path);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->path, ((const struct name *)b)->path);
}

static void run(const char *fmt, const char *arg)
{
	char cmd[PATH_MAX + 64];

	snprintf(cmd, sizeof(cmd), fmt, arg);
	if (system(cmd) != 0)
		die(cmd);
}

static void build(const char *root, const char *image, size_t cut, enum fate fate)
{
	struct file f = { 0 };
	char path[PATH_MAX];

	run("rm -rf '%s'", image);
	if (mkdir(image, 0700) != 0)
		die(image);
	build_names(cut, fate);
	qsort(names, names_n, sizeof(*names), by_path); /* directories before what is in them */
	for (size_t i = 0; i < names_n; i++) {
		place(root, image, names[i].path, path);
		if (names[i].dir) {
			if (mkdir(path, 0700) != 0)
				die(path);
			continue;
		}
		build_file(&f, names[i].ino, names[i].made, cut, fate);
		write_file(path, &f);
	}
	free(f.p);
}

static void write_acks(const char *path, size_t cut)
{
	FILE *f = fopen(path, "wb");

	if (f == NULL)
		die(path);
	for (size_t i = 0; i < cut; i++)
		if (log_entries[i].e.op == POWERCUT_ACK)
			fwrite(log_entries[i].a, 1, log_entries[i].e.a_n, f);
	if (fclose(f) != 0)
		die(path);
}

static bool passes(char *const command[])
{
	pid_t pid = fork();
	int st = 0;

	if (pid == 0) {
		execv(command[0], command);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &st, 0) == pid && WIFEXITED(st) && WEXITSTATUS(st) == 0;
}

/* Half of the cuts right behind an acknowledgement, the others anywhere. */
static size_t choose_cut(void)
{
	size_t cut = (size_t)rand_r(&rnd) % log_n + 1;

	while (chance(50) && cut < log_n && log_entries[cut - 1].e.op != POWERCUT_ACK)
		cut++;
	return cut;
}

int main(int argc, char **argv)
{
	static const char *const fates[] = { "all lost", "all kept", "some lost", "torn" };
	unsigned seed, failed = 0;
	size_t count;
	bool dense;

	if (argc < 8) {
		fprintf(stderr,
			"usage: powercut_images LOG ROOT IMAGE ACKS COUNT SEED COMMAND...\n");
		return 2;
	}
	load(argv[1]);
	names = malloc(NAMES * sizeof(*names));
	if (names == NULL || log_n == 0)
		die(argv[1]);
	count = strtoul(argv[5], NULL, 10);
	dense = count == 0;
	if (dense)
		count = log_n;
	seed = (unsigned)strtoul(argv[6], NULL, 10);
	for (size_t i = 0; i < count; i++) {
		enum fate fate = (enum fate)((i + (dense ? seed : 0)) % FATES);
		size_t cut;

		rnd = seed + (unsigned)i * 7919;
		cut = dense ? i + 1 : choose_cut();
		build(argv[2], argv[3], cut, fate);
		write_acks(argv[4], cut);
		if (passes(argv + 7))
			continue;
		printf("image %zu of seed %u (cut after entry %zu of %zu, %s) failed\n", i, seed,
		       cut, log_n, fates[fate]);
		failed++;
	}
	printf("%zu images of %zu entries, %u failed\n", count, log_n, failed);
	return failed != 0;
}
