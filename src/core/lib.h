/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library as a whole: initialise, finalise, slots, fork. Its state hangs off the fork word
 * (base/mem.h), so a forked child sees an uninitialised library at once and for free.
 */
#ifndef CHANCERY_CORE_LIB_H
#define CHANCERY_CORE_LIB_H

#include "base/err.h"
#include "base/span.h"
#include "base/why.h"
#include <chancery/pkcs11.h>
#include <limits.h>

struct token;

enum err lib_initialize(const CK_C_INITIALIZE_ARGS *args);
/* Waits for calls that are inside; wakes waiters of C_WaitForSlotEvent. */
enum err lib_finalize(void);
/* Whether C_Initialize succeeded in this process: one load. */
bool lib_ready(void);

/*
 * For calls without a session: keeps the library from being finalised between enter and leave. E_NOT_INITIALIZED.
 * (Calls with a session are protected by the session's lock: finalise takes each of them.)
 */
enum err lib_enter(void);
void lib_leave(void);

struct conf;
/*
 * The configuration that C_Initialize read. Lock-free and borrowed: for calls that are entered or hold a
 * session's lock, which finalise waits for.
 */
const struct conf *lib_conf(void);

struct roll;
/* The roll of this process, or NULL: it is off. Borrowed as lib_conf. */
struct roll *lib_roll(void);
/* How it is kept by the configuration; target NULL: it is off. The paths are those of lib_conf. */
struct roll_policy;
enum err lib_roll_policy(struct roll_policy *p, char target[PATH_MAX], struct why *why);

/*
 * Before something is made at path: the directory of state if path is within it, with its own modes and as one in which tokens are made. Another
 * path, and nowhere to keep tokens, are OK.
 */
enum err lib_make_state_for(const char *path, struct why *why);

/* ---- slots; the library is entered ---- */
/* ids NULL looks for tokens anew and counts; else gives what was last counted. E_TOO_SMALL sets *n. */
enum err slot_list(bool present, CK_SLOT_ID *ids, CK_ULONG *n);
enum err slot_info(CK_SLOT_ID id, CK_SLOT_INFO *info);
/* Whether there is such a slot with a token in it, initialised or not (C_GetMechanismList): E_SLOT, E_TOKEN_ABSENT. */
enum err slot_check(CK_SLOT_ID id);
/* C_GetTokenInfo: of a token that is not initialised, too. */
enum err slot_token_info(CK_SLOT_ID id, CK_TOKEN_INFO *info);
/* The token in a slot; it lives until finalise. E_SLOT, E_TOKEN_BLANK for the empty slot. */
enum err slot_token(CK_SLOT_ID id, struct token **t);
enum err slot_init_token(CK_SLOT_ID id, struct span so_pin, const CK_UTF8CHAR label[32]);
enum err slot_wait(CK_FLAGS flags, CK_SLOT_ID *id);

#endif
