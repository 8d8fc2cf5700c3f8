/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens in the middle of a call: the seams between the layers are replaced by ones that first let something else
 * happen, where a race would have it. Each promise here has its mutation in tests/mutations.
 */
#include "office.h"

#include "base/mem.h"
#include "core/keyops.h"
#include "core/op.h"
#include "core/token_internal.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- the seams ---- */

enum seam {
	RUN_ONCE,
	RUN_BEGIN,
	DERIVE,
	UNWRAP_FORM,
	QUERY,
	GET_SOME,
	COMMIT,
	LOGOUT_UNUSED,
	SEAMS
};

/* What is to happen there the next time, once. */
static void (*happens[SEAMS])(void);
static unsigned freed; /* calls of run_free */
static bool begin_fails;

static void pass(enum seam at)
{
	void (*f)(void) = happens[at];

	happens[at] = NULL;
	if (f != NULL)
		f();
}

enum err __real_run_once(struct run *r, struct span in, struct sink *o);
enum err __wrap_run_once(struct run *r, struct span in, struct sink *o);
enum err __wrap_run_once(struct run *r, struct span in, struct sink *o)
{
	enum err e = __real_run_once(r, in, o);

	pass(RUN_ONCE);
	return e;
}

enum err __real_run_begin(struct run *r, const struct mech *m, enum mech_use use, struct key *key,
			  struct param *par);
enum err __wrap_run_begin(struct run *r, const struct mech *m, enum mech_use use, struct key *key,
			  struct param *par);
enum err __wrap_run_begin(struct run *r, const struct mech *m, enum mech_use use, struct key *key,
			  struct param *par)
{
	return begin_fails ? E_MECHANISM_PARAM : __real_run_begin(r, m, use, key, par);
}

void __real_run_free(struct run *r);
void __wrap_run_free(struct run *r);
void __wrap_run_free(struct run *r)
{
	freed++;
	__real_run_free(r);
}

enum err __real_mech_derive(const struct mech *m, const struct param *par, struct key *base,
			    struct key *extra, const struct attrset *templ, struct attrset *made);
enum err __wrap_mech_derive(const struct mech *m, const struct param *par, struct key *base,
			    struct key *extra, const struct attrset *templ, struct attrset *made);
enum err __wrap_mech_derive(const struct mech *m, const struct param *par, struct key *base,
			    struct key *extra, const struct attrset *templ, struct attrset *made)
{
	pass(DERIVE);
	return __real_mech_derive(m, par, base, extra, templ, made);
}

enum err __real_key_unwrap_form(struct span in, bool len_exact, struct attrset *a);
enum err __wrap_key_unwrap_form(struct span in, bool len_exact, struct attrset *a);
enum err __wrap_key_unwrap_form(struct span in, bool len_exact, struct attrset *a)
{
	pass(UNWRAP_FORM);
	return __real_key_unwrap_form(in, len_exact, a);
}

enum err __real_store_query(struct store *s, const struct seal *k, const struct store_query *q,
			    uint64_t **ids, size_t *n);
enum err __wrap_store_query(struct store *s, const struct seal *k, const struct store_query *q,
			    uint64_t **ids, size_t *n);
enum err __wrap_store_query(struct store *s, const struct seal *k, const struct store_query *q,
			    uint64_t **ids, size_t *n)
{
	enum err e = __real_store_query(s, k, q, ids, n);

	pass(QUERY);
	return e;
}

enum err __real_store_get_some(struct store *s, const struct seal *k, const uint64_t *ids, size_t n,
			       struct record *r, enum err *each);
enum err __wrap_store_get_some(struct store *s, const struct seal *k, const uint64_t *ids, size_t n,
			       struct record *r, enum err *each);
enum err __wrap_store_get_some(struct store *s, const struct seal *k, const uint64_t *ids, size_t n,
			       struct record *r, enum err *each)
{
	enum err e = __real_store_get_some(s, k, ids, n, r, each);

	pass(GET_SOME);
	return e;
}

enum err __real_store_commit(struct store *s, const struct seal *k, struct store_change *c,
			     size_t n, struct store_event *ev);
enum err __wrap_store_commit(struct store *s, const struct seal *k, struct store_change *c,
			     size_t n, struct store_event *ev);
enum err __wrap_store_commit(struct store *s, const struct seal *k, struct store_change *c,
			     size_t n, struct store_event *ev)
{
	enum err e = __real_store_commit(s, k, c, n, ev);

	pass(COMMIT);
	return e;
}

enum err __real_token_logout_unused(struct token *t);
enum err __wrap_token_logout_unused(struct token *t);
enum err __wrap_token_logout_unused(struct token *t)
{
	pass(LOGOUT_UNUSED);
	return __real_token_logout_unused(t);
}

/* ---- a token with a logged-in user ---- */

static CK_SLOT_ID slot;
static CK_SESSION_HANDLE user;
static struct session *s; /* held, where a test needs it */
static struct token *t;

static int setup(void **state)
{
	memset(happens, 0, sizeof(happens));
	begin_fails = false;
	s = NULL;
	office_open(state);
	slot = office_token("meanwhile");
	user = office_user(slot);
	t = office_at(slot);
	return 0;
}

static void hold(void)
{
	assert_int_equal(session_get(user, &s), OK);
}

static void let_go(void)
{
	session_put(s);
	s = NULL;
}

static int teardown(void **state)
{
	if (s != NULL)
		session_put(s);
	return office_close(state);
}

static void logs_out(void)
{
	assert_int_equal(token_logout(t, NULL), OK);
}

/* ---- a logout while a result is computed ---- */

static CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
static CK_ULONG len16 = 16;
static CK_KEY_TYPE generic = CKK_GENERIC_SECRET;
static CK_OBJECT_CLASS secret_class = CKO_SECRET_KEY;
static uint8_t in[32], result[512];

/* A session key; of one that is not private the login makes no difference. */
static CK_OBJECT_HANDLE key(bool priv, CK_ATTRIBUTE_TYPE use)
{
	CK_MECHANISM m = { CKM_AES_KEY_GEN, NULL, 0 };
	const CK_ATTRIBUTE a[] = {
		{ CKA_VALUE_LEN, &len16, sizeof(len16) },
		{ CKA_TOKEN, &no, 1 },
		{ CKA_PRIVATE, priv ? &yes : &no, 1 },
		{ CKA_EXTRACTABLE, &yes, 1 },
		{ CKA_SENSITIVE, &no, 1 },
		{ use, &yes, 1 },
	};
	CK_OBJECT_HANDLE h = 0;

	assert_int_equal(key_generate(s, &m, (struct templ){ a, 6 }, &h), OK);
	return h;
}

/* A key that C_DeriveKey takes with CKM_HKDF_DERIVE. */
static CK_OBJECT_HANDLE base_key(bool priv)
{
	CK_MECHANISM m = { CKM_HKDF_KEY_GEN, NULL, 0 };
	const CK_ATTRIBUTE a[] = {
		{ CKA_VALUE_LEN, &len16, sizeof(len16) },
		{ CKA_TOKEN, &no, 1 },
		{ CKA_PRIVATE, priv ? &yes : &no, 1 },
		{ CKA_DERIVE, &yes, 1 },
		{ CKA_EXTRACTABLE, &yes, 1 },
		{ CKA_SENSITIVE, &no, 1 },
	};
	CK_OBJECT_HANDLE h = 0;

	assert_int_equal(key_generate(s, &m, (struct templ){ a, 6 }, &h), OK);
	return h;
}

static const struct span none;

static enum err encrypt(CK_OBJECT_HANDLE h, CK_ULONG *n)
{
	CK_MECHANISM m = { CKM_AES_ECB, NULL, 0 };
	enum err e = op_init(s, OP_ENCRYPT, &m, h, none);

	return e == OK ? op_once(s, OP_ENCRYPT, span(in, sizeof(in)), out(result, n)) : e;
}

static void result_of_an_operation(void **state)
{
	CK_OBJECT_HANDLE ours, anybodys;
	CK_ULONG n = sizeof(result);

	(void)state;
	hold();
	ours = key(true, CKA_ENCRYPT);
	anybodys = key(false, CKA_ENCRYPT);
	assert_int_equal(encrypt(ours, &n),
			 OK); /* and the self-test, which also computes, is done */
	n = sizeof(result);
	memset(result, 0xee, sizeof(result));
	happens[RUN_ONCE] = logs_out;
	assert_int_not_equal(encrypt(ours, &n), OK);
	for (size_t i = 0; i < sizeof(in); i++)
		assert_true(result[i] == 0xee || result[i] == 0);
	assert_int_equal(token_login(t, s, CKU_USER, span_str(USER_PIN)), OK);
	n = sizeof(result);
	happens[RUN_ONCE] = logs_out;
	assert_int_equal(encrypt(anybodys, &n), OK);
}

static enum err wrap(CK_OBJECT_HANDLE wrapper, CK_OBJECT_HANDLE h)
{
	CK_MECHANISM m = { CKM_AES_KEY_WRAP, NULL, 0 };
	CK_ULONG n = sizeof(result);

	memset(result, 0xee, sizeof(result));
	return key_wrap(s, &m, wrapper, h, out(result, &n));
}

/* Zeros where the wrapped key would be. */
static bool withheld(void)
{
	static const uint8_t zero[16];

	return memcmp(result, zero, sizeof(zero)) == 0;
}

static void wrapped_key(bool private_wrapper, bool private_key, enum err expected)
{
	CK_OBJECT_HANDLE wrapper, h;

	hold();
	wrapper = key(private_wrapper, CKA_WRAP);
	h = key(private_key, CKA_SIGN);
	happens[RUN_ONCE] = logs_out;
	assert_int_equal(wrap(wrapper, h), expected);
	assert_int_equal(withheld(), expected != OK);
}

static void wrapped_by_a_private_key(void **state)
{
	(void)state;
	wrapped_key(true, false, E_NOT_LOGGED_IN);
}

static void wrapped_private_key(void **state)
{
	(void)state;
	wrapped_key(false, true, E_NOT_LOGGED_IN);
}

static void wrapped_public_objects(void **state)
{
	(void)state;
	wrapped_key(false, false, OK);
}

static void unwrapped_key(void **state)
{
	CK_MECHANISM m = { CKM_AES_KEY_WRAP, NULL, 0 };
	const CK_ATTRIBUTE a[] = {
		{ CKA_CLASS, &secret_class, sizeof(secret_class) },
		{ CKA_KEY_TYPE, &generic, sizeof(generic) },
		{ CKA_PRIVATE, &no, 1 },
		{ CKA_SENSITIVE, &yes, 1 },
		{ CKA_EXTRACTABLE, &no, 1 },
	};
	CK_OBJECT_HANDLE kek, h = 4711;

	(void)state;
	hold();
	kek = key(true, CKA_UNWRAP);
	/* 24 bytes that the key unwraps: its own wrapping of 16, by a copy that may wrap */
	{
		const CK_ATTRIBUTE also[] = { { CKA_WRAP, &yes, 1 } };
		CK_ULONG n = sizeof(result);

		assert_int_equal(obj_set(s, kek, (struct templ){ also, 1 }), OK);
		assert_int_equal(key_wrap(s, &m, kek, key(true, CKA_SIGN), out(result, &n)), OK);
	}
	happens[UNWRAP_FORM] = logs_out;
	assert_int_equal(key_unwrap(s, &m, kek, span(result, 24), (struct templ){ a, 5 }, &h),
			 E_NOT_LOGGED_IN);
	assert_int_equal(h, 4711);
}

static enum err derive(CK_OBJECT_HANDLE base, CK_OBJECT_HANDLE salt)
{
	CK_HKDF_PARAMS p = office_hkdf(salt);
	CK_MECHANISM m = { CKM_HKDF_DERIVE, &p, sizeof(p) };
	const CK_ATTRIBUTE a[] = {
		{ CKA_CLASS, &secret_class, sizeof(secret_class) },
		{ CKA_KEY_TYPE, &generic, sizeof(generic) },
		{ CKA_VALUE_LEN, &len16, sizeof(len16) },
		{ CKA_PRIVATE, &no, 1 },
	};
	CK_OBJECT_HANDLE h = 0;

	return key_derive(s, &m, base, (struct templ){ a, 4 }, &h);
}

static void derived_from_a_private_key(void **state)
{
	CK_OBJECT_HANDLE base;

	(void)state;
	hold();
	base = base_key(true);
	assert_int_equal(derive(base, 0), OK);
	happens[DERIVE] = logs_out;
	assert_int_equal(derive(base, 0), E_NOT_LOGGED_IN);
}

static void derived_with_a_private_salt(void **state)
{
	CK_OBJECT_HANDLE base, salt;

	(void)state;
	hold();
	base = base_key(false);
	salt = base_key(true);
	assert_int_equal(derive(base, salt), OK);
	happens[DERIVE] = logs_out;
	assert_int_equal(derive(base, salt), E_NOT_LOGGED_IN);
}

/* ---- a logout while what was made with a private object is stored ---- */

static CK_BYTE late[] = { 'l', 'a', 't', 'e' };

/* Of a public token object, which anybody could read. */
#define OPEN_TOKEN_OBJECT                                \
	{ CKA_TOKEN, &yes, 1 }, { CKA_PRIVATE, &no, 1 }, \
	{                                                \
		CKA_LABEL, late, sizeof(late)            \
	}

/* It is not there, now or after another login, and had no handle. */
static void nothing_stays(CK_OBJECT_HANDLE h)
{
	assert_int_equal(h, 4711);
	let_go();
	assert_int_equal(office_find_label(user, "late", NULL), 0);
	assert_int_equal(office_login(user, CKU_USER, USER_PIN), OK);
	assert_int_equal(office_find_label(user, "late", NULL), 0);
	hold();
}

static enum err derive_stored(bool private_base, bool private_salt, CK_OBJECT_HANDLE *h)
{
	CK_OBJECT_HANDLE base = base_key(private_base), salt = base_key(private_salt);
	CK_HKDF_PARAMS p = office_hkdf(salt);
	CK_MECHANISM m = { CKM_HKDF_DERIVE, &p, sizeof(p) };
	const CK_ATTRIBUTE a[] = {
		OPEN_TOKEN_OBJECT,
		{ CKA_VALUE_LEN, &len16, sizeof(len16) },
		{ CKA_EXTRACTABLE, &yes, 1 },
		{ CKA_SENSITIVE, &no, 1 },
	};

	happens[COMMIT] = logs_out;
	return key_derive(s, &m, base, (struct templ){ a, 6 }, h);
}

static void derived_while_it_is_stored(void **state)
{
	CK_OBJECT_HANDLE h = 4711;

	(void)state;
	hold();
	assert_int_equal(derive_stored(true, false, &h), E_NOT_LOGGED_IN);
	nothing_stays(h);
	assert_int_equal(derive_stored(false, true, &h), E_NOT_LOGGED_IN);
	nothing_stays(h);
	assert_int_equal(derive_stored(false, false, &h), OK);
	let_go();
	assert_int_equal(office_find_label(user, "late", NULL), 1);
}

/* A private key that wraps, and unwraps what anybody may read. */
static CK_OBJECT_HANDLE open_unwrapper(void)
{
	CK_MECHANISM m = { CKM_AES_KEY_GEN, NULL, 0 };
	CK_ATTRIBUTE open[] = { { CKA_SENSITIVE, &no, 1 }, { CKA_EXTRACTABLE, &yes, 1 } };
	const CK_ATTRIBUTE a[] = {
		{ CKA_VALUE_LEN, &len16, sizeof(len16) },
		{ CKA_WRAP, &yes, 1 },
		{ CKA_UNWRAP, &yes, 1 },
		{ CKA_UNWRAP_TEMPLATE, open, sizeof(open) },
	};
	CK_OBJECT_HANDLE h = 0;

	assert_int_equal(key_generate(s, &m, (struct templ){ a, 4 }, &h), OK);
	return h;
}

static void unwrapped_while_it_is_stored(void **state)
{
	CK_MECHANISM m = { CKM_AES_KEY_WRAP, NULL, 0 };
	const CK_ATTRIBUTE a[] = {
		OPEN_TOKEN_OBJECT,
		{ CKA_CLASS, &secret_class, sizeof(secret_class) },
		{ CKA_KEY_TYPE, &generic, sizeof(generic) },
	};
	CK_OBJECT_HANDLE kek, h = 4711;
	CK_ULONG n = sizeof(result);

	(void)state;
	hold();
	kek = open_unwrapper();
	assert_int_equal(key_wrap(s, &m, kek, key(true, CKA_SIGN), out(result, &n)), OK);
	happens[COMMIT] = logs_out;
	assert_int_equal(key_unwrap(s, &m, kek, span(result, n), (struct templ){ a, 5 }, &h),
			 E_NOT_LOGGED_IN);
	nothing_stays(h);
}

/* Copies of it may be public, unlike those of keys. */
static CK_OBJECT_HANDLE private_data(void)
{
	CK_OBJECT_CLASS data = CKO_DATA;
	const CK_ATTRIBUTE a[] = {
		{ CKA_CLASS, &data, sizeof(data) },
		{ CKA_TOKEN, &no, 1 },
		{ CKA_PRIVATE, &yes, 1 },
		{ CKA_VALUE, in, sizeof(in) },
	};
	CK_OBJECT_HANDLE h = 0;

	assert_int_equal(obj_create(s, (struct templ){ a, 4 }, &h), OK);
	return h;
}

static void copied_while_it_is_stored(void **state)
{
	const CK_ATTRIBUTE a[] = { OPEN_TOKEN_OBJECT };
	CK_OBJECT_HANDLE ours, h = 4711;

	(void)state;
	hold();
	ours = private_data();
	happens[COMMIT] = logs_out;
	assert_int_equal(obj_copy(s, ours, (struct templ){ a, 3 }, &h), E_NOT_LOGGED_IN);
	nothing_stays(h);
}

static CK_OBJECT_HANDLE *found;
static size_t found_n;

static void is_found_before_the_logout(void)
{
	assert_int_equal(token_find(t, s, NULL, &found, &found_n), OK);
	logs_out();
}

/* By another thread, in the store; its handle is none any more. */
static void stored_and_found_before(void **state)
{
	const CK_ATTRIBUTE a[] = { OPEN_TOKEN_OBJECT };
	CK_OBJECT_HANDLE ours, h = 4711;
	struct object *o = NULL;

	(void)state;
	hold();
	ours = private_data();
	happens[COMMIT] = is_found_before_the_logout;
	assert_int_equal(obj_copy(s, ours, (struct templ){ a, 3 }, &h), E_NOT_LOGGED_IN);
	assert_int_equal(found_n, 2); /* what was copied, and the copy */
	for (size_t i = 0; i < found_n; i++)
		assert_int_equal(token_object(t, found[i], &o), E_OBJECT_HANDLE);
	mem_free(found);
	nothing_stays(h);
}

/* ---- what policy refuses of a derivation is refused before it ---- */

static void refused_before_the_work(void **state)
{
	const CK_ATTRIBUTE hides[] = { { CKA_SENSITIVE, &yes, 1 } };
	const CK_ATTRIBUTE shows[] = {
		{ CKA_VALUE_LEN, &len16, sizeof(len16) },
		{ CKA_EXTRACTABLE, &yes, 1 },
		{ CKA_SENSITIVE, &no, 1 },
	};
	CK_HKDF_PARAMS p = {
		.bExpand = CK_TRUE,
		.prfHashMechanism = CKM_SHA256,
		.ulSaltType = CKF_HKDF_SALT_NULL,
	};
	CK_MECHANISM m = { CKM_HKDF_DERIVE, &p, sizeof(p) };
	CK_OBJECT_HANDLE base, h = 0;

	(void)state;
	hold();
	base = base_key(true);
	assert_int_equal(obj_set(s, base, (struct templ){ hides, 1 }), OK);
	happens[DERIVE] = logs_out;
	assert_int_equal(key_derive(s, &m, base, (struct templ){ shows, 3 }, &h),
			 E_TEMPLATE_INCONSISTENT);
	assert_ptr_equal(happens[DERIVE], logs_out); /* nothing was derived */
}

/* ---- nothing stays behind when a mechanism refuses to begin ---- */

static void a_begin_that_fails(void **state)
{
	CK_MECHANISM m = { CKM_AES_KEY_WRAP, NULL, 0 };
	CK_OBJECT_HANDLE wrapper, unwrapper, h = 0;

	(void)state;
	hold();
	wrapper = key(true, CKA_WRAP);
	unwrapper = key(true, CKA_UNWRAP);
	h = key(true, CKA_SIGN);
	begin_fails = true;
	freed = 0;
	assert_int_equal(wrap(wrapper, h), E_MECHANISM_PARAM);
	assert_int_equal(freed, 1);
	{
		const CK_ATTRIBUTE a[] = {
			{ CKA_CLASS, &secret_class, sizeof(secret_class) },
			{ CKA_KEY_TYPE, &generic, sizeof(generic) },
		};

		freed = 0;
		assert_int_equal(
			key_unwrap(s, &m, unwrapper, span(in, 24), (struct templ){ a, 2 }, &h),
			E_MECHANISM_PARAM);
		assert_int_equal(freed, 1);
	}
	begin_fails = false;
}

/* ---- objects ---- */

/* Durable all the same, but seen only after another login. */
static void made_across_a_logout(void **state)
{
	CK_OBJECT_HANDLE o;
	CK_ULONG v = 0;

	(void)state;
	happens[COMMIT] = logs_out;
	o = office_put(user, (struct thing){ "late", NULL, true, true });
	assert_int_equal(office_get(user, o, &v), E_OBJECT_HANDLE);
	assert_int_equal(office_find_label(user, "late", NULL), 0);
	assert_int_equal(office_login(user, CKU_USER, USER_PIN), OK);
	assert_int_equal(office_find_label(user, "late", NULL), 1);
}

/* Public until now, and with its value out of reach it needs a login: whoever is there after the logout does not see it. */
static void sealed_across_a_logout(void **state)
{
	static char label[] = "sealed";
	CK_MECHANISM m = { CKM_AES_KEY_GEN, NULL, 0 };
	const CK_ATTRIBUTE a[] = {
		{ CKA_VALUE_LEN, &len16, sizeof(len16) },
		{ CKA_TOKEN, &yes, 1 },
		{ CKA_PRIVATE, &no, 1 },
		{ CKA_SENSITIVE, &no, 1 },
		{ CKA_EXTRACTABLE, &yes, 1 },
		{ CKA_LABEL, label, sizeof(label) - 1 },
	};
	const CK_ATTRIBUTE sensitive[] = { { CKA_SENSITIVE, &yes, 1 } };
	struct object *o = NULL;
	CK_OBJECT_HANDLE h = 0;

	(void)state;
	hold();
	assert_int_equal(key_generate(s, &m, (struct templ){ a, 6 }, &h), OK);
	happens[COMMIT] = logs_out;
	assert_int_equal(obj_set(s, h, (struct templ){ sensitive, 1 }), OK);
	session_put(s);
	s = NULL;
	assert_int_equal(token_object(t, h, &o), E_OBJECT_HANDLE);
	assert_int_equal(office_find_label(user, label, NULL), 0);
	assert_int_equal(office_login(user, CKU_USER, USER_PIN), OK);
	assert_int_equal(office_find_label(user, label, NULL), 1);
}

static void *remove_doomed(void *arg)
{
	CK_SESSION_HANDLE h = office_session(slot, true);
	CK_OBJECT_HANDLE o;

	(void)arg;
	assert_int_equal(office_find_label(h, "doomed", &o), 1);
	assert_int_equal(office_destroy(h, o), OK);
	assert_int_equal(office_close_session(h), OK);
	return NULL;
}

/* In a thread of its own, for the one that is on its way holds a session. */
static void is_removed(void)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, remove_doomed, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void removed_while_it_is_read(void **state)
{
	(void)state;
	office_put(user, (struct thing){ "doomed", NULL, true, true });
	assert_int_equal(office_logout(user), OK);
	assert_int_equal(office_login(user, CKU_USER, USER_PIN), OK); /* so that it is read again */
	happens[GET_SOME] = is_removed;
	(void)office_find_label(user, "doomed", NULL);
	assert_int_equal(office_find_label(user, "doomed", NULL), 0);
}

/* ---- a search, a change by another process, and another thread that notices it ---- */

static pthread_t noticing;
static sem_t noticed, asked;
static pid_t other;
static int turn[2]; /* a byte: the other process's */

static int other_process(void *arg)
{
	CK_SESSION_HANDLE h;
	CK_OBJECT_HANDLE o;
	char c;

	(void)arg;
	if (read(turn[0], &c, 1) != 1 || lib_initialize(NULL) != OK)
		return 1;
	h = office_user(slot);
	if (office_find_label(h, "known", &o) != 1 || office_set(h, o, 7) != OK)
		return 2;
	office_put(h, (struct thing){ "wanted", NULL, true, true });
	return 0;
}

static void waits_for_the_search(void)
{
	assert_int_equal(sem_post(&noticed), 0);
	assert_int_equal(sem_wait(&asked), 0);
}

static void *notice(void *arg)
{
	(void)arg;
	assert_int_equal(token_sync(t), OK);
	return NULL;
}

/* The answer is on its way, without what now comes; and the other thread has left that out, for nobody had asked. */
static void others_come_in_between(void)
{
	assert_int_equal(write(turn[1], "x", 1), 1);
	assert_int_equal(office_wait(other), 0);
	happens[GET_SOME] = waits_for_the_search;
	assert_int_equal(pthread_create(&noticing, NULL, notice, NULL), 0);
	assert_int_equal(sem_wait(&noticed), 0);
}

static void a_search_misses_nothing(void **state)
{
	(void)state;
	assert_int_equal(sem_init(&noticed, 0, 0), 0);
	assert_int_equal(sem_init(&asked, 0, 0), 0);
	assert_int_equal(pipe(turn), 0);
	other = office_fork(other_process, NULL);
	office_put(user, (struct thing){ "known", NULL, true, true });
	happens[QUERY] = others_come_in_between;
	(void)office_find_label(user, "wanted", NULL); /* it may be there or not */
	assert_int_equal(sem_post(&asked), 0);
	assert_int_equal(pthread_join(noticing, NULL), 0);
	assert_int_equal(office_find_label(user, "wanted", NULL), 1);
	sem_destroy(&noticed);
	sem_destroy(&asked);
	close(turn[0]);
	close(turn[1]);
}

/* ---- the last session goes while another comes ---- */

static CK_SESSION_HANDLE came;

static void a_session_comes(void)
{
	assert_int_equal(session_open(t, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &came),
			 OK);
}

static void last_session_that_is_not(void **state)
{
	(void)state;
	happens[LOGOUT_UNUSED] = a_session_comes;
	assert_int_equal(office_close_session(user), OK);
	assert_int_equal(token_state(t, true), CKS_RW_USER_FUNCTIONS);
	assert_int_equal(office_close_session(came), OK);
	assert_int_equal(token_state(t, true), CKS_RW_PUBLIC_SESSION);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(result_of_an_operation),
		TEST(wrapped_by_a_private_key),
		TEST(wrapped_private_key),
		TEST(wrapped_public_objects),
		TEST(unwrapped_key),
		TEST(derived_from_a_private_key),
		TEST(derived_with_a_private_salt),
		TEST(derived_while_it_is_stored),
		TEST(unwrapped_while_it_is_stored),
		TEST(copied_while_it_is_stored),
		TEST(stored_and_found_before),
		TEST(refused_before_the_work),
		TEST(a_begin_that_fails),
		TEST(made_across_a_logout),
		TEST(sealed_across_a_logout),
		TEST(removed_while_it_is_read),
		TEST(a_search_misses_nothing),
		TEST(last_session_that_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
