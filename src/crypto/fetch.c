/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/fetch.h"

#include "base/mem.h"

#include <openssl/err.h>
#include <stdatomic.h>
#include <string.h>

/* The typed fetch and free functions of libcrypto as functions of void *, one pair per kind. */
#define KIND(kind, type)                                       \
	static void *kind##_get(const char *name)              \
	{                                                      \
		return type##_fetch(crypto_ctx(), name, NULL); \
	}                                                      \
	static void kind##_put(void *p)                        \
	{                                                      \
		type##_free(p);                                \
	}

KIND(MD, EVP_MD)
KIND(CIPHER, EVP_CIPHER)
KIND(MAC, EVP_MAC)
KIND(KDF, EVP_KDF)
KIND(KEYMGMT, EVP_KEYMGMT)
KIND(SIGNATURE, EVP_SIGNATURE)
KIND(EXCHANGE, EVP_KEYEXCH)
KIND(ASYM, EVP_ASYM_CIPHER)
KIND(KEM, EVP_KEM)

struct kind {
	void *(*get)(const char *name);
	void (*put)(void *p);
};

enum kind_id {
	KIND_MD,
	KIND_CIPHER,
	KIND_MAC,
	KIND_KDF,
	KIND_KEYMGMT,
	KIND_SIGNATURE,
	KIND_EXCHANGE,
	KIND_ASYM,
	KIND_KEM
};

static const struct kind kinds[] = {
	[KIND_MD] = { MD_get, MD_put },
	[KIND_CIPHER] = { CIPHER_get, CIPHER_put },
	[KIND_MAC] = { MAC_get, MAC_put },
	[KIND_KDF] = { KDF_get, KDF_put },
	[KIND_KEYMGMT] = { KEYMGMT_get, KEYMGMT_put },
	[KIND_SIGNATURE] = { SIGNATURE_get, SIGNATURE_put },
	[KIND_EXCHANGE] = { EXCHANGE_get, EXCHANGE_put },
	[KIND_ASYM] = { ASYM_get, ASYM_put },
	[KIND_KEM] = { KEM_get, KEM_put },
};

static const struct {
	enum kind_id kind;
	const char *name;
} rows[ALG_COUNT] = {
#define ALG(id, kind, name) [ALG_##id] = { KIND_##kind, name },
#include "crypto/algs.def"
#undef ALG
};

/* NULL: not tried yet. */
static _Atomic(void *) fetched[ALG_COUNT];
/* Its address stands for an algorithm that libcrypto does not have. */
static char absent;

/*
 * Only an answer "unsupported" is remembered: a lack of memory passes, which may give that answer
 * too, but not as the only error. Threads that come at once each fetch; one keeps the result.
 */
static void *fetch_first(enum alg a)
{
	const struct kind *kind = &kinds[rows[a].kind];
	unsigned depth = mem_secret_suspend();
	void *mine, *other = NULL;
	bool unsupported;

	ERR_set_mark();
	mine = kind->get(rows[a].name);
	unsupported = mine == NULL && ERR_count_to_mark() == 1 &&
		      ERR_GET_REASON(ERR_peek_last_error()) == ERR_R_UNSUPPORTED;
	ERR_pop_to_mark();
	if (unsupported)
		mine = &absent;
	if (mine != NULL && !atomic_compare_exchange_strong(&fetched[a], &other, mine)) {
		if (mine != &absent)
			kind->put(mine);
		mine = other;
	}
	mem_secret_resume(depth);
	return mine;
}

static void *fetch_any(enum alg a)
{
	void *p = atomic_load_explicit(&fetched[a], memory_order_acquire);

	if (p == NULL)
		p = fetch_first(a);
	return p == &absent ? NULL : p;
}

static void *fetch_kind(enum alg a, enum kind_id kind)
{
	return rows[a].kind == kind ? fetch_any(a) : NULL;
}

EVP_MD *fetch_md(enum alg a)
{
	return fetch_kind(a, KIND_MD);
}

EVP_CIPHER *fetch_cipher(enum alg a)
{
	return fetch_kind(a, KIND_CIPHER);
}

EVP_MAC *fetch_mac(enum alg a)
{
	return fetch_kind(a, KIND_MAC);
}

EVP_KDF *fetch_kdf(enum alg a)
{
	return fetch_kind(a, KIND_KDF);
}

EVP_KEYMGMT *fetch_keymgmt(enum alg a)
{
	return fetch_kind(a, KIND_KEYMGMT);
}

EVP_SIGNATURE *fetch_signature(enum alg a)
{
	return fetch_kind(a, KIND_SIGNATURE);
}

EVP_KEYEXCH *fetch_exchange(enum alg a)
{
	return fetch_kind(a, KIND_EXCHANGE);
}

EVP_ASYM_CIPHER *fetch_asym(enum alg a)
{
	return fetch_kind(a, KIND_ASYM);
}

EVP_KEM *fetch_kem(enum alg a)
{
	return fetch_kind(a, KIND_KEM);
}

const char *fetch_name(enum alg a)
{
	return rows[a].name;
}

/* ALG_COUNT: there is no such row. */
static enum alg alg_named(const char *name)
{
	enum alg a = 0;

	while (a < ALG_COUNT && strcmp(rows[a].name, name) != 0)
		a++;
	return a;
}

bool fetch_has(const char *name)
{
	enum alg a = alg_named(name);

	return a < ALG_COUNT && fetch_any(a) != NULL;
}

bool fetch_lacks(const char *name)
{
	enum alg a = alg_named(name);

	return a == ALG_COUNT || (fetch_any(a) == NULL && atomic_load(&fetched[a]) == &absent);
}

void fetch_forget(void)
{
	for (enum alg a = 0; a < ALG_COUNT; a++)
		atomic_store(&fetched[a], NULL);
}
