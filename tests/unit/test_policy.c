/* SPDX-License-Identifier: Apache-2.0 */
/* Known attacks on the interface (case B013), one by one, and that compat = on permits each. */
#include "core/policy.h"

#include "attrs.h"
#include "crypto/lib.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct attr_who user = { .user = true };
static const struct attr_who compat = { .user = true, .compat = true };

static int start(void **state)
{
	(void)state;
	return crypto_start() == OK ? 0 : -1;
}

static int stop(void **state)
{
	(void)state;
	crypto_stop();
	return 0;
}

enum {
	WRAP = 1,
	UNWRAP = 2,
	ENCRYPT = 4,
	DECRYPT = 8,
	SIGN = 16,
	VERIFY = 32,
	DERIVE = 64,
	ALL_ROLES = 128
};

#define ROLES(roles)                                                                            \
	FLAG(CKA_WRAP, ((roles)&WRAP) != 0), FLAG(CKA_UNWRAP, ((roles)&UNWRAP) != 0),           \
		FLAG(CKA_ENCRYPT, ((roles)&ENCRYPT) != 0),                                      \
		FLAG(CKA_DECRYPT, ((roles)&DECRYPT) != 0), FLAG(CKA_SIGN, ((roles)&SIGN) != 0), \
		FLAG(CKA_VERIFY, ((roles)&VERIFY) != 0), FLAG(CKA_DERIVE, ((roles)&DERIVE) != 0)

static struct attrset *aes(bool hidden, unsigned roles)
{
	return ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY), NUM(CKA_KEY_TYPE, CKK_AES),
		     NUM(CKA_VALUE_LEN, 16), FLAG(CKA_SENSITIVE, hidden),
		     FLAG(CKA_EXTRACTABLE, true), ROLES(roles));
}

static bool mixed(unsigned roles)
{
	bool leaks = (roles & DECRYPT) != 0 && (roles & (WRAP | UNWRAP)) != 0;
	bool plants = (roles & UNWRAP) != 0 && (roles & (ENCRYPT | SIGN | VERIFY)) != 0;
	bool tells = (roles & DERIVE) != 0 && (roles & (SIGN | VERIFY)) != 0;

	return leaks || plants || tells;
}

static struct attrset *generated(const struct attr_who *who, bool hidden, unsigned roles)
{
	struct attrset *s = aes(hidden, roles);

	assert_int_equal(attr_begin(HOW_GENERATE, who, CKO_SECRET_KEY, CKK_AES, s), OK);
	assert_int_equal(attr_finish(HOW_GENERATE, who, NULL, NULL, s), OK);
	return s;
}

static void test_mixes_at_birth(void **state)
{
	(void)state;
	for (unsigned roles = 0; roles < ALL_ROLES; roles++) {
		struct attrset *s = aes(true, roles);
		enum err e = attr_begin(HOW_GENERATE, &user, CKO_SECRET_KEY, CKK_AES, s);

		assert_int_equal(e, mixed(roles) ? E_TEMPLATE_INCONSISTENT : OK);
		attrset_free(s);
		attrset_free(generated(&compat, true, roles));
	}
}

static enum err later(bool copy, const struct attr_who *who, const struct attrset *old,
		      unsigned roles, struct attrset **out)
{
	struct attrset *change = ATTRS(ROLES(roles));
	enum err e = copy ? attr_copy(who, old, change, out) : attr_set(who, old, change, out);

	attrset_free(change);
	return e;
}

/* A key that may be read can get a role, but no mix; one that may not be read gets none. */
static bool may_become(bool hidden, unsigned before, unsigned after)
{
	return hidden ? (after & ~before) == 0 : !mixed(before | after);
}

static void from(bool hidden, unsigned before)
{
	struct attrset *old = generated(&user, hidden, before);

	for (unsigned after = 0; after < ALL_ROLES; after++)
		for (int copy = 0; copy <= 1; copy++) {
			struct attrset *out = NULL;

			assert_int_equal(
				later(copy != 0, &user, old, after, &out),
				may_become(hidden, before, after) ? OK : E_TEMPLATE_INCONSISTENT);
			attrset_free(out);
			out = NULL;
			assert_int_equal(later(copy != 0, &compat, old, after, &out), OK);
			attrset_free(out);
		}
	attrset_free(old);
}

/* From every state to every other, by a change and by a copy: the mix counts over time. */
static void test_mixes_later(void **state)
{
	(void)state;
	for (unsigned before = 0; before < ALL_ROLES; before++)
		if (!mixed(before)) {
			from(true, before);
			from(false, before);
		}
}

/* Off and on again by way of a copy of a copy. */
static void test_roles_are_not_forgotten(void **state)
{
	struct attrset *wrapper = generated(&user, false, WRAP), *idle = NULL, *copy = NULL,
		       *out = NULL;

	(void)state;
	assert_int_equal(later(false, &user, wrapper, 0, &idle), OK);
	assert_int_equal(later(true, &user, idle, 0, &copy), OK);
	assert_int_equal(later(false, &user, copy, DECRYPT, &out), E_TEMPLATE_INCONSISTENT);
	assert_int_equal(later(false, &user, copy, WRAP, &out), OK);
	attrset_free(out);
	attrset_free(copy);
	attrset_free(idle);
	attrset_free(wrapper);
}

/* Of another the officer cannot know whether it has a twin; he may make it himself, and does so knowingly. */
static void test_trust_in_keys_made_here(void **state)
{
	static const struct attr_who officer = { .so = true }, lax = { .so = true, .compat = true };
	struct attrset *trust = ATTRS(FLAG(CKA_TRUSTED, true)), *out = NULL;

	(void)state;
	for (int local = 0; local <= 1; local++) {
		struct attrset *key = generated(&user, true, WRAP);

		assert_int_equal(attrset_put_bool(key, CKA_LOCAL, local != 0), OK);
		assert_int_equal(attr_set(&officer, key, trust, &out),
				 local != 0 ? OK : E_TEMPLATE_INCONSISTENT);
		attrset_free(out);
		out = NULL;
		assert_int_equal(attr_set(&lax, key, trust, &out), OK);
		attrset_free(out);
		out = NULL;
		attrset_free(key);
	}
	attrset_free(trust);
}

/*
 * A key that was mixed under compat = on can still be renamed when that is off again, and gets no
 * worse.
 */
static void test_old_mixes_can_be_lived_with(void **state)
{
	struct attrset *old = generated(&compat, true, WRAP | DECRYPT), *out = NULL;
	struct attrset *label = ATTRS(TEXT(CKA_LABEL, "x"));

	(void)state;
	assert_int_equal(attr_set(&user, old, label, &out), OK);
	attrset_free(out);
	assert_int_equal(later(false, &user, old, WRAP | DECRYPT | UNWRAP, &out),
			 E_TEMPLATE_INCONSISTENT);
	assert_int_equal(later(false, &user, old, WRAP, &out), OK);
	attrset_free(out);
	attrset_free(label);
	attrset_free(old);
}

static enum err pair_half(CK_OBJECT_CLASS cls, struct attrset *s)
{
	enum err e = attr_begin(HOW_GENERATE, &user, cls, CKK_RSA, s);

	attrset_free(s);
	return e;
}

static void test_key_pairs(void **state)
{
	(void)state;
	/* What a common tool asks for: both uses of its own. */
	assert_int_equal(
		pair_half(CKO_PRIVATE_KEY, ATTRS(FLAG(CKA_SIGN, true), FLAG(CKA_DECRYPT, true))),
		OK);
	assert_int_equal(
		pair_half(CKO_PRIVATE_KEY, ATTRS(FLAG(CKA_UNWRAP, true), FLAG(CKA_DECRYPT, true))),
		E_TEMPLATE_INCONSISTENT);
	/* A public key's usage protects nothing. */
	assert_int_equal(
		pair_half(CKO_PUBLIC_KEY, ATTRS(NUM(CKA_MODULUS_BITS, 2048), FLAG(CKA_WRAP, true),
						FLAG(CKA_ENCRYPT, true))),
		OK);
}

/* An unwrapping key whose template grants these; frees inner. */
static struct attrset *unwrapper(struct attrset *inner)
{
	struct buf form = { 0 };
	struct span in = attrs_nested(inner, &form);
	struct attrset *s =
		ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY), BYTES(CKA_UNWRAP_TEMPLATE, in.p, in.n));

	buf_free(&form);
	return s;
}

static enum err unwrap(const struct attr_who *who, const struct attrset *base, bool sensitive,
		       bool extractable)
{
	struct attrset *s = ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY), NUM(CKA_KEY_TYPE, CKK_AES),
				  TEXT(CKA_VALUE, "v"), FLAG(CKA_SENSITIVE, sensitive),
				  FLAG(CKA_EXTRACTABLE, extractable));
	enum err e = attr_finish(HOW_UNWRAP, who, NULL, base, s);

	attrset_free(s);
	return e;
}

static void test_weaker_after_unwrapping(void **state)
{
	struct attrset *plain = aes(true, UNWRAP),
		       *extractable = unwrapper(ATTRS(FLAG(CKA_EXTRACTABLE, true)));
	struct attrset *both =
		unwrapper(ATTRS(FLAG(CKA_EXTRACTABLE, true), FLAG(CKA_SENSITIVE, false)));
	struct attrset *deny = unwrapper(ATTRS(FLAG(CKA_EXTRACTABLE, false)));

	(void)state;
	for (int i = 0; i < 4; i++) {
		bool s = (i & 1) != 0, x = (i & 2) != 0;

		assert_int_equal(unwrap(&user, plain, s, x),
				 s && !x ? OK : E_TEMPLATE_INCONSISTENT);
		assert_int_equal(unwrap(&user, NULL, s, x), s && !x ? OK : E_TEMPLATE_INCONSISTENT);
		assert_int_equal(unwrap(&user, deny, s, x), s && !x ? OK : E_TEMPLATE_INCONSISTENT);
		assert_int_equal(unwrap(&user, extractable, s, x),
				 s ? OK : E_TEMPLATE_INCONSISTENT);
		assert_int_equal(unwrap(&user, both, s, x), OK);
		assert_int_equal(unwrap(&compat, plain, s, x), OK);
	}
	attrset_free(plain);
	attrset_free(extractable);
	attrset_free(both);
	attrset_free(deny);
}

/* ---- ways of mechanisms: 1 for sensitive, 2 for extractable ---- */

static const struct mech plain_way = { .traits = 0 };
static const struct mech blind_way = { .traits = MECH_UNWRAP_BLIND };
static const struct mech stream_way = { .traits = MECH_WRAP_KEYSTREAM | MECH_UNWRAP_BLIND };
static const struct mech open_way = { .traits = MECH_DERIVE_OPEN };

static struct attrset *key_seen(int i, const char *value)
{
	return ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY), BYTES(CKA_VALUE, value, strlen(value)),
		     FLAG(CKA_SENSITIVE, (i & 1) != 0), FLAG(CKA_EXTRACTABLE, (i & 2) != 0));
}

static bool readable(int i)
{
	return i == 2;
}

/* Data objects are always readable, keys as they say. */
static void test_derived_from_hidden_keys(void **state)
{
	struct attrset *data = ATTRS(NUM(CKA_CLASS, CKO_DATA));

	(void)state;
	for (int i = 0; i < 16; i++) {
		struct attrset *base = key_seen(i & 3, "b"), *made = key_seen(i >> 2, "m");
		enum err opened = readable(i & 3) ? OK : E_TEMPLATE_INCONSISTENT;

		assert_int_equal(policy_derive(&user, &plain_way, base, made),
				 readable(i >> 2) ? opened : OK);
		assert_int_equal(policy_derive(&user, &plain_way, base, data), opened);
		assert_int_equal(policy_derive(&user, &open_way, base, made), OK);
		assert_int_equal(policy_derive(&compat, &plain_way, base, made), OK);
		assert_int_equal(policy_derive(&compat, &plain_way, base, data), OK);
		attrset_free(base);
		attrset_free(made);
	}
	assert_int_equal(policy_derive(&user, &plain_way, NULL, data), OK);
	attrset_free(data);
}

static void test_unwrapping_oracles(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct attrset *key = key_seen(i, "k");

		assert_int_equal(policy_unwrapper(&user, &plain_way, 0, key),
				 readable(i) ? OK : E_MECHANISM);
		assert_int_equal(policy_unwrapper(&user, &blind_way, 0, key), OK);
		assert_int_equal(policy_unwrapper(&compat, &plain_way, 0, key), OK);
		attrset_free(key);
	}
}

/* C_DeriveKey of 1, 2, 3 bytes, and each time the check value: a byte more of a key that nobody may see. */
static void test_short_derived_keys(void **state)
{
	static const char value[] = "0123456789abcdefg";

	(void)state;
	for (int i = 0; i < 16; i++)
		for (size_t n = 1; n < sizeof(value); n++) {
			struct attrset *base = key_seen(i & 3, "b"), *made = key_seen(i >> 2, "");
			bool told = !readable(i & 3) && !readable(i >> 2) && n < 16;

			assert_int_equal(attrset_put(made, CKA_VALUE, span(value, n)), OK);
			assert_int_equal(policy_derived(&user, base, made),
					 told ? E_TEMPLATE_INCONSISTENT : OK);
			assert_int_equal(policy_derived(&compat, base, made), OK);
			assert_int_equal(policy_derived(&user, NULL, made), OK);
			attrset_free(base);
			attrset_free(made);
		}
}

static void test_short_tags(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct attrset *key = key_seen(i, "k");

		for (size_t n = 1; n <= 16; n++) {
			assert_int_equal(policy_unwrapper(&user, &blind_way, n, key),
					 readable(i) || n >= 12 ? OK : E_MECHANISM_PARAM);
			assert_int_equal(policy_unwrapper(&compat, &blind_way, n, key), OK);
			assert_int_equal(policy_verify(&user, n, key),
					 readable(i) || n >= 8 ? OK : E_MECHANISM_PARAM);
			assert_int_equal(policy_verify(&compat, n, key), OK);
		}
		assert_int_equal(policy_verify(&user, 0, key), OK);
		attrset_free(key);
	}
}

static void test_wrapping_keystreams(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct attrset *key = key_seen(i, "k");

		assert_int_equal(policy_wrapper(&user, &stream_way, key),
				 readable(i) ? OK : E_KEY_NOT_WRAPPABLE);
		assert_int_equal(policy_wrapper(&user, &plain_way, key), OK);
		assert_int_equal(policy_wrapper(&compat, &stream_way, key), OK);
		attrset_free(key);
	}
}

static void test_wrapping_itself(void **state)
{
	struct attrset *key =
		ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY), TEXT(CKA_VALUE, "0123456789abcdef"));
	struct attrset *copy =
		ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY), NUM(CKA_KEY_TYPE, CKK_GENERIC_SECRET),
		      TEXT(CKA_VALUE, "0123456789abcdef"));
	struct attrset *other =
		ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY), TEXT(CKA_VALUE, "0123456789abcdeX"));

	(void)state;
	assert_int_equal(policy_wrap(&user, key, key), E_KEY_NOT_WRAPPABLE);
	assert_int_equal(policy_wrap(&user, key, copy), E_KEY_NOT_WRAPPABLE);
	assert_int_equal(policy_wrap(&user, key, other), OK);
	assert_int_equal(policy_wrap(&compat, key, key), OK);
	attrset_free(key);
	attrset_free(copy);
	attrset_free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mixes_at_birth),
		cmocka_unit_test(test_mixes_later),
		cmocka_unit_test(test_roles_are_not_forgotten),
		cmocka_unit_test(test_old_mixes_can_be_lived_with),
		cmocka_unit_test(test_key_pairs),
		cmocka_unit_test(test_weaker_after_unwrapping),
		cmocka_unit_test(test_derived_from_hidden_keys),
		cmocka_unit_test(test_trust_in_keys_made_here),
		cmocka_unit_test(test_unwrapping_oracles),
		cmocka_unit_test(test_short_derived_keys),
		cmocka_unit_test(test_short_tags),
		cmocka_unit_test(test_wrapping_keystreams),
		cmocka_unit_test(test_wrapping_itself),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
