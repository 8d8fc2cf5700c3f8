/* SPDX-License-Identifier: Apache-2.0 */
/* Formats: an older one is copied and brought up to date, whatever interrupts that; a newer one is refused. */
#include "vault.h"

#include "store/db.h"
#include "store/schema.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Two formats to come. */
static const struct migration steps[] = {
	{ 1, "ALTER TABLE events ADD COLUMN kind INTEGER NOT NULL DEFAULT 7" },
	{ 2, "CREATE TABLE more (x INTEGER); INSERT INTO more SELECT kind FROM events" },
};

static const struct migrations future = { steps, 2, 3 };

static enum err open_as(const struct vault *v, const struct migrations *m, bool read_only,
			struct why *why)
{
	struct db d;
	enum err e = db_open(&d, v->db, read_only, why);

	assert_int_equal(e, OK);
	e = schema_open(&d, v->db, m, why);
	db_close(&d);
	return e;
}

static const char *copy_path(const struct vault *v, unsigned format)
{
	static __thread char path[PATH_MAX];

	assert_true(snprintf(path, sizeof(path), "%s.format-%u", v->db, format) < PATH_MAX);
	return path;
}

static enum err an_event(void *arg, uint64_t number, struct span event, bool *over)
{
	(void)number;
	*over = true;
	(void)event;
	++*(unsigned *)arg;
	return OK;
}

static void put_event(const struct vault *v)
{
	struct record r = vault_record(CKO_DATA, false, "x", "", 3);
	struct store_change c = { CHANGE_CREATE, &r };

	assert_int_equal(
		store_commit(v->s, v->user, &c, 1, &(struct store_event){ .body = text("event") }),
		OK);
	record_clear(&r);
}

static void test_migrate(void **state)
{
	struct vault *v = *state;
	struct why why = { .text = "" };
	struct stat st;
	unsigned n = 0;
	uint64_t version;

	put_event(v);
	assert_int_equal(open_as(v, &future, false, &why), OK);
	assert_int_equal(open_as(v, &future, false, &why), OK); /* nothing more to do */
	/* the copy is the token as it was, with the same mode */
	assert_int_equal(stat(copy_path(v, 1), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(access(copy_path(v, 2), F_OK), -1);
	/* whoever has it open in the old format stops */
	assert_int_equal(store_version(v->s, &version), E_TOKEN_UNKNOWN);
	store_close(v->s);
	v->s = NULL;
	assert_int_equal(store_open(v->dir, 0, &v->policy, &v->s, &why), E_TOKEN_UNKNOWN);
	assert_non_null(strstr(why.text, "newer"));
	vault_copy(copy_path(v, 1), v->db);
	v->s = vault_again(v, NULL);
	assert_int_equal(store_events_drain(v->s, an_event, &n), OK);
	assert_int_equal(n, 1);
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
}

/* A step that fails leaves the old format; a copy of an attempt that did not get through is made anew. */
static void test_failure(void **state)
{
	static const struct migration bad[] = {
		{ 1, "CREATE TABLE more (x INTEGER); INSERT INTO missing VALUES (1)" },
	};
	static const struct migrations wrong = { bad, 1, 2 }, gap = { steps + 1, 1, 3 };
	struct vault *v = *state;
	struct why why = { .text = "" };
	FILE *f = fopen(copy_path(v, 1), "w");

	fputs("half a copy", f);
	fclose(f);
	assert_int_equal(open_as(v, &wrong, false, &why), E_CORRUPT);
	assert_int_not_equal(why.text[0], '\0');
	assert_int_equal(open_as(v, &gap, false, &why), E_TOKEN_UNKNOWN);
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
	vault_must_put(v, true, "goes on", "");
	assert_int_equal(open_as(v, &future, false, &why), OK);
	assert_true(vault_size(copy_path(v, 1)) >= 4096);
}

static void test_read_only(void **state)
{
	struct vault *v = *state;
	struct why why = { .text = "" };

	assert_int_equal(open_as(v, &future, true, &why), E_TOKEN_UNKNOWN);
	assert_non_null(strstr(why.text, "old format"));
	assert_int_equal(open_as(v, &schema_migrations, true, &why), OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, vault_open, vault_close)
		TEST(test_migrate),
		TEST(test_failure),
		TEST(test_read_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
