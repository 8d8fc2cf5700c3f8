/* SPDX-License-Identifier: Apache-2.0 */
/* The audit log's writer by itself: the library that the module has in it, without the module around it. */
#ifndef CHANCERY_BENCH_WRITER_H
#define CHANCERY_BENCH_WRITER_H

#include "audit/roll.h"
#include "bench/row.h"
#include <limits.h>

struct writer {
	struct roll *roll;
	char target[PATH_MAX];
};

/* With the configuration's default policy, but that a file may be of any length. False: not to be had. */
bool writer_open(struct writer *w, const char *target);
/* The same for an auditor who has this public text. */
bool writer_open_for(struct writer *w, const char *target, struct span auditor);
void writer_close(struct writer *w);

/* One record of a signature, durable; or queued. */
bool writer_commit(const struct writer *w);
bool writer_note(const struct writer *w);
/* Each step is a durable record, by any number of threads. */
struct contender writer_contender(struct writer *w);

/* Bytes of such a record; 0: it could not be told. */
size_t writer_record_bytes(void);

#endif
