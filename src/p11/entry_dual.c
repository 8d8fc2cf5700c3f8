/* SPDX-License-Identifier: Apache-2.0 */
/* Dual-function cryptography (3.2, 5.17). */
#include "p11/call.h"

#include "core/op.h"

CK_RV C_DigestEncryptUpdate(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pPart, CK_ULONG ulPartLen,
			    CK_BYTE_PTR pEncryptedPart, CK_ULONG_PTR pulEncryptedPartLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_dual(c.session, OP_DIGEST, OP_ENCRYPT, span(pPart, ulPartLen),
			    out(pEncryptedPart, pulEncryptedPartLen));
	return call_leave(&c, e);
}

CK_RV C_DecryptDigestUpdate(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pEncryptedPart,
			    CK_ULONG ulEncryptedPartLen, CK_BYTE_PTR pPart, CK_ULONG_PTR pulPartLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_dual(c.session, OP_DIGEST, OP_DECRYPT,
			    span(pEncryptedPart, ulEncryptedPartLen), out(pPart, pulPartLen));
	return call_leave(&c, e);
}

CK_RV C_SignEncryptUpdate(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pPart, CK_ULONG ulPartLen,
			  CK_BYTE_PTR pEncryptedPart, CK_ULONG_PTR pulEncryptedPartLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_dual(c.session, OP_SIGN, OP_ENCRYPT, span(pPart, ulPartLen),
			    out(pEncryptedPart, pulEncryptedPartLen));
	return call_leave(&c, e);
}

CK_RV C_DecryptVerifyUpdate(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pEncryptedPart,
			    CK_ULONG ulEncryptedPartLen, CK_BYTE_PTR pPart, CK_ULONG_PTR pulPartLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_dual(c.session, OP_VERIFY, OP_DECRYPT,
			    span(pEncryptedPart, ulEncryptedPartLen), out(pPart, pulPartLen));
	return call_leave(&c, e);
}
