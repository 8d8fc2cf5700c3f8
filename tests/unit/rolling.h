/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the roll share: a roll in a scratch directory, and events for it. */
#ifndef CHANCERY_TESTS_ROLLING_H
#define CHANCERY_TESTS_ROLLING_H

#include "audit/roll.h"

/* The roll at "roll" of the scratch directory; the target is static. */
struct roll_policy rolling_policy(void **state);
struct roll *rolling_new(void **state);
/* A signature of the key `label`. */
struct roll_event rolling_event(const char *label);
/* One, that must succeed. */
void rolling_sign(struct roll *r);

/* cmocka fixtures: crypto and a scratch directory. */
int rolling_setup(void **state);
int rolling_teardown(void **state);
/* Forks do as the library's: once, before all tests. */
int rolling_forks(void **state);

#endif
