/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all keys have in common: parsing, references, class and type, and one parsed key under many
 * threads.
 */
#include "pair.h"

#include "base/mem.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define P256     BYTES("\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07")
#define ED25519  BYTES("\x06\x03\x2b\x65\x70")
#define X448     BYTES("\x06\x03\x2b\x65\x6f")

/* One pair of every type. */
enum { T_RSA, T_EC, T_EDWARDS, T_MONTGOMERY, T_ML_DSA, TYPES };
static struct pair pairs[TYPES];

static int up(void **state)
{
	if (crypto_up(state) != 0)
		return -1;
	pairs[T_RSA] = pair_rsa(2048);
	pairs[T_EC] = pair_curve(CKM_EC_KEY_PAIR_GEN, P256);
	pairs[T_EDWARDS] = pair_curve(CKM_EC_EDWARDS_KEY_PAIR_GEN, ED25519);
	pairs[T_MONTGOMERY] = pair_curve(CKM_EC_MONTGOMERY_KEY_PAIR_GEN, X448);
	pairs[T_ML_DSA] = pair_mldsa(CKP_ML_DSA_65);
	return 0;
}

static int down(void **state)
{
	for (size_t i = 0; i < TYPES; i++)
		pair_free(&pairs[i]);
	return crypto_down(state);
}

static void what_a_key_says_of_itself(void **state)
{
	static const struct {
		CK_KEY_TYPE type;
		CK_ULONG size;
	} want[TYPES] = {
		[T_RSA] = { CKK_RSA, 2048 },           [T_EC] = { CKK_EC, 256 },
		[T_EDWARDS] = { CKK_EC_EDWARDS, 255 }, [T_MONTGOMERY] = { CKK_EC_MONTGOMERY, 448 },
		[T_ML_DSA] = { CKK_ML_DSA, 1952 },
	};

	(void)state;
	for (size_t i = 0; i < TYPES; i++) {
		struct key *priv = key_of(pairs[i].priv), *pub = key_of(pairs[i].pub);

		assert_int_equal(key_type(priv), want[i].type);
		assert_int_equal(key_type(pub), want[i].type);
		assert_int_equal(key_class(priv), CKO_PRIVATE_KEY);
		assert_int_equal(key_class(pub), CKO_PUBLIC_KEY);
		assert_int_equal(key_size(priv), want[i].size);
		assert_int_equal(key_size(pub), want[i].size);
		assert_int_not_equal(key_footprint(priv), 0);
		assert_int_equal(key_footprint(pub), 0);
		assert_ptr_equal(key_ref(priv), priv);
		key_unref(priv);
		assert_int_equal(key_size(priv), want[i].size);
		key_unref(priv);
		key_unref(pub);
		key_unref(NULL);
	}
}

/*
 * The budget of the secret arena counts on it: the estimate is not less than half of what a used
 * key holds.
 */
static void footprints_are_honest(void **state)
{
	(void)state;
	for (size_t i = 0; i < TYPES; i++) {
		enum { KEYS = 16 };
		struct key *k[KEYS];
		struct mem_stats before, after;
		size_t held;

		mem_stats(&before);
		for (size_t j = 0; j < KEYS; j++)
			k[j] = key_of(pairs[i].priv);
		mem_stats(&after);
		held = (after.secret_used - before.secret_used) / KEYS;
		print_message("type %zu: holds %zu, says %zu\n", i, held, key_footprint(k[0]));
		assert_true(key_footprint(k[0]) >= held / 2);
		for (size_t j = 0; j < KEYS; j++)
			key_unref(k[j]);
	}
}

static void class_and_type_must_fit(void **state)
{
	static const struct {
		CK_OBJECT_CLASS class;
		CK_KEY_TYPE type;
		enum err want;
	} rows[] = {
		{ CKO_SECRET_KEY, CKK_RSA, E_TEMPLATE_INCONSISTENT },
		{ CKO_PRIVATE_KEY, CKK_AES, E_TEMPLATE_INCONSISTENT },
		{ CKO_PUBLIC_KEY, CKK_GENERIC_SECRET, E_TEMPLATE_INCONSISTENT },
		{ CKO_PRIVATE_KEY, CKK_VENDOR_DEFINED, E_ATTR_VALUE },
		{ CKO_SECRET_KEY, CKK_VENDOR_DEFINED, E_ATTR_VALUE },
		{ CKO_CERTIFICATE, CKK_RSA, E_ATTR_VALUE },
		{ CKO_DATA, CKK_AES, E_ATTR_VALUE },
		{ CKO_PRIVATE_KEY, CKK_EC, E_TEMPLATE_INCOMPLETE },
	};
	struct attrset *none = attrset_new(false);
	struct key *k = NULL;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct attrset *a = set_new(rows[i].class, rows[i].type);

		assert_int_equal(key_complete(a), rows[i].want);
		assert_int_not_equal(key_parse(a, &k), OK);
		assert_null(k);
		attrset_free(a);
	}
	assert_int_equal(key_complete(none), E_TEMPLATE_INCOMPLETE);
	assert_int_equal(key_parse(none, &k), E_TEMPLATE_INCOMPLETE);
	attrset_free(none);
}

/* Completing what is complete changes nothing. */
static void completing_twice(void **state)
{
	(void)state;
	for (size_t i = 0; i < TYPES; i++) {
		const struct attrset *halves[] = { pairs[i].pub, pairs[i].priv };

		for (size_t j = 0; j < 2; j++) {
			struct attrset *a = attrset_copy(halves[j], true);
			struct buf one = { 0 }, two = { 0 };

			assert_int_equal(key_complete(a), OK);
			assert_int_equal(attrset_encode(halves[j], &one), OK);
			assert_int_equal(attrset_encode(a, &two), OK);
			assert_true(span_eq(buf_span(&one), buf_span(&two)));
			buf_free(&one);
			buf_free(&two);
			attrset_free(a);
		}
	}
}

static void a_foreign_public_key_info_is_refused(void **state)
{
	struct pair other = pair_curve(CKM_EC_KEY_PAIR_GEN, P256);

	(void)state;
	for (size_t i = 0; i < TYPES; i++) {
		struct attrset *a = attrset_copy(pairs[i].priv, true);

		set_put(a, CKA_PUBLIC_KEY_INFO, attrset_bytes(other.pub, CKA_PUBLIC_KEY_INFO));
		assert_int_equal(key_complete(a), E_ATTR_VALUE);
		set_put(a, CKA_PUBLIC_KEY_INFO, span(NULL, 0));
		assert_int_equal(key_complete(a), OK);
		assert_true(span_eq(attrset_bytes(a, CKA_PUBLIC_KEY_INFO),
				    attrset_bytes(pairs[i].pub, CKA_PUBLIC_KEY_INFO)));
		attrset_free(a);
	}
	pair_free(&other);
}

static void only_private_and_secret_keys_are_wrapped(void **state)
{
	struct buf out = { 0 };

	(void)state;
	assert_int_equal(buf_put(&out, BYTES("kept")), OK);
	for (size_t i = 0; i < TYPES; i++) {
		assert_int_equal(key_wrap_form(pairs[i].pub, &out), E_KEY_NOT_WRAPPABLE);
		assert_true(span_eq(buf_span(&out), BYTES("kept")));
	}
	buf_free(&out);
}

static void secret_keys_have_no_public_info(void **state)
{
	struct attrset *a = set_new(CKO_SECRET_KEY, CKK_AES);
	struct buf out = { 0 };

	(void)state;
	set_put(a, CKA_VALUE, BYTES("0123456789abcdef"));
	assert_int_equal(key_public_info(a, &out), E_KEY_TYPE);
	assert_int_equal(key_wrap_form(a, &out), OK);
	assert_true(span_eq(buf_span(&out), BYTES("0123456789abcdef")));
	attrset_free(a);
	buf_free(&out);
}

/* Threads with a run each, all under the same parsed key. */
struct worker {
	pthread_t thread;
	struct key *priv, *pub;
	CK_MECHANISM_TYPE mech;
	unsigned rounds, done;
};

static pthread_barrier_t start_line;

static bool round_trip(struct run *sign, struct run *verify, const struct worker *w, unsigned i)
{
	const struct mech *m = mech_find(w->mech);
	uint8_t msg[32] = { (uint8_t)i, (uint8_t)(i >> 8) };
	uint8_t sig[3309];
	struct sink o = sink(sig, sizeof(sig));
	bool ok;

	ok = run_begin(sign, m, USE_SIGN, w->priv, NULL) == OK &&
	     run_once(sign, span(msg, 32), &o) == OK;
	run_end(sign);
	ok = ok && run_begin(verify, m, USE_VERIFY, w->pub, NULL) == OK &&
	     run_verify_once(verify, span(msg, 32), span(sig, o.n)) == OK;
	run_end(verify);
	return ok;
}

static void *work_through(void *arg)
{
	struct worker *w = arg;
	struct run sign, verify;

	memset(&sign, 0, sizeof(sign));
	memset(&verify, 0, sizeof(verify));
	pthread_barrier_wait(&start_line);
	for (unsigned i = 0; i < w->rounds; i++)
		w->done += round_trip(&sign, &verify, w, i);
	run_free(&sign);
	run_free(&verify);
	return NULL;
}

static void threads_share_a_key(void **state)
{
	enum { THREADS = 4 };
	static const struct {
		size_t type;
		CK_MECHANISM_TYPE mech;
		unsigned rounds;
	} rows[] = {
		{ T_RSA, CKM_SHA256_RSA_PKCS, 60 }, { T_EC, CKM_ECDSA, 200 },
		{ T_EC, CKM_ECDSA_SHA384, 200 },    { T_EDWARDS, CKM_EDDSA, 200 },
		{ T_ML_DSA, CKM_ML_DSA, 20 },
	};

	(void)state;
	assert_int_equal(pthread_barrier_init(&start_line, NULL, THREADS), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct key *priv = key_of(pairs[rows[i].type].priv),
			   *pub = key_of(pairs[rows[i].type].pub);
		struct worker w[THREADS];

		for (size_t j = 0; j < THREADS; j++) {
			w[j] = (struct worker){ .priv = priv,
						.pub = pub,
						.mech = rows[i].mech,
						.rounds = rows[i].rounds };
			assert_int_equal(pthread_create(&w[j].thread, NULL, work_through, &w[j]),
					 0);
		}
		for (size_t j = 0; j < THREADS; j++) {
			assert_int_equal(pthread_join(w[j].thread, NULL), 0);
			assert_int_equal(w[j].done, w[j].rounds);
		}
		key_unref(priv);
		key_unref(pub);
	}
	pthread_barrier_destroy(&start_line);
}

/*
 * A run keeps its context beyond the operation; the key may go, and another may come in its place.
 */
static void a_run_outlives_its_keys(void **state)
{
	struct run sign, verify;
	struct worker w = { .mech = CKM_ECDSA };

	(void)state;
	memset(&sign, 0, sizeof(sign));
	memset(&verify, 0, sizeof(verify));
	for (unsigned i = 0; i < 50; i++) {
		struct pair p = pair_curve(CKM_EC_KEY_PAIR_GEN, P256);

		w.priv = key_of(p.priv);
		w.pub = key_of(p.pub);
		assert_true(round_trip(&sign, &verify, &w, i));
		assert_true(round_trip(&sign, &verify, &w, i + 1));
		key_unref(w.priv);
		key_unref(w.pub);
		pair_free(&p);
	}
	run_free(&sign);
	run_free(&verify);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_key_says_of_itself),
		cmocka_unit_test(footprints_are_honest),
		cmocka_unit_test(class_and_type_must_fit),
		cmocka_unit_test(completing_twice),
		cmocka_unit_test(a_foreign_public_key_info_is_refused),
		cmocka_unit_test(only_private_and_secret_keys_are_wrapped),
		cmocka_unit_test(secret_keys_have_no_public_info),
		cmocka_unit_test(threads_share_a_key),
		cmocka_unit_test(a_run_outlives_its_keys),
	};

	return cmocka_run_group_tests(tests, up, down);
}
