/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the roll share: a roll in a scratch directory, and events for it. */
#ifndef CHANCERY_TESTS_ROLLING_H
#define CHANCERY_TESTS_ROLLING_H

#include "audit/roll.h"
#include "auditor/finding.h"

#include "rollbook.h"
#include <sys/types.h>

/* The roll at "roll" of the scratch directory; the target is static. */
struct roll_policy rolling_policy(void **state);
struct roll *rolling_new(void **state);
/* A signature of the key `label`. */
struct roll_event rolling_event(const char *label);
/* One, or n, that must succeed. */
void rolling_sign(struct roll *r);
void rolling_signs(struct roll *r, unsigned n);
/* Nothing is recorded any more, and the reason has this text in it. */
void rolling_must_fail(struct roll *r, const char *text);

/* The path of file n, static; what book_check says of the directory. */
const char *rolling_file(void **state, unsigned n);
struct book rolling_checked(void **state);
/* What the auditor finds in a directory of the scratch directory: nothing; or one thing, of this kind, in this file. */
void rolling_sound(void **state, const char *dir);
void rolling_finds(void **state, const char *dir, enum damage kind, uint64_t file);

/* Another process that records so much, and then ends its roll or just exits. */
pid_t rolling_start(void **state, unsigned count, bool end);
void rolling_finish(pid_t pid);

/* cmocka fixtures: crypto and a scratch directory. */
int rolling_setup(void **state);
int rolling_teardown(void **state);
/* Forks do as the library's: once, before all tests. */
int rolling_forks(void **state);

#endif
