/* SPDX-License-Identifier: Apache-2.0 */
/* Who writes, as the kernel says. */
#ifndef CHANCERY_AUDIT_AUTHOR_ID_H
#define CHANCERY_AUDIT_AUTHOR_ID_H

#include "base/span.h"

/* The same for all records of a process. Plain memory, may be copied. */
struct author_id {
	char boot[37]; /* of the kernel; "?" when it does not say */
	uint32_t uid, pid;
	char exe[4096]; /* "?" when it does not say; no terminating zero */
	size_t exe_n;
};
/* errno is kept. */
void author_id_now(struct author_id *id);

#endif
