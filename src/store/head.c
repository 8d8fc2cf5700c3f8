/* SPDX-License-Identifier: Apache-2.0 */
#include "store/head.h"

#include "base/mem.h"
#include "crypto/lib.h"
#include "store/stmt.h"

/* 64 random bits as text: two tokens do not get the same one. */
static enum err make_serial(uint8_t serial[IDENT_SERIAL])
{
	static const char digits[] = "0123456789abcdef";
	uint8_t r[IDENT_SERIAL / 2];
	enum err e = crypto_random(r, sizeof(r));

	for (size_t i = 0; e == OK && i < IDENT_SERIAL; i++)
		serial[i] = (uint8_t)digits[(r[i / 2] >> (i % 2 == 0 ? 4 : 0)) & 15];
	return e;
}

/* No objects, and no PIN but the SO's. */
static enum err seal_empty(struct head *h, const uint8_t *data_key, const struct pinkey *so)
{
	struct state empty = { .changes = h->changes };
	struct seal *k = NULL;
	enum err e = seal_new(&h->ident, STORE_SO, data_key, &k);

	if (e == OK)
		e = pinkey_digest(so, &h->ident, STORE_SO, empty.pin[STORE_SO]);
	if (e == OK)
		e = state_seal(&empty, k, h->label, h->flags, h->sealed);
	seal_free(k);
	return e;
}

enum err head_begin(struct head *h, const char *label, const struct store_policy *p,
		    const struct pinkey *least, struct span so_pin, struct pinkey *so)
{
	uint8_t *data_key = mem_alloc_secret(SEALING_KEY);
	enum err e = data_key != NULL ? OK : E_MEMORY;

	memcpy(h->label, label, sizeof(h->label));
	if (e == OK && h->ident.serial[0] == '\0')
		e = make_serial(h->ident.serial);
	if (e == OK)
		e = crypto_random(h->ident.generation, sizeof(h->ident.generation));
	if (e == OK)
		e = crypto_random(h->salt, sizeof(h->salt));
	if (e == OK)
		e = crypto_random(data_key, SEALING_KEY);
	if (e == OK)
		e = pinkey_make(p, least, &h->ident, STORE_SO, so_pin, data_key, so);
	if (e == OK)
		e = seal_empty(h, data_key, so);
	mem_free(data_key);
	return e;
}

static void read_head(struct stmt *s, struct head *h)
{
	stmt_col_bytes(s, 0, h->ident.serial, sizeof(h->ident.serial));
	stmt_col_bytes(s, 1, h->ident.generation, sizeof(h->ident.generation));
	stmt_col_bytes(s, 2, h->label, sizeof(h->label));
	stmt_col_bytes(s, 3, h->salt, sizeof(h->salt));
	h->changes = stmt_col_u64(s, 4);
	h->unsealed = stmt_col_u64(s, 5);
	h->next_id = stmt_col_u64(s, 6);
	h->pruned = stmt_col_u64(s, 7);
	h->next_event = stmt_col_u64(s, 8);
	h->flags = stmt_col_u32(s, 9);
	stmt_col_bytes(s, 10, h->sealed, sizeof(h->sealed));
}

enum err head_get(struct db *d, struct head *h)
{
	struct stmt s = stmt_on(d, Q_TOKEN_GET);
	bool row = false;

	if (stmt_next(&s, &row) == OK && row)
		read_head(&s, h);
	else if (s.e == OK)
		s.e = E_CORRUPT;
	/* counters count to 2^63 and no further: SQLite's numbers have a sign */
	if (s.e == OK &&
	    (h->changes > INT64_MAX || h->next_id > INT64_MAX || h->next_event == 0 ||
	     h->next_event > INT64_MAX || h->unsealed > h->changes || h->pruned > h->changes))
		s.e = E_CORRUPT;
	if (s.e == OK && (h->flags & ~(uint32_t)HEAD_FLAGS) != 0)
		s.e = E_TOKEN_UNKNOWN;
	return stmt_end(&s);
}

static enum err write_head(struct db *d, enum query q, const struct head *h)
{
	struct stmt s = stmt_on(d, q);

	stmt_blob(&s, 1, span(h->ident.serial, sizeof(h->ident.serial)));
	stmt_blob(&s, 2, span(h->ident.generation, sizeof(h->ident.generation)));
	stmt_blob(&s, 3, span(h->label, sizeof(h->label)));
	stmt_blob(&s, 4, span(h->salt, sizeof(h->salt)));
	stmt_u64(&s, 5, h->changes);
	stmt_u64(&s, 6, h->unsealed);
	stmt_u64(&s, 7, h->next_id);
	stmt_u64(&s, 8, h->pruned);
	stmt_u64(&s, 9, h->next_event);
	stmt_u64(&s, 10, h->flags);
	stmt_blob(&s, 11, span(h->sealed, sizeof(h->sealed)));
	return stmt_run(&s);
}

enum err head_make(struct db *d, const struct head *h)
{
	return write_head(d, Q_TOKEN_MAKE, h);
}

enum err head_set(struct db *d, const struct head *h)
{
	return write_head(d, Q_TOKEN_SET, h);
}

bool head_same(const struct head *a, const struct head *b)
{
	return a->changes == b->changes && a->next_id == b->next_id &&
	       memcmp(a->sealed, b->sealed, sizeof(a->sealed)) == 0;
}

static void read_pin(struct stmt *s, struct pinkey *pk, uint8_t sum[PINKEY_SUM], uint32_t *failures)
{
	pk->kdf = stmt_col_u32(s, 0);
	pk->cost = stmt_col_u32(s, 1);
	pk->passes = stmt_col_u32(s, 2);
	stmt_col_bytes(s, 3, pk->salt, sizeof(pk->salt));
	stmt_col_bytes(s, 4, pk->wrapped, sizeof(pk->wrapped));
	stmt_col_bytes(s, 5, sum, PINKEY_SUM);
	*failures = stmt_col_u32(s, 6);
}

enum err head_pin_get(struct db *d, const struct ident *ident, enum store_user u, bool *set,
		      struct pinkey *pk, uint32_t *failures)
{
	struct stmt s = stmt_on(d, Q_PIN_GET);
	uint8_t sum[PINKEY_SUM] = { 0 }, want[PINKEY_SUM] = { 0 };
	bool row = false;
	enum err e;

	stmt_u64(&s, 1, u);
	if (stmt_next(&s, &row) == OK && row)
		read_pin(&s, pk, sum, failures);
	*set = row;
	e = stmt_end(&s);
	if (e != OK || !row)
		return e;
	e = pinkey_sum(pk, ident, u, want);
	if (e == OK && (memcmp(sum, want, sizeof(sum)) != 0 || !pinkey_sane(pk)))
		e = E_CORRUPT;
	return e;
}

enum err head_pin_put(struct db *d, const struct ident *ident, enum store_user u,
		      const struct pinkey *pk, uint32_t failures)
{
	struct stmt s = stmt_on(d, Q_PIN_PUT);
	uint8_t sum[PINKEY_SUM];

	if (s.e == OK)
		s.e = pinkey_sum(pk, ident, u, sum);
	stmt_u64(&s, 1, u);
	stmt_u64(&s, 2, pk->kdf);
	stmt_u64(&s, 3, pk->cost);
	stmt_u64(&s, 4, pk->passes);
	stmt_blob(&s, 5, span(pk->salt, sizeof(pk->salt)));
	stmt_blob(&s, 6, span(pk->wrapped, sizeof(pk->wrapped)));
	stmt_blob(&s, 7, span(sum, sizeof(sum)));
	stmt_u64(&s, 8, failures);
	return stmt_run(&s);
}

enum err head_pin_count(struct db *d, enum store_user u, uint32_t failures)
{
	struct stmt s = stmt_on(d, Q_PIN_COUNT);

	stmt_u64(&s, 1, u);
	stmt_u64(&s, 2, failures);
	return stmt_run(&s);
}

enum err head_pin_drop(struct db *d, enum store_user u)
{
	struct stmt s = stmt_on(d, Q_PIN_DROP);

	stmt_u64(&s, 1, u);
	return stmt_run(&s);
}
