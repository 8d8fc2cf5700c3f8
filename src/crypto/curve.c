/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/curve.h"

#include "crypto/der.h"

#define OID(bytes)                                          \
	{                                                   \
		(const uint8_t *)(bytes), sizeof(bytes) - 1 \
	}
#define BRAINPOOL(n) OID("\x06\x09\x2b\x24\x03\x03\x02\x08\x01\x01" n)

/* Names beside libcrypto's are those of SEC 2, NIST SP 800-186 and the PKCS#11 text. */
const struct curve curves[] = {
	{ CKK_EC,
	  OID("\x06\x05\x2b\x81\x04\x00\x21"),
	  "secp224r1",
	  { "secp224r1", "P-224" },
	  224,
	  28,
	  28 },
	{ CKK_EC,
	  OID("\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07"),
	  "prime256v1",
	  { "secp256r1", "prime256v1", "P-256" },
	  256,
	  32,
	  32 },
	{ CKK_EC,
	  OID("\x06\x05\x2b\x81\x04\x00\x22"),
	  "secp384r1",
	  { "secp384r1", "P-384" },
	  384,
	  48,
	  48 },
	{ CKK_EC,
	  OID("\x06\x05\x2b\x81\x04\x00\x23"),
	  "secp521r1",
	  { "secp521r1", "P-521" },
	  521,
	  66,
	  66 },
	{ CKK_EC, OID("\x06\x05\x2b\x81\x04\x00\x0a"), "secp256k1", { "secp256k1" }, 256, 32, 32 },
	{ CKK_EC, BRAINPOOL("\x07"), "brainpoolP256r1", { "brainpoolP256r1" }, 256, 32, 32 },
	{ CKK_EC, BRAINPOOL("\x08"), "brainpoolP256t1", { "brainpoolP256t1" }, 256, 32, 32 },
	{ CKK_EC, BRAINPOOL("\x09"), "brainpoolP320r1", { "brainpoolP320r1" }, 320, 40, 40 },
	{ CKK_EC, BRAINPOOL("\x0a"), "brainpoolP320t1", { "brainpoolP320t1" }, 320, 40, 40 },
	{ CKK_EC, BRAINPOOL("\x0b"), "brainpoolP384r1", { "brainpoolP384r1" }, 384, 48, 48 },
	{ CKK_EC, BRAINPOOL("\x0c"), "brainpoolP384t1", { "brainpoolP384t1" }, 384, 48, 48 },
	{ CKK_EC, BRAINPOOL("\x0d"), "brainpoolP512r1", { "brainpoolP512r1" }, 512, 64, 64 },
	{ CKK_EC, BRAINPOOL("\x0e"), "brainpoolP512t1", { "brainpoolP512t1" }, 512, 64, 64 },
	{ CKK_EC_EDWARDS, OID("\x06\x03\x2b\x65\x70"), "ED25519", { "edwards25519" }, 255, 32, 0 },
	{ CKK_EC_EDWARDS, OID("\x06\x03\x2b\x65\x71"), "ED448", { "edwards448" }, 448, 57, 0 },
	{ CKK_EC_MONTGOMERY, OID("\x06\x03\x2b\x65\x6e"), "X25519", { "curve25519" }, 255, 32, 0 },
	{ CKK_EC_MONTGOMERY, OID("\x06\x03\x2b\x65\x6f"), "X448", { "curve448" }, 448, 56, 0 },
};
const size_t curves_n = sizeof(curves) / sizeof(curves[0]);

static bool by_oid(const struct curve *c, struct span whole)
{
	return span_eq(c->oid, whole);
}

static bool by_name(const struct curve *c, struct span text)
{
	for (size_t i = 0; i < sizeof(c->names) / sizeof(c->names[0]); i++)
		if (c->names[i] != NULL && span_eq(span_str(c->names[i]), text))
			return true;
	return false;
}

static enum err find(CK_KEY_TYPE type, bool (*is)(const struct curve *, struct span), struct span v,
		     const struct curve **out)
{
	for (size_t i = 0; i < curves_n; i++) {
		if (curves[i].type == type && is(&curves[i], v)) {
			*out = &curves[i];
			return OK;
		}
	}
	return E_CURVE;
}

enum err curve_find(CK_KEY_TYPE type, struct span params, const struct curve **out)
{
	struct span in = params, v;

	if (der_take_oid(&in, &v) && in.n == 0)
		return find(type, by_oid, v, out);
	in = params;
	if (der_take(&in, DER_PRINTABLE_STRING, &v) && in.n == 0)
		return find(type, by_name, v, out);
	in = params;
	/* X9.62 Parameters: ecParameters and implicitlyCA, which the standard deprecates */
	if ((der_take(&in, DER_SEQUENCE, &v) || der_take(&in, DER_NULL, &v)) && in.n == 0)
		return E_DOMAIN_PARAMS;
	return E_ATTR_VALUE;
}

/* X9.62, 4.3.6: the hybrid forms are left out, and the point at infinity is no public key. */
static bool is_point(const struct curve *c, struct span s)
{
	if (c->type != CKK_EC)
		return s.n == c->field_n;
	if (s.n == 1 + 2 * c->field_n)
		return s.p[0] == 4;
	return s.n == 1 + c->field_n && (s.p[0] == 2 || s.p[0] == 3);
}

bool curve_point(const struct curve *c, struct span in, struct span *point)
{
	*point = in;
	if (is_point(c, in))
		return true;
	if (der_next(in, DER_BIT_STRING) && c->type != CKK_EC)
		return der_take_bits(&in, DER_BIT_STRING, point) && in.n == 0 &&
		       is_point(c, *point);
	return der_take(&in, DER_OCTET_STRING, point) && in.n == 0 && is_point(c, *point);
}
