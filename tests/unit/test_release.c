/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No result leaves without its record: when the roll fails, callers get an error and nothing else
 * (case R05); and what is recorded follows from where a key comes from, not from where it lies.
 * The roll is replaced here.
 */
#include "office.h"

#include "audit/roll.h"
#include "core/enrol.h"
#include "core/keyops.h"
#include "core/op.h"
#include "core/slot.h"
#include "core/token_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* ---- a roll that can fail ---- */

static enum err roll_answer;
static unsigned recorded[ROLL_EVENT_COUNT];
static uint64_t last_bytes;
static struct roll_event last;

/* Whether the target is a directory, for as long as nothing is on the roll, and from then on. */
static bool kept_before = true, kept_after = true, begun;

/* The caller's buffer, and whether something of the result was in it when its record was made. */
static uint8_t result[20100];
static size_t watched; /* so many bytes of it, filled with ee; 0: none */
static bool seen_early;

static void look(void)
{
	for (size_t i = 0; i < watched; i++)
		seen_early = seen_early || (result[i] != 0xee && result[i] != 0); /* 0: wiped */
}

static enum err enter(const struct roll_event *ev)
{
	look();
	begun = true;
	if (roll_answer == OK) {
		recorded[ev->kind]++;
		last_bytes = ev->bytes;
		last = *ev;
	}
	return roll_answer;
}

enum err __wrap_roll_commit(struct roll *r, const struct roll_event *ev, struct roll_ref *ref);
enum err __wrap_roll_commit(struct roll *r, const struct roll_event *ev, struct roll_ref *ref)
{
	(void)r;
	(void)ref;
	return enter(ev);
}

enum err __wrap_roll_note(struct roll *r, const struct roll_event *ev, struct roll_ref *ref);
enum err __wrap_roll_note(struct roll *r, const struct roll_event *ev, struct roll_ref *ref)
{
	(void)ref;
	(void)r;
	return enter(ev);
}

bool __wrap_roll_keeps(const struct roll *r);
bool __wrap_roll_keeps(const struct roll *r)
{
	(void)r;
	return begun ? kept_after : kept_before;
}

static unsigned take(enum roll_event_kind k)
{
	unsigned n = recorded[k];

	memset(recorded, 0, sizeof(recorded));
	return n;
}

static unsigned total(void)
{
	unsigned sum = 0;

	for (size_t i = 0; i < ROLL_EVENT_COUNT; i++)
		sum += recorded[i];
	memset(recorded, 0, sizeof(recorded));
	return sum;
}

/* ---- a token with a logged-in user ---- */

static struct session *s;

static int setup(void **state)
{
	roll_answer = OK;
	kept_before = kept_after = true;
	office_open(state);
	assert_int_equal(session_get(office_user(office_token("release")), &s), OK);
	memset(recorded, 0, sizeof(recorded));
	return 0;
}

static int teardown(void **state)
{
	roll_answer = OK;
	session_put(s);
	return office_close(state);
}

/* ---- keys ---- */

static CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
static CK_ULONG len32 = 32;

#define MOST 12
struct list {
	CK_ATTRIBUTE a[MOST];
	CK_ULONG n;
};

static void add(struct list *l, CK_ATTRIBUTE_TYPE t, void *p, CK_ULONG n)
{
	assert_true(l->n < MOST);
	l->a[l->n++] = (CK_ATTRIBUTE){ t, p, n };
}

static struct templ templ_of(const struct list *l)
{
	return (struct templ){ l->a, l->n };
}

/* A key of 32 bytes for two uses. */
static CK_OBJECT_HANDLE secret(CK_MECHANISM_TYPE type, bool token, CK_ATTRIBUTE_TYPE use,
			       CK_ATTRIBUTE_TYPE use2)
{
	CK_MECHANISM m = { type, NULL, 0 };
	struct list l = { .n = 0 };
	CK_OBJECT_HANDLE h = 0;

	add(&l, CKA_VALUE_LEN, &len32, sizeof(len32));
	add(&l, CKA_TOKEN, token ? &yes : &no, 1);
	add(&l, CKA_EXTRACTABLE, &yes, 1);
	add(&l, CKA_SENSITIVE, &no, 1);
	add(&l, use, &yes, 1);
	add(&l, use2, &yes, 1);
	assert_int_equal(key_generate(s, &m, templ_of(&l), &h), OK);
	return h;
}

static CK_OBJECT_HANDLE hmac_key(bool token)
{
	return secret(CKM_GENERIC_SECRET_KEY_GEN, token, CKA_SIGN, CKA_VERIFY);
}

static CK_OBJECT_HANDLE aes_key(bool token)
{
	return secret(CKM_AES_KEY_GEN, token, CKA_ENCRYPT, CKA_DECRYPT);
}

static CK_ULONG objects(void)
{
	CK_OBJECT_HANDLE h[64];
	CK_ULONG n = 0;

	assert_int_equal(find_init(s, (struct templ){ NULL, 0 }), OK);
	assert_int_equal(find_next(s, h, 64, &n), OK);
	assert_int_equal(find_final(s), OK);
	return n;
}

/* ---- operations ---- */

static const struct span none;
static uint8_t in[20000], want[20100];

static enum err once(enum op_kind k, CK_MECHANISM_TYPE type, CK_OBJECT_HANDLE key, struct span data,
		     CK_ULONG *n)
{
	CK_MECHANISM m = { type, NULL, 0 };
	enum err e = op_init(s, k, &m, key, none);

	return e == OK ? op_once(s, k, data, out(result, n)) : e;
}

/* Where the result should have come there are zeros: what was there before could be taken for one, too. */
static void assert_withheld(CK_ULONG n)
{
	static const uint8_t zero[sizeof(result)];

	assert_memory_equal(result, zero, n);
}

/* An attribute that is not told leaves the caller's buffer alone: the length says so. */
static void assert_untouched(CK_ULONG n)
{
	for (CK_ULONG i = 0; i < n; i++)
		assert_int_equal(result[i], 0xee);
}

/* A use that works with the roll, and gives nothing away without. */
static void withheld(enum op_kind k, CK_MECHANISM_TYPE type, CK_OBJECT_HANDLE key, struct span data)
{
	CK_ULONG n = sizeof(result), m = sizeof(result);

	assert_int_equal(once(k, type, key, data, &n), OK);
	memcpy(want, result, n);
	memset(result, 0xee, sizeof(result));
	roll_answer = E_DEVICE;
	seen_early = false;
	watched = n;
	assert_int_equal(once(k, type, key, data, &m), E_DEVICE);
	watched = 0;
	roll_answer = OK;
	assert_false(seen_early);
	assert_withheld(n);
	assert_int_equal(op_once(s, k, data, out(result, &m)), E_NO_OPERATION);
}

static void single_part(void **state)
{
	CK_OBJECT_HANDLE mac = hmac_key(true), aes = aes_key(true);

	(void)state;
	withheld(OP_SIGN, CKM_SHA256_HMAC, mac, span(in, 100));
	withheld(OP_ENCRYPT, CKM_AES_ECB, aes, span(in, 64));
	withheld(OP_ENCRYPT, CKM_AES_ECB, aes, span(in, sizeof(in))); /* not copied */
	withheld(OP_DECRYPT, CKM_AES_ECB, aes, span(in, 64));
	withheld(OP_DECRYPT, CKM_AES_ECB, aes, span(in, sizeof(in)));
}

/* A long result comes into being in the caller's memory: what is recorded before is that it begins. */
static void long_result(void **state)
{
	CK_OBJECT_HANDLE aes = aes_key(true), of_session = aes_key(false);
	CK_ULONG n = sizeof(result);

	(void)state;
	total();
	memset(result, 0xee, sizeof(result));
	seen_early = false;
	assert_int_equal(once(OP_DECRYPT, CKM_AES_ECB, aes, span(in, sizeof(in)), &n), OK);
	assert_int_equal(recorded[EV_STREAM_BEGIN], 1);
	assert_int_equal(recorded[EV_STREAM_END], 1);
	assert_int_equal(total(), 2);
	assert_int_equal(last_bytes, sizeof(in));
	n = sizeof(result);
	assert_int_equal(once(OP_DECRYPT, CKM_AES_ECB, of_session, span(in, sizeof(in)), &n), OK);
	assert_int_equal(total(), 0);
}

/* Input that the output overlaps is the caller's: it is neither given out as a result nor lost. */
static void in_place(void **state)
{
	static const CK_ULONG lengths[] = {
		64, 16384
	}; /* the second is too long to be staged without need */
	CK_OBJECT_HANDLE aes = aes_key(true);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		CK_ULONG n = sizeof(result);

		memset(result, 0x55, lengths[i]);
		roll_answer = E_DEVICE;
		assert_int_equal(once(OP_ENCRYPT, CKM_AES_ECB, aes, span(result, lengths[i]), &n),
				 E_DEVICE);
		roll_answer = OK;
		for (CK_ULONG j = 0; j < lengths[i]; j++)
			assert_int_equal(result[j], 0x55);
	}
}

static void mac_verification(void **state)
{
	CK_OBJECT_HANDLE mac = hmac_key(true);
	CK_MECHANISM m = { CKM_SHA256_HMAC, NULL, 0 };
	CK_ULONG n = sizeof(result);

	(void)state;
	assert_int_equal(once(OP_SIGN, CKM_SHA256_HMAC, mac, span(in, 10), &n), OK);
	take(EV_SIGN);
	assert_int_equal(op_init(s, OP_VERIFY, &m, mac, none), OK);
	assert_int_equal(op_verify(s, OP_VERIFY, span(in, 10), span(result, n)), OK);
	assert_int_equal(take(EV_MAC_VERIFY), 1);
	roll_answer = E_DEVICE;
	assert_int_equal(op_init(s, OP_VERIFY, &m, mac, none), OK);
	assert_int_equal(op_verify(s, OP_VERIFY, span(in, 10), span(result, n)), E_DEVICE);
}

static void stream(void **state)
{
	CK_OBJECT_HANDLE aes = aes_key(true);
	CK_MECHANISM m = { CKM_AES_ECB, NULL, 0 };
	CK_ULONG n = sizeof(result);

	(void)state;
	total();
	assert_int_equal(op_init(s, OP_ENCRYPT, &m, aes, none), OK);
	assert_int_equal(op_update(s, OP_ENCRYPT, span(in, 10), out(result, &n)), OK);
	assert_int_equal(total(), 0); /* nothing came out yet */
	n = sizeof(result);
	assert_int_equal(op_update(s, OP_ENCRYPT, span(in, 22), out(result, &n)), OK);
	assert_int_equal(n, 32);
	assert_int_equal(take(EV_STREAM_BEGIN), 1);
	n = sizeof(result);
	assert_int_equal(op_update(s, OP_ENCRYPT, span(in, 16), out(result, &n)), OK);
	assert_int_equal(total(), 0);
	n = sizeof(result);
	assert_int_equal(op_final(s, OP_ENCRYPT, out(result, &n)), OK);
	assert_int_equal(take(EV_STREAM_END), 1);
	assert_int_equal(last_bytes, 48);
	/* a stream that is cancelled has given out what it has */
	n = sizeof(result);
	assert_int_equal(op_init(s, OP_ENCRYPT, &m, aes, none), OK);
	assert_int_equal(op_update(s, OP_ENCRYPT, span(in, 16), out(result, &n)), OK);
	assert_int_equal(take(EV_STREAM_BEGIN), 1);
	assert_int_equal(op_cancel(s, CKF_ENCRYPT), OK);
	assert_int_equal(take(EV_STREAM_END), 1);
	/* and without the record of its beginning nothing comes */
	assert_int_equal(op_init(s, OP_ENCRYPT, &m, aes, none), OK);
	memset(result, 0xee, sizeof(result));
	roll_answer = E_DEVICE;
	n = sizeof(result);
	assert_int_equal(op_update(s, OP_ENCRYPT, span(in, 16), out(result, &n)), E_DEVICE);
	assert_withheld(16);
	assert_int_equal(op_final(s, OP_ENCRYPT, out(result, &n)), E_NO_OPERATION);
}

/* ---- objects ---- */

static void generate(void **state)
{
	CK_MECHANISM m = { CKM_AES_KEY_GEN, NULL, 0 };
	struct list l = { .n = 0 };
	CK_OBJECT_HANDLE h = 4711;
	CK_ULONG before = objects();

	(void)state;
	add(&l, CKA_VALUE_LEN, &len32, sizeof(len32));
	add(&l, CKA_TOKEN, &yes, 1);
	roll_answer = E_DEVICE;
	assert_int_equal(key_generate(s, &m, templ_of(&l), &h), E_DEVICE);
	assert_int_equal(h, 4711);
	assert_int_equal(objects(), before);
	roll_answer = OK;
	assert_int_equal(key_generate(s, &m, templ_of(&l), &h), OK);
	assert_int_equal(take(EV_GENERATE), 1);
}

static void read_secret(void **state)
{
	CK_OBJECT_HANDLE key = aes_key(true);
	CK_ULONG type = 0;
	CK_ATTRIBUTE a[] = { { CKA_KEY_TYPE, &type, sizeof(type) }, { CKA_VALUE, result, 32 } };

	(void)state;
	total();
	assert_int_equal(obj_get(s, key, a, 1), OK);
	assert_int_equal(total(), 0);
	assert_int_equal(obj_get(s, key, a, 2), OK);
	assert_int_equal(take(EV_READ_SECRET), 1);
	memset(result, 0xee, 32);
	roll_answer = E_DEVICE;
	seen_early = false;
	watched = 32;
	assert_int_equal(obj_get(s, key, a, 2), E_DEVICE);
	watched = 0;
	assert_false(seen_early);
	assert_untouched(32);
	assert_true(a[1].ulValueLen == CK_UNAVAILABLE_INFORMATION);
}

static void wrap(void **state)
{
	CK_OBJECT_HANDLE key = aes_key(true),
			 kek = secret(CKM_AES_KEY_GEN, true, CKA_WRAP, CKA_UNWRAP);
	CK_MECHANISM m = { CKM_AES_KEY_WRAP, NULL, 0 };
	CK_ULONG n = 0;

	(void)state;
	total();
	assert_int_equal(key_wrap(s, &m, kek, key, out(NULL, &n)), OK);
	assert_int_equal(total(), 0); /* a length is no result */
	memset(result, 0xee, sizeof(result));
	roll_answer = E_DEVICE;
	assert_int_equal(key_wrap(s, &m, kek, key, out(result, &n)), E_DEVICE);
	assert_withheld(n);
	roll_answer = OK;
	assert_int_equal(key_wrap(s, &m, kek, key, out(result, &n)), OK);
	assert_int_equal(take(EV_WRAP), 2); /* of both keys */
}

/* An HKDF key, and another made of it; salt 0: without one. */
static CK_OBJECT_HANDLE hkdf_key(bool token)
{
	return secret(CKM_HKDF_KEY_GEN, token, CKA_DERIVE, CKA_DERIVE);
}

static enum err derive(CK_OBJECT_HANDLE base, CK_OBJECT_HANDLE salt)
{
	CK_HKDF_PARAMS p = {
		.bExtract = CK_TRUE,
		.bExpand = CK_TRUE,
		.prfHashMechanism = CKM_SHA256,
		.ulSaltType = salt != 0 ? CKF_HKDF_SALT_KEY : CKF_HKDF_SALT_NULL,
		.hSaltKey = salt,
	};
	CK_MECHANISM m = { CKM_HKDF_DERIVE, &p, sizeof(p) };
	struct list l = { .n = 0 };
	CK_OBJECT_HANDLE h = 0;

	add(&l, CKA_VALUE_LEN, &len32, sizeof(len32));
	add(&l, CKA_SIGN, &yes, 1);
	return key_derive(s, &m, base, templ_of(&l), &h);
}

/* Two records: of the use of a token key, and of what came of it. */
static void derived(void **state)
{
	CK_OBJECT_HANDLE token_key = hkdf_key(true), one = hkdf_key(false), other = hkdf_key(false);
	CK_ULONG before = objects();

	(void)state;
	total();
	assert_int_equal(derive(one, other), OK);
	assert_int_equal(total(), 0);
	assert_int_equal(derive(token_key, 0), OK);
	assert_int_equal(take(EV_DERIVE), 2);
	assert_int_equal(derive(one, token_key), OK);
	assert_int_equal(take(EV_DERIVE), 2);
	assert_int_equal(objects(), before + 3);
	roll_answer = E_DEVICE;
	assert_int_equal(derive(token_key, 0), E_DEVICE);
	assert_int_equal(derive(one, token_key), E_DEVICE);
	roll_answer = OK;
	assert_int_equal(objects(), before + 3);
}

static enum err derive_wrongly(CK_OBJECT_HANDLE base)
{
	CK_HKDF_PARAMS p = { .bExtract = CK_TRUE,
			     .bExpand = CK_TRUE,
			     .prfHashMechanism = CKM_SHA256,
			     .ulSaltType = CKF_HKDF_SALT_NULL };
	CK_MECHANISM m = { CKM_HKDF_DERIVE, &p, sizeof(p) };
	struct list l = { .n = 0 };
	CK_OBJECT_HANDLE h = 0;

	add(&l, CKA_VALUE_LEN, &len32, sizeof(len32));
	add(&l, CKA_CHECK_VALUE, in, 3);
	return key_derive(s, &m, base, templ_of(&l), &h);
}

/* What fails after the key has worked is an answer, too: without its record it is not given. */
static void failed_derivation(void **state)
{
	CK_OBJECT_HANDLE token_key = hkdf_key(true), one = hkdf_key(false);
	enum err e;

	(void)state;
	total();
	e = derive_wrongly(token_key);
	assert_int_not_equal(e, OK);
	assert_int_equal(last.result, e);
	assert_int_equal(take(EV_DERIVE), 1);
	assert_int_equal(derive_wrongly(one), e);
	assert_int_equal(total(), 0);
	roll_answer = E_DEVICE;
	assert_int_equal(derive_wrongly(token_key), E_DEVICE);
}

static enum err unwrap_bytes(CK_OBJECT_HANDLE kek, CK_ULONG n)
{
	CK_MECHANISM m = { CKM_AES_KEY_WRAP, NULL, 0 };
	CK_ULONG cls = CKO_SECRET_KEY, type = CKK_GENERIC_SECRET;
	struct list l = { .n = 0 };
	CK_OBJECT_HANDLE h = 0;

	add(&l, CKA_CLASS, &cls, sizeof(cls));
	add(&l, CKA_KEY_TYPE, &type, sizeof(type));
	return key_unwrap(s, &m, kek, span(in, n), templ_of(&l), &h);
}

static void failed_unwrapping(void **state)
{
	CK_OBJECT_HANDLE kek = secret(CKM_AES_KEY_GEN, true, CKA_WRAP, CKA_UNWRAP),
			 of_session = secret(CKM_AES_KEY_GEN, false, CKA_WRAP, CKA_UNWRAP);

	(void)state;
	total();
	assert_int_equal(unwrap_bytes(kek, 40), E_WRAPPED_INVALID);
	assert_int_equal(last.result, E_WRAPPED_INVALID);
	assert_int_equal(take(EV_UNWRAP), 1);
	assert_int_equal(unwrap_bytes(of_session, 40), E_WRAPPED_INVALID);
	assert_int_equal(total(), 0);
	roll_answer = E_DEVICE;
	assert_int_equal(unwrap_bytes(kek, 40), E_DEVICE);
}

static void login(void **state)
{
	struct token *t = s->token;

	(void)state;
	assert_int_equal(token_logout(t, s), OK);
	assert_int_equal(take(EV_LOGOUT), 1);
	roll_answer = E_DEVICE;
	assert_int_equal(token_login(t, s, CKU_USER, span_str(USER_PIN)), E_DEVICE);
	/* nor is it told that a PIN is wrong */
	assert_int_equal(token_login(t, s, CKU_USER, span_str("not the PIN")), E_DEVICE);
	assert_int_equal(token_set_pin(t, s, span_str("not the PIN"), span_str(USER_PIN)),
			 E_DEVICE);
	assert_int_equal(token_check(t, CKU_USER, span_str("not the PIN"), NULL, NULL), E_DEVICE);
	assert_int_equal(token_state(t, true), CKS_RW_PUBLIC_SESSION);
	roll_answer = OK;
	assert_int_equal(token_login(t, s, CKU_USER, span_str(USER_PIN)), OK);
	assert_int_equal(take(EV_LOGIN), 1);
}

/* ---- provenance ---- */

static unsigned uses_recorded(CK_OBJECT_HANDLE mac)
{
	CK_ULONG n = sizeof(result);

	total();
	assert_int_equal(once(OP_SIGN, CKM_SHA256_HMAC, mac, span(in, 10), &n), OK);
	return take(EV_SIGN);
}

static CK_OBJECT_HANDLE session_copy(CK_OBJECT_HANDLE h)
{
	struct list l = { .n = 0 };
	CK_OBJECT_HANDLE copy = 0;

	add(&l, CKA_TOKEN, &no, 1);
	assert_int_equal(obj_copy(s, h, templ_of(&l), &copy), OK);
	return copy;
}

/* Wrapped and unwrapped again as a session key. */
static CK_OBJECT_HANDLE through_wrapping(CK_OBJECT_HANDLE key, bool token_kek)
{
	CK_OBJECT_HANDLE kek = secret(CKM_AES_KEY_GEN, token_kek, CKA_WRAP, CKA_UNWRAP), h = 0;
	CK_MECHANISM m = { CKM_AES_KEY_WRAP, NULL, 0 };
	CK_ULONG n = sizeof(result), cls = CKO_SECRET_KEY, type = CKK_GENERIC_SECRET;
	struct list l = { .n = 0 };

	assert_int_equal(key_wrap(s, &m, kek, key, out(result, &n)), OK);
	add(&l, CKA_CLASS, &cls, sizeof(cls));
	add(&l, CKA_KEY_TYPE, &type, sizeof(type));
	add(&l, CKA_SIGN, &yes, 1);
	add(&l, CKA_SENSITIVE, &yes, 1);
	add(&l, CKA_EXTRACTABLE, &no, 1);
	assert_int_equal(key_unwrap(s, &m, kek, span(result, n), templ_of(&l), &h), OK);
	return h;
}

static void provenance(void **state)
{
	CK_OBJECT_HANDLE token_key = hmac_key(true), session_key = hmac_key(false);

	(void)state;
	assert_int_equal(uses_recorded(token_key), 1);
	assert_int_equal(uses_recorded(session_key), 0);
	assert_int_equal(uses_recorded(session_copy(token_key)), 1);
	assert_int_equal(uses_recorded(session_copy(session_key)), 0);
	assert_int_equal(uses_recorded(through_wrapping(token_key, true)), 1);
	assert_int_equal(uses_recorded(through_wrapping(session_key, false)), 1);
	assert_int_equal(uses_recorded(through_wrapping(token_key, false)), 1);
}

/* Two records: of the use of the unwrapping key, and of what came of it. */
static void unwrapped(void **state)
{
	CK_OBJECT_HANDLE session_key = hmac_key(false);

	(void)state;
	total();
	through_wrapping(session_key, false);
	assert_int_equal(take(EV_UNWRAP), 1); /* nobody knows what was in there */
	through_wrapping(session_key, true);
	assert_int_equal(take(EV_UNWRAP), 2);
}

/* A key that is read from the store again is still one of the token. */
static void provenance_is_stored(void **state)
{
	CK_OBJECT_HANDLE h = 0;
	CK_ULONG n = 0;

	(void)state;
	hmac_key(true);
	assert_int_equal(token_logout(s->token, s), OK);
	assert_int_equal(token_login(s->token, s, CKU_USER, span_str(USER_PIN)), OK);
	assert_int_equal(find_init(s, (struct templ){ NULL, 0 }), OK);
	assert_int_equal(find_next(s, &h, 1, &n), OK);
	assert_int_equal(find_final(s), OK);
	assert_int_equal(n, 1);
	assert_int_equal(uses_recorded(session_copy(h)), 1);
}

/* ---- deleting a token ---- */

static enum err delete_answer;
static unsigned deletes, recorded_before;

enum err __wrap_store_delete(const char *dir, CK_SLOT_ID slot, struct why *why);
enum err __wrap_store_delete(const char *dir, CK_SLOT_ID slot, struct why *why)
{
	(void)dir, (void)slot, (void)why;
	deletes++;
	recorded_before = recorded[EV_TOKEN_DELETE];
	return delete_answer;
}

static enum err delete_token(CK_SLOT_ID id, const char *pin)
{
	enum err e;

	deletes = 0;
	total();
	assert_int_equal(lib_enter(), OK);
	e = slot_delete_token(id, span_str(pin), NULL);
	lib_leave();
	return e;
}

/* Before it happens, for then there is nothing left that could say so; once more if it failed; and not at all without a record. */
static void deleting(void **state)
{
	CK_SESSION_HANDLE h = s->handle;
	CK_SLOT_ID id;

	(void)state;
	session_put(s);
	id = office_token("doomed");
	assert_int_equal(delete_token(id, "not-the-pin"), E_PIN_WRONG);
	assert_int_equal(deletes, 0);
	assert_int_equal(last.result, E_PIN_WRONG);
	assert_int_equal(take(EV_TOKEN_DELETE), 1);
	roll_answer = E_DEVICE;
	assert_int_equal(delete_token(id, SO_PIN), E_DEVICE);
	assert_int_equal(delete_token(id, "not-the-pin"),
			 E_DEVICE); /* nor is it told what the PIN is */
	assert_int_equal(deletes, 0);
	roll_answer = OK;
	delete_answer = E_DEVICE_MEMORY;
	assert_int_equal(delete_token(id, SO_PIN), E_DEVICE_MEMORY);
	assert_int_equal(deletes, 1);
	assert_int_equal(recorded_before, 1);
	assert_int_equal(last.result, E_DEVICE_MEMORY);
	assert_int_equal(take(EV_TOKEN_DELETE), 2);
	delete_answer = OK;
	assert_int_equal(session_get(h, &s), OK);
}

/* ---- a token that requires the roll ---- */

static void require_roll(void)
{
	assert_int_equal(token_require_audit(s->token, span_str(SO_PIN), true), OK);
	begun = false;
}

static void kept_nowhere(void **state)
{
	CK_OBJECT_HANDLE mac = hmac_key(true);
	CK_ULONG n = sizeof(result);

	(void)state;
	kept_before = kept_after = false;
	assert_int_equal(once(OP_SIGN, CKM_SHA256_HMAC, mac, span(in, 100), &n), OK);
	require_roll();
	total();
	memset(result, 0xee, sizeof(result));
	assert_int_equal(once(OP_SIGN, CKM_SHA256_HMAC, mac, span(in, 100), &n), E_AUDIT_STREAM);
	assert_untouched(32);
	assert_int_equal(total(), 0);
	kept_before = kept_after = true;
	n = sizeof(result);
	assert_int_equal(once(OP_SIGN, CKM_SHA256_HMAC, mac, span(in, 100), &n), OK);
}

/* What was a directory when it was looked at is a stream when it is opened. */
static void kept_no_more(void **state)
{
	CK_OBJECT_HANDLE mac = hmac_key(true);
	CK_ULONG n = sizeof(result);

	(void)state;
	require_roll();
	kept_after = false;
	memset(result, 0xee, sizeof(result));
	assert_int_equal(once(OP_SIGN, CKM_SHA256_HMAC, mac, span(in, 100), &n), E_AUDIT_STREAM);
	assert_withheld(32);
}

/* Nobody takes an earlier record for that of a call that has none. */
static void reference(void **state)
{
	CK_OBJECT_HANDLE mac = hmac_key(true);
	CK_ULONG n = sizeof(result);
	struct roll_ref ref;

	(void)state;
	assert_int_equal(once(OP_SIGN, CKM_SHA256_HMAC, mac, span(in, 100), &n), OK);
	assert_int_equal(enrol_reference(s, &ref), OK);
	roll_answer = E_DEVICE;
	n = sizeof(result);
	assert_int_equal(once(OP_SIGN, CKM_SHA256_HMAC, mac, span(in, 100), &n), E_DEVICE);
	assert_int_equal(enrol_reference(s, &ref), E_NO_OPERATION);
	roll_answer = OK;
	n = sizeof(result);
	assert_int_equal(once(OP_SIGN, CKM_SHA256_HMAC, mac, span(in, 100), &n), OK);
	assert_int_equal(enrol_reference(s, &ref), OK);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(single_part), TEST(in_place),          TEST(mac_verification),
		TEST(stream),      TEST(generate),          TEST(read_secret),
		TEST(wrap),        TEST(derived),           TEST(unwrapped),
		TEST(login),       TEST(provenance),        TEST(provenance_is_stored),
		TEST(long_result), TEST(failed_derivation), TEST(failed_unwrapping),
		TEST(deleting),    TEST(kept_nowhere),      TEST(kept_no_more),
		TEST(reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
