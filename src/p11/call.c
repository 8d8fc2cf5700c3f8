/* SPDX-License-Identifier: Apache-2.0 */
#include "p11/call.h"

CK_RV call_refuse(CK_SESSION_HANDLE h, bool good)
{
	struct call c;
	enum err e = call_enter(&c, h);

	if (e == OK)
		e = good ? E_NOT_SUPPORTED : E_ARGUMENTS;
	return call_leave(&c, e);
}
