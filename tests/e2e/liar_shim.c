/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The module that CHANCERY_MODULE names, but the function that the environment variable LIAR names
 * says that it wrote more than there was room for; C_InitToken and C_InitPIN, that they failed, the first after it did its work. With C_GetTokenInfo
 * no token can be read, and each slot that is asked for is noted in the file LIAR_LOG. With C_GetInterface it has the vendor interface of a
 * later minor version, and no other interface.
 */
#include <chancery/chancery.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MORE = 1 << 24 };

static CK_FUNCTION_LIST *real;

static int liar(const char *function)
{
	const char *v = getenv("LIAR");

	return v != NULL && strcmp(v, function) == 0;
}

/* Only an answer that was written is added to, and not the answer how long it would be. */
static CK_RV told(const char *function, CK_RV rv, const void *out, CK_ULONG *n)
{
	if (rv == CKR_OK && out != NULL && liar(function))
		*n += MORE;
	return rv;
}

static CK_RV get_slot_list(CK_BBOOL present, CK_SLOT_ID_PTR list, CK_ULONG_PTR n)
{
	return told("C_GetSlotList", real->C_GetSlotList(present, list, n), list, n);
}

static CK_RV get_mechanism_list(CK_SLOT_ID slot, CK_MECHANISM_TYPE_PTR list, CK_ULONG_PTR n)
{
	return told("C_GetMechanismList", real->C_GetMechanismList(slot, list, n), list, n);
}

/* A digest of ours is wanted only by those who find no mechanism that makes it. */
static CK_RV get_mechanism_info(CK_SLOT_ID slot, CK_MECHANISM_TYPE type, CK_MECHANISM_INFO_PTR info)
{
	if (liar("C_DigestFinal"))
		return CKR_MECHANISM_INVALID;
	return real->C_GetMechanismInfo(slot, type, info);
}

static CK_RV find_objects(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE_PTR list, CK_ULONG room,
			  CK_ULONG_PTR n)
{
	return told("C_FindObjects", real->C_FindObjects(s, list, room, n), list, n);
}

static CK_RV get_attribute_value(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE h, CK_ATTRIBUTE_PTR a,
				 CK_ULONG n)
{
	return told("C_GetAttributeValue", real->C_GetAttributeValue(s, h, a, n), a->pValue,
		    &a->ulValueLen);
}

static CK_RV get_token_info(CK_SLOT_ID slot, CK_TOKEN_INFO_PTR info)
{
	FILE *log;

	if (!liar("C_GetTokenInfo"))
		return real->C_GetTokenInfo(slot, info);
	log = fopen(getenv("LIAR_LOG"), "a");
	if (log != NULL) {
		fprintf(log, "%lu\n", slot);
		fclose(log);
	}
	return CKR_DEVICE_ERROR;
}

static CK_RV init_token(CK_SLOT_ID slot, CK_UTF8CHAR_PTR pin, CK_ULONG n, CK_UTF8CHAR_PTR label)
{
	CK_RV rv = real->C_InitToken(slot, pin, n, label);

	return liar("C_InitToken") ? CKR_DEVICE_ERROR : rv;
}

static CK_RV init_pin(CK_SESSION_HANDLE s, CK_UTF8CHAR_PTR pin, CK_ULONG n)
{
	return liar("C_InitPIN") ? CKR_DEVICE_ERROR : real->C_InitPIN(s, pin, n);
}

static CK_RV sign(CK_SESSION_HANDLE s, CK_BYTE_PTR data, CK_ULONG len, CK_BYTE_PTR sig,
		  CK_ULONG_PTR n)
{
	return told("C_Sign", real->C_Sign(s, data, len, sig, n), sig, n);
}

static CK_RV sign_final(CK_SESSION_HANDLE s, CK_BYTE_PTR sig, CK_ULONG_PTR n)
{
	return told("C_SignFinal", real->C_SignFinal(s, sig, n), sig, n);
}

static CK_RV digest_final(CK_SESSION_HANDLE s, CK_BYTE_PTR digest, CK_ULONG_PTR n)
{
	return told("C_DigestFinal", real->C_DigestFinal(s, digest, n), digest, n);
}

static void *real_symbol(const char *name)
{
	void *dl = dlopen(getenv("CHANCERY_MODULE"), RTLD_NOW | RTLD_LOCAL);

	return dl != NULL ? dlsym(dl, name) : NULL;
}

CK_RV C_GetInterface(CK_UTF8CHAR_PTR name, CK_VERSION_PTR version, CK_INTERFACE_PTR_PTR out,
		     CK_FLAGS flags)
{
	static CK_CHANCERY_FUNCTIONS later;
	static CK_INTERFACE own;
	CK_C_GetInterface get;

	*(void **)&get = real_symbol("C_GetInterface");
	if (!liar("C_GetInterface") || get == NULL || name == NULL || version != NULL ||
	    strcmp((char *)name, CHANCERY_INTERFACE_NAME) != 0 ||
	    get(name, version, out, flags) != CKR_OK)
		return CKR_ARGUMENTS_BAD;
	own = **out;
	later = *(CK_CHANCERY_FUNCTIONS *)own.pFunctionList;
	later.version.minor = 99;
	own.pFunctionList = &later;
	*out = &own;
	return CKR_OK;
}

CK_RV C_GetFunctionList(CK_FUNCTION_LIST_PTR_PTR out)
{
	static CK_FUNCTION_LIST list;
	CK_C_GetFunctionList get;

	*(void **)&get = real_symbol("C_GetFunctionList");
	if (get == NULL || get(&real) != CKR_OK)
		return CKR_GENERAL_ERROR;
	list = *real;
	list.C_GetSlotList = get_slot_list;
	list.C_GetMechanismList = get_mechanism_list;
	list.C_GetMechanismInfo = get_mechanism_info;
	list.C_FindObjects = find_objects;
	list.C_GetAttributeValue = get_attribute_value;
	list.C_GetTokenInfo = get_token_info;
	list.C_InitToken = init_token;
	list.C_InitPIN = init_pin;
	list.C_Sign = sign;
	list.C_SignFinal = sign_final;
	list.C_DigestFinal = digest_final;
	*out = &list;
	return CKR_OK;
}
