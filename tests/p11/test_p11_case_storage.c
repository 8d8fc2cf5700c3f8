/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases of storage (docs/CASES.md): B036 a store that cannot be written, B037 modes of files, R01 failed logins, R03
 * several writers, R08 session objects.
 */
#include "case.h"

#include <dirent.h>
#include <fcntl.h>
#include <errno.h>
#include <ftw.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, BIG = 1 << 22 };

/* ---- files of the home ---- */

typedef void visit_fn(const char *path, const struct stat *st);

static visit_fn *visitor;

static int visit_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)type;
	(void)ftw;
	visitor(path, st);
	return 0;
}

static void visit_home(visit_fn *f)
{
	visitor = f;
	assert_int_equal(nftw(p11_home(), visit_one, 16, FTW_PHYS), 0);
}

static size_t read_file(const char *path, CK_BYTE *p)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	assert_non_null(f);
	n = fread(p, 1, BIG, f);
	(void)fclose(f);
	return n;
}

static const CK_BYTE *wanted;
static size_t wanted_n;
static unsigned found_in;

static void look_inside(const char *path, const struct stat *st)
{
	CK_BYTE *p;
	size_t n;

	if (!S_ISREG(st->st_mode))
		return;
	p = malloc(BIG);
	assert_non_null(p);
	n = read_file(path, p);
	if (memmem(p, n, wanted, wanted_n) != NULL)
		found_in++;
	free(p);
}

/* In how many files these bytes are. */
static unsigned files_with(const void *p, size_t n)
{
	wanted = p;
	wanted_n = n;
	found_in = 0;
	visit_home(look_inside);
	return found_in;
}

/* ---- B036 ---- */

static void need_root(void)
{
	if (geteuid() != 0) {
		print_message("skipped: needs root, to look with another user's eyes\n");
		skip();
	}
}

static void give_away(const char *path, const struct stat *st)
{
	assert_int_equal(chown(path, 0, NOBODY), 0);
	assert_int_equal(chmod(path, S_ISDIR(st->st_mode) ? 0750 : 0640), 0);
}

static CK_OBJECT_HANDLE stored_key(CK_SESSION_HANDLE s)
{
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h = 0;
	CK_ULONG n = 0;

	templ_ulong(&t, CKA_CLASS, CKO_PRIVATE_KEY);
	assert_ok(p11->C_FindObjectsInit(s, t.a, t.n));
	assert_ok(p11->C_FindObjects(s, &h, 1, &n));
	assert_ok(p11->C_FindObjectsFinal(s));
	assert_int_equal(n, 1);
	return h;
}

/* What writes is refused by one error, before anything is done. */
static void nothing_is_written(CK_SESSION_HANDLE s)
{
	CK_UTF8CHAR old[] = USER_PIN, new_pin[] = "another PIN", so[] = SO_PIN, label[32];
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;

	memset(label, ' ', sizeof(label));
	templ_ulong(&t, CKA_CLASS, CKO_DATA);
	templ_bool(&t, CKA_TOKEN, true);
	assert_rv_of(case_create(s, &t, &h), CKR_TOKEN_WRITE_PROTECTED, CKR_SESSION_READ_ONLY);
	assert_rv_of(p11->C_DestroyObject(s, stored_key(s)), CKR_TOKEN_WRITE_PROTECTED,
		     CKR_SESSION_READ_ONLY);
	assert_rv_of(p11->C_SetPIN(s, old, sizeof(old) - 1, new_pin, sizeof(new_pin) - 1),
		     CKR_TOKEN_WRITE_PROTECTED, CKR_SESSION_READ_ONLY);
	assert_ok(p11->C_CloseAllSessions(p11_slot()));
	assert_rv(p11->C_InitToken(p11_slot(), so, sizeof(so) - 1, label),
		  CKR_TOKEN_WRITE_PROTECTED);
}

static void read_only_work(void)
{
	CK_MECHANISM m = mechanism(CKM_ECDSA_SHA256, NULL, 0);
	CK_BYTE data[8] = { 0 }, sig[64];
	CK_ULONG n = sizeof(sig);
	CK_SESSION_HANDLE s;

	assert_true(setgroups(0, NULL) == 0 && setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
	assert_int_equal(unsetenv("HOME"), 0);
	p11_initialize();
	assert_true(case_token_flags(p11_slot()) & CKF_WRITE_PROTECTED);
	assert_rv(
		p11->C_OpenSession(p11_slot(), CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &s),
		CKR_TOKEN_WRITE_PROTECTED);
	s = p11_open(p11_slot(), false);
	assert_rv(case_login(s, CKU_USER, "wrong PIN"), CKR_PIN_INCORRECT);
	assert_true(case_token_flags(p11_slot()) & CKF_USER_PIN_COUNT_LOW);
	p11_login(s, CKU_USER);
	assert_ok(p11->C_SignInit(s, &m, stored_key(s)));
	assert_ok(p11->C_Sign(s, data, sizeof(data), sig, &n));
	p11_p256(s, NULL, NULL); /* session objects need no store */
	nothing_is_written(s);
	p11_finalize();
}

static void stored_pair(CK_SESSION_HANDLE s)
{
	struct templ priv = { 0 };

	templ_flags(&priv, CKA_SIGN, CKA_TOKEN);
	p11_p256(s, NULL, &priv);
}

/* Who may only read the store can do all that reads: find, log in, sign; what would write says why not. */
static void test_B036_read_only_store(void **state)
{
	(void)state;
	need_root();
	stored_pair(p11_session());
	p11_finalize();
	/* the roll would have to be written, and then there is nothing but the state to read */
	p11_configure("[module]\naudit = off\n");
	visit_home(give_away);
	case_child(read_only_work);
	p11_initialize();
	assert_false(case_token_flags(p11_slot()) & CKF_WRITE_PROTECTED);
}

static void give_for_good(const char *path, const struct stat *st)
{
	(void)st;
	assert_int_equal(chown(path, NOBODY, NOBODY), 0);
}

static void lock_up(const char *path, const struct stat *st)
{
	assert_int_equal(chmod(path, S_ISDIR(st->st_mode) ? 0500 : 0400), 0);
}

static void unlock(const char *path, const struct stat *st)
{
	assert_int_equal(chmod(path, S_ISDIR(st->st_mode) ? 0700 : 0600), 0);
}

static CK_RV generate_stored(CK_SESSION_HANDLE s)
{
	CK_MECHANISM m = mechanism(CKM_AES_KEY_GEN, NULL, 0);
	CK_OBJECT_HANDLE h;
	struct templ t = { 0 };

	templ_ulong(&t, CKA_VALUE_LEN, 16);
	templ_flags(&t, CKA_TOKEN, CKA_ENCRYPT);
	return p11->C_GenerateKey(s, &m, t.a, t.n, &h);
}

static bool written_before;

static void turned_work(void)
{
	CK_SESSION_HANDLE s;

	if (geteuid() == 0)
		assert_true(setgroups(0, NULL) == 0 && setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
	assert_int_equal(unsetenv("HOME"), 0);
	p11_initialize();
	s = p11_open(p11_slot(), true);
	p11_login(s, CKU_USER);
	if (written_before)
		assert_ok(generate_stored(s));
	visit_home(lock_up);
	for (int i = 0; i < 3; i++)
		assert_rv(generate_stored(s), CKR_TOKEN_WRITE_PROTECTED);
	visit_home(unlock);
	p11_finalize();
}

/* A store that turns read-only under an open session says so from the first write on, its journal open or not yet. */
static void test_B036_turned_read_only(void **state)
{
	(void)state;
	p11_finalize();
	if (geteuid() == 0)
		visit_home(give_for_good);
	for (int i = 0; i <= 1; i++) {
		written_before = i != 0;
		case_child(turned_work);
	}
	p11_initialize();
}

/* ---- a home that may not be entered ---- */

static char closed[128];

static void initialize_from_outside(void)
{
	char home[sizeof(closed) + 8];

	if (geteuid() == 0)
		assert_true(setgroups(0, NULL) == 0 && setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
	(void)snprintf(home, sizeof(home), "%s/user", closed);
	assert_int_equal(setenv("HOME", home, 1), 0);
	assert_int_equal(unsetenv("XDG_CONFIG_HOME"), 0);
	assert_int_equal(access(home, F_OK), -1);
	assert_int_equal(errno, EACCES);
	p11_initialize();
	p11_finalize();
}

/*
 * HOME is often that of whoever started the program before it became another user. There is then no configuration of
 * one's own, and that is no error. Broken once by not asking whether it may be.
 */
static void test_home_that_may_not_be_entered(void **state)
{
	const char *home = p11_home();

	(void)state;
	p11_finalize();
	(void)snprintf(closed, sizeof(closed), "%s/closed", home);
	assert_int_equal(mkdir(closed, 0), 0);
	if (geteuid() == 0)
		assert_int_equal(chown(home, NOBODY, NOBODY), 0);
	/* named by the test's frame, a configuration would not be looked for */
	assert_int_equal(unsetenv("CHANCERY_CONF"), 0);
	case_child(initialize_from_outside);
	assert_int_equal(chmod(closed, 0700), 0);
}

/* ---- B037 ---- */

static mode_t file_mode, dir_mode;
static unsigned files_seen;

static void expect_mode(const char *path, const struct stat *st)
{
	mode_t want = S_ISDIR(st->st_mode) ? dir_mode : file_mode;

	if (strcmp(path, p11_home()) == 0 || strstr(path, ".conf") != NULL)
		return; /* the test's own */
	if (strstr(path, "/roll/state") != NULL)
		want = 0600; /* it has the secret that keys come from */
	files_seen++;
	if ((st->st_mode & 07777) != want)
		fail_msg("%s has mode %o", path, st->st_mode & 07777);
}

/* A token with objects, made from the first byte on under the present umask. */
static void make_all(void)
{
	p11_make_token();
	stored_pair(p11_session());
	case_data(p11_session(), "public", "1", false);
}

static void modes_under(mode_t mask)
{
	mode_t before = umask(mask), after;

	make_all();
	after = umask(before);
	assert_int_equal(after, mask); /* the module left it alone */
	files_seen = 0;
	visit_home(expect_mode);
	assert_true(files_seen > 2);
}

/* Files are 0600 and directories 0700, whatever the umask, which stays as it is. */
static void test_B037_modes_by_default(void **state)
{
	static const mode_t masks[] = { 0, 022, 077 };

	(void)state;
	file_mode = 0600;
	dir_mode = 0700;
	for (size_t i = 0; i < LENGTH(masks); i++)
		modes_under(masks[i]);
}

static int setup_bare_group(void **state)
{
	p11_setup_only_loaded(state);
	p11_configure("[module]\ngroup_mode = on\n");
	p11_initialize();
	return 0;
}

static void test_B037_modes_for_a_group(void **state)
{
	mode_t before = umask(077);

	(void)state;
	make_all();
	(void)umask(before);
	file_mode = 0640;
	dir_mode = 0750;
	files_seen = 0;
	visit_home(expect_mode);
	assert_true(files_seen > 2);
}

static char database[512];

static void note_database(const char *path, const struct stat *st)
{
	const char *end = strrchr(path, '/');

	if (S_ISREG(st->st_mode) && strcmp(end, "/token.db") == 0)
		snprintf(database, sizeof(database), "%s", path);
}

static CK_RV open_again(void)
{
	CK_SESSION_HANDLE s;
	CK_TOKEN_INFO info;
	CK_RV rv;

	p11_initialize();
	rv = p11->C_GetTokenInfo(p11_slot(), &info);
	if (rv == CKR_OK)
		rv = p11->C_OpenSession(p11_slot(), CKF_SERIAL_SESSION, NULL, NULL, &s);
	p11_finalize();
	return rv;
}

/* Others that may write, another name, a link in place of the file: such a store is not used. */
static void test_B037_untrusted_files(void **state)
{
	char other[600];

	(void)state;
	p11_finalize();
	visit_home(note_database);
	assert_ok(open_again());
	assert_int_equal(chmod(database, 0666), 0);
	assert_true(open_again() != CKR_OK);
	assert_int_equal(chmod(database, 0600), 0);
	assert_ok(open_again());
	snprintf(other, sizeof(other), "%s/elsewhere", p11_home());
	assert_int_equal(link(database, other), 0);
	assert_true(open_again() != CKR_OK);
	assert_int_equal(unlink(database), 0);
	assert_int_equal(symlink(other, database), 0);
	assert_true(open_again() != CKR_OK);
	assert_int_equal(unlink(database), 0);
	assert_int_equal(rename(other, database), 0);
	assert_ok(open_again());
}

/* ---- R01 ---- */

static void fail_and_find(void)
{
	CK_SESSION_HANDLE s;

	p11_initialize();
	s = p11_open(p11_slot(), true);
	assert_rv(case_login(s, CKU_USER, "wrong PIN"), CKR_PIN_INCORRECT);
	p11_login(s, CKU_USER);
	assert_int_equal(case_objects(s), 100);
	assert_ok(p11->C_Logout(s));
	assert_rv(case_login(s, CKU_USER, "wrong PIN"), CKR_PIN_INCORRECT);
	p11_login(s, CKU_USER);
	assert_rv(case_login(s, CKU_SO, "wrong PIN"), CKR_USER_ANOTHER_ALREADY_LOGGED_IN);
	assert_int_equal(case_objects(s), 100);
	assert_ok(p11->C_Logout(s));
	for (int i = 0; i < 3; i++)
		assert_rv(case_login(s, CKU_USER, "wrong PIN"), CKR_PIN_INCORRECT);
}

/* A failed login leaves all objects in the store, in a process that has not read them yet, too. */
static void test_R01_failed_logins(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	char label[16];

	(void)state;
	for (int i = 0; i < 100; i++) {
		snprintf(label, sizeof(label), "object %d", i);
		case_data(s, label, label, i % 2 == 0);
	}
	case_child(fail_and_find);
	assert_int_equal(case_objects(s), 100);
	for (int i = 0; i < 100; i++) {
		struct templ t = { 0 };

		snprintf(label, sizeof(label), "object %d", i);
		templ_text(&t, CKA_LABEL, label);
		templ_text(&t, CKA_VALUE, label);
		assert_int_equal(p11_count(s, &t), 1);
	}
}

/* ---- R03 ---- */

enum { WRITERS = 6, EACH = 20 };

static void add_some(void)
{
	CK_SESSION_HANDLE s;

	p11_initialize();
	s = p11_open(p11_slot(), true);
	p11_login(s, CKU_USER);
	for (int i = 0; i < EACH; i++)
		case_data(s, "added", "1", i % 2 == 0);
	assert_true(case_objects(s) >= EACH);
	p11_finalize();
}

static void count_all(void)
{
	CK_SESSION_HANDLE s;

	p11_initialize();
	s = p11_open(p11_slot(), false);
	p11_login(s, CKU_USER);
	assert_int_equal(case_objects(s), WRITERS * EACH + 4);
}

static void add_one(void)
{
	CK_SESSION_HANDLE s;

	p11_initialize();
	s = p11_open(p11_slot(), true);
	p11_login(s, CKU_USER);
	case_data(s, "one", "1", true);
	p11_finalize();
}

/* What several processes add at once is all there, for each of them and for who comes later. */
static void test_R03_no_lost_update(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	pid_t pid[WRITERS];

	(void)state;
	case_data(s, "one", "1", true);
	case_data(s, "one", "1", true);
	case_child(add_one);
	case_data(s, "one", "1", true); /* by who logged in before the other wrote */
	assert_int_equal(case_objects(s), 4);
	for (int i = 0; i < WRITERS; i++)
		pid[i] = case_start(add_some);
	for (int i = 0; i < WRITERS; i++)
		case_wait(pid[i]);
	assert_int_equal(case_objects(s), WRITERS * EACH + 4);
	case_child(count_all);
}

/* ---- R08 ---- */

static struct timespec newest;

static void note_time(const char *path, const struct stat *st)
{
	/* private keys are recorded, wherever they lie, and all are counted */
	if (strstr(path, "/roll") != NULL || strstr(path, "/counters") != NULL)
		return;
	if (st->st_mtim.tv_sec > newest.tv_sec ||
	    (st->st_mtim.tv_sec == newest.tv_sec && st->st_mtim.tv_nsec > newest.tv_nsec))
		newest = st->st_mtim;
}

static struct timespec last_write(void)
{
	newest = (struct timespec){ 0, 0 };
	visit_home(note_time);
	return newest;
}

static CK_BYTE value[32];

static void make_session_objects(CK_SESSION_HANDLE s)
{
	CK_OBJECT_HANDLE h = case_secret(s, CKK_AES, value, sizeof(value), CKA_ENCRYPT);
	struct templ label = { 0 };

	p11_p256(s, NULL, NULL);
	p11_secret(s, CKM_AES_KEY_GEN, 32, CKA_ENCRYPT);
	templ_text(&label, CKA_LABEL, "changed");
	assert_ok(p11->C_SetAttributeValue(s, h, label.a, label.n));
	assert_ok(p11->C_DestroyObject(s, h));
	case_secret(s, CKK_AES, value, sizeof(value), CKA_ENCRYPT);
}

static void make_and_die(void)
{
	CK_SESSION_HANDLE s;

	p11_initialize();
	s = p11_open(p11_slot(), true);
	p11_login(s, CKU_USER);
	make_session_objects(s);
	(void)raise(SIGKILL);
}

/* Session objects cause no write at all, and nothing of them is in any file, not even of a process that was killed. */
static void test_R08_session_objects(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct timespec before, after;
	pid_t pid;

	(void)state;
	assert_ok(p11->C_GenerateRandom(s, value, sizeof(value)));
	before = last_write();
	make_session_objects(s);
	after = last_write();
	assert_int_equal(before.tv_sec, after.tv_sec);
	assert_int_equal(before.tv_nsec, after.tv_nsec);
	pid = case_start(make_and_die);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(files_with(value, sizeof(value)), 0);
	/* the search would find it: a public object is stored as it is */
	case_data(s, "label that is there to be found", "1", false);
	assert_true(files_with("label that is there to be found", 31) > 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, p11_setup_token, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_B036_read_only_store),
		TEST(test_B036_turned_read_only),
		TEST(test_home_that_may_not_be_entered),
		TEST(test_B037_modes_by_default),
		cmocka_unit_test_setup_teardown(test_B037_modes_for_a_group, setup_bare_group,
						p11_teardown),
		TEST(test_B037_untrusted_files),
		TEST(test_R01_failed_logins),
		TEST(test_R03_no_lost_update),
		TEST(test_R08_session_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
