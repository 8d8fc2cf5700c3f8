/* SPDX-License-Identifier: Apache-2.0 */
/* Uses of a token's keys are counted (uses.h), and the counts sealed into it. */
#include "core/token_internal.h"

#include "base/clock.h"
#include "base/log.h"
#include "core/uses.h"

/* What is counted: each record of these with a key that is not of a change. src/auditor/recount.c has the same, for its own part. */
static const bool counted[ROLL_EVENT_COUNT] = {
	[EV_SIGN] = true,         [EV_SIGN_BATCH] = true, [EV_SIGN_RECOVER] = true,
	[EV_MAC_VERIFY] = true,   [EV_ENCRYPT] = true,    [EV_DECRYPT] = true,
	[EV_STREAM_BEGIN] = true, [EV_STREAM_END] = true, [EV_WRAP] = true,
	[EV_UNWRAP] = true,       [EV_DERIVE] = true,     [EV_DIGEST_KEY] = true,
	[EV_READ_SECRET] = true,
};

/* As often as a file of the roll has checkpoints. */
static bool due(struct token *t)
{
	const struct conf_audit *c = &lib_conf()->audit;
	const uint64_t now = clock_coarse_ns() / 1000000000;
	const unsigned n = atomic_fetch_add_explicit(&t->uses, 1, memory_order_relaxed) + 1;
	uint64_t since = atomic_load_explicit(&t->uses_since, memory_order_relaxed);

	if (since == 0 && atomic_compare_exchange_strong(&t->uses_since, &since, now + 1))
		return false;
	if ((c->checkpoint_records == 0 || n < (unsigned)c->checkpoint_records) &&
	    (c->checkpoint_seconds == 0 || now + 1 < since + (uint64_t)c->checkpoint_seconds))
		return false;
	if (!atomic_compare_exchange_strong(&t->uses_since, &since, now + 1))
		return false; /* another thread of those that come now */
	atomic_store(&t->uses, 0);
	return true;
}

/* What cannot be sealed now is not lost: it is another time, or by another process. */
static void seal(struct token *t, struct access *a, bool patient)
{
	const char *serial = token_serial(t);
	enum err e = OK;

	if (a->seal != NULL && !a->medium->read_only && serial != NULL)
		e = uses_seal(lib_this()->uses, a->medium->store, a->seal, (const uint8_t *)serial,
			      patient);
	if (e != OK && (patient || e != E_BUSY))
		log_fault(FAULT_ROLL, "counts of uses cannot be sealed into the token now: %s",
			  err_text(e));
}

enum err token_count_use(struct token *t, const struct roll_event *ev, uint64_t file)
{
	struct use_of of = { .zero = { 0 } };
	struct access *a = NULL;
	enum err e;

	if (!counted[ev->kind] || ev->cls == CK_UNAVAILABLE_INFORMATION || ev->serial == NULL)
		return OK;
	memcpy(of.serial, ev->serial, sizeof(of.serial));
	if (!ev->session && ev->unique.n == sizeof(of.key))
		memcpy(of.key, ev->unique.p, sizeof(of.key));
	e = uses_count(lib_this()->uses, &of, file);
	if (e == OK && due(t) && access_get(t, &a) == OK)
		seal(t, a, false);
	access_unref(a);
	return e == E_MEMORY ? e : e != OK ? E_DEVICE : OK;
}

void token_uses_settle(struct token *t)
{
	struct access *a = NULL;

	if (access_get(t, &a) == OK)
		seal(t, a, true);
	access_unref(a);
}

void token_uses_adopt(struct token *t)
{
	const char *serial = token_serial(t);
	struct access *a = NULL;

	if (serial != NULL && access_get(t, &a) == OK && a->seal != NULL && !a->medium->read_only)
		uses_adopt(lib_this()->uses, a->medium->store, a->seal, (const uint8_t *)serial);
	access_unref(a);
}
