/* SPDX-License-Identifier: Apache-2.0 */
/* The store in ordinary use: records in, found, changed, removed; what others see; who may do what. */
#include "vault.h"

#include "base/mem.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

static void test_round_trip(void **state)
{
	const struct vault *v = *state;
	uint64_t pub = vault_must_put(v, false, "public", "01"),
		 priv = vault_must_put(v, true, "private", "02");
	struct record r = { 0 };

	assert_true(pub < priv);
	assert_int_equal(store_get(v->s, v->user, pub, &r), OK);
	assert_true(r.verified && r.sight == SIGHT_ALL && r.version == 1 && r.id == pub);
	assert_int_equal(attrset_bytes(r.attrs, CKA_VALUE).n, 100);
	record_clear(&r);
	assert_int_equal(store_get(v->s, NULL, pub, &r), OK);
	assert_false(r.verified);
	record_clear(&r);
	assert_int_equal(store_get(v->s, NULL, priv, &r), E_OBJECT_HANDLE);
	assert_null(r.attrs);
	assert_int_equal(store_get(v->s, v->user, priv, &r), OK);
	assert_true(r.verified && r.sight == SIGHT_USER);
	record_clear(&r);
	assert_int_equal(store_get(v->s, v->user, 12345, &r), E_OBJECT_HANDLE);
}

static void test_traits(void **state)
{
	const struct vault *v = *state;
	struct record r = vault_record(CKO_SECRET_KEY, true, "k", "", 16);
	struct store_change c = { CHANGE_CREATE, &r };
	uint64_t id;

	r.traits = RECORD_TOKEN_LINEAGE;
	assert_int_equal(store_commit(v->s, v->user, &c, 1, NULL), OK);
	id = r.id;
	record_clear(&r);
	assert_int_equal(store_get(v->s, v->user, id, &r), OK);
	assert_int_equal(r.traits, RECORD_TOKEN_LINEAGE);
	record_clear(&r);
}

static void test_change_and_remove(void **state)
{
	const struct vault *v = *state;
	uint64_t id = vault_must_put(v, true, "before", "01");
	struct record r = { 0 };
	struct store_change c = { CHANGE_REPLACE, &r };

	assert_int_equal(vault_relabel(v->s, v->user, id, "after"), OK);
	vault_expect(v->s, v->user, id, "after");
	assert_int_equal(store_get(v->s, v->user, id, &r), OK);
	assert_int_equal(r.version, 2);
	/* an older version is not there any more */
	r.version = 1;
	assert_int_equal(store_commit(v->s, v->user, &c, 1, NULL), E_OBJECT_HANDLE);
	assert_int_equal(r.version, 1);
	c.kind = CHANGE_REMOVE;
	assert_int_equal(store_commit(v->s, v->user, &c, 1, NULL), E_OBJECT_HANDLE);
	r.version = 2;
	assert_int_equal(store_commit(v->s, v->user, &c, 1, NULL), OK);
	assert_int_equal(store_commit(v->s, v->user, &c, 1, NULL), E_OBJECT_HANDLE);
	record_clear(&r);
	assert_int_equal(store_get(v->s, v->user, id, &r), E_OBJECT_HANDLE);
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
	/* the id is not used again */
	assert_true(vault_must_put(v, false, "x", "y") > id);
}

/* All changes of a caller, or none. */
static void test_all_or_none(void **state)
{
	const struct vault *v = *state;
	struct record a = vault_record(CKO_DATA, false, "a", "", 10);
	struct record b = vault_record(CKO_DATA, false, "b", "", 10);
	struct store_change c[] = { { CHANGE_CREATE, &a }, { CHANGE_REPLACE, &b } };

	b.id = 999;
	b.version = 1;
	assert_int_equal(store_commit(v->s, v->user, c, 2, NULL), E_OBJECT_HANDLE);
	assert_int_equal(a.id, 0);
	assert_int_equal(vault_count(v->s, v->user), 0);
	b.id = 0;
	b.version = 0;
	c[1].kind = CHANGE_CREATE;
	assert_int_equal(store_commit(v->s, v->user, c, 2, NULL), OK);
	assert_true(a.id != 0 && b.id > a.id);
	assert_int_equal(vault_count(v->s, v->user), 2);
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
	record_clear(&a);
	record_clear(&b);
}

static size_t query(const struct vault *v, const struct seal *k, const char *label, const char *id,
		    CK_OBJECT_CLASS cls)
{
	struct span l = span_str(label != NULL ? label : ""), i = span_str(id != NULL ? id : "");
	const struct store_query q = { label != NULL ? &l : NULL, id != NULL ? &i : NULL, cls };
	uint64_t *ids = NULL;
	size_t n = 0;

	assert_int_equal(store_query(v->s, k, &q, &ids, &n), OK);
	for (size_t j = 1; j < n; j++)
		assert_true(ids[j - 1] < ids[j]);
	mem_free(ids);
	return n;
}

static void test_query(void **state)
{
	const struct vault *v = *state;
	const CK_OBJECT_CLASS any = CK_UNAVAILABLE_INFORMATION;

	for (int i = 0; i < 20; i++) {
		char label[32];

		snprintf(label, sizeof(label), "label %d", i / 2);
		vault_must_put(v, i % 2 == 0, label, i < 10 ? "low" : "high");
	}
	assert_int_equal(query(v, v->user, NULL, NULL, any), 20);
	assert_int_equal(query(v, NULL, NULL, NULL, any), 10);
	assert_int_equal(query(v, v->user, "label 3", NULL, any), 2);
	assert_int_equal(query(v, NULL, "label 3", NULL, any), 1);
	assert_int_equal(query(v, v->user, "label 33", NULL, any), 0);
	assert_int_equal(query(v, v->user, NULL, "low", any), 10);
	assert_int_equal(query(v, NULL, NULL, "low", any), 5);
	assert_int_equal(query(v, v->user, NULL, NULL, CKO_PRIVATE_KEY), 10);
	assert_int_equal(query(v, NULL, NULL, NULL, CKO_PRIVATE_KEY), 0);
	assert_int_equal(query(v, v->user, NULL, NULL, CKO_DATA), 10);
	assert_int_equal(query(v, v->user, NULL, NULL, 0x80001234UL), 0);
}

static void test_changes(void **state)
{
	const struct vault *v = *state;
	struct store_info info;
	struct store_delta *d = NULL;
	uint64_t a = vault_must_put(v, false, "a", ""), b = vault_must_put(v, true, "b", ""),
		 now = 0;
	size_t n = 0;

	assert_int_equal(store_info(v->s, &info), OK);
	assert_int_equal(store_changes(v->s, info.changes, &d, &n, &now), OK);
	assert_int_equal(n, 0);
	assert_int_equal(now, info.changes);
	mem_free(d);
	assert_int_equal(vault_relabel(v->s, v->user, b, "bb"), OK);
	assert_int_equal(vault_drop(v->s, v->user, a), OK);
	assert_int_equal(store_changes(v->s, info.changes, &d, &n, &now), OK);
	assert_int_equal(n, 2);
	assert_true(d[0].id == a && d[0].version == 0);
	assert_true(d[1].id == b && d[1].version == 2 && d[1].sight == SIGHT_USER);
	assert_true(now > info.changes);
	mem_free(d);
	/* a counter that is ahead of ours was another file's */
	assert_int_equal(store_changes(v->s, now + 1, &d, &n, &now), OK);
	assert_int_equal(n, 2);
	assert_true(d[0].id == 0 && d[0].version == b + 1 && d[1].id == b);
	mem_free(d);
}

/* Removals are not remembered one by one for ever; who was away for too long is told so. */
static void test_pruned_removals(void **state)
{
	const struct vault *v = *state;
	uint64_t a = vault_must_put(v, false, "a", ""), b = vault_must_put(v, true, "b", ""),
		 now = 0;
	struct store_delta *d = NULL;
	struct store_info info;
	size_t n = 0;

	assert_int_equal(store_info(v->s, &info), OK);
	assert_int_equal(vault_drop(v->s, v->user, a), OK);
	vault_sql(
		v,
		"UPDATE token SET changes = changes + 80000, unsealed = changes + 80000"); /* as if so much had happened since */
	a = vault_must_put(v, false, "c", "");
	assert_int_equal(vault_drop(v->s, v->user, a), OK);
	assert_int_equal(store_changes(v->s, info.changes, &d, &n, &now), OK);
	assert_true(n == 2 && d[0].id == 0 && d[0].version == a + 1 && d[1].id == b);
	mem_free(d);
	/* from the recent past, one by one as before */
	assert_int_equal(store_changes(v->s, now - 1, &d, &n, &now), OK);
	assert_true(n == 1 && d[0].id == a && d[0].version == 0);
	mem_free(d);
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
}

/* What another connection commits is seen, what we commit is not reported as another's. */
static void test_version(void **state)
{
	const struct vault *v = *state;
	struct seal *k2 = NULL;
	struct store *s2 = vault_again(v, &k2);
	uint64_t v1, v2, id;

	assert_int_equal(store_version(v->s, &v1), OK);
	assert_int_equal(vault_put(v->s, v->user, false, "mine", "", NULL), OK);
	assert_int_equal(store_version(v->s, &v2), OK);
	assert_int_equal(v1, v2);
	assert_int_equal(vault_put(s2, k2, true, "theirs", "", &id), OK);
	assert_int_equal(store_version(v->s, &v2), OK);
	assert_int_not_equal(v1, v2);
	assert_int_equal(store_version(v->s, &v1), OK);
	assert_int_equal(v1, v2);
	vault_expect(v->s, v->user, id, "theirs");
	/* also when a read came first */
	assert_int_equal(vault_relabel(s2, k2, id, "changed"), OK);
	vault_expect(v->s, v->user, id, "changed");
	assert_int_equal(store_version(v->s, &v2), OK);
	assert_int_not_equal(v1, v2);
	seal_free(k2);
	store_close(s2);
}

/* Both change the same record: one of them must be told. */
static void test_lost_update(void **state)
{
	const struct vault *v = *state;
	struct seal *k2 = NULL;
	struct store *s2 = vault_again(v, &k2);
	uint64_t id = vault_must_put(v, true, "start", "");
	struct record mine = { 0 }, theirs = { 0 };
	struct store_change c1 = { CHANGE_REPLACE, &mine }, c2 = { CHANGE_REPLACE, &theirs };

	assert_int_equal(store_get(v->s, v->user, id, &mine), OK);
	assert_int_equal(store_get(s2, k2, id, &theirs), OK);
	assert_int_equal(store_commit(v->s, v->user, &c1, 1, NULL), OK);
	assert_int_equal(store_commit(s2, k2, &c2, 1, NULL), E_OBJECT_HANDLE);
	record_clear(&mine);
	record_clear(&theirs);
	seal_free(k2);
	store_close(s2);
}

/* Without a login: public records only, none that is sealed, and what it writes is not taken for verified. */
static void test_without_login(void **state)
{
	struct vault *v = *state;
	uint64_t sealed = vault_must_put(v, false, "sealed", ""), open = 0;
	struct record r = { 0 };
	struct store_change c = { CHANGE_CREATE, &r };

	r = vault_record(CKO_PRIVATE_KEY, true, "p", "", 10);
	assert_int_equal(store_commit(v->s, NULL, &c, 1, NULL), E_NOT_LOGGED_IN);
	record_clear(&r);
	assert_int_equal(vault_drop(v->s, NULL, sealed), E_NOT_LOGGED_IN);
	assert_int_equal(vault_relabel(v->s, NULL, sealed, "x"), E_NOT_LOGGED_IN);
	assert_int_equal(vault_put(v->s, NULL, false, "open", "", &open), OK);
	assert_int_equal(store_get(v->s, v->user, open, &r), OK);
	assert_false(r.verified);
	record_clear(&r);
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
	/* somebody who is logged in seals it by changing it */
	assert_int_equal(vault_relabel(v->s, v->user, open, "now sealed"), OK);
	assert_int_equal(store_get(v->s, v->user, open, &r), OK);
	assert_true(r.verified);
	record_clear(&r);
	assert_int_equal(vault_put(v->s, NULL, false, "open 2", "", &open), OK);
	assert_int_equal(vault_drop(v->s, NULL, open), OK);
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
}

static void test_info(void **state)
{
	const struct vault *v = *state;
	struct store_info info;

	assert_int_equal(store_info(v->s, &info), OK);
	assert_memory_equal(info.label, "test token                      ", 32);
	assert_true(info.user_pin_set && !info.read_only);
	assert_int_equal(info.pin_max, 10);
	assert_int_equal(info.user_failures, 0);
	for (size_t i = 0; i < sizeof(info.serial); i++)
		assert_non_null(strchr("0123456789abcdef", info.serial[i]));
}

static void test_big_record(void **state)
{
	const struct vault *v = *state;
	struct record r = vault_record(CKO_DATA, true, "big", "", (size_t)2 << 20);
	struct store_change c = { CHANGE_CREATE, &r };
	uint64_t id;

	assert_int_equal(store_commit(v->s, v->user, &c, 1, NULL), OK);
	id = r.id;
	record_clear(&r);
	assert_int_equal(store_get(v->s, v->user, id, &r), OK);
	assert_int_equal(attrset_bytes(r.attrs, CKA_VALUE).n, (size_t)2 << 20);
	record_clear(&r);
}

/* ---- events ---- */

struct taken {
	unsigned n, stop_after;
	char last[32];
	uint64_t number, keep;
};

static enum err take_event(void *arg, uint64_t number, struct span event, bool *over)
{
	struct taken *t = arg;

	if (t->n == t->stop_after)
		return E_DEVICE;
	t->n++;
	memcpy(t->last, event.p, event.n);
	t->last[event.n] = '\0';
	t->number = number;
	*over = number != t->keep;
	return OK;
}

/* Its number. */
static uint64_t put_with_event(const struct vault *v, const char *event)
{
	struct store_event ev = { .body = text(event) };
	struct record r = vault_record(CKO_DATA, false, event, "", 10);
	struct store_change c = { CHANGE_CREATE, &r };

	assert_int_equal(store_commit(v->s, v->user, &c, 1, &ev), OK);
	record_clear(&r);
	assert_int_not_equal(ev.number, 0);
	return ev.number;
}

static void test_events(void **state)
{
	struct vault *v = *state;
	struct taken t = { .stop_after = 2 };
	struct record r = { .id = 77, .version = 1 };
	struct store_change c = { CHANGE_REMOVE, &r };

	assert_int_equal(store_events_drain(v->s, take_event, &t), OK);
	put_with_event(v, "one");
	put_with_event(v, "two");
	put_with_event(v, "three");
	/* a change that fails leaves no event */
	assert_int_equal(
		store_commit(v->s, v->user, &c, 1, &(struct store_event){ .body = text("never") }),
		E_OBJECT_HANDLE);
	vault_reopen(v); /* they are durable */
	assert_int_equal(store_events_drain(v->s, take_event, &t), E_DEVICE);
	assert_int_equal(t.n, 2);
	assert_string_equal(t.last, "two");
	t.stop_after = 10;
	assert_int_equal(store_events_drain(v->s, take_event, &t), OK);
	assert_int_equal(t.n, 3);
	assert_string_equal(t.last, "three");
	assert_int_equal(store_events_drain(v->s, take_event, &t), OK);
	assert_int_equal(t.n, 3);
}

/* What is done is not shown again, and is gone after the next change, or the end. */
static void test_events_done(void **state)
{
	struct vault *v = *state;
	struct taken t = { .stop_after = 10 };
	uint64_t one = put_with_event(v, "one"), two, three;
	struct store *other = vault_again(v, NULL);

	store_event_done(v->s, one);
	t.keep = one; /* another process does not know yet */
	assert_int_equal(store_events_drain(other, take_event, &t), OK);
	assert_int_equal(t.n, 1);
	two = put_with_event(v, "two");
	assert_int_equal(two, one + 1);
	t = (struct taken){ .stop_after = 10, .keep = two };
	assert_int_equal(store_events_drain(other, take_event, &t), OK);
	assert_int_equal(t.n, 1);
	assert_string_equal(t.last, "two");
	store_event_done(v->s, two);
	assert_int_equal(store_events_drain(v->s, take_event, &t), OK);
	assert_int_equal(t.n, 1);
	store_event_done(v->s, put_with_event(v, "at the end"));
	vault_reopen(v);
	assert_int_equal(store_events_drain(v->s, take_event, &t), OK);
	assert_int_equal(t.n, 1);
	three = put_with_event(v, "three"); /* numbers go on when nothing is kept */
	assert_int_equal(three, two + 2);
	store_close(other);
}

/* A limit of files' sizes, as a quota, shows at COMMIT. It is no failed disk, and with room all is well. */
static void test_may_not_grow(void **state)
{
	struct vault *v = *state;
	struct rlimit before, now;
	enum err e = OK;
	size_t n = 0;

	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	now = before;
	now.rlim_cur = vault_size(v->db);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
	while (e == OK && n < 1000) {
		e = vault_put(v->s, v->user, true, "x", "", NULL);
		n += e == OK;
	}
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	(void)signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(e, E_DEVICE_MEMORY);
	assert_int_equal(vault_count(v->s, v->user), n);
	vault_must_put(v, true, "after", "");
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, vault_open, vault_close)
		TEST(test_round_trip),      TEST(test_traits),      TEST(test_change_and_remove),
		TEST(test_all_or_none),     TEST(test_query),       TEST(test_changes),
		TEST(test_pruned_removals), TEST(test_version),     TEST(test_lost_update),
		TEST(test_without_login),   TEST(test_info),        TEST(test_big_record),
		TEST(test_events),          TEST(test_events_done), TEST(test_may_not_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
