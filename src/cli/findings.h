/* SPDX-License-Identifier: Apache-2.0 */
/* A list of things that were looked at, each good or not: the output of doctor and selftest. */
#ifndef CHANCERY_CLI_FINDINGS_H
#define CHANCERY_CLI_FINDINGS_H

#include "cli/report.h"
#include <chancery/pkcs11.h>

struct findings {
	json_t *rows;
	size_t bad, advice;
	bool lost; /* a row could not be added for lack of memory */
};

enum err findings_begin(struct findings *f);
void findings_good(struct findings *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Something that should be changed, but does not fail. */
void findings_advice(struct findings *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void findings_bad(struct findings *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A CK_CHANCERY_REPORT; arg is the findings. */
void findings_report(void *arg, CK_BBOOL ok, const char *text);
/* Prints and frees them. E_CORRUPT with a why when one is bad. what: the plural noun of what was looked at. */
enum err findings_end(struct call *c, struct findings *f, const char *what);
void findings_drop(struct findings *f);

#endif
