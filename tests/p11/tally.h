/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What toil.h did, held against the records of the roll, step by step: each result that was delivered has its records, each record
 * has its step, no step beyond the one that may have been under way left any, and the objects of the token are those that the records tell
 * of.
 */
#ifndef CHANCERY_TESTS_TALLY_H
#define CHANCERY_TESTS_TALLY_H

#include "toil.h"

struct tally;

/* session_keys: as configured. Fails on what cannot be right whatever was done. */
struct tally *tally_new(unsigned round, bool session_keys);
void tally_free(struct tally *t);

/* What was delivered; one line that was cut short counts for nothing. Returns how much. A line of failure fails. */
size_t tally_acks(struct tally *t, const char *path);
/* The records of files from this number on. Returns the number after the last file. */
unsigned tally_records(struct tally *t, const char *roll, unsigned file);
/* The records again, since there may be more. */
void tally_forget_records(struct tally *t);

/* Fails unless steps and records are one to one. */
void tally_check(const struct tally *t);
/* Fails unless the objects that s sees are those that the records tell of; destroys them. The user is logged in. */
void tally_objects(const struct tally *t, CK_SESSION_HANDLE s);

#endif
