/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Durable state of tokens: one SQLite database per token, in DIR/<slot id>/token.db. The layer above
 * sees plain records; sealing, MACs, PIN keys and the failure counts live here.
 *
 * Threads: every function may be called by any thread; a store has its own locks (RANK_QUEUE for writers,
 * RANK_STORE for the connection). Fork: a child must not use a store of its parent; store_fork_prepare/parent/child are
 * called by the library's atfork handlers, and the child abandons what it inherited.
 */
#ifndef CHANCERY_STORE_STORE_H
#define CHANCERY_STORE_STORE_H

#include "base/attrset.h"
#include "base/err.h"
#include "base/span.h"
#include "base/why.h"

struct store;
/* The token's data key and what is derived from it, in locked memory; exists between login and logout. */
struct seal;

enum store_user { STORE_USER, STORE_SO };

/*
 * Who sees a record. Only one for all lies in the file as it is; the others are sealed. Each sees what those above it do;
 * the numbers are in the file.
 */
enum sight {
	SIGHT_ALL,   /* anybody, without a login */
	SIGHT_LOGIN, /* whoever is logged in: not CKA_PRIVATE, but of a value that may not be read */
	SIGHT_USER   /* CKA_PRIVATE */
};

/* What the holder of this seal sees; NULL: nobody is logged in. */
enum sight seal_sight(const struct seal *k);

/*
 * A PIN of this text and 64 lower-case hexadecimal digits is a machine's, of 256 random bits: it needs no slow KDF and gets HKDF.
 * Any other PIN, digits only included, gets the policy's. Which way a PIN goes is stored when it is set.
 */
#define STORE_MACHINE_PIN "chp1-"

/* How PINs become keys, and limits; fixed per token at store_create (pin_max, delays: configuration). */
struct store_policy {
	bool pbkdf2;                  /* approved profile: PBKDF2-HMAC-SHA-256, else Argon2id */
	uint32_t kdf_cost;            /* KiB of Argon2id, or iterations */
	uint32_t kdf_passes;          /* Argon2id t */
	uint32_t pin_max;             /* failures until locked */
	unsigned dir_mode, file_mode; /* 0700/0600, or the group forms */
	/* For store_check alone: whether a record without a MAC is in order, and who is to see one of these attributes (NULL: not compared). */
	bool public_write;
	enum sight (*sight)(const struct attrset *attrs);
};

struct store_info {
	char label[32]; /* space padded, as CK_TOKEN_INFO */
	char serial[16];
	bool user_pin_set;
	uint32_t user_failures, so_failures, pin_max;
	bool read_only;   /* the file system or the mode forbids writing */
	uint64_t changes; /* the change counter */
	bool audit_required; /* its keys work only with the audit log: of the row as it is, which a login verifies */
};

/*
 * A record of the audit log that waits for it: as durable as the change that it is about, in whose transaction it is kept until
 * store_event_done. NULL, or an empty body: there is none.
 */
struct store_event {
	struct span body;
	uint64_t number; /* set: of this token's, none is used twice. 0: it was not kept */
};

/* ---- the folder of tokens ---- */

/* Slot ids that hold a token, ascending; *ids is malloc'ed with mem_alloc. A missing folder is an empty list. *next: the id that a new token gets: never one used before. */
enum err store_list(const char *dir, CK_SLOT_ID **ids, size_t *n, CK_SLOT_ID *next,
		    struct why *why);
/*
 * Reports through cb what keeps tokens of the folder from being served, or new ones from being made, each with what mends
 * it; nothing when all is well. group: as for dir_check. No token is opened.
 */
typedef void store_check_cb(void *arg, bool bad, const char *text);
void store_survey(const char *dir, bool group, store_check_cb *cb, void *arg);
/* Creates a token in a slot that holds none, durably. A slot that meanwhile holds one: E_SESSION_EXISTS with why. */
enum err store_create(const char *dir, CK_SLOT_ID slot, const struct store_policy *p,
		      struct span so_pin, const char label[32], struct store_event *ev,
		      struct why *why);
/* Removes a token and everything in it. The SO PIN was checked by the caller through store_login. */
enum err store_delete(const char *dir, CK_SLOT_ID slot, struct why *why);

/* ---- one token ---- */

enum err store_open(const char *dir, CK_SLOT_ID slot, const struct store_policy *p,
		    struct store **out, struct why *why);
void store_close(struct store *s);
/* The path of its database; it lives as long as the store. */
const char *store_path(const struct store *s);
enum err store_info(struct store *s, struct store_info *info);
/*
 * Changes whenever another connection (another process) committed: compare with the last value. What was acknowledged before the call is in it;
 * what another program did to the file is within 10 ms. A load of shared memory, seldom two system calls; no disk write. E_DEVICE_REMOVED when
 * the file is gone or was replaced.
 */
enum err store_version(struct store *s, uint64_t *v);

/*
 * Checks a PIN. The attempt is counted durably before the KDF runs and taken back when it was right, so no number of
 * concurrent tries exceeds the limit and both answers cost the same. E_PIN_WRONG, E_PIN_LOCKED, E_PIN_UNSET. On a read-only store
 * the count is this process's own. *seal (may be NULL: only check) is the caller's.
 */
enum err store_login(struct store *s, enum store_user u, struct span pin, struct seal **seal);
void seal_free(struct seal *k);
/*
 * Raises p->kdf_cost until one PIN takes about target_ms on this machine; never lowers it. Takes that long itself.
 */
enum err store_calibrate(unsigned target_ms, struct store_policy *p);
/* Changes u's PIN: checks old (counted as a login), then wraps the data key under new in one transaction. */
enum err store_set_pin(struct store *s, enum store_user u, struct span old, struct span new_pin,
		       struct store_event *ev);
/* The SO sets the user PIN and clears its failures (C_InitPIN). */
enum err store_init_pin(struct store *s, const struct seal *so, struct span new_pin,
			struct store_event *ev);
/* C_InitToken on an initialised token: checks the SO PIN, destroys every object, makes a new data key, label and no user PIN. */
enum err store_reinit(struct store *s, struct span so_pin, const char label[32],
		      struct store_event *ev);
enum err store_rename(struct store *s, const struct seal *so, const char label[32],
		      struct store_event *ev);
/* Sets store_info.audit_required, which a later C_InitToken keeps. */
enum err store_require_audit(struct store *s, const struct seal *so, bool on,
			     struct store_event *ev);
/* A sealed copy of the whole token into one file (made atomically), opened again with the same passphrase. */
enum err store_backup(struct store *s, struct span passphrase, const char *path, struct why *why);
enum err store_restore(const char *dir, CK_SLOT_ID slot, const struct store_policy *p,
		       struct span passphrase, const char *path, struct store_event *ev,
		       struct why *why);
/* Checks everything (needs a seal for MACs and the root): structure, each row, the sealed root, the counter. Reports findings through cb. */
enum err store_check(struct store *s, const struct seal *k, store_check_cb *cb, void *arg);

/* ---- records ---- */

struct record {
	uint64_t id;      /* never reused in this token; 0: new */
	uint64_t version; /* starts at 1, +1 at each change */
	enum sight sight; /* SIGHT_ALL: MACed and readable without a seal; else sealed */
	bool verified;    /* its seal or MAC was checked (needs a seal) */
	uint32_t traits;  /* RECORD_*, sealed or MACed with the rest */
	struct attrset *attrs;
};

enum { RECORD_TOKEN_LINEAGE = 1 << 0 /* provenance: comes from a token key (audit) */ };

void record_clear(struct record *r); /* frees what it owns */

/* One record by id. k NULL: of SIGHT_ALL only; any seal opens all others. E_OBJECT_HANDLE when not there (or not visible), E_CORRUPT when it does not open. */
enum err store_get(struct store *s, const struct seal *k, uint64_t id, struct record *r);
/*
 * As store_get for n of them in one look at the database, which is most of the cost of reading one. each[i] says what became of r[i].
 * n is small: other threads and, to write, other processes wait meanwhile.
 */
enum err store_get_some(struct store *s, const struct seal *k, const uint64_t *ids, size_t n,
			struct record *r, enum err *each);

/*
 * Ids of the records that a search can concern, ascending: label and id (NULL: any) are compared through the keyed index, class too (CK_UNAVAILABLE_INFORMATION: any).
 * Of those that the holder of k sees. A superset of the matches is allowed; core compares attributes. *ids by mem_alloc.
 */
struct store_query {
	const struct span *label, *id;
	CK_OBJECT_CLASS cls;
};
enum err store_query(struct store *s, const struct seal *k, const struct store_query *q,
		     uint64_t **ids, size_t *n);

/*
 * What changed since a value of the change counter: removed records (version 0), then live ones (id, version, sight). *now:
 * counter value of this answer. When `since` is too long ago, or the token began anew, the first entry has id 0, and all
 * live records follow: what is not listed and has an id below that entry's version is not there any more. *d by mem_alloc.
 */
struct store_delta {
	uint64_t id, version;
	enum sight sight;
};
enum err store_changes(struct store *s, uint64_t since, struct store_delta **d, size_t *n,
		       uint64_t *now);

/* ---- changes: group-committed ---- */

enum store_change_kind { CHANGE_CREATE, CHANGE_REPLACE, CHANGE_REMOVE };
struct store_change {
	enum store_change_kind kind;
	struct record *
		rec; /* CREATE: id is set on success. REPLACE and REMOVE: version is the one that must be there (else E_OBJECT_HANDLE); REPLACE sets the new one */
};
/*
 * Makes the changes of one caller (all or none) durable, together with those of other threads that wait: one leader
 * commits for many. Returns when the commit is durable. ev: NULL, or n of them.
 * E_DEVICE_MEMORY: disk full; E_WRITE_PROTECTED; E_DEVICE. After an error nothing of this caller's changes is there,
 * unless the disk failed at the last barrier and then again, or another process came in between (docs/STORE.md).
 */
enum err store_commit(struct store *s, const struct seal *k, struct store_change *c, size_t n,
		      struct store_event *ev);

/* ---- how often keys were used, for the audit log's sake (docs/AUDIT.md, "Counters") ---- */

enum {
	STORE_ROLL = 16,     /* bytes of a roll's id */
	STORE_USE_KEY = 36,  /* of a key's name: its CKA_UNIQUE_ID, or zeros */
	STORE_USE_PAGE = 255 /* keys of a page, at most */
};

struct store_use {
	uint8_t key[STORE_USE_KEY];
	uint64_t count;
};

/* Counts of keys of this token, of one file of a roll; part and page say which counts of that file these are. */
struct store_uses {
	uint8_t roll[STORE_ROLL];
	uint64_t file, part, page;
	size_t n;
	struct store_use use[STORE_USE_PAGE];
};

/*
 * Seals n pages into the token, in one transaction. What is there for the same page is replaced key by key where the new count is greater, so
 * nothing is ever counted down, and to put the same again changes nothing. wait false: E_BUSY where a thread or a process would be waited for. Errors as
 * store_commit.
 */
enum err store_uses_put(struct store *s, const struct seal *k, const struct store_uses *u, size_t n,
			bool wait);
/*
 * Shows cb every page. E_CORRUPT, at the end at the latest: one was altered, or removed, or set back. cb runs under the store's lock and calls nothing of it.
 */
typedef enum err store_uses_cb(void *arg, const struct store_uses *u);
enum err store_uses_each(struct store *s, const struct seal *k, store_uses_cb *cb, void *arg);

/* ---- events ---- */

/*
 * The audit log has the record. Nothing is waited for: the event is forgotten in the next commit of changes, or when the store is closed. A
 * process that is killed before leaves an event that is done; whoever finds it records it again.
 */
void store_event_done(struct store *s, uint64_t number);
/*
 * Shows cb every event that is kept, in order, but those that are done here; no lock is held meanwhile. Those for which cb says that they are over
 * are forgotten, durably, before this returns. cb returns an error to stop. One process at a time: while another is at it, nothing is shown, and OK.
 */
typedef enum err store_event_cb(void *arg, uint64_t number, struct span body, bool *over);
enum err store_events_drain(struct store *s, store_event_cb *cb, void *arg);

/* atfork: prepare takes every lock of every open store of this process, parent and child let go (the child also forgets the stores). */
void store_fork_prepare(void);
void store_fork_parent(void);
void store_fork_child(void);

#endif
