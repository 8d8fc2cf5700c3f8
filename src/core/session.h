/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions and their handles. A handle is generation and index: looking one up locks only its session.
 * The memory of sessions is never given back while the library lives, so a stale handle is always safe to look at.
 */
#ifndef CHANCERY_CORE_SESSION_H
#define CHANCERY_CORE_SESSION_H

#include "base/err.h"
#include "base/lock.h"
#include "core/op.h"
#include <chancery/pkcs11.h>

struct token;
struct enrolled;
struct entry;
struct find;

struct session {
	struct lock mu;      /* guards all below, but where it says otherwise */
	uint64_t generation; /* of the open session; +1 at each close */
	struct token *token;
	struct op *ops[OP_COUNT]; /* made at first use, kept for reuse */
	struct find *find;        /* the search under way, or NULL (find.c) */
	CK_VOID_PTR app;
	CK_NOTIFY notify;
	struct entry *objects; /* its session objects; guarded by token.rw */
	struct session *next,
		*prev; /* the token's sessions, or the free ones; guarded by the table's lock */
	CK_SESSION_HANDLE handle; /* since it was last opened; guarded by the table's lock */
	uint32_t index;           /* its place in the table; never changes */
	uint32_t insertion; /* of the token when the session was opened; written under both locks */
	struct enrolled *enrolled; /* made at the first event (enrol.h), kept for reuse */
	bool open, rw;
	bool listed;       /* in the token's list; guarded by the table's lock */
	bool made_objects; /* may have session objects */
};

/* Opens a session on t (5.6.1). The library is entered. */
enum err session_open(struct token *t, CK_FLAGS flags, CK_VOID_PTR app, CK_NOTIFY notify,
		      CK_SESSION_HANDLE *h);
/* The open session behind h, with s->mu held; E_SESSION, E_NOT_INITIALIZED. session_put lets go. */
enum err session_get(CK_SESSION_HANDLE h, struct session **s);
void session_put(struct session *s);
/* Closes it: operations ended, session objects destroyed; the last of a token logs out. s->mu is not held on entry; the library is entered. */
enum err session_close(CK_SESSION_HANDLE h);
enum err session_close_all(struct token *t);
enum err session_info(struct session *s, CK_SESSION_INFO *info);

#endif
