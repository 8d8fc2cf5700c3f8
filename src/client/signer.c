/* SPDX-License-Identifier: Apache-2.0 */
#include "client/signer.h"
#include "base/mem.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Input up to this size is signed in one call, since some modules refuse multi-part calls for some mechanisms. */
#define CHUNK      ((size_t)256 * 1024)
#define DIGEST_MAX 64
#define NONE       CK_UNAVAILABLE_INFORMATION

const struct sign_alg sign_algs[] = {
	{ "rsa-pss-sha256", CKK_RSA, CKM_SHA256_RSA_PKCS_PSS, CKM_RSA_PKCS_PSS, CKM_SHA256,
	  CKG_MGF1_SHA256, 32 },
	{ "rsa-pss-sha384", CKK_RSA, CKM_SHA384_RSA_PKCS_PSS, CKM_RSA_PKCS_PSS, CKM_SHA384,
	  CKG_MGF1_SHA384, 48 },
	{ "rsa-pss-sha512", CKK_RSA, CKM_SHA512_RSA_PKCS_PSS, CKM_RSA_PKCS_PSS, CKM_SHA512,
	  CKG_MGF1_SHA512, 64 },
	{ "rsa-pkcs1-sha256", CKK_RSA, CKM_SHA256_RSA_PKCS, NONE, CKM_SHA256, 0, 0 },
	{ "rsa-pkcs1-sha384", CKK_RSA, CKM_SHA384_RSA_PKCS, NONE, CKM_SHA384, 0, 0 },
	{ "rsa-pkcs1-sha512", CKK_RSA, CKM_SHA512_RSA_PKCS, NONE, CKM_SHA512, 0, 0 },
	{ "ecdsa-sha256", CKK_EC, CKM_ECDSA_SHA256, CKM_ECDSA, CKM_SHA256, 0, 0 },
	{ "ecdsa-sha384", CKK_EC, CKM_ECDSA_SHA384, CKM_ECDSA, CKM_SHA384, 0, 0 },
	{ "ecdsa-sha512", CKK_EC, CKM_ECDSA_SHA512, CKM_ECDSA, CKM_SHA512, 0, 0 },
	{ "ecdsa-sha3-256", CKK_EC, CKM_ECDSA_SHA3_256, CKM_ECDSA, CKM_SHA3_256, 0, 0 },
	{ "ecdsa-sha3-384", CKK_EC, CKM_ECDSA_SHA3_384, CKM_ECDSA, CKM_SHA3_384, 0, 0 },
	{ "ecdsa-sha3-512", CKK_EC, CKM_ECDSA_SHA3_512, CKM_ECDSA, CKM_SHA3_512, 0, 0 },
	{ "eddsa", CKK_EC_EDWARDS, CKM_EDDSA, NONE, NONE, 0, 0 },
	{ "ml-dsa", CKK_ML_DSA, CKM_ML_DSA, NONE, NONE, 0, 0 },
	{ NULL, NONE, NONE, NONE, NONE, 0, 0 },
};

const struct sign_alg *sign_alg_find(const char *name, CK_KEY_TYPE kt, unsigned bits)
{
	/* FIPS 186-5, 6.1.1: a hash as strong as the curve. */
	if (name == NULL && kt == CKK_EC)
		name = bits > 384 ? "ecdsa-sha512" : bits > 256 ? "ecdsa-sha384" : "ecdsa-sha256";
	for (const struct sign_alg *a = sign_algs; a->name != NULL; a++)
		if (a->key_type == kt && (name == NULL || strcmp(a->name, name) == 0))
			return a;
	return NULL;
}

/* ---- the mechanism and its parameter ---- */

struct prepared {
	CK_MECHANISM mech;
	union {
		CK_RSA_PKCS_PSS_PARAMS pss;
		CK_EDDSA_PARAMS eddsa;
		CK_SIGN_ADDITIONAL_CONTEXT context;
	} u;
};

static void *borrowed(struct span s)
{
	return (void *)(uintptr_t)s.p; /* the standard's parameters are not const, but only read */
}

static void set_param(struct prepared *p, void *param, size_t n)
{
	p->mech.pParameter = param;
	p->mech.ulParameterLen = n;
}

static enum err prepare(const struct signer *s, CK_MECHANISM_TYPE type, struct prepared *p,
			struct why *why)
{
	const struct sign_alg *a = s->alg;

	memset(p, 0, sizeof(*p));
	p->mech.mechanism = type;
	if (a->mgf != 0) {
		p->u.pss = (CK_RSA_PKCS_PSS_PARAMS){ a->hash, a->mgf, a->salt };
		set_param(p, &p->u.pss, sizeof(p->u.pss));
	}
	if (s->context.n == 0)
		return OK;
	if (a->key_type == CKK_ML_DSA) {
		p->u.context = (CK_SIGN_ADDITIONAL_CONTEXT){ CKH_HEDGE_PREFERRED,
							     borrowed(s->context), s->context.n };
		set_param(p, &p->u.context, sizeof(p->u.context));
		return OK;
	}
	if (a->key_type == CKK_EC_EDWARDS) {
		p->u.eddsa = (CK_EDDSA_PARAMS){ CK_FALSE, s->context.n, borrowed(s->context) };
		set_param(p, &p->u.eddsa, sizeof(p->u.eddsa));
		return OK;
	}
	return why_fail(why, E_ARGUMENTS, "%s takes no context", a->name);
}

/* ---- input ---- */

/* Reads until cap or the end. */
static enum err read_chunk(int fd, const char *name, uint8_t *p, size_t cap, size_t *n,
			   struct why *why)
{
	*n = 0;
	while (*n < cap) {
		ssize_t got = read(fd, p + *n, cap - *n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return why_errno(why, "%s cannot be read", name);
		if (got == 0)
			break;
		*n += (size_t)got;
	}
	return OK;
}

/* An operation on a stream: these are the calls of C_Sign*, C_Verify* or C_Digest*. */
struct feed {
	const struct signer *s;
	int fd;
	const char *name;
	uint8_t *chunk;
	size_t n; /* bytes of the first chunk */
};

typedef CK_RV (*update_fn)(CK_SESSION_HANDLE, CK_BYTE_PTR, CK_ULONG);

static bool feed_whole(const struct feed *f)
{
	return f->n < CHUNK;
}

/* Gives every chunk to update, the first one (already read) included. */
static enum err feed_all(struct feed *f, update_fn update, const char *function, struct why *why)
{
	enum err e = OK;

	while (e == OK && f->n > 0) {
		e = module_err(update(f->s->desk.h, f->chunk, f->n), function, why);
		if (e == OK)
			e = read_chunk(f->fd, f->name, f->chunk, CHUNK, &f->n, why);
	}
	return e;
}

/* ---- digests, when only the plain mechanism is there ---- */

static enum err feed_digest(struct feed *f, uint8_t digest[DIGEST_MAX], CK_ULONG *n,
			    struct why *why)
{
	const CK_FUNCTION_LIST *fn = module_fn(f->s->desk.m);
	CK_MECHANISM m = { f->s->alg->hash, NULL, 0 };
	enum err e = module_err(fn->C_DigestInit(f->s->desk.h, &m), "C_DigestInit", why);

	*n = DIGEST_MAX;
	if (e == OK)
		e = feed_all(f, fn->C_DigestUpdate, "C_DigestUpdate", why);
	if (e == OK)
		e = module_err(fn->C_DigestFinal(f->s->desk.h, digest, n), "C_DigestFinal", why);
	return e == OK ? module_wrote(*n, DIGEST_MAX, "C_DigestFinal", why) : e;
}

/* ---- beginning ---- */

typedef CK_RV (*init_fn)(CK_SESSION_HANDLE, CK_MECHANISM_PTR, CK_OBJECT_HANDLE);

/* Whether the module lacks the mechanism of the row and must be used through the plain one. */
static enum err needs_digest(const struct signer *s, bool *plain, struct why *why)
{
	const CK_FUNCTION_LIST *fn = module_fn(s->desk.m);
	CK_MECHANISM_INFO mech;
	CK_SESSION_INFO session;
	enum err e = module_err(fn->C_GetSessionInfo(s->desk.h, &session), "C_GetSessionInfo", why);

	*plain = false;
	if (e == OK && s->alg->plain != NONE)
		*plain = fn->C_GetMechanismInfo(session.slotID, s->alg->mech, &mech) != CKR_OK;
	return e;
}

static enum err start(const struct signer *s, bool plain, init_fn init, const char *function,
		      struct why *why)
{
	struct prepared p;
	enum err e = prepare(s, plain ? s->alg->plain : s->alg->mech, &p, why);

	return e != OK ? e : module_err(init(s->desk.h, &p.mech, s->key), function, why);
}

static enum err feed_open(struct feed *f, const struct signer *s, int fd, const char *name,
			  struct why *why)
{
	*f = (struct feed){ s, fd, name, mem_alloc(CHUNK), 0 };
	if (f->chunk == NULL)
		return why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
	return read_chunk(fd, name, f->chunk, CHUNK, &f->n, why);
}

/* ---- sign ---- */

/* C_Sign with the data, or C_SignFinal without. */
static CK_RV sign_call(const struct signer *s, struct span data, uint8_t *sig, CK_ULONG *n)
{
	const CK_FUNCTION_LIST *fn = module_fn(s->desk.m);

	if (data.p == NULL)
		return fn->C_SignFinal(s->desk.h, sig, n);
	return fn->C_Sign(s->desk.h, borrowed(data), data.n, sig, n);
}

static enum err sign_end(const struct signer *s, struct span data, struct buf *sig, struct why *why)
{
	const char *function = data.p == NULL ? "C_SignFinal" : "C_Sign";
	CK_ULONG room = 0, n;
	enum err e = module_err(sign_call(s, data, NULL, &room), function, why);

	if (e == OK && (e = buf_reserve(sig, room)) != OK)
		return why_fail(why, e, "%s: a signature of %lu bytes: %s", function, room,
				err_text(e));
	n = room;
	if (e == OK)
		e = module_err(sign_call(s, data, sig->p, &n), function, why);
	if (e == OK)
		e = module_wrote(n, room, function, why);
	if (e == OK)
		sig->n = n;
	return e;
}

/* Some modules have one operation at a time in a session, so the digest is done before the signature begins. */
static enum err sign_plain(const struct signer *s, struct feed *f, struct buf *sig, struct why *why)
{
	uint8_t digest[DIGEST_MAX];
	CK_ULONG n = 0;
	enum err e = feed_digest(f, digest, &n, why);

	if (e == OK)
		e = start(s, true, module_fn(s->desk.m)->C_SignInit, "C_SignInit", why);
	return e == OK ? sign_end(s, span(digest, n), sig, why) : e;
}

static enum err sign_hashing(const struct signer *s, struct feed *f, struct buf *sig,
			     struct why *why)
{
	const CK_FUNCTION_LIST *fn = module_fn(s->desk.m);
	enum err e = start(s, false, fn->C_SignInit, "C_SignInit", why);

	if (e == OK && feed_whole(f))
		return sign_end(s, span(f->chunk, f->n), sig, why);
	if (e == OK)
		e = feed_all(f, fn->C_SignUpdate, "C_SignUpdate", why);
	return e == OK ? sign_end(s, span(NULL, 0), sig, why) : e;
}

enum err signer_sign(const struct signer *s, int fd, const char *name, struct buf *sig,
		     struct why *why)
{
	struct feed f;
	bool plain = false;
	enum err e = feed_open(&f, s, fd, name, why);

	buf_clear(sig);
	if (e == OK)
		e = needs_digest(s, &plain, why);
	if (e == OK)
		e = plain ? sign_plain(s, &f, sig, why) : sign_hashing(s, &f, sig, why);
	mem_free(f.chunk);
	return e;
}

/* ---- verify ---- */

static enum err verify_bytes(const struct signer *s, uint8_t *data, size_t n, struct span sig,
			     struct why *why)
{
	CK_RV rv = module_fn(s->desk.m)->C_Verify(s->desk.h, data, n, borrowed(sig), sig.n);

	return module_err(rv, "C_Verify", why);
}

static enum err verify_plain(const struct signer *s, struct feed *f, struct span sig,
			     struct why *why)
{
	uint8_t digest[DIGEST_MAX];
	CK_ULONG n = 0;
	enum err e = feed_digest(f, digest, &n, why);

	if (e == OK)
		e = start(s, true, module_fn(s->desk.m)->C_VerifyInit, "C_VerifyInit", why);
	return e == OK ? verify_bytes(s, digest, n, sig, why) : e;
}

static enum err verify_hashing(const struct signer *s, struct feed *f, struct span sig,
			       struct why *why)
{
	const CK_FUNCTION_LIST *fn = module_fn(s->desk.m);
	enum err e = start(s, false, fn->C_VerifyInit, "C_VerifyInit", why);

	if (e == OK && feed_whole(f))
		return verify_bytes(s, f->chunk, f->n, sig, why);
	if (e == OK)
		e = feed_all(f, fn->C_VerifyUpdate, "C_VerifyUpdate", why);
	if (e != OK)
		return e;
	return module_err(fn->C_VerifyFinal(s->desk.h, borrowed(sig), sig.n), "C_VerifyFinal", why);
}

enum err signer_verify(const struct signer *s, int fd, const char *name, struct span sig,
		       struct why *why)
{
	struct feed f;
	bool plain = false;
	enum err e = feed_open(&f, s, fd, name, why);

	if (e == OK)
		e = needs_digest(s, &plain, why);
	if (e == OK)
		e = plain ? verify_plain(s, &f, sig, why) : verify_hashing(s, &f, sig, why);
	mem_free(f.chunk);
	return e;
}
