/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/hash.h"

#define HASH_COUNT (sizeof(hashes) / sizeof(hashes[0]))

/* clang-format off */
static const struct hash hashes[] = {
	{ CKM_SHA_1, ALG_SHA1, 20, 64, CKG_MGF1_SHA1, CKD_SHA1_KDF, CKP_PKCS5_PBKD2_HMAC_SHA1 },
	{ CKM_SHA224, ALG_SHA224, 28, 64, CKG_MGF1_SHA224, CKD_SHA224_KDF, CKP_PKCS5_PBKD2_HMAC_SHA224 },
	{ CKM_SHA256, ALG_SHA256, 32, 64, CKG_MGF1_SHA256, CKD_SHA256_KDF, CKP_PKCS5_PBKD2_HMAC_SHA256 },
	{ CKM_SHA384, ALG_SHA384, 48, 128, CKG_MGF1_SHA384, CKD_SHA384_KDF, CKP_PKCS5_PBKD2_HMAC_SHA384 },
	{ CKM_SHA512, ALG_SHA512, 64, 128, CKG_MGF1_SHA512, CKD_SHA512_KDF, CKP_PKCS5_PBKD2_HMAC_SHA512 },
	{ CKM_SHA512_224, ALG_SHA512_224, 28, 128, 0, 0, CKP_PKCS5_PBKD2_HMAC_SHA512_224 },
	{ CKM_SHA512_256, ALG_SHA512_256, 32, 128, 0, 0, CKP_PKCS5_PBKD2_HMAC_SHA512_256 },
	{ CKM_SHA3_224, ALG_SHA3_224, 28, 144, CKG_MGF1_SHA3_224, CKD_SHA3_224_KDF, 0 },
	{ CKM_SHA3_256, ALG_SHA3_256, 32, 136, CKG_MGF1_SHA3_256, CKD_SHA3_256_KDF, 0 },
	{ CKM_SHA3_384, ALG_SHA3_384, 48, 104, CKG_MGF1_SHA3_384, CKD_SHA3_384_KDF, 0 },
	{ CKM_SHA3_512, ALG_SHA3_512, 64, 72, CKG_MGF1_SHA3_512, CKD_SHA3_512_KDF, 0 },
};
/* clang-format on */

const struct hash *hash_of(CK_MECHANISM_TYPE mech)
{
	for (size_t i = 0; i < HASH_COUNT; i++)
		if (hashes[i].mech == mech)
			return &hashes[i];
	return NULL;
}

const struct hash *hash_of_mgf(CK_RSA_PKCS_MGF_TYPE mgf)
{
	for (size_t i = 0; i < HASH_COUNT; i++)
		if (mgf != 0 && hashes[i].mgf == mgf)
			return &hashes[i];
	return NULL;
}

const struct hash *hash_of_kdf(CK_EC_KDF_TYPE kdf)
{
	for (size_t i = 0; i < HASH_COUNT; i++)
		if (kdf != 0 && hashes[i].kdf == kdf)
			return &hashes[i];
	return NULL;
}

const struct hash *hash_of_prf(CK_ULONG prf)
{
	for (size_t i = 0; i < HASH_COUNT; i++)
		if (prf != 0 && hashes[i].prf == prf)
			return &hashes[i];
	return NULL;
}

enum err hash_once(const struct hash *h, struct span in, uint8_t *out)
{
	EVP_MD *md = fetch_md(h->alg);
	unsigned n = 0;

	if (md == NULL || EVP_Digest(in.p, in.n, out, &n, md, NULL) != 1)
		return E_FAILED;
	return OK;
}
