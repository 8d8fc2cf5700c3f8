/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encapsulation, authenticated wrapping and asynchronous calls (3.2, 5.18 and 5.21): not
 * supported.
 */
#include "p11/call.h"

/* The parameters are those of the standard; nobody looks at most of them. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

CK_RV C_EncapsulateKey(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism,
		       CK_OBJECT_HANDLE hPublicKey, CK_ATTRIBUTE_PTR pTemplate,
		       CK_ULONG ulAttributeCount, CK_BYTE_PTR pCiphertext,
		       CK_ULONG_PTR pulCiphertextLen, CK_OBJECT_HANDLE_PTR phKey)
{
	return call_refuse(hSession, pMechanism != NULL && pulCiphertextLen != NULL);
}

CK_RV C_DecapsulateKey(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism,
		       CK_OBJECT_HANDLE hPrivateKey, CK_ATTRIBUTE_PTR pTemplate,
		       CK_ULONG ulAttributeCount, CK_BYTE_PTR pCiphertext, CK_ULONG ulCiphertextLen,
		       CK_OBJECT_HANDLE_PTR phKey)
{
	return call_refuse(hSession, pMechanism != NULL && pCiphertext != NULL && phKey != NULL);
}

CK_RV C_WrapKeyAuthenticated(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism,
			     CK_OBJECT_HANDLE hWrappingKey, CK_OBJECT_HANDLE hKey,
			     CK_BYTE_PTR pAssociatedData, CK_ULONG ulAssociatedDataLen,
			     CK_BYTE_PTR pWrappedKey, CK_ULONG_PTR pulWrappedKeyLen)
{
	return call_refuse(hSession, pMechanism != NULL && pulWrappedKeyLen != NULL);
}

CK_RV C_UnwrapKeyAuthenticated(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism,
			       CK_OBJECT_HANDLE hUnwrappingKey, CK_BYTE_PTR pWrappedKey,
			       CK_ULONG ulWrappedKeyLen, CK_ATTRIBUTE_PTR pTemplate,
			       CK_ULONG ulAttributeCount, CK_BYTE_PTR pAssociatedData,
			       CK_ULONG ulAssociatedDataLen, CK_OBJECT_HANDLE_PTR phKey)
{
	return call_refuse(hSession, pMechanism != NULL && pWrappedKey != NULL && phKey != NULL);
}

CK_RV C_AsyncComplete(CK_SESSION_HANDLE hSession, CK_UTF8CHAR_PTR pFunctionName,
		      CK_ASYNC_DATA_PTR pResult)
{
	return call_refuse(hSession, pFunctionName != NULL && pResult != NULL);
}

CK_RV C_AsyncGetID(CK_SESSION_HANDLE hSession, CK_UTF8CHAR_PTR pFunctionName, CK_ULONG_PTR pulID)
{
	return call_refuse(hSession, pFunctionName != NULL && pulID != NULL);
}

CK_RV C_AsyncJoin(CK_SESSION_HANDLE hSession, CK_UTF8CHAR_PTR pFunctionName, CK_ULONG ulID,
		  CK_BYTE_PTR pData, CK_ULONG ulData)
{
	return call_refuse(hSession, pFunctionName != NULL);
}
