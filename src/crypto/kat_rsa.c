/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known-answer tests of RSA. The keys were made for this; the answers were checked with plain
 * arithmetic.
 */
#include "crypto/kat.h"

/* clang-format off */
/* "Chancery known-answer test" */
#define MESSAGE \
	"4368616e63657279206b6e6f776e2d616e737765722074657374"

#define RSA_N \
	"c1ee977ad6e1e1d208cf6bdb0b806bb247aee58b9eccf2a450dfe20dcc060e316c7fcef53f4a2aefc6f2" \
	"0b5f0fbc24fd9f400119bdd8ea3a0d27f6c2b81d1e2579e774319267d9c700c1fd0c41fb1f88363a6933" \
	"a6151a3a2da34b060a01f4db1531e3adfd8b4cc5af01dce2a6c7c58dc61a72b97d1815ed21429da585ae" \
	"1bff9fdf5c7dc23393ff96864a489d2f5f4ed13b3ff24bc7a9e57b78a81808d355e389e266c1a98439d5" \
	"457855581b33161dabcaafdfa299af8b8f8074c12993e4568d68156d9bef5074a148551d54a4f66c16bb" \
	"a85e39d4a373d03c4eeddade669553432dc3c4223e15c565867dc8c0bf21b0655ef10ccb3a959323d8b0" \
	"387e7d8b"

#define RSA_D \
	"56378c80c0278c0da47d12a63f66c87a6a0407691b20627f4ab53dfa8449ece56c27260b4227e70ed293" \
	"a91a8a144b1db63eee3e5378ac2942d011945fe61210f7313f270abfc0c20844360bcd09a7eb16b0c134" \
	"8511bca740c2e807b74b47605efbdf0ceb3b92d61007f3fb8fca20b9f6e8ab386bb4d98aa2cecae75b97" \
	"1c3ab2c604848c70ddb395b394a25c5790c5bdfd11d96b491e0660df671b69250c09b27ebb1c918d55a2" \
	"2ca9a8385bc84c6344c647cbbfb61a588d8b0a0a613e4c1ad84199184373fd0391763247f5e14fec2404" \
	"4d104496f92e8c893a2727d72e96a580a6aba8fcca062ffbea2ebec4092b93531b65fa1134600f3b9a79" \
	"80707981"

#define RSA_P \
	"e76d5eb8b7a045a04cab7e7f42bacf76656321e7d4c67d8d2caa98dfa31e351f1006075238853bcc33a5" \
	"ea070df5d82af1b202b1f3c415d0c490a06da9a33283d626496a209e9ffdab314f56182da3b05c79466d" \
	"4578df2e09eccb5f8f12c7d1bcb8b3153d4482dd3f58411801ddec173b4209216f4a348da99d664d81aa" \
	"96a5"

#define RSA_Q \
	"d68607cc7bd64651e73e60c058f65832d391afe8781b61594d352d35b9599042974f1bdb4c1398422032" \
	"accf665ccd19847361cf0156fcfe0fee5b60c1840c47145a870aae851f514c764de9bf683adb52ed7625" \
	"1890a527c7c9e6f1ab8be147470c45270239154ec9cb3fae3d1755152c2fffb1e787150fe4c89360a66e" \
	"bc6f"

#define RSA_DP \
	"44e6d324bbc703f3cddfe13192747c000bff8fc0ae20ca909593d5200038a62831651a18e8ab023ab1c5" \
	"dbff6db09c436ce24adb207068ee5717982c0e2d8084afe586460aa02f921ebdf798f269e42a45ddf591" \
	"e2f531bd4b472ce5ae7b30f2c8f5549c2639979cb797570a06c443de46ce4a59a200bdd4cf83054a5e28" \
	"a3e1"

#define RSA_DQ \
	"3ecb9d1cce633ad25ece73a3da66c20a9ec3d6aa45fe3dd0d638eab2ff3ea86bd5bee2789f1c5d457e07" \
	"576e9e982bb17c8409ed7e86e827b6a21f3d836813effa9545526b23acb72f9ab1d3eaa3a816eb7f7746" \
	"049ad2bd824e27bc366b0bd6c18565f8b53de06edfc30f3101d102a6dff86cf0b6c563f4f31383909727" \
	"7321"

#define RSA_QI \
	"5d146c5cb80ad7e1df86ae0c47fe681521feea6b737953a954ae307a7cdec056ef0d44e38006ba2f1fdf" \
	"815443ccb2e64cd04b3b327490a6881619e13a539ee9eecd1bc426fa837e07807420c7935ed65fd23999" \
	"87ec71dcf4778f6ce52a615c387b3ebfffccde8102cce37a088a0eb8027a52b2756dc5f48424c3f25ebd" \
	"8688"

#define PKCS1_SIGNATURE \
	"9c843d2a6f563ebca6ccc1348a5eee7cb7b50bbdf1f5f7fbbb9c7bace3c9179a15a650bd8b146bd45a2f" \
	"53c44657dba5a16c038214784ad3ae116c42690f68d5ceecc74fc25cb1dc71038c23debc104b31ec261f" \
	"6f524a44a6d6c46e0697b6b7fe212cf3a0ef6990b8790c5c7041c5d770ab418bd91cb71950ee6902cb50" \
	"4d98fc43e3bf7a78dc92ccdb6c27f0bf753d2a05fd9301bd1dea0d77a9cbe65745b529748feae6a7241c" \
	"3ebb4f821d7f78894b38aabb34a459b2f103c3f118d94f9a9b57c07bf9c2edccc5d78dfbfeb8651a7cf6" \
	"080d72f5d283eb0dc16de138743a785870a9420c51f64dd854c9394047098a0d9be9683ec35e4acf2d96" \
	"82443423"

#define PSS_SIGNATURE \
	"27fabb06d7e580f2e299e19b00b40bcbf56b16c57686751f280b02faa7c25bc22a08ca62e66073912221" \
	"6065d472942589639e42491077ea7fe02c6c1854f10617e1f1fefdaf53864a8ba5681a927594fe4f5808" \
	"7e261732c1da26881a47512db7269fdad794c3bcb7fcbe13710516cc270057172125750a81667303013d" \
	"e95a07ad1d10722fd503467f4d774882db4855a55e296bcc9bc4e2a8351cc2c6b362fd9049bff672b28c" \
	"6ef1e4803258587df5fadc5283b89cf6e7918c98c950f7b6b7d50c443bdbe2761e66f6d2ecc68ddba4f6" \
	"98f805b0511f5e8bb7dc532bbeb3bdfa5c5ae3af883b19d0b6944c988d9cb769de3705e8b1fe226e9f18" \
	"78eca56e"

#define OAEP_CIPHERTEXT \
	"39f4aa89fe37b3204b99881cbf77089b28acef7e727999bcd0d9fa566ef748ef27ef593570e3f54a2977" \
	"d4d3d4e6085baac911b1d1bc918a709dac1cfecbda2f1bc4616cf151e1ccb8569250948033bc1650a352" \
	"59aa98996e0128a88f52a195e2a2157f9c5b51b10d1a736eef0ba6892b9646e65cdbf72c47799284e5dc" \
	"b1950c60f76f9465e39f46edcf6d5fd902ff0472c690caa964ef006d07093f34caebf0c37b85d50b2bd3" \
	"57a830e7eae0fabb07d294c914b33d07bc1df869be282098650465e3ad4580d890a84b063002d77506bb" \
	"59be7cc2d1ab22ccd0c6b86ba2f51d1396b3e5bf289f90e468e0f642764f37fa13133f42bbd395b197a2" \
	"6138d022"

/* clang-format on */

static const CK_RSA_PKCS_PSS_PARAMS pss_sha256 = { CKM_SHA256, CKG_MGF1_SHA256, 32 };
static const CK_RSA_PKCS_OAEP_PARAMS oaep_sha256 = { CKM_SHA256, CKG_MGF1_SHA256,
						     CKZ_DATA_SPECIFIED, NULL, 0 };

#define RSA_KEYS                                                                      \
	.class = CKO_PRIVATE_KEY, .key_type = CKK_RSA,                                \
	.priv = { { CKA_MODULUS, RSA_N },          { CKA_PUBLIC_EXPONENT, "010001" }, \
		  { CKA_PRIVATE_EXPONENT, RSA_D }, { CKA_PRIME_1, RSA_P },            \
		  { CKA_PRIME_2, RSA_Q },          { CKA_EXPONENT_1, RSA_DP },        \
		  { CKA_EXPONENT_2, RSA_DQ },      { CKA_COEFFICIENT, RSA_QI } },     \
	.pub = { { CKA_MODULUS, RSA_N }, { CKA_PUBLIC_EXPONENT, "010001" } }

const struct kat rsa_kats[] = {
	{ .name = "RSA-PKCS1-SHA256",
	  .kind = KAT_SIGN,
	  .mech = CKM_SHA256_RSA_PKCS,
	  RSA_KEYS,
	  .in = MESSAGE,
	  .out = PKCS1_SIGNATURE },
	{ .name = "RSA-PSS-SHA256",
	  .kind = KAT_PAIRWISE,
	  .mech = CKM_SHA256_RSA_PKCS_PSS,
	  RSA_KEYS,
	  .param = &pss_sha256,
	  .param_n = sizeof(pss_sha256),
	  .in = MESSAGE,
	  .out = PSS_SIGNATURE },
	{ .name = "RSA-OAEP-SHA256",
	  .kind = KAT_DECRYPT,
	  .mech = CKM_RSA_PKCS_OAEP,
	  RSA_KEYS,
	  .param = &oaep_sha256,
	  .param_n = sizeof(oaep_sha256),
	  .in = MESSAGE,
	  .out = OAEP_CIPHERTEXT },
};
const size_t rsa_kats_n = sizeof(rsa_kats) / sizeof(rsa_kats[0]);
