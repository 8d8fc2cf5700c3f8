/* SPDX-License-Identifier: Apache-2.0 */
/* A token in a directory of its own, for the tests of the store. Everything asserts: a vault that fails is a failed test. */
#ifndef CHANCERY_TESTS_VAULT_H
#define CHANCERY_TESTS_VAULT_H

#include "base/span.h"
#include "store/store.h"
#include <limits.h>

#define SO_PIN     "so-pin-1"
#define USER_PIN   "user-pin-1"
#define PASSPHRASE "a passphrase of the test"

struct vault {
	char dir[PATH_MAX]; /* removed at the end */
	char db[PATH_MAX];  /* of slot 0 */
	struct store_policy policy;
	struct store *s;   /* slot 0 */
	struct seal *user; /* logged in */
};

/* cmocka set-up and tear-down of one test: a token with both PINs, opened, and the user logged in. */
int vault_open(void **state);
int vault_close(void **state);
/* An empty directory only. */
int vault_empty(void **state);

static inline struct span text(const char *s)
{
	return span_str(s);
}

/* The cheapest policy: tests of the KDF's cost choose their own. */
struct store_policy vault_policy(void);

/* Another handle of slot 0, as another process would have it; user logged in if k is not NULL. */
struct store *vault_again(const struct vault *v, struct seal **k);
/* Closes and opens v->s, and logs in again. */
void vault_reopen(struct vault *v);
struct seal *vault_login(struct store *s, enum store_user u, const char *pin);

/* A record with these attributes and a value of n bytes. */
struct record vault_record(CK_OBJECT_CLASS cls, bool priv, const char *label, const char *id,
			   size_t n);
/* Puts it into the store; the record's id, or the error. */
enum err vault_put(struct store *s, const struct seal *k, bool priv, const char *label,
		   const char *id, uint64_t *out);
uint64_t vault_must_put(const struct vault *v, bool priv, const char *label, const char *id);
enum err vault_drop(struct store *s, const struct seal *k, uint64_t id);
/* Sets the label, by the version that is there. */
enum err vault_relabel(struct store *s, const struct seal *k, uint64_t id, const char *label);
/* Asserts that the label of record id is this. */
void vault_expect(struct store *s, const struct seal *k, uint64_t id, const char *label);
size_t vault_count(struct store *s, const struct seal *k);
/* Findings of store_check that are bad; prints them if there are unexpected ones (expected false). */
size_t vault_findings(struct store *s, const struct seal *k, bool expected);

/* Runs SQL on the file of slot 0 with a connection of its own; asserts. Nothing may be open in this process that is in use. */
void vault_sql(const struct vault *v, const char *sql);

/* Whole files. */
void vault_copy(const char *from, const char *to);
void vault_remove(const char *dir);
size_t vault_size(const char *path);

#endif
