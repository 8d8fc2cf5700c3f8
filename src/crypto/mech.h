/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registry of mechanisms. One row feeds C_GetMechanismList, C_GetMechanismInfo, the checks at
 * Init and dispatch, so what is advertised cannot drift from what works. A row is offered only if
 * what it needs could be fetched from libcrypto.
 */
#ifndef CHANCERY_CRYPTO_MECH_H
#define CHANCERY_CRYPTO_MECH_H

#include "base/attrset.h"
#include "base/buf.h"
#include "base/conf.h"
#include "base/err.h"
#include "base/span.h"
#include "crypto/key.h"
#include "crypto/param.h"

/* What a key is used for in an operation that runs (init, update, final). */
enum mech_use {
	USE_ENCRYPT,
	USE_DECRYPT,
	USE_DIGEST,
	USE_SIGN,
	USE_SIGN_RECOVER,
	USE_VERIFY,
	USE_VERIFY_RECOVER,
	USE_COUNT
};

/*
 * A mechanism at work under one key. Embedded in core's operation and reused: `state` (with the
 * libcrypto context in it) survives run_end and is used again when the next begin has the same
 * mech->ops; run_free drops it. Not thread-safe: the session's lock is held.
 */
struct run {
	const struct mech *mech;
	enum mech_use use;
	struct key *key;                  /* borrowed from the operation; NULL for digests */
	struct param param;               /* owned */
	void *state;                      /* the ops' own, with its contexts; owned */
	const struct mech_ops *state_ops; /* whose state that is */
};

struct mech_ops {
	/*
	 * Starts: checks what depends on key and parameter together (E_MECHANISM_PARAM, E_KEY_SIZE,
	 * E_KEY_TYPE), makes or reuses state.
	 */
	enum err (*begin)(struct run *r);
	/*
	 * An upper bound of the output of the next call: update with n bytes, or with last: all
	 * that is still to come when n more bytes are given. Cheap. No n wraps it around (bound.h).
	 */
	size_t (*bound)(const struct run *r, size_t n, bool last);
	/*
	 * Consumes in, may produce output (o has room for bound(n, false)). NULL: no multi-part;
	 * see MECH_* flags.
	 */
	enum err (*update)(struct run *r, struct span in, struct sink *o);
	/*
	 * Ends a multi-part operation with its output. For verify: sig is the signature, o unused
	 * (NULL).
	 */
	enum err (*final)(struct run *r, struct sink *o);
	enum err (*verify_final)(struct run *r, struct span sig);
	/*
	 * The whole operation in one call; NULL: update then final. in may overlap o exactly (in
	 * place).
	 */
	enum err (*once)(struct run *r, struct span in, struct sink *o);
	enum err (*verify_once)(struct run *r, struct span in, struct span sig);
	/* C_GetOperationState / C_SetOperationState of digests; NULL: unsaveable. */
	enum err (*save)(const struct run *r, struct buf *out);
	enum err (*load)(struct run *r, struct span in);
	/* Frees state. */
	void (*drop)(void *state);
};

/*
 * Operations that make keys. templ is the checked template; made gets the key's own attributes
 * (CKA_VALUE, CKA_MODULUS, …, CKA_KEY_TYPE), completed as by key_complete.
 */
struct mech_make {
	enum err (*generate)(const struct mech *m, const struct param *par,
			     const struct attrset *templ, struct attrset *made);
	enum err (*generate_pair)(const struct mech *m, const struct param *par,
				  const struct attrset *pub_templ, const struct attrset *priv_templ,
				  struct attrset *pub, struct attrset *priv);
	/*
	 * extra: the key that par->key names, or NULL. made gets CKA_VALUE for CKA_KEY_TYPE and
	 * CKA_VALUE_LEN of templ (CKO_DATA: CKA_VALUE).
	 */
	enum err (*derive)(const struct mech *m, const struct param *par, struct key *base,
			   struct key *extra, const struct attrset *templ, struct attrset *made);
};

enum {
	MECH_BUFFER = 1 << 0, /* multi-part input is collected by core (bounded), then `once` */
	/* as above for decryption only: nothing unauthenticated is released */
	MECH_BUFFER_DECRYPT = 1 << 1,
	MECH_SINGLE = 1 << 2,     /* single-part only, as the standard says: Update is refused */
	MECH_WRAP_EXACT = 1 << 3, /* unwrapping yields exactly the wrapped length */
	MECH_VERIFY_SIG_FIRST = 1 << 4, /* offered by C_VerifySignatureInit */
	MECH_DERIVE_DATA = 1 << 5,      /* derives a data object (CKM_HKDF_DATA) */
	MECH_APPROVED = 1 << 6,         /* stays in the approved profile */
	MECH_INTEROP = 1 << 7,          /* offered in the interop profile only */
	/*
	 * Unwrapping a forged blob tells nothing of a right one: it is authenticated, or rejected
	 * implicitly.
	 */
	MECH_UNWRAP_BLIND = 1 << 8,
	MECH_WRAP_KEYSTREAM = 1 << 9,   /* wrapping adds a keystream that the caller's IV chooses */
	MECH_DERIVE_OPEN = 1 << 10,     /* a readable key may be derived from one that is not */
	MECH_DERIVE_FROM_DATA = 1 << 11 /* the base may be a data object, as long as the hash */
};

struct mech {
	CK_MECHANISM_TYPE type;
	CK_KEY_TYPE key_type;  /* CK_UNAVAILABLE_INFORMATION: no key (digests, generic) */
	CK_KEY_TYPE key_type2; /* a second one that is accepted, or the same */
	CK_FLAGS flags;        /* CKF_SIGN | …, as C_GetMechanismInfo gives them */
	CK_ULONG min_key, max_key;
	unsigned traits;        /* MECH_* */
	CK_MECHANISM_TYPE hash; /* the digest mechanism inside, or CK_UNAVAILABLE_INFORMATION */
	enum err (*param)(const struct mech *m, const CK_MECHANISM *mechanism,
			  struct param *par); /* NULL: must have none */
	const struct mech_ops *ops;           /* NULL: none of encrypt … verify */
	const struct mech_make *make;         /* NULL: none of generate, derive */
	const char *needs;  /* what libcrypto must have for the row to exist, or NULL */
	unsigned wrap_unit; /* C_WrapKey pads with zeros to a multiple of this; 0: no padding */
	const char *kat;    /* known-answer test before the first use; NULL: that of `hash` alone */
};

/*
 * Which rows are offered; `standard` is the default. Called before use, under the library's
 * initialise lock.
 */
void mech_profile_set(enum conf_profile p);

/* The row, or NULL when not offered. Lock-free; constant time lookup. */
const struct mech *mech_find(CK_MECHANISM_TYPE type);
/*
 * All offered rows in order of number: count, and the i-th. Stable between crypto_start and
 * crypto_stop, once the count is not 0: that says that memory was short.
 */
size_t mech_count(void);
const struct mech *mech_at(size_t i);
/* Whether m may work with a key of this type. */
bool mech_takes(const struct mech *m, CK_KEY_TYPE kt);
/* CKF_ flag that a use needs. */
CK_FLAGS mech_use_flag(enum mech_use u);

/*
 * The ops of m->make, inside the secret-arena tag and after the known-answer test (E_SELFTEST).
 * E_MECHANISM when the row has no such op. On error what was put into the sets is worthless.
 */
enum err mech_generate(const struct mech *m, const struct param *par, const struct attrset *templ,
		       struct attrset *made);
enum err mech_generate_pair(const struct mech *m, const struct param *par,
			    const struct attrset *pub_templ, const struct attrset *priv_templ,
			    struct attrset *pub, struct attrset *priv);
enum err mech_derive(const struct mech *m, const struct param *par, struct key *base,
		     struct key *extra, const struct attrset *templ, struct attrset *made);

/*
 * Starts r for mechanism m, use and key (a reference stays with the caller for as long as r runs;
 * NULL for digests). Takes over *par (moved, also on error; it may be r->param itself; NULL: no
 * parameter). Checks flag, key type and key size of the row: E_MECHANISM, E_KEY_TYPE, E_KEY_SIZE.
 * On error r is idle. The algorithm's known-answer test runs before its first use: E_SELFTEST.
 */
enum err run_begin(struct run *r, const struct mech *m, enum mech_use use, struct key *key,
		   struct param *par);
/* Idle again: wipes the parameter, keeps state for reuse. */
void run_end(struct run *r);
/* Back to how run_begin left it, with the same key and parameter. Errors of run_begin, after which r is idle. */
enum err run_again(struct run *r);
/* run_end, and the kept state too. */
void run_free(struct run *r);
/* Whether the input of this run is collected by the caller and given to run_once. */
bool run_buffered(const struct run *r);

/* These call the ops inside the secret-arena tag and fall back from once to update + final. */
size_t run_bound(const struct run *r, size_t n, bool last);
enum err run_update(struct run *r, struct span in, struct sink *o);
enum err run_final(struct run *r, struct sink *o);
enum err run_once(struct run *r, struct span in, struct sink *o);
enum err run_verify_final(struct run *r, struct span sig);
enum err run_verify_once(struct run *r, struct span in, struct span sig);

/*
 * Known-answer tests: one row per algorithm (kat.h). selftest_all runs each and reports through cb
 * (name, result).
 */
typedef void selftest_cb(void *arg, const char *name, enum err e);
enum err selftest_all(selftest_cb *cb, void *arg);
/*
 * Before first use of m: runs its test once per process; a failure latches an error state for good.
 */
enum err selftest_once(const struct mech *m);

#endif
