/* SPDX-License-Identifier: Apache-2.0 */
/* Slot and token management (3.2, 5.5). */
#include "p11/call.h"

#include "core/lib.h"
#include "core/session.h"
#include "core/token.h"
#include "crypto/mech.h"

CK_RV C_GetSlotList(CK_BBOOL tokenPresent, CK_SLOT_ID_PTR pSlotList, CK_ULONG_PTR pulCount)
{
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = pulCount == NULL ? E_ARGUMENTS
				     : slot_list(tokenPresent != CK_FALSE, pSlotList, pulCount);
	return call_leave(&c, e);
}

CK_RV C_GetSlotInfo(CK_SLOT_ID slotID, CK_SLOT_INFO_PTR pInfo)
{
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = pInfo == NULL ? E_ARGUMENTS : slot_info(slotID, pInfo);
	return call_leave(&c, e);
}

CK_RV C_GetTokenInfo(CK_SLOT_ID slotID, CK_TOKEN_INFO_PTR pInfo)
{
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = pInfo == NULL ? E_ARGUMENTS : slot_token_info(slotID, pInfo);
	return call_leave(&c, e);
}

CK_RV C_WaitForSlotEvent(CK_FLAGS flags, CK_SLOT_ID_PTR pSlot, CK_VOID_PTR pRserved)
{
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = pSlot == NULL || pRserved != NULL ? E_ARGUMENTS : slot_wait(flags, pSlot);
	return call_leave(&c, e);
}

static enum err mechanism_list(CK_MECHANISM_TYPE *list, CK_ULONG *n)
{
	CK_ULONG room = *n;

	*n = mech_count();
	if (*n == 0)
		return E_MEMORY;
	if (list == NULL)
		return OK;
	if (room < *n)
		return E_TOO_SMALL;
	for (size_t i = 0; i < *n; i++)
		list[i] = mech_at(i)->type;
	return OK;
}

CK_RV C_GetMechanismList(CK_SLOT_ID slotID, CK_MECHANISM_TYPE_PTR pMechanismList,
			 CK_ULONG_PTR pulCount)
{
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = pulCount == NULL ? E_ARGUMENTS : slot_check(slotID);
	if (e == OK)
		e = mechanism_list(pMechanismList, pulCount);
	return call_leave(&c, e);
}

static enum err mechanism_info(CK_MECHANISM_TYPE type, CK_MECHANISM_INFO *info)
{
	const struct mech *m = mech_find(type);

	if (m == NULL)
		return E_MECHANISM;
	*info = (CK_MECHANISM_INFO){ m->min_key, m->max_key, m->flags };
	return OK;
}

CK_RV C_GetMechanismInfo(CK_SLOT_ID slotID, CK_MECHANISM_TYPE type, CK_MECHANISM_INFO_PTR pInfo)
{
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = pInfo == NULL ? E_ARGUMENTS : slot_check(slotID);
	if (e == OK)
		e = mechanism_info(type, pInfo);
	return call_leave(&c, e);
}

CK_RV C_InitToken(CK_SLOT_ID slotID, CK_UTF8CHAR_PTR pPin, CK_ULONG ulPinLen,
		  CK_UTF8CHAR_PTR pLabel)
{
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = pLabel == NULL ? E_ARGUMENTS
				   : slot_init_token(slotID, span(pPin, ulPinLen), pLabel);
	return call_leave(&c, e);
}

CK_RV C_InitPIN(CK_SESSION_HANDLE hSession, CK_UTF8CHAR_PTR pPin, CK_ULONG ulPinLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = token_init_pin(c.session->token, c.session, span(pPin, ulPinLen));
	return call_leave(&c, e);
}

CK_RV C_SetPIN(CK_SESSION_HANDLE hSession, CK_UTF8CHAR_PTR pOldPin, CK_ULONG ulOldLen,
	       CK_UTF8CHAR_PTR pNewPin, CK_ULONG ulNewLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = token_set_pin(c.session->token, c.session, span(pOldPin, ulOldLen),
				  span(pNewPin, ulNewLen));
	return call_leave(&c, e);
}
