/* SPDX-License-Identifier: Apache-2.0 */
/* Message digests (3.2, 5.12). */
#include "p11/call.h"

#include "core/op.h"

CK_RV C_DigestInit(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_init(c.session, OP_DIGEST, pMechanism, CK_INVALID_HANDLE, span(NULL, 0));
	return call_leave(&c, e);
}

CK_RV C_Digest(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pData, CK_ULONG ulDataLen,
	       CK_BYTE_PTR pDigest, CK_ULONG_PTR pulDigestLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_once(c.session, OP_DIGEST, span(pData, ulDataLen),
			    out(pDigest, pulDigestLen));
	return call_leave(&c, e);
}

CK_RV C_DigestUpdate(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pPart, CK_ULONG ulPartLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_update(c.session, OP_DIGEST, span(pPart, ulPartLen), out(NULL, NULL));
	return call_leave(&c, e);
}

CK_RV C_DigestKey(CK_SESSION_HANDLE hSession, CK_OBJECT_HANDLE hKey)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_digest_key(c.session, hKey);
	return call_leave(&c, e);
}

CK_RV C_DigestFinal(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pDigest, CK_ULONG_PTR pulDigestLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_final(c.session, OP_DIGEST, out(pDigest, pulDigestLen));
	return call_leave(&c, e);
}
