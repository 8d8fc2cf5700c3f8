/* SPDX-License-Identifier: Apache-2.0 */
/* Key management (3.2, 5.18). */
#include "p11/call.h"

CK_RV C_GenerateKey(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism,
		    CK_ATTRIBUTE_PTR pTemplate, CK_ULONG ulCount, CK_OBJECT_HANDLE_PTR phKey)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK && (pMechanism == NULL || phKey == NULL))
		e = E_ARGUMENTS;
	if (e == OK)
		e = key_generate(c.session, pMechanism, templ(pTemplate, ulCount), phKey);
	return call_leave(&c, e);
}

CK_RV C_GenerateKeyPair(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism,
			CK_ATTRIBUTE_PTR pPublicKeyTemplate, CK_ULONG ulPublicKeyAttributeCount,
			CK_ATTRIBUTE_PTR pPrivateKeyTemplate, CK_ULONG ulPrivateKeyAttributeCount,
			CK_OBJECT_HANDLE_PTR phPublicKey, CK_OBJECT_HANDLE_PTR phPrivateKey)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK && (pMechanism == NULL || phPublicKey == NULL || phPrivateKey == NULL))
		e = E_ARGUMENTS;
	if (e == OK)
		e = key_generate_pair(c.session, pMechanism,
				      templ(pPublicKeyTemplate, ulPublicKeyAttributeCount),
				      templ(pPrivateKeyTemplate, ulPrivateKeyAttributeCount),
				      phPublicKey, phPrivateKey);
	return call_leave(&c, e);
}

CK_RV C_WrapKey(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism,
		CK_OBJECT_HANDLE hWrappingKey, CK_OBJECT_HANDLE hKey, CK_BYTE_PTR pWrappedKey,
		CK_ULONG_PTR pulWrappedKeyLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK && (pMechanism == NULL || pulWrappedKeyLen == NULL))
		e = E_ARGUMENTS;
	if (e == OK)
		e = key_wrap(c.session, pMechanism, hWrappingKey, hKey,
			     out(pWrappedKey, pulWrappedKeyLen));
	return call_leave(&c, e);
}

CK_RV C_UnwrapKey(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism,
		  CK_OBJECT_HANDLE hUnwrappingKey, CK_BYTE_PTR pWrappedKey,
		  CK_ULONG ulWrappedKeyLen, CK_ATTRIBUTE_PTR pTemplate, CK_ULONG ulAttributeCount,
		  CK_OBJECT_HANDLE_PTR phKey)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK && (pMechanism == NULL || pWrappedKey == NULL || phKey == NULL))
		e = E_ARGUMENTS;
	if (e == OK)
		e = key_unwrap(c.session, pMechanism, hUnwrappingKey,
			       span(pWrappedKey, ulWrappedKeyLen),
			       templ(pTemplate, ulAttributeCount), phKey);
	return call_leave(&c, e);
}

CK_RV C_DeriveKey(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR pMechanism,
		  CK_OBJECT_HANDLE hBaseKey, CK_ATTRIBUTE_PTR pTemplate, CK_ULONG ulAttributeCount,
		  CK_OBJECT_HANDLE_PTR phKey)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK && (pMechanism == NULL || phKey == NULL))
		e = E_ARGUMENTS;
	if (e == OK)
		e = key_derive(c.session, pMechanism, hBaseKey, templ(pTemplate, ulAttributeCount),
			       phKey);
	return call_leave(&c, e);
}
