/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that need more than one attribute of an object. */
#include "core/attr_internal.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static bool given(const struct attrset *obj, CK_ATTRIBUTE_TYPE t)
{
	return attrset_bytes(obj, t).n != 0;
}

/* A CK_DATE sorts as its bytes do. */
static enum err rule_dates(const struct attrset *obj)
{
	struct span start = attrset_bytes(obj, CKA_START_DATE),
		    end = attrset_bytes(obj, CKA_END_DATE);

	if (start.n != sizeof(CK_DATE) || end.n != sizeof(CK_DATE))
		return OK;
	return memcmp(start.p, end.p, sizeof(CK_DATE)) <= 0 ? OK : E_TEMPLATE_INCONSISTENT;
}

/* 4.9: CKA_ALWAYS_AUTHENTICATE may only be TRUE when CKA_PRIVATE is. */
static enum err rule_authenticate(const struct attrset *obj)
{
	return attrset_bool(obj, CKA_ALWAYS_AUTHENTICATE, false) &&
			       !attrset_bool(obj, CKA_PRIVATE, false)
		       ? E_TEMPLATE_INCONSISTENT
		       : OK;
}

/* 4.6.3 and 4.6.4: the certificate itself, or where it is and hashes to know it by. */
static enum err rule_certificate(const struct attrset *obj)
{
	bool url = given(obj, CKA_URL);

	if (!given(obj, CKA_VALUE) && !url)
		return E_TEMPLATE_INCOMPLETE;
	if (attrset_ulong(obj, CKA_CERTIFICATE_TYPE, SCHEMA_NONE) == CKC_WTLS &&
	    given(obj, CKA_VALUE) && !given(obj, CKA_SUBJECT))
		return E_TEMPLATE_INCOMPLETE;
	if (url && (!given(obj, CKA_HASH_OF_SUBJECT_PUBLIC_KEY) ||
		    !given(obj, CKA_HASH_OF_ISSUER_PUBLIC_KEY)))
		return E_TEMPLATE_INCOMPLETE;
	return OK;
}

/* 4.13: whoever grants trust says which certificate it is for; who denies it need not. */
static enum err rule_trust(const struct attrset *obj)
{
	static const CK_ATTRIBUTE_TYPE purposes[] = {
		CKA_TRUST_SERVER_AUTH,      CKA_TRUST_CLIENT_AUTH, CKA_TRUST_CODE_SIGNING,
		CKA_TRUST_EMAIL_PROTECTION, CKA_TRUST_IPSEC_IKE,   CKA_TRUST_TIME_STAMPING,
		CKA_TRUST_OCSP_SIGNING
	};

	if (given(obj, CKA_HASH_OF_CERTIFICATE))
		return OK;
	for (size_t i = 0; i < LENGTH(purposes); i++) {
		CK_ULONG trust = attrset_ulong(obj, purposes[i], CKT_TRUST_UNKNOWN);

		if (trust != CKT_TRUST_UNKNOWN && trust != CKT_NOT_TRUSTED)
			return E_TEMPLATE_INCOMPLETE;
	}
	return OK;
}

/*
 * A key whose signatures share records (docs/AUDIT.md, "Batches") answers everybody, and does nothing else its whole
 * life: nothing whose result is a secret, or that somebody has to agree to.
 */
static enum err rule_batch(const struct attrset *obj)
{
	static const struct {
		CK_ATTRIBUTE_TYPE type;
		bool value;
	} must[] = {
		{ CKA_TOKEN, true },
		{ CKA_PRIVATE, true },
		{ CKA_SIGN, true },
		{ CKA_SIGN_RECOVER, false },
		{ CKA_DECRYPT, false },
		{ CKA_UNWRAP, false },
		{ CKA_DERIVE, false },
		{ CKA_DECAPSULATE, false },
		{ CKA_ALWAYS_AUTHENTICATE, false },
	};

	if (attrset_ulong(obj, CKA_CHANCERY_AUDIT, CHANCERY_AUDIT_EACH) != CHANCERY_AUDIT_BATCH)
		return OK;
	for (size_t i = 0; i < LENGTH(must); i++)
		if (attrset_bool(obj, must[i].type, false) != must[i].value)
			return E_TEMPLATE_INCONSISTENT;
	return OK;
}

/* Objects of other classes have none of the attributes, or the rule is not for them. */
static const struct {
	CK_OBJECT_CLASS cls; /* SCHEMA_NONE: every class */
	enum err (*rule)(const struct attrset *obj);
} rules[] = {
	{ SCHEMA_NONE, rule_dates },     { CKO_PRIVATE_KEY, rule_authenticate },
	{ CKO_PRIVATE_KEY, rule_batch }, { CKO_CERTIFICATE, rule_certificate },
	{ CKO_TRUST, rule_trust },
};

enum err attr_rules(const struct attrset *obj)
{
	CK_OBJECT_CLASS cls = attrset_ulong(obj, CKA_CLASS, SCHEMA_NONE);
	enum err e = OK;

	for (size_t i = 0; e == OK && i < LENGTH(rules); i++)
		if (rules[i].cls == SCHEMA_NONE || rules[i].cls == cls)
			e = rules[i].rule(obj);
	return e;
}
