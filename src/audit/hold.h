/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors that outlive a call, and the gate through which this process works on a roll's state.
 *
 * A file of records is locked for as long as its process lives, and that lock belongs to the open file: a forked child inherits it, and would make a dead
 * author look alive. So a child closes what is held here before anything else (roll_fork_child in roll.h). The state is
 * locked only behind the gate, which a fork waits for, so that no child ever inherits that lock.
 */
#ifndef CHANCERY_AUDIT_HOLD_H
#define CHANCERY_AUDIT_HOLD_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

struct hold {
	int fd;
	/* what fd was opened on: the host may close descriptors that are not its own, and use their numbers */
	dev_t dev;
	ino_t ino;
	struct hold *next;
};

/* The gate. */
void hold_enter(void);
void hold_leave(void);

/* fd becomes h's. False, and it stays the caller's: it cannot be examined. Behind the gate. */
bool hold_take_locked(struct hold *h, int fd);
/* Whether the descriptor is still ours; *st is what fstat says. */
bool hold_ours(const struct hold *h, struct stat *st);
/* Lets the file's lock go and closes it, unless its number is another's now. Nothing when nothing is held. Behind the gate. */
void hold_drop_locked(struct hold *h);

#endif
