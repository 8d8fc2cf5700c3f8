/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mechanism parameters. The input says which mechanism, how long its structure is, and word by word
 * what is in it: a pointer, NULL, a small number, a number near the largest, a mechanism. Words
 * that are pointers are never just any number, as no caller's are. What is taken is used: with a
 * secret key, the rest of the input is encrypted, decrypted, signed, verified.
 */
#include "crypto/lib.h"
#include "crypto/mech.h"

#include <stdlib.h>

#define WORDS 9

/* Bytes behind the room for the output, and what they are. */
#define MARKED 64
#define MARK   0x5c

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Structures with pointers: the words that are some, by mechanism and size. */
static const struct layout {
	CK_MECHANISM_TYPE mech;
	size_t size;
	unsigned pointers; /* bit i: word i */
} layouts[] = {
	{ CKM_AES_GCM, 48, 1 << 0 | 1 << 3 },
	{ CKM_AES_GCM, 40, 1 << 0 | 1 << 2 },
	{ CKM_AES_GCM, 56, 1 << 0 | 1 << 4 },
	{ CKM_AES_GMAC, 48, 1 << 0 | 1 << 3 },
	{ CKM_AES_GMAC, 40, 1 << 0 | 1 << 2 },
	{ CKM_AES_GMAC, 56, 1 << 0 | 1 << 4 },
	{ CKM_AES_CCM, 48, 1 << 1 | 1 << 3 },
	{ CKM_AES_CCM, 64, 1 << 1 | 1 << 5 },
	{ CKM_RSA_PKCS_OAEP, 40, 1 << 3 },
	{ CKM_ECDH1_DERIVE, 40, 1 << 2 | 1 << 4 },
	{ CKM_ECDH1_COFACTOR_DERIVE, 40, 1 << 2 | 1 << 4 },
	{ CKM_EDDSA, 24, 1 << 2 },
	{ CKM_ML_DSA, 24, 1 << 1 },
	{ CKM_HKDF_DERIVE, 64, 1 << 3 | 1 << 6 },
	{ CKM_HKDF_DATA, 64, 1 << 3 | 1 << 6 },
	/* the last word of this one is a number or a pointer: anything must do */
	{ CKM_PKCS5_PBKD2, 72, 1 << 1 | 1 << 5 | 1 << 7 },
};

/* What the pointers point to: longer than every number below that is not far too large. */
static uint8_t memory[32768];
static struct key *keys[4];
static const CK_KEY_TYPE key_types[4] = { CKK_AES, CKK_AES_XTS, CKK_GENERIC_SECRET, CKK_HKDF };

static struct key *secret_key(CK_KEY_TYPE type)
{
	struct attrset *a = attrset_new(true);
	struct key *k = NULL;
	uint8_t value[64];

	for (size_t i = 0; i < sizeof(value); i++)
		value[i] = (uint8_t)i;
	if (a == NULL || attrset_put_ulong(a, CKA_CLASS, CKO_SECRET_KEY) != OK ||
	    attrset_put_ulong(a, CKA_KEY_TYPE, type) != OK ||
	    attrset_put(a, CKA_VALUE, span(value, type == CKK_AES ? 32 : 64)) != OK ||
	    key_parse(a, &k) != OK)
		abort();
	attrset_free(a);
	return k;
}

static void start(void)
{
	if (crypto_start() != OK)
		abort();
	for (size_t i = 0; i < 4; i++)
		keys[i] = secret_key(key_types[i]);
}

static unsigned pointers_of(CK_MECHANISM_TYPE mech, size_t size)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].mech == mech && layouts[i].size == size)
			return layouts[i].pointers;
	return 0;
}

static CK_ULONG number(uint8_t kind, uint8_t v)
{
	switch (kind % 6) {
	case 0: return 0;
	case 1: return CK_UNAVAILABLE_INFORMATION - v;
	case 2: return mech_at(v % mech_count())->type;
	case 3: return (CK_ULONG)v << 24 | v;
	case 4: return v % 8 * 16;
	default: return v;
	}
}

/* A structure of n bytes in words, from two bytes of input each. */
static void fill(struct span *in, unsigned pointers, size_t n, CK_ULONG words[WORDS])
{
	uint8_t kind, v;

	for (size_t i = 0; i < WORDS && i * sizeof(words[0]) < n; i++) {
		if (!take_u8(in, &kind) || !take_u8(in, &v))
			return;
		if ((pointers >> i & 1) == 0)
			words[i] = number(kind, v);
		else if (kind % 4 != 0)
			words[i] = (CK_ULONG)memory;
	}
}

static struct key *key_for(const struct mech *m)
{
	for (size_t i = 0; i < 4; i++)
		if (mech_takes(m, key_types[i]))
			return keys[i];
	return NULL;
}

/* libcrypto is not instrumented: what it writes behind its room is found by what was there. */
static void mark(uint8_t *p)
{
	memset(p, MARK, MARKED);
}

static void check_mark(const uint8_t *p)
{
	for (size_t i = 0; i < MARKED; i++)
		if (p[i] != MARK)
			abort();
}

/* One operation; what it makes must fit its bound, and nothing else may be written. */
static void work(struct run *r, struct span in)
{
	struct buf out = { 0 };
	struct sink o;
	size_t bound = run_bound(r, in.n, true);

	if (r->use == USE_VERIFY) {
		(void)run_verify_once(r, in, span(memory, 16));
		return;
	}
	if (buf_reserve(&out, bound + MARKED) != OK)
		abort();
	mark(out.p + bound);
	o = sink(out.p, bound);
	if (run_once(r, in, &o) == E_TOO_SMALL)
		abort();
	check_mark(out.p + bound);
	buf_free(&out);
}

static void use_it(const struct mech *m, enum mech_use use, struct param *par, struct span in)
{
	struct run r = { 0 };

	if (run_begin(&r, m, use, key_for(m), par) == OK)
		work(&r, in);
	run_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span in = span(data, size);
	CK_ULONG words[WORDS] = { 0 };
	CK_MECHANISM mechanism = { 0, NULL, 0 };
	const struct mech *m;
	struct param par = { 0 };
	uint8_t which, n, use;

	if (keys[0] == NULL)
		start();
	if (!take_u8(&in, &which) || !take_u8(&in, &n) || !take_u8(&in, &use))
		return 0;
	m = mech_at(which % mech_count());
	mechanism.mechanism = m->type;
	mechanism.ulParameterLen = n % 2 != 0 ? n % (sizeof(words) + 1) : n / 2 % (WORDS + 1) * 8;
	if (use < 240)
		mechanism.pParameter = words;
	fill(&in, pointers_of(m->type, mechanism.ulParameterLen), mechanism.ulParameterLen, words);
	if (param_take(m, &mechanism, &par) == OK)
		use_it(m, (enum mech_use)(use % USE_COUNT), &par, in);
	param_clear(&par);
	return 0;
}
