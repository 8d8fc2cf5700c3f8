/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame of every C_ function: enter, make one call, leave. errno is the host's and comes out as it went in.
 */
#ifndef CHANCERY_P11_CALL_H
#define CHANCERY_P11_CALL_H

#include "base/err.h"
#include "base/span.h"
#include "core/keyops.h"
#include <chancery/pkcs11.h>

struct session;

struct call {
	struct session *session; /* held until call_leave */
	bool library;            /* the library is entered */
	int kept;                /* errno */
};

/* For functions with a session: E_NOT_INITIALIZED, E_SESSION. On success c->session is locked. */
enum err call_enter(struct call *c, CK_SESSION_HANDLE h);
/* For functions about the library, slots and tokens: E_NOT_INITIALIZED. */
enum err call_enter_library(struct call *c);
/* For functions that work before C_Initialize. */
void call_enter_any(struct call *c);
/* Whichever it was, also when entering failed. */
CK_RV call_leave(struct call *c, enum err e);

/* A function that is not supported: says so to callers whose session and arguments are good. */
CK_RV call_refuse(CK_SESSION_HANDLE h, bool good);

static inline struct templ templ(const CK_ATTRIBUTE *a, CK_ULONG n)
{
	return (struct templ){ a, n };
}

#endif
