/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema walk: every kind of object with every attribute, given or left out in every way to
 * make it, changed later, copied, and read while sensitive. What must happen is derived from the
 * reference table, not from the schema.
 */
#include "core/attr.h"

#include "attrs.h"
#include "base/names.h"
#include "core/schema.h"
#include "crypto/lib.h"
#include "reftable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct attr_who user = { .user = true };
static const struct attr_who officer = { .so = true };
static unsigned long checks;

/* ---- one kind of object, and what the table says about it ---- */

enum { MAX_TYPES = 256 };

/* Every attribute of the standard once: a line of the table that names it. */
static const struct ref_attr *all[MAX_TYPES];
static size_t all_n;

struct kind {
	const struct schema_kind *k;
	const char *cls, *sub;
	CK_ATTRIBUTE_TYPE sub_type; /* CKA_KEY_TYPE …, or CK_UNAVAILABLE_INFORMATION */
	const struct ref_attr *rows[MAX_TYPES];  /* the line in force for each of `all`, or NULL */
	struct attrset *minimal[HOW_UNWRAP + 1]; /* templates that have just enough */
};

static const struct ref_attr *row_of(const struct kind *k, CK_ATTRIBUTE_TYPE t)
{
	for (size_t i = 0; i < all_n; i++)
		if (all[i]->type == t)
			return k->rows[i];
	return NULL;
}

static void list_all(void)
{
	for (size_t r = 0; r < reftable_count(); r++) {
		const struct ref_attr *a = reftable_at(r);
		size_t i = 0;

		while (i < all_n && all[i]->type != a->type)
			i++;
		assert_true(i < MAX_TYPES);
		if (i == all_n)
			all[all_n++] = a;
	}
}

static enum ref_must must(const struct ref_attr *a, enum attr_how how)
{
	switch (how) {
	case HOW_CREATE: return a->create;
	case HOW_GENERATE: return a->generate;
	case HOW_UNWRAP: return a->unwrap;
	default: return REF_NOT_APPLICABLE;
	}
}

static CK_ATTRIBUTE_TYPE sub_type(CK_OBJECT_CLASS cls)
{
	switch (cls) {
	case CKO_CERTIFICATE: return CKA_CERTIFICATE_TYPE;
	case CKO_HW_FEATURE: return CKA_HW_FEATURE_TYPE;
	case CKO_MECHANISM: return CKA_MECHANISM_TYPE;
	case CKO_PUBLIC_KEY:
	case CKO_PRIVATE_KEY:
	case CKO_SECRET_KEY:
	case CKO_OTP_KEY:
	case CKO_DOMAIN_PARAMETERS: return CKA_KEY_TYPE;
	default: return CK_UNAVAILABLE_INFORMATION;
	}
}

/* Which classes an application can make, and how. */
static bool makes(CK_OBJECT_CLASS cls, enum attr_how how)
{
	switch (cls) {
	case CKO_DATA:
	case CKO_CERTIFICATE:
	case CKO_TRUST: return how == HOW_CREATE;
	case CKO_PUBLIC_KEY:
	case CKO_DOMAIN_PARAMETERS: return how == HOW_CREATE || how == HOW_GENERATE;
	case CKO_PRIVATE_KEY:
	case CKO_SECRET_KEY:
	case CKO_OTP_KEY: return true;
	default: return false;
	}
}

/* A value that is fine by itself; other differs from it. */
static struct give value_of(const struct ref_attr *a, bool other)
{
	static const CK_ULONG number[] = { 1, 2 };
	static const uint8_t no_template[4];

	if (strstr(a->data_type, "BOOL") != NULL)
		return FLAG(a->type, other);
	if (strcmp(a->data_type, "CK_DATE") == 0)
		return BYTES(a->type, other ? "20260102" : "20260101", 8);
	if (strcmp(a->data_type, "CK_VERSION") == 0)
		return BYTES(a->type, other ? "\3\2" : "\3\0", 2);
	if (strcmp(a->data_type, "CK_ATTRIBUTE_PTR") == 0)
		return BYTES(a->type, no_template, other ? 0 : sizeof(no_template));
	if (strstr(a->data_type, "_PTR") != NULL)
		return BYTES(a->type, &number[other], sizeof(number[0]));
	if (strstr(a->data_type, "yte array") != NULL || strstr(a->data_type, "string") != NULL ||
	    strstr(a->data_type, "CHAR") != NULL || strcmp(a->data_type, "Big integer") == 0)
		return BYTES(a->type, other ? "other" : "value", 5);
	if (a->type == CKA_OBJECT_VALIDATION_FLAGS)
		return NUM(a->type, 0);
	return NUM(a->type, number[other]);
}

static void put(struct attrset *s, struct give g)
{
	struct attrset *one = attrs_of(&g, 1);

	assert_int_equal(attrset_merge(s, one), OK);
	attrset_free(one);
}

/*
 * Everything that must be given, but the check sum of a public key, which would have to be right.
 */
static struct attrset *just_enough(const struct kind *k, enum attr_how how)
{
	struct attrset *s = ATTRS(NUM(CKA_CLASS, k->k->cls));

	for (size_t i = 0; i < all_n; i++) {
		const struct ref_attr *a = k->rows[i];

		if (a != NULL && must(a, how) == REF_MUST && a->type != CKA_PUBLIC_CRC64_VALUE)
			put(s, value_of(a, false));
	}
	assert_int_equal(attrset_put_ulong(s, CKA_CLASS, k->k->cls), OK);
	if (k->sub_type != CK_UNAVAILABLE_INFORMATION)
		assert_int_equal(attrset_put_ulong(s, k->sub_type, k->k->sub), OK);
	return s;
}

static struct attrset *minimal(const struct kind *k, enum attr_how how)
{
	struct attrset *s = attrset_copy(k->minimal[how], false);

	assert_non_null(s);
	return s;
}

static enum err begin(const struct kind *k, enum attr_how how, const struct attr_who *who,
		      struct attrset *s)
{
	bool told = how != HOW_CREATE; /* the mechanism says what it makes */
	CK_KEY_TYPE kt =
		told && k->sub_type == CKA_KEY_TYPE ? k->k->sub : CK_UNAVAILABLE_INFORMATION;

	return attr_begin(how, who, told ? k->k->cls : CK_UNAVAILABLE_INFORMATION, kt, s);
}

static void expect(const struct kind *k, const char *what, CK_ATTRIBUTE_TYPE t, enum err have,
		   enum err want)
{
	checks++;
	if (have != want)
		fail_msg("%s %s, %s %s: %s, not %s", k->cls, k->sub, what, name_of(NAME_CKA, t),
			 err_text(have), err_text(want));
}

/* ---- the rules ---- */

static enum err given_outcome(const struct kind *k, enum attr_how how, CK_ATTRIBUTE_TYPE t)
{
	const struct ref_attr *a = row_of(k, t);

	if (a == NULL)
		return E_TEMPLATE_INCONSISTENT;
	return must(a, how) == REF_MUST_NOT ? E_ATTR_READ_ONLY : OK;
}

/* What an attribute must not come without (attr_rules, tested in test_attr_begin). */
static void put_companions(const struct kind *k, CK_ATTRIBUTE_TYPE t, struct attrset *s)
{
	if (t != CKA_URL || row_of(k, t) == NULL)
		return;
	put(s, TEXT(CKA_HASH_OF_SUBJECT_PUBLIC_KEY, "hash"));
	put(s, TEXT(CKA_HASH_OF_ISSUER_PUBLIC_KEY, "hash"));
}

/* Every attribute of the standard, added to a template that is otherwise right. */
static void walk_given(const struct kind *k, enum attr_how how)
{
	for (size_t i = 0; i < all_n; i++) {
		const struct ref_attr *a = all[i];
		struct attrset *s = minimal(k, how);

		if (!attrset_has(s, a->type))
			put(s, value_of(a, false));
		put_companions(k, a->type, s);
		expect(k, "given", a->type, begin(k, how, &user, s),
		       given_outcome(k, how, a->type));
		attrset_free(s);
	}
}

/* What test_schema lists as exceptions; and what the call itself says. */
static bool may_be_left_out(const struct kind *k, enum attr_how how, CK_ATTRIBUTE_TYPE t)
{
	bool seeded = k->k->cls == CKO_PRIVATE_KEY &&
		      (k->k->sub == CKK_ML_DSA || k->k->sub == CKK_ML_KEM);

	if (t == CKA_PUBLIC_CRC64_VALUE || (t == CKA_VALUE && seeded))
		return true;
	if (k->k->cls == CKO_TRUST &&
	    (t == CKA_HASH_OF_CERTIFICATE || t == CKA_NAME_HASH_ALGORITHM))
		return true;
	return how != HOW_CREATE && (t == CKA_CLASS || t == CKA_KEY_TYPE);
}

static void walk_left_out(const struct kind *k, enum attr_how how)
{
	for (size_t i = 0; i < all_n; i++) {
		const struct ref_attr *a = k->rows[i];
		struct attrset *s;
		enum err want;

		if (a == NULL || must(a, how) != REF_MUST)
			continue;
		s = minimal(k, how);
		attrset_drop(s, a->type);
		want = may_be_left_out(k, how, a->type) ? OK : E_TEMPLATE_INCOMPLETE;
		expect(k, "left out", a->type, begin(k, how, &user, s), want);
		attrset_free(s);
	}
}

static void walk_trusted(const struct kind *k, enum attr_how how)
{
	struct attrset *s;

	if (row_of(k, CKA_TRUSTED) == NULL)
		return;
	s = minimal(k, how);
	put(s, FLAG(CKA_TRUSTED, true));
	expect(k, "user sets", CKA_TRUSTED, begin(k, how, &user, s), E_ATTR_READ_ONLY);
	attrset_free(s);
	s = minimal(k, how);
	put(s, FLAG(CKA_TRUSTED, true));
	expect(k, "officer sets", CKA_TRUSTED, begin(k, how, &officer, s), OK);
	attrset_free(s);
}

/* A finished object of the kind; visible: its secrets may be read. */
static struct attrset *object(const struct kind *k, bool visible)
{
	struct attrset *s = minimal(k, HOW_CREATE);

	if (row_of(k, CKA_SENSITIVE) != NULL) {
		put(s, FLAG(CKA_SENSITIVE, !visible));
		put(s, FLAG(CKA_EXTRACTABLE, true));
	}
	expect(k, "create with", CKA_CLASS, begin(k, HOW_CREATE, &user, s), OK);
	assert_int_equal(attr_finish(HOW_CREATE, &user, NULL, NULL, s), OK);
	return s;
}

static void walk_reading(const struct kind *k)
{
	struct attrset *shown = object(k, true), *hidden = object(k, false);

	for (size_t i = 0; i < all_n; i++) {
		const struct ref_attr *a = all[i], *mine = k->rows[i];
		CK_ATTRIBUTE t = { a->type, NULL, 0 };
		bool secret = true;

		expect(k, "read", a->type, attr_get(shown, true, &t, 1, true, &secret),
		       mine != NULL ? OK : E_ATTR_TYPE);
		assert_int_equal(t.ulValueLen == CK_UNAVAILABLE_INFORMATION, mine == NULL);
		assert_false(secret); /* a length only */
		t.ulValueLen = 0;
		expect(k, "read of sensitive", a->type,
		       attr_get(hidden, true, &t, 1, true, &secret),
		       mine == NULL   ? E_ATTR_TYPE
		       : mine->hidden ? E_ATTR_SENSITIVE
				      : OK);
		assert_int_equal(t.ulValueLen == CK_UNAVAILABLE_INFORMATION,
				 mine == NULL || mine->hidden);
	}
	attrset_free(shown);
	attrset_free(hidden);
}

/* The table is silent about changes of some classes: what we decided. */
static bool free_to_change(const struct ref_attr *a)
{
	static const CK_ATTRIBUTE_TYPE types[] = { CKA_APPLICATION, CKA_OBJECT_ID, CKA_VALUE,
						   CKA_START_DATE, CKA_END_DATE };

	if (strstr(a->name, "CKA_TRUST_") == a->name)
		return true;
	if (strcmp(a->class_name, "CKO_DATA") != 0 && strcmp(a->class_name, "CKO_CERTIFICATE") != 0)
		return false;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i] == a->type)
			return true;
	return false;
}

static bool begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* What changing a to a value it does not have comes to. */
static enum err change_outcome(const struct ref_attr *a, enum attr_how how, bool so)
{
	if (a->so_only)
		return so ? OK : E_ATTR_READ_ONLY;
	if (begins(a->modifiable, "yes") || begins(a->modifiable, "no FALSE"))
		return OK;
	if (begins(a->modifiable, "one way"))
		return a->type == CKA_WRAP_WITH_TRUSTED ? OK : E_ATTR_READ_ONLY;
	if (begins(a->modifiable, "only in C_CopyObject"))
		return how == HOW_COPY ? OK : E_ATTR_READ_ONLY;
	return begins(a->modifiable, "not stated") && free_to_change(a) ? OK : E_ATTR_READ_ONLY;
}

static bool is_true(const struct attrset *s, CK_ATTRIBUTE_TYPE t)
{
	return attrset_bool(s, t, false);
}

/*
 * A value that old has not: the other truth value, emptiness where only that is allowed, else other
 * bytes.
 */
static struct give changed_value(const struct ref_attr *a, const struct attrset *old)
{
	if (a->type == CKA_PUBLIC_KEY_INFO)
		return EMPTY(a->type);
	if (strstr(a->data_type, "BOOL") != NULL)
		return FLAG(a->type, !is_true(old, a->type));
	return value_of(a, true);
}

static void change_one(const struct kind *k, const struct attrset *old, const struct ref_attr *a,
		       enum attr_how how, bool so)
{
	struct give g = changed_value(a, old);
	struct attrset *change = attrs_of(&g, 1), *out = NULL;
	enum err e = how == HOW_SET ? attr_set(so ? &officer : &user, old, change, &out)
				    : attr_copy(so ? &officer : &user, old, change, &out);
	enum err want = change_outcome(a, how, so);

	/* In a copy, what the object has anyway is no change. */
	if (how == HOW_COPY && want != OK && a->create != REF_MUST_NOT && !a->hidden &&
	    span_eq(attrset_bytes(old, a->type), attrset_bytes(change, a->type)))
		want = OK;
	expect(k, how == HOW_SET ? "set" : "copy", a->type, e, want);
	if (e == OK)
		assert_true(span_eq(attrset_bytes(out, a->type), attrset_bytes(change, a->type)));
	else
		assert_null(out);
	attrset_free(out);
	attrset_free(change);
}

static void walk_changes(const struct kind *k)
{
	struct attrset *old = object(k, true);

	/* Only what was made here is trusted later: policy, tested with it. */
	if (row_of(k, CKA_LOCAL) != NULL)
		assert_int_equal(attrset_put_bool(old, CKA_LOCAL, true), OK);
	for (size_t i = 0; i < all_n; i++) {
		const struct ref_attr *a = k->rows[i];

		if (a == NULL)
			continue;
		/* Private keys stay private: policy, tested with it. */
		if (a->type == CKA_PRIVATE && is_true(old, CKA_PRIVATE))
			continue;
		for (int so = 0; so <= 1; so++) {
			change_one(k, old, a, HOW_SET, so != 0);
			change_one(k, old, a, HOW_COPY, so != 0);
		}
	}
	attrset_free(old);
}

/* Footnotes 11 and 12: at the locked value there is no way back, for a change or in a copy. */
static void walk_one_way(const struct kind *k)
{
	for (size_t i = 0; i < all_n; i++) {
		const struct ref_attr *a = k->rows[i];
		struct attrset *old, *back, *out = NULL;

		if (a == NULL || !(a->once_true || a->once_false) ||
		    strcmp(a->data_type, "CK_BBOOL") != 0)
			continue;
		old = object(k, true);
		assert_int_equal(attrset_put_bool(old, a->type, a->once_true), OK);
		back = ATTRS(FLAG(a->type, !a->once_true));
		expect(k, "set back", a->type, attr_set(&user, old, back, &out), E_ATTR_READ_ONLY);
		expect(k, "copy back", a->type, attr_copy(&user, old, back, &out),
		       E_ATTR_READ_ONLY);
		attrset_free(back);
		attrset_free(old);
	}
}

static void walk_kind(const struct kind *k)
{
	static const enum attr_how ways[] = { HOW_CREATE, HOW_GENERATE, HOW_UNWRAP };

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct attrset *s;

		if (makes(k->k->cls, ways[i])) {
			walk_given(k, ways[i]);
			walk_left_out(k, ways[i]);
			walk_trusted(k, ways[i]);
			continue;
		}
		s = minimal(k, ways[i]);
		expect(k, "made", CKA_CLASS, begin(k, ways[i], &officer, s),
		       ways[i] == HOW_CREATE ? E_ATTR_READ_ONLY : E_TEMPLATE_INCONSISTENT);
		attrset_free(s);
	}
	if (makes(k->k->cls, HOW_CREATE)) {
		walk_reading(k);
		walk_changes(k);
		walk_one_way(k);
	}
}

static void kind_open(const struct schema_kind *sk, struct kind *k)
{
	*k = (struct kind){ .k = sk,
			    .cls = name_of(NAME_CKO, sk->cls),
			    .sub = reftable_sub_name(sk->cls, sk->sub),
			    .sub_type = sub_type(sk->cls) };
	for (size_t i = 0; i < all_n; i++)
		k->rows[i] = reftable_find(k->cls, k->sub, all[i]->type);
	for (enum attr_how how = HOW_CREATE; how <= HOW_UNWRAP; how++)
		k->minimal[how] = just_enough(k, how);
}

static void kind_close(struct kind *k)
{
	for (enum attr_how how = HOW_CREATE; how <= HOW_UNWRAP; how++)
		attrset_free(k->minimal[how]);
}

static void test_walk(void **state)
{
	(void)state;
	if (reftable_count() == 0)
		skip();
	for (size_t i = 0; i < schema_kinds(); i++) {
		struct kind k;

		kind_open(schema_kind_at(i), &k);
		walk_kind(&k);
		kind_close(&k);
	}
}

static int start(void **state)
{
	(void)state;
	reftable_load();
	list_all();
	return crypto_start() == OK ? 0 : -1;
}

static int stop(void **state)
{
	(void)state;
	printf("%lu rules checked\n", checks);
	crypto_stop();
	reftable_free();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_walk) };

	return cmocka_run_group_tests(tests, start, stop);
}
