/* SPDX-License-Identifier: Apache-2.0 */
#include "torture.h"

#include "base/mem.h"
#include "crypto/lib.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define THREADS     4
#define PIPE_ROOM   (1 << 20)
#define PATIENCE_MS 120000 /* for one change, on the slowest machine */
/* To be killed within, while it begins; that it had begun is not promised. */
#define BEGINNING_US 50000

pid_t torture_fork(void)
{
	pid_t pid;

	store_fork_prepare();
	pid = fork();
	if (pid != 0) {
		store_fork_parent();
		assert_true(pid > 0);
		return pid;
	}
	store_fork_child();
	if (crypto_start() != OK)
		_exit(97);
	return 0;
}

int torture_wait(pid_t pid)
{
	int st = 0;

	assert_int_equal(waitpid(pid, &st, 0), pid);
	if (!WIFEXITED(st))
		fail_msg("process %d ended by signal %d", (int)pid, WTERMSIG(st));
	return WEXITSTATUS(st);
}

/* ---- killing ---- */

enum step { CREATE, REPLACE, REMOVE, STEPS };

/* One write each, so that lines of several threads do not mix. */
struct line {
	uint32_t thread;
	uint32_t step;
	uint64_t id; /* 0: not known yet */
	uint32_t n;  /* names what is made */
	uint32_t acknowledged;
};

struct job {
	const struct vault *v;
	unsigned seed;
	int to;
};

static void say(const struct job *j, const struct line *l)
{
	if (write(j->to, l, sizeof(*l)) != (ssize_t)sizeof(*l))
		_exit(96);
}

static void nap(unsigned us)
{
	const struct timespec t = { us / 1000000, (long)(us % 1000000) * 1000 };

	nanosleep(&t, NULL);
}

/* What a process has said so far. */
struct said {
	struct line *lines;
	size_t n;
	unsigned acknowledged;
};

/* Reads what there is, at least one line; false at the end, that is when the process is no more. */
static bool hear(int fd, struct said *s)
{
	size_t have = s->n * sizeof(struct line);
	ssize_t got = read(fd, (uint8_t *)s->lines + have, PIPE_ROOM - have);

	if (got <= 0)
		return false;
	assert_int_equal((size_t)got % sizeof(struct line), 0);
	for (; got != 0; got -= (ssize_t)sizeof(struct line))
		s->acknowledged += s->lines[s->n++].acknowledged;
	return true;
}

static unsigned long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long)t.tv_sec * 1000000 + (unsigned long)t.tv_nsec / 1000;
}

/*
 * Until this many changes were acknowledged, however long that takes here; then a part, by chance, of the time that one
 * took, so that the kill comes at any moment of the next.
 */
static void let_work(int fd, unsigned chance, unsigned changes, struct said *s)
{
	unsigned long begun = now_us(), pace = BEGINNING_US;

	while (s->acknowledged < changes) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		if (poll(&p, 1, PATIENCE_MS) != 1 || !hear(fd, s))
			fail_msg("%u of %u changes, and no more come", s->acknowledged, changes);
	}
	if (changes != 0)
		pace = 2 * (now_us() - begun) / changes;
	nap((unsigned)(chance % (pace + 1)));
}

/*
 * Runs work in a process of its own and kills it: while it begins, one time in eight, else after up to `most` acknowledged
 * changes. Gives what it said.
 */
static struct said run_and_kill(const struct vault *v, unsigned seed, unsigned most,
				void (*work)(const struct job *j))
{
	unsigned chance = seed * 2654435761U;
	unsigned changes = seed % 8 != 0 ? 1 + (chance >> 8) % most : 0;
	struct said s = { .lines = malloc(PIPE_ROOM) };
	int fd[2];
	pid_t pid;

	assert_non_null(s.lines);
	assert_int_equal(pipe(fd), 0);
	(void)fcntl(fd[1], F_SETPIPE_SZ, PIPE_ROOM);
	pid = torture_fork();
	if (pid == 0) {
		const struct job j = { v, seed, fd[1] };

		work(&j);
		_exit(95);
	}
	close(fd[1]);
	let_work(fd[0], chance, changes, &s);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	while (hear(fd[0], &s))
		;
	close(fd[0]);
	return s;
}

/* ---- objects ---- */

#define OWN 64 /* objects of a thread, at most */

struct own {
	uint64_t id;
	uint32_t version, n;
};

static struct store *open_in_child(const struct vault *v)
{
	struct store *s = NULL;

	if (store_open(v->dir, 0, &v->policy, &s, NULL) != OK)
		_exit(94);
	return s;
}

static struct record named(uint32_t thread, uint32_t n)
{
	char label[32], id[16];

	snprintf(label, sizeof(label), "n%u", n);
	snprintf(id, sizeof(id), "t%u", thread);
	return vault_record(CKO_SECRET_KEY, n % 2 == 0, label, id, 64 + n % 200);
}

static enum err do_step(struct store *s, const struct seal *k, struct line *l, struct own *o)
{
	struct record r = named(l->thread, l->n);
	struct store_change c = { l->step == CREATE    ? CHANGE_CREATE
				  : l->step == REPLACE ? CHANGE_REPLACE
						       : CHANGE_REMOVE,
				  &r };
	enum err e;

	r.id = o->id;
	r.version = o->version;
	e = store_commit(s, k, &c, 1, NULL);
	o->id = l->step == REMOVE ? 0 : r.id;
	o->version = (uint32_t)r.version;
	o->n = l->n;
	l->id = r.id;
	record_clear(&r);
	return e;
}

struct worker {
	const struct job *j;
	struct store *s;
	const struct seal *k;
	uint32_t thread;
};

static void *work_on_objects(void *arg)
{
	const struct worker *w = arg;
	struct own own[OWN] = { { 0 } };
	unsigned rnd = w->j->seed * 31 + w->thread;

	for (uint32_t n = 1;; n++) {
		struct own *o = &own[rand_r(&rnd) % OWN];
		struct line l = { .thread = w->thread, .n = n, .id = o->id };

		l.step = o->id == 0 ? CREATE : (rand_r(&rnd) % 3 == 0 ? REMOVE : REPLACE);
		say(w->j, &l);
		if (do_step(w->s, w->k, &l, o) != OK)
			_exit(93);
		l.acknowledged = 1;
		say(w->j, &l);
	}
	return NULL;
}

static void objects_job(const struct job *j)
{
	struct worker w[THREADS];
	struct seal *k = NULL;
	struct store *s = open_in_child(j->v);
	pthread_t id;

	if (store_login(s, STORE_USER, text(USER_PIN), &k) != OK)
		_exit(92);
	for (uint32_t i = 0; i < THREADS; i++) {
		w[i] = (struct worker){ j, s, k, i };
		if (pthread_create(&id, NULL, work_on_objects, &w[i]) != 0)
			_exit(91);
	}
	for (;;)
		pause();
}

static bool has_label(const struct record *r, uint32_t n)
{
	char label[32];

	snprintf(label, sizeof(label), "n%u", n);
	return span_eq(attrset_bytes(r->attrs, CKA_LABEL), text(label));
}

/* What must be true of object id after its last acknowledged line, and perhaps one that was under way. */
static void expect_object(const struct vault *v, const struct line *last,
			  const struct line *under_way)
{
	struct record r = { 0 };
	enum err e = store_get(v->s, v->user, last->id, &r);
	bool there = last->step != REMOVE,
	     maybe_gone = under_way != NULL && under_way->step == REMOVE;

	if (there && e != OK && !(maybe_gone && e == E_OBJECT_HANDLE))
		fail_msg("object %llu was acknowledged and is not there (%d)",
			 (unsigned long long)last->id, e);
	if (!there && e != E_OBJECT_HANDLE)
		fail_msg("object %llu was removed and is there", (unsigned long long)last->id);
	if (e == OK && !has_label(&r, last->n) &&
	    !(under_way != NULL && under_way->step == REPLACE && has_label(&r, under_way->n)))
		fail_msg("object %llu is not as acknowledged", (unsigned long long)last->id);
	record_clear(&r);
}

/* The line of a thread that was not acknowledged: its last one. */
static const struct line *under_way_of(const struct line *l, size_t n, uint32_t thread)
{
	const struct line *last = NULL;

	for (size_t i = 0; i < n; i++)
		if (l[i].thread == thread)
			last = &l[i];
	return last != NULL && last->acknowledged == 0 ? last : NULL;
}

static bool is_last_of_object(const struct line *l, size_t n, size_t at)
{
	for (size_t i = at + 1; i < n; i++)
		if (l[i].acknowledged != 0 && l[i].id == l[at].id)
			return false;
	return true;
}

/* Live objects by the lines; *slack: more or fewer, by what was under way. */
static size_t live_by_lines(const struct vault *v, const struct line *l, size_t n, size_t *slack)
{
	size_t live = 0;

	*slack = 0;
	for (size_t i = 0; i < n; i++) {
		const struct line *u;

		if (l[i].acknowledged == 0 || !is_last_of_object(l, n, i))
			continue;
		u = under_way_of(l, n, l[i].thread);
		if (u != NULL && u->id != l[i].id)
			u = NULL;
		expect_object(v, &l[i], u);
		live += l[i].step != REMOVE;
	}
	for (uint32_t t = 0; t < THREADS; t++) {
		const struct line *u = under_way_of(l, n, t);

		*slack += u != NULL && u->step != REPLACE;
	}
	return live;
}

unsigned torture_objects(struct vault *v, unsigned seed)
{
	size_t before = vault_count(v->s, v->user), after, live, slack;
	struct said said = run_and_kill(v, seed, 24, objects_job);

	live = live_by_lines(v, said.lines, said.n, &slack);
	after = vault_count(v->s, v->user);
	if (after + slack < before + live || after > before + live + slack)
		fail_msg("%zu objects, where %zu and up to %zu more or fewer are right", after,
			 before + live, slack);
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
	free(said.lines);
	return said.acknowledged;
}

/* ---- PINs ---- */

static void pin_text(char out[32], uint32_t n)
{
	if (n == 0)
		snprintf(out, 32, "%s", USER_PIN);
	else
		snprintf(out, 32, "user-pin-n%u", n);
}

static void pins_job(const struct job *j)
{
	struct store *s = open_in_child(j->v);
	char old[32], new_pin[32];

	for (uint32_t n = 1;; n++) {
		struct line l = { .n = n };

		pin_text(old, n - 1);
		pin_text(new_pin, n);
		say(j, &l);
		if (store_set_pin(s, STORE_USER, text(old), text(new_pin), NULL) != OK)
			_exit(90);
		l.acknowledged = 1;
		say(j, &l);
	}
}

static bool works(const struct vault *v, uint32_t n)
{
	char pin[32];
	enum err e;

	pin_text(pin, n);
	e = store_login(v->s, STORE_USER, text(pin), NULL);
	assert_true(e == OK || e == E_PIN_WRONG);
	return e == OK;
}

unsigned torture_pins(struct vault *v, unsigned seed)
{
	struct said said = run_and_kill(v, seed, 6, pins_job);
	uint32_t before = said.acknowledged, last = said.n != 0 ? said.lines[said.n - 1].n : 0;
	bool new_works, old_works;
	char pin[32];

	free(said.lines);
	new_works = works(v, last);
	old_works = before != last && works(v, before);
	assert_true(new_works != old_works);
	/* back to the first one, for the next round */
	pin_text(pin, new_works ? last : before);
	assert_int_equal(store_set_pin(v->s, STORE_USER, text(pin), text(USER_PIN), NULL), OK);
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
	return before;
}

/* ---- tokens ---- */

static void tokens_job(const struct job *j)
{
	const char label[33] = "tortured                        ";
	CK_SLOT_ID *ids = NULL, next = 0;
	size_t n = 0;

	if (store_list(j->v->dir, &ids, &n, &next, NULL) != OK)
		_exit(89);
	for (;; next++) {
		struct line l = { .id = next };

		if (store_create(j->v->dir, next, &j->v->policy, text(SO_PIN), label, NULL, NULL) !=
		    OK)
			_exit(88);
		l.acknowledged = 1;
		say(j, &l);
		if (next % 3 == 0 && store_delete(j->v->dir, next, NULL) != OK)
			_exit(87);
	}
}

static void expect_whole(const struct vault *v, CK_SLOT_ID slot)
{
	struct store *s = NULL;
	struct why why = { .text = "" };

	if (store_open(v->dir, slot, &v->policy, &s, &why) != OK)
		fail_msg("slot %lu: %s", slot, why.text);
	assert_int_equal(store_login(s, STORE_SO, text(SO_PIN), NULL), OK);
	store_close(s);
}

static bool listed(const CK_SLOT_ID *ids, size_t n, CK_SLOT_ID id)
{
	for (size_t i = 0; i < n; i++)
		if (ids[i] == id)
			return true;
	return false;
}

unsigned torture_tokens(struct vault *v, unsigned seed)
{
	CK_SLOT_ID *ids = NULL, next = 0;
	size_t n = 0;
	struct said said = run_and_kill(v, seed, 6, tokens_job);

	assert_int_equal(store_list(v->dir, &ids, &n, &next, NULL), OK);
	for (size_t i = 0; i < said.n; i++) {
		const uint64_t id = said.lines[i].id;

		assert_true(id < next);
		if (id % 3 != 0 && !listed(ids, n, id))
			fail_msg("slot %llu was acknowledged and is not there",
				 (unsigned long long)id);
	}
	for (size_t i = 0; i < n; i++) {
		expect_whole(v, ids[i]);
		if (ids[i] != 0)
			assert_int_equal(store_delete(v->dir, ids[i], NULL), OK);
	}
	mem_free(ids);
	free(said.lines);
	return said.acknowledged;
}
