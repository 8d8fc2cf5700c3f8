/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures and MACs (3.2, 5.13). */
#include "p11/call.h"

#include "core/op.h"

CK_RV C_SignInit(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism, CK_OBJECT_HANDLE hKey)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_init(c.session, OP_SIGN, pMechanism, hKey, span(NULL, 0));
	return call_leave(&c, e);
}

CK_RV C_Sign(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pData, CK_ULONG ulDataLen,
	     CK_BYTE_PTR pSignature, CK_ULONG_PTR pulSignatureLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_once(c.session, OP_SIGN, span(pData, ulDataLen),
			    out(pSignature, pulSignatureLen));
	return call_leave(&c, e);
}

CK_RV C_SignUpdate(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pPart, CK_ULONG ulPartLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_update(c.session, OP_SIGN, span(pPart, ulPartLen), out(NULL, NULL));
	return call_leave(&c, e);
}

CK_RV C_SignFinal(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pSignature, CK_ULONG_PTR pulSignatureLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_final(c.session, OP_SIGN, out(pSignature, pulSignatureLen));
	return call_leave(&c, e);
}

CK_RV C_SignRecoverInit(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism,
			CK_OBJECT_HANDLE hKey)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_init(c.session, OP_SIGN_RECOVER, pMechanism, hKey, span(NULL, 0));
	return call_leave(&c, e);
}

CK_RV C_SignRecover(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pData, CK_ULONG ulDataLen,
		    CK_BYTE_PTR pSignature, CK_ULONG_PTR pulSignatureLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_once(c.session, OP_SIGN_RECOVER, span(pData, ulDataLen),
			    out(pSignature, pulSignatureLen));
	return call_leave(&c, e);
}
