/* SPDX-License-Identifier: Apache-2.0 */
/* Whom the end of a barrier wakes. */
#include "audit/waiters.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

enum { SLEEPERS = 5, NONE = -1 };

static struct lock mu;
static struct waiters waiters;
static atomic_int answers[SLEEPERS]; /* of the ticket i + 1; NONE: it sleeps */
static pthread_t threads[SLEEPERS];

static void *sleeper(void *arg)
{
	atomic_int *answer = arg;
	const uint64_t ticket = (uint64_t)(answer - answers) + 1;

	lock_take(&mu);
	atomic_store(answer, (int)waiters_sleep_drop(&waiters, &mu, ticket));
	return NULL;
}

static int asleep(void)
{
	int n = 0;

	lock_take(&mu);
	for (const struct waiter *w = waiters.asleep; w != NULL; w = w->next)
		n++;
	lock_drop(&mu);
	return n;
}

/* One after the other, so that the places in the list are known. */
static int all_asleep(void **state)
{
	(void)state;
	lock_init(&mu, RANK_ROLL);
	waiters = (struct waiters){ .asleep = NULL };
	for (int i = 0; i < SLEEPERS; i++) {
		atomic_store(&answers[i], NONE);
		if (pthread_create(&threads[i], NULL, sleeper, &answers[i]) != 0)
			return -1;
		while (asleep() != i + 1)
			usleep(100);
	}
	return 0;
}

static int all_gone(void **state)
{
	(void)state;
	lock_take(&mu);
	waiters_call_locked(&waiters, 0, true);
	waiters_drop(&waiters, &mu);
	for (int i = 0; i < SLEEPERS; i++)
		pthread_join(threads[i], NULL);
	lock_destroy(&mu);
	return 0;
}

static int count(int answer)
{
	int n = 0;

	for (int i = 0; i < SLEEPERS; i++)
		n += atomic_load(&answers[i]) == answer;
	return n;
}

static void barrier_ends(uint64_t durable, bool failed)
{
	lock_take(&mu);
	waiters_call_locked(&waiters, durable, failed);
	waiters_drop(&waiters, &mu);
}

/* Until so many sleep no longer; and then nobody else does for a while. */
static void wait_for(int woken)
{
	for (int i = 0; i < 10000 && SLEEPERS - count(NONE) < woken; i++)
		usleep(1000);
	usleep(20000);
	assert_int_equal(SLEEPERS - count(NONE), woken);
}

static void a_barrier_wakes_its_own_and_one_who_leads(void **state)
{
	(void)state;
	barrier_ends(2, false);
	wait_for(3);
	assert_int_equal(atomic_load(&answers[0]), OK);
	assert_int_equal(atomic_load(&answers[1]), OK);
	assert_int_equal(count(E_BUSY), 1);
	barrier_ends(SLEEPERS, false);
	wait_for(SLEEPERS);
	assert_int_equal(count(OK), SLEEPERS - 1);
}

static void a_failure_wakes_everybody(void **state)
{
	(void)state;
	barrier_ends(1, true);
	wait_for(SLEEPERS);
	assert_int_equal(atomic_load(&answers[0]), OK);
	assert_int_equal(count(E_DEVICE), SLEEPERS - 1);
}

/* Who leads once more before it lets go of the lock does not keep those waiting whom it called. */
static void the_called_need_not_wait_for_the_lock(void **state)
{
	(void)state;
	lock_take(&mu);
	waiters_call_locked(&waiters, SLEEPERS, false);
	waiters_wake_locked(&waiters);
	wait_for(SLEEPERS);
	assert_int_equal(count(OK), SLEEPERS);
	lock_drop(&mu);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, all_asleep, all_gone)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_barrier_wakes_its_own_and_one_who_leads),
		TEST(a_failure_wakes_everybody),
		TEST(the_called_need_not_wait_for_the_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
