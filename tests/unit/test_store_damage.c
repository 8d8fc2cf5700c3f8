/* SPDX-License-Identifier: Apache-2.0 */
/* Files that were damaged or altered: always an error and a finding, never other content, never a crash. */
#include "vault.h"

#include "base/mem.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Two private and two public records; ids 1 to 4. */
static void fill(struct vault *v)
{
	vault_must_put(v, true, "private one", "01");
	vault_must_put(v, false, "public one", "02");
	vault_must_put(v, true, "private two", "03");
	vault_must_put(v, false, "public two", "04");
}

static void save_as(const struct vault *v, const char *name, char path[PATH_MAX])
{
	assert_true(snprintf(path, PATH_MAX, "%s/%s", v->dir, name) < PATH_MAX);
	vault_copy(v->db, path);
}

static void save(const struct vault *v, char path[PATH_MAX])
{
	save_as(v, "saved.db", path);
}

static enum err get(struct store *s, const struct seal *k, uint64_t id)
{
	struct record r = { 0 };
	enum err e = store_get(s, k, id, &r);

	record_clear(&r);
	return e;
}

static enum err enumerate(struct store *s, const struct seal *k)
{
	const struct store_query q = { .cls = CK_UNAVAILABLE_INFORMATION };
	uint64_t *ids = NULL;
	size_t n = 0;
	enum err e = store_query(s, k, &q, &ids, &n);

	mem_free(ids);
	return e;
}

/* ---- rows that do not open ---- */

static void test_columns_of_objects(void **state)
{
	static const char *const alter[] = {
		"version = version + 1",
		"changed = changed + 1",
		"sight = 2 - sight",
		"sight = 1",
		"sight = 3",
		"cls = cls + 1",
		"label_ix = label_ix + 1",
		"id_ix = id_ix + 1",
		"tag = zeroblob(length(tag))",
		"tag = substr(tag, 2)",
		"tag = 'text'",
		"blob = zeroblob(length(blob))",
		"blob = substr(blob, 1, length(blob) - 1)",
		"blob = blob || x'00'",
		"blob = x''",
		"blob = 17",
	};
	struct vault *v = *state;
	char saved[PATH_MAX], sql[200];

	fill(v);
	save(v, saved);
	for (size_t i = 0; i < sizeof(alter) / sizeof(alter[0]); i++) {
		for (uint64_t id = 1; id <= 2; id++) {
			snprintf(sql, sizeof(sql), "UPDATE objects SET %s WHERE id = %d", alter[i],
				 (int)id);
			vault_sql(v, sql);
			assert_int_equal(get(v->s, v->user, id), E_CORRUPT);
			assert_int_equal(get(v->s, v->user, id + 2), OK);
			assert_true(vault_findings(v->s, v->user, true) >= 1);
			store_close(v->s);
			vault_copy(saved, v->db);
			v->s = vault_again(v, NULL);
			assert_int_equal(vault_findings(v->s, v->user, false), 0);
		}
	}
}

static void test_rows_move(void **state)
{
	struct vault *v = *state;

	fill(v);
	/* contents of two rows exchanged */
	vault_sql(v, "CREATE TABLE x AS SELECT * FROM objects;"
		     "UPDATE objects SET tag = (SELECT tag FROM x WHERE x.id = 4 - objects.id),"
		     " blob = (SELECT blob FROM x WHERE x.id = 4 - objects.id) WHERE id IN (1, 3);"
		     "DROP TABLE x");
	assert_int_equal(get(v->s, v->user, 1), E_CORRUPT);
	assert_int_equal(get(v->s, v->user, 3), E_CORRUPT);
	/* a public record in place of a private one */
	vault_sql(
		v,
		"UPDATE objects SET sight = 0, tag = x'', blob = (SELECT blob FROM objects WHERE id = 2)"
		" WHERE id = 1");
	assert_int_equal(get(v->s, NULL, 1), OK); /* nobody is logged in who could tell */
	assert_true(vault_findings(v->s, v->user, true) >= 1);
	assert_int_equal(enumerate(v->s, v->user), E_CORRUPT);
}

/* ---- rows that open, but are not what should be there ---- */

static void test_root(void **state)
{
	static const char *const alter[] = {
		"DELETE FROM objects WHERE id = 1",
		"DELETE FROM objects WHERE id = 2",
		"DELETE FROM objects",
		/* set back to an earlier version */
		"INSERT OR REPLACE INTO objects SELECT * FROM old.objects WHERE id = 1",
		"INSERT OR REPLACE INTO objects SELECT * FROM old.objects WHERE id = 2",
		/* removed before, and back again */
		"INSERT INTO objects SELECT * FROM old.objects WHERE id = 4",
		/* the seal taken off a public one */
		"UPDATE objects SET tag = x'' WHERE id = 2",
		/* the whole state set back, but not the objects */
		"UPDATE token SET sealed = (SELECT sealed FROM old.token)",
	};
	struct vault *v = *state;
	char old[PATH_MAX], now[PATH_MAX], sql[PATH_MAX + 400];

	fill(v);
	save(v, old);
	assert_int_equal(vault_relabel(v->s, v->user, 1, "changed"), OK);
	assert_int_equal(vault_relabel(v->s, v->user, 2, "changed"), OK);
	assert_int_equal(vault_drop(v->s, v->user, 4), OK);
	save_as(v, "now.db", now);
	for (size_t i = 0; i < sizeof(alter) / sizeof(alter[0]); i++) {
		snprintf(sql, sizeof(sql), "ATTACH '%s' AS old; %s", old, alter[i]);
		vault_sql(v, sql);
		for (uint64_t id = 1; id <= 4; id++)
			assert_int_not_equal(get(v->s, v->user, id), E_CORRUPT);
		assert_int_equal(enumerate(v->s, v->user), E_CORRUPT);
		assert_int_equal(vault_findings(v->s, v->user, true), 1);
		/* a single object, where it was left, is still found and opened */
		assert_int_equal(get(v->s, v->user, 3), i == 2 ? E_OBJECT_HANDLE : OK);
		store_close(v->s);
		vault_copy(now, v->db);
		v->s = vault_again(v, NULL);
		assert_int_equal(enumerate(v->s, v->user), OK);
	}
}

/* ---- rows that no search finds any more ---- */

/* Notes which of the objects 1 to 4 a finding names. */
static void note_named(void *arg, bool bad, const char *what)
{
	bool *named = arg;
	unsigned long long id;

	if (bad && sscanf(what, "object %llu ", &id) == 1 && id >= 1 && id <= 4)
		named[id - 1] = true;
}

static void expect_named(const struct vault *v, uint64_t a, uint64_t b)
{
	bool named[4] = { false };

	assert_int_equal(store_check(v->s, v->user, note_named, named), E_CORRUPT);
	for (uint64_t id = 1; id <= 4; id++)
		assert_int_equal(named[id - 1], id == a || id == b);
}

static void test_hidden(void **state)
{
	static const char *const alter[] = {
		"sight = 9",         "sight = -1",    "sight = 2 - sight",
		"sight = 1",         "cls = cls + 1", "label_ix = label_ix + 1",
		"id_ix = 1 + id_ix",
	};
	struct vault *v = *state;
	char saved[PATH_MAX], sql[200];

	fill(v);
	save(v, saved);
	for (size_t i = 0; i < sizeof(alter) / sizeof(alter[0]); i++) {
		snprintf(sql, sizeof(sql), "UPDATE objects SET %s WHERE id IN (1, 2)", alter[i]);
		vault_sql(v, sql);
		assert_int_equal(enumerate(v->s, v->user), E_CORRUPT);
		expect_named(v, 1, 2);
		assert_int_equal(get(v->s, v->user, 3), OK);
		assert_int_equal(get(v->s, v->user, 4), OK);
		store_close(v->s);
		vault_copy(saved, v->db);
		v->s = vault_again(v, NULL);
		assert_int_equal(enumerate(v->s, v->user), OK);
	}
}

/* Others that follow the changes are told that it is gone, and of all the others. */
static void test_hidden_among_changes(void **state)
{
	struct vault *v = *state;
	struct store_delta *d = NULL;
	uint64_t now = 0;
	size_t n = 0;

	fill(v);
	vault_sql(v, "UPDATE objects SET sight = 9 WHERE id = 2");
	assert_int_equal(store_changes(v->s, 0, &d, &n, &now), OK);
	assert_int_equal(n, 4);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(d[i].version, d[i].id == 2 ? 0 : 1);
	mem_free(d);
}

/* Its maker read it before it was altered: the change is refused, and the root stays that of what was sealed. */
static void test_altered_not_changed(void **state)
{
	struct vault *v = *state;
	struct record r = { 0 };
	struct store_change c = { CHANGE_REPLACE, &r };

	fill(v);
	assert_int_equal(store_get(v->s, v->user, 1, &r), OK);
	vault_sql(v, "UPDATE objects SET label_ix = label_ix + 1 WHERE id = 1");
	assert_int_equal(store_commit(v->s, v->user, &c, 1, NULL), E_CORRUPT);
	assert_int_equal(r.version, 1);
	vault_sql(v, "UPDATE objects SET label_ix = label_ix - 1 WHERE id = 1");
	assert_int_equal(store_commit(v->s, v->user, &c, 1, NULL), OK);
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
	record_clear(&r);
}

/* ---- rows that others put in ---- */

static void reopen_as(struct vault *v, bool public_write)
{
	v->policy.public_write = public_write;
	vault_reopen(v);
}

static void test_foreign_row(void **state)
{
	struct vault *v = *state;

	fill(v);
	vault_sql(v,
		  "UPDATE token SET next_id = 6;"
		  "INSERT INTO objects SELECT 5, 1, changed, sight, cls, label_ix, id_ix, x'', blob"
		  " FROM objects WHERE id = 2");
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
	reopen_as(v, false);
	assert_int_equal(vault_findings(v->s, v->user, true), 1);
	assert_int_equal(vault_findings(v->s, NULL, true), 1);
	vault_sql(v, "DELETE FROM objects WHERE id = 5");
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
}

static enum sight private_is_sealed(const struct attrset *attrs)
{
	return attrset_bool(attrs, CKA_PRIVATE, false) ? SIGHT_USER : SIGHT_ALL;
}

/* Sealed as it is, but in another place than its attributes say. */
static void test_sight_of_attributes(void **state)
{
	struct vault *v = *state;
	struct record r = vault_record(CKO_DATA, true, "in the open", "", 3);
	struct store_change c = { CHANGE_CREATE, &r };

	fill(v);
	v->policy.sight = private_is_sealed;
	vault_reopen(v);
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
	r.sight = SIGHT_ALL;
	assert_int_equal(store_commit(v->s, v->user, &c, 1, NULL), OK);
	record_clear(&r);
	assert_int_equal(vault_findings(v->s, v->user, true), 1);
}

static void test_unsealed_hiding(void **state)
{
	struct vault *v = *state;

	fill(v);
	/* a row under an index that nobody asks for */
	vault_sql(v, "UPDATE objects SET tag = x'', label_ix = 5 WHERE id = 2");
	assert_true(vault_findings(v->s, NULL, true) >= 1);
}

/* ---- the token's own rows ---- */

static void test_columns_of_token(void **state)
{
	static const struct {
		const char *set;
		enum err open, login;
	} alter[] = {
		{ "serial = x'00'", E_CORRUPT, 0 },
		{ "serial = zeroblob(16)", OK, E_CORRUPT }, /* the PIN's row is bound to it */
		{ "generation = zeroblob(16)", OK, E_CORRUPT },
		{ "label = zeroblob(32)", OK, E_CORRUPT },
		{ "label = 'text'", E_CORRUPT, 0 },
		{ "salt = x''", E_CORRUPT, 0 },
		{ "changes = 0", OK, E_CORRUPT },
		{ "changes = -1", E_CORRUPT, 0 },
		{ "next_id = -5", E_CORRUPT, 0 },
		{ "pruned = changes + 1", E_CORRUPT, 0 },
		{ "sealed = zeroblob(180)", OK, E_CORRUPT },
		{ "sealed = x'1234'", E_CORRUPT, 0 },
		{ "one = 1, changes = 'x'", E_CORRUPT, 0 },
	};
	struct vault *v = *state;
	char saved[PATH_MAX], sql[200];

	fill(v);
	save(v, saved);
	store_close(v->s);
	v->s = NULL;
	for (size_t i = 0; i < sizeof(alter) / sizeof(alter[0]); i++) {
		struct why why = { .text = "" };

		vault_copy(saved, v->db);
		snprintf(sql, sizeof(sql), "UPDATE token SET %s", alter[i].set);
		vault_sql(v, sql);
		assert_int_equal(store_open(v->dir, 0, &v->policy, &v->s, &why), alter[i].open);
		if (alter[i].open == OK) {
			assert_int_equal(store_login(v->s, STORE_USER, text(USER_PIN), NULL),
					 alter[i].login);
			store_close(v->s);
		} else {
			assert_int_not_equal(why.text[0], '\0');
		}
		v->s = NULL;
	}
}

/* A damaged row is told from a wrong PIN, and uses up no tries. */
static void test_columns_of_pins(void **state)
{
	static const char *const alter[] = {
		"kdf = 2",           "kdf = 3, cost = 0, passes = 0",
		"cost = cost + 1",   "passes = 0",
		"salt = x''",        "salt = zeroblob(16)",
		"wrapped = x''",     "wrapped = zeroblob(60)",
		"sum = zeroblob(8)", "cost = 4294967296",
		"failures = 'x'",
	};
	struct vault *v = *state;
	char saved[PATH_MAX], sql[200];

	save(v, saved);
	for (size_t i = 0; i < sizeof(alter) / sizeof(alter[0]); i++) {
		snprintf(sql, sizeof(sql), "UPDATE pins SET %s WHERE user = 0", alter[i]);
		vault_sql(v, sql);
		for (int j = 0; j < 12; j++)
			assert_int_equal(store_login(v->s, STORE_USER, text(USER_PIN), NULL),
					 E_CORRUPT);
		assert_true(vault_findings(v->s, NULL, true) >= 1);
		assert_int_equal(store_login(v->s, STORE_SO, text(SO_PIN), NULL), OK);
		store_close(v->s);
		vault_copy(saved, v->db);
		v->s = vault_again(v, NULL);
	}
	vault_sql(v, "DELETE FROM pins WHERE user = 1");
	assert_int_equal(store_login(v->s, STORE_SO, text(SO_PIN), NULL), E_CORRUPT);
}

/* ---- the database around them ---- */

static void test_foreign_schema(void **state)
{
	struct vault *v = *state;

	fill(v);
	vault_sql(v, "CREATE TRIGGER t AFTER INSERT ON objects BEGIN DELETE FROM pins; END");
	vault_must_put(v, true, "three", "");
	assert_int_equal(store_login(v->s, STORE_USER, text(USER_PIN), NULL),
			 OK); /* it did not run */
	assert_true(vault_findings(v->s, v->user, true) >= 1);
	vault_sql(v, "DROP TRIGGER t");
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
	vault_sql(v, "CREATE VIEW w AS SELECT * FROM pins");
	assert_true(vault_findings(v->s, v->user, true) >= 1);
	vault_sql(v, "DROP VIEW w; DROP INDEX objects_label");
	assert_true(vault_findings(v->s, v->user, true) >= 1);
}

static enum err open_file(struct vault *v, struct why *why)
{
	struct store *s = NULL;
	enum err e;

	why->text[0] = '\0';
	e = store_open(v->dir, 0, &v->policy, &s, why);
	if (e != OK)
		assert_int_not_equal(why->text[0], '\0');
	store_close(s);
	return e;
}

static void test_whole_files(void **state)
{
	struct vault *v = *state;
	char saved[PATH_MAX];
	struct why why;
	int fd;

	fill(v);
	save(v, saved);
	store_close(v->s);
	v->s = NULL;
	vault_sql(v, "PRAGMA user_version = 2");
	assert_int_equal(open_file(v, &why), E_TOKEN_UNKNOWN);
	assert_non_null(strstr(why.text, "newer"));
	vault_copy(saved, v->db);
	vault_sql(v, "PRAGMA application_id = 7");
	assert_int_equal(open_file(v, &why), E_CORRUPT);
	vault_copy(saved, v->db);
	vault_sql(v, "DROP TABLE token");
	assert_int_equal(open_file(v, &why), E_CORRUPT);
	/* of a build before the first release */
	vault_copy(saved, v->db);
	vault_sql(v, "ALTER TABLE token RENAME COLUMN unsealed TO other");
	assert_int_equal(open_file(v, &why), E_CORRUPT);
	assert_non_null(strstr(why.text, "unreleased build"));
	assert_int_equal(truncate(v->db, 0), 0);
	assert_int_equal(open_file(v, &why), E_CORRUPT);
	vault_copy(saved, v->db);
	assert_int_equal(truncate(v->db, 5000), 0);
	assert_int_not_equal(open_file(v, &why), OK);
	fd = open(v->db, O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, "this is no database, though it is long enough", 45), 45);
	close(fd);
	assert_int_equal(open_file(v, &why), E_CORRUPT);
	vault_copy(saved, v->db);
	assert_int_equal(open_file(v, &why), OK);
}

/* A newer version has migrated the token while we had it open: this one stops. */
static void test_newer_while_open(void **state)
{
	struct vault *v = *state;
	uint64_t version;

	fill(v);
	vault_sql(v, "PRAGMA user_version = 2");
	assert_int_equal(vault_put(v->s, v->user, true, "x", "", NULL), E_TOKEN_UNKNOWN);
	assert_int_equal(get(v->s, v->user, 1), E_TOKEN_UNKNOWN);
	assert_int_equal(store_version(v->s, &version), E_TOKEN_UNKNOWN);
}

/* ---- any byte ---- */

struct content {
	enum err open, login;
	enum err got[4];
	bool same[4];
	size_t bad;
};

static const char *const labels[] = { "private one", "public one", "private two", "public two" };

static void read_all(struct vault *v, struct content *c)
{
	struct store *s = NULL;
	struct seal *k = NULL;

	memset(c, 0, sizeof(*c));
	c->open = store_open(v->dir, 0, &v->policy, &s, NULL);
	if (c->open != OK)
		return;
	c->login = store_login(s, STORE_USER, text(USER_PIN), &k);
	for (uint64_t i = 0; c->login == OK && i < 4; i++) {
		struct record r = { 0 };

		c->got[i] = store_get(s, k, i + 1, &r);
		if (c->got[i] == OK)
			c->same[i] = span_eq(attrset_bytes(r.attrs, CKA_LABEL), text(labels[i])) &&
				     r.version == 1 && r.verified &&
				     (r.sight == SIGHT_USER) == (i % 2 == 0);
		record_clear(&r);
	}
	if (c->login == OK)
		c->bad = vault_findings(s, k, true);
	seal_free(k);
	store_close(s);
}

/* Nothing wrong was read as right; and if anything could not be read, the check says so. */
static void judge(const struct content *c, size_t at)
{
	bool lost = false;

	if (c->open != OK || c->login != OK)
		return;
	for (int i = 0; i < 4; i++) {
		if (c->got[i] == OK && !c->same[i])
			fail_msg("byte %zu: other content was taken for genuine", at);
		lost = lost || c->got[i] != OK;
	}
	if (lost && c->bad == 0)
		fail_msg("byte %zu: an object is lost, and the check found nothing", at);
}

static void test_bytes(void **state)
{
	struct vault *v = *state;
	char saved[PATH_MAX];
	const char *all = getenv("CHANCERY_TEST_LONG");
	struct content c;
	size_t size, step = all != NULL ? 1 : 211;

	fill(v);
	save(v, saved);
	store_close(v->s);
	v->s = NULL;
	size = vault_size(saved);
	for (size_t at = 0; at < size; at += step) {
		uint8_t byte;
		int fd;

		vault_copy(saved, v->db);
		fd = open(v->db, O_RDWR);
		assert_int_equal(pread(fd, &byte, 1, (off_t)at), 1);
		byte ^= (uint8_t)(1U << (at % 8));
		assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
		close(fd);
		read_all(v, &c);
		judge(&c, at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, vault_open, vault_close)
		TEST(test_columns_of_objects),
		TEST(test_rows_move),
		TEST(test_root),
		TEST(test_hidden),
		TEST(test_hidden_among_changes),
		TEST(test_altered_not_changed),
		TEST(test_foreign_row),
		TEST(test_sight_of_attributes),
		TEST(test_unsealed_hiding),
		TEST(test_columns_of_token),
		TEST(test_columns_of_pins),
		TEST(test_foreign_schema),
		TEST(test_whole_files),
		TEST(test_newer_while_open),
		TEST(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
