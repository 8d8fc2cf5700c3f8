/* SPDX-License-Identifier: Apache-2.0 */
#include "rolling.h"

#include "crypto/lib.h"
#include "scratch.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct roll_policy rolling_policy(void **state)
{
	return (struct roll_policy){
		.target = scratch_path(state, "roll"),
		.checkpoint_records = 1024,
		.checkpoint_seconds = 60,
	};
}

struct roll *rolling_new(void **state)
{
	const struct roll_policy p = rolling_policy(state);
	struct roll *r = NULL;

	assert_int_equal(roll_new(&p, &r), OK);
	assert_non_null(r);
	return r;
}

struct roll_event rolling_event(const char *label)
{
	return (struct roll_event){
		.kind = EV_SIGN,
		.token = "office                          ",
		.serial = "00000000000007f3",
		.cls = CKO_PRIVATE_KEY,
		.label = span_str(label),
		.id = span_str("\1\2"),
		.mech = CKM_ECDSA_SHA256,
		.measured = true,
		.bytes = 32,
		.result = OK,
	};
}

void rolling_sign(struct roll *r)
{
	const struct roll_event ev = rolling_event("key");

	assert_int_equal(roll_commit(r, &ev, NULL), OK);
}

int rolling_setup(void **state)
{
	return crypto_start() == OK ? scratch_setup(state) : -1;
}

int rolling_teardown(void **state)
{
	return scratch_teardown(state);
}

/* A child has its own libcrypto, as after C_Initialize. */
static void fork_child(void)
{
	roll_fork_child();
	(void)crypto_start();
}

int rolling_forks(void **state)
{
	(void)state;
	return pthread_atfork(roll_fork_prepare, roll_fork_parent, fork_child);
}
