/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interfaces (3.2, 5.4.4 to 5.4.6): the standard's function lists of three versions and our own.
 * None has CKF_INTERFACE_FORK_SAFE: a forked child starts anew with C_Initialize. These functions
 * work before C_Initialize and touch nothing but constants, so they need no frame.
 */
#include "p11/vendor.h"

#include <stdbool.h>
#include <string.h>

#define MEMBER(name) .name = (name),

static CK_FUNCTION_LIST list_2_40 = { .version = { 2, 40 }, CK_FUNCTIONS_2_40(MEMBER) };

static CK_FUNCTION_LIST_3_0 list_3_0 = { .version = { 3, 0 },
					 CK_FUNCTIONS_2_40(MEMBER) CK_FUNCTIONS_3_0(MEMBER) };

static CK_FUNCTION_LIST_3_2 list_3_2 = { .version = { 3, 2 },
					 CK_FUNCTIONS_2_40(MEMBER) CK_FUNCTIONS_3_0(MEMBER)
						 CK_FUNCTIONS_3_2(MEMBER) };

static CK_UTF8CHAR standard[] = "PKCS 11";
static CK_UTF8CHAR vendor[] = CHANCERY_INTERFACE_NAME;

/* The default comes first, the newest version before older ones. Never written to, as the lists. */
static CK_INTERFACE interfaces[] = {
	{ standard, &list_3_2, 0 },
	{ standard, &list_3_0, 0 },
	{ standard, &list_2_40, 0 },
	{ vendor, &vendor_functions, 0 },
};

#define COUNT (sizeof(interfaces) / sizeof(interfaces[0]))

CK_RV C_GetFunctionList(CK_FUNCTION_LIST_PTR_PTR ppFunctionList)
{
	if (ppFunctionList == NULL)
		return CKR_ARGUMENTS_BAD;
	*ppFunctionList = &list_2_40;
	return CKR_OK;
}

CK_RV C_GetInterfaceList(CK_INTERFACE_PTR pInterfacesList, CK_ULONG_PTR pulCount)
{
	CK_ULONG room;

	if (pulCount == NULL)
		return CKR_ARGUMENTS_BAD;
	room = *pulCount;
	*pulCount = COUNT;
	if (pInterfacesList == NULL)
		return CKR_OK;
	if (room < COUNT)
		return CKR_BUFFER_TOO_SMALL;
	memcpy(pInterfacesList, interfaces, sizeof(interfaces));
	return CKR_OK;
}

/* NULL asks for the default: any name, any version. */
static bool matches(const CK_INTERFACE *i, const CK_UTF8CHAR *name, const CK_VERSION *version,
		    CK_FLAGS flags)
{
	const CK_VERSION *have = i->pFunctionList; /* every list begins with its version */

	if (name != NULL && strcmp((const char *)name, (const char *)i->pInterfaceName) != 0)
		return false;
	if (version != NULL && (version->major != have->major || version->minor != have->minor))
		return false;
	return (flags & ~i->flags) == 0;
}

CK_RV C_GetInterface(CK_UTF8CHAR_PTR pInterfaceName, CK_VERSION_PTR pVersion,
		     CK_INTERFACE_PTR_PTR ppInterface, CK_FLAGS flags)
{
	if (ppInterface == NULL)
		return CKR_ARGUMENTS_BAD;
	for (size_t i = 0; i < COUNT; i++) {
		if (matches(&interfaces[i], pInterfaceName, pVersion, flags)) {
			*ppInterface = &interfaces[i];
			return CKR_OK;
		}
	}
	return CKR_ARGUMENTS_BAD;
}
