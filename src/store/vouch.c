/* SPDX-License-Identifier: Apache-2.0 */
#include "store/vouch.h"

#include "base/mem.h"

enum err vouch_open(struct db *d, const struct seal *k, struct head *h, struct state *st)
{
	enum err e = head_get(d, h);

	if (e == OK)
		e = state_open(st, k, h->label, span(h->sealed, sizeof(h->sealed)));
	return e == OK && st->changes > h->changes ? E_CORRUPT : e;
}

enum err vouch_note(struct state *st, const struct ident *ident, enum store_user u,
		    const struct pinkey *pk)
{
	return pinkey_digest(pk, ident, u, st->pin[u]);
}

enum err vouch_current(struct db *d, const struct head *h, const struct state *st,
		       enum store_user u, bool *current)
{
	uint8_t digest[STATE_PIN] = { 0 }; /* as noted for a PIN that was never set */
	struct pinkey pk;
	uint32_t failures = 0;
	bool set = false;
	enum err e = head_pin_get(d, &h->ident, u, &set, &pk, &failures);

	*current = false;
	if (e == OK && set)
		e = pinkey_digest(&pk, &h->ident, u, digest);
	if (e == OK)
		*current = mem_equal(digest, st->pin[u], sizeof(digest));
	return e == E_CORRUPT ? OK : e;
}

const char *vouch_name(enum store_user u)
{
	return u == STORE_SO ? "SO" : "user";
}

enum err vouch_put(struct db *d, const struct seal *k, enum store_user u, const struct pinkey *pk)
{
	struct head h;
	struct state st;
	enum err e = vouch_open(d, k, &h, &st);

	if (e == OK)
		e = vouch_note(&st, &h.ident, u, pk);
	if (e == OK)
		e = state_seal(&st, k, h.label, h.sealed);
	if (e == OK)
		e = head_set(d, &h);
	return e == OK ? head_pin_put(d, &h.ident, u, pk, 0) : e;
}
