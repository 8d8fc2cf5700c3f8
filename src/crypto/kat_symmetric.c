/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known-answer tests of digests, MACs, AES and key derivation. The answers come from other
 * implementations: the digests, HMAC and PBKDF2 from Python's hashlib, the rest from plain programs
 * written after the standards (FIPS 197, SP 800-38A to 38F, IEEE 1619, RFC 5649, 5869, 9106).
 */
#include "crypto/kat.h"
#include "crypto/kdfctx.h"
#include "crypto/sha256.h"

/* clang-format off */
/* A sentence of 70 bytes, the first 40 and the first 32 of them. */
#define TEXT \
	"546865206772656174207365616c206973206b65707420696e20746865206368616e636572792c20" \
	"616e64206e6f7468696e67206c656176657320756e7265636f726465642e"
#define TEXT40 \
	"546865206772656174207365616c206973206b65707420696e20746865206368616e636572792c20"
#define TEXT32 \
	"546865206772656174207365616c206973206b65707420696e20746865206368"
#define KEY32 \
	"c3c6c596b7a76807489c36d6fe9a9654bd7a107e54557d70cfcd841d583e25d7"
#define KEY64 \
	"c3c6c596b7a76807489c36d6fe9a9654bd7a107e54557d70cfcd841d583e25d71c4ee4153357b752" \
	"8f5b0a420ab886a6541288a967832090432810432ded239f"
#define IV16 { 0x3f, 0x64, 0x6d, 0x8e, 0x72, 0x95, 0xe0, 0xb3, \
		0x2c, 0x65, 0x93, 0x23, 0x10, 0x5d, 0xab, 0xe7 }

#define DIGEST(test, number, answer) \
	{ .name = (test), .kind = KAT_DIGEST, .mech = (number), .in = TEXT, .out = answer }

const struct kat digest_kats[] = {
	DIGEST("SHA1", CKM_SHA_1,
		"665187de30dcec540fda8907dd739b8a902c9325"),
	DIGEST("SHA224", CKM_SHA224,
		"79753a9b013e43d7554f4fba0ed2d3b1832a7faf4bc1946285dd91f4"),
	DIGEST("SHA256", CKM_SHA256,
		"12784672920ffbc51111722811a712d24c85338ec51dc879f8e78fedbdcfbffa"),
	DIGEST("SHA384", CKM_SHA384,
		"a073b5d1e3aeb521949ff90394f46454979f728e3c84c3b0e0aff6654e3a7e333c39e416"
		  "1d9e23752edbdd606ccb86af"),
	DIGEST("SHA512", CKM_SHA512,
		"587858b4582e1132167c7c14e9487dcc23f7cd561c5924f85e36789c63031b3561843be5"
		  "f9fca723b78c41cd182de16bad649d381e9aee205a0c66a3de764b6f"),
	DIGEST("SHA512-224", CKM_SHA512_224,
		"c311350e6cc6379e62d67a6836d0f4ccdd2a575c9bb6b293e4842018"),
	DIGEST("SHA512-256", CKM_SHA512_256,
		"985397e707a04f99dd413f3575ce5e5c198d78ff49ef2d75991effbe6d9dcd0c"),
	DIGEST("SHA3-224", CKM_SHA3_224,
		"1f45571272b6836cf98093d818064fcd44d1651e6200b9263a121efe"),
	DIGEST("SHA3-256", CKM_SHA3_256,
		"0f536a0545d2a70150d1363f7d6de6c02188e0cf0a0f77b998556fa72853f0b9"),
	DIGEST("SHA3-384", CKM_SHA3_384,
		"409b5d05572a2670e3dac24464074442c5d653f1e3d152d966dca815320990bbf6e8f4b1"
		  "c306d722253c5c9ee59eda43"),
	DIGEST("SHA3-512", CKM_SHA3_512,
		"b8a0d13b31fd041dc908ec9d457557cacc67ff1ba36adf82101d456aa17f64afebf66212"
		  "f1757bdb1a6621065319c4e53733b8c8c8058f5b4742f7e488dc4936"),
};
const size_t digest_kats_n = sizeof(digest_kats) / sizeof(digest_kats[0]);

#define SECRET(kt, value) \
	.class = CKO_SECRET_KEY, .key_type = (kt), .priv = { { CKA_VALUE, value } }
#define HMAC(test, number, answer) \
	{ .name = (test), .kind = KAT_SIGN, .mech = (number), SECRET(CKK_GENERIC_SECRET, KEY32), \
	  .in = TEXT, .out = answer }

static uint8_t iv[16] = IV16;
static uint8_t aad[6] = { 'r', 'o', 'l', 'l', ' ', '1' };

/* HMAC as the store and the roll compute it. */
static enum err sealing_hmac(uint8_t *out, size_t n)
{
	static const uint8_t key[SHA256_SIZE] = IV16;
	struct span in = span(aad, sizeof(aad));

	return n == SHA256_SIZE && sha256_mac(key, &in, 1, out) ? OK : E_FAILED;
}

static const CK_GCM_PARAMS gmac_params = { .pIv = iv, .ulIvLen = 12, .ulTagBits = 128 };

const struct kat mac_kats[] = {
	HMAC("HMAC-SHA1", CKM_SHA_1_HMAC,
		"80bb8727321bc10f1dde4d04b739c4751c6b9dbc"),
	HMAC("HMAC-SHA224", CKM_SHA224_HMAC,
		"5ab64a2f5777d22693bac787c6291b8e83e3f6288c3232fea23278e0"),
	HMAC("HMAC-SHA256", CKM_SHA256_HMAC,
		"5e949e0528f978ecbe8324c81bf71fea166138a05e341e09d7e83fcce83be16c"),
	HMAC("HMAC-SHA384", CKM_SHA384_HMAC,
		"dcba1a82c3aee2d89906af61b70343db64bd3e9bcaeb30df1b382db0b223cc93d5ec89a1"
		  "c566db63dcbcd86c2d2d5c11"),
	HMAC("HMAC-SHA512", CKM_SHA512_HMAC,
		"617ef2d1b55e93748890c8fc86d6eb7a2e0a31b63ac05e065e62560c621c99746e93d000"
		  "7ed09149c972f8ca6f3757ab63a4547ae1f23d82a0398a8713ab69d4"),
	HMAC("HMAC-SHA512-224", CKM_SHA512_224_HMAC,
		"67dcf3228db1c56cd2cca41814cb72be78a1e1c6c129bafc04e95cd9"),
	HMAC("HMAC-SHA512-256", CKM_SHA512_256_HMAC,
		"d4ece2f2b56f71a489b6d852b2d0be7a18fc9fe5f47e0269448e5de9d92de763"),
	HMAC("HMAC-SHA3-224", CKM_SHA3_224_HMAC,
		"fdc449b7ef16b16982a8fd81f75a6cc57c31289d2bbb09ca9982c308"),
	HMAC("HMAC-SHA3-256", CKM_SHA3_256_HMAC,
		"13eafa247ac02a83b2ec474ffcc7e40afd8315bd506accbfc6ca5c07bb4d4469"),
	HMAC("HMAC-SHA3-384", CKM_SHA3_384_HMAC,
		"78d03e5d419cef624cf80fced49ce2a19ec38fae140aff91697bfc0822683e20a015d6ae"
		  "1c43937a3c95e0a491d2ed63"),
	HMAC("HMAC-SHA3-512", CKM_SHA3_512_HMAC,
		"fe9820a4f49aa905b94f2fc9cdb4f8366376b76e5f24db59fcde1b3415f66eef2ffae919"
		  "53ceb525b95046a16f5d2c40239cf26710f9f623cd1158fd4a4a2913"),
	{ .name = "CMAC", .kind = KAT_SIGN, .mech = CKM_AES_CMAC, SECRET(CKK_AES, KEY32),
	  .in = TEXT40, .out = "82cabf73edb52cedd8e1703ade421e87" },
	{ .name = "GMAC", .kind = KAT_SIGN, .mech = CKM_AES_GMAC, SECRET(CKK_AES, KEY32),
	  .param = &gmac_params, .param_n = sizeof(gmac_params),
	  .in = TEXT40, .out = "3009f8a1860918e318ebe050f1e38f02" },
	{ .name = "SEALING-MAC", .kind = KAT_CALL, .call = sealing_hmac,
	  .out = "0febb3e10966f424b2700f6628bcdd4006fe912b0027c818496756c6f3b8a363" },
};
const size_t mac_kats_n = sizeof(mac_kats) / sizeof(mac_kats[0]);

static const CK_AES_CTR_PARAMS ctr_params = { .ulCounterBits = 32, .cb = IV16 };
static const CK_GCM_PARAMS gcm_params = { .pIv = iv, .ulIvLen = 12, .pAAD = aad,
	.ulAADLen = sizeof(aad), .ulTagBits = 128 };
static const CK_CCM_PARAMS ccm_params = { .ulDataLen = 40, .pNonce = iv, .ulNonceLen = 12,
	.pAAD = aad, .ulAADLen = sizeof(aad), .ulMACLen = 16 };

const struct kat aes_kats[] = {
	{ .name = "AES-256-ECB", .kind = KAT_CIPHER, .mech = CKM_AES_ECB, SECRET(CKK_AES, KEY32),
	  .in = TEXT32,
	  .out = "7ded5987bc07d3c72bf06f89a61cadca10934d224c54eaf3b981bbed925a5d90" },
	{ .name = "AES-256-CBC", .kind = KAT_CIPHER, .mech = CKM_AES_CBC, SECRET(CKK_AES, KEY32),
	  .param = iv, .param_n = sizeof(iv),
	  .in = TEXT32,
	  .out = "a103d95da2641b7012095bd4e99dd4b846a92a3abce72a7b71c51934dee2b188" },
	{ .name = "AES-256-CTR", .kind = KAT_CIPHER, .mech = CKM_AES_CTR, SECRET(CKK_AES, KEY32),
	  .param = &ctr_params, .param_n = sizeof(ctr_params),
	  .in = TEXT40,
	  .out = "61297b6deee6bd3eeb7e78629dba225e9b314726f42322c033a1874fac4a105e497fa2a6"
		  "e09bffff" },
	{ .name = "AES-256-CBC-CTS", .kind = KAT_CIPHER, .mech = CKM_AES_CTS, SECRET(CKK_AES, KEY32),
	  .param = iv, .param_n = sizeof(iv),
	  .in = TEXT40,
	  .out = "a103d95da2641b7012095bd4e99dd4b846a92a3abce72a7bf3fb145058422ee53ce24414"
		  "2a04ef11" },
	{ .name = "AES-256-GCM", .kind = KAT_AEAD, .mech = CKM_AES_GCM, SECRET(CKK_AES, KEY32),
	  .param = &gcm_params, .param_n = sizeof(gcm_params),
	  .in = TEXT40,
	  .out = "52a52e1d763b92ebb18690b4e7b3bb877b0f290b4dab841cf366976c896fab8df53847d1"
		  "1011998aeb4d125e93a46b70cb67f7b5c673f779" },
	{ .name = "AES-256-CCM", .kind = KAT_AEAD, .mech = CKM_AES_CCM, SECRET(CKK_AES, KEY32),
	  .param = &ccm_params, .param_n = sizeof(ccm_params),
	  .in = TEXT40,
	  .out = "3194343100d8380954e4cc665f4a7de5cd158f7edbe8a8b96d7f6b5346ef4add06e27b33"
		  "8cc2d9a027f789c243c0b398042417c44632b412" },
	{ .name = "AES-256-XTS", .kind = KAT_CIPHER, .mech = CKM_AES_XTS, SECRET(CKK_AES_XTS, KEY64),
	  .param = iv, .param_n = sizeof(iv),
	  .in = TEXT40,
	  .out = "3d437ff767be396178cdff8b60f738488c50751ec18e4b707ee9f2f78f52de33148d3920"
		  "37551ea1" },
	{ .name = "AES-256-WRAP", .kind = KAT_CIPHER, .mech = CKM_AES_KEY_WRAP, SECRET(CKK_AES, KEY32),
	  .in = TEXT40,
	  .out = "03fe03e0fb039c80af95e4d8fe84fd2476c35c54dc4bf34b9d4238a4860ab3222194feea"
		  "d606306ca658b6432f4cc533" },
	{ .name = "AES-256-WRAP-PAD", .kind = KAT_CIPHER, .mech = CKM_AES_KEY_WRAP_KWP, SECRET(CKK_AES, KEY32),
	  .in = TEXT,
	  .out = "e2db27aee3766ead6fcb685fb9d075295ab5e67ef6957752dabfecc2a9fec9eb9b5dfebe"
		  "a06d147137fa697a3a46a82bba18e5465e7dfc7f418a8eb7700da5367837b9e4d485d767"
		  "c85b915147c87eef" },
};
const size_t aes_kats_n = sizeof(aes_kats) / sizeof(aes_kats[0]);

static uint8_t password[] = "password of a clerk";
#define PASSWORD_N (sizeof(password) - 1)

static const CK_HKDF_PARAMS hkdf_params = {
	.bExtract = CK_TRUE, .bExpand = CK_TRUE, .prfHashMechanism = CKM_SHA256,
	.ulSaltType = CKF_HKDF_SALT_DATA, .pSalt = iv, .ulSaltLen = sizeof(iv),
	.pInfo = aad, .ulInfoLen = sizeof(aad),
};
static const CK_PKCS5_PBKD2_PARAMS2 pbkdf2_params = {
	.saltSource = CKZ_SALT_SPECIFIED, .pSaltSourceData = iv, .ulSaltSourceDataLen = sizeof(iv),
	.iterations = 3, .prf = CKP_PKCS5_PBKD2_HMAC_SHA256,
	.pPassword = password, .ulPasswordLen = PASSWORD_N,
};

/* Memory and passes are small, to cost nothing; two lanes, because lanes are easy to get wrong. */
static enum err argon2id(uint8_t *out, size_t n)
{
	return kdf_argon2id(span(password, PASSWORD_N), span(iv, sizeof(iv)), 64, 2, 2, out, n);
}

const struct kat kdf_kats[] = {
	{ .name = "HKDF", .kind = KAT_DERIVE, .mech = CKM_HKDF_DERIVE, SECRET(CKK_HKDF, KEY32),
	  .param = &hkdf_params, .param_n = sizeof(hkdf_params),
	  .out = "f368b6dc2b4892b0f77ae68a8bf76218be251ee988af42fa3e585d10da6e14479f4e8e9b"
		  "2c88e7731a96" },
	{ .name = "PBKDF2", .kind = KAT_GENERATE, .mech = CKM_PKCS5_PBKD2,
	  .param = &pbkdf2_params, .param_n = sizeof(pbkdf2_params),
	  .out = "36f0dc1665a364d3ed4ee8805f47bd001bf4c3ba68c0fe32163be3f3728533fa00fa9e21"
		  "b93905b5" },
	{ .name = "ARGON2ID", .kind = KAT_CALL, .call = argon2id,
	  .out = "a284bd4d13d0e175d0eb7d2c927364fc1098ed3ba047fcdd5da9ee4cf7f62f13" },
};
const size_t kdf_kats_n = sizeof(kdf_kats) / sizeof(kdf_kats[0]);
