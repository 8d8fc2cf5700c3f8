/* SPDX-License-Identifier: Apache-2.0 */
#include "every.h"

static void check(CK_RV got, CK_RV want, const char *what)
{
	if (want != EVERY_REFUSED)
		p11_assert_rv(got, want, what, __FILE__, __LINE__);
}

#define CHECK(call) check(p11->call, want, #call)

void every_library_function(CK_RV want)
{
	CHECK(C_GetInfo(NULL));
	CHECK(C_GetSlotList(0, NULL, NULL));
	CHECK(C_GetSlotInfo(0, NULL));
	CHECK(C_GetTokenInfo(0, NULL));
	CHECK(C_GetMechanismList(0, NULL, NULL));
	CHECK(C_GetMechanismInfo(0, 0, NULL));
	CHECK(C_InitToken(0, NULL, 0, NULL));
	CHECK(C_OpenSession(0, 0, NULL, NULL, NULL));
	CHECK(C_CloseAllSessions(0));
	CHECK(C_WaitForSlotEvent(0, NULL, NULL));
}

void every_session_function(CK_SESSION_HANDLE s, CK_RV want)
{
	CHECK(C_InitPIN(s, NULL, 0));
	CHECK(C_SetPIN(s, NULL, 0, NULL, 0));
	CHECK(C_GetSessionInfo(s, NULL));
	CHECK(C_GetOperationState(s, NULL, NULL));
	CHECK(C_SetOperationState(s, NULL, 0, 0, 0));
	CHECK(C_Login(s, 0, NULL, 0));
	CHECK(C_Logout(s));
	CHECK(C_CreateObject(s, NULL, 0, NULL));
	CHECK(C_CopyObject(s, 0, NULL, 0, NULL));
	CHECK(C_DestroyObject(s, 0));
	CHECK(C_GetObjectSize(s, 0, NULL));
	CHECK(C_GetAttributeValue(s, 0, NULL, 0));
	CHECK(C_SetAttributeValue(s, 0, NULL, 0));
	CHECK(C_FindObjectsInit(s, NULL, 0));
	CHECK(C_FindObjects(s, NULL, 0, NULL));
	CHECK(C_FindObjectsFinal(s));
	CHECK(C_EncryptInit(s, NULL, 0));
	CHECK(C_Encrypt(s, NULL, 0, NULL, NULL));
	CHECK(C_EncryptUpdate(s, NULL, 0, NULL, NULL));
	CHECK(C_EncryptFinal(s, NULL, NULL));
	CHECK(C_DecryptInit(s, NULL, 0));
	CHECK(C_Decrypt(s, NULL, 0, NULL, NULL));
	CHECK(C_DecryptUpdate(s, NULL, 0, NULL, NULL));
	CHECK(C_DecryptFinal(s, NULL, NULL));
	CHECK(C_DigestInit(s, NULL));
	CHECK(C_Digest(s, NULL, 0, NULL, NULL));
	CHECK(C_DigestUpdate(s, NULL, 0));
	CHECK(C_DigestKey(s, 0));
	CHECK(C_DigestFinal(s, NULL, NULL));
	CHECK(C_SignInit(s, NULL, 0));
	CHECK(C_Sign(s, NULL, 0, NULL, NULL));
	CHECK(C_SignUpdate(s, NULL, 0));
	CHECK(C_SignFinal(s, NULL, NULL));
	CHECK(C_SignRecoverInit(s, NULL, 0));
	CHECK(C_SignRecover(s, NULL, 0, NULL, NULL));
	CHECK(C_VerifyInit(s, NULL, 0));
	CHECK(C_Verify(s, NULL, 0, NULL, 0));
	CHECK(C_VerifyUpdate(s, NULL, 0));
	CHECK(C_VerifyFinal(s, NULL, 0));
	CHECK(C_VerifyRecoverInit(s, NULL, 0));
	CHECK(C_VerifyRecover(s, NULL, 0, NULL, NULL));
	CHECK(C_DigestEncryptUpdate(s, NULL, 0, NULL, NULL));
	CHECK(C_DecryptDigestUpdate(s, NULL, 0, NULL, NULL));
	CHECK(C_SignEncryptUpdate(s, NULL, 0, NULL, NULL));
	CHECK(C_DecryptVerifyUpdate(s, NULL, 0, NULL, NULL));
	CHECK(C_GenerateKey(s, NULL, NULL, 0, NULL));
	CHECK(C_GenerateKeyPair(s, NULL, NULL, 0, NULL, 0, NULL, NULL));
	CHECK(C_WrapKey(s, NULL, 0, 0, NULL, NULL));
	CHECK(C_UnwrapKey(s, NULL, 0, NULL, 0, NULL, 0, NULL));
	CHECK(C_DeriveKey(s, NULL, 0, NULL, 0, NULL));
	CHECK(C_SeedRandom(s, NULL, 0));
	CHECK(C_GenerateRandom(s, NULL, 0));
	CHECK(C_GetFunctionStatus(s));
	CHECK(C_CancelFunction(s));
	CHECK(C_LoginUser(s, 0, NULL, 0, NULL, 0));
	CHECK(C_SessionCancel(s, 0));
	CHECK(C_MessageEncryptInit(s, NULL, 0));
	CHECK(C_EncryptMessage(s, NULL, 0, NULL, 0, NULL, 0, NULL, NULL));
	CHECK(C_EncryptMessageBegin(s, NULL, 0, NULL, 0));
	CHECK(C_EncryptMessageNext(s, NULL, 0, NULL, 0, NULL, NULL, 0));
	CHECK(C_MessageEncryptFinal(s));
	CHECK(C_MessageDecryptInit(s, NULL, 0));
	CHECK(C_DecryptMessage(s, NULL, 0, NULL, 0, NULL, 0, NULL, NULL));
	CHECK(C_DecryptMessageBegin(s, NULL, 0, NULL, 0));
	CHECK(C_DecryptMessageNext(s, NULL, 0, NULL, 0, NULL, NULL, 0));
	CHECK(C_MessageDecryptFinal(s));
	CHECK(C_MessageSignInit(s, NULL, 0));
	CHECK(C_SignMessage(s, NULL, 0, NULL, 0, NULL, NULL));
	CHECK(C_SignMessageBegin(s, NULL, 0));
	CHECK(C_SignMessageNext(s, NULL, 0, NULL, 0, NULL, NULL));
	CHECK(C_MessageSignFinal(s));
	CHECK(C_MessageVerifyInit(s, NULL, 0));
	CHECK(C_VerifyMessage(s, NULL, 0, NULL, 0, NULL, 0));
	CHECK(C_VerifyMessageBegin(s, NULL, 0));
	CHECK(C_VerifyMessageNext(s, NULL, 0, NULL, 0, NULL, 0));
	CHECK(C_MessageVerifyFinal(s));
	CHECK(C_EncapsulateKey(s, NULL, 0, NULL, 0, NULL, NULL, NULL));
	CHECK(C_DecapsulateKey(s, NULL, 0, NULL, 0, NULL, 0, NULL));
	CHECK(C_VerifySignatureInit(s, NULL, 0, NULL, 0));
	CHECK(C_VerifySignature(s, NULL, 0));
	CHECK(C_VerifySignatureUpdate(s, NULL, 0));
	CHECK(C_VerifySignatureFinal(s));
	CHECK(C_GetSessionValidationFlags(s, 0, NULL));
	CHECK(C_AsyncComplete(s, NULL, NULL));
	CHECK(C_AsyncGetID(s, NULL, NULL));
	CHECK(C_AsyncJoin(s, NULL, 0, NULL, 0));
	CHECK(C_WrapKeyAuthenticated(s, NULL, 0, 0, NULL, 0, NULL, NULL));
	CHECK(C_UnwrapKeyAuthenticated(s, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL));
	CHECK(C_CloseSession(s)); /* last: the others may have a session that is one */
}
