/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the roll of the module under test, as lines of JSON. */
#ifndef CHANCERY_TESTS_ROLLS_H
#define CHANCERY_TESTS_ROLLS_H

#include <jansson.h>
#include <stddef.h>

/* A configuration for tests that count records: however slow the machine is, no checkpoint comes for the time that went by. */
#define ROLLS_CALM "[audit]\ncheckpoint_seconds = 86400\n"

/* Records of this event in the directory `roll` of the home; NULL: of any. */
size_t rolls_count(const char *event);
/* The newest of them; the caller's. Fails the test when there is none. */
json_t *rolls_last(const char *event);
/*
 * The events of all records but the first mark (rolls_count), in their order with blanks between them, those that did not end with CKR_OK as
 * "sign=CKR_DATA_LEN_RANGE".
 */
void rolls_since(size_t mark, char *text, size_t room);
/* Fails unless the text at path, "key.label", is want; NULL: unless there is nothing. */
void rolls_text(const json_t *record, const char *path, const char *want);
/* A file of the directory, "roll.000001": removed. */
void rolls_unlink_all(void);
/* Makes an auditor known to the roll; the private keys are in "auditor.key" of the home. Returns the exit status. */
int rolls_auditor(void);
/* `chancery audit verify` with these arguments: its exit status. Unless it is 0 its words go to standard error. */
int rolls_verify(const char *arguments);

#endif
