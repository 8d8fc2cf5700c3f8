/* SPDX-License-Identifier: Apache-2.0 */
/* Session management (3.2, 5.6). */
#include "p11/call.h"

#include "core/lib.h"
#include "core/op.h"
#include "core/session.h"
#include "core/token.h"

static enum err open_session(CK_SLOT_ID slot, CK_FLAGS flags, CK_VOID_PTR app, CK_NOTIFY notify,
			     CK_SESSION_HANDLE *h)
{
	struct token *t = NULL;
	enum err e;

	if (h == NULL)
		return E_ARGUMENTS;
	e = slot_token(slot, &t);
	return e == OK ? session_open(t, flags, app, notify, h) : e;
}

CK_RV C_OpenSession(CK_SLOT_ID slotID, CK_FLAGS flags, CK_VOID_PTR pApplication, CK_NOTIFY Notify,
		    CK_SESSION_HANDLE_PTR phSession)
{
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = open_session(slotID, flags, pApplication, Notify, phSession);
	return call_leave(&c, e);
}

CK_RV C_CloseSession(CK_SESSION_HANDLE hSession)
{
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = session_close(hSession);
	return call_leave(&c, e);
}

CK_RV C_CloseAllSessions(CK_SLOT_ID slotID)
{
	struct call c;
	struct token *t = NULL;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = slot_token(slotID, &t);
	if (e == OK)
		e = session_close_all(t);
	/* a token that is not initialised has no sessions: all of them are closed */
	return call_leave(&c, e == E_TOKEN_BLANK ? OK : e);
}

CK_RV C_GetSessionInfo(CK_SESSION_HANDLE hSession, CK_SESSION_INFO_PTR pInfo)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = pInfo == NULL ? E_ARGUMENTS : session_info(c.session, pInfo);
	return call_leave(&c, e);
}

CK_RV C_SessionCancel(CK_SESSION_HANDLE hSession, CK_FLAGS flags)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_cancel(c.session, flags);
	return call_leave(&c, e);
}

CK_RV C_GetOperationState(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pOperationState,
			  CK_ULONG_PTR pulOperationStateLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_save(c.session, out(pOperationState, pulOperationStateLen));
	return call_leave(&c, e);
}

CK_RV C_SetOperationState(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pOperationState,
			  CK_ULONG ulOperationStateLen, CK_OBJECT_HANDLE hEncryptionKey,
			  CK_OBJECT_HANDLE hAuthenticationKey)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_restore(c.session, span(pOperationState, ulOperationStateLen),
			       hEncryptionKey, hAuthenticationKey);
	return call_leave(&c, e);
}

CK_RV C_Login(CK_SESSION_HANDLE hSession, CK_USER_TYPE userType, CK_UTF8CHAR_PTR pPin,
	      CK_ULONG ulPinLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = token_login(c.session->token, c.session, userType, span(pPin, ulPinLen));
	return call_leave(&c, e);
}

/* Our tokens have one user of each type, who has no name: one that is given is somebody else. */
CK_RV C_LoginUser(CK_SESSION_HANDLE hSession, CK_USER_TYPE userType, CK_UTF8CHAR_PTR pPin,
		  CK_ULONG ulPinLen, CK_UTF8CHAR_PTR pUsername, CK_ULONG ulUsernameLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	(void)pUsername;
	if (e == OK && ulUsernameLen != 0)
		e = E_ARGUMENTS;
	if (e == OK)
		e = token_login(c.session->token, c.session, userType, span(pPin, ulPinLen));
	return call_leave(&c, e);
}

CK_RV C_Logout(CK_SESSION_HANDLE hSession)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = token_logout(c.session->token, c.session);
	return call_leave(&c, e);
}

/* Nothing here is validated, so no flag is ever set (3.2, 5.6.12). */
CK_RV C_GetSessionValidationFlags(CK_SESSION_HANDLE hSession, CK_SESSION_VALIDATION_FLAGS_TYPE type,
				  CK_FLAGS_PTR pFlags)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK && (pFlags == NULL || type != CKS_LAST_VALIDATION_OK))
		e = E_ARGUMENTS;
	if (e == OK)
		*pFlags = 0;
	return call_leave(&c, e);
}
