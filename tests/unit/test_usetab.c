/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of counts: every use is in it at once, whoever reads it, also when there are more keys than a page holds and where the pages cannot be
 * mapped. Broken by hand: usetab-index-grows, usetab-written-through, usetab-limited, usetab-mode, usetab-descriptor-kept, usetab-took-failed.
 */
#include "scratch.h"

#include "core/usetab.h"
#include "base/file.h"
#include "base/mem.h"
#include "crypto/lib.h"
#include <dirent.h>
#include <linux/magic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cmocka.h>

enum { KEYS = 1000 };

static long magic = TMPFS_MAGIC;
static const uint8_t roll[STORE_ROLL] = { 1, 2, 3 };

int __wrap_statfs(const char *path, struct statfs *fs);
int __wrap_statfs(const char *path, struct statfs *fs)
{
	(void)path;
	memset(fs, 0, sizeof(*fs));
	fs->f_type = magic;
	return 0;
}

static struct use_of of_key(size_t i)
{
	struct use_of of = { .zero = { 0 } };

	memcpy(of.serial, i % 2 == 0 ? "0123456789abcdef" : "fedcba9876543210", USETAB_SERIAL);
	snprintf((char *)of.key, sizeof(of.key), "%zu", i);
	return of;
}

/* The uses of one token, as another process finds them. */
static uint64_t read_uses(const struct usetab *t, const char *serial, size_t *keys)
{
	struct store_uses *u = mem_alloc(sizeof(*u));
	struct buf b = { 0 };
	uint64_t sum = 0;
	struct why why;

	*keys = 0;
	assert_non_null(u);
	assert_int_equal(file_read(t->path, 0, 1 << 24, &b, &why), OK);
	assert_int_equal(b.n % USETAB_PAGE, 0);
	for (size_t at = 0; at < b.n; at += USETAB_PAGE) {
		union useplace *place = mem_alloc(USETAB_PAGE);

		memcpy((void *)place, b.p + at, USETAB_PAGE);
		assert_memory_equal(place->head.roll, roll, sizeof(roll));
		usepage_copy(place, (const uint8_t *)serial, u);
		for (size_t i = 0; i < u->n; i++)
			sum += u->use[i].count;
		*keys += u->n;
		mem_free(place);
	}
	buf_free(&b);
	mem_free(u);
	return sum;
}

static void count_all(const char *dir)
{
	struct usetab *t = NULL;
	uint64_t want[2] = { 0, 0 };
	size_t keys;

	assert_int_equal(usetab_make(dir, 0600, roll, 12, &t), OK);
	for (size_t round = 0; round < 3; round++) {
		for (size_t i = 0; i < KEYS; i += 1 + round) {
			const struct use_of of = of_key(i);

			assert_int_equal(usetab_count(t, &of), OK);
			want[i % 2]++;
		}
	}
	assert_int_equal(read_uses(t, "0123456789abcdef", &keys), want[0]);
	assert_int_equal(keys, KEYS / 2);
	assert_int_equal(read_uses(t, "fedcba9876543210", &keys), want[1]);
	assert_int_equal(read_uses(t, "0000000000000000", &keys), 0);
	usetab_free(t, false);
}

static void test_mapped(void **state)
{
	magic = TMPFS_MAGIC;
	count_all(*state);
}

/* The host's umask may be anything, and the file is opened again. */
static void test_mode(void **state)
{
	const mode_t before = umask(0777);
	struct usetab *t = NULL;
	struct stat st;

	magic = TMPFS_MAGIC;
	assert_int_equal(usetab_make(*state, 0600, roll, 12, &t), OK);
	(void)umask(before);
	assert_int_equal(stat(t->path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	usetab_free(t, true);
}

static void test_written(void **state)
{
	magic = BTRFS_SUPER_MAGIC;
	count_all(*state);
}

/* The program closed every descriptor, and has files of its own under their numbers. */
static void test_closed(void **state)
{
	enum { NUMBERS = 64 };
	FILE *own = tmpfile();
	struct usetab *t = NULL;
	struct use_of of = of_key(0);
	size_t keys;

	assert_non_null(own);
	magic = BTRFS_SUPER_MAGIC;
	assert_int_equal(usetab_make(*state, 0600, roll, 12, &t), OK);
	assert_int_equal(usetab_count(t, &of), OK);
	for (int fd = 3; fd < NUMBERS; fd++)
		if (fd != fileno(own))
			assert_int_equal(dup2(fileno(own), fd), fd);
	assert_int_equal(usetab_count(t, &of), OK);
	assert_int_equal(read_uses(t, "0123456789abcdef", &keys), 2);
	usetab_free(t, true);
	for (int fd = 3; fd < NUMBERS; fd++) {
		assert_int_equal(lseek(fd, 0, SEEK_END), 0);
		if (fd != fileno(own))
			close(fd);
	}
	fclose(own);
}

/* A limit that the process has is told by the call, and no signal ends it. */
static void test_limited(void **state)
{
	struct rlimit before, limit;
	struct usetab *t = NULL;
	struct use_of of;
	enum err e = OK;
	size_t i = 0, keys;

	magic = TMPFS_MAGIC;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = (struct rlimit){ USETAB_PAGE, before.rlim_max };
	assert_int_equal(usetab_make(*state, 0600, roll, 12, &t), OK);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	while (e == OK && i < KEYS) {
		of = of_key(i++);
		e = usetab_count(t, &of);
	}
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(e, E_DEVICE);
	assert_int_equal(i, STORE_USE_PAGE + 1);
	assert_int_equal(usetab_count(t, &of), OK);
	assert_int_equal(read_uses(t, "0123456789abcdef", &keys) +
				 read_uses(t, "fedcba9876543210", &keys),
			 i);
	usetab_free(t, true);
}

static void test_sealed(void **state)
{
	const uint8_t *one = (const uint8_t *)"0123456789abcdef",
		      *two = (const uint8_t *)"fedcba9876543210";
	const char *dir = *state;
	struct store_uses *u = mem_alloc(sizeof(*u));
	struct usetab *t = NULL;
	struct use_of of = of_key(0), other = of_key(1);

	magic = TMPFS_MAGIC;
	assert_int_equal(usetab_make(dir, 0600, roll, 12, &t), OK);
	assert_true(usetab_sealed(t, NULL));
	assert_int_equal(usetab_count(t, &of), OK);
	assert_int_equal(usetab_count(t, &other), OK);
	usetab_take(t, 0, one, u);
	assert_int_equal(u->n, 1);
	assert_int_equal(u->file, 12);
	assert_int_equal(u->use[0].count, 1);
	assert_int_equal(usetab_count(t, &of), OK); /* meanwhile */
	usetab_took(t, one, true);
	assert_false(usetab_sealed(t, one));
	usetab_take(t, 0, one, u);
	assert_int_equal(u->use[0].count, 2);
	usetab_took(t, one, false); /* the token could not be written */
	usetab_took(t, one, true);  /* and then was, without this page */
	assert_false(usetab_sealed(t, one));
	usetab_take(t, 0, one, u);
	assert_int_equal(u->use[0].count, 2);
	usetab_took(t, one, true);
	assert_true(usetab_sealed(t, one));
	assert_false(usetab_sealed(t, two));
	usetab_take(t, 0, one, u);
	assert_int_equal(u->n, 0);
	usetab_free(t, true);
	mem_free(u);
	assert_int_equal(scratch_count(state), 0);
}

static void test_names(void **state)
{
	uint64_t file, part;

	(void)state;
	assert_true(usetab_named("000012-00000000000000ff", &file, &part));
	assert_int_equal(file, 12);
	assert_int_equal(part, 255);
	assert_false(usetab_named("12-00000000000000ff", &file, &part));
	assert_false(usetab_named("000012-ff", &file, &part));
	assert_false(usetab_named("000012-00000000000000ff.tmp", &file, &part));
	assert_false(usetab_named("..", &file, &part));
}

static int start(void **state)
{
	(void)state;
	return crypto_start() == OK ? 0 : 1;
}

static int stop(void **state)
{
	(void)state;
	crypto_stop();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_mapped, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_mode, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_written, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_closed, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_limited, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_sealed, scratch_setup, scratch_teardown),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests_name("usetab", tests, start, stop);
}
