/* SPDX-License-Identifier: Apache-2.0 */
/* The named curves, Weierstrass, Edwards and Montgomery: what CKA_EC_PARAMS may name. */
#ifndef CHANCERY_CRYPTO_CURVE_H
#define CHANCERY_CRYPTO_CURVE_H

#include "base/err.h"
#include "base/span.h"
#include <chancery/pkcs11.h>

struct curve {
	CK_KEY_TYPE type;
	struct span oid; /* DER, with tag and length */
	const char *
		name; /* as libcrypto knows the group, or the key type for Edwards and Montgomery */
	const char *names[3]; /* as a PrintableString may say it (3.2, 6.3.3): NULL ends them */
	unsigned bits;  /* of the field, as CKM info counts (255 and 448 for RFC 7748 and 8032) */
	size_t field_n; /* bytes of a coordinate; of the public key for Edwards and Montgomery */
	size_t order_n; /* bytes of the order of the group; Weierstrass only */
};

extern const struct curve curves[];
extern const size_t curves_n;

/*
 * The curve that params, the value of CKA_EC_PARAMS, names for keys of this type. *out is static.
 * E_ATTR_VALUE: not DER; E_DOMAIN_PARAMS: explicit or implicit parameters; E_CURVE: no such curve
 * for the type.
 */
enum err curve_find(CK_KEY_TYPE type, struct span params, const struct curve **out);

/*
 * The bytes of the public key in a value of CKA_EC_POINT or of a peer's public data. Which form it
 * has is told by its length alone (3.2, 6.3.3, 6.3.5; cases B007, B008): Weierstrass points
 * uncompressed or compressed, Edwards and Montgomery keys bare, and each of them in a DER OCTET
 * STRING; keys of the latter two also in a BIT STRING. False: none of these. Whether the point is
 * on the curve is not looked at.
 */
bool curve_point(const struct curve *c, struct span in, struct span *point);

#endif
