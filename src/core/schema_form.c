/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of values, whatever object they belong to. */
#include "core/schema.h"

#include "base/buf.h"
#include "base/le.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const struct form {
	CK_ATTRIBUTE_TYPE type;
	enum schema_form form;
	CK_ULONG largest;
} forms[] = {
#define FORM(type, form, largest) { type, form, largest },
#include "core/schema_types.def"
#undef FORM
};

CK_ATTRIBUTE_TYPE schema_type(CK_ATTRIBUTE_TYPE t)
{
	if (t == (CKA_ENCAPSULATE_TEMPLATE | CKF_ARRAY_ATTRIBUTE))
		return CKA_ENCAPSULATE_TEMPLATE;
	if (t == (CKA_DECAPSULATE_TEMPLATE | CKF_ARRAY_ATTRIBUTE))
		return CKA_DECAPSULATE_TEMPLATE;
	return t;
}

static const struct form *form_find(CK_ATTRIBUTE_TYPE t)
{
	static const struct form unknown = { SCHEMA_NONE, FORM_UNKNOWN, SCHEMA_NONE };
	const struct form *f = forms;

	for (size_t n = LENGTH(forms); n > 1; n -= n / 2)
		f = f[n / 2].type <= t ? f + n / 2 : f;
	return f->type == t ? f : &unknown;
}

enum schema_form schema_form(CK_ATTRIBUTE_TYPE t)
{
	return form_find(t)->form;
}

static bool bool_ok(struct span v)
{
	return v.n == sizeof(CK_BBOOL) && (v.p[0] == CK_TRUE || v.p[0] == CK_FALSE);
}

static bool ulong_ok(struct span v)
{
	return v.n == sizeof(CK_ULONG);
}

static bool bytes_ok(struct span v)
{
	(void)v;
	return true;
}

static bool ulongs_ok(struct span v)
{
	return v.n % sizeof(CK_ULONG) == 0;
}

static bool version_ok(struct span v)
{
	return v.n == sizeof(CK_VERSION);
}

/* n digits as a number, or -1. */
static int digits(const uint8_t *p, size_t n)
{
	int v = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i] < '0' || p[i] > '9')
			return -1;
		v = v * 10 + (p[i] - '0');
	}
	return v;
}

static int days_in(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return month == 2 && leap ? 29 : days[month - 1];
}

static bool date_ok(struct span v)
{
	int year, month, day;

	if (v.n != sizeof(CK_DATE))
		return v.n == 0;
	year = digits(v.p, 4);
	month = digits(v.p + 4, 2);
	day = digits(v.p + 6, 2);
	return year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= days_in(year, month);
}

bool schema_value_ok(CK_ATTRIBUTE_TYPE t, struct span v)
{
	static bool (*const checks[FORM_COUNT])(struct span) = {
		[FORM_UNKNOWN] = bytes_ok,   [FORM_BOOL] = bool_ok,     [FORM_ULONG] = ulong_ok,
		[FORM_BYTES] = bytes_ok,     [FORM_BIGINT] = bytes_ok,  [FORM_STRING] = bytes_ok,
		[FORM_DATE] = date_ok,       [FORM_ULONGS] = ulongs_ok, [FORM_TEMPLATE] = bytes_ok,
		[FORM_VERSION] = version_ok,
	};

	return checks[schema_form(t)](v);
}

bool schema_value_in_range(CK_ATTRIBUTE_TYPE t, struct span v)
{
	const struct form *f = form_find(t);

	return f->form != FORM_ULONG || le_get64(v.p) <= f->largest;
}
