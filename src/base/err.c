/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <chancery/pkcs11.h>
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

/* Several errors may share a CK_RV: the first row is the plain one. */
enum err err_of_rv(unsigned long rv)
{
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
