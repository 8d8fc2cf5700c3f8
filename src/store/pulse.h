/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pulse of a token: eight bytes in a file beside its database, mapped by every process that has the token open.
 * Who has committed fills them with other bytes before he tells his caller. So as long as they stay what they were,
 * no change was acknowledged anywhere, and that is known from one load of memory.
 *
 * It is a means to be quick, never the truth: what another hand does to the database does not beat, so whoever relies
 * on the pulse looks at the file itself from time to time.
 *
 * Written with write calls, not through the mapping: on a full disk these fail, where a store into a mapped page may kill the
 * process. The mapping itself is of a file that nobody shortens: no program of ours does.
 */
#ifndef CHANCERY_STORE_PULSE_H
#define CHANCERY_STORE_PULSE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PULSE_FILE "pulse"

struct pulse {
	int fd; /* -1: there is none */
	/* what fd was opened on: the host may close descriptors that are not its own, and use their numbers */
	dev_t dev;
	ino_t ino;
	bool stray;                   /* fd is of another file than what is mapped */
	const _Atomic uint64_t *beat; /* mapped; NULL: cannot be felt, ever */
};

/*
 * Opens the pulse beside database, and makes it with exactly mode and the database's owner, unless read_only, when it is not there.
 * There may be none afterwards, which costs speed alone. It is felt only if its owner is this process's user or root, since whoever
 * shortens it kills who has it mapped. A child of a fork opens its own.
 */
void pulse_open(struct pulse *p, const char *database, mode_t mode, bool read_only);
void pulse_close(struct pulse *p);
/* Any thread. False: nothing can be said. */
bool pulse_feel(const struct pulse *p, uint64_t *beat);
/* Whether others still find the file that we feel. One caller at a time. */
bool pulse_lives(const struct pulse *p);
/* Something was committed. Makes the file anew when it was removed. One caller at a time. */
void pulse_beat(struct pulse *p, const char *database, mode_t mode);

#endif
