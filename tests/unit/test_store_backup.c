/* SPDX-License-Identifier: Apache-2.0 */
/* Backup and restore: the whole token or nothing, and always why. */
#include "vault.h"

#include "base/mem.h"
#include "store/archive.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct paths {
	char backup[PATH_MAX], other[PATH_MAX]; /* the file, and another folder of tokens */
};

static struct paths paths_of(const struct vault *v)
{
	struct paths p;

	assert_true(snprintf(p.backup, PATH_MAX, "%s/token.backup", v->dir) < PATH_MAX);
	assert_true(snprintf(p.other, PATH_MAX, "%s/other", v->dir) < PATH_MAX);
	return p;
}

static void back_up(const struct vault *v, const char *path)
{
	struct why why = { .text = "" };

	if (store_backup(v->s, text(PASSPHRASE), path, &why) != OK)
		fail_msg("store_backup: %s", why.text);
}

/* Into the other folder; an error has a reason and leaves no token. */
static enum err restore(const struct vault *v, const struct paths *p, CK_SLOT_ID slot,
			const char *passphrase, struct why *why)
{
	struct store *s = NULL;
	enum err e;

	why->text[0] = '\0';
	e = store_restore(p->other, slot, &v->policy, text(passphrase), p->backup, NULL, why);
	if (e != OK) {
		assert_int_not_equal(why->text[0], '\0');
		assert_int_equal(store_open(p->other, slot, &v->policy, &s, NULL), E_ABSENT);
	}
	return e;
}

static void test_round_trip(void **state)
{
	struct vault *v = *state;
	struct paths p = paths_of(v);
	uint64_t priv = vault_must_put(v, true, "private", "01"),
		 pub = vault_must_put(v, false, "public", "02");
	struct record big = vault_record(CKO_DATA, true, "big", "03", 300000);
	struct store_change c = { CHANGE_CREATE, &big };
	struct store_info before, after;
	struct store *s = NULL;
	struct seal *k;
	struct record r = { 0 };
	struct stat st;
	struct why why;

	assert_int_equal(store_commit(v->s, v->user, &c, 1,
				      &(struct store_event){ .body = text("an event") }),
			 OK);
	assert_int_equal(store_login(v->s, STORE_SO, text("wrong"), NULL), E_PIN_WRONG);
	back_up(v, p.backup);
	assert_int_equal(stat(p.backup, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(restore(v, &p, 4, PASSPHRASE, &why), OK);
	assert_int_equal(store_open(p.other, 4, &v->policy, &s, NULL), OK);
	assert_int_equal(store_info(v->s, &before), OK);
	assert_int_equal(store_info(s, &after), OK);
	assert_memory_equal(before.serial, after.serial, 16);
	assert_memory_equal(before.label, after.label, 32);
	assert_int_equal(after.so_failures, 1);
	assert_int_equal(after.changes, before.changes);
	k = vault_login(s, STORE_USER, USER_PIN);
	vault_expect(s, k, priv, "private");
	vault_expect(s, k, pub, "public");
	assert_int_equal(store_get(s, k, big.id, &r), OK);
	assert_true(
		span_eq(attrset_bytes(r.attrs, CKA_VALUE), attrset_bytes(big.attrs, CKA_VALUE)));
	record_clear(&r);
	assert_int_equal(vault_findings(s, k, false), 0);
	/* ids go on where they were */
	assert_int_equal(vault_put(s, k, true, "new", "", &pub), OK);
	assert_true(pub > big.id);
	record_clear(&big);
	seal_free(k);
	store_close(s);
}

/* What the other process holds from before is asked anew: nothing is taken for known. */
static void test_changes_after_restore(void **state)
{
	struct vault *v = *state;
	struct paths p = paths_of(v);
	struct store_delta *d = NULL;
	struct store *s = NULL;
	struct why why;
	uint64_t now;
	size_t n = 0;

	vault_must_put(v, false, "one", "");
	vault_must_put(v, false, "two", "");
	back_up(v, p.backup);
	assert_int_equal(restore(v, &p, 0, PASSPHRASE, &why), OK);
	assert_int_equal(store_open(p.other, 0, &v->policy, &s, NULL), OK);
	assert_int_equal(store_changes(s, 1, &d, &n, &now), OK);
	assert_true(n == 3 && d[0].id == 0 && d[1].id == 1 && d[2].id == 2);
	mem_free(d);
	store_close(s);
}

static void test_never_over_anything(void **state)
{
	struct vault *v = *state;
	struct paths p = paths_of(v), same = paths_of(v);
	struct why why = { .text = "" };

	back_up(v, p.backup);
	assert_int_equal(store_backup(v->s, text(PASSPHRASE), p.backup, &why), E_EXISTS);
	assert_non_null(strstr(why.text, "exists"));
	/* the same token beside itself, or in a slot that holds one */
	snprintf(same.other, sizeof(same.other), "%s", v->dir);
	assert_int_equal(
		store_restore(v->dir, 0, &v->policy, text(PASSPHRASE), p.backup, NULL, &why),
		E_SESSION_EXISTS);
	assert_int_equal(restore(v, &same, 1, PASSPHRASE, &why), E_EXISTS);
	assert_non_null(strstr(why.text, "slot 0"));
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
	/* deleted, it comes back under a new id only */
	store_close(v->s);
	v->s = NULL;
	assert_int_equal(store_delete(v->dir, 0, NULL), OK);
	assert_int_equal(restore(v, &same, 0, PASSPHRASE, &why), E_SLOT);
	/* the failed restore into slot 1 has used that id up too */
	assert_int_equal(restore(v, &same, 2, PASSPHRASE, &why), OK);
}

static void test_passphrases(void **state)
{
	struct vault *v = *state;
	struct paths p = paths_of(v);
	char *longest = calloc(1, 1026);
	struct why why = { .text = "" };

	memset(longest, 'p', 1025);
	assert_int_equal(store_backup(v->s, span(NULL, 0), p.backup, &why), E_PIN_LEN);
	assert_int_equal(store_backup(v->s, span(longest, 1025), p.backup, &why), E_PIN_LEN);
	assert_int_equal(access(p.backup, F_OK), -1);
	assert_int_equal(store_backup(v->s, span(longest, 1024), p.backup, &why), OK);
	assert_int_equal(restore(v, &p, 0, "wrong", &why), E_PIN_WRONG);
	assert_non_null(strstr(why.text, "passphrase"));
	longest[1024] = '\0';
	assert_int_equal(restore(v, &p, 0, longest, &why), OK);
	free(longest);
}

static void write_at(const char *path, off_t at, const void *p, size_t n)
{
	int fd = open(path, O_WRONLY);

	assert_int_equal(pwrite(fd, p, n, at), n);
	close(fd);
}

static void test_other_files(void **state)
{
	struct vault *v = *state;
	struct paths p = paths_of(v);
	char saved[PATH_MAX];
	struct why why;

	assert_int_equal(restore(v, &p, 0, PASSPHRASE, &why), E_ABSENT);
	vault_copy(v->db, p.backup);
	assert_int_equal(restore(v, &p, 0, PASSPHRASE, &why), E_DATA);
	assert_non_null(strstr(why.text, "not a backup"));
	unlink(p.backup);
	back_up(v, p.backup);
	snprintf(saved, sizeof(saved), "%.4000s.saved", p.backup);
	vault_copy(p.backup, saved);
	write_at(p.backup, 8, "\x02", 1);
	assert_int_equal(restore(v, &p, 0, PASSPHRASE, &why), E_TOKEN_UNKNOWN);
	assert_non_null(strstr(why.text, "newer"));
	vault_copy(saved, p.backup);
	write_at(p.backup, (off_t)vault_size(p.backup), "x", 1);
	assert_int_equal(restore(v, &p, 0, PASSPHRASE, &why), E_CORRUPT);
	assert_non_null(strstr(why.text, "after the end"));
	/* a directory, a device */
	snprintf(p.backup, sizeof(p.backup), "%s", v->dir);
	assert_int_equal(restore(v, &p, 0, PASSPHRASE, &why), E_DATA);
}

/* Three chunks and more. */
static void fill_large(struct vault *v)
{
	for (int i = 0; i < 3; i++) {
		struct record r = vault_record(CKO_DATA, false, "large", "", 60000);
		struct store_change c = { CHANGE_CREATE, &r };

		assert_int_equal(store_commit(v->s, v->user, &c, 1, NULL), OK);
		record_clear(&r);
	}
}

static void test_cut(void **state)
{
	struct vault *v = *state;
	struct paths p = paths_of(v);
	char saved[PATH_MAX];
	struct why why;
	size_t size;

	fill_large(v);
	back_up(v, p.backup);
	size = vault_size(p.backup);
	snprintf(saved, sizeof(saved), "%.4000s.saved", p.backup);
	assert_int_equal(rename(p.backup, saved), 0);
	for (size_t n = 0; n < size; n += n < 100 ? 9 : 4999) {
		enum err e;

		vault_copy(saved, p.backup);
		assert_int_equal(truncate(p.backup, (off_t)n), 0);
		e = restore(v, &p, n, PASSPHRASE, &why);
		assert_true(e == (n < 8 ? E_DATA : E_CORRUPT));
		assert_true(n < 8 || strstr(why.text, "cut short") != NULL);
	}
}

static void test_altered(void **state)
{
	struct vault *v = *state;
	struct paths p = paths_of(v);
	char saved[PATH_MAX];
	struct why why;
	CK_SLOT_ID slot = 0;
	size_t size;

	fill_large(v);
	back_up(v, p.backup);
	size = vault_size(p.backup);
	snprintf(saved, sizeof(saved), "%.4000s.saved", p.backup);
	assert_int_equal(rename(p.backup, saved), 0);
	for (size_t at = 0; at < size; at += at < 200 ? 3 : 7777) {
		uint8_t byte;
		int fd;

		vault_copy(saved, p.backup);
		fd = open(p.backup, O_RDWR);
		assert_int_equal(pread(fd, &byte, 1, (off_t)at), 1);
		byte ^= 0x10;
		assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
		close(fd);
		assert_int_not_equal(restore(v, &p, slot++, PASSPHRASE, &why), OK);
	}
	vault_copy(saved, p.backup);
	assert_int_equal(restore(v, &p, slot, PASSPHRASE, &why), OK);
}

/* Chunks are bound to their places: each by itself is genuine. */
static void test_chunks_move(void **state)
{
	const size_t chunk = 4 + ARCHIVE_CHUNK + SEALING_EXTRA;
	struct vault *v = *state;
	struct paths p = paths_of(v);
	uint8_t *file;
	struct why why;
	size_t n;
	int fd;

	fill_large(v);
	back_up(v, p.backup);
	n = vault_size(p.backup);
	assert_true(n > ARCHIVE_HEADER + 2 * chunk);
	file = malloc(n);
	fd = open(p.backup, O_RDONLY);
	assert_int_equal(read(fd, file, n), n);
	close(fd);
	write_at(p.backup, ARCHIVE_HEADER, file + ARCHIVE_HEADER + chunk, chunk);
	write_at(p.backup, (off_t)(ARCHIVE_HEADER + chunk), file + ARCHIVE_HEADER, chunk);
	assert_int_equal(restore(v, &p, 0, PASSPHRASE, &why), E_CORRUPT);
	/* one left out */
	write_at(p.backup, ARCHIVE_HEADER, file + ARCHIVE_HEADER + chunk,
		 n - ARCHIVE_HEADER - chunk);
	assert_int_equal(truncate(p.backup, (off_t)(n - chunk)), 0);
	assert_int_equal(restore(v, &p, 1, PASSPHRASE, &why), E_CORRUPT);
	free(file);
}

/* ---- chunks of one item each: what is left when they are moved is a sequence of whole items, and only the seal tells ---- */

#define CHUNK (4 + (size_t)ARCHIVE_CHUNK + SEALING_EXTRA)

enum { ITEM_BYTES = ARCHIVE_CHUNK - 5, ITEMS = 4 };

static void write_archive(const struct vault *v, const char *path)
{
	static uint8_t body[ITEM_BYTES];
	struct archive_writer w;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(archive_begin(&w, fd, path, &v->policy, text(PASSPHRASE), NULL), OK);
	for (uint8_t i = 0; i < ITEMS; i++) {
		body[0] = i;
		assert_int_equal(archive_item(&w, ITEM_OBJECT, span(body, sizeof(body))), OK);
	}
	assert_int_equal(archive_finish(&w), OK);
	archive_end(&w);
	close(fd);
	assert_int_equal(vault_size(path), ARCHIVE_HEADER + ITEMS * CHUNK);
}

/* What reading all of it comes to. */
static enum err read_archive(const char *path, struct why *why)
{
	struct archive_reader r;
	int fd = open(path, O_RDONLY);
	enum err e = archive_open(&r, fd, path, text(PASSPHRASE), why);
	bool more = e == OK;
	struct span body;
	uint8_t type;

	for (uint8_t i = 0; e == OK && more; i++) {
		e = archive_next(&r, &more, &type, &body);
		if (e == OK && more)
			assert_true(type == ITEM_OBJECT && body.n == ITEM_BYTES && body.p[0] == i);
	}
	archive_close(&r);
	close(fd);
	return e;
}

/* The chunks that the file has now, by their numbers in the genuine one; only the last of them says that it is. */
static void put_chunks(const char *path, const uint8_t *file, const char *numbers)
{
	const size_t n = strlen(numbers);
	uint8_t *chunk = malloc(CHUNK);

	for (size_t i = 0; i < n; i++) {
		memcpy(chunk, file + ARCHIVE_HEADER + (size_t)(numbers[i] - '0') * CHUNK, CHUNK);
		chunk[3] = (uint8_t)((chunk[3] & 0x7f) | (i == n - 1 ? 0x80 : 0));
		write_at(path, (off_t)(ARCHIVE_HEADER + i * CHUNK), chunk, CHUNK);
	}
	assert_int_equal(truncate(path, (off_t)(ARCHIVE_HEADER + n * CHUNK)), 0);
	free(chunk);
}

static void test_whole_items_move(void **state)
{
	static const char *const others[] = {
		"1023",  "0213",  "0132",  "3012",         /* moved */
		"0",     "01",    "012",   "123",   "013", /* left out */
		"00123", "01223", "01233", "01230",        /* repeated */
		"0111",  "0000",  "0120",                  /* one in place of another */
	};
	struct vault *v = *state;
	struct paths p = paths_of(v);
	uint8_t *file = malloc(ARCHIVE_HEADER + ITEMS * CHUNK);
	struct why why;
	int fd;

	write_archive(v, p.backup);
	fd = open(p.backup, O_RDONLY);
	assert_int_equal(read(fd, file, ARCHIVE_HEADER + ITEMS * CHUNK),
			 ARCHIVE_HEADER + ITEMS * CHUNK);
	close(fd);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		put_chunks(p.backup, file, others[i]);
		assert_int_equal(read_archive(p.backup, &why), E_CORRUPT);
		assert_non_null(strstr(why.text, "altered"));
	}
	put_chunks(p.backup, file, "0123");
	assert_int_equal(read_archive(p.backup, &why), OK);
	free(file);
}

/* ---- hostile headers ---- */

/* Who can write the file can make its sum right: a header that asks for 4 TiB is refused all the same. */
static void test_asks_for_much(void **state)
{
	const uint8_t much[4] = { 0xff, 0xff, 0xff, 0xff };
	struct vault *v = *state;
	struct paths p = paths_of(v);
	uint8_t head[ARCHIVE_HEADER], sum[SEALING_MAC];
	const struct span summed = span(head, sizeof(head) - 8);
	struct why why;
	int fd;

	back_up(v, p.backup);
	fd = open(p.backup, O_RDONLY);
	assert_int_equal(read(fd, head, sizeof(head)), sizeof(head));
	close(fd);
	memcpy(head + 16, much, sizeof(much)); /* the cost */
	assert_int_equal(sealing_digest(&summed, 1, sum), OK);
	memcpy(head + sizeof(head) - 8, sum, 8);
	write_at(p.backup, 0, head, sizeof(head));
	assert_int_equal(restore(v, &p, 0, PASSPHRASE, &why), E_CORRUPT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, vault_open, vault_close)
		TEST(test_round_trip),
		TEST(test_changes_after_restore),
		TEST(test_never_over_anything),
		TEST(test_passphrases),
		TEST(test_other_files),
		TEST(test_cut),
		TEST(test_altered),
		TEST(test_chunks_move),
		TEST(test_whole_items_move),
		TEST(test_asks_for_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
