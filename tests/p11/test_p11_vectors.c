/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test vectors of a directory: CHANCERY_VECTORS, else ../shared/ref/vectors beside the source. Says of each
 * file how many it ran, and how many it could not for lack of a mechanism. Without the directory it is skipped.
 */
#include "vec.h"
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static const struct vec_kind *const families[] = { vec_symmetric, vec_signature, vec_agreement,
						   vec_derivation, vec_rsa };

struct tally {
	unsigned ran, skipped, failed;
};

static char directory[PATH_MAX - 256];

static vec_fn *kind_of(const char *type)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		for (const struct vec_kind *k = families[i]; k->type != NULL; k++)
			if (strcmp(k->type, type) == 0)
				return k->run;
	return NULL;
}

/* Whether the outcome is right for the result that the vector states. */
static bool right(enum vec_outcome o, const char *result)
{
	if (o == VEC_DIFFERS)
		return false;
	if (strcmp(result, "acceptable") == 0)
		return true;
	return (o == VEC_TAKEN) == (strcmp(result, "valid") == 0);
}

static void one(struct vec *v, vec_fn *run, const char *name, struct tally *t)
{
	static const char *const words[] = { "taken", "refused", "taken with another output",
					     "skipped" };
	const char *result = vec_text(v->test, "result");
	enum vec_outcome o = run(v);

	if (o == VEC_SKIPPED) {
		t->skipped++;
		return;
	}
	t->ran++;
	if (right(o, result))
		return;
	t->failed++;
	print_error("%s: test %lu (%s) is %s, but was %s\n", name, vec_number(v->test, "tcId"),
		    vec_text(v->test, "comment"), result, words[o]);
}

static void group(struct vec *v, const char *name, struct tally *t)
{
	const json_t *tests = json_object_get(v->group, "tests");
	vec_fn *run = kind_of(vec_text(v->group, "type"));
	size_t i;

	if (run == NULL) {
		t->skipped += (unsigned)json_array_size(tests);
		return;
	}
	json_array_foreach(tests, i, v->test) one(v, run, name, t);
}

static void file(const char *path, const char *name, struct tally *sum)
{
	json_error_t error;
	json_t *all = json_load_file(path, 0, &error);
	struct vec v = { .s = p11_session(), .file = all };
	struct tally t = { 0 };
	size_t i;

	if (all == NULL)
		fail_msg("%s:%d: %s", path, error.line, error.text);
	json_array_foreach(json_object_get(all, "testGroups"), i, v.group) group(&v, name, &t);
	if (v.key != 0)
		assert_ok(p11->C_DestroyObject(v.s, v.key));
	json_decref(all);
	print_message("%-48s %5u ran, %4u skipped, %u failed\n", name, t.ran, t.skipped, t.failed);
	sum->ran += t.ran;
	sum->skipped += t.skipped;
	sum->failed += t.failed;
}

static int is_json(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 5 && strcmp(d->d_name + n - 5, ".json") == 0;
}

static void test_wycheproof(void **state)
{
	char path[PATH_MAX];
	struct dirent **names;
	struct tally sum = { 0 };

	(void)state;
	snprintf(path, sizeof(path), "%s/wycheproof", directory);
	int n = scandir(path, &names, is_json, alphasort);
	if (n < 0) {
		print_message("no vectors in %s: skipped\n", path);
		skip();
	}
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/wycheproof/%.200s", directory, names[i]->d_name);
		file(path, names[i]->d_name, &sum);
		free(names[i]);
	}
	free(names);
	print_message("%u ran, %u skipped, %u failed\n", sum.ran, sum.skipped, sum.failed);
	assert_int_equal(sum.failed, 0);
	assert_true(sum.ran > 0);
}

/* ---- ML-DSA, other sources ---- */

static CK_ULONG set_of(const char *name)
{
	if (strcmp(name, "ML-DSA-44") == 0)
		return CKP_ML_DSA_44;
	if (strcmp(name, "ML-DSA-65") == 0)
		return CKP_ML_DSA_65;
	return strcmp(name, "ML-DSA-87") == 0 ? CKP_ML_DSA_87 : 0;
}

static json_t *load(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	json_t *all = json_load_file(path, 0, NULL);
	if (all == NULL) {
		print_message("no %s: skipped\n", path);
		skip();
	}
	return all;
}

static struct bytes seed, pk, sk, message, context, signature, got;

static CK_OBJECT_HANDLE private_key(struct vec *v, CK_ULONG set, CK_ATTRIBUTE_TYPE what,
				    const struct bytes *value)
{
	struct templ t = { 0 };

	templ_ulong(&t, CKA_CLASS, CKO_PRIVATE_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_ML_DSA);
	templ_ulong(&t, CKA_PARAMETER_SET, set);
	templ_bytes(&t, what, value->p, value->n);
	templ_bool(&t, CKA_SENSITIVE, false);
	templ_bool(&t, CKA_EXTRACTABLE, true);
	templ_flags(&t, CKA_SIGN);
	return vec_create(v, &t);
}

/* A seed expands to the key that the vector says; the public key ends CKA_PUBLIC_KEY_INFO. */
static void test_mldsa_keygen(void **state)
{
	json_t *all = load("acvp/ML-DSA-keyGen-FIPS204.json");
	struct vec v = { .s = p11_session() };
	const json_t *g, *t;
	size_t i, k, ran = 0;

	(void)state;
	json_array_foreach(json_object_get(all, "testGroups"), i, g)
		json_array_foreach(json_object_get(g, "tests"), k, t)
	{
		vec_bytes(t, "seed", &seed);
		vec_bytes(t, "pk", &pk);
		vec_bytes(t, "sk", &sk);
		CK_OBJECT_HANDLE h =
			private_key(&v, set_of(vec_text(g, "parameterSet")), CKA_SEED, &seed);
		assert_true(h != 0);
		got.n = p11_get_bytes(v.s, h, CKA_VALUE, got.p, VEC_MAX);
		assert_int_equal(got.n, sk.n);
		assert_memory_equal(got.p, sk.p, sk.n);
		got.n = p11_get_bytes(v.s, h, CKA_PUBLIC_KEY_INFO, got.p, VEC_MAX);
		assert_true(got.n > pk.n);
		assert_memory_equal(got.p + got.n - pk.n, pk.p, pk.n);
		assert_ok(p11->C_DestroyObject(v.s, h));
		ran++;
	}
	print_message("ML-DSA-keyGen-FIPS204.json: %zu ran\n", ran);
	json_decref(all);
}

static void sign_and_compare(struct vec *v, const json_t *t)
{
	CK_OBJECT_HANDLE h = private_key(v, set_of(vec_text(t, "parameterSet")), CKA_VALUE, &sk);
	CK_SIGN_ADDITIONAL_CONTEXT param = { CKH_DETERMINISTIC_REQUIRED, context.p, context.n };
	CK_MECHANISM m = mechanism(CKM_ML_DSA, &param, sizeof(param));

	assert_true(h != 0);
	got.n = VEC_MAX;
	assert_ok(p11->C_SignInit(v->s, &m, h));
	assert_ok(p11->C_Sign(v->s, message.p, message.n, got.p, &got.n));
	assert_int_equal(got.n, signature.n);
	assert_memory_equal(got.p, signature.p, signature.n);
	assert_ok(p11->C_DestroyObject(v->s, h));
}

static void test_mldsa_external(void **state)
{
	json_t *all = load("acvp/external-interface-kat.json");
	struct vec v = { .s = p11_session() };
	const json_t *t;
	size_t i, ran = 0, skipped = 0;

	(void)state;
	json_array_foreach(json_object_get(all, "tests"), i, t)
	{
		if (set_of(vec_text(t, "parameterSet")) == 0 ||
		    strcmp(vec_text(t, "preHash"), "pure") != 0 ||
		    !json_is_true(json_object_get(t, "deterministic"))) {
			skipped++;
			continue;
		}
		vec_bytes(t, "sk", &sk);
		vec_bytes(t, "message", &message);
		vec_bytes(t, "context", &context);
		vec_bytes(t, "signature", &signature);
		sign_and_compare(&v, t);
		ran++;
	}
	print_message("external-interface-kat.json: %zu ran, %zu skipped\n", ran, skipped);
	assert_true(ran > 0);
	json_decref(all);
}

/* Private keys in every form of RFC 9881; the malformed ones are refused. */
static void test_mldsa_pkcs8(void **state)
{
	json_t *all = load("pkix/pqc-keys.json");
	struct vec v = { .s = p11_session() };
	const json_t *k, *form;
	size_t i, f, ran = 0;

	(void)state;
	json_array_foreach(json_object_get(all, "good"), i, k)
	{
		if (set_of(vec_text(k, "parameterSet")) == 0)
			continue;
		json_array_foreach(json_object_get(k, "privateKeys"), f, form)
		{
			vec_bytes(form, "pkcs8", &sk);
			CK_OBJECT_HANDLE h = vec_pkcs8(&v, CKK_ML_DSA, &sk, CKA_SIGN);
			assert_true(h != 0);
			assert_ok(p11->C_DestroyObject(v.s, h));
			ran++;
		}
	}
	json_array_foreach(json_object_get(all, "bad"), i, k)
	{
		if (set_of(vec_text(k, "parameterSet")) == 0)
			continue;
		vec_bytes(k, "pkcs8", &sk);
		if (vec_pkcs8(&v, CKK_ML_DSA, &sk, CKA_SIGN) != 0)
			fail_msg("%s was taken: %s", vec_text(k, "id"), vec_text(k, "why"));
		ran++;
	}
	print_message("pqc-keys.json: %zu ran\n", ran);
	assert_true(ran > 0);
	json_decref(all);
}

int main(void)
{
	const char *given = getenv("CHANCERY_VECTORS"), *source = getenv("CHANCERY_SOURCE_DIR");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_wycheproof, p11_setup_token, p11_teardown),
		cmocka_unit_test_setup_teardown(test_mldsa_keygen, p11_setup_token, p11_teardown),
		cmocka_unit_test_setup_teardown(test_mldsa_external, p11_setup_token, p11_teardown),
		cmocka_unit_test_setup_teardown(test_mldsa_pkcs8, p11_setup_token, p11_teardown),
	};

	if (given != NULL)
		snprintf(directory, sizeof(directory), "%s", given);
	else
		snprintf(directory, sizeof(directory), "%s/../shared/ref/vectors",
			 source != NULL ? source : ".");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
