/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame of every C_ function: enter, make one call, leave. errno is the host's and comes out
 * as it went in. A thread that the host cancels ends after the call: ended within, it would leave locks
 * taken, and records that others wait for.
 */
#ifndef CHANCERY_P11_CALL_H
#define CHANCERY_P11_CALL_H

#include "base/err.h"
#include "base/span.h"
#include "core/keyops.h"
#include "core/lib.h"
#include "core/session.h"
#include <chancery/pkcs11.h>
#include <errno.h>
#include <pthread.h>

struct call {
	struct session *session; /* held until call_leave */
	bool library;            /* the library is entered */
	int kept;                /* errno */
	int cancel;              /* whether the thread may be cancelled */
};

/* For functions that work before C_Initialize. */
static inline void call_enter_any(struct call *c)
{
	*c = (struct call){ .kept = errno };
	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &c->cancel);
}

/* For functions with a session: E_NOT_INITIALIZED, E_SESSION. On success c->session is locked. */
static inline enum err call_enter(struct call *c, CK_SESSION_HANDLE h)
{
	call_enter_any(c);
	return session_get(h, &c->session);
}

/* For functions about the library, slots and tokens: E_NOT_INITIALIZED. */
static inline enum err call_enter_library(struct call *c)
{
	enum err e;

	call_enter_any(c);
	e = lib_enter();
	c->library = e == OK;
	return e;
}

/* Whichever it was, also when entering failed. */
static inline CK_RV call_leave(struct call *c, enum err e)
{
	if (c->session != NULL)
		session_put(c->session);
	if (c->library)
		lib_leave();
	errno = c->kept;
	(void)pthread_setcancelstate(c->cancel, NULL);
	return e == OK ? CKR_OK : err_rv(e);
}

/* A function that is not supported: says so to callers whose session and arguments are good. */
CK_RV call_refuse(CK_SESSION_HANDLE h, bool good);

static inline struct templ templ(const CK_ATTRIBUTE *a, CK_ULONG n)
{
	return (struct templ){ a, n };
}

#endif
