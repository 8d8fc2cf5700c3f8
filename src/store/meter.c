/* SPDX-License-Identifier: Apache-2.0 */
#include "store/meter.h"

#include "base/file.h"
#include "base/mem.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FLAGS (O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

/* A use of more bytes is not added to recent, whose bytes have TALLY_SHIFT bits. */
#define BYTES_MAX UINT32_MAX
/* recent is emptied from here on: so many threads as there can be do not fill the other half meanwhile. */
#define HALF_OPS   ((uint64_t)1 << 23)
#define HALF_BYTES ((uint64_t)1 << (TALLY_SHIFT - 1))
/* Rows that are tried for a key: with all that there are to count, there is always one. */
#define PROBES 64

struct meter {
	struct tally *at;
	struct meter *older;
};

__thread struct meter_thread meter_thread __attribute__((tls_model("initial-exec")));
static atomic_uint threads; /* that ever counted */

/* ---- the file ---- */

static bool path_beside(char path[PATH_MAX], const char *database)
{
	const char *end = strrchr(database, '/');
	int folder = end != NULL ? (int)(end - database) : 0;

	return end != NULL &&
	       snprintf(path, PATH_MAX, "%.*s/" TALLY_FILE, folder, database) < PATH_MAX;
}

/* Exactly the mode, whatever the umask. */
static int make(const char *path, mode_t mode)
{
	int fd = open(path, FLAGS | O_CREAT | O_EXCL, mode);

	if (fd < 0 || fchmod(fd, mode) == 0)
		return fd;
	file_close(fd);
	return -1;
}

/* Another process may make it between two looks. */
static int open_file(const char *path, mode_t mode)
{
	int fd = open(path, FLAGS);

	if (fd < 0 && errno == ENOENT)
		fd = make(path, mode);
	return fd < 0 && errno == EEXIST ? open(path, FLAGS) : fd;
}

/* Ours, and nobody else can write to it. */
static bool is_ours(int fd, struct stat *st)
{
	return fd >= 0 && fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_nlink == 1 &&
	       (st->st_mode & (S_IWGRP | S_IWOTH)) == 0 && st->st_uid == geteuid();
}

static bool all_zero(const struct tally_head *h)
{
	static const struct tally_head zero;

	return memcmp(h, &zero, sizeof(zero)) == 0;
}

/*
 * A new file gets its room, then its head. Several processes may do so at once: growing changes none of the bytes that are there, and
 * all of them write the same head.
 */
static bool make_ready(int fd, const struct stat *st)
{
	const size_t fixed = offsetof(struct tally_head, since);
	struct tally_head h = { 0 };

	if (pread(fd, &h, sizeof(h), 0) < 0 || (!all_zero(&h) && !tally_head_known(&h)))
		return false;
	if (st->st_size < (off_t)sizeof(struct tally) &&
	    posix_fallocate(fd, 0, sizeof(struct tally)) != 0)
		return false;
	if (!all_zero(&h))
		return true;
	h = tally_head_new();
	return pwrite(fd, &h, fixed, 0) == (ssize_t)fixed;
}

static void *map_file(const char *database, mode_t mode)
{
	char path[PATH_MAX];
	struct stat db, st;
	void *at = MAP_FAILED;
	int fd;

	/* who works on another's token leaves no file there that the other could not use */
	if (!path_beside(path, database) || stat(database, &db) != 0 || db.st_uid != geteuid() ||
	    !file_stays_in_place(database))
		return NULL;
	fd = open_file(path, mode);
	if (is_ours(fd, &st) && make_ready(fd, &st))
		at = mmap(NULL, sizeof(struct tally), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	file_close(fd);
	return at != MAP_FAILED ? at : NULL;
}

static uint64_t today(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec;
}

struct meter *meter_open(const char *database, mode_t mode, struct meter *older)
{
	struct meter *m = mem_alloc(sizeof(*m));
	uint64_t never = 0;

	if (m == NULL)
		return NULL;
	m->at = map_file(database, mode);
	if (m->at == NULL) {
		mem_free(m);
		return NULL;
	}
	m->older = older;
	(void)atomic_compare_exchange_strong(&m->at->head.since, &never, today());
	return m;
}

void meter_close(struct meter *m)
{
	for (struct meter *older; m != NULL; m = older) {
		older = m->older;
		(void)munmap(m->at, sizeof(*m->at));
		mem_free(m);
	}
}

/* ---- the whole ---- */

static void put_text(_Atomic uint64_t *to, size_t words, const char *text)
{
	uint64_t v;

	for (size_t i = 0; i < words; i++) {
		memcpy(&v, text + i * sizeof(v), sizeof(v));
		atomic_store_explicit(&to[i], v, memory_order_relaxed);
	}
}

void meter_name(struct meter *m, const char *label, const char *serial)
{
	if (m == NULL)
		return;
	put_text(m->at->head.label, 4, label);
	if (serial != NULL)
		put_text(m->at->head.serial, 2, serial);
}

static void clear_cell(struct tally_cell *c)
{
	_Atomic uint64_t *const all[] = { &c->recent, &c->done,    &c->bytes,    &c->rejected,
					  &c->failed, &c->samples, &c->sample_ns };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		atomic_store_explicit(all[i], 0, memory_order_relaxed);
}

/* The rows keep their names: somebody may be on his way to one. */
void meter_reset(struct meter *m)
{
	if (m == NULL)
		return;
	for (size_t lane = 0; lane < TALLY_LANES; lane++)
		for (size_t row = 0; row < TALLY_ROWS; row++)
			clear_cell(&m->at->cell[lane][row]);
	atomic_store_explicit(&m->at->head.lost, 0, memory_order_relaxed);
	atomic_store_explicit(&m->at->head.since, today(), memory_order_relaxed);
}

/* ---- counting ---- */

/* Threads of one process, and those of several with one thread each, are spread over the lanes, and their samples over the turns. */
void meter_thread_begin(void)
{
	const unsigned n = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) +
			   (unsigned)getpid() * 5;

	meter_thread.lane = 1 + n % TALLY_LANES;
	meter_thread.turn = n * 23;
}

static void add(_Atomic uint64_t *to, uint64_t n)
{
	atomic_fetch_add_explicit(to, n, memory_order_relaxed);
}

/* The row of key, or TALLY_ROWS. Two that come at once with the same key meet at the same free place. */
static size_t find_row(struct tally *t, uint64_t key)
{
	size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 55);

	static_assert(TALLY_ROWS == 1 << (64 - 55), "the hash is the number of a row");
	for (unsigned i = 0; i < PROBES; i++, at = (at + 1) % TALLY_ROWS) {
		uint64_t have = atomic_load_explicit(&t->key[at], memory_order_relaxed);

		if (have == key)
			return at;
		if (have == 0 &&
		    (atomic_compare_exchange_strong(&t->key[at], &have, key) || have == key))
			return at;
	}
	return TALLY_ROWS;
}

/* The cell of this thread, or NULL. */
static struct tally_cell *find_cell(struct tally *t, enum tally_use use, unsigned long mechanism)
{
	const size_t row = find_row(t, tally_key(use, mechanism));

	if (meter_thread.lane == 0)
		meter_thread_begin();
	return row < TALLY_ROWS ? &t->cell[meter_thread.lane - 1][row] : NULL;
}

/* Moves what is in recent now, whoever added it. */
static void relieve(struct tally_cell *c)
{
	const uint64_t had = atomic_exchange_explicit(&c->recent, 0, memory_order_relaxed);

	add(&c->done, had >> TALLY_SHIFT);
	add(&c->bytes, had & (((uint64_t)1 << TALLY_SHIFT) - 1));
}

static void add_done(struct tally_cell *c, uint64_t bytes)
{
	const uint64_t one = (uint64_t)1 << TALLY_SHIFT;
	uint64_t had;

	if (bytes > BYTES_MAX) {
		add(&c->done, 1);
		add(&c->bytes, bytes);
		return;
	}
	had = atomic_fetch_add_explicit(&c->recent, one | bytes, memory_order_relaxed);
	if (had >> TALLY_SHIFT >= HALF_OPS || (had & (one - 1)) >= HALF_BYTES)
		relieve(c);
}

void meter_add(struct meter *m, enum tally_use use, unsigned long mechanism, enum meter_end end,
	       uint64_t bytes)
{
	struct tally_cell *c;

	if (m == NULL)
		return;
	c = find_cell(m->at, use, mechanism);
	if (c == NULL)
		add(&m->at->head.lost, 1);
	else if (end == METER_DONE)
		add_done(c, bytes);
	else
		add(end == METER_REJECTED ? &c->rejected : &c->failed, 1);
}

void meter_time(struct meter *m, enum tally_use use, unsigned long mechanism, uint64_t ns)
{
	struct tally_cell *c = m != NULL ? find_cell(m->at, use, mechanism) : NULL;

	if (c == NULL)
		return;
	add(&c->samples, 1);
	add(&c->sample_ns, ns);
}
