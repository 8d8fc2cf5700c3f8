/* SPDX-License-Identifier: Apache-2.0 */
#include "toil.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

enum kind {
	LOGIN,
	SIGN,
	SIGN_PRIVATE,
	VERIFY,
	ENCRYPT,
	FRESH,
	STREAM,
	DERIVE,
	WRAP,
	UNWRAP,
	READ,
	COPY,
	DIGEST,
	GENERATE,
	SET,
	DESTROY,
	PAIR,
	DESTROY_PRIVATE,
	DESTROY_PUBLIC,
};

/* Objects of a thread. */
enum { SECRET = 1, PRIVATE = 2, PUBLIC = 4 };

/* A thread with its session. */
struct hand {
	const struct toil *w;
	unsigned process, thread;
	struct course course;
	CK_SESSION_HANDLE s;
	CK_OBJECT_HANDLE secret, pub, priv; /* its own on the token */
	CK_OBJECT_HANDLE passing;           /* of the session, to be destroyed after the step */
	char tag[TOIL_TAG];
};

/* The token's keys, the same for all threads. */
static CK_OBJECT_HANDLE aes, mac, kek, base, ec;
static CK_BYTE data[64], blob[64];
static CK_ULONG blob_n;

/* ---- what is said ---- */

static void say(const struct hand *h, const char *before, const char *after)
{
	char line[2 * TOIL_TAG];
	int n = snprintf(line, sizeof(line), "%s%s%s\n", before, h->tag, after);

	if (write(h->w->acks, line, (size_t)n) != n)
		_exit(9);
}

static void must(const struct hand *h, CK_RV rv, const char *what)
{
	char text[TOIL_TAG];

	if (rv == CKR_OK)
		return;
	snprintf(text, sizeof(text), " %s 0x%lx", what, rv);
	say(h, "!", text);
	_exit(9);
}

static void tag(struct hand *h)
{
	CK_UTF8CHAR text[200];
	size_t n = (size_t)snprintf(h->tag, sizeof(h->tag), "%u/%u/%u/%u", h->w->round, h->process,
				    h->thread, h->course.n);

	memset(text, 1, sizeof(text)); /* which takes six characters of a record, each */
	memcpy(text, h->tag, n);
	text[n++] = ' ';
	must(h, p11_vendor()->AuditOnBehalf(h->s, text, h->w->fat ? sizeof(text) : n), "tag");
}

static void untag(struct hand *h)
{
	must(h, p11_vendor()->AuditOnBehalf(h->s, NULL, 0), "untag");
}

static void delivered(struct hand *h)
{
	say(h, "", "");
	h->w->shared->progress++;
}

/* ---- steps: the last call is the one whose result is delivered ---- */

static CK_RV login(struct hand *h)
{
	CK_UTF8CHAR pin[] = USER_PIN;

	return p11->C_Login(h->s, CKU_USER, pin, sizeof(pin) - 1);
}

static CK_RV sign_with(struct hand *h, CK_MECHANISM_TYPE type, CK_OBJECT_HANDLE key)
{
	CK_MECHANISM m = mechanism(type, NULL, 0);
	CK_BYTE out[128];
	CK_ULONG n = sizeof(out);

	must(h, p11->C_SignInit(h->s, &m, key), "C_SignInit");
	return p11->C_Sign(h->s, data, 32, out, &n);
}

static CK_RV sign(struct hand *h)
{
	return sign_with(h, CKM_SHA256_HMAC, mac);
}

static CK_RV sign_private(struct hand *h)
{
	return sign_with(h, CKM_ECDSA, ec);
}

static CK_RV verify(struct hand *h)
{
	CK_MECHANISM m = mechanism(CKM_SHA256_HMAC, NULL, 0);
	CK_RV rv;

	must(h, p11->C_VerifyInit(h->s, &m, mac), "C_VerifyInit");
	rv = p11->C_Verify(h->s, data, 32, data, 32);
	return rv == CKR_SIGNATURE_INVALID ? CKR_OK : rv;
}

static CK_RV encrypt_with(struct hand *h, CK_OBJECT_HANDLE key)
{
	CK_MECHANISM m = mechanism(CKM_AES_ECB, NULL, 0);
	CK_BYTE out[64];
	CK_ULONG n = sizeof(out);

	must(h, p11->C_EncryptInit(h->s, &m, key), "C_EncryptInit");
	return p11->C_Encrypt(h->s, data, 32, out, &n);
}

static CK_RV encrypt(struct hand *h)
{
	return encrypt_with(h, aes);
}

/* With a key made fresh for the session; making it is not the step. */
static CK_RV fresh(struct hand *h)
{
	CK_MECHANISM m = mechanism(CKM_AES_KEY_GEN, NULL, 0);
	struct templ t = { 0 };

	templ_ulong(&t, CKA_VALUE_LEN, 32);
	templ_flags(&t, CKA_ENCRYPT);
	untag(h);
	must(h, p11->C_GenerateKey(h->s, &m, t.a, t.n, &h->passing), "C_GenerateKey");
	tag(h);
	return encrypt_with(h, h->passing);
}

/* Delivered in the middle of the operation. */
static CK_RV stream(struct hand *h)
{
	CK_MECHANISM m = mechanism(CKM_AES_ECB, NULL, 0);
	CK_BYTE out[64];
	CK_ULONG n = sizeof(out);

	must(h, p11->C_DecryptInit(h->s, &m, aes), "C_DecryptInit");
	return p11->C_DecryptUpdate(h->s, data, 64, out, &n);
}

static CK_RV derive(struct hand *h)
{
	CK_HKDF_PARAMS p = { .bExtract = CK_TRUE,
			     .bExpand = CK_TRUE,
			     .prfHashMechanism = CKM_SHA256,
			     .ulSaltType = CKF_HKDF_SALT_NULL };
	CK_MECHANISM m = mechanism(CKM_HKDF_DERIVE, &p, sizeof(p));
	struct templ t = { 0 };

	templ_ulong(&t, CKA_VALUE_LEN, 32);
	return p11->C_DeriveKey(h->s, &m, base, t.a, t.n, &h->passing);
}

static CK_RV wrap_into(CK_SESSION_HANDLE s, CK_BYTE *out, CK_ULONG *n)
{
	CK_MECHANISM m = mechanism(CKM_AES_KEY_WRAP_KWP, NULL, 0);

	return p11->C_WrapKey(s, &m, kek, aes, out, n);
}

static CK_RV wrap(struct hand *h)
{
	CK_BYTE out[64];
	CK_ULONG n = sizeof(out);

	return wrap_into(h->s, out, &n);
}

static CK_RV unwrap(struct hand *h)
{
	CK_MECHANISM m = mechanism(CKM_AES_KEY_WRAP_KWP, NULL, 0);
	struct templ t = { 0 };

	templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_AES);
	return p11->C_UnwrapKey(h->s, &m, kek, blob, blob_n, t.a, t.n, &h->passing);
}

static CK_RV read_value(struct hand *h)
{
	CK_BYTE out[32];
	CK_ATTRIBUTE a = { CKA_VALUE, out, sizeof(out) };

	return p11->C_GetAttributeValue(h->s, aes, &a, 1);
}

static CK_RV copy(struct hand *h)
{
	struct templ t = { 0 };

	templ_bool(&t, CKA_TOKEN, false);
	return p11->C_CopyObject(h->s, aes, t.a, t.n, &h->passing);
}

static CK_RV digest(struct hand *h)
{
	CK_MECHANISM m = mechanism(CKM_SHA256, NULL, 0);
	CK_BYTE out[32];
	CK_ULONG n = sizeof(out);

	must(h, p11->C_DigestInit(h->s, &m), "C_DigestInit");
	must(h, p11->C_DigestKey(h->s, mac), "C_DigestKey");
	return p11->C_DigestFinal(h->s, out, &n);
}

static CK_RV generate(struct hand *h)
{
	CK_MECHANISM m = mechanism(CKM_AES_KEY_GEN, NULL, 0);
	struct templ t = { 0 };

	templ_ulong(&t, CKA_VALUE_LEN, 32);
	templ_bool(&t, CKA_TOKEN, true);
	templ_bool(&t, CKA_PRIVATE, h->thread % 2 != 0);
	templ_text(&t, CKA_LABEL, h->tag);
	return p11->C_GenerateKey(h->s, &m, t.a, t.n, &h->secret);
}

/* The id is the tag. */
static CK_RV set(struct hand *h)
{
	struct templ t = { 0 };

	templ_text(&t, CKA_ID, h->tag);
	return p11->C_SetAttributeValue(h->s, h->secret, t.a, t.n);
}

static CK_RV destroy(struct hand *h)
{
	return p11->C_DestroyObject(h->s, h->secret);
}

static CK_RV pair(struct hand *h)
{
	CK_MECHANISM m = mechanism(CKM_EC_KEY_PAIR_GEN, NULL, 0);
	struct templ pub = { 0 }, priv = { 0 };

	templ_bytes(&pub, CKA_EC_PARAMS, p11_oid_p256, sizeof(p11_oid_p256));
	templ_bool(&pub, CKA_TOKEN, true);
	templ_text(&pub, CKA_LABEL, h->tag);
	templ_bool(&priv, CKA_TOKEN, true);
	templ_text(&priv, CKA_LABEL, h->tag);
	return p11->C_GenerateKeyPair(h->s, &m, pub.a, pub.n, priv.a, priv.n, &h->pub, &h->priv);
}

static CK_RV destroy_private(struct hand *h)
{
	return p11->C_DestroyObject(h->s, h->priv);
}

static CK_RV destroy_public(struct hand *h)
{
	return p11->C_DestroyObject(h->s, h->pub);
}

static const struct step {
	const char *name;
	CK_RV (*act)(struct hand *h);
	struct toil_row leaves;
} steps[] = {
	[LOGIN] = { "C_Login", login, { "login", 1, false, NO_EFFECT } },
	[SIGN] = { "C_Sign", sign, { "sign", 1, false, NO_EFFECT } },
	[SIGN_PRIVATE] = { "C_Sign, private", sign_private, { "sign", 1, false, NO_EFFECT } },
	[VERIFY] = { "C_Verify", verify, { "mac.verify", 1, false, NO_EFFECT } },
	[ENCRYPT] = { "C_Encrypt", encrypt, { "encrypt", 1, false, NO_EFFECT } },
	[FRESH] = { "C_Encrypt, fresh", fresh, { "encrypt", 1, true, NO_EFFECT } },
	[STREAM] = { "C_DecryptUpdate", stream, { "stream.begin", 1, false, NO_EFFECT } },
	[DERIVE] = { "C_DeriveKey", derive, { "key.derive", 2, false, NO_EFFECT } },
	[WRAP] = { "C_WrapKey", wrap, { "key.wrap", 2, false, NO_EFFECT } },
	[UNWRAP] = { "C_UnwrapKey", unwrap, { "key.unwrap", 2, false, NO_EFFECT } },
	[READ] = { "C_GetAttributeValue", read_value, { "key.read", 1, false, NO_EFFECT } },
	[COPY] = { "C_CopyObject", copy, { "object.copy", 1, false, NO_EFFECT } },
	[DIGEST] = { "C_DigestKey", digest, { "key.digest", 1, false, NO_EFFECT } },
	[GENERATE] = { "C_GenerateKey", generate, { "key.generate", 1, false, MAKES_SECRET } },
	[SET] = { "C_SetAttributeValue", set, { "object.set", 1, false, SETS_ID } },
	[DESTROY] = { "C_DestroyObject", destroy, { "object.destroy", 1, false, DROPS_SECRET } },
	[PAIR] = { "C_GenerateKeyPair", pair, { "key.generate", 2, false, MAKES_PAIR } },
	[DESTROY_PRIVATE] = { "C_DestroyObject, private",
			      destroy_private,
			      { "object.destroy", 1, false, DROPS_PRIVATE } },
	[DESTROY_PUBLIC] = { "C_DestroyObject, public",
			     destroy_public,
			     { "object.destroy", 1, false, DROPS_PUBLIC } },
};

const struct toil_row *toil_row(unsigned kind)
{
	return &steps[kind].leaves;
}

/* ---- their order ---- */

static const enum kind order[] = {
	GENERATE,        SIGN,   SET,    STREAM, PAIR,    DERIVE, SIGN_PRIVATE, SET,     WRAP,
	DESTROY_PRIVATE, UNWRAP, VERIFY, FRESH,  DESTROY, COPY,   READ,         ENCRYPT, DIGEST,
	DESTROY_PUBLIC,
};

/* What a thread must hold, and what it holds then. */
static const struct {
	unsigned needs, lacks, gets, gives;
} holding[] = {
	[GENERATE] = { 0, SECRET, SECRET, 0 },
	[SET] = { SECRET, 0, 0, 0 },
	[DESTROY] = { SECRET, 0, 0, SECRET },
	[PAIR] = { 0, PRIVATE | PUBLIC, PRIVATE | PUBLIC, 0 },
	[DESTROY_PRIVATE] = { PRIVATE, 0, 0, PRIVATE },
	[DESTROY_PUBLIC] = { PUBLIC, 0, 0, PUBLIC },
};

/* Each thread begins elsewhere, so that all kinds are met by kills soon after the beginning. */
struct course course_begin(unsigned process, unsigned thread)
{
	unsigned first = thread == 0 ? 0 : (process * 7 + thread * 5) % LENGTH(order);

	return (struct course){ .n = first - 1 };
}

unsigned course_next(struct course *c, unsigned thread)
{
	enum kind k;

	c->n++;
	if (thread == 0)
		return LOGIN;
	k = order[c->n % LENGTH(order)];
	if ((c->holds & holding[k].needs) != holding[k].needs || (c->holds & holding[k].lacks) != 0)
		return SIGN;
	c->holds = (c->holds | holding[k].gets) & ~holding[k].gives;
	return k;
}

static void take_step(struct hand *h)
{
	const struct step *x = &steps[course_next(&h->course, h->thread)];

	tag(h);
	must(h, x->act(h), x->name);
	delivered(h);
	if (x->act == stream)
		must(h, p11->C_DecryptInit(h->s, NULL, 0), "cancel");
	untag(h);
	if (h->passing != 0)
		must(h, p11->C_DestroyObject(h->s, h->passing), "C_DestroyObject");
	h->passing = 0;
}

/* ---- a life ---- */

bool toil_slot(CK_SLOT_ID *slot)
{
	CK_SLOT_ID ids[8];
	CK_TOKEN_INFO info;
	CK_ULONG n = LENGTH(ids);

	assert_ok(p11->C_GetSlotList(CK_TRUE, ids, &n));
	for (CK_ULONG i = 0; i < n; i++) {
		assert_ok(p11->C_GetTokenInfo(ids[i], &info));
		*slot = ids[i];
		if ((info.flags & CKF_TOKEN_INITIALIZED) != 0)
			return true;
	}
	return false;
}

static CK_SESSION_HANDLE open_session(const struct hand *h)
{
	CK_SESSION_HANDLE s = 0;
	CK_SLOT_ID slot = 0;

	must(h, toil_slot(&slot) ? CKR_OK : CKR_SLOT_ID_INVALID, "slot");
	must(h, p11->C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &s),
	     "C_OpenSession");
	return s;
}

static CK_OBJECT_HANDLE find(const struct hand *h, const char *label, CK_OBJECT_CLASS class)
{
	struct templ t = { 0 };
	CK_OBJECT_HANDLE found = 0;
	CK_ULONG n = 0;

	templ_text(&t, CKA_LABEL, label);
	templ_ulong(&t, CKA_CLASS, class);
	must(h, p11->C_FindObjectsInit(h->s, t.a, t.n), "C_FindObjectsInit");
	must(h, p11->C_FindObjects(h->s, &found, 1, &n), "C_FindObjects");
	must(h, p11->C_FindObjectsFinal(h->s), "C_FindObjectsFinal");
	must(h, n == 1 ? CKR_OK : CKR_OBJECT_HANDLE_INVALID, label);
	return found;
}

static void find_keys(struct hand *h)
{
	aes = find(h, "aes", CKO_SECRET_KEY);
	mac = find(h, "mac", CKO_SECRET_KEY);
	kek = find(h, "kek", CKO_SECRET_KEY);
	base = find(h, "base", CKO_SECRET_KEY);
	ec = find(h, "ec", CKO_PRIVATE_KEY);
	untag(h);
	blob_n = sizeof(blob);
	must(h, wrap_into(h->s, blob, &blob_n), "C_WrapKey");
}

static void *run_hand(void *arg)
{
	struct hand *h = arg;

	h->s = open_session(h);
	for (unsigned i = 0; i < h->w->steps; i++)
		take_step(h);
	must(h, p11->C_CloseSession(h->s), "C_CloseSession");
	return NULL;
}

static struct hand hand_of(const struct toil *w, unsigned process, unsigned thread)
{
	return (struct hand){ .w = w,
			      .process = process,
			      .thread = thread,
			      .course = course_begin(process, thread) };
}

/* While the threads are at work. */
static void fork_children(struct toil *w)
{
	for (; w->forks != 0; w->forks--) {
		usleep(2000);
		if (fork() != 0)
			continue;
		w->forks = 0;
		for (;;)
			toil_life(w);
	}
}

static void begin(struct hand *h)
{
	CK_C_INITIALIZE_ARGS args = { .flags = CKF_OS_LOCKING_OK };

	must(h, p11->C_Initialize(&args), "C_Initialize");
	h->w->shared->progress++;
	h->s = open_session(h);
	take_step(h);
	find_keys(h);
}

void toil_life(struct toil *w)
{
	unsigned process = w->shared->lives++;
	struct hand all[TOIL_THREADS];
	pthread_t id[TOIL_THREADS];

	if (process >= TOIL_LIVES)
		_exit(8);
	for (unsigned i = 0; i <= w->threads; i++)
		all[i] = hand_of(w, process, i);
	begin(&all[0]);
	for (unsigned i = 1; i <= w->threads; i++)
		must(&all[0],
		     pthread_create(&id[i], NULL, run_hand, &all[i]) == 0 ? CKR_OK
									  : CKR_HOST_MEMORY,
		     "pthread_create");
	fork_children(w);
	for (unsigned i = 1; i <= w->threads; i++)
		(void)pthread_join(id[i], NULL);
	if (!w->unfinished)
		must(&all[0], p11->C_Finalize(NULL), "C_Finalize");
}

/* ---- the token ---- */

static void make_key(CK_MECHANISM_TYPE type, const char *label, CK_ATTRIBUTE_TYPE use,
		     CK_ATTRIBUTE_TYPE use2)
{
	CK_MECHANISM m = mechanism(type, NULL, 0);
	struct templ t = { 0 };
	CK_OBJECT_HANDLE made;

	templ_ulong(&t, CKA_VALUE_LEN, 32);
	templ_flags(&t, CKA_TOKEN, CKA_EXTRACTABLE, use, use2);
	templ_bool(&t, CKA_SENSITIVE, false);
	templ_text(&t, CKA_LABEL, label);
	assert_ok(p11->C_GenerateKey(p11_session(), &m, t.a, t.n, &made));
}

void toil_make(void)
{
	struct templ pub = { 0 }, priv = { 0 };

	p11_make_token();
	make_key(CKM_AES_KEY_GEN, "aes", CKA_ENCRYPT, CKA_DECRYPT);
	make_key(CKM_GENERIC_SECRET_KEY_GEN, "mac", CKA_SIGN, CKA_VERIFY);
	make_key(CKM_AES_KEY_GEN, "kek", CKA_WRAP, CKA_UNWRAP);
	make_key(CKM_HKDF_KEY_GEN, "base", CKA_DERIVE, CKA_DERIVE);
	templ_flags(&priv, CKA_TOKEN, CKA_SIGN);
	templ_text(&priv, CKA_LABEL, "ec");
	templ_flags(&pub, CKA_VERIFY);
	(void)p11_p256(p11_session(), &pub, &priv);
}
