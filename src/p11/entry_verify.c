/* SPDX-License-Identifier: Apache-2.0 */
/* Verification of signatures and MACs (3.2, 5.15 and 5.16). */
#include "p11/call.h"

#include "core/op.h"

CK_RV C_VerifyInit(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism, CK_OBJECT_HANDLE hKey)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_init(c.session, OP_VERIFY, pMechanism, hKey, span(NULL, 0));
	return call_leave(&c, e);
}

CK_RV C_Verify(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pData, CK_ULONG ulDataLen,
	       CK_BYTE_PTR pSignature, CK_ULONG ulSignatureLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_verify(c.session, OP_VERIFY, span(pData, ulDataLen),
			      span(pSignature, ulSignatureLen));
	return call_leave(&c, e);
}

CK_RV C_VerifyUpdate(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pPart, CK_ULONG ulPartLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_update(c.session, OP_VERIFY, span(pPart, ulPartLen), out(NULL, NULL));
	return call_leave(&c, e);
}

CK_RV C_VerifyFinal(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pSignature, CK_ULONG ulSignatureLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_verify_final(c.session, OP_VERIFY, span(pSignature, ulSignatureLen));
	return call_leave(&c, e);
}

CK_RV C_VerifyRecoverInit(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism,
			  CK_OBJECT_HANDLE hKey)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_init(c.session, OP_VERIFY_RECOVER, pMechanism, hKey, span(NULL, 0));
	return call_leave(&c, e);
}

CK_RV C_VerifyRecover(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pSignature, CK_ULONG ulSignatureLen,
		      CK_BYTE_PTR pData, CK_ULONG_PTR pulDataLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_once(c.session, OP_VERIFY_RECOVER, span(pSignature, ulSignatureLen),
			    out(pData, pulDataLen));
	return call_leave(&c, e);
}

CK_RV C_VerifySignatureInit(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism,
			    CK_OBJECT_HANDLE hKey, CK_BYTE_PTR pSignature, CK_ULONG ulSignatureLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_init(c.session, OP_VERIFY_SIGNATURE, pMechanism, hKey,
			    span(pSignature, ulSignatureLen));
	return call_leave(&c, e);
}

CK_RV C_VerifySignature(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pData, CK_ULONG ulDataLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_verify(c.session, OP_VERIFY_SIGNATURE, span(pData, ulDataLen),
			      span(NULL, 0));
	return call_leave(&c, e);
}

CK_RV C_VerifySignatureUpdate(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pPart, CK_ULONG ulPartLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_update(c.session, OP_VERIFY_SIGNATURE, span(pPart, ulPartLen),
			      out(NULL, NULL));
	return call_leave(&c, e);
}

CK_RV C_VerifySignatureFinal(CK_SESSION_HANDLE hSession)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_verify_final(c.session, OP_VERIFY_SIGNATURE, span(NULL, 0));
	return call_leave(&c, e);
}
