/* SPDX-License-Identifier: Apache-2.0 */
/* Signed notes, taken apart by the forms of C2SP and verified by libcrypto alone. */
#include "audit/note.h"
#include "base/mem.h"
#include "pair.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define ORIGIN "chancery-roll/000102030405060708090a0b0c0d0e0f/18446744073709551615"
#define DASH   "\xe2\x80\x94 "

enum { ED25519_N = 32, ED25519_SIG = 64, MLDSA_N = 1952, MLDSA_SIG = 3309 };

static uint8_t id[16], root[TREE_HASH];

static int up(void **state)
{
	for (size_t i = 0; i < sizeof(id); i++)
		id[i] = (uint8_t)i;
	memset(root, 0xfb, sizeof(root));
	return crypto_up(state);
}

/* By libcrypto's decoder, which does not count the padding. */
static struct buf unbase64(struct span text)
{
	struct buf b = { 0 };
	int n;

	assert_int_equal(text.n % 4, 0);
	assert_int_equal(buf_reserve(&b, text.n), OK);
	n = EVP_DecodeBlock(b.p, text.p, (int)text.n);
	assert_true(n >= 0);
	b.n = (size_t)n;
	for (size_t i = text.n; i > 0 && text.p[i - 1] == '='; i--)
		b.n--;
	return b;
}

/* What stands between before and the next end; *s goes on behind that. */
static struct span between(struct span *s, const char *before, const char *end)
{
	size_t n = strlen(before);
	const uint8_t *stop;
	struct span found;

	assert_true(s->n >= n && memcmp(s->p, before, n) == 0);
	stop = memmem(s->p + n, s->n - n, end, strlen(end));
	assert_non_null(stop);
	found = span(s->p + n, (size_t)(stop - s->p) - n);
	*s = span(stop + strlen(end), s->n - n - found.n - strlen(end));
	return found;
}

static bool verifies(const char *type, const struct buf *public, struct span text, struct span sig)
{
	EVP_PKEY *pk = EVP_PKEY_new_raw_public_key_ex(NULL, type, NULL, public->p, public->n);
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	bool ok;

	assert_true(pk != NULL && c != NULL);
	assert_int_equal(EVP_DigestVerifyInit_ex(c, NULL, NULL, NULL, NULL, pk, NULL), 1);
	ok = EVP_DigestVerify(c, sig.p, sig.n, text.p, text.n) == 1;
	EVP_MD_CTX_free(c);
	EVP_PKEY_free(pk);
	return ok;
}

/* One signature line, by this key and nobody else's, over this text and no other. */
static void check_line(struct span *lines, struct span text, const char *type, const char *mark,
		       const struct buf *public, size_t sig_n)
{
	struct span b64 = between(lines, DASH ORIGIN " ", "\n");
	struct buf sig = unbase64(b64), named = { 0 }, other = { 0 };
	uint8_t digest[32];

	assert_int_equal(sig.n, 4 + sig_n);
	assert_int_equal(buf_put(&named, span_str(ORIGIN "\n")), OK);
	assert_int_equal(buf_put(&named, span_str(mark)), OK);
	assert_int_equal(buf_put(&named, buf_span(public)), OK);
	assert_int_equal(EVP_Digest(named.p, named.n, digest, NULL, EVP_sha256(), NULL), 1);
	assert_memory_equal(sig.p, digest, 4);
	assert_true(verifies(type, public, text, span(sig.p + 4, sig_n)));
	assert_int_equal(buf_put(&other, text), OK);
	other.p[other.n - 3] ^= 1;
	assert_false(verifies(type, public, buf_span(&other), span(sig.p + 4, sig_n)));
	buf_free(&sig);
	buf_free(&named);
	buf_free(&other);
}

static struct buf note(const struct note_keys *k, struct span *text, struct span *lines)
{
	static const char right[] = ORIGIN "\n77\n"
					   "+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s=\n";
	struct buf b = { 0 };

	assert_int_equal(note_sign(k, 77, root, &b), OK);
	*text = span(b.p, sizeof(right) - 1);
	assert_true(b.n > text->n && span_eq(*text, span_str(right)));
	*lines = span(b.p + text->n, b.n - text->n);
	assert_int_equal(between(lines, "", "\n").n, 0); /* the empty line */
	return b;
}

/* Mutations: note-key-id, note-signs-text, note-every-key. */
static void notes(bool mldsa)
{
	struct note_keys *k = NULL;
	struct buf publics = { 0 }, ed, ml = { 0 }, b;
	struct span text, lines, s;

	assert_int_equal(note_keys_new(id, UINT64_MAX, mldsa, &k), OK);
	assert_int_equal(note_publics(k, &publics), OK);
	s = buf_span(&publics);
	ed = unbase64(between(&s, ",\"ed25519\":\"", "\""));
	assert_int_equal(ed.n, ED25519_N);
	if (mldsa) {
		ml = unbase64(between(&s, ",\"mldsa65\":\"", "\""));
		assert_int_equal(ml.n, MLDSA_N);
	}
	assert_int_equal(s.n, 0);
	b = note(k, &text, &lines);
	check_line(&lines, text, "ED25519", "\x01", &ed, ED25519_SIG);
	if (mldsa)
		check_line(&lines, text, "ML-DSA-65",
			   "\xff"
			   "ML-DSA-65",
			   &ml, MLDSA_SIG);
	assert_int_equal(lines.n, 0);
	buf_free(&publics);
	buf_free(&ed);
	buf_free(&ml);
	buf_free(&b);
	note_keys_free(k);
}

static void test_one_key(void **state)
{
	(void)state;
	notes(false);
}

static void test_two_keys(void **state)
{
	(void)state;
	notes(true);
}

/* Keys are made anew for each file. */
static void test_keys_differ(void **state)
{
	struct note_keys *a = NULL, *b = NULL;
	struct buf pa = { 0 }, pb = { 0 };

	(void)state;
	assert_int_equal(note_keys_new(id, 1, false, &a), OK);
	assert_int_equal(note_keys_new(id, 1, false, &b), OK);
	assert_int_equal(note_publics(a, &pa), OK);
	assert_int_equal(note_publics(b, &pb), OK);
	assert_false(span_eq(buf_span(&pa), buf_span(&pb)));
	buf_free(&pa);
	buf_free(&pb);
	note_keys_free(a);
	note_keys_free(b);
	note_keys_free(NULL);
}

/* Private halves are in the secret arena, and leave it. Mutation: notekey-secret. */
static void test_secret(void **state)
{
	struct mem_stats before, during, after;
	struct note_keys *k = NULL;

	(void)state;
	for (int i = 0; i < 2; i++) { /* the first time, libcrypto keeps some */
		mem_stats(&before);
		assert_int_equal(note_keys_new(id, 1, true, &k), OK);
		mem_stats(&during);
		note_keys_free(k);
		mem_stats(&after);
	}
	assert_true(during.secret_used - before.secret_used > 4000); /* an ML-DSA-65 key */
	assert_int_equal(after.secret_used, before.secret_used);
}

/* In a buffer that cannot grow there is nothing, or all. */
static void test_no_room(void **state)
{
	struct note_keys *k = NULL;

	(void)state;
	assert_int_equal(note_keys_new(id, 1, false, &k), OK);
	for (size_t max = 3; max < 240; max += 4) {
		struct buf b = { .max = max }, p = { .max = max };

		assert_int_equal(buf_put(&b, span_str("old")), OK);
		assert_int_equal(buf_put(&p, span_str("old")), OK);
		if (note_sign(k, 1, root, &b) != OK)
			assert_int_equal(b.n, 3);
		if (note_publics(k, &p) != OK)
			assert_int_equal(p.n, 3);
		buf_free(&b);
		buf_free(&p);
	}
	note_keys_free(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_key),     cmocka_unit_test(test_two_keys),
		cmocka_unit_test(test_keys_differ), cmocka_unit_test(test_secret),
		cmocka_unit_test(test_no_room),
	};

	return cmocka_run_group_tests(tests, up, crypto_down);
}
