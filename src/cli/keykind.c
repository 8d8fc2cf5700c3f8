/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/keykind.h"

#define RSA(bits)                                                                               \
	{                                                                                       \
		"rsa-" #bits, CKK_RSA, CKM_RSA_PKCS_KEY_PAIR_GEN, true, CKA_MODULUS_BITS, bits, \
			NULL, 0, "sign"                                                         \
	}
#define CURVE(name, type, mech, der, use)                                           \
	{                                                                           \
		name, type, mech, true, CKA_EC_PARAMS, 0, der, sizeof(der) - 1, use \
	}
#define EC(name, der)      CURVE(name, CKK_EC, CKM_EC_KEY_PAIR_GEN, der, "sign")
#define EDWARDS(name, der) CURVE(name, CKK_EC_EDWARDS, CKM_EC_EDWARDS_KEY_PAIR_GEN, der, "sign")
#define MONTGOMERY(name, der) \
	CURVE(name, CKK_EC_MONTGOMERY, CKM_EC_MONTGOMERY_KEY_PAIR_GEN, der, "derive")
#define MLDSA(n)                                                                            \
	{                                                                                   \
		"ml-dsa-" #n, CKK_ML_DSA, CKM_ML_DSA_KEY_PAIR_GEN, true, CKA_PARAMETER_SET, \
			CKP_ML_DSA_##n, NULL, 0, "sign"                                     \
	}
#define SECRET(name, type, mech, bits, use)                                              \
	{                                                                                \
		name "-" #bits, type, mech, false, CKA_VALUE_LEN, bits / 8, NULL, 0, use \
	}

const struct keykind keykinds[] = {
	RSA(2048),
	RSA(3072),
	RSA(4096),
	EC("ec-p256", "\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07"),
	EC("ec-p384", "\x06\x05\x2b\x81\x04\x00\x22"),
	EC("ec-p521", "\x06\x05\x2b\x81\x04\x00\x23"),
	EC("ec-secp256k1", "\x06\x05\x2b\x81\x04\x00\x0a"),
	EC("ec-brainpoolp256r1", "\x06\x09\x2b\x24\x03\x03\x02\x08\x01\x01\x07"),
	EC("ec-brainpoolp384r1", "\x06\x09\x2b\x24\x03\x03\x02\x08\x01\x01\x0b"),
	EC("ec-brainpoolp512r1", "\x06\x09\x2b\x24\x03\x03\x02\x08\x01\x01\x0d"),
	EDWARDS("ed25519", "\x06\x03\x2b\x65\x70"),
	EDWARDS("ed448", "\x06\x03\x2b\x65\x71"),
	MONTGOMERY("x25519", "\x06\x03\x2b\x65\x6e"),
	MONTGOMERY("x448", "\x06\x03\x2b\x65\x6f"),
	MLDSA(44),
	MLDSA(65),
	MLDSA(87),
	SECRET("aes", CKK_AES, CKM_AES_KEY_GEN, 128, "encrypt"),
	SECRET("aes", CKK_AES, CKM_AES_KEY_GEN, 192, "encrypt"),
	SECRET("aes", CKK_AES, CKM_AES_KEY_GEN, 256, "encrypt"),
	SECRET("generic", CKK_GENERIC_SECRET, CKM_GENERIC_SECRET_KEY_GEN, 256, "sign"),
	SECRET("generic", CKK_GENERIC_SECRET, CKM_GENERIC_SECRET_KEY_GEN, 512, "sign"),
	{ NULL, 0, 0, false, 0, 0, NULL, 0, NULL },
};

const struct keykind *keykind_find(const char *name)
{
	for (const struct keykind *k = keykinds; k->name != NULL; k++)
		if (strcmp(k->name, name) == 0)
			return k;
	return NULL;
}

const struct keyuse keyuses[] = {
	{ "sign", CKA_SIGN, CKA_VERIFY },
	{ "encrypt", CKA_DECRYPT, CKA_ENCRYPT },
	{ "wrap", CKA_UNWRAP, CKA_WRAP },
	{ "derive", CKA_DERIVE, CKA_DERIVE },
	{ NULL, 0, 0 },
};

const struct keyuse *keyuse_find(const char *name)
{
	for (const struct keyuse *u = keyuses; u->name != NULL; u++)
		if (strcmp(u->name, name) == 0)
			return u;
	return NULL;
}
