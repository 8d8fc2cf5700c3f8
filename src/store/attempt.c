/* SPDX-License-Identifier: Apache-2.0 */
#include "store/attempt.h"

#include "store/inside.h"
#include "store/turn.h"
#include "store/vouch.h"
#include <errno.h>
#include <time.h>

/* ---- the count ---- */

enum err attempt_row(struct store *s, struct attempt *a)
{
	bool set = false;
	enum err e = head_pin_get(&s->db, &s->ident, a->user, &set, &a->key, &a->before);

	if (e == OK && !set)
		e = a->user == STORE_USER ? E_PIN_UNSET : E_CORRUPT;
	a->ident = s->ident;
	return e;
}

static enum err check_limit(const struct store *s, const struct attempt *a)
{
	return a->before >= s->policy.pin_max ? E_PIN_LOCKED : OK;
}

static enum err charge(struct store *s, struct attempt *a)
{
	enum err e = txn_write(s);

	if (e != OK)
		return e;
	e = attempt_row(s, a);
	if (e == OK)
		e = check_limit(s, a);
	if (e == OK)
		e = head_pin_count(&s->db, a->user, a->before + 1);
	if (e == OK)
		return txn_commit(s);
	txn_end(s);
	return e;
}

/* Where nothing can be written the count is this process's own, on top of what is stored. */
static enum err charge_here(struct store *s, struct attempt *a)
{
	enum err e = txn_read(s);

	if (e != OK)
		return e;
	e = attempt_row(s, a);
	if (e == OK) {
		a->before += s->failures[a->user];
		e = check_limit(s, a);
	}
	if (e == OK)
		s->failures[a->user]++;
	txn_end(s);
	return e;
}

/* An earlier PIN whose row was put back unwraps the data key as well as the present one. */
static enum err verify(struct store *s, enum store_user u, const struct seal *k)
{
	struct head h;
	struct state st;
	bool current = false;
	enum err e = vouch_open(&s->db, k, &h, &st);

	if (e == OK)
		e = vouch_current(&s->db, &h, &st, u, &current);
	return e == OK && !current ? E_CORRUPT : e;
}

enum err attempt_still(struct store *s, const struct attempt *a, const struct seal *k)
{
	struct attempt now = attempt_of(a->user);
	enum err e = attempt_row(s, &now);

	if (e == OK && memcmp(now.key.salt, a->key.salt, sizeof(now.key.salt)) != 0)
		e = E_PIN_WRONG;
	return e == OK ? verify(s, a->user, k) : e;
}

static enum err discharge_there(struct store *s, const struct attempt *a, const struct seal *k)
{
	enum err e = txn_write(s);

	if (e != OK)
		return e;
	e = attempt_still(s, a, k);
	if (e == OK)
		e = head_pin_count(&s->db, a->user, 0);
	if (e == OK)
		return txn_commit(s);
	txn_end(s);
	return e;
}

static enum err discharge_here(struct store *s, const struct attempt *a, const struct seal *k)
{
	enum err e = txn_read(s);

	if (e != OK)
		return e;
	e = attempt_still(s, a, k);
	if (e == OK)
		s->failures[a->user] = 0;
	txn_end(s);
	return e;
}

/* Nobody learned anything from this try, for want of memory and the like: it does not count. */
static void refund(struct store *s, const struct attempt *a)
{
	struct attempt now = attempt_of(a->user);

	if (txn_write(s) != OK)
		return;
	if (attempt_row(s, &now) == OK && now.before > 0 &&
	    head_pin_count(&s->db, a->user, now.before - 1) == OK)
		(void)txn_commit(s);
	else
		txn_end(s);
}

enum err attempt_discharge(struct store *s, const struct attempt *a, const struct seal *k)
{
	enum err e;

	if (s->read_only)
		return discharge_here(s, a, k);
	e = discharge_there(s, a, k);
	if (e != OK && e != E_PIN_WRONG)
		refund(s, a); /* the answer is not given */
	return e;
}

/* ---- a try ---- */

/* Derived from the count alone: no clock is trusted, and a restart changes nothing. No lock is held. */
static void put_off(uint32_t failures)
{
	unsigned ms = pinkey_delay_ms(failures);
	struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000 };

	while (ms != 0 && nanosleep(&t, &t) != 0 && errno == EINTR)
		continue;
}

enum err attempt_make(struct store *s, struct attempt *a, struct span pin, struct seal **k)
{
	enum err e;

	a->turn = turn_take(s->path);
	e = s->read_only ? charge_here(s, a) : charge(s, a);
	if (e != OK)
		return e;
	put_off(a->before);
	e = pinkey_open(&a->key, &a->ident, a->user, pin, k);
	if (e != OK && e != E_PIN_WRONG && !s->read_only)
		refund(s, a);
	return e;
}

void attempt_end(struct attempt *a)
{
	turn_drop(a->turn);
	a->turn = -1;
}
