/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Some daemons close every descriptor they know nothing of, and open files of their own, which get the same numbers. The module neither writes to
 * them nor closes them, nor gives up a lock that is on them; it opens its own files again.
 */
#include "case.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST = 3, LAST = 120 };

static struct stat mine[LAST + 1];
static const char text[] = "a line of the program's own, for which nobody else has any use\n";

static void file_path(char path[160], int fd)
{
	snprintf(path, 160, "%s/mine.%d", p11_home(), fd);
}

/* Every number from FIRST to LAST is a file of its own, with a lock and some content. */
static void take_all(void)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char path[160];

	for (int fd = FIRST; fd <= LAST; fd++)
		(void)close(fd);
	for (int fd = FIRST; fd <= LAST; fd++) {
		file_path(path, fd);
		assert_int_equal(open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), fd);
		for (int i = 0; i < 64; i++)
			assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
		assert_int_equal(fcntl(fd, F_SETLK, &whole), 0);
		assert_int_equal(fstat(fd, &mine[fd]), 0);
	}
}

/* Of another process: whether a lock is there. */
static void locks_are_there(void)
{
	for (int fd = FIRST; fd <= LAST; fd++) {
		struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

		assert_int_equal(fcntl(fd, F_GETLK, &l), 0);
		assert_int_equal(l.l_type, F_WRLCK);
	}
}

static void content_is_there(int fd)
{
	char got[sizeof(text)];

	for (int i = 0; i < 64; i++) {
		assert_int_equal(pread(fd, got, sizeof(got), (off_t)sizeof(got) * i), sizeof(got));
		assert_memory_equal(got, text, sizeof(text));
	}
}

static void all_are_there(void)
{
	struct stat now;

	for (int fd = FIRST; fd <= LAST; fd++) {
		if (fstat(fd, &now) != 0)
			fail_msg("descriptor %d was closed", fd);
		assert_int_equal(now.st_ino, mine[fd].st_ino);
		assert_int_equal(now.st_size, mine[fd].st_size);
		content_is_there(fd);
	}
	case_child(locks_are_there);
}

static void give_back(void)
{
	for (int fd = FIRST; fd <= LAST; fd++)
		assert_int_equal(close(fd), 0);
}

static CK_RV make_key(CK_SESSION_HANDLE s)
{
	CK_MECHANISM m = mechanism(CKM_AES_KEY_GEN, NULL, 0);
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;

	templ_ulong(&t, CKA_VALUE_LEN, 32);
	templ_flags(&t, CKA_TOKEN, CKA_ENCRYPT);
	return p11->C_GenerateKey(s, &m, t.a, t.n, &h);
}

/* Nothing is done in between: C_Finalize finds what it opened under numbers that are another's. */
static void finalized(void **state)
{
	(void)state;
	assert_ok(make_key(p11_session()));
	take_all();
	p11_finalize();
	all_are_there();
	give_back();
}

/* The roll is at an end, for its file cannot be locked again without a gap; the tokens are read on. */
static void used(void **state)
{
	struct templ all = { 0 };

	(void)state;
	assert_ok(make_key(p11_session()));
	take_all();
	assert_rv(make_key(p11_session()), CKR_DEVICE_ERROR);
	(void)p11_count(p11_session(), &all);
	all_are_there();
	p11_finalize();
	all_are_there();
	give_back();
}

static int setup_unrecorded(void **state)
{
	return p11_setup_configured(state, "[module]\naudit = off\n");
}

static void used_without_roll(void **state)
{
	struct templ all = { 0 };
	CK_SESSION_HANDLE s = p11_session();

	(void)state;
	assert_ok(make_key(s));
	take_all();
	assert_ok(make_key(s));
	assert_int_equal(p11_count(s, &all), 2);
	assert_ok(p11->C_Logout(s));
	p11_login(s, CKU_USER);
	all_are_there();
	p11_finalize();
	all_are_there();
	give_back();
	p11_initialize();
	s = p11_open(p11_slot(), true);
	p11_login(s, CKU_USER);
	assert_int_equal(p11_count(s, &all), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finalized, p11_setup_token, p11_teardown),
		cmocka_unit_test_setup_teardown(used, p11_setup_token, p11_teardown),
		cmocka_unit_test_setup_teardown(used_without_roll, setup_unrecorded, p11_teardown),
	};

	/* what was left is a leak to a checker of memory, which has descriptors of its own, too */
	return case_plain_memory() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
