/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function list in front of the module's, which looks at every value that a function returns: whether the standard's
 * list for the function, or its general rules, have it. All black-box tests go through it when the reference table is
 * there (unit/ref.h). When it is not, each program says so, and the one whose subject it is (test_p11_values.c) is
 * skipped.
 */
#ifndef CHANCERY_TESTS_WATCH_H
#define CHANCERY_TESTS_WATCH_H

#include <chancery/pkcs11.h>
#include <stdbool.h>

/* The list to be called in place of real; real itself when there is no table to look into. */
CK_FUNCTION_LIST_3_2 *watch(CK_FUNCTION_LIST_3_2 *real);
/* Whether there is a table, and so whether it watches. Says so once, on stdout, if not. */
bool watch_on(void);
/* How many values were in no list since the last question: each was named on stderr. A child process aborts instead. */
unsigned watch_violations(void);
/* Functions of the list that never returned anything but CKR_OK, and were not called at all: named on stderr. */
unsigned watch_never_failed(void);

#endif
