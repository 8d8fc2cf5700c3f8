/* SPDX-License-Identifier: Apache-2.0 */
#include "vault.h"

#include "base/mem.h"
#include "crypto/lib.h"
#include <ftw.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct store_policy vault_policy(void)
{
	return (struct store_policy){ .kdf_cost = 8,
				      .kdf_passes = 1,
				      .pin_max = 10,
				      .public_write = true,
				      .dir_mode = 0700,
				      .file_mode = 0600 };
}

static void label_of(char out[32], const char *text)
{
	memset(out, ' ', 32);
	memcpy(out, text, strlen(text));
}

int vault_empty(void **state)
{
	const char *tmp = getenv("TMPDIR");
	struct vault *v = calloc(1, sizeof(*v));

	assert_non_null(v);
	assert_int_equal(crypto_start(), OK);
	snprintf(v->dir, sizeof(v->dir), "%s/chancery-store-XXXXXX", tmp != NULL ? tmp : "/tmp");
	assert_non_null(mkdtemp(v->dir));
	assert_true(snprintf(v->db, sizeof(v->db), "%s/0/token.db", v->dir) < PATH_MAX);
	v->policy = vault_policy();
	*state = v;
	return 0;
}

struct seal *vault_login(struct store *s, enum store_user u, const char *pin)
{
	struct seal *k = NULL;

	assert_int_equal(store_login(s, u, text(pin), &k), OK);
	return k;
}

int vault_open(void **state)
{
	struct vault *v;
	struct seal *so;
	struct why why = { .text = "" };
	char label[32];

	vault_empty(state);
	v = *state;
	label_of(label, "test token");
	if (store_create(v->dir, 0, &v->policy, text(SO_PIN), label, NULL, &why) != OK)
		fail_msg("store_create: %s", why.text);
	if (store_open(v->dir, 0, &v->policy, &v->s, &why) != OK)
		fail_msg("store_open: %s", why.text);
	so = vault_login(v->s, STORE_SO, SO_PIN);
	assert_int_equal(store_init_pin(v->s, so, text(USER_PIN), NULL), OK);
	seal_free(so);
	v->user = vault_login(v->s, STORE_USER, USER_PIN);
	return 0;
}

int vault_close(void **state)
{
	struct vault *v = *state;

	seal_free(v->user);
	store_close(v->s);
	vault_remove(v->dir);
	free(v);
	return 0;
}

struct store *vault_again(const struct vault *v, struct seal **k)
{
	struct store *s = NULL;
	struct why why = { .text = "" };

	if (store_open(v->dir, 0, &v->policy, &s, &why) != OK)
		fail_msg("store_open: %s", why.text);
	if (k != NULL)
		*k = vault_login(s, STORE_USER, USER_PIN);
	return s;
}

void vault_reopen(struct vault *v)
{
	seal_free(v->user);
	store_close(v->s);
	v->s = vault_again(v, &v->user);
}

/* ---- records ---- */

struct record vault_record(CK_OBJECT_CLASS cls, bool priv, const char *label, const char *id,
			   size_t n)
{
	struct record r = { .sight = priv ? SIGHT_USER : SIGHT_ALL, .attrs = attrset_new(priv) };
	uint8_t *value = calloc(1, n + 1);

	assert_non_null(r.attrs);
	assert_non_null(value);
	for (size_t i = 0; i < n; i++)
		value[i] = (uint8_t)(i * 7 + n);
	assert_int_equal(attrset_put_ulong(r.attrs, CKA_CLASS, cls), OK);
	assert_int_equal(attrset_put_bool(r.attrs, CKA_PRIVATE, priv), OK);
	assert_int_equal(attrset_put(r.attrs, CKA_LABEL, text(label)), OK);
	assert_int_equal(attrset_put(r.attrs, CKA_ID, text(id)), OK);
	assert_int_equal(attrset_put(r.attrs, CKA_VALUE, span(value, n)), OK);
	free(value);
	return r;
}

enum err vault_put(struct store *s, const struct seal *k, bool priv, const char *label,
		   const char *id, uint64_t *out)
{
	struct record r = vault_record(priv ? CKO_PRIVATE_KEY : CKO_DATA, priv, label, id, 100);
	struct store_change c = { CHANGE_CREATE, &r };
	enum err e = store_commit(s, k, &c, 1, NULL);

	if (e == OK && out != NULL)
		*out = r.id;
	if (e != OK)
		assert_int_equal(r.id, 0);
	record_clear(&r);
	return e;
}

uint64_t vault_must_put(const struct vault *v, bool priv, const char *label, const char *id)
{
	uint64_t out = 0;

	assert_int_equal(vault_put(v->s, v->user, priv, label, id, &out), OK);
	assert_int_not_equal(out, 0);
	return out;
}

enum err vault_drop(struct store *s, const struct seal *k, uint64_t id)
{
	struct record r = { 0 };
	struct store_change c = { CHANGE_REMOVE, &r };
	enum err e = store_get(s, k, id, &r);

	if (e == OK)
		e = store_commit(s, k, &c, 1, NULL);
	record_clear(&r);
	return e;
}

enum err vault_relabel(struct store *s, const struct seal *k, uint64_t id, const char *label)
{
	struct record r = { 0 };
	struct store_change c = { CHANGE_REPLACE, &r };
	enum err e = store_get(s, k, id, &r);

	if (e == OK)
		e = attrset_put(r.attrs, CKA_LABEL, text(label));
	if (e == OK)
		e = store_commit(s, k, &c, 1, NULL);
	record_clear(&r);
	return e;
}

void vault_expect(struct store *s, const struct seal *k, uint64_t id, const char *label)
{
	struct record r = { 0 };

	assert_int_equal(store_get(s, k, id, &r), OK);
	assert_true(span_eq(attrset_bytes(r.attrs, CKA_LABEL), text(label)));
	record_clear(&r);
}

size_t vault_count(struct store *s, const struct seal *k)
{
	const struct store_query q = { .cls = CK_UNAVAILABLE_INFORMATION };
	uint64_t *ids = NULL;
	size_t n = 0;

	assert_int_equal(store_query(s, k, &q, &ids, &n), OK);
	mem_free(ids);
	return n;
}

struct counting {
	size_t bad;
	bool expected;
};

static void count_finding(void *arg, bool bad, const char *what)
{
	struct counting *c = arg;

	if (!bad)
		return;
	c->bad++;
	if (!c->expected)
		print_message("store_check: %s\n", what);
}

size_t vault_findings(struct store *s, const struct seal *k, bool expected)
{
	struct counting c = { 0, expected };
	enum err e = store_check(s, k, count_finding, &c);

	assert_true(e == (c.bad != 0 ? E_CORRUPT : OK));
	return c.bad;
}

/* ---- files ---- */

void vault_sql(const struct vault *v, const char *sql)
{
	sqlite3 *c = NULL;

	assert_int_equal(sqlite3_open_v2(v->db, &c, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	if (sqlite3_exec(c, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(c));
	sqlite3_close(c);
}

void vault_copy(const char *from, const char *to)
{
	FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
	uint8_t buf[4096];
	size_t n;

	assert_non_null(in);
	assert_non_null(out);
	while ((n = fread(buf, 1, sizeof(buf), in)) != 0)
		assert_int_equal(fwrite(buf, 1, n, out), n);
	fclose(in);
	assert_int_equal(fchmod(fileno(out), 0600), 0);
	assert_int_equal(fclose(out), 0);
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

void vault_remove(const char *dir)
{
	(void)nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

size_t vault_size(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (size_t)st.st_size;
}
