/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of the roll as an auditor follows them (docs/AUDIT.md, "Keys"): from the sealed S through the seeds of all files, void ones included, to
 * the MAC of each record. By libcrypto, and nothing of src/audit.
 */
#include "audit/roll.h"

#include "rollbook.h"
#include "rolling.h"
#include "scratch.h"
#include "unbox.h"
#include <fcntl.h>
#include <openssl/hmac.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the auditor ---- */

struct auditor {
	EVP_PKEY *key;
	char text[2048]; /* auditor.pub */
	char print[33];
	uint8_t s[32];    /* S, as far as the index was followed */
	uint64_t records; /* whose MAC was right */
};

static void print_of(const char *text, char print[33])
{
	uint8_t digest[32];

	assert_int_equal(EVP_Digest(text, strlen(text), digest, NULL, EVP_sha256(), NULL), 1);
	for (int i = 0; i < 16; i++)
		sprintf(print + 2 * i, "%02x", digest[i]);
}

static void auditor_new(struct auditor *a)
{
	uint8_t public_key[BOXING_PUBLIC], base64[2000];

	a->key = unbox_key(public_key);
	(void)EVP_EncodeBlock(base64, public_key, BOXING_PUBLIC);
	snprintf(a->text, sizeof(a->text), "chancery-auditor-public 1\nkem x25519mlkem768 %s\n",
		 (char *)base64);
	print_of(a->text, a->print);
	a->records = 0;
}

static void init(void **state, const struct auditor *a)
{
	const struct roll_policy p = rolling_policy(state);
	struct why why = { "" };

	assert_int_equal(roll_init(&p, span_str(a->text), &why), OK);
}

/* ---- what is sealed ---- */

static void unhex(const char *text, uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(sscanf(text + 2 * i, "%2hhx", &p[i]), 1);
}

static bool open_member(struct auditor *a, const char *line, const char *name, struct span aad,
			uint8_t plain[64])
{
	uint8_t sealed[2048];
	const char *from = strstr(line, name), *to;
	int n;

	assert_non_null(from);
	from += strlen(name);
	to = strchr(from, '"');
	assert_non_null(to);
	n = EVP_DecodeBlock(sealed, (const uint8_t *)from, (int)(to - from));
	assert_true(n > 0);
	n -= (to[-1] == '=') + (to[-2] == '=');
	return unbox(a->key, span(sealed, (size_t)n), aad, plain) == 32;
}

static void aad_of(const char *what, const uint8_t id[16], uint64_t file, uint8_t out[28])
{
	memcpy(out, what, 4);
	memcpy(out + 4, id, 16);
	for (int i = 0; i < 8; i++)
		out[20 + i] = (uint8_t)(file >> (8 * i));
}

/* ---- a file's MACs ---- */

static void ratchet(uint8_t k[32])
{
	uint8_t both[3 + 32] = "rat";

	memcpy(both + 3, k, 32);
	assert_int_equal(EVP_Digest(both, sizeof(both), k, NULL, EVP_sha256(), NULL), 1);
}

static void check_macs(struct auditor *a, const char *path, const uint8_t id[16], uint64_t file,
		       uint8_t k[32])
{
	char line[65536], head[] = "chancery roll 1\n";
	uint8_t h[32 + 65536], mac[32], told[32];
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	memcpy(h, head, 16);
	memcpy(h + 16, id, 16);
	for (int i = 0; i < 8; i++)
		h[32 + i] = (uint8_t)(file >> (8 * i));
	assert_int_equal(EVP_Digest(h, 40, h, NULL, EVP_sha256(), NULL), 1);
	while (fgets(line, sizeof(line), f) != NULL) {
		char *at = strstr(line, ",\"mac\":\"");
		size_t n = (size_t)(at - line);

		memcpy(h + 32, line, n);
		assert_int_equal(EVP_Digest(h, 32 + n, h, NULL, EVP_sha256(), NULL), 1);
		assert_non_null(HMAC(EVP_sha256(), k, 32, h, 32, mac, NULL));
		unhex(at + 8, told, 32);
		assert_memory_equal(mac, told, 32);
		ratchet(k);
		a->records++;
	}
	fclose(f);
}

/* k(0) of a file, and S of the next. */
static void step(struct auditor *a, uint8_t seed[32], uint8_t k[32])
{
	char key[] = "chancery roll key 1", next[] = "chancery roll next 1";

	unbox_hkdf(a->s, 32, seed, 32, key, k);
	unbox_hkdf(a->s, 32, seed, 32, next, a->s);
}

static void take_line(struct auditor *a, void **state, const char *line, const uint8_t id[16])
{
	uint8_t aad[28], seed[64], k[32];
	const char *at = strstr(line, "\"file\":");
	uint64_t file = at != NULL ? strtoull(at + 7, NULL, 10) : 0;
	char name[40];

	if (strstr(line, "\"op\":\"init\"") != NULL) {
		aad_of("init", id, 0, aad);
		/* of another auditor: what follows is not ours to follow */
		if (strstr(line, a->print) != NULL) {
			assert_true(open_member(a, line, "\"sealed\":\"", span(aad, 20), seed));
			memcpy(a->s, seed, 32);
		}
		return;
	}
	if (strstr(line, "\"seed\":") == NULL || strstr(line, "\"seed\":null") != NULL)
		return;
	aad_of("seed", id, file, aad);
	if (!open_member(a, line, "\"seed\":\"", span(aad, 28), seed))
		return;
	step(a, seed, k);
	snprintf(name, sizeof(name), "roll/roll.%06u", (unsigned)file);
	if (strstr(line, "\"op\":\"open\"") != NULL)
		check_macs(a, scratch_path(state, name), id, file, k);
}

static void id_of(void **state, uint8_t id[16])
{
	char line[65536];
	FILE *f = fopen(scratch_path(state, "roll/roll.000001"), "r");

	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	unhex(strstr(line, "\"id\":\"") + 6, id, 16);
	fclose(f);
}

static void follow(void **state, struct auditor *a)
{
	char line[8192];
	uint8_t id[16];
	FILE *f = fopen(scratch_path(state, "roll/index"), "r");

	assert_non_null(f);
	id_of(state, id);
	while (fgets(line, sizeof(line), f) != NULL)
		take_line(a, state, line, id);
	fclose(f);
}

/* ---- */

static void session(void **state, unsigned n)
{
	struct roll *r = rolling_new(state);

	while (n-- != 0)
		rolling_sign(r);
	roll_free(r);
}

static void every_mac_is_the_auditors(void **state)
{
	struct auditor a;
	struct book b;

	auditor_new(&a);
	init(state, &a);
	for (unsigned i = 1; i < 5; i++)
		session(state, i);
	follow(state, &a);
	book_check(scratch_path(state, "roll"), &b);
	assert_int_equal(a.records, 4 * 2 + 1 + 2 + 3 + 4);
	assert_int_equal(a.records, b.records);
	assert_int_equal(b.inits, 1);
	assert_int_equal(book_count(scratch_path(state, "roll/roll.000004"), a.print), 1);
	EVP_PKEY_free(a.key);
}

/* Who was there before sees what was before, and whoever comes, what comes. */
static void an_auditor_follows_another(void **state)
{
	struct auditor first, second;
	struct book b;

	session(state, 5);
	auditor_new(&first);
	init(state, &first);
	session(state, 2);
	auditor_new(&second);
	init(state, &second);
	session(state, 3);
	follow(state, &first);
	follow(state, &second);
	assert_int_equal(first.records, 4);
	assert_int_equal(second.records, 5);
	book_check(scratch_path(state, "roll"), &b);
	assert_int_equal(b.inits, 3);
	EVP_PKEY_free(first.key);
	EVP_PKEY_free(second.key);
}

/* auditor.pub put there by hand, or taken away: a new S, and the index says so. */
static void the_file_decides_at_the_next_opening(void **state)
{
	struct auditor a;
	struct book b;

	session(state, 1);
	auditor_new(&a);
	scratch_file(state, "roll/auditor.pub", 0600, a.text, strlen(a.text));
	session(state, 2);
	assert_int_equal(unlink(scratch_path(state, "roll/auditor.pub")), 0);
	session(state, 3);
	follow(state, &a);
	assert_int_equal(a.records, 4);
	book_check(scratch_path(state, "roll"), &b);
	assert_int_equal(b.inits, 3);
	EVP_PKEY_free(a.key);
}

/* A number that was given out and came to nothing has moved S on all the same. */
static void void_numbers_count(void **state)
{
	const struct roll_event ev = rolling_event("key");
	const char *taken;
	struct auditor a;
	struct book b;
	struct roll *r;

	auditor_new(&a);
	init(state, &a);
	session(state, 1);
	taken = scratch_file(state, "roll/roll.000002", 0600, "", 0);
	r = rolling_new(state);
	assert_int_equal(roll_commit(r, &ev, NULL), E_DEVICE);
	roll_free(r);
	assert_int_equal(unlink(taken), 0);
	session(state, 2);
	follow(state, &a);
	assert_int_equal(a.records, 3 + 4);
	book_check(scratch_path(state, "roll"), &b);
	assert_int_equal(b.voids, 1);
	EVP_PKEY_free(a.key);
}

static void what_is_no_auditor_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"chancery-auditor-public 1\n",
		"chancery-auditor-public 2\nkem x25519mlkem768 AAAA\n",
		"chancery-auditor-public 1\nkem x25519mlkem768 AAAA\n",
		"chancery-auditor-public 1\nkem x25519mlkem768 !!!!\n",
		"chancery-auditor-private 1\n",
	};
	struct roll_policy p = rolling_policy(state);
	struct auditor a;
	struct why why;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(roll_init(&p, span_str(texts[i]), &why), E_ARGUMENTS);
	assert_int_equal(scratch_count(state), 0);
	auditor_new(&a);
	p.target = "/dev/null";
	assert_int_equal(roll_init(&p, span_str(a.text), &why), E_NOT_SUPPORTED);
	p.target = NULL;
	assert_int_equal(roll_init(&p, span_str(a.text), &why), E_NOT_SUPPORTED);
	EVP_PKEY_free(a.key);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rolling_setup, rolling_teardown)
	const struct CMUnitTest tests[] = {
		TEST(every_mac_is_the_auditors),
		TEST(an_auditor_follows_another),
		TEST(the_file_decides_at_the_next_opening),
		TEST(void_numbers_count),
		TEST(what_is_no_auditor_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
