/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions of one token, opened as they are needed and kept for the next user. The login belongs to the
 * application, so the pool keeps one session of its own open for as long as it lives: the login then lasts
 * although sessions come and go. Any thread may take and give; a session is used by one thread at a time.
 */
#ifndef CHANCERY_CLIENT_POOL_H
#define CHANCERY_CLIENT_POOL_H

#include "base/span.h"
#include "client/module.h"

struct pool;

/*
 * A pool of at most max sessions (0: as many as are asked for) on a slot. m is borrowed and must
 * outlive the pool. The anchor session is opened at once, so a slot that cannot be used is noticed here.
 */
enum err pool_new(const struct module *m, CK_SLOT_ID slot, bool rw, size_t max, struct pool **out,
		  struct why *why);
/* Closes every session that was given back. */
void pool_free(struct pool *p); /* NULL accepted */

/* C_Login for the whole pool; an application that is logged in already is not an error. */
enum err pool_login(struct pool *p, CK_USER_TYPE user, struct span pin, struct why *why);

/* A session, waiting for one to come back when max are out. */
enum err pool_take(struct pool *p, CK_SESSION_HANDLE *h, struct why *why);
/* Gives it back; broken: it is closed rather than kept (after an error that leaves its state unknown). */
void pool_give(struct pool *p, CK_SESSION_HANDLE h, bool broken);

const struct module *pool_module(const struct pool *p);

#endif
