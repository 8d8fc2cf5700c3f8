/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing without the signals that a failed write sends to the thread: SIGPIPE when nobody reads, SIGXFSZ beyond the limit of file
 * sizes. Their default would end the host program, and its handlers are not ours; the error of the call says the same.
 */
#ifndef CHANCERY_AUDIT_QUIET_H
#define CHANCERY_AUDIT_QUIET_H

#include <signal.h>

struct quiet {
	sigset_t mask;    /* as it was */
	sigset_t pending; /* what was waiting before, and is not ours to take */
};

void quiet_begin(struct quiet *q);
/* Takes what came in between, and puts the mask back. errno is kept. */
void quiet_end(const struct quiet *q);

#endif
