/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every system call of the writer, from the making of the directory over the first file and a second to the end, fails once, with each of several
 * errors; and every allocation. Each record is answered or refused; after a refusal that is for good, all are. Afterwards
 * the auditor finds no damage and all that was answered, and the next process goes on.
 */
#include "audit/roll.h"

#include "fault.h"
#include "rollbook.h"
#include "rolling.h"
#include "scratch.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIGNS = 9, ROTATE = 2500 };

/* ---- hooks ---- */

static struct fault call, allocation;
static int with;     /* errno of the call that fails */
static bool cut;     /* a write takes half, and the next fails; other calls do not fail */
static bool written; /* a write was cut */

/* A system call, or -1. The calls themselves are harmless when they are not made: nothing is half done but a write. */
#define WRAP(name, params, args)                          \
	int __real_##name params;                         \
	int __wrap_##name params;                         \
	int __wrap_##name params                          \
	{                                                 \
		return fails() ? -1 : __real_##name args; \
	}
#define WRAP_BYTES(name, params, args)                    \
	ssize_t __real_##name params;                     \
	ssize_t __wrap_##name params;                     \
	ssize_t __wrap_##name params                      \
	{                                                 \
		return fails() ? -1 : __real_##name args; \
	}
#define WRAP_MEMORY(name, params, args)                                        \
	void *__real_##name params;                                            \
	void *__wrap_##name params;                                            \
	void *__wrap_##name params                                             \
	{                                                                      \
		return fault_strikes(&allocation) ? NULL : __real_##name args; \
	}
/* Nothing here depends on the disk. */
#define WRAP_BARRIER(name)               \
	int __wrap_##name(int fd);       \
	int __wrap_##name(int fd)        \
	{                                \
		(void)fd;                \
		return fails() ? -1 : 0; \
	}

static bool fails(void)
{
	if (cut || !fault_strikes(&call))
		return false;
	errno = with;
	return true;
}

/* clang-format off */
WRAP_BYTES(read, (int fd, void *p, size_t n), (fd, p, n))
WRAP_BYTES(pread, (int fd, void *p, size_t n, off_t at), (fd, p, n, at))
WRAP_BYTES(lseek, (int fd, off_t at, int whence), (fd, at, whence))
WRAP(stat, (const char *path, struct stat *st), (path, st))
WRAP(lstat, (const char *path, struct stat *st), (path, st))
WRAP(fstat, (int fd, struct stat *st), (fd, st))
WRAP(flock, (int fd, int how), (fd, how))
WRAP(mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(fchmod, (int fd, mode_t mode), (fd, mode))
WRAP(ftruncate, (int fd, off_t n), (fd, n))
WRAP(fallocate, (int fd, int mode, off_t at, off_t n), (fd, mode, at, n))
WRAP_BARRIER(fdatasync)
WRAP_BARRIER(fsync)
WRAP_MEMORY(mem_alloc, (size_t n), (n))
WRAP_MEMORY(mem_alloc_secret, (size_t n), (n))
WRAP_MEMORY(mem_realloc, (void *p, size_t n), (p, n))
/* clang-format on */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list ap;
	int mode = 0;

	va_start(ap, flags);
	if ((flags & O_CREAT) != 0)
		mode = va_arg(ap, int);
	va_end(ap);
	return fails() ? -1 : __real_open(path, flags, mode);
}

/* Linux closes the descriptor whatever close says. */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	int rc = __real_close(fd);

	return fails() ? -1 : rc;
}

int __real_fcntl(int fd, int op, ...);
int __wrap_fcntl(int fd, int op, ...);
int __wrap_fcntl(int fd, int op, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, op);
	arg = va_arg(ap, void *);
	va_end(ap);
	return fails() ? -1 : __real_fcntl(fd, op, arg);
}

/* One write that is cut short is enough to say whether the rest is written, and the call after it fails. */
static ssize_t half(int fd, const void *p, size_t n, off_t at, bool placed);

ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n)
{
	if (cut)
		return half(fd, p, n, 0, false);
	return fails() ? -1 : __real_write(fd, p, n);
}

ssize_t __real_pwrite(int fd, const void *p, size_t n, off_t at);
ssize_t __wrap_pwrite(int fd, const void *p, size_t n, off_t at);
ssize_t __wrap_pwrite(int fd, const void *p, size_t n, off_t at)
{
	if (cut)
		return half(fd, p, n, at, true);
	return fails() ? -1 : __real_pwrite(fd, p, n, at);
}

static ssize_t half(int fd, const void *p, size_t n, off_t at, bool placed)
{
	if (written) {
		written = false;
		errno = with;
		return -1;
	}
	written = fault_strikes(&call);
	n = written ? n / 2 : n;
	return placed ? __real_pwrite(fd, p, n, at) : __real_write(fd, p, n);
}

/* ---- what happens ---- */

struct outcome {
	unsigned acked, refused;
	bool failed;
};

/* As a process would from its first record to its end. */
static struct outcome play(void **state, const char *dir)
{
	const struct roll_event ev = rolling_event("key");
	struct roll_policy p = rolling_policy(state);
	struct outcome o = { 0 };
	struct roll_state s;
	struct roll *r = NULL;

	p.target = scratch_path(state, dir);
	p.rotate_bytes = ROTATE;
	if (roll_new(&p, &r) != OK)
		return (struct outcome){ .refused = 1 };
	for (int i = 0; i < SIGNS; i++) {
		enum err e = roll_commit(r, &ev, NULL);

		assert_true(e == OK || e == E_DEVICE || e == E_MEMORY || e == E_BUSY);
		assert_false(o.failed && e == OK);
		o.failed = e == E_DEVICE;
		o.acked += e == OK;
		o.refused += e != OK;
	}
	roll_state(r, &s);
	assert_int_equal(s.failed, roll_ready(r) != OK);
	assert_false(o.failed && !s.failed);
	roll_free(r);
	return o;
}

static size_t signs_in(void **state, const char *dir)
{
	char name[64];
	size_t found = 0;

	for (unsigned n = 1; n < 40; n++) {
		snprintf(name, sizeof(name), "%s/roll.%06u", dir, n);
		if (access(scratch_path(state, name), F_OK) == 0)
			found += book_count(scratch_path(state, name), "\"event\":\"sign\"");
	}
	return found;
}

/* The same directory, by a process for which nothing fails. */
static void go_on(void **state, const char *dir, struct outcome o)
{
	struct outcome next = play(state, dir);

	assert_int_equal(next.acked, SIGNS);
	assert_true(signs_in(state, dir) >= o.acked + next.acked);
	rolling_sound(state, dir);
}

/* Fails the n-th, for all n. How many there were. */
static unsigned sweep(void **state, struct fault *f, const char *name, struct outcome *worst)
{
	for (unsigned n = 1;; n++) {
		char dir[32];
		struct outcome o;
		bool met;

		snprintf(dir, sizeof(dir), "%s%u", name, n);
		*f = (struct fault){ .left = n };
		o = play(state, dir);
		met = f->met;
		*f = (struct fault){ 0 };
		written = false;
		go_on(state, dir, o);
		if (!met)
			return n - 1;
		if (o.refused > worst->refused)
			*worst = o;
	}
}

static void each_call_fails_with(void **state, int errnum)
{
	struct outcome worst = { 0 };

	with = errnum;
	assert_true(sweep(state, &call, "call", &worst) > 100);
	assert_int_equal(worst.refused, SIGNS);
}

static void each_call_fails_with_eio(void **state)
{
	each_call_fails_with(state, EIO);
}

static void each_call_fails_with_enospc(void **state)
{
	each_call_fails_with(state, ENOSPC);
}

static void each_call_fails_with_eintr(void **state)
{
	each_call_fails_with(state, EINTR);
}

static void each_call_fails_with_emfile(void **state)
{
	each_call_fails_with(state, EMFILE);
}

static void each_write_is_cut_short(void **state)
{
	struct outcome worst = { 0 };

	cut = true;
	with = ENOSPC;
	assert_true(sweep(state, &call, "full", &worst) > 20);
	with = EINTR;
	worst = (struct outcome){ 0 };
	assert_true(sweep(state, &call, "interrupted", &worst) > 20);
	assert_int_equal(worst.refused, 0); /* nothing was lost, and nothing is refused */
	cut = false;
}

/* Without memory a record is refused, and not the next. */
static void each_allocation_fails(void **state)
{
	struct outcome worst = { 0 };

	assert_true(sweep(state, &allocation, "memory", &worst) > 20);
	assert_true(worst.refused <= 1);
	assert_false(worst.failed);
}

static int setup(void **state)
{
	call = allocation = (struct fault){ 0 };
	cut = written = false;
	return rolling_setup(state);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, rolling_teardown)
	const struct CMUnitTest tests[] = {
		TEST(each_call_fails_with_eio),   TEST(each_call_fails_with_enospc),
		TEST(each_call_fails_with_eintr), TEST(each_call_fails_with_emfile),
		TEST(each_write_is_cut_short),    TEST(each_allocation_fails),
	};

	return cmocka_run_group_tests(tests, rolling_forks, NULL);
}
