/* SPDX-License-Identifier: Apache-2.0 */
/* Records that are not private and yet sealed (SIGHT_LOGIN): who finds them, what lies in the file, what is noticed. */
#include "vault.h"

#include "base/mem.h"
#include "store/record.h"
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define LABEL "the wrapping key"
#define VALUE "sixteen bytes, or more, that must not lie there in the clear"

static struct record sealed_record(enum sight sight)
{
	struct record r = vault_record(CKO_SECRET_KEY, false, LABEL, "07", 1);

	r.sight = sight;
	assert_int_equal(attrset_put(r.attrs, CKA_VALUE, text(VALUE)), OK);
	return r;
}

static enum err put(struct store *s, const struct seal *k, enum sight sight, uint64_t *id)
{
	struct record r = sealed_record(sight);
	struct store_change c = { CHANGE_CREATE, &r };
	enum err e = store_commit(s, k, &c, 1, NULL);

	*id = r.id;
	record_clear(&r);
	return e;
}

static enum err get(struct store *s, const struct seal *k, uint64_t id)
{
	struct record r = { 0 };
	enum err e = store_get(s, k, id, &r);

	if (e == OK) {
		assert_true(r.verified);
		assert_true(span_eq(attrset_bytes(r.attrs, CKA_VALUE), text(VALUE)));
	}
	record_clear(&r);
	return e;
}

static size_t found(struct store *s, const struct seal *k, struct store_query q)
{
	uint64_t *ids = NULL;
	size_t n = 0;

	assert_int_equal(store_query(s, k, &q, &ids, &n), OK);
	mem_free(ids);
	return n;
}

/* By every way there is. */
static void expect_found(struct store *s, const struct seal *k, size_t n)
{
	const struct span label = text(LABEL), id = text("07");
	const CK_OBJECT_CLASS any = CK_UNAVAILABLE_INFORMATION;

	assert_int_equal(found(s, k, (struct store_query){ .label = &label, .cls = any }), n);
	assert_int_equal(found(s, k, (struct store_query){ .id = &id, .cls = any }), n);
	assert_int_equal(found(s, k, (struct store_query){ .cls = CKO_SECRET_KEY }), n);
	assert_int_equal(found(s, k, (struct store_query){ .cls = any }), n);
}

static bool file_has(const char *path, const char *needle)
{
	size_t n = vault_size(path), k = strlen(needle);
	char *p = malloc(n);
	FILE *f = fopen(path, "rb");
	bool has = false;

	assert_true(p != NULL && f != NULL);
	assert_int_equal(fread(p, 1, n, f), n);
	fclose(f);
	for (size_t i = 0; !has && i + k <= n; i++)
		has = memcmp(p + i, needle, k) == 0;
	free(p);
	return has;
}

static void test_sight(void **state)
{
	struct vault *v = *state;
	struct seal *so = vault_login(v->s, STORE_SO, SO_PIN);
	struct store_delta *d = NULL;
	uint64_t id, priv, now;
	size_t n = 0;

	assert_int_equal(put(v->s, NULL, SIGHT_LOGIN, &id), E_NOT_LOGGED_IN);
	assert_int_equal(put(v->s, so, SIGHT_LOGIN, &id), OK);
	assert_false(file_has(v->db, VALUE));
	assert_false(file_has(v->db, LABEL));
	expect_found(v->s, NULL, 0);
	expect_found(v->s, so, 1);
	expect_found(v->s, v->user, 1);
	assert_int_equal(get(v->s, NULL, id), E_OBJECT_HANDLE);
	assert_int_equal(get(v->s, so, id), OK);
	assert_int_equal(get(v->s, v->user, id), OK);
	/* a private one is the user's alone */
	assert_int_equal(put(v->s, v->user, SIGHT_USER, &priv), OK);
	expect_found(v->s, so, 1);
	expect_found(v->s, v->user, 2);
	assert_int_equal(store_changes(v->s, 0, &d, &n, &now), OK);
	assert_int_equal(n, 2);
	assert_true(d[0].sight == SIGHT_LOGIN && d[1].sight == SIGHT_USER);
	mem_free(d);
	assert_int_equal(vault_findings(v->s, so, false), 0);
	seal_free(so);
}

static uint64_t number(sqlite3_stmt *q, int at)
{
	return (uint64_t)sqlite3_column_int64(q, at);
}

/* How many records of this sight have an index that anybody can compute who has the file and guesses the label or the id. */
static unsigned guessed(const struct vault *v, enum sight sight)
{
	uint64_t label = 0, id = 0;
	unsigned n = 0;
	sqlite3_stmt *q = NULL;
	sqlite3 *c = NULL;

	assert_int_equal(sqlite3_open_v2(v->db, &c, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(
		sqlite3_prepare_v2(c, "SELECT salt, label_ix, id_ix, sight FROM token, objects", -1,
				   &q, NULL),
		SQLITE_OK);
	while (sqlite3_step(q) == SQLITE_ROW) {
		const uint8_t *salt = sqlite3_column_blob(q, 0);

		assert_int_equal(record_index(salt, CKA_LABEL, text(LABEL), &label), OK);
		assert_int_equal(record_index(salt, CKA_ID, text("07"), &id), OK);
		if (number(q, 3) == sight)
			n += (number(q, 1) == label ? 1U : 0U) + (number(q, 2) == id ? 1U : 0U);
	}
	sqlite3_finalize(q);
	sqlite3_close(c);
	return n;
}

/* What is not for all cannot be recognised in the file by its label or id either. */
static void test_index_needs_the_key(void **state)
{
	struct vault *v = *state;
	uint64_t id;

	for (enum sight sight = SIGHT_ALL; sight <= SIGHT_USER; sight++)
		assert_int_equal(put(v->s, v->user, sight, &id), OK);
	expect_found(v->s, v->user, 3);
	assert_int_equal(guessed(v, SIGHT_ALL), 2); /* so this is how it would be computed */
	assert_int_equal(guessed(v, SIGHT_LOGIN), 0);
	assert_int_equal(guessed(v, SIGHT_USER), 0);
}

/* A key that is made sensitive later was there for all until then. */
static void test_becomes_sealed(void **state)
{
	struct vault *v = *state;
	struct record r = { 0 };
	struct store_change c = { CHANGE_REPLACE, &r };
	uint64_t id;

	assert_int_equal(put(v->s, v->user, SIGHT_ALL, &id), OK);
	assert_true(file_has(v->db, VALUE)); /* so the search finds what is there */
	expect_found(v->s, NULL, 1);
	assert_int_equal(store_get(v->s, v->user, id, &r), OK);
	r.sight = SIGHT_LOGIN;
	assert_int_equal(store_commit(v->s, NULL, &c, 1, NULL), E_NOT_LOGGED_IN);
	assert_int_equal(store_commit(v->s, v->user, &c, 1, NULL), OK);
	record_clear(&r);
	expect_found(v->s, NULL, 0);
	expect_found(v->s, v->user, 1);
	assert_false(file_has(v->db, VALUE));
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
}

/* Its kind is as much part of it as its content, in which CKA_TRUSTED is. */
static void test_altered(void **state)
{
	static const char *const alter[] = {
		"sight = 0",
		"sight = 2",
		"sight = 3",
		"sight = 0, tag = x''",
		"label_ix = label_ix + 1",
		"cls = 4 - cls",
		"version = 2",
		"blob = substr(blob, 1, 40) || x'00' || substr(blob, 42)",
		"tag = x''",
	};
	struct vault *v = *state;
	char saved[PATH_MAX], sql[200];
	uint64_t id;

	assert_int_equal(put(v->s, v->user, SIGHT_LOGIN, &id), OK);
	assert_true(snprintf(saved, sizeof(saved), "%s/saved", v->dir) < PATH_MAX);
	vault_copy(v->db, saved);
	for (size_t i = 0; i < sizeof(alter) / sizeof(alter[0]); i++) {
		snprintf(sql, sizeof(sql), "UPDATE objects SET %s", alter[i]);
		vault_sql(v, sql);
		if (get(v->s, v->user, id) != E_CORRUPT)
			fail_msg("%s is not noticed", alter[i]);
		assert_int_not_equal(get(v->s, NULL, id), OK);
		assert_true(vault_findings(v->s, v->user, true) >= 1);
		store_close(v->s);
		vault_copy(saved, v->db);
		v->s = vault_again(v, NULL);
		assert_int_equal(get(v->s, v->user, id), OK);
	}
}

static void test_backup(void **state)
{
	struct vault *v = *state;
	char backup[PATH_MAX], other[PATH_MAX];
	struct store *s = NULL;
	struct seal *so;
	uint64_t id;

	assert_int_equal(put(v->s, v->user, SIGHT_LOGIN, &id), OK);
	assert_true(snprintf(backup, sizeof(backup), "%s/token.backup", v->dir) < PATH_MAX);
	assert_true(snprintf(other, sizeof(other), "%s/other", v->dir) < PATH_MAX);
	assert_int_equal(store_backup(v->s, text(PASSPHRASE), backup, NULL), OK);
	assert_int_equal(store_restore(other, 3, &v->policy, text(PASSPHRASE), backup, NULL, NULL),
			 OK);
	assert_int_equal(store_open(other, 3, &v->policy, &s, NULL), OK);
	so = vault_login(s, STORE_SO, SO_PIN);
	expect_found(s, NULL, 0);
	expect_found(s, so, 1);
	assert_int_equal(get(s, so, id), OK);
	assert_int_equal(vault_findings(s, so, false), 0);
	seal_free(so);
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, vault_open, vault_close)
		TEST(test_sight),          TEST(test_index_needs_the_key),
		TEST(test_becomes_sealed), TEST(test_altered),
		TEST(test_backup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
