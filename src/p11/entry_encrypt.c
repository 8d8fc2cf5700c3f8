/* SPDX-License-Identifier: Apache-2.0 */
/* Encryption and decryption (3.2, 5.8 and 5.10). */
#include "p11/call.h"

#include "core/op.h"

CK_RV C_EncryptInit(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism, CK_OBJECT_HANDLE hKey)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_init(c.session, OP_ENCRYPT, pMechanism, hKey, span(NULL, 0));
	return call_leave(&c, e);
}

CK_RV C_Encrypt(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pData, CK_ULONG ulDataLen,
		CK_BYTE_PTR pEncryptedData, CK_ULONG_PTR pulEncryptedDataLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_once(c.session, OP_ENCRYPT, span(pData, ulDataLen),
			    out(pEncryptedData, pulEncryptedDataLen));
	return call_leave(&c, e);
}

CK_RV C_EncryptUpdate(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pPart, CK_ULONG ulPartLen,
		      CK_BYTE_PTR pEncryptedPart, CK_ULONG_PTR pulEncryptedPartLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_update(c.session, OP_ENCRYPT, span(pPart, ulPartLen),
			      out(pEncryptedPart, pulEncryptedPartLen));
	return call_leave(&c, e);
}

CK_RV C_EncryptFinal(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pLastEncryptedPart,
		     CK_ULONG_PTR pulLastEncryptedPartLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_final(c.session, OP_ENCRYPT,
			     out(pLastEncryptedPart, pulLastEncryptedPartLen));
	return call_leave(&c, e);
}

CK_RV C_DecryptInit(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism, CK_OBJECT_HANDLE hKey)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_init(c.session, OP_DECRYPT, pMechanism, hKey, span(NULL, 0));
	return call_leave(&c, e);
}

CK_RV C_Decrypt(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pEncryptedData, CK_ULONG ulEncryptedDataLen,
		CK_BYTE_PTR pData, CK_ULONG_PTR pulDataLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_once(c.session, OP_DECRYPT, span(pEncryptedData, ulEncryptedDataLen),
			    out(pData, pulDataLen));
	return call_leave(&c, e);
}

CK_RV C_DecryptUpdate(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pEncryptedPart,
		      CK_ULONG ulEncryptedPartLen, CK_BYTE_PTR pPart, CK_ULONG_PTR pulPartLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_update(c.session, OP_DECRYPT, span(pEncryptedPart, ulEncryptedPartLen),
			      out(pPart, pulPartLen));
	return call_leave(&c, e);
}

CK_RV C_DecryptFinal(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pLastPart, CK_ULONG_PTR pulLastPartLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = op_final(c.session, OP_DECRYPT, out(pLastPart, pulLastPartLen));
	return call_leave(&c, e);
}
