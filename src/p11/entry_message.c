/* SPDX-License-Identifier: Apache-2.0 */
/* Message-based functions (3.2, 5.9, 5.11, 5.14 and 5.16): not supported. */
#include "p11/call.h"

/* The parameters are those of the standard; nobody looks at most of them. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

CK_RV C_MessageEncryptInit(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism,
			   CK_OBJECT_HANDLE hKey)
{
	return call_refuse(hSession, true);
}

CK_RV C_EncryptMessage(CK_SESSION_HANDLE hSession, CK_VOID_PTR pParameter, CK_ULONG ulParameterLen,
		       CK_BYTE_PTR pAssociatedData, CK_ULONG ulAssociatedDataLen,
		       CK_BYTE_PTR pPlaintext, CK_ULONG ulPlaintextLen, CK_BYTE_PTR pCiphertext,
		       CK_ULONG_PTR pulCiphertextLen)
{
	return call_refuse(hSession, pulCiphertextLen != NULL);
}

CK_RV C_EncryptMessageBegin(CK_SESSION_HANDLE hSession, CK_VOID_PTR pParameter,
			    CK_ULONG ulParameterLen, CK_BYTE_PTR pAssociatedData,
			    CK_ULONG ulAssociatedDataLen)
{
	return call_refuse(hSession, true);
}

CK_RV C_EncryptMessageNext(CK_SESSION_HANDLE hSession, CK_VOID_PTR pParameter,
			   CK_ULONG ulParameterLen, CK_BYTE_PTR pPlaintextPart,
			   CK_ULONG ulPlaintextPartLen, CK_BYTE_PTR pCiphertextPart,
			   CK_ULONG_PTR pulCiphertextPartLen, CK_FLAGS flags)
{
	return call_refuse(hSession, pulCiphertextPartLen != NULL);
}

CK_RV C_MessageEncryptFinal(CK_SESSION_HANDLE hSession)
{
	return call_refuse(hSession, true);
}

CK_RV C_MessageDecryptInit(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism,
			   CK_OBJECT_HANDLE hKey)
{
	return call_refuse(hSession, true);
}

CK_RV C_DecryptMessage(CK_SESSION_HANDLE hSession, CK_VOID_PTR pParameter, CK_ULONG ulParameterLen,
		       CK_BYTE_PTR pAssociatedData, CK_ULONG ulAssociatedDataLen,
		       CK_BYTE_PTR pCiphertext, CK_ULONG ulCiphertextLen, CK_BYTE_PTR pPlaintext,
		       CK_ULONG_PTR pulPlaintextLen)
{
	return call_refuse(hSession, pulPlaintextLen != NULL);
}

CK_RV C_DecryptMessageBegin(CK_SESSION_HANDLE hSession, CK_VOID_PTR pParameter,
			    CK_ULONG ulParameterLen, CK_BYTE_PTR pAssociatedData,
			    CK_ULONG ulAssociatedDataLen)
{
	return call_refuse(hSession, true);
}

CK_RV C_DecryptMessageNext(CK_SESSION_HANDLE hSession, CK_VOID_PTR pParameter,
			   CK_ULONG ulParameterLen, CK_BYTE_PTR pCiphertextPart,
			   CK_ULONG ulCiphertextPartLen, CK_BYTE_PTR pPlaintextPart,
			   CK_ULONG_PTR pulPlaintextPartLen, CK_FLAGS flags)
{
	return call_refuse(hSession, pulPlaintextPartLen != NULL);
}

CK_RV C_MessageDecryptFinal(CK_SESSION_HANDLE hSession)
{
	return call_refuse(hSession, true);
}

CK_RV C_MessageSignInit(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism,
			CK_OBJECT_HANDLE hKey)
{
	return call_refuse(hSession, true);
}

CK_RV C_SignMessage(CK_SESSION_HANDLE hSession, CK_VOID_PTR pParameter, CK_ULONG ulParameterLen,
		    CK_BYTE_PTR pData, CK_ULONG ulDataLen, CK_BYTE_PTR pSignature,
		    CK_ULONG_PTR pulSignatureLen)
{
	return call_refuse(hSession, pulSignatureLen != NULL);
}

CK_RV C_SignMessageBegin(CK_SESSION_HANDLE hSession, CK_VOID_PTR pParameter,
			 CK_ULONG ulParameterLen)
{
	return call_refuse(hSession, true);
}

CK_RV C_SignMessageNext(CK_SESSION_HANDLE hSession, CK_VOID_PTR pParameter, CK_ULONG ulParameterLen,
			CK_BYTE_PTR pData, CK_ULONG ulDataLen, CK_BYTE_PTR pSignature,
			CK_ULONG_PTR pulSignatureLen)
{
	return call_refuse(hSession, true);
}

CK_RV C_MessageSignFinal(CK_SESSION_HANDLE hSession)
{
	return call_refuse(hSession, true);
}

CK_RV C_MessageVerifyInit(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism,
			  CK_OBJECT_HANDLE hKey)
{
	return call_refuse(hSession, true);
}

CK_RV C_VerifyMessage(CK_SESSION_HANDLE hSession, CK_VOID_PTR pParameter, CK_ULONG ulParameterLen,
		      CK_BYTE_PTR pData, CK_ULONG ulDataLen, CK_BYTE_PTR pSignature,
		      CK_ULONG ulSignatureLen)
{
	return call_refuse(hSession, true);
}

CK_RV C_VerifyMessageBegin(CK_SESSION_HANDLE hSession, CK_VOID_PTR pParameter,
			   CK_ULONG ulParameterLen)
{
	return call_refuse(hSession, true);
}

CK_RV C_VerifyMessageNext(CK_SESSION_HANDLE hSession, CK_VOID_PTR pParameter,
			  CK_ULONG ulParameterLen, CK_BYTE_PTR pData, CK_ULONG ulDataLen,
			  CK_BYTE_PTR pSignature, CK_ULONG ulSignatureLen)
{
	return call_refuse(hSession, true);
}

CK_RV C_MessageVerifyFinal(CK_SESSION_HANDLE hSession)
{
	return call_refuse(hSession, true);
}
