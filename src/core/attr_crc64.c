/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attr_crc64.h"

#include "core/schema.h"
#include "crypto/der.h"

/*
 * x^64 and the lower terms of the generator in ECMA-182, annex B; no reflection, no final
 * inversion.
 */
#define GENERATOR 0x42f0e1eba9ea3693ULL

enum { CRC_BYTES = 8 };

static uint64_t crc64(struct span s)
{
	uint64_t crc = 0;

	for (size_t i = 0; i < s.n; i++) {
		crc ^= (uint64_t)s.p[i] << 56;
		for (int bit = 0; bit < 8; bit++)
			crc = crc << 1 ^ ((crc >> 63) != 0 ? GENERATOR : 0);
	}
	return crc;
}

/* The key inside SubjectPublicKeyInfo, or nothing. */
static struct span info_key(struct span info)
{
	struct span in, algorithm, key;

	if (!der_take(&info, DER_SEQUENCE, &in) || !der_take(&in, DER_SEQUENCE, &algorithm) ||
	    !der_take_bits(&in, DER_BIT_STRING, &key))
		return span(NULL, 0);
	return key;
}

/*
 * The bytes that stand for the public key. A private key of a type with parameter sets has them in
 * CKA_PUBLIC_KEY_INFO only, where they are the public key's CKA_VALUE as it is.
 */
static struct span public_bytes(const struct attrset *obj)
{
	bool private = attrset_ulong(obj, CKA_CLASS, SCHEMA_NONE) == CKO_PRIVATE_KEY;

	if (attrset_ulong(obj, CKA_KEY_TYPE, SCHEMA_NONE) == CKK_RSA)
		return attrset_bytes(obj, CKA_MODULUS);
	if (!private)
		return attrset_bytes(obj, CKA_VALUE);
	return attrset_has(obj, CKA_PARAMETER_SET)
		       ? info_key(attrset_bytes(obj, CKA_PUBLIC_KEY_INFO))
		       : span(NULL, 0);
}

enum err attr_crc64(struct attrset *obj)
{
	const struct schema_kind *k = schema_kind_of(obj);
	struct span of = public_bytes(obj);
	uint8_t crc[CRC_BYTES];
	uint64_t v;

	if (k == NULL || schema_row(k, CKA_PUBLIC_CRC64_VALUE) == NULL || of.n == 0)
		return OK;
	v = crc64(of);
	for (int i = 0; i < CRC_BYTES; i++)
		crc[i] = (uint8_t)(v >> (56 - 8 * i));
	if (!attrset_has(obj, CKA_PUBLIC_CRC64_VALUE))
		return attrset_put(obj, CKA_PUBLIC_CRC64_VALUE, span(crc, sizeof(crc)));
	return span_eq(attrset_bytes(obj, CKA_PUBLIC_CRC64_VALUE), span(crc, sizeof(crc)))
		       ? OK
		       : E_ATTR_VALUE;
}
