/* SPDX-License-Identifier: Apache-2.0 */
/* General-purpose functions (3.2, 5.4), but the interfaces, which are in iface.c. */
#include "p11/call.h"

#include "base/version.h"
#include "core/lib.h"

CK_RV C_Initialize(CK_VOID_PTR pInitArgs)
{
	struct call c;

	call_enter_any(&c);
	return call_leave(&c, lib_initialize(pInitArgs));
}

CK_RV C_Finalize(CK_VOID_PTR pReserved)
{
	struct call c;

	call_enter_any(&c);
	return call_leave(&c, pReserved != NULL ? E_ARGUMENTS : lib_finalize());
}

/* A field of an information structure: filled up with blanks, not terminated. */
static void put_text(CK_UTF8CHAR *field, size_t n, const char *text)
{
	memset(field, ' ', n);
	memcpy(field, text, strlen(text));
}

static enum err get_info(CK_INFO *info)
{
	if (info == NULL)
		return E_ARGUMENTS;
	*info = (CK_INFO){
		.cryptokiVersion = { CRYPTOKI_VERSION_MAJOR, CRYPTOKI_VERSION_MINOR },
		.libraryVersion = { CHANCERY_VERSION_MAJOR, CHANCERY_VERSION_MINOR },
	};
	put_text(info->manufacturerID, sizeof(info->manufacturerID), "Chancery project");
	put_text(info->libraryDescription, sizeof(info->libraryDescription),
		 "Chancery software HSM");
	return OK;
}

CK_RV C_GetInfo(CK_INFO_PTR pInfo)
{
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = get_info(pInfo);
	return call_leave(&c, e);
}
