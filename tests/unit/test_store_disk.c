/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every call of SQLite's to the file system fails once, in every call of the store's and with every code that SQLite knows
 * for it: it says so, changes nothing, and works the next time. Breaking it: login.c with txn_commit in place of sure_commit,
 * so that a new PIN is refused and there, fails here.
 *
 * The failures come from a VFS that stands before the real one. It leaves out the barriers, which are for power cuts: those
 * are tests/fault, where calls also fail from one on. Not reached: SQLite's calls to the kernel that it does not pass to a VFS (none that we know of), and what
 * base does with files of its own, of which tests/fault lets each call fail.
 */
#include "deed.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static struct fault fault;
static int code; /* what fails, fails with */

struct file {
	sqlite3_file base;
	sqlite3_file *real; /* behind it, in the same memory */
};

static sqlite3_vfs *real_vfs;

static sqlite3_file *real(sqlite3_file *f)
{
	return ((struct file *)f)->real;
}

static bool strikes(bool lock)
{
	return (lock || code != SQLITE_BUSY) && fault_strikes(&fault);
}

/* A method that can fail. */
#define METHOD(name, is_lock, params, args)                                       \
	static int name params                                                    \
	{                                                                         \
		return strikes(is_lock) ? code : real(f)->pMethods->x##name args; \
	}

/* clang-format off */
METHOD(Read, false, (sqlite3_file *f, void *p, int n, sqlite3_int64 at), (real(f), p, n, at))
METHOD(Write, false, (sqlite3_file *f, const void *p, int n, sqlite3_int64 at), (real(f), p, n, at))
METHOD(Truncate, false, (sqlite3_file *f, sqlite3_int64 n), (real(f), n))
METHOD(FileSize, false, (sqlite3_file *f, sqlite3_int64 *n), (real(f), n))
METHOD(Lock, true, (sqlite3_file *f, int level), (real(f), level))
METHOD(CheckReservedLock, true, (sqlite3_file *f, int *reserved), (real(f), reserved))
/* clang-format on */

static int Sync(sqlite3_file *f, int flags)
{
	(void)f;
	(void)flags;
	return strikes(false) ? code : SQLITE_OK;
}

/* These do not fail: SQLite ignores what they say, or has no other way. */
static int Close(sqlite3_file *f)
{
	return real(f)->pMethods->xClose(real(f));
}

static int Unlock(sqlite3_file *f, int level)
{
	return real(f)->pMethods->xUnlock(real(f), level);
}

static int FileControl(sqlite3_file *f, int op, void *arg)
{
	return real(f)->pMethods->xFileControl(real(f), op, arg);
}

static int SectorSize(sqlite3_file *f)
{
	return real(f)->pMethods->xSectorSize(real(f));
}

static int DeviceCharacteristics(sqlite3_file *f)
{
	return real(f)->pMethods->xDeviceCharacteristics(real(f));
}

static const sqlite3_io_methods methods = {
	.iVersion = 1,
	.xClose = Close,
	.xRead = Read,
	.xWrite = Write,
	.xTruncate = Truncate,
	.xSync = Sync,
	.xFileSize = FileSize,
	.xLock = Lock,
	.xUnlock = Unlock,
	.xCheckReservedLock = CheckReservedLock,
	.xFileControl = FileControl,
	.xSectorSize = SectorSize,
	.xDeviceCharacteristics = DeviceCharacteristics,
};

static int Open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out)
{
	struct file *mine = (struct file *)f;
	int rc;

	(void)vfs;
	f->pMethods = NULL;
	if (strikes(false))
		return code;
	mine->real = (sqlite3_file *)(mine + 1);
	rc = real_vfs->xOpen(real_vfs, name, mine->real, flags, out);
	if (mine->real->pMethods != NULL)
		f->pMethods = &methods;
	return rc;
}

static int Delete(sqlite3_vfs *vfs, const char *name, int sync)
{
	(void)vfs;
	(void)sync;
	return strikes(false) ? code : real_vfs->xDelete(real_vfs, name, 0);
}

static int Access(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
	(void)vfs;
	return strikes(false) ? code : real_vfs->xAccess(real_vfs, name, flags, out);
}

static int FullPathname(sqlite3_vfs *vfs, const char *name, int n, char *out)
{
	(void)vfs;
	return strikes(false) ? code : real_vfs->xFullPathname(real_vfs, name, n, out);
}

/* In no process but a test. */
static void hook_sqlite(void)
{
	static sqlite3_vfs mine;

	real_vfs = sqlite3_vfs_find(NULL);
	assert_non_null(real_vfs);
	mine = *real_vfs;
	mine.zName = "failing";
	mine.szOsFile += (int)sizeof(struct file);
	mine.xOpen = Open;
	mine.xDelete = Delete;
	mine.xAccess = Access;
	mine.xFullPathname = FullPathname;
	assert_int_equal(sqlite3_vfs_register(&mine, 1), SQLITE_OK);
}

/* ---- the sweeps ---- */

/* Which errors of ours an error of SQLite's may become depends on where it strikes. */
static const enum err allowed[] = { E_DEVICE, E_DEVICE_MEMORY, E_MEMORY, E_CORRUPT, E_BUSY, OK };

static void sweep(struct vault *v, int rc)
{
	struct stage *st = stage_open(v);
	unsigned refused = 0;

	code = rc;
	for (size_t i = 0; i < deeds_n; i++) {
		unsigned n = deed_sweep(st, &deeds[i], &fault, allowed);

		print_message("%s: %u\n", deeds[i].name, n);
		refused += n;
	}
	assert_true(refused > 0 || rc == SQLITE_BUSY);
	print_message("%s: %u refused\n", sqlite3_errstr(rc), refused);
	stage_close(st);
}

static void test_nomem(void **state)
{
	sweep(*state, SQLITE_NOMEM);
}

static void test_ioerr(void **state)
{
	sweep(*state, SQLITE_IOERR);
}

static void test_full(void **state)
{
	sweep(*state, SQLITE_FULL);
}

static void test_corrupt(void **state)
{
	sweep(*state, SQLITE_CORRUPT);
}

/* Only locks are busy, and waited for. */
static void test_busy(void **state)
{
	sweep(*state, SQLITE_BUSY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, vault_open, vault_close)
		TEST(test_nomem),   TEST(test_ioerr), TEST(test_full),
		TEST(test_corrupt), TEST(test_busy),
	};

	hook_sqlite();
	if (access("/dev/shm", W_OK) == 0)
		setenv("TMPDIR", "/dev/shm", 1); /* what lasts is not the question here */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
