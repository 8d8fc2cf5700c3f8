/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a token, for the token's own files: token.c (life, information), token_access.c (the way to the store),
 * token_admin.c, token_login.c, token_pin.c, token_map.c (objects in memory), token_load.c (store to memory), token_sync.c (other
 * processes), token_objects.c (changes), token_find.c.
 */
#ifndef CHANCERY_CORE_TOKEN_INTERNAL_H
#define CHANCERY_CORE_TOKEN_INTERNAL_H

#include "base/conf.h"
#include "base/lock.h"
#include "base/why.h"
#include "core/enrol.h"
#include "core/lib_internal.h"
#include "core/token.h"
#include <stdatomic.h>

enum who { WHO_NOBODY, WHO_USER, WHO_SO };

/* An open store; closed when the last access that reaches it goes. */
struct medium {
	atomic_uint refs;
	struct store *store;
	bool read_only;
};

/*
 * How the store can be reached now: immutable, reference counted, replaced at login, logout and removal. Whoever
 * holds a reference can go on reading and writing whatever happens to the token meanwhile, and sees at the end
 * whether it is still the token's (epoch, pointer).
 */
struct access {
	atomic_uint refs;
	struct medium *medium;
	struct seal *seal; /* NULL: nobody is logged in */
	enum who who;
};

/* One object that this process has a handle for. */
struct entry {
	struct entry *next, *prev;         /* all of the token, in order of handle */
	struct entry *ses_next, *ses_prev; /* those of one session */
	struct session *owner;             /* of a session object, else NULL */
	struct link by_handle, by_id, by_label, by_cka_id;
	CK_OBJECT_HANDLE handle;
	struct object *object; /* a reference */
};

struct map {
	struct entry *first, *last;
	struct index handle, id, label, cka_id;
};

/* A record on its way into the map; on the stack of the thread that reads it. */
struct load {
	struct load *next;
	uint64_t id;
	bool spoiled;          /* removed meanwhile: not to be published */
	struct object *object; /* what was read; then what the map did not want */
	struct entry *spare;   /* for a new object; then what the map did not need, or gave up */
};

/* Searches whose answers are complete in the map: hashes of what was asked of the store. */
struct asked {
	uint64_t *slot; /* open addressing; 0 is free */
	size_t n, cap;
};

struct label {
	struct label *older;
	char text[32];
	char serial[16]; /* empty while it is not known */
};

struct token {
	/* read by every call, rarely written */
	_Atomic uint32_t
		insertion; /* +1 when the token was taken away or started anew: older sessions are over */
	atomic_uint epoch;    /* +1 at each logout */
	_Atomic enum who who; /* as access->who */
	struct label *_Atomic label;
	const struct conf_token *_Atomic conf; /* by label; borrowed from lib_conf */
	struct meter *_Atomic meter;           /* written at the opening of the store; NULL: none */
	atomic_bool read_only;                 /* of the medium */
	atomic_bool audit_required;            /* as the store last said */
	atomic_uint uses;                      /* counted since they were last sealed, */
	_Atomic uint64_t uses_since;           /* which was at this second, and 1 */
	CK_SLOT_ID slot;

	struct lock login; /* RANK_LOGIN: login, logout, PINs, opening the store */

	struct rwlock rw;      /* RANK_TOKEN: all of this block */
	struct access *access; /* NULL: the store is not open */
	struct map map;
	struct load *loads;
	struct asked asked;
	uint64_t version; /* store_version as of which the map is up to date */
	uint64_t changes; /* and the change counter */

	/* counted by session.c; the list is guarded by the session table's lock */
	struct session *session_list;
	atomic_ulong ro_sessions, rw_sessions;
	atomic_bool closing; /* is being initialised or deleted: no session may be opened */
	atomic_bool stale;   /* has sessions of an earlier insertion, to be closed */
};

/* ---- token.c ---- */
enum err token_new(CK_SLOT_ID slot, struct token **out);
/* Every session is closed. NULL accepted. */
void token_free(struct token *t);
/* Opens the store if it is not. E_TOKEN_ABSENT, or why it cannot be. No token lock is held. */
enum err token_open(struct token *t);
/* Counts a session in or not; *insertion is what it belongs to. E_WRITE_PROTECTED, E_SESSION_SO_EXISTS, E_TOKEN_ABSENT. */
enum err token_attach(struct token *t, bool rw, uint32_t *insertion);
/* Counts it out; the last one logs out. The session table's lock is not held. */
void token_detach(struct token *t, bool rw);
bool token_has_sessions(const struct token *t);
/* Keeps sessions from being opened while the token is made anew or deleted: E_SESSION_EXISTS. */
enum err token_seclude(struct token *t);
void token_admit(struct token *t);
/* What new tokens and PINs are made with, from the configuration. */
struct store_policy token_policy(const struct conf_token *c);
/* serial NULL: as before. */
enum err token_set_label(struct token *t, const char label[32], const char serial[16]);
/* C_GetTokenInfo of a token that is not initialised. */
void token_info_blank(CK_TOKEN_INFO *info);
/* No sessions, no login, no objects, no store: as before the first token_open. */
void token_shut(struct token *t);

/* ---- token_admin.c; no token lock is held ---- */
/* C_InitToken on a token that is there; it is secluded. */
enum err token_reinit(struct token *t, struct span so_pin, const char label[32]);
enum err token_rename(struct token *t, struct span so_pin, const char label[32]);
enum err token_backup(struct token *t, struct span passphrase, const char *path, struct why *why);
/* Whether pin is the security officer's. */
enum err token_check_so(struct token *t, struct span so_pin);
enum err token_check(struct token *t, CK_USER_TYPE who, struct span pin, store_check_cb *cb,
		     void *arg);
enum err token_require_audit(struct token *t, struct span so_pin, bool on);

/* ---- token_access.c ---- */
/* A reference to the present access; E_DEVICE_REMOVED when there is none. */
enum err access_get(struct token *t, struct access **a);
void access_unref(struct access *a); /* NULL accepted; t->rw is not held */
/* Takes over store, also on error. */
enum err access_open(struct store *store, bool read_only, struct access **out);
/* The same medium under another login; takes over seal, also on error. */
enum err access_as(const struct access *a, struct seal *seal, enum who who, struct access **out);
/* Whether its login sees such an object: the security officer does not see private ones. */
static inline bool access_sees(const struct access *a, enum sight sight)
{
	return sight <= seal_sight(a->seal);
}
/* Makes next (a reference that is taken over; NULL: none) the token's access; *old, a reference, is the caller's to let go of after the unlock. */
void access_swap_locked(struct token *t, struct access *next, struct access **old);
/*
 * The store said that it is gone: the token is empty, logged out, and its sessions are over, unless that
 * happened already (a is not the token's access any more). Returns E_DEVICE_REMOVED.
 */
enum err access_lost(struct token *t, const struct access *a);

/* ---- token_login.c ---- */
/*
 * Makes nobody logged in, whoever was, and starts a new epoch: private objects lose their handles for good, those of
 * sessions their existence (5.6.10). t->login is held.
 */
void token_step_down_locked(struct token *t);
/* As token_logout without being asked: nothing when nobody is logged in, or a session came meanwhile. */
enum err token_logout_unused(struct token *t);

/* ---- token_uses.c; no lock above RANK_LOGIN is held ---- */
/* Seals what was counted, before whoever is logged in is not any more. */
void token_uses_settle(struct token *t);
/* The same for what processes left that ended without it, after a login. */
void token_uses_adopt(struct token *t);

/* ---- token_pin.c ---- */
/* Length and UTF-8 of a PIN to be set: E_PIN_LEN, E_PIN_INVALID. */
enum err token_pin_form(struct span pin);

/* ---- token_map.c; t->rw is held for write, or for read where it says so ---- */
enum err map_init(struct map *m);
void map_free(struct map *m);
struct entry *map_by_handle(const struct map *m, CK_OBJECT_HANDLE h); /* read */
struct entry *map_by_id(const struct map *m, uint64_t id);            /* read */
/* A new entry for o, with a handle. Takes over o and e, memory of the caller. owner: NULL for a token object. */
void map_add(struct token *t, struct entry *e, struct object *o, struct session *owner);
/* Another version; the old object, a reference, is the caller's to let go of after the unlock. */
struct object *map_replace(struct token *t, struct entry *e, struct object *o);
/* Takes e out; it is the caller's, to be given to map_bury after the unlock. */
void map_remove(struct token *t, struct entry *e);
/* For map_sweep: all of them. */
bool map_every(const struct entry *e);
/* Takes out every entry that goes(e); a chain by next for map_bury. */
struct entry *map_sweep(struct token *t, bool (*goes)(const struct entry *e));
/* Frees a chain of removed entries, and the objects unless somebody else holds them. No lock is held. */
void map_bury(struct entry *chain);
/* Keys of the indexes by label and CKA_ID; false: v is empty and not indexed. */
bool map_key(CK_ATTRIBUTE_TYPE t, struct span v, uint64_t *key);

/* ---- token_load.c ---- */
/* Reads the record into the map, verified if there is a seal. OK also when it is gone, not visible, or the access changed meanwhile. */
enum err load_one(struct token *t, struct access *a, uint64_t id);
/* Those of ids that the map does not have yet (or not verified yet). */
enum err load_missing(struct token *t, struct access *a, const uint64_t *ids, size_t n);
/* A removal of id is being published. t->rw is held for write. */
void load_spoil_locked(struct token *t, uint64_t id);

/* ---- token_sync.c ---- */
/* Brings the map up to date with what other processes did. No token lock is held. */
enum err token_sync(struct token *t);

/* ---- asked.c; t->rw is held ---- */
bool asked_has(const struct asked *q, uint64_t key);
void asked_add(struct asked *q, uint64_t key); /* forgets instead when there is no memory */
void asked_clear(struct asked *q);

#endif
