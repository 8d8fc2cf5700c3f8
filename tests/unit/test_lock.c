/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lock.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define ROUNDS 20000

struct counter {
	struct lock mu;
	struct rwlock rw;
	pthread_cond_t ready;
	long n;
	bool go;
};

static void counter_init(struct counter *c)
{
	lock_init(&c->mu, RANK_SESSION);
	rwlock_init(&c->rw, RANK_TOKEN);
	assert_int_equal(pthread_cond_init(&c->ready, NULL), 0);
	c->n = 0;
	c->go = false;
}

static void counter_destroy(struct counter *c)
{
	lock_destroy(&c->mu);
	rwlock_destroy(&c->rw);
	assert_int_equal(pthread_cond_destroy(&c->ready), 0);
}

static void *count_up(void *arg)
{
	struct counter *c = arg;

	lock_take(&c->mu);
	while (!c->go)
		lock_wait(&c->mu, &c->ready);
	lock_drop(&c->mu);
	for (int i = 0; i < ROUNDS; i++) {
		lock_take(&c->mu);
		rwlock_write(&c->rw);
		c->n++;
		rwlock_drop(&c->rw);
		lock_drop(&c->mu);
		rwlock_read(&c->rw);
		rwlock_drop(&c->rw);
	}
	return NULL;
}

static void locks_exclude(void **state)
{
	struct counter c;
	pthread_t t[3];

	(void)state;
	counter_init(&c);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&t[i], NULL, count_up, &c), 0);
	lock_take(&c.mu);
	c.go = true;
	pthread_cond_broadcast(&c.ready);
	lock_drop(&c.mu);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_join(t[i], NULL), 0);
	assert_int_equal(c.n, 3 * ROUNDS);
	counter_destroy(&c);
}

static void *write_once(void *arg)
{
	struct counter *c = arg;

	rwlock_write(&c->rw);
	c->n++;
	rwlock_drop(&c->rw);
	return NULL;
}

/* While a writer waits, no further reader gets in: a steady stream of them cannot keep it out. */
static void a_writer_goes_first(void **state)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	struct counter c;
	pthread_t t;
	int rc = 0;

	(void)state;
	counter_init(&c);
	rwlock_read(&c.rw);
	assert_int_equal(pthread_create(&t, NULL, write_once, &c), 0);
	for (int i = 0; rc == 0 && i < 10000; i++) {
		rc = pthread_rwlock_tryrdlock(&c.rw.rw);
		if (rc == 0)
			pthread_rwlock_unlock(&c.rw.rw);
		(void)nanosleep(&nap, NULL);
	}
	assert_int_equal(rc, EBUSY);
	rwlock_drop(&c.rw);
	assert_int_equal(pthread_join(t, NULL), 0);
	assert_int_equal(c.n, 1);
	counter_destroy(&c);
}

/* The signal that ends a child which does what; 0: none. */
static int signal_of(void (*what)(struct counter *c))
{
	const struct rlimit none = { 0, 0 };
	struct counter c;
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		(void)setrlimit(RLIMIT_CORE, &none);
		(void)signal(SIGABRT, SIG_DFL);
		counter_init(&c);
		what(&c);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void take_in_order(struct counter *c)
{
	lock_take(&c->mu);
	rwlock_read(&c->rw);
	lock_drop(&c->mu);
	rwlock_drop(&c->rw);
	lock_take(&c->mu);
	lock_drop(&c->mu);
}

static void take_against_order(struct counter *c)
{
	rwlock_read(&c->rw);
	lock_take(&c->mu);
}

static void take_same_rank(struct counter *c)
{
	struct lock other;

	lock_init(&other, RANK_SESSION);
	lock_take(&c->mu);
	lock_take(&other);
}

static void drop_what_is_not_held(struct counter *c)
{
	rwlock_read(&c->rw);
	lock_drop(&c->mu);
}

static void the_order_of_ranks_is_kept(void **state)
{
	(void)state;
	assert_int_equal(signal_of(take_in_order), 0);
#ifndef CHANCERY_DEBUG_LOCKS
	skip();
#endif
	assert_int_equal(signal_of(take_against_order), SIGABRT);
	assert_int_equal(signal_of(take_same_rank), SIGABRT);
	assert_int_equal(signal_of(drop_what_is_not_held), SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locks_exclude),
		cmocka_unit_test(a_writer_goes_first),
		cmocka_unit_test(the_order_of_ranks_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
