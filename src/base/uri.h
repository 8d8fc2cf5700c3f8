/* SPDX-License-Identifier: Apache-2.0 */
/* PKCS#11 URIs (RFC 7512). */
#ifndef CHANCERY_BASE_URI_H
#define CHANCERY_BASE_URI_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "base/why.h"
#include <chancery/pkcs11.h>

#define URI_MAX 8192 /* longest URI accepted */

enum uri_attr {
	URI_TOKEN,
	URI_MANUFACTURER,
	URI_SERIAL,
	URI_MODEL,
	URI_LIBRARY_MANUFACTURER,
	URI_LIBRARY_VERSION,
	URI_LIBRARY_DESCRIPTION,
	URI_OBJECT,
	URI_TYPE,
	URI_ID,
	URI_SLOT_MANUFACTURER,
	URI_SLOT_DESCRIPTION,
	URI_SLOT_ID,
	URI_PIN_SOURCE, /* from here on: of the query */
	URI_PIN_VALUE,
	URI_MODULE_NAME,
	URI_MODULE_PATH,
	URI_ATTR_COUNT
};

/* Decoded values; absent and empty are different. `struct uri u = { 0 };` is the URI "pkcs11:". */
struct uri {
	struct span v[URI_ATTR_COUNT];
	bool has[URI_ATTR_COUNT];
	uint8_t *own; /* what the values of a parsed URI point into: secret memory */
};

/*
 * Strict: E_DATA for a malformed URI (bad percent-encoding, a character that must be encoded, text
 * that is not UTF-8), an attribute given twice, an unknown path attribute, pin-value or another
 * query attribute in the path, both pin-source and pin-value; E_DATA_LEN beyond URI_MAX. Unknown
 * query attributes are checked for form and ignored. u is the caller's, freed with uri_free; on
 * error it is empty.
 */
enum err uri_parse(const char *text, struct uri *u, struct why *why);
void uri_free(struct uri *u);

/* Sets a value for uri_format or uri_match_*. v is borrowed: it must outlive u. */
void uri_set(struct uri *u, enum uri_attr a, struct span v);
/* As uri_set, from a blank-padded field of a CK_..._INFO. */
void uri_set_field(struct uri *u, enum uri_attr a, const CK_UTF8CHAR *field, size_t n);

/*
 * The URI in its canonical form: attributes in the order above, everything encoded that a shell
 * could mind.
 */
enum err uri_format(const struct uri *u, struct buf *out);

/* Values with a type. False when absent (uri_parse has checked their form). */
bool uri_class(const struct uri *u, CK_OBJECT_CLASS *class);
bool uri_slot_id(const struct uri *u, CK_SLOT_ID *id);
/* The name of a class in the attribute type; NULL for a class that a URI cannot name. */
const char *uri_type_of(CK_OBJECT_CLASS class);

/* Whether every attribute of the URI that speaks of the library, the slot or the token fits it. */
bool uri_match_library(const struct uri *u, const CK_INFO *info);
bool uri_match_slot(const struct uri *u, CK_SLOT_ID id, const CK_SLOT_INFO *info);
bool uri_match_token(const struct uri *u, const CK_TOKEN_INFO *info);
/* Label, id and class of an object, as read from it. */
bool uri_match_object(const struct uri *u, struct span label, struct span id,
		      CK_OBJECT_CLASS class);

#endif
