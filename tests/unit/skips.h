/* SPDX-License-Identifier: Apache-2.0 */
/* Where a test cannot run, and why. */
#ifndef CHANCERY_TESTS_SKIPS_H
#define CHANCERY_TESTS_SKIPS_H

/*
 * Skips a test that forks while its other threads allocate: AddressSanitizer does not take its allocator's locks for a fork, so the
 * child may wait for ever for one that a thread held which it does not have. ThreadSanitizer's build and the plain one run it.
 */
void skip_fork_amid_threads(void);

/*
 * Skips a test of what the kernel does for a process (flags of a mapping, starting oneself anew) where the program runs under a
 * user-mode emulator, which does not pass it on.
 */
void skip_under_emulation(void);

/*
 * Skips a test that reads what a call left on its stack: to memcheck, that is memory which is no longer there, and the complaint
 * would also become the status of every child that a later test forks.
 */
void skip_stack_under_valgrind(void);

#endif
