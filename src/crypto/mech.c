/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/mech.h"

#include "base/mem.h"
#include "crypto/families.h"
#include "crypto/fetch.h"
#include "crypto/registry.h"

#include <stdlib.h>

/* Rows of all families; a static assertion is not possible across files, registry_start checks. */
#define SLOTS 512
/* Open addressing stays short while at least half of the buckets are free. */
#define BUCKET_BITS 10
#define BUCKETS     (1u << BUCKET_BITS)
_Static_assert(BUCKETS >= 2 * SLOTS, "the buckets would fill up");

enum { UNKNOWN, THERE, ABSENT };

struct slot {
	const struct mech *m;
	atomic_uchar there;  /* whether what the row needs could be fetched */
	atomic_uchar tested; /* selftest.c */
};

struct list {
	size_t n;
	const struct mech *rows[];
};

static const struct {
	const struct mech *rows;
	const size_t *n;
} families[] = {
	{ digest_mechs, &digest_mechs_n }, { mac_mechs, &mac_mechs_n },
	{ aes_mechs, &aes_mechs_n },       { aeswrap_mechs, &aeswrap_mechs_n },
	{ secret_mechs, &secret_mechs_n }, { kdf_mechs, &kdf_mechs_n },
	{ rsa_mechs, &rsa_mechs_n },       { ec_mechs, &ec_mechs_n },
	{ eddsa_mechs, &eddsa_mechs_n },   { xdh_mechs, &xdh_mechs_n },
	{ mldsa_mechs, &mldsa_mechs_n },
};

static struct slot slots[SLOTS]; /* sorted by type */
static size_t slots_n;
static uint16_t buckets[BUCKETS]; /* index in slots + 1; 0: free */
static enum conf_profile profile = PROFILE_STANDARD;
static struct list *_Atomic offered; /* made at the first question for it */

static unsigned bucket_of(CK_MECHANISM_TYPE type)
{
	return ((uint32_t)type * 0x9e3779b1u) >> (32 - BUCKET_BITS);
}

static struct slot *slot_find(CK_MECHANISM_TYPE type)
{
	unsigned b = bucket_of(type);

	while (buckets[b] != 0) {
		struct slot *s = &slots[buckets[b] - 1];

		if (s->m->type == type)
			return s;
		b = (b + 1) % BUCKETS;
	}
	return NULL;
}

static enum err slots_gather(void)
{
	size_t n = 0;

	for (size_t f = 0; f < sizeof(families) / sizeof(families[0]); f++) {
		for (size_t i = 0; i < *families[f].n; i++) {
			if (n == SLOTS)
				return E_INTERNAL;
			slots[n++].m = &families[f].rows[i];
		}
	}
	slots_n = n;
	return OK;
}

static int slot_order(const void *a, const void *b)
{
	CK_MECHANISM_TYPE x = ((const struct slot *)a)->m->type;
	CK_MECHANISM_TYPE y = ((const struct slot *)b)->m->type;

	return x < y ? -1 : x > y;
}

static void buckets_fill(void)
{
	for (size_t i = 0; i < slots_n; i++) {
		unsigned b = bucket_of(slots[i].m->type);

		while (buckets[b] != 0)
			b = (b + 1) % BUCKETS;
		buckets[b] = (uint16_t)(i + 1);
	}
}

enum err registry_start(void)
{
	enum err e;

	if (slots_n != 0)
		return OK;
	if ((e = slots_gather()) != OK)
		return e;
	qsort(slots, slots_n, sizeof(slots[0]), slot_order);
	buckets_fill();
	return OK;
}

void registry_stop(void)
{
	mem_free(atomic_exchange(&offered, NULL));
}

atomic_uchar *registry_tested(const struct mech *m)
{
	struct slot *s = slot_find(m->type);

	return s != NULL && s->m == m ? &s->tested : NULL;
}

static bool profile_takes(const struct mech *m)
{
	if (profile == PROFILE_APPROVED)
		return (m->traits & MECH_APPROVED) != 0;
	return profile == PROFILE_INTEROP || (m->traits & MECH_INTEROP) == 0;
}

/* UNKNOWN: memory was too short to tell, so it is to be asked again. */
static unsigned char slot_ask(const struct mech *m)
{
	if (m->needs == NULL || fetch_has(m->needs))
		return THERE;
	return fetch_lacks(m->needs) ? ABSENT : UNKNOWN;
}

static unsigned char slot_there(struct slot *s)
{
	unsigned char there = atomic_load_explicit(&s->there, memory_order_relaxed);

	if (there == UNKNOWN) {
		there = slot_ask(s->m);
		atomic_store_explicit(&s->there, there, memory_order_relaxed);
	}
	return there;
}

const struct mech *registry_row(CK_MECHANISM_TYPE type)
{
	struct slot *s = slot_find(type);

	/* what is not known to be absent may be tried: that says what is missing */
	return s != NULL && slot_there(s) != ABSENT ? s->m : NULL;
}

void mech_profile_set(enum conf_profile p)
{
	profile = p;
	registry_stop();
}

const struct mech *mech_find(CK_MECHANISM_TYPE type)
{
	const struct mech *m = registry_row(type);

	return m != NULL && profile_takes(m) ? m : NULL;
}

static struct list *list_make(void)
{
	struct list *l = mem_alloc(sizeof(*l) + slots_n * sizeof(l->rows[0]));

	for (size_t i = 0; l != NULL && i < slots_n; i++) {
		unsigned char there = slot_there(&slots[i]);

		if (there == UNKNOWN) {
			mem_free(l);
			return NULL;
		}
		if (there == THERE && profile_takes(slots[i].m))
			l->rows[l->n++] = slots[i].m;
	}
	return l;
}

/*
 * Threads that come at once each make a list; one of them stays. NULL: out of memory, also to tell
 * what is there: a list made then would be wrong for good.
 */
static const struct list *list_get(void)
{
	struct list *l = atomic_load(&offered), *other = NULL;

	if (l != NULL)
		return l;
	l = list_make();
	if (l != NULL && !atomic_compare_exchange_strong(&offered, &other, l)) {
		mem_free(l);
		l = other;
	}
	return l;
}

size_t mech_count(void)
{
	const struct list *l = list_get();

	return l != NULL ? l->n : 0;
}

const struct mech *mech_at(size_t i)
{
	const struct list *l = list_get();

	return l != NULL && i < l->n ? l->rows[i] : NULL;
}

bool mech_takes(const struct mech *m, CK_KEY_TYPE kt)
{
	return kt != CK_UNAVAILABLE_INFORMATION && (m->key_type == kt || m->key_type2 == kt);
}

CK_FLAGS mech_use_flag(enum mech_use u)
{
	static const CK_FLAGS flags[USE_COUNT] = {
		[USE_ENCRYPT] = CKF_ENCRYPT,
		[USE_DECRYPT] = CKF_DECRYPT,
		[USE_DIGEST] = CKF_DIGEST,
		[USE_SIGN] = CKF_SIGN,
		[USE_SIGN_RECOVER] = CKF_SIGN_RECOVER,
		[USE_VERIFY] = CKF_VERIFY,
		[USE_VERIFY_RECOVER] = CKF_VERIFY_RECOVER,
	};

	return flags[u];
}

static enum err make_ready(const struct mech *m, bool has_op)
{
	return has_op ? selftest_once(m) : E_MECHANISM;
}

enum err mech_generate(const struct mech *m, const struct param *par, const struct attrset *templ,
		       struct attrset *made)
{
	enum err e = make_ready(m, m->make != NULL && m->make->generate != NULL);

	if (e != OK)
		return e;
	crypto_secret_enter();
	e = m->make->generate(m, par, templ, made);
	crypto_secret_leave();
	return e;
}

enum err mech_generate_pair(const struct mech *m, const struct param *par,
			    const struct attrset *pub_templ, const struct attrset *priv_templ,
			    struct attrset *pub, struct attrset *priv)
{
	enum err e = make_ready(m, m->make != NULL && m->make->generate_pair != NULL);

	if (e != OK)
		return e;
	crypto_secret_enter();
	e = m->make->generate_pair(m, par, pub_templ, priv_templ, pub, priv);
	crypto_secret_leave();
	return e;
}

enum err mech_derive(const struct mech *m, const struct param *par, struct key *base,
		     struct key *extra, const struct attrset *templ, struct attrset *made)
{
	enum err e = make_ready(m, m->make != NULL && m->make->derive != NULL);

	if (e != OK)
		return e;
	if (!mech_takes(m, key_type(base)))
		return E_KEY_TYPE;
	crypto_secret_enter();
	e = m->make->derive(m, par, base, extra, templ, made);
	crypto_secret_leave();
	return e;
}
