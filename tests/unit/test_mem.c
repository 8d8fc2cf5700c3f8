/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: wiped, zero, locked within its budget, and gone in a forked child. */
#include "skips.h"

#include "base/mem.h"

#include "base/arena.h"
#include "base/pages.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define LIMIT ((size_t)8 << 20)

/* A kernel without MADV_WIPEONFORK, when asked for. */
static bool no_wipe_on_fork;

int __real_madvise(void *p, size_t n, int advice);
int __wrap_madvise(void *p, size_t n, int advice);

int __wrap_madvise(void *p, size_t n, int advice)
{
	if (no_wipe_on_fork && advice == MADV_WIPEONFORK) {
		errno = EINVAL;
		return -1;
	}
	return __real_madvise(p, n, advice);
}

static bool all_zero(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] != 0)
			return false;
	}
	return true;
}

/* Reads memory that its allocator has taken back: past the sanitizers, by way of the kernel. */
static void peek(const void *p, void *to, size_t n)
{
	int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, to, n, (off_t)(uintptr_t)p), n);
	close(fd);
}

static struct mem_stats stats(void)
{
	struct mem_stats s;

	mem_stats(&s);
	return s;
}

/* Ends the child with whether everything held. */
static void child_exit(bool ok)
{
	_exit(ok ? 0 : 1);
}

static void child_ok(pid_t pid)
{
	int status = -1;

	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* A process in which the arena does not exist yet. */
static void run_fresh(const char *what)
{
	char self[PATH_MAX] = "";
	pid_t pid;

	/* By its name: under valgrind, to execute the link itself would run valgrind. */
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	pid = fork();
	if (pid == 0) {
		execl(self, self, what, (char *)NULL);
		_exit(99);
	}
	child_ok(pid);
}

static bool plain_build(void)
{
	const char *s = getenv("CHANCERY_SANITIZE");

	return (s == NULL || s[0] == '\0') && getenv("CHANCERY_UNDER_VALGRIND") == NULL;
}

static void blocks_are_zero_and_aligned(void **state)
{
	static const size_t sizes[] = {
		0,        1,    15,   16,    17,     128,           129,       160,
		161,      1000, 4096, 20000, 100000, ARENA_MAX - 1, ARENA_MAX, ARENA_MAX + 1,
		20U << 20
	};

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			uint8_t *a = mem_alloc(sizes[i]), *b = mem_alloc_secret(sizes[i]);

			assert_non_null(a);
			assert_non_null(b);
			assert_ptr_not_equal(a, b);
			assert_int_equal((uintptr_t)a % 16, 0);
			assert_int_equal((uintptr_t)b % 16, 0);
			assert_true(all_zero(a, sizes[i]) && all_zero(b, sizes[i]));
			memset(a, 0xa5, sizes[i]);
			memset(b, 0x5a, sizes[i]);
			mem_free(a);
			mem_free(b);
		}
	}
	assert_int_equal(stats().secret_used, 0);
}

static void impossible_sizes_are_refused(void **state)
{
	(void)state;
	assert_null(mem_alloc(SIZE_MAX));
	assert_null(mem_alloc_secret(SIZE_MAX));
	assert_null(mem_alloc_secret(SIZE_MAX / 2));
	assert_null(mem_crypto_malloc(SIZE_MAX - 8, "", 0));
}

/*
 * Every size has a class that holds it, with at most a quarter to spare beyond the smallest ones.
 */
static void classes_hold_their_sizes(void **state)
{
	(void)state;
	for (size_t n = 1; n <= ARENA_MAX; n += n < 5000 ? 1 : 977) {
		void *p = mem_alloc_secret(n);

		assert_non_null(p);
		assert_true(pages_own(p));
		assert_true(arena_room(p) >= n);
		assert_true(arena_room(p) <= n + 15 || arena_room(p) <= n + n / 4);
		mem_free(p);
	}
}

static void freed_secrets_are_wiped(void **state)
{
	static const size_t sizes[] = { 16, 100, 1000, 50000 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint8_t *p = mem_alloc_secret(sizes[i]), seen[50000];

		memset(p, 0x77, sizes[i]);
		mem_free(p);
		peek(p, seen, sizes[i]);
		/* The first word is the allocator's. */
		assert_true(all_zero(seen + sizeof(void *), sizes[i] - sizeof(void *)));
	}
}

static void realloc_keeps_bytes_and_arena(void **state)
{
	static const size_t sizes[] = {
		10, 20, 300, 100, 5000, 60000, ARENA_MAX + 1, 5U << 20, 40
	};

	(void)state;
	for (int secret = 0; secret < 2; secret++) {
		uint8_t *p = secret ? mem_alloc_secret(8) : mem_alloc(8);

		memcpy(p, "12345678", 8);
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			p = mem_realloc(p, sizes[i]);
			assert_non_null(p);
			assert_memory_equal(p, "12345678", 8);
			memset(p + 8, 0x33, sizes[i] - 8);
			if (sizes[i] <= ARENA_MAX)
				assert_int_equal(pages_own(p), secret);
		}
		assert_null(mem_realloc(p, SIZE_MAX - 100));
		assert_memory_equal(p, "12345678", 8);
		mem_free(p);
	}
	assert_int_equal(stats().secret_used, 0);
}

static void the_tag_chooses_libcryptos_arena(void **state)
{
	void *a, *b, *c;
	unsigned depth;

	(void)state;
	a = mem_crypto_malloc(100, __FILE__, __LINE__);
	mem_secret_enter();
	mem_secret_enter();
	mem_secret_leave();
	b = mem_crypto_malloc(100, __FILE__, __LINE__);
	depth = mem_secret_suspend();
	c = mem_crypto_realloc(NULL, 100, __FILE__, __LINE__);
	mem_secret_resume(depth);
	a = mem_crypto_realloc(a, 1000, __FILE__, __LINE__);
	mem_secret_leave();
	assert_false(pages_own(a));
	assert_true(pages_own(b));
	assert_false(pages_own(c));
	assert_null(mem_crypto_malloc(0, __FILE__, __LINE__));
	assert_null(mem_crypto_realloc(c, 0, __FILE__, __LINE__));
	mem_crypto_free(a, __FILE__, __LINE__);
	mem_crypto_free(b, __FILE__, __LINE__);
	mem_crypto_free(NULL, __FILE__, __LINE__);
}

static void small_helpers(void **state)
{
	char *s = mem_strdup("copy"), text[] = "secret";

	(void)state;
	assert_string_equal(s, "copy");
	errno = 77;
	mem_free(s);
	mem_free(mem_alloc_secret(1U << 20));
	mem_free(NULL);
	assert_int_equal(errno, 77);
	mem_wipe(text, sizeof(text));
	mem_wipe(NULL, 0);
	assert_true(all_zero((const uint8_t *)text, sizeof(text)));
	assert_true(mem_equal("abc", "abc", 3));
	assert_false(mem_equal("abc", "abd", 3));
	assert_false(mem_equal("xbc", "abc", 3));
	assert_true(mem_equal("a", "b", 0));
}

#define SLOTS 400

/* Blocks live at the same time do not overlap: each holds its own pattern to the end. */
static bool churn(unsigned seed, unsigned steps)
{
	struct {
		uint8_t *p;
		size_t n;
		uint8_t c;
	} slot[SLOTS] = { 0 };
	bool ok = true;

	for (unsigned i = 0; ok && i < steps; i++) {
		unsigned k = (unsigned)rand_r(&seed) % SLOTS;

		for (size_t j = 0; ok && j < slot[k].n; j++)
			ok = slot[k].p[j] == slot[k].c;
		mem_free(slot[k].p);
		slot[k].n = (size_t)rand_r(&seed) % (i % 50 == 0 ? 40000 : 600);
		slot[k].c = (uint8_t)i;
		slot[k].p = mem_alloc_secret(slot[k].n);
		ok = ok && slot[k].p != NULL && all_zero(slot[k].p, slot[k].n);
		if (ok)
			memset(slot[k].p, slot[k].c, slot[k].n);
	}
	for (unsigned k = 0; k < SLOTS; k++)
		mem_free(slot[k].p);
	return ok;
}

static void *churn_thread(void *arg)
{
	return churn((unsigned)(uintptr_t)arg, 20000) ? NULL : arg;
}

static void threads_do_not_disturb_each_other(void **state)
{
	pthread_t t[4];
	void *bad;

	(void)state;
	for (uintptr_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, churn_thread, (void *)(i + 1)), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(t[i], &bad), 0);
		assert_null(bad);
	}
	assert_int_equal(stats().secret_used, 0);
}

struct pipe_of_blocks {
	pthread_mutex_t mu;
	void *p[64];
	unsigned n;
	bool done;
};

static void *free_others(void *arg)
{
	struct pipe_of_blocks *q = arg;
	bool done = false;

	while (!done) {
		void *p = NULL;

		pthread_mutex_lock(&q->mu);
		if (q->n > 0)
			p = q->p[--q->n];
		else
			done = q->done;
		pthread_mutex_unlock(&q->mu);
		mem_free(p);
	}
	return NULL;
}

static void a_block_may_be_freed_by_another_thread(void **state)
{
	struct pipe_of_blocks q = { .mu = PTHREAD_MUTEX_INITIALIZER };
	pthread_t t;

	(void)state;
	assert_int_equal(pthread_create(&t, NULL, free_others, &q), 0);
	for (unsigned i = 0; i < 50000;) {
		pthread_mutex_lock(&q.mu);
		if (q.n < 64) {
			q.p[q.n] = mem_alloc_secret(i % 300);
			assert_non_null(q.p[q.n]);
			q.n++;
			i++;
		}
		pthread_mutex_unlock(&q.mu);
	}
	pthread_mutex_lock(&q.mu);
	q.done = true;
	pthread_mutex_unlock(&q.mu);
	assert_int_equal(pthread_join(t, NULL), 0);
	assert_int_equal(stats().secret_used, 0);
}

static void *use_and_end(void *arg)
{
	void *p[50];

	for (unsigned i = 0; i < 50; i++)
		p[i] = mem_alloc_secret(i * 40);
	for (unsigned i = 0; i < 50; i++)
		mem_free(p[i]);
	return arg;
}

static void run_thread(void *(*f)(void *))
{
	pthread_t t;

	assert_int_equal(pthread_create(&t, NULL, f, NULL), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
}

static void threads_that_end_give_everything_back(void **state)
{
	size_t before;

	(void)state;
	run_thread(use_and_end);
	before = stats().secret_locked + stats().secret_unlocked;
	for (int i = 0; i < 300; i++)
		run_thread(use_and_end);
	assert_int_equal(stats().secret_locked + stats().secret_unlocked, before);
	assert_int_equal(stats().secret_used, 0);
}

#define KINDS 40

/* Blocks of many classes; *lo and *hi are bounds of their addresses. */
static bool take_kinds(void *p[KINDS], uintptr_t *lo, uintptr_t *hi)
{
	*lo = UINTPTR_MAX;
	*hi = 0;
	for (size_t i = 0; i < KINDS; i++) {
		p[i] = mem_alloc_secret(i * i * 20);
		if (p[i] == NULL)
			return false;
		*lo = (uintptr_t)p[i] < *lo ? (uintptr_t)p[i] : *lo;
		*hi = (uintptr_t)p[i] > *hi ? (uintptr_t)p[i] : *hi;
	}
	return true;
}

static void free_kinds(void *p[KINDS])
{
	for (size_t i = 0; i < KINDS; i++)
		mem_free(p[i]);
}

/* No address that the parent had given out comes again: freeing it late must not hit a new block. */
static void a_child_uses_other_addresses(void **state)
{
	uintptr_t lo, hi, child_lo, child_hi;
	void *p[KINDS], *q[KINDS];
	pid_t pid;

	(void)state;
	assert_true(take_kinds(p, &lo, &hi));
	pid = fork();
	if (pid == 0)
		child_exit(take_kinds(q, &child_lo, &child_hi) && (child_lo > hi || child_hi < lo));
	child_ok(pid);
	free_kinds(p);
}

static bool child_has_nothing(uint8_t *p, uint8_t *big, void **slot)
{
	uint8_t *q;

	if (!all_zero(p, 100) || !all_zero(big, 4096) || *slot != NULL || mem_fork_slot() != slot)
		return false;
	if (stats().secret_used != 0 || stats().secret_locked != 0)
		return false;
	mem_free(p);
	mem_free(big);
	if (stats().secret_locked != 0 || stats().secret_unlocked != 0)
		return false;
	q = mem_alloc_secret(100);
	if (q == NULL || !all_zero(q, 100))
		return false;
	q[0] = 1;
	mem_free(p); /* still not ours to free */
	return q[0] == 1 && churn(7, 3000);
}

static void a_forked_child_starts_anew(void **state)
{
	uint8_t *p = mem_alloc_secret(100), *big = mem_alloc_secret(1U << 20);
	void **slot = mem_fork_slot();
	pid_t pid;

	(void)state;
	assert_non_null(slot);
	*slot = p;
	memset(p, 0x11, 100);
	memset(big, 0x22, 4096);
	pid = fork();
	if (pid == 0)
		child_exit(child_has_nothing(p, big, slot));
	child_ok(pid);
	assert_int_equal(p[99], 0x11);
	assert_int_equal(big[4095], 0x22);
	assert_ptr_equal(*slot, p);
	*slot = NULL;
	mem_free(p);
	mem_free(big);
}

/* In the child this thread is the only one, and its end the end of the process. */
static void *fork_and_end(void *arg)
{
	pid_t *pid = arg;

	mem_free(mem_alloc_secret(100));
	*pid = fork();
	return NULL;
}

static void a_thread_may_end_in_the_child(void **state)
{
	pthread_t t;
	pid_t pid = -1;

	(void)state;
	skip_under_emulation();
	if (!plain_build())
		skip(); /* the leak checker would look at that exit */
	assert_int_equal(pthread_create(&t, NULL, fork_and_end, &pid), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	child_ok(pid);
}

/* A child of a child, and so on: each has an arena that works. */
static void forks_of_forks(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		for (int depth = 0; depth < 20; depth++) {
			int status = -1;

			if (!churn((unsigned)depth, 500))
				child_exit(false);
			pid = fork();
			if (pid == 0)
				continue;
			child_exit(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
		}
		child_exit(true);
	}
	child_ok(pid);
}

static _Atomic bool stop;

static void *churn_until_stopped(void *arg)
{
	for (unsigned seed = 1; !stop; seed++) {
		if (!churn(seed, 500))
			return churn_until_stopped;
	}
	return arg;
}

/* Whatever lock of the arena another thread holds at the fork. */
static void forks_amid_other_threads(void **state)
{
	pthread_t t[2];
	void *bad;

	(void)state;
	skip_fork_amid_threads();
	stop = false;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&t[i], NULL, churn_until_stopped, NULL), 0);
	for (unsigned i = 0; i < 60; i++) {
		pid_t pid = fork();

		if (pid == 0)
			child_exit(churn(i, 500));
		child_ok(pid);
	}
	stop = true;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(t[i], &bad), 0);
		assert_null(bad);
	}
}

static void beyond_the_budget_it_is_not_locked(void **state)
{
	void *p[40];

	(void)state;
	mem_locked_limit(stats().secret_locked + ((size_t)300 << 10), false);
	for (int i = 0; i < 40; i++)
		p[i] = mem_alloc_secret(i < 20 ? 50000 : 500000);
	for (int i = 0; i < 40; i++)
		assert_non_null(p[i]);
	assert_true(stats().secret_unlocked > 0);
	for (int i = 0; i < 40; i++)
		mem_free(p[i]);
	mem_locked_limit(LIMIT, false);
}

static void strict_refuses_what_cannot_be_locked(void **state)
{
	void *p[200];
	size_t n = 0;

	(void)state;
	mem_locked_limit(stats().secret_locked + ((size_t)100 << 10), true);
	assert_null(mem_alloc_secret(1U << 20));
	while (n < 200 && (p[n] = mem_alloc_secret(3000)) != NULL)
		n++;
	assert_true(n < 200);
	mem_locked_limit(LIMIT, false);
	while (n > 0)
		mem_free(p[--n]);
	p[0] = mem_alloc_secret(3000);
	assert_non_null(p[0]);
	mem_free(p[0]);
}

/* The flags that the kernel shows for the mapping at p, such as " dd " for not dumped. */
static bool has_flag(const void *p, const char *flag)
{
	FILE *f = fopen("/proc/self/smaps", "re");
	bool here = false, found = false;
	unsigned long lo, hi;
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "%lx-%lx ", &lo, &hi) == 2)
			here = (uintptr_t)p >= lo && (uintptr_t)p < hi;
		else if (here && strncmp(line, "VmFlags:", 8) == 0)
			found = strstr(line, flag) != NULL;
	}
	(void)fclose(f);
	return found;
}

static void the_kernel_knows(void **state)
{
	uint8_t *small = mem_alloc_secret(100), *big = mem_alloc_secret(1U << 20);

	(void)state;
	skip_under_emulation();
	assert_true(stats().dump_excluded);
	assert_true(stats().wipe_on_fork);
	assert_true(has_flag(small, " dd") && has_flag(small, " wf"));
	assert_true(has_flag(big, " dd") && has_flag(big, " wf"));
	mem_free(small);
	mem_free(big);
}

static void limits_on_addresses_leave_an_arena(void **state)
{
	(void)state;
	skip_under_emulation();
	if (!plain_build())
		skip();
	run_fresh("addresses");
}

static void a_small_memlock_leaves_an_arena(void **state)
{
	(void)state;
	skip_under_emulation();
	if (!plain_build())
		skip(); /* the sanitizers make mlock do nothing */
	run_fresh("memlock");
}

static void without_wipe_on_fork_the_child_is_wiped_too(void **state)
{
	(void)state;
	skip_under_emulation();
	run_fresh("no-wipe");
}

/* Little address space: a smaller range, then mappings one by one, then a clean refusal. */
static bool fresh_addresses(void)
{
	const struct rlimit few = { (rlim_t)400 << 20, (rlim_t)400 << 20 };
	size_t n = 0;

	if (setrlimit(RLIMIT_AS, &few) != 0)
		return false;
	if (!churn(3, 20000))
		return false;
	while (mem_alloc_secret(200000) != NULL)
		n++;
	return n > 500;
}

/* An ordinary user with 64 KiB to lock. */
static bool fresh_memlock(void)
{
	const struct rlimit few = { 64 << 10, 64 << 10 };

	if (setrlimit(RLIMIT_MEMLOCK, &few) != 0)
		return false;
	if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
		return false;
	if (!churn(4, 5000))
		return false;
	if (stats().lockable != (size_t)64 << 10 || stats().secret_locked > stats().lockable ||
	    stats().secret_unlocked == 0)
		return false;
	mem_locked_limit(LIMIT, true);
	return mem_alloc_secret(ARENA_MAX) == NULL;
}

static bool fresh_no_wipe(void)
{
	uint8_t *p;
	int status = -1;
	pid_t pid;

	no_wipe_on_fork = true;
	p = mem_alloc_secret(100);
	memset(p, 0x44, 100);
	if (stats().wipe_on_fork)
		return false;
	pid = fork();
	if (pid == 0)
		child_exit(all_zero(p, 100) && stats().secret_used == 0 && churn(1, 1000));
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0 && p[0] == 0x44;
}

static int fresh(const char *what)
{
	if (strcmp(what, "addresses") == 0)
		return fresh_addresses() ? 0 : 1;
	if (strcmp(what, "memlock") == 0)
		return fresh_memlock() ? 0 : 1;
	return fresh_no_wipe() ? 0 : 1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_zero_and_aligned),
		cmocka_unit_test(impossible_sizes_are_refused),
		cmocka_unit_test(classes_hold_their_sizes),
		cmocka_unit_test(freed_secrets_are_wiped),
		cmocka_unit_test(realloc_keeps_bytes_and_arena),
		cmocka_unit_test(the_tag_chooses_libcryptos_arena),
		cmocka_unit_test(small_helpers),
		cmocka_unit_test(threads_do_not_disturb_each_other),
		cmocka_unit_test(a_block_may_be_freed_by_another_thread),
		cmocka_unit_test(threads_that_end_give_everything_back),
		cmocka_unit_test(a_forked_child_starts_anew),
		cmocka_unit_test(a_child_uses_other_addresses),
		cmocka_unit_test(a_thread_may_end_in_the_child),
		cmocka_unit_test(forks_of_forks),
		cmocka_unit_test(forks_amid_other_threads),
		cmocka_unit_test(beyond_the_budget_it_is_not_locked),
		cmocka_unit_test(strict_refuses_what_cannot_be_locked),
		cmocka_unit_test(the_kernel_knows),
		cmocka_unit_test(limits_on_addresses_leave_an_arena),
		cmocka_unit_test(a_small_memlock_leaves_an_arena),
		cmocka_unit_test(without_wipe_on_fork_the_child_is_wiped_too),
	};

	if (argc > 1)
		return fresh(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
