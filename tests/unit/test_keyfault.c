/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that is done with keys, with each of its allocations failing once, ours and
 * libcrypto's: it works all the same, or says that memory was short; it is never taken for a bad
 * key or a bad signature, and nothing is lost.
 */
#include "pair.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool armed;
static long countdown; /* the allocation at 0 fails */

static bool fails(void)
{
	return armed && countdown-- == 0;
}

void *__real_mem_alloc(size_t n);
void *__real_mem_alloc_secret(size_t n);
void *__real_mem_realloc(void *p, size_t n);
void *__real_mem_crypto_malloc(size_t n, const char *file, int line);
void *__real_mem_crypto_realloc(void *p, size_t n, const char *file, int line);
void *__wrap_mem_alloc(size_t n);
void *__wrap_mem_alloc_secret(size_t n);
void *__wrap_mem_realloc(void *p, size_t n);
void *__wrap_mem_crypto_malloc(size_t n, const char *file, int line);
void *__wrap_mem_crypto_realloc(void *p, size_t n, const char *file, int line);

void *__wrap_mem_alloc(size_t n)
{
	return fails() ? NULL : __real_mem_alloc(n);
}

void *__wrap_mem_alloc_secret(size_t n)
{
	return fails() ? NULL : __real_mem_alloc_secret(n);
}

void *__wrap_mem_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_mem_realloc(p, n);
}

void *__wrap_mem_crypto_malloc(size_t n, const char *file, int line)
{
	return fails() ? NULL : __real_mem_crypto_malloc(n, file, line);
}

void *__wrap_mem_crypto_realloc(void *p, size_t n, const char *file, int line)
{
	return fails() ? NULL : __real_mem_crypto_realloc(p, n, file, line);
}

#define P256    BYTES("\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07")
#define ED25519 BYTES("\x06\x03\x2b\x65\x70")
#define X25519  BYTES("\x06\x03\x2b\x65\x6e")

enum { T_RSA, T_EC, T_EDWARDS, T_MONTGOMERY, T_ML_DSA, TYPES };
static struct pair pairs[TYPES];
static struct buf wrapped[TYPES], signature[TYPES];

static const CK_MECHANISM_TYPE signers[TYPES] = {
	[T_RSA] = CKM_SHA256_RSA_PKCS,
	[T_EC] = CKM_ECDSA_SHA256,
	[T_EDWARDS] = CKM_EDDSA,
	[T_ML_DSA] = CKM_ML_DSA,
};

static struct span message(void)
{
	return BYTES("a message");
}

static int up(void **state)
{
	if (crypto_up(state) != 0)
		return -1;
	pairs[T_RSA] = pair_rsa(1024);
	pairs[T_EC] = pair_curve(CKM_EC_KEY_PAIR_GEN, P256);
	pairs[T_EDWARDS] = pair_curve(CKM_EC_EDWARDS_KEY_PAIR_GEN, ED25519);
	pairs[T_MONTGOMERY] = pair_curve(CKM_EC_MONTGOMERY_KEY_PAIR_GEN, X25519);
	pairs[T_ML_DSA] = pair_mldsa(CKP_ML_DSA_44);
	for (size_t i = 0; i < TYPES; i++) {
		struct call c = { signers[i], NULL, 0 };

		assert_int_equal(key_wrap_form(pairs[i].priv, &wrapped[i]), OK);
		if (i == T_MONTGOMERY)
			continue;
		assert_int_equal(work(c, USE_SIGN, pairs[i].priv, message(), 0, &signature[i]), OK);
		assert_int_equal(check(c, pairs[i].pub, message(), 0, buf_span(&signature[i])), OK);
	}
	return 0;
}

static int down(void **state)
{
	for (size_t i = 0; i < TYPES; i++) {
		pair_free(&pairs[i]);
		buf_free(&wrapped[i]);
		buf_free(&signature[i]);
	}
	return crypto_down(state);
}

/*
 * Runs the step with its first allocation failing, its second, and so on, until one run comes to
 * its end without having met its failure.
 */
static void sweep_once(enum err (*step)(size_t type), size_t type)
{
	enum err e;

	for (long k = 0;; k++) {
		countdown = k;
		armed = true;
		e = step(type);
		armed = false;
		if (countdown >= 0)
			break;
		if (e != OK && e != E_MEMORY && e != E_FAILED)
			print_message("type %zu, allocation %ld: error %d\n", type, k, (int)e);
		assert_true(e == OK || e == E_MEMORY || e == E_FAILED);
	}
	assert_int_equal(e, OK);
}

/*
 * What libcrypto keeps for good it has after the first sweep: the second, of dozens of failures,
 * leaves no more behind than the texts in the thread's error queue, which come and go.
 */
static void sweep(enum err (*step)(size_t type), size_t type)
{
	const size_t texts = 2048;
	struct mem_stats before, after;

	sweep_once(step, type);
	mem_stats(&before);
	sweep_once(step, type);
	mem_stats(&after);
	assert_true(after.secret_used <= before.secret_used + texts);
}

static void sweep_types(enum err (*step)(size_t type), const size_t *types, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sweep(step, types[i]);
}

static const size_t all_types[] = { T_RSA, T_EC, T_EDWARDS, T_MONTGOMERY, T_ML_DSA };
static const size_t signing_types[] = { T_RSA, T_EC, T_EDWARDS, T_ML_DSA };
static const size_t generated_types[] = { T_EC, T_EDWARDS, T_MONTGOMERY, T_ML_DSA };

static enum err parse_both(size_t type)
{
	struct key *k = NULL;
	enum err e = key_parse(pairs[type].priv, &k);

	key_unref(k);
	if (e != OK)
		return e;
	k = NULL;
	e = key_parse(pairs[type].pub, &k);
	key_unref(k);
	return e;
}

static void parsing(void **state)
{
	(void)state;
	sweep_types(parse_both, all_types, COUNT(all_types));
}

static enum err complete_copy(const struct attrset *from, bool bare)
{
	static const CK_ATTRIBUTE_TYPE computed[] = { CKA_PUBLIC_KEY_INFO, CKA_PRIME_1,
						      CKA_PRIME_2,         CKA_EXPONENT_1,
						      CKA_EXPONENT_2,      CKA_COEFFICIENT };
	struct attrset *a = attrset_copy(from, true);
	enum err e;

	if (a == NULL)
		return E_MEMORY;
	for (size_t i = 0; bare && i < COUNT(computed); i++)
		attrset_drop(a, computed[i]);
	if (bare && attrset_has(a, CKA_SEED))
		attrset_drop(a, CKA_VALUE);
	e = key_complete(a);
	if (e == OK && !span_eq(attrset_bytes(a, CKA_PUBLIC_KEY_INFO),
				attrset_bytes(from, CKA_PUBLIC_KEY_INFO)))
		e = E_INTERNAL;
	attrset_free(a);
	return e;
}

static enum err complete_both(size_t type)
{
	enum err e = complete_copy(pairs[type].priv, true);

	if (e == OK)
		e = complete_copy(pairs[type].priv, false);
	return e == OK ? complete_copy(pairs[type].pub, false) : e;
}

static void completing(void **state)
{
	(void)state;
	sweep_types(complete_both, all_types, COUNT(all_types));
}

static enum err wrap_and_unwrap(size_t type)
{
	struct attrset *a = attrset_new(true);
	struct buf out = { .secret = true };
	enum err e;

	if (a == NULL)
		return E_MEMORY;
	e = key_wrap_form(pairs[type].priv, &out);
	if (e == OK && !span_eq(buf_span(&out), buf_span(&wrapped[type])))
		e = E_INTERNAL;
	if (e == OK)
		e = attrset_put_ulong(a, CKA_CLASS, CKO_PRIVATE_KEY);
	if (e == OK)
		e = attrset_put(a, CKA_KEY_TYPE, attrset_bytes(pairs[type].priv, CKA_KEY_TYPE));
	if (e == OK)
		e = key_unwrap_form(buf_span(&wrapped[type]), true, a);
	buf_free(&out);
	attrset_free(a);
	return e;
}

static void wrapping(void **state)
{
	(void)state;
	sweep_types(wrap_and_unwrap, all_types, COUNT(all_types));
}

/* A run from the start under a key that is parsed already. */
static enum err sign_with(struct key *k, size_t type, struct sink *o)
{
	struct run r;
	enum err e;

	memset(&r, 0, sizeof(r));
	e = run_begin(&r, mech_find(signers[type]), USE_SIGN, k, NULL);
	if (e == OK) {
		e = run_once(&r, message(), o);
		run_end(&r);
	}
	run_free(&r);
	return e;
}

static enum err verify_with(struct key *k, size_t type, struct span sig)
{
	struct run r;
	enum err e;

	memset(&r, 0, sizeof(r));
	e = run_begin(&r, mech_find(signers[type]), USE_VERIFY, k, NULL);
	if (e == OK) {
		e = run_verify_once(&r, message(), sig);
		run_end(&r);
	}
	run_free(&r);
	return e;
}

/* What the steps below work with, made before the sweep. */
static struct key *sweep_priv, *sweep_pub;
static struct attrset *sweep_templ;

static enum err sign_once(size_t type)
{
	uint8_t sig[2420];
	struct sink o = sink(sig, sizeof(sig));
	enum err e = sign_with(sweep_priv, type, &o);

	armed = false;
	if (e == OK && verify_with(sweep_pub, type, span(sig, o.n)) != OK)
		return E_INTERNAL;
	return e;
}

static enum err verify_given(size_t type)
{
	return verify_with(sweep_pub, type, buf_span(&signature[type]));
}

static void signing_and_verifying(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(signing_types); i++) {
		sweep_priv = key_of(pairs[signing_types[i]].priv);
		sweep_pub = key_of(pairs[signing_types[i]].pub);
		sweep(sign_once, signing_types[i]);
		sweep(verify_given, signing_types[i]);
		key_unref(sweep_priv);
		key_unref(sweep_pub);
	}
}

static enum err generate_one(size_t type)
{
	static const CK_MECHANISM_TYPE gens[TYPES] = {
		[T_EC] = CKM_EC_KEY_PAIR_GEN,
		[T_EDWARDS] = CKM_EC_EDWARDS_KEY_PAIR_GEN,
		[T_MONTGOMERY] = CKM_EC_MONTGOMERY_KEY_PAIR_GEN,
		[T_ML_DSA] = CKM_ML_DSA_KEY_PAIR_GEN,
	};
	struct attrset *pub = attrset_new(false), *priv = attrset_new(true);
	struct param par;
	enum err e = E_MEMORY;

	memset(&par, 0, sizeof(par));
	/* a public key is a template of its own kind */
	if (pub != NULL && priv != NULL)
		e = mech_generate_pair(mech_find(gens[type]), &par, pairs[type].pub,
				       pairs[type].priv, pub, priv);
	attrset_free(pub);
	attrset_free(priv);
	return e;
}

static void generating(void **state)
{
	(void)state;
	sweep_types(generate_one, generated_types, COUNT(generated_types));
}

static enum err derive_one(size_t type)
{
	struct attrset *made = attrset_new(true);
	struct param par;
	enum err e = E_MEMORY;

	memset(&par, 0, sizeof(par));
	if (made != NULL) {
		struct span point = attrset_bytes(pairs[type].pub, CKA_EC_POINT);

		par.kdf = CKD_SHA256_KDF;
		par.hash = CKM_SHA256;
		par.data.n = point.n;
		par.data.heap = mem_alloc(point.n);
		if (par.data.heap != NULL) {
			memcpy(par.data.heap, point.p, point.n);
			e = mech_derive(mech_find(CKM_ECDH1_DERIVE), &par, sweep_priv, NULL,
					sweep_templ, made);
		}
		mem_free(par.data.heap);
	}
	attrset_free(made);
	return e;
}

static void deriving(void **state)
{
	static const size_t types[] = { T_EC, T_MONTGOMERY };

	(void)state;
	sweep_templ = set_new(CKO_SECRET_KEY, CKK_AES);
	set_put_ulong(sweep_templ, CKA_VALUE_LEN, 32);
	for (size_t i = 0; i < COUNT(types); i++) {
		sweep_priv = key_of(pairs[types[i]].priv);
		sweep(derive_one, types[i]);
		key_unref(sweep_priv);
	}
	attrset_free(sweep_templ);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parsing),    cmocka_unit_test(completing),
		cmocka_unit_test(wrapping),   cmocka_unit_test(signing_and_verifying),
		cmocka_unit_test(generating), cmocka_unit_test(deriving),
	};

	return cmocka_run_group_tests(tests, up, down);
}
