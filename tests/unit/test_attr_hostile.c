/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes as a file may have them, of which nobody checked the form when they came: until somebody logs in, a public
 * record may be anybody's. The worst of it is refused; nothing is read beyond its end, and nothing recurses without one.
 */
#include "attrs.h"
#include "core/attr_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* A key whose unwrap template is this set. */
static struct attrset *carrier(struct attrset *templ)
{
	struct buf form = { 0 };
	struct attrset *key = ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY));

	assert_int_equal(attrset_put(key, CKA_UNWRAP_TEMPLATE, attrs_nested(templ, &form)), OK);
	buf_free(&form);
	return key;
}

/* What an imposed template gives is taken for well-formed by all that comes after. */
static void test_imposed_values(void **state)
{
	struct attrset *hostile[] = {
		ATTRS(EMPTY(CKA_SENSITIVE)),
		ATTRS(TEXT(CKA_SENSITIVE, "no")),
		ATTRS(TEXT(CKA_VALUE_LEN, "16")),
		ATTRS(TEXT(CKA_START_DATE, "2026")),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		struct attrset *key = carrier(hostile[i]), *obj = ATTRS(FLAG(CKA_TOKEN, false));

		assert_int_equal(attr_impose(key, CKA_UNWRAP_TEMPLATE, obj), E_CORRUPT);
		attrset_free(key);
		attrset_free(obj);
	}
}

/* A template in a template, so many times, with one attribute in the innermost. */
static void nest(unsigned times, struct attrset *innermost, struct buf *form)
{
	struct attrset *s = innermost;

	for (;; times--) {
		buf_clear(form);
		assert_int_equal(attrset_encode(s, form), OK);
		attrset_free(s);
		if (times == 0)
			return;
		s = ATTRS(BYTES(CKA_UNWRAP_TEMPLATE, form->p, form->n));
	}
}

static enum err nested(unsigned times, struct attrset *innermost)
{
	struct buf form = { 0 };
	enum err e;

	nest(times, innermost, &form);
	e = attr_value_allowed(CKA_UNWRAP_TEMPLATE, buf_span(&form));
	buf_free(&form);
	return e;
}

static void test_nested_values(void **state)
{
	(void)state;
	assert_int_equal(nested(0, ATTRS(FLAG(CKA_SENSITIVE, true))), OK);
	assert_int_equal(nested(3, ATTRS(FLAG(CKA_SENSITIVE, true))), OK);
	assert_int_equal(nested(0, ATTRS(EMPTY(CKA_SENSITIVE))), E_ATTR_VALUE);
	assert_int_equal(nested(3, ATTRS(TEXT(CKA_SENSITIVE, "yes"))), E_ATTR_VALUE);
	assert_int_equal(nested(0, ATTRS(FLAG(0x12345, true))), E_ATTR_TYPE);
}

static void test_nested_without_end(void **state)
{
	(void)state;
	assert_int_equal(nested(8, ATTRS(FLAG(CKA_SENSITIVE, true))), E_ATTR_VALUE);
	assert_int_equal(nested(1000, ATTRS(FLAG(CKA_SENSITIVE, true))), E_ATTR_VALUE);
}

/* A date of another length is none, and is compared with nothing. */
static void test_dates(void **state)
{
	static const struct {
		const char *start, *end;
		enum err e;
	} rows[] = {
		{ "20260101", "20260101", OK },
		{ "20260102", "20260101", E_TEMPLATE_INCONSISTENT },
		{ "20260102", "201", OK },
		{ "9", "20260101", OK },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct attrset *obj =
			ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY),
			      BYTES(CKA_START_DATE, rows[i].start, strlen(rows[i].start)),
			      BYTES(CKA_END_DATE, rows[i].end, strlen(rows[i].end)));

		assert_int_equal(attr_rules(obj), rows[i].e);
		attrset_free(obj);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_imposed_values),
		cmocka_unit_test(test_nested_values),
		cmocka_unit_test(test_nested_without_end),
		cmocka_unit_test(test_dates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
