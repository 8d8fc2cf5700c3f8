/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that work on the store of a vault and are killed. Each says what it is about to do and what was acknowledged,
 * through a pipe; what is found afterwards is compared with that.
 */
#ifndef CHANCERY_TESTS_TORTURE_H
#define CHANCERY_TESTS_TORTURE_H

#include "vault.h"
#include <sys/types.h>

/* Forks as the library does, through the store's handlers; 0 in the child, which has a new crypto context. */
pid_t torture_fork(void);
/* Waits; the exit status. A signal is a failed test. */
int torture_wait(pid_t pid);

/*
 * Threads create, replace and remove objects until the process is killed; then everything acknowledged must be there and
 * nothing else, but for what was under way. Gives the number of acknowledged changes. Unless it is killed while it begins,
 * where the seed is a multiple of 8, that is 1 at least: the kill waits for them.
 */
unsigned torture_objects(struct vault *v, unsigned seed);
/* The same with changes of the user PIN: exactly one of the last two works. */
unsigned torture_pins(struct vault *v, unsigned seed);
/* And with new tokens: each in the list is whole. */
unsigned torture_tokens(struct vault *v, unsigned seed);

#endif
