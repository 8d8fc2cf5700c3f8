/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known-answer tests before first use, and the error state. There is no lock: threads that come to
 * an untested algorithm at once each run its test, which does no harm.
 */
#include "crypto/kat.h"
#include "crypto/registry.h"

enum { UNTESTED, PASSED };

static const struct {
	const struct kat *rows;
	const size_t *n;
} families[] = {
	{ digest_kats, &digest_kats_n }, { mac_kats, &mac_kats_n },     { aes_kats, &aes_kats_n },
	{ kdf_kats, &kdf_kats_n },       { rsa_kats, &rsa_kats_n },     { ec_kats, &ec_kats_n },
	{ ecx_kats, &ecx_kats_n },       { mldsa_kats, &mldsa_kats_n },
};
#define FAMILIES (sizeof(families) / sizeof(families[0]))

/* Once a test has failed nothing is computed any more: what else is wrong is not known. */
static atomic_bool failed;

static const struct kat *kat_named(const char *name)
{
	for (size_t f = 0; f < FAMILIES; f++)
		for (size_t i = 0; i < *families[f].n; i++)
			if (strcmp(families[f].rows[i].name, name) == 0)
				return &families[f].rows[i];
	return NULL;
}

/* A lack of memory is no failure of the algorithm; the test will be tried again. */
static enum err kat_latched(const struct kat *k)
{
	enum err e = kat_run(k);

	if (e == E_SELFTEST)
		atomic_store(&failed, true);
	return e;
}

enum err selftest_named(const char *name, atomic_uchar *tested)
{
	const struct kat *k;
	enum err e;

	if (atomic_load_explicit(&failed, memory_order_relaxed))
		return E_SELFTEST;
	if (atomic_load_explicit(tested, memory_order_acquire) == PASSED)
		return OK;
	k = kat_named(name);
	if (k == NULL)
		return E_INTERNAL;
	e = kat_latched(k);
	if (e == OK)
		atomic_store_explicit(tested, PASSED, memory_order_release);
	return e;
}

/* The digest inside a mechanism has a row and a test of its own. */
static enum err hash_tested(const struct mech *m)
{
	const struct mech *h;

	if (m->hash == CK_UNAVAILABLE_INFORMATION || m->hash == m->type)
		return OK;
	h = registry_row(m->hash);
	return h != NULL ? selftest_once(h) : OK;
}

static enum err test_first(const struct mech *m, atomic_uchar *tested)
{
	enum err e = hash_tested(m);

	if (e != OK)
		return e;
	if (m->kat != NULL)
		return selftest_named(m->kat, tested);
	atomic_store_explicit(tested, PASSED, memory_order_release);
	return OK;
}

enum err selftest_once(const struct mech *m)
{
	atomic_uchar *tested = registry_tested(m);

	if (atomic_load_explicit(&failed, memory_order_relaxed))
		return E_SELFTEST;
	if (tested == NULL)
		return E_MECHANISM;
	if (atomic_load_explicit(tested, memory_order_acquire) == PASSED)
		return OK;
	return test_first(m, tested);
}

/* What this libcrypto does not have is not offered either, and is left out. */
static bool applies(const struct kat *k)
{
	return k->kind == KAT_CALL || registry_row(k->mech) != NULL;
}

enum err selftest_all(selftest_cb *cb, void *arg)
{
	enum err first = OK;

	for (size_t f = 0; f < FAMILIES; f++) {
		for (size_t i = 0; i < *families[f].n; i++) {
			const struct kat *k = &families[f].rows[i];
			enum err e = applies(k) ? kat_latched(k) : OK;

			if (first == OK)
				first = e;
			if (cb != NULL && applies(k))
				cb(arg, k->name, e);
		}
	}
	return first;
}
