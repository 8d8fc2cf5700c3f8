/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known-answer tests of EdDSA and of key agreement on Montgomery curves. The keys were made for
 * this; the answers were checked with plain arithmetic.
 */
#include "crypto/boxing.h"
#include "crypto/kat.h"

/* clang-format off */
/* "Chancery known-answer test" */
#define MESSAGE \
	"4368616e63657279206b6e6f776e2d616e737765722074657374"

#define ED25519_VALUE \
	"85df017b3ce310ea5705b565eecc43ed838124aec103df690babe418785c4fa1"

#define ED25519_POINT \
	"66be00136d9b0aa9988525b7ce446a5f248dc24f4896a28a802be02433e3031e"

#define ED25519_SIGNATURE \
	"6cc47d7a26e875dd12861ee2def6a0384b6b526d37c686a2d1c4740b8557e362587901697e5fb8c04800" \
	"21a7b60abdbafc6c2f77d49b9c4464c3725d91deaa04"

#define ED448_VALUE \
	"6e828eaf0924a27b68e65cc3084f51d1e2bba24e263cffecdef10be373b0c8fbe05d944080511d38a734" \
	"6ef86420a257c902d8e9f830896bca"

#define ED448_POINT \
	"636ba54982d67c5c6cf50b48395ff34eb035c2f66020fa829e72d862c7c51b42d1999eccc97463a39b58" \
	"6eb3b0b65337b269b58d3734b24a80"

#define ED448_SIGNATURE \
	"010556736d417c82e850e493bf106d7593c5cd1663cb5787cc0313e38264af7ecbd6dcf12ba029f21920" \
	"5d4d33a2c3f9975e8c5c28cf914d80151a99b5d932c5e1bf154119fcc237e34166e7689cf1bb29b5f8f7" \
	"af98c9f14d8b225f129bbcefd55ba90c57a7208e657a56b35e2524393900"

#define X25519_VALUE \
	"60f2389c4d29afb731fc583c118bd1c797de37d172673281a192f1fef5b59574"

#define X25519_DERIVED \
	"611a99df1211b6df73d766b7e1c1c244ab744c92900376e9e262521c5a87ca2a"

#define X448_VALUE \
	"f4a29fba35d1b6ba641a00a130d0a32f7bb319e6ab3d879e8839ad76313451c0dae917a19defbd74b959" \
	"8fa22a663b5e8bb87152a778c4e7"

#define X448_DERIVED \
	"51e571b3ecfb255fe6758e46907adcbdd5925786b6fbd30ea07a4c0dbf7b11b91bc7bb25c2c176988a2a" \
	"57a855d1b40b3ee79f1482ed15cb"

#define ED25519 "06032b6570"
#define ED448 "06032b6571"
#define X25519 "06032b656e"
#define X448 "06032b656f"

/* The structure has no const: nothing writes here. */
static uint8_t x25519_peer[] = {
	0x02, 0x22, 0xc5, 0x21, 0xaf, 0xda, 0x0d, 0xb8, 0x31, 0x3c, 0x0a, 0xe2,
	0x69, 0x3d, 0x7f, 0x05, 0x33, 0x01, 0xbb, 0x04, 0x15, 0x97, 0x5b, 0x92,
	0x73, 0x80, 0xed, 0x4c, 0xb6, 0x0f, 0x1d, 0x09,
};

static uint8_t x448_peer[] = {
	0x1d, 0x81, 0x53, 0x6a, 0x5b, 0xe6, 0xb4, 0x84, 0x8e, 0x55, 0x75, 0x0e,
	0x17, 0x94, 0xc0, 0xfb, 0x4c, 0x9e, 0x43, 0x2d, 0xbf, 0x1c, 0x34, 0xdf,
	0x20, 0xe4, 0x38, 0x1f, 0x9c, 0xfa, 0xa1, 0x42, 0x8f, 0xf7, 0x58, 0x08,
	0x7d, 0xd9, 0x6d, 0xa5, 0x8f, 0xeb, 0xe8, 0x94, 0x4a, 0x9d, 0xab, 0xb7,
	0x8d, 0x89, 0x4c, 0xdd, 0x58, 0x5d, 0xf7, 0x8a,
};
/* clang-format on */

static const CK_ECDH1_DERIVE_PARAMS x25519_agreement = { CKD_NULL, 0, NULL, sizeof(x25519_peer),
							 x25519_peer };
static const CK_ECDH1_DERIVE_PARAMS x448_agreement = { CKD_NULL, 0, NULL, sizeof(x448_peer),
						       x448_peer };

#define EDWARDS(oid, value, point)                                               \
	.mech = CKM_EDDSA, .class = CKO_PRIVATE_KEY, .key_type = CKK_EC_EDWARDS, \
	.priv = { { CKA_EC_PARAMS, oid }, { CKA_VALUE, value } },                \
	.pub = { { CKA_EC_PARAMS, oid }, { CKA_EC_POINT, point } }
#define MONTGOMERY(oid, value)                                                             \
	.mech = CKM_ECDH1_DERIVE, .class = CKO_PRIVATE_KEY, .key_type = CKK_EC_MONTGOMERY, \
	.priv = { { CKA_EC_PARAMS, oid }, { CKA_VALUE, value } }

const struct kat ecx_kats[] = {
	{ .name = "ED25519",
	  .kind = KAT_SIGN,
	  EDWARDS(ED25519, ED25519_VALUE, ED25519_POINT),
	  .in = MESSAGE,
	  .out = ED25519_SIGNATURE },
	{ .name = "ED448",
	  .kind = KAT_SIGN,
	  EDWARDS(ED448, ED448_VALUE, ED448_POINT),
	  .in = MESSAGE,
	  .out = ED448_SIGNATURE },
	{ .name = "X25519",
	  .kind = KAT_DERIVE,
	  MONTGOMERY(X25519, X25519_VALUE),
	  .param = &x25519_agreement,
	  .param_n = sizeof(x25519_agreement),
	  .out = X25519_DERIVED },
	{ .name = "X448",
	  .kind = KAT_DERIVE,
	  MONTGOMERY(X448, X448_VALUE),
	  .param = &x448_agreement,
	  .param_n = sizeof(x448_agreement),
	  .out = X448_DERIVED },
	/* what is sent is random, so the answer is only that it arrived */
	{ .name = "X25519MLKEM768", .kind = KAT_CALL, .call = boxing_pairwise, .out = "01" },
};
const size_t ecx_kats_n = sizeof(ecx_kats) / sizeof(ecx_kats[0]);
