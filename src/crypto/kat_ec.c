/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known-answer tests of ECDSA and ECDH. The keys were made for this; the answers were checked with
 * plain arithmetic.
 */
#include "crypto/kat.h"

/* clang-format off */
/* "Chancery known-answer test" */
#define MESSAGE \
	"4368616e63657279206b6e6f776e2d616e737765722074657374"

#define P256_VALUE \
	"6072fe5e4dcc9e1dff9fcb792eefad39086124e2c6ac0d538dc823f8cbd4678c"

#define P256_POINT \
	"04f0f6031e9033615eb93050872c0a632afd8064d51be8aba31c74d3fed995cef2666f17299073ef704a" \
	"d80099443a69b004eca76aa4e8b0cd7a5305906da74926"

#define P256_SIGNATURE \
	"425b575b11ad5b845bc6fa9894c074507be0777145b84414160aef76975966c1612cf9ff7a161b4db271" \
	"7e19e36a9dbce289fc29f153c8eebbd5049c6987c689"

#define P256_DERIVED \
	"0235b2c0ee2e0043e167f315290e95aa28242c2d6f2191c59280babc239f725350536dd6de21b4f4f29c" \
	"5915c84c28fe"

#define P256 "06082a8648ce3d030107"

/* The structure has no const: nothing writes here. */
static uint8_t p256_peer[] = {
	0x04, 0xa0, 0x86, 0xe8, 0xe8, 0x16, 0x70, 0xdd, 0x25, 0x21, 0x1a, 0x64,
	0xaf, 0x34, 0x87, 0x69, 0xc1, 0x7a, 0xcc, 0x22, 0x59, 0xad, 0x85, 0x36,
	0xb3, 0xe0, 0x76, 0xc7, 0xe4, 0xfe, 0x86, 0xd0, 0xf0, 0x96, 0x4f, 0x8e,
	0xf1, 0x08, 0x46, 0x0e, 0x74, 0x1e, 0xcd, 0x2c, 0x36, 0x8a, 0x22, 0xb7,
	0xaf, 0x75, 0xa3, 0x24, 0x45, 0x27, 0x9e, 0xa9, 0x21, 0xcd, 0xad, 0x6a,
	0x96, 0xa0, 0x65, 0xcf, 0x70,
};
/* clang-format on */

static uint8_t shared[] = { 's', 'h', 'a', 'r', 'e', 'd' };
static const CK_ECDH1_DERIVE_PARAMS agreement = { CKD_SHA256_KDF, sizeof(shared), shared,
						  sizeof(p256_peer), p256_peer };

#define P256_PRIVATE                                  \
	.class = CKO_PRIVATE_KEY, .key_type = CKK_EC, \
	.priv = { { CKA_EC_PARAMS, P256 }, { CKA_VALUE, P256_VALUE } }

const struct kat ec_kats[] = {
	{ .name = "ECDSA-P256-SHA256",
	  .kind = KAT_PAIRWISE,
	  .mech = CKM_ECDSA_SHA256,
	  P256_PRIVATE,
	  .pub = { { CKA_EC_PARAMS, P256 }, { CKA_EC_POINT, P256_POINT } },
	  .in = MESSAGE,
	  .out = P256_SIGNATURE },
	{ .name = "ECDH-P256",
	  .kind = KAT_DERIVE,
	  .mech = CKM_ECDH1_DERIVE,
	  P256_PRIVATE,
	  .param = &agreement,
	  .param_n = sizeof(agreement),
	  .out = P256_DERIVED },
};
const size_t ec_kats_n = sizeof(ec_kats) / sizeof(ec_kats[0]);
