/* SPDX-License-Identifier: Apache-2.0 */
#include "p11/call.h"

#include "core/lib.h"
#include "core/session.h"

#include <errno.h>

void call_enter_any(struct call *c)
{
	*c = (struct call){ .kept = errno };
}

enum err call_enter(struct call *c, CK_SESSION_HANDLE h)
{
	call_enter_any(c);
	return session_get(h, &c->session);
}

enum err call_enter_library(struct call *c)
{
	enum err e;

	call_enter_any(c);
	e = lib_enter();
	c->library = e == OK;
	return e;
}

CK_RV call_leave(struct call *c, enum err e)
{
	if (c->session != NULL)
		session_put(c->session);
	if (c->library)
		lib_leave();
	errno = c->kept;
	return err_rv(e);
}

CK_RV call_refuse(CK_SESSION_HANDLE h, bool good)
{
	struct call c;
	enum err e = call_enter(&c, h);

	if (e == OK)
		e = good ? E_NOT_SUPPORTED : E_ARGUMENTS;
	return call_leave(&c, e);
}
