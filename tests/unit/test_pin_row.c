/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of PINs: what they may ask for, a damaged one, and what holds while a try is under way (what happens in the
 * middle of it is brought about where the KDF would run).
 */
#include "vault.h"

#include "store/inside.h"
#include "store/pinkey.h"
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

/* ---- the KDF's place ---- */

static void (*happens)(const struct vault *v);
static const struct vault *where;
static enum err answer; /* in place of the KDF's, unless OK */

enum err __real_pinkey_open(const struct pinkey *pk, const struct ident *ident, enum store_user u,
			    struct span pin, struct seal **k);
enum err __wrap_pinkey_open(const struct pinkey *pk, const struct ident *ident, enum store_user u,
			    struct span pin, struct seal **k);
enum err __wrap_pinkey_open(const struct pinkey *pk, const struct ident *ident, enum store_user u,
			    struct span pin, struct seal **k)
{
	void (*f)(const struct vault *v) = happens;

	happens = NULL;
	if (f != NULL)
		f(where);
	return answer != OK ? answer : __real_pinkey_open(pk, ident, u, pin, k);
}

static int open_vault(void **state)
{
	happens = NULL;
	answer = OK;
	return vault_open(state);
}

static enum err try_login(struct store *s, enum store_user u, const char *pin)
{
	return store_login(s, u, text(pin), NULL);
}

static uint32_t failures(struct store *s)
{
	struct store_info info;

	assert_int_equal(store_info(s, &info), OK);
	return info.user_failures;
}

/* ---- what a row may ask for ---- */

static void test_sane(void **state)
{
	static const struct {
		struct pinkey row;
		bool sane;
	} rows[] = {
		{ { .kdf = KDF_HKDF }, true },
		{ { .kdf = KDF_HKDF, .cost = 1 }, false },
		{ { .kdf = KDF_HKDF, .passes = 1 }, false },
		{ { .kdf = KDF_PBKDF2, .cost = 1 }, true },
		{ { .kdf = KDF_PBKDF2, .cost = 0 }, false },
		{ { .kdf = KDF_PBKDF2, .cost = PINKEY_ITERATIONS_MAX }, true },
		{ { .kdf = KDF_PBKDF2, .cost = PINKEY_ITERATIONS_MAX + 1 }, false },
		{ { .kdf = KDF_PBKDF2, .cost = 1000, .passes = 1 }, false },
		{ { .kdf = KDF_ARGON2ID, .cost = 8, .passes = 1 }, true },
		{ { .kdf = KDF_ARGON2ID, .cost = 7, .passes = 1 }, false },
		{ { .kdf = KDF_ARGON2ID, .cost = PINKEY_KIB_MAX, .passes = PINKEY_PASSES_MAX },
		  true },
		{ { .kdf = KDF_ARGON2ID, .cost = PINKEY_KIB_MAX + 1, .passes = 1 }, false },
		{ { .kdf = KDF_ARGON2ID, .cost = UINT32_MAX, .passes = 1 }, false },
		{ { .kdf = KDF_ARGON2ID, .cost = 8, .passes = 0 }, false },
		{ { .kdf = KDF_ARGON2ID, .cost = 8, .passes = PINKEY_PASSES_MAX + 1 }, false },
		{ { .kdf = 99, .cost = 8, .passes = 1 }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(pinkey_sane(&rows[i].row), rows[i].sane);
}

/* The user's row as it is stored. */
static struct pinkey row_of(const struct vault *v)
{
	struct pinkey pk = { .kdf = 0 };
	sqlite3 *c = NULL;
	sqlite3_stmt *st = NULL;

	assert_int_equal(sqlite3_open_v2(v->db, &c, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(c,
					    "SELECT kdf, cost, passes, salt, wrapped FROM pins "
					    "WHERE user = 0",
					    -1, &st, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	pk.kdf = (uint32_t)sqlite3_column_int64(st, 0);
	pk.cost = (uint32_t)sqlite3_column_int64(st, 1);
	pk.passes = (uint32_t)sqlite3_column_int64(st, 2);
	assert_int_equal(sqlite3_column_bytes(st, 3), sizeof(pk.salt));
	memcpy(pk.salt, sqlite3_column_blob(st, 3), sizeof(pk.salt));
	assert_int_equal(sqlite3_column_bytes(st, 4), sizeof(pk.wrapped));
	memcpy(pk.wrapped, sqlite3_column_blob(st, 4), sizeof(pk.wrapped));
	sqlite3_finalize(st);
	sqlite3_close(c);
	return pk;
}

/* The user's row asks for this much, and its sum is right: who can write to the file can compute it. */
static void ask_for(const struct vault *v, uint32_t cost, uint32_t passes)
{
	struct pinkey pk = row_of(v);
	uint8_t sum[PINKEY_SUM];
	char sql[200], hex[2 * PINKEY_SUM + 1];

	pk.cost = cost;
	pk.passes = passes;
	assert_int_equal(pinkey_sum(&pk, &v->s->ident, STORE_USER, sum), OK);
	for (size_t i = 0; i < sizeof(sum); i++)
		snprintf(hex + 2 * i, 3, "%02x", sum[i]);
	snprintf(sql, sizeof(sql),
		 "UPDATE pins SET cost = %u, passes = %u, sum = x'%s' WHERE user = 0", cost, passes,
		 hex);
	vault_sql(v, sql);
}

/* 4 TiB, or passes for days: refused before anything is allocated or charged, and the other PIN works. */
static void test_asks_for_much(void **state)
{
	static const struct {
		uint32_t cost, passes;
	} much[] = { { UINT32_MAX, 1 }, { PINKEY_KIB_MAX + 1, 1 }, { 8, UINT32_MAX } };
	struct vault *v = *state;

	for (size_t i = 0; i < sizeof(much) / sizeof(much[0]); i++) {
		const time_t before = time(NULL);

		ask_for(v, much[i].cost, much[i].passes);
		assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), E_CORRUPT);
		assert_true(time(NULL) - before < 5);
		assert_int_equal(try_login(v->s, STORE_SO, SO_PIN), OK);
	}
}

/* ---- a damaged row ---- */

static void test_damaged_alone(void **state)
{
	struct vault *v = *state;
	struct store *other;
	struct store_info info;

	vault_sql(v, "UPDATE pins SET wrapped = zeroblob(length(wrapped)) WHERE user = 0");
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), E_CORRUPT);
	/* the token is opened, described, and the other PIN works */
	other = vault_again(v, NULL);
	assert_int_equal(store_info(other, &info), OK);
	assert_true(info.user_pin_set);
	assert_int_equal(info.user_failures, 0);
	assert_int_equal(try_login(other, STORE_SO, SO_PIN), OK);
	store_close(other);
}

/* The row of one PIN in the place of the other's does not make a user the officer. */
static void test_rows_exchanged(void **state)
{
	struct vault *v = *state;

	vault_sql(v, "CREATE TABLE x AS SELECT * FROM pins; DELETE FROM pins WHERE user = 1;"
		     "INSERT INTO pins SELECT 1, kdf, cost, passes, salt, wrapped, sum, failures "
		     "FROM x WHERE user = 0; DROP TABLE x");
	assert_int_equal(try_login(v->s, STORE_SO, USER_PIN), E_CORRUPT);
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), OK);
}

/* ---- a machine's PIN ---- */

#define MACHINE STORE_MACHINE_PIN "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_empty_try(void **state)
{
	struct vault *v = *state;

	assert_int_equal(store_set_pin(v->s, STORE_USER, text(USER_PIN), text(MACHINE), NULL), OK);
	assert_int_equal(store_login(v->s, STORE_USER, span(NULL, 0), NULL), E_PIN_WRONG);
	assert_int_equal(failures(v->s), 1);
	assert_int_equal(store_login(v->s, STORE_USER, span("", 1), NULL), E_PIN_WRONG);
	assert_int_equal(failures(v->s), 2);
	assert_int_equal(try_login(v->s, STORE_USER, MACHINE), OK);
}

/* As long as a machine's, and of its digits, but without saying so: not taken for 256 random bits. */
static void test_only_says_so(void **state)
{
	struct vault *v = *state;
	char pin[sizeof(MACHINE)];

	memset(pin, 'a', sizeof(pin) - 1);
	pin[sizeof(pin) - 1] = '\0';
	assert_int_equal(store_set_pin(v->s, STORE_USER, text(USER_PIN), text(pin), NULL), OK);
	assert_int_equal(row_of(v).kdf, KDF_ARGON2ID);
}

/* ---- while the KDF runs ---- */

static uint32_t seen;

/* As another process sees it, which looks while this one may be killed. */
static void look(const struct vault *v)
{
	struct store *other = vault_again(v, NULL);

	seen = failures(other);
	store_close(other);
}

static void test_charged_before(void **state)
{
	struct vault *v = *state;

	where = v;
	happens = look;
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), OK);
	assert_int_equal(seen, 1);
	assert_int_equal(failures(v->s), 0);
}

static struct seal *officer;

static void set_another(const struct vault *v)
{
	struct store *other = vault_again(v, NULL);

	assert_int_equal(store_init_pin(other, officer, text("another-pin"), NULL), OK);
	store_close(other);
}

/* The PIN that was right when the try began is not right any more. */
static void test_overtaken(void **state)
{
	struct vault *v = *state;

	officer = vault_login(v->s, STORE_SO, SO_PIN);
	where = v;
	happens = set_another;
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), E_PIN_WRONG);
	assert_int_equal(try_login(v->s, STORE_USER, "another-pin"), OK);
	seal_free(officer);
}

/* Want of memory tells nobody anything about a PIN. */
static void test_no_try(void **state)
{
	struct vault *v = *state;

	answer = E_MEMORY;
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), E_MEMORY);
	assert_int_equal(failures(v->s), 0);
	answer = E_PIN_WRONG;
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), E_PIN_WRONG);
	assert_int_equal(failures(v->s), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_vault, vault_close)
	const struct CMUnitTest tests[] = {
		TEST(test_sane),           TEST(test_asks_for_much), TEST(test_damaged_alone),
		TEST(test_rows_exchanged), TEST(test_empty_try),     TEST(test_only_says_so),
		TEST(test_charged_before), TEST(test_overtaken),     TEST(test_no_try),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
