/* SPDX-License-Identifier: Apache-2.0 */
/* Group commit of records: one barrier for all that wait. The lock of the roll (r->mu) is held before, and after where it is not said otherwise. */
#ifndef CHANCERY_AUDIT_QUEUE_H
#define CHANCERY_AUDIT_QUEUE_H

#include "audit/inside.h"

/* There is a file to append to; makes it if need be. E_DEVICE: the roll has failed; E_MEMORY, E_BUSY: try again. */
enum err queue_open_locked(struct roll *r);
/* Appends a record, and a checkpoint when one is due. *ticket is for queue_wait_drop; ref may be NULL. */
enum err queue_append_locked(struct roll *r, struct draft *d, struct span more, uint64_t *ticket,
			     struct roll_ref *ref);
/* The same with a checkpoint alone. */
enum err queue_sign_locked(struct roll *r, uint64_t *ticket);
/* Lets go of the lock, and waits until the record is durable, leading if nobody does. E_DEVICE. */
enum err queue_wait_drop(struct roll *r, uint64_t ticket);
/* Lets go of the lock without waiting. */
void queue_drop(struct roll *r);
/* Writes what was queued when it is much and nobody is at it. */
void queue_relieve_locked(struct roll *r);
/* The last record, and the end of the file. Nobody else is about. */
void queue_finish(struct roll *r);

#endif
