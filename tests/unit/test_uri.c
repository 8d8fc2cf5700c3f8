/* SPDX-License-Identifier: Apache-2.0 */
/* PKCS#11 URIs: what RFC 7512 allows, what it refuses, and what fits. */
#include "base/uri.h"

#include "base/mem.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void is(const struct uri *u, enum uri_attr a, const char *want)
{
	assert_true(u->has[a]);
	assert_true(span_eq(u->v[a], span_str(want)));
}

static void refused(const char *text, enum err e, const char *reason)
{
	struct uri u;
	struct why w;

	assert_int_equal(uri_parse(text, &u, &w), e);
	assert_non_null(strstr(w.text, reason));
	assert_null(u.own);
	for (int a = 0; a < URI_ATTR_COUNT; a++)
		assert_false(u.has[a]);
}

static void all_attributes(void **state)
{
	struct uri u;
	struct why w;
	CK_OBJECT_CLASS class;
	CK_SLOT_ID slot;

	(void)state;
	assert_int_equal(
		uri_parse("pkcs11:token=The%20Token;manufacturer=Some,%20Inc.;serial=01;model=m;"
			  "library-manufacturer=lm;library-version=3.2;library-description=ld;"
			  "object=my%20key;type=private;id=%00%fF%41;slot-manufacturer=sm;"
			  "slot-description=sd;slot-id=327?pin-source=file:/etc/pin&"
			  "module-name=mn&module-path=/usr/lib/m.so&x-vendor=1&x-vendor=2",
			  &u, &w),
		OK);
	is(&u, URI_TOKEN, "The Token");
	is(&u, URI_MANUFACTURER, "Some, Inc.");
	is(&u, URI_SERIAL, "01");
	is(&u, URI_MODEL, "m");
	is(&u, URI_LIBRARY_MANUFACTURER, "lm");
	is(&u, URI_LIBRARY_DESCRIPTION, "ld");
	is(&u, URI_OBJECT, "my key");
	assert_true(span_eq(u.v[URI_ID], span("\0\xff\x41", 3)));
	is(&u, URI_SLOT_MANUFACTURER, "sm");
	is(&u, URI_SLOT_DESCRIPTION, "sd");
	is(&u, URI_PIN_SOURCE, "file:/etc/pin");
	is(&u, URI_MODULE_NAME, "mn");
	is(&u, URI_MODULE_PATH, "/usr/lib/m.so");
	assert_false(u.has[URI_PIN_VALUE]);
	assert_true(uri_class(&u, &class));
	assert_int_equal(class, CKO_PRIVATE_KEY);
	assert_true(uri_slot_id(&u, &slot));
	assert_int_equal(slot, 327);
	uri_free(&u);
	assert_false(u.has[URI_TOKEN]);
}

static void small_ones(void **state)
{
	static const char *const good[] = {
		"pkcs11:",
		"PKCS11:token=a",
		"pkcs11:?",
		"pkcs11:?pin-value=1234",
		"pkcs11:object=",
		"pkcs11:token=:[]@!$'()*+,=&",
		"pkcs11:?module-path=:[]@!$'()*+,=/?|",
		"pkcs11:library-version=3",
		"pkcs11:library-version=255.255",
		"pkcs11:slot-id=18446744073709551615",
	};
	struct uri u;
	struct why w;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(uri_parse(good[i], &u, &w), OK);
		uri_free(&u);
	}
}

static void malformed(void **state)
{
	static const char *const bad[] = {
		"pkcs11:token",
		"pkcs11:=a",
		"pkcs11:;",
		"pkcs11:token=a;",
		"pkcs11:;token=a",
		"pkcs11:token=a;;serial=1",
		"pkcs11:token=a?&",
		"pkcs11:token=a?pin-value=1&",
		"pkcs11:to%6ben=a",
		"pkcs11:token=%",
		"pkcs11:token=%4",
		"pkcs11:token=%4g",
		"pkcs11:token=%g4",
		"pkcs11:token=%%41",
		"pkcs11:token=a b",
		"pkcs11:token=a/b",
		"pkcs11:token=a|b",
		"pkcs11:token=a#b",
		"pkcs11:token=\"a\"",
		"pkcs11:token=p\xc3\xa4",
		"pkcs11:token=%c3%28",
		"pkcs11:token=a%00b",
		"pkcs11:object=%ff",
		"pkcs11:?pin-source=a#b",
		"pkcs11:type=certificate",
		"pkcs11:type=",
		"pkcs11:type=Private",
		"pkcs11:library-version=",
		"pkcs11:library-version=3.",
		"pkcs11:library-version=.2",
		"pkcs11:library-version=3.2.1",
		"pkcs11:library-version=256",
		"pkcs11:library-version=3.256",
		"pkcs11:library-version=-1",
		"pkcs11:slot-id=",
		"pkcs11:slot-id=0x1",
		"pkcs11:slot-id=+1",
		"pkcs11:slot-id=18446744073709551616",
		"pkcs11:slot-id=99999999999999999999999",
		"pkcs11:?vendor=%zz",
		"pkcs11:?ven dor=1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused(bad[i], E_DATA, "PKCS#11 URI");
}

static void forbidden(void **state)
{
	(void)state;
	refused("", E_DATA, "must begin");
	refused("pkcs11", E_DATA, "must begin");
	refused("http://token=a", E_DATA, "must begin");
	refused("pkcs11:token=a;token=a", E_DATA, "token is given twice");
	refused("pkcs11:?pin-value=1&pin-value=1", E_DATA, "given twice");
	refused("pkcs11:token=a;x-vendor=1", E_DATA, "unknown attribute x-vendor");
	refused("pkcs11:Token=a", E_DATA, "unknown attribute Token");
	refused("pkcs11:token=a;pin-value=1234", E_DATA, "pin-value does not belong in the path");
	refused("pkcs11:pin-source=file:", E_DATA, "after the \"?\"");
	refused("pkcs11:?token=a", E_DATA, "before the \"?\"");
	refused("pkcs11:?pin-value=1&pin-source=file:x", E_DATA, "together");
}

/* No part of a PIN is in a message. */
static void messages_keep_the_pin(void **state)
{
	static const char *const bad[] = {
		"pkcs11:?pin-value=s3cr3t&pin-value=s3cr3t",
		"pkcs11:?pin-value=s3cr3t#",
		"pkcs11:pin-value=s3cr3t",
		"pkcs11:?pin-value=s3cr3t&pin-source=x",
		"pkcs11:?pin-value=s3cr3t&",
	};
	struct uri u;
	struct why w;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(uri_parse(bad[i], &u, &w), E_DATA);
		assert_null(strstr(w.text, "s3cr3t"));
	}
}

static void bounds(void **state)
{
	static char text[URI_MAX + 2];
	struct uri u;
	struct why w;

	(void)state;
	memset(text, 'a', URI_MAX);
	memcpy(text, "pkcs11:object=", 14);
	assert_int_equal(uri_parse(text, &u, &w), OK);
	assert_int_equal(u.v[URI_OBJECT].n, URI_MAX - 14);
	uri_free(&u);
	text[URI_MAX] = 'a';
	refused(text, E_DATA_LEN, "longer");
}

static void formats_to(struct uri *u, const char *want)
{
	struct buf b = { 0 };

	assert_int_equal(uri_format(u, &b), OK);
	assert_true(span_eq(buf_span(&b), span_str(want)));
	buf_free(&b);
}

static void formatting(void **state)
{
	CK_UTF8CHAR label[32];
	struct uri u = { 0 };

	(void)state;
	formats_to(&u, "pkcs11:");
	uri_set(&u, URI_MODULE_PATH, span_str("/a b&c"));
	formats_to(&u, "pkcs11:?module-path=%2Fa%20b%26c");
	memset(label, ' ', sizeof(label));
	memcpy(label, "My Token;$", 10);
	uri_set_field(&u, URI_TOKEN, label, sizeof(label));
	uri_set(&u, URI_ID, span("\0A\xff", 3));
	uri_set(&u, URI_OBJECT, span(NULL, 0));
	uri_set(&u, URI_TYPE, span_str(uri_type_of(CKO_CERTIFICATE)));
	uri_set(&u, URI_PIN_SOURCE, span_str("prompt"));
	formats_to(&u, "pkcs11:token=My%20Token%3B%24;object=;type=cert;id=%00%41%FF?"
		       "pin-source=prompt&module-path=%2Fa%20b%26c");
	assert_null(uri_type_of(CKO_PROFILE));
}

/* Every byte survives formatting and parsing. */
static void round_trip(void **state)
{
	uint8_t id[256], label[127];
	struct uri u = { 0 }, v;
	struct buf b = { 0 };
	struct why w;

	(void)state;
	for (unsigned i = 0; i < 256; i++)
		id[i] = (uint8_t)i;
	for (unsigned i = 0; i < 127; i++)
		label[i] = (uint8_t)(i + 1);
	uri_set(&u, URI_ID, span(id, sizeof(id)));
	uri_set(&u, URI_OBJECT, span(label, sizeof(label)));
	uri_set(&u, URI_PIN_VALUE, span(id, sizeof(id)));
	assert_int_equal(uri_format(&u, &b), OK);
	assert_int_equal(buf_put_u8(&b, 0), OK);
	assert_int_equal(uri_parse((const char *)b.p, &v, &w), OK);
	assert_true(span_eq(v.v[URI_ID], span(id, sizeof(id))));
	assert_true(span_eq(v.v[URI_OBJECT], span(label, sizeof(label))));
	assert_true(span_eq(v.v[URI_PIN_VALUE], span(id, sizeof(id))));
	uri_free(&v);
	buf_free(&b);
}

static void pad(CK_UTF8CHAR *field, size_t n, const char *text)
{
	memset(field, ' ', n);
	memcpy(field, text, strlen(text));
}

static bool token_fits(const char *text)
{
	CK_TOKEN_INFO info;
	struct uri u;
	bool fits;

	pad(info.label, sizeof(info.label), "office");
	pad(info.manufacturerID, sizeof(info.manufacturerID), "Chancery project");
	pad(info.model, sizeof(info.model), "1");
	memcpy(info.serialNumber, "0123456789abcdef", 16); /* no padding at all */
	assert_int_equal(uri_parse(text, &u, NULL), OK);
	fits = uri_match_token(&u, &info);
	uri_free(&u);
	return fits;
}

static void tokens(void **state)
{
	(void)state;
	assert_true(token_fits("pkcs11:"));
	assert_true(token_fits("pkcs11:object=x;slot-id=7"));
	assert_true(token_fits("pkcs11:token=office"));
	assert_true(token_fits("pkcs11:token=office%20%20"));
	assert_true(token_fits(
		"pkcs11:serial=0123456789abcdef;model=1;manufacturer=Chancery%20project"));
	assert_false(token_fits("pkcs11:token=offic"));
	assert_false(token_fits("pkcs11:token=office2"));
	assert_false(token_fits("pkcs11:token=Office"));
	assert_false(token_fits("pkcs11:token="));
	assert_false(token_fits("pkcs11:token=office;model=2"));
	assert_false(token_fits("pkcs11:serial=0123456789abcde"));
}

static bool slot_fits(const char *text)
{
	CK_SLOT_INFO info;
	struct uri u;
	bool fits;

	pad(info.slotDescription, sizeof(info.slotDescription), "Slot 7");
	memset(info.manufacturerID, 0, sizeof(info.manufacturerID)); /* NUL instead of blanks */
	memcpy(info.manufacturerID, "Maker", 5);
	assert_int_equal(uri_parse(text, &u, NULL), OK);
	fits = uri_match_slot(&u, 7, &info);
	uri_free(&u);
	return fits;
}

static bool library_fits(const char *text)
{
	CK_INFO info = { .libraryVersion = { 3, 2 } };
	struct uri u;
	bool fits;

	pad(info.manufacturerID, sizeof(info.manufacturerID), "Chancery project");
	pad(info.libraryDescription, sizeof(info.libraryDescription), "");
	assert_int_equal(uri_parse(text, &u, NULL), OK);
	fits = uri_match_library(&u, &info);
	uri_free(&u);
	return fits;
}

static void slots_and_libraries(void **state)
{
	(void)state;
	assert_true(
		slot_fits("pkcs11:slot-id=7;slot-description=Slot%207;slot-manufacturer=Maker"));
	assert_true(slot_fits("pkcs11:slot-id=007"));
	assert_false(slot_fits("pkcs11:slot-id=8"));
	assert_false(slot_fits("pkcs11:slot-description=Slot"));
	assert_true(
		library_fits("pkcs11:library-version=3.2;library-manufacturer=Chancery%20project"));
	assert_true(library_fits("pkcs11:library-description="));
	assert_false(library_fits("pkcs11:library-version=3"));
	assert_false(library_fits("pkcs11:library-version=3.20"));
	assert_false(library_fits("pkcs11:library-description=x"));
}

static void objects(void **state)
{
	struct uri u;

	(void)state;
	assert_int_equal(uri_parse("pkcs11:object=k;type=public;id=%01", &u, NULL), OK);
	assert_true(uri_match_object(&u, span_str("k"), span("\1", 1), CKO_PUBLIC_KEY));
	assert_false(uri_match_object(&u, span_str("k"), span("\1", 1), CKO_PRIVATE_KEY));
	assert_false(uri_match_object(&u, span_str("k "), span("\1", 1), CKO_PUBLIC_KEY));
	assert_false(uri_match_object(&u, span_str("k"), span("\1\1", 2), CKO_PUBLIC_KEY));
	uri_free(&u);
}

static void values_are_secret_memory(void **state)
{
	struct mem_stats before, during;
	struct uri u;

	(void)state;
	mem_stats(&before);
	assert_int_equal(uri_parse("pkcs11:?pin-value=1234", &u, NULL), OK);
	mem_stats(&during);
	assert_true(during.secret_used > before.secret_used);
	uri_free(&u);
	mem_stats(&during);
	assert_int_equal(during.secret_used, before.secret_used);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_attributes),
		cmocka_unit_test(small_ones),
		cmocka_unit_test(malformed),
		cmocka_unit_test(forbidden),
		cmocka_unit_test(messages_keep_the_pin),
		cmocka_unit_test(bounds),
		cmocka_unit_test(formatting),
		cmocka_unit_test(round_trip),
		cmocka_unit_test(tokens),
		cmocka_unit_test(slots_and_libraries),
		cmocka_unit_test(objects),
		cmocka_unit_test(values_are_secret_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
