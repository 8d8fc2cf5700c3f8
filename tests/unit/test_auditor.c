/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The auditor's parts, each by itself: the strict parser, tree proofs against the definition of RFC 6962, notes of both algorithms, and the seals.
 */
#include "auditor/code.h"
#include "auditor/keys.h"
#include "auditor/line.h"
#include "auditor/merkle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
// clang-format off
#include <cmocka.h>
// clang-format on

#define HASH64 "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define FRONT                                                                                     \
	"{\"seq\":7,\"ts\":\"2026-01-31T23:59:59.123456Z\",\"boot\":\"b\",\"mono\":12,\"uid\":0," \
	"\"pid\":1,\"exe\":\"/x\""
#define BACK ",\"rv\":\"CKR_OK\",\"prev\":\"" HASH64 "\",\"mac\":\"" HASH64 "\"}"

static bool reads(const char *text, struct line *l)
{
	const char *bad;

	return line_read(span_str(text), l, &bad);
}

static void test_record(void **state)
{
	static const char text[] =
		FRONT ",\"on_behalf\":\"CN=\\u00fc \\\"\\\\\",\"event\":\"sign\",\"token\":\"t\","
		      "\"serial\":\"s\",\"key\":{\"class\":\"private\",\"label_hex\":\"ff00\","
		      "\"label_sha256\":\"" HASH64
		      "\",\"id\":\"01\"},\"mech\":\"CKM_ECDSA\",\"bytes\":0" BACK;
	struct line l;
	struct buf plain = { 0 };

	(void)state;
	assert_true(reads(text, &l));
	assert_int_equal(l.seq.v, 7);
	assert_true(l.bytes.there && l.bytes.v == 0);
	assert_false(l.count.there);
	assert_true(l.key.label.hex && l.key.label.cut);
	assert_null(l.key.unique.s.p);
	assert_int_equal(l.body.n, strlen(text) - strlen(",\"mac\":\"" HASH64 "\"}"));
	assert_int_equal(code_unescape(l.who.on_behalf.s, &plain), OK);
	assert_true(span_eq(buf_span(&plain), span_str("CN=\xc3\xbc \"\\")));
	buf_free(&plain);
}

/* The names are the writer's; whether one may stand in a record is the auditor's to say. Seen to fail: without hyphens. */
static void test_every_event(void **state)
{
	static const char *const names[] = {
#define EVENT(id, name) name,
#include "audit/events.def"
#undef EVENT
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char text[1024];
		struct line l;

		snprintf(text, sizeof(text), FRONT ",\"event\":\"%s\"" BACK, names[i]);
		if (!reads(text, &l))
			fail_msg("%s is no event to the auditor", names[i]);
	}
}

/* Each differs from a record in one place. */
static void test_no_record(void **state)
{
	static const char *const wrong[] = {
		"",
		"{}",
		FRONT ",\"event\":\"sign\"" BACK " ",
		FRONT ", \"event\":\"sign\"" BACK,
		FRONT BACK,
		FRONT ",\"event\":\"Sign\"" BACK,
		FRONT ",\"event\":\"\"" BACK,
		FRONT ",\"event\":\"sign\",\"event\":\"sign\"" BACK,
		FRONT ",\"event\":\"sign\",\"mech\":\"M\",\"serial\":\"s\"" BACK,
		FRONT ",\"event\":\"sign\",\"other\":1" BACK,
		FRONT ",\"event\":\"sign\",\"bytes\":01" BACK,
		FRONT ",\"event\":\"sign\",\"bytes\":-1" BACK,
		FRONT ",\"event\":\"sign\",\"bytes\":1.0" BACK,
		FRONT ",\"event\":\"sign\",\"bytes\":18446744073709551616" BACK,
		FRONT ",\"event\":\"sign.batch\",\"count\":\"1\"" BACK,
		FRONT ",\"event\":\"sign.batch\",\"count\":18446744073709551616" BACK,
		FRONT ",\"event\":\"sign.batch\",\"count\":1,\"root\":\"00\"" BACK,
		FRONT ",\"event\":\"sign.batch\",\"count\":1,\"root\":null" BACK,
		FRONT ",\"event\":\"sign.batch\",\"root\":\"" HASH64 "\",\"count\":1" BACK,
		FRONT ",\"event\":\"sign\",\"mech\":\"\\u0041\"" BACK,
		FRONT ",\"event\":\"sign\",\"mech\":\"\\u00FC\"" BACK,
		FRONT ",\"event\":\"sign\",\"mech\":\"\\n\"" BACK,
		FRONT ",\"event\":\"sign\",\"mech\":\"\\ud800\"" BACK,
		FRONT ",\"event\":\"sign\",\"mech\":\"\\udc00\\ud800\"" BACK,
		FRONT ",\"event\":\"sign\",\"mech\":\"\\ud83d\\u0041\"" BACK,
		FRONT ",\"event\":\"sign\",\"mech\":\"\xc3\xbc\"" BACK,
		FRONT ",\"event\":\"sign\",\"mech\":\"a\tb\"" BACK,
		FRONT ",\"event\":\"sign\",\"mech\":\"12345678901\x7f\"" BACK,
		FRONT ",\"event\":\"sign\",\"mech\":\"12345678\x01\x02\"" BACK,
		FRONT ",\"event\":\"sign\",\"mech\":\"1\x7f"
		      "34567890123456\"" BACK,
		FRONT ",\"event\":\"sign\",\"token_hex\":\"f\"" BACK,
		FRONT ",\"event\":\"sign\",\"token_hex\":\"FF\"" BACK,
		FRONT ",\"event\":\"sign\",\"token_sha256\":\"" HASH64 "\"" BACK,
		FRONT ",\"event\":\"sign\",\"key\":{\"id\":\"01\",\"label\":\"l\"}" BACK,
		FRONT ",\"event\":\"sign\",\"roll\":{\"format\":1}" BACK,
	};
	struct line l;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (reads(wrong[i], &l))
			fail_msg("number %zu is taken for a record", i);
	assert_true(reads(FRONT ",\"event\":\"sign\"" BACK, &l));
}

/* No byte of a record may be cut off, or be another without being seen, but for letters of texts. */
static void test_every_prefix(void **state)
{
	static const char text[] = FRONT ",\"event\":\"sign\"" BACK;
	struct line l;
	const char *bad;

	(void)state;
	for (size_t n = 0; n < strlen(text); n++) {
		uint8_t *exact = malloc(n + 1);

		memcpy(exact, text, n);
		assert_false(line_read(span(exact, n), &l, &bad));
		free(exact);
	}
}

static void test_other_format(void **state)
{
	uint64_t format;

	(void)state;
	assert_true(line_other_format(span_str("{\"x\":1,\"roll\":{\"format\":12,"), &format));
	assert_int_equal(format, 12);
	assert_false(line_other_format(span_str("{\"x\":1,\"roll\":{\"format\":1,"), &format));
	assert_false(line_other_format(span_str("{\"x\":1"), &format));
}

static void test_base64(void **state)
{
	static const char *const wrong[] = { "QQ",   "QQ=",  "QR==", "QUF=", "QQ==QQ==",
					     "Q===", "Q Q=", "QQ-_", "=QQQ", "QQ==\n" };
	uint8_t out[64];
	size_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		n = sizeof(out);
		assert_false(code_b64(span_str(wrong[i]), out, &n));
	}
	for (size_t len = 0; len < 40; len++) {
		uint8_t in[40];
		struct buf text = { 0 };

		for (size_t i = 0; i < len; i++)
			in[i] = (uint8_t)(i * 37 + len);
		assert_int_equal(code_b64_put(span(in, len), &text), OK);
		assert_true(code_b64_exact(buf_span(&text), out, len));
		assert_memory_equal(in, out, len);
		assert_false(code_b64_exact(buf_span(&text), out, len + 1));
		buf_free(&text);
	}
}

/* RFC 6962, 2.1, as it is defined there. */
static void root_of(uint8_t (*leaf)[SUM], size_t n, uint8_t out[SUM])
{
	uint8_t b[1 + 2 * SUM] = { 1 };
	size_t k = 1;

	if (n == 1) {
		merkle_leaf(span(leaf[0], SUM), out);
		return;
	}
	while (2 * k < n)
		k *= 2;
	root_of(leaf, k, b + 1);
	root_of(leaf + k, n - k, b + 1 + SUM);
	sum_of(span(b, sizeof(b)), span(NULL, 0), out);
}

static void check_proofs(uint8_t (*leaf)[SUM], size_t size, const uint8_t root[SUM])
{
	static uint8_t proof[MERKLE_HEIGHT][SUM];
	uint8_t got[SUM];

	for (size_t index = 0; index < size; index++) {
		struct merkle_prover *p = calloc(1, sizeof(*p));

		merkle_prover_start(p, index, size);
		for (size_t i = 0; i < size; i++)
			merkle_prover_add(p, span(leaf[i], SUM));
		for (size_t i = 0; i < p->n; i++)
			merkle_prover_hash(p, i, proof[i]);
		assert_true(merkle_follow(span(leaf[index], SUM), index, size,
					  (const uint8_t(*)[SUM])proof, p->n, got));
		assert_memory_equal(got, root, SUM);
		/* another leaf, another place, a proof too short or too long */
		if (size > 1) {
			(void)merkle_follow(span(leaf[(index + 1) % size], SUM), index, size,
					    (const uint8_t(*)[SUM])proof, p->n, got);
			assert_memory_not_equal(got, root, SUM);
			assert_false(merkle_follow(span(leaf[index], SUM), index, size,
						   (const uint8_t(*)[SUM])proof, p->n - 1, got));
		}
		assert_false(merkle_follow(span(leaf[index], SUM), index, size,
					   (const uint8_t(*)[SUM])proof, p->n + 1, got));
		free(p);
	}
	assert_false(merkle_follow(span(leaf[0], SUM), size, size, (const uint8_t(*)[SUM])proof, 0,
				   got));
}

static void test_tree(void **state)
{
	static uint8_t leaf[40][SUM];
	struct merkle t = { 0 };
	uint8_t want[SUM], got[SUM];

	(void)state;
	merkle_root(&t, got);
	sum_of(span(NULL, 0), span(NULL, 0), want);
	assert_memory_equal(got, want, SUM);
	for (size_t n = 1; n <= 40; n++) {
		memset(leaf[n - 1], (int)n, SUM);
		merkle_add(&t, span(leaf[n - 1], SUM));
		merkle_root(&t, got);
		root_of(leaf, n, want);
		assert_memory_equal(got, want, SUM);
		check_proofs(leaf, n, got);
	}
}

/* ---- keys ---- */

static void test_keys(void **state)
{
	struct buf pub_text = { 0 }, priv_text = { .secret = true }, note = { 0 };
	struct keys_private *k = NULL;
	struct keys_public pub, other;
	struct signed_note parts;
	struct why why;
	const struct span text = span_str("chancery-roll/x/index\n1\nAAAA\n");

	(void)state;
	assert_int_equal(keys_make(&pub_text, &priv_text, &why), OK);
	assert_int_equal(keys_public_read(buf_span(&pub_text), &pub, &why), OK);
	assert_int_equal(keys_private_read(buf_span(&priv_text), &k, &why), OK);
	assert_string_equal(keys_private_public(k, 0)->fingerprint, pub.fingerprint);

	assert_int_equal(buf_put(&note, text), OK);
	assert_int_equal(buf_put(&note, span_str("\n")), OK);
	assert_int_equal(keys_sign(k, 0, text, &note), OK);
	assert_true(signed_read(buf_span(&note), &parts));
	assert_int_equal(parts.n, 2);
	assert_int_equal(keys_check(&pub, &parts), SIGNED_GOOD);
	/* one of the two signatures alone is not enough */
	parts.n = 1;
	assert_int_equal(keys_check(&pub, &parts), SIGNED_BAD);
	parts.n = 2;
	note.p[0] ^= 1;
	assert_int_equal(keys_check(&pub, &parts), SIGNED_BAD);
	note.p[0] ^= 1;
	other = pub;
	other.name[sizeof(KEYS_NAME)] ^= 1;
	assert_int_equal(keys_check(&other, &parts), SIGNED_ABSENT);

	/* each byte of the texts counts */
	pub_text.p[pub_text.n - 1] = ' ';
	assert_int_equal(keys_public_read(buf_span(&pub_text), &other, &why), E_DATA);
	assert_int_equal(keys_public_read(span(pub_text.p, pub_text.n - 1), &other, &why), E_DATA);
	keys_private_free(k);
	k = NULL;
	priv_text.p[9] ^= 1;
	assert_int_equal(keys_private_read(buf_span(&priv_text), &k, &why), E_DATA);
	assert_null(k);
	buf_free(&pub_text);
	buf_free(&priv_text);
	buf_free(&note);
}

static void test_no_note(void **state)
{
	static const char *const wrong[] = {
		"",
		"a",
		"a\n",
		"\n\n",
		"a\n\nb\n",
		"a\n\n\xe2\x80\x94 name\n",
		"a\n\n\xe2\x80\x94 name AAAA",
	};
	struct signed_note n;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (signed_read(span_str(wrong[i]), &n))
			fail_msg("number %zu is taken for a note", i);
	assert_true(signed_read(span_str("a\nb\n\n"), &n));
	assert_int_equal(n.text.n, 4);
	assert_int_equal(n.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record),       cmocka_unit_test(test_no_record),
		cmocka_unit_test(test_every_event),  cmocka_unit_test(test_every_prefix),
		cmocka_unit_test(test_other_format), cmocka_unit_test(test_base64),
		cmocka_unit_test(test_tree),         cmocka_unit_test(test_keys),
		cmocka_unit_test(test_no_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
