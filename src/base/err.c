/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <chancery/chancery.h>
#include <stddef.h>
#include <sysexits.h>

struct row {
	unsigned long rv;
	int http;
	int ex;
	const char *text;
};

static const struct row rows[] = {
#define ERR(name, ckr, http, ex, text) [name] = { ckr, http, ex, text },
#include "base/err.def"
#undef ERR
};

_Static_assert(sizeof(rows) / sizeof(rows[0]) == E_COUNT, "one row per error");

/* A number outside the table can only come from a wild cast: it reads as an internal error. */
static const struct row *row_of(enum err e)
{
	if ((unsigned)e >= E_COUNT)
		e = E_INTERNAL;
	return &rows[e];
}

unsigned long err_rv(enum err e)
{
	return row_of(e)->rv;
}

/* Errors that have only a general CK_RV in the standard, and one of their own in the vendor interface. */
static const struct {
	enum err e;
	unsigned long rv;
} vendor_rows[] = {
	{ E_EXISTS, CKR_CHANCERY_EXISTS }, { E_CREATE, CKR_CHANCERY_CANNOT_CREATE },
	{ E_ABSENT, CKR_CHANCERY_ABSENT }, { E_ACCESS, CKR_CHANCERY_NOT_PERMITTED },
	{ E_BUSY, CKR_CHANCERY_BUSY },     { E_CORRUPT, CKR_CHANCERY_DAMAGED },
};

#define N_VENDOR_ROWS (sizeof(vendor_rows) / sizeof(vendor_rows[0]))

unsigned long err_rv_vendor(enum err e)
{
	for (size_t i = 0; i < N_VENDOR_ROWS; i++) {
		if (vendor_rows[i].e == e)
			return vendor_rows[i].rv;
	}
	return err_rv(e);
}

/* Several errors may share a CK_RV: the first row is the plain one. */
enum err err_of_rv(unsigned long rv)
{
	for (size_t i = 0; i < N_VENDOR_ROWS; i++) {
		if (vendor_rows[i].rv == rv)
			return vendor_rows[i].e;
	}
	for (unsigned i = 0; i < E_COUNT; i++) {
		if (rows[i].rv == rv)
			return (enum err)i;
	}
	return E_INTERNAL;
}

int err_http(enum err e)
{
	return row_of(e)->http;
}

int err_exit(enum err e)
{
	return row_of(e)->ex;
}

const char *err_text(enum err e)
{
	return row_of(e)->text;
}
