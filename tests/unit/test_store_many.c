/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads, many processes, forks and kills on one token (cases B029, R03). */
#include "skips.h"
#include "torture.h"

#include "base/mem.h"
#include "store/inside.h"
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- threads ---- */

#define THREADS 8
#define ROUNDS  40

struct shared {
	const struct vault *v;
	atomic_uint wrong; /* answers that are not what they must be */
	atomic_bool stop;
	atomic_uint made;
};

static bool label_is(struct store *s, const struct seal *k, uint64_t id, const char *label)
{
	struct record r = { 0 };
	bool yes = store_get(s, k, id, &r) == OK &&
		   span_eq(attrset_bytes(r.attrs, CKA_LABEL), text(label));

	record_clear(&r);
	return yes;
}

static bool found(struct store *s, const struct seal *k, const char *label, uint64_t id)
{
	const struct span l = span_str(label);
	const struct store_query q = { .label = &l, .cls = CK_UNAVAILABLE_INFORMATION };
	uint64_t *ids = NULL;
	size_t n = 0;
	bool yes = false;

	if (store_query(s, k, &q, &ids, &n) == OK)
		for (size_t i = 0; i < n; i++)
			yes = yes || ids[i] == id;
	mem_free(ids);
	return yes;
}

/* The life of one object; every step is looked at. */
static bool one_life(const struct vault *v, const char *name, bool priv)
{
	uint64_t id = 0;
	char other[40];

	snprintf(other, sizeof(other), "%s again", name);
	return vault_put(v->s, v->user, priv, name, "id", &id) == OK &&
	       label_is(v->s, v->user, id, name) && found(v->s, v->user, name, id) &&
	       vault_relabel(v->s, v->user, id, other) == OK && found(v->s, v->user, other, id) &&
	       !found(v->s, v->user, name, id) && vault_drop(v->s, v->user, id) == OK &&
	       !found(v->s, v->user, other, id);
}

static void *live(void *arg)
{
	struct shared *sh = arg;
	unsigned me = atomic_fetch_add(&sh->made, 1);
	char name[32];

	for (int i = 0; i < ROUNDS; i++) {
		snprintf(name, sizeof(name), "object %u-%d", me, i);
		if (!one_life(sh->v, name, i % 2 == 0))
			atomic_fetch_add(&sh->wrong, 1);
	}
	return NULL;
}

/* Always in the wrong version: fails each time, and nobody else fails because of it. */
static void *disturb(void *arg)
{
	struct shared *sh = arg;
	struct record r = vault_record(CKO_DATA, false, "x", "", 5);
	struct record fresh = vault_record(CKO_DATA, false, "never there", "", 5);
	struct store_change c[] = { { CHANGE_CREATE, &fresh }, { CHANGE_REPLACE, &r } };
	struct store_event ev[] = { { .body = text("no event") }, { .body = text("nor this") } };

	r.id = 1;
	r.version = 99;
	while (!atomic_load(&sh->stop)) {
		if (store_commit(sh->v->s, sh->v->user, c, 2, ev) != E_OBJECT_HANDLE ||
		    fresh.id != 0 || r.version != 99 || ev[0].number != 0)
			atomic_fetch_add(&sh->wrong, 1);
	}
	record_clear(&fresh);
	record_clear(&r);
	return NULL;
}

static enum err no_event(void *arg, uint64_t number, struct span event, bool *over)
{
	(void)number;
	*over = true;
	(void)arg;
	(void)event;
	return E_INTERNAL;
}

static void test_threads(void **state)
{
	struct vault *v = *state;
	struct shared sh = { .v = v };
	pthread_t id[THREADS], other;
	uint64_t first = vault_must_put(v, false, "first", "");

	assert_int_equal(first, 1);
	assert_int_equal(pthread_create(&other, NULL, disturb, &sh), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&id[i], NULL, live, &sh), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	atomic_store(&sh.stop, true);
	pthread_join(other, NULL);
	assert_int_equal(sh.wrong, 0);
	assert_int_equal(vault_count(v->s, v->user), 1);
	assert_int_equal(store_events_drain(v->s, no_event, NULL), OK);
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
}

/* ---- group commit ---- */

/* Transactions so far, by the file's own counter. */
static uint32_t transactions(const struct vault *v)
{
	uint8_t c[4];
	int fd = open(v->db, O_RDONLY);

	assert_int_equal(pread(fd, c, 4, 24), 4);
	close(fd);
	return (uint32_t)c[0] << 24 | (uint32_t)c[1] << 16 | (uint32_t)c[2] << 8 | c[3];
}

static void *create_many(void *arg)
{
	struct shared *sh = arg;

	for (int i = 0; i < 50; i++)
		if (vault_put(sh->v->s, sh->v->user, true, "x", "y", NULL) != OK)
			atomic_fetch_add(&sh->wrong, 1);
	return NULL;
}

static void test_group_commit(void **state)
{
	struct vault *v = *state;
	struct shared sh = { .v = v };
	pthread_t id[THREADS];
	uint32_t before = transactions(v), used;

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&id[i], NULL, create_many, &sh), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	used = transactions(v) - before;
	assert_int_equal(sh.wrong, 0);
	assert_int_equal(vault_count(v->s, v->user), THREADS * 50);
	print_message("%d commits of %d threads in %u transactions\n", THREADS * 50, THREADS, used);
	assert_true(used <= THREADS * 50 / 2);
}

/* ---- callers that certainly share a transaction ---- */

struct caller {
	const struct vault *v;
	struct record made, stale;
	struct store_change c[2];
	size_t n;
	pthread_t thread;
	enum err e;
};

static void *call(void *arg)
{
	struct caller *c = arg;

	c->e = store_commit(c->v->s, c->v->user, c->c, c->n, NULL);
	return NULL;
}

/* Makes an object; refused: and replaces another in a version that it does not have. */
static void start(struct caller *c, const struct vault *v, bool refused)
{
	*c = (struct caller){ .v = v, .n = refused ? 2 : 1 };
	c->made = vault_record(CKO_DATA, true, refused ? "never there" : "there", "", 5);
	c->stale = vault_record(CKO_DATA, true, "x", "", 5);
	c->stale.id = 1;
	c->stale.version = 99;
	c->c[0] = (struct store_change){ CHANGE_CREATE, &c->made };
	c->c[1] = (struct store_change){ CHANGE_REPLACE, &c->stale };
	assert_int_equal(pthread_create(&c->thread, NULL, call, c), 0);
}

static enum err end(struct caller *c)
{
	pthread_join(c->thread, NULL);
	record_clear(&c->made);
	record_clear(&c->stale);
	return c->e;
}

/* Until a leader is at work and n callers wait for it. */
static void until_queued(struct store *s, size_t n)
{
	for (bool there = false; !there; sched_yield()) {
		lock_take(&s->queue);
		there = s->led && s->waiting == n;
		lock_drop(&s->queue);
	}
}

/* Three callers: the first waits for the file, which another connection holds until the others are in the queue. */
static void start_three(const struct vault *v, struct caller c[3], unsigned refused)
{
	for (unsigned i = 0; i < 3; i++) {
		start(&c[i], v, i == refused);
		until_queued(v->s, i);
	}
}

static sqlite3 *hold_file(const struct vault *v)
{
	sqlite3 *c = NULL;

	assert_int_equal(sqlite3_open_v2(v->db, &c, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(c, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	return c;
}

/* What one of them may not do is undone, and the other's is there, whichever comes first. */
static void test_one_of_two_is_refused(void **state)
{
	struct vault *v = *state;
	struct caller c[3];

	vault_must_put(v, true, "first", "");
	for (unsigned refused = 1; refused <= 2; refused++) {
		const uint32_t before = transactions(v);
		sqlite3 *held = hold_file(v);

		start_three(v, c, refused);
		sqlite3_close(held);
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(end(&c[i]), i == refused ? E_OBJECT_HANDLE : OK);
		assert_int_equal(transactions(v) - before, 2);
		assert_int_equal(vault_count(v->s, v->user), 1 + 2 * refused);
		assert_int_equal(vault_findings(v->s, v->user, false), 0);
	}
}

/* A transaction that cannot be: every one of its callers is told. */
static void test_all_are_refused(void **state)
{
	struct vault *v = *state;
	sqlite3 *held = hold_file(v);
	struct caller c[3];

	start_three(v, c, 3);
	assert_int_equal(unlink(v->db), 0);
	sqlite3_close(held);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(end(&c[i]), E_DEVICE_REMOVED);
}

/* ---- processes ---- */

#define PROCESSES 8
#define EACH      200

static void add_some(const struct vault *v, int n)
{
	struct store *s = NULL;
	struct seal *k = NULL;

	if (store_open(v->dir, 0, &v->policy, &s, NULL) != OK ||
	    store_login(s, STORE_USER, text(USER_PIN), &k) != OK)
		_exit(1);
	for (int i = 0; i < n; i++)
		if (vault_put(s, k, i % 2 == 0, "x", "y", NULL) != OK)
			_exit(2);
	seal_free(k);
	store_close(s);
	_exit(0);
}

static void test_processes(void **state)
{
	struct vault *v = *state;
	pid_t pid[PROCESSES];
	uint64_t before, after;

	assert_int_equal(store_version(v->s, &before), OK);
	for (int i = 0; i < PROCESSES; i++)
		if ((pid[i] = torture_fork()) == 0)
			add_some(v, EACH);
	for (int i = 0; i < PROCESSES; i++)
		assert_int_equal(torture_wait(pid[i]), 0);
	assert_int_equal(store_version(v->s, &after), OK);
	assert_int_not_equal(before, after);
	assert_int_equal(vault_count(v->s, v->user), PROCESSES * EACH);
	vault_reopen(v);
	assert_int_equal(vault_count(v->s, v->user), PROCESSES * EACH);
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
}

/* ---- forks while others commit ---- */

#define FORKS 30

static void *commit_on(void *arg)
{
	struct shared *sh = arg;

	while (!atomic_load(&sh->stop)) {
		if (vault_put(sh->v->s, sh->v->user, true, "parent", "", NULL) == OK)
			atomic_fetch_add(&sh->made, 1);
		else
			atomic_fetch_add(&sh->wrong, 1);
	}
	return NULL;
}

/* Lets go of nothing that it inherited, and works with a connection of its own at once. */
static void child_of_fork(const struct vault *v)
{
	struct store *s = NULL;
	struct seal *k = NULL;

	if (store_open(v->dir, 0, &v->policy, &s, NULL) != OK)
		_exit(1);
	if (store_login(s, STORE_USER, text(USER_PIN), &k) != OK)
		_exit(2);
	for (int i = 0; i < 3; i++) {
		uint64_t id = 0;

		if (vault_put(s, k, true, "child", "", &id) != OK)
			_exit(3);
		if (!label_is(s, k, id, "child"))
			_exit(4);
	}
	seal_free(k);
	store_close(s);
	_exit(0);
}

static void test_forks(void **state)
{
	struct vault *v = *state;
	struct shared sh = { .v = v };
	pthread_t id[2];
	pid_t pid[FORKS];

	skip_fork_amid_threads();
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&id[i], NULL, commit_on, &sh), 0);
	for (int i = 0; i < FORKS; i++) {
		pid[i] = torture_fork();
		if (pid[i] == 0)
			child_of_fork(v);
		if (i % 3 == 2)
			for (int j = i - 2; j <= i; j++)
				assert_int_equal(torture_wait(pid[j]), 0);
	}
	atomic_store(&sh.stop, true);
	for (int i = 0; i < 2; i++)
		pthread_join(id[i], NULL);
	assert_int_equal(sh.wrong, 0);
	assert_true(sh.made > 0);
	assert_int_equal(vault_count(v->s, v->user), FORKS * 3 + sh.made);
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
}

/* ---- kills ---- */

static void test_kills(void **state)
{
	struct vault *v = *state;

	for (unsigned seed = 1; seed <= 12; seed++)
		assert_true(torture_objects(v, seed) > 0 || seed % 8 == 0);
	for (unsigned seed = 1; seed <= 8; seed++)
		torture_pins(v, seed);
	for (unsigned seed = 1; seed <= 6; seed++)
		torture_tokens(v, seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, vault_open, vault_close)
		TEST(test_threads),
		TEST(test_group_commit),
		TEST(test_one_of_two_is_refused),
		TEST(test_all_are_refused),
		TEST(test_processes),
		TEST(test_forks),
		TEST(test_kills),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
