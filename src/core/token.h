/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A token in a slot: login state, the objects this process knows, and its store.
 * Lock order (base/lock.h): session mutex before token.rw; token.rw is never held across cryptography or a durable write.
 */
#ifndef CHANCERY_CORE_TOKEN_H
#define CHANCERY_CORE_TOKEN_H

#include "audit/roll.h"
#include "base/err.h"
#include "core/attr.h"
#include "core/object.h"
#include "store/store.h"

struct token;
struct session;
struct meter;

/* Bytes of a PIN. */
enum { TOKEN_PIN_MIN = 4, TOKEN_PIN_MAX = 255 };

/* The label, 32 bytes space padded; the place lives until finalise (a rename leaves the old one). Takes no lock. */
const char *token_label(const struct token *t);

/* Where uses of its mechanisms are counted (core/count.h), until finalise; NULL: nowhere. Takes no lock. */
struct meter *token_meter(const struct token *t);

/* Its serial number, 16 characters, in the same way; NULL while it is not known. */
const char *token_serial(const struct token *t);
/* Whether its keys work only with the audit log. */
bool token_requires_audit(const struct token *t);

/* ---- login (5.6.8 … 5.6.11) ---- */

/* pin.p NULL: the PIN comes from the configured pin_source, or E_ARGUMENTS. */
enum err token_login(struct token *t, struct session *s, CK_USER_TYPE who, struct span pin);
enum err token_logout(struct token *t, struct session *s);
/* The login epoch: changes at every logout; an operation begun under an older one must not release anything made with a private key. */
unsigned token_epoch(const struct token *t);
/* Who is logged in, and the token's policy, for attribute rules. */
struct attr_who token_who(const struct token *t);
CK_STATE token_state(const struct token *t, bool rw);

/* ---- objects ---- */

/*
 * The object behind h as this session may see it (private ones need the login): a reference for the caller.
 * Notices changes made by other processes first. E_OBJECT_HANDLE.
 */
enum err token_object(struct token *t, CK_OBJECT_HANDLE h, struct object **out);
/* Whether token_add would accept an object of these attributes now: to be asked before long work. Errors of token_add. */
enum err token_may_add(struct token *t, const struct session *s, const struct attrset *attrs);
/*
 * Publishes a new object: a session object of s, or durably a token object (5.7: E_SESSION_READ_ONLY, E_WRITE_PROTECTED, E_NOT_LOGGED_IN for a private one; a
 * public token object in a public session needs the configuration's leave). Takes over obj (also on error).
 */
enum err token_add(struct token *t, struct session *s, struct object *obj, CK_OBJECT_HANDLE *h);
/*
 * As token_add for two or more that must come to be together (key pairs). If what they are made from needs
 * the login, and a logout came before they could be shown, they are removed again: E_NOT_LOGGED_IN. That they came to be is
 * recorded before they are shown, and without that they are removed again, too.
 */
struct making {
	enum roll_event_kind event;
	CK_MECHANISM_TYPE mech;    /* CK_UNAVAILABLE_INFORMATION: none */
	const struct origin *from; /* what they are made from; NULL: nothing */
};
enum err token_add_all(struct token *t, struct session *s, const struct making *how,
		       struct object **obj, CK_OBJECT_HANDLE *h, size_t n);
/*
 * Publishes a new version of what h names; old is the version it was made from (E_OBJECT_HANDLE if another came first: the caller retries). Takes
 * over obj. Recorded, as the removal is: of a token object an error may say that the change is durable and its record is not.
 */
enum err token_replace(struct token *t, struct session *s, CK_OBJECT_HANDLE h,
		       const struct object *old, struct object *obj);
enum err token_remove(struct token *t, struct session *s, CK_OBJECT_HANDLE h,
		      const struct object *old);
/* Session objects of s go (close). */
void token_drop_session_objects(struct token *t, struct session *s);
/* Whether h still names an object that may be seen (searches skip what went away). */
bool token_has(struct token *t, CK_OBJECT_HANDLE h);
/* Handles of the visible objects that match templ (NULL: all), in *h by mem_alloc. */
enum err token_find(struct token *t, struct session *s, const struct attrset *templ,
		    CK_OBJECT_HANDLE **h, size_t *n);

/* ---- uses of keys, counted (uses.h) ---- */

/*
 * Counts ev, whose record is durable in that file (0: not known), if it is the use of a key, and now and then seals what was counted. An error: it is
 * not counted, and may not be released. No lock but the session's is held.
 */
enum err token_count_use(struct token *t, const struct roll_event *ev, uint64_t file);
/* Whose PIN it is sees all counts of the token, after those that processes left were sealed. It is a login that leaves nobody logged in, and recorded. */
struct uses_row;
enum err token_uses(struct token *t, CK_USER_TYPE who, struct span pin,
		    enum err (*cb)(void *arg, const struct uses_row *row), void *arg);

/* ---- administration ---- */
enum err token_info(struct token *t, CK_TOKEN_INFO *info);
enum err token_set_pin(struct token *t, struct session *s, struct span old, struct span new_pin);
enum err token_init_pin(struct token *t, struct session *s, struct span new_pin);

#endif
