/* SPDX-License-Identifier: Apache-2.0 */
#include "p11.h"

#include "base/names.h"
#include "watch.h"

#include <dlfcn.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

CK_FUNCTION_LIST_3_2 *p11;

static void *module;
static char home[64];
static CK_SLOT_ID slot;
static CK_SESSION_HANDLE session;

/* ---- life ---- */

void *p11_symbol(const char *name)
{
	return dlsym(module, name);
}

const CK_CHANCERY_FUNCTIONS *p11_vendor(void)
{
	static CK_UTF8CHAR name[] = CHANCERY_INTERFACE_NAME;
	CK_C_GetInterface get = (CK_C_GetInterface)(intptr_t)p11_symbol("C_GetInterface");
	CK_INTERFACE_PTR found = NULL;

	assert_non_null(get);
	assert_ok(get(name, NULL, &found, 0));
	return found->pFunctionList;
}

/* One symbol is enough for a client: all else comes from the function list. */
void p11_load(void)
{
	const char *path = getenv("CHANCERY_MODULE");
	CK_VERSION v = { 3, 2 };
	CK_INTERFACE_PTR i = NULL;
	CK_C_GetInterface get = NULL;

	if (p11 != NULL)
		return;
	if (path == NULL)
		fail_msg("CHANCERY_MODULE is not set");
	module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (module == NULL)
		fail_msg("%s", dlerror());
	*(void **)&get = p11_symbol("C_GetInterface");
	assert_non_null(get);
	assert_ok(get(NULL, &v, &i, 0));
	p11 = watch(i->pFunctionList);
}

void p11_unload(void)
{
	assert_int_equal(dlclose(module), 0);
	p11 = NULL;
}

static void make_home(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(home, sizeof(home), "%s/chancery-test-XXXXXX", tmp != NULL ? tmp : "/tmp");
	assert_non_null(mkdtemp(home));
	assert_int_equal(setenv("CHANCERY_HOME", home, 1), 0);
	assert_int_equal(unsetenv("CHANCERY_CONF"), 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int p11_setup_only_loaded(void **state)
{
	(void)state;
	p11_load();
	make_home();
	return 0;
}

void p11_initialize(void)
{
	CK_C_INITIALIZE_ARGS args = { .flags = CKF_OS_LOCKING_OK };

	assert_ok(p11->C_Initialize(&args));
}

void p11_finalize(void)
{
	assert_ok(p11->C_Finalize(NULL));
}

int p11_setup(void **state)
{
	p11_setup_only_loaded(state);
	p11_initialize();
	return 0;
}

void p11_make_token(void)
{
	slot = p11_new_token("test", true);
	session = p11_open(slot, true);
	p11_login(session, CKU_USER);
}

int p11_setup_token(void **state)
{
	p11_setup(state);
	p11_make_token();
	return 0;
}

int p11_setup_configured(void **state, const char *conf)
{
	p11_setup_only_loaded(state);
	p11_configure(conf);
	p11_initialize();
	p11_make_token();
	return 0;
}

int p11_teardown(void **state)
{
	(void)state;
	(void)p11->C_Finalize(NULL);
	assert_int_equal(watch_violations(), 0); /* return values outside the standard's lists */
	return nftw(home, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

CK_SESSION_HANDLE p11_session(void)
{
	return session;
}

CK_SLOT_ID p11_slot(void)
{
	return slot;
}

const char *p11_home(void)
{
	return home;
}

void p11_configure(const char *text)
{
	char path[sizeof(home) + 16];
	FILE *f;

	snprintf(path, sizeof(path), "%s/test.conf", home);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(setenv("CHANCERY_CONF", path, 1), 0);
}

bool p11_emulated(void)
{
	if (getenv("CHANCERY_EMULATED") == NULL)
		return false;
	printf("skipped: under an emulator the tool cannot be started\n");
	return true;
}

/* ---- return values ---- */

static const char *rv_name(CK_RV rv)
{
	const char *name = name_of(NAME_CKR, rv);

	return name != NULL ? name : "?";
}

void p11_assert_rv(CK_RV got, CK_RV want, const char *what, const char *file, int line)
{
	if (got == want)
		return;
	print_error("%s\n  gave %s (0x%lx), not %s\n", what, rv_name(got), got, rv_name(want));
	_fail(file, line);
}

void p11_assert_rv_of(CK_RV got, CK_RV a, CK_RV b, const char *what, const char *file, int line)
{
	if (got != b)
		p11_assert_rv(got, a, what, file, line);
}

/* ---- tokens and sessions ---- */

/* The empty slot is the last one. */
static CK_SLOT_ID empty_slot(void)
{
	CK_SLOT_ID ids[64];
	CK_ULONG n = 64;

	assert_ok(p11->C_GetSlotList(CK_FALSE, NULL, &n));
	n = 64;
	assert_ok(p11->C_GetSlotList(CK_FALSE, ids, &n));
	assert_true(n > 0);
	return ids[n - 1];
}

CK_SLOT_ID p11_new_token(const char *label, bool user_pin)
{
	CK_SLOT_ID id = empty_slot();
	CK_UTF8CHAR padded[32], pin[] = SO_PIN, user[] = USER_PIN;
	CK_SESSION_HANDLE s;

	memset(padded, ' ', sizeof(padded));
	memcpy(padded, label, strlen(label));
	assert_ok(p11->C_InitToken(id, pin, sizeof(pin) - 1, padded));
	if (!user_pin)
		return id;
	s = p11_open(id, true);
	p11_login(s, CKU_SO);
	assert_ok(p11->C_InitPIN(s, user, sizeof(user) - 1));
	assert_ok(p11->C_CloseSession(s));
	return id;
}

CK_SESSION_HANDLE p11_open(CK_SLOT_ID id, bool rw)
{
	CK_FLAGS flags = CKF_SERIAL_SESSION | (rw ? CKF_RW_SESSION : 0);
	CK_SESSION_HANDLE s = 0;

	assert_ok(p11->C_OpenSession(id, flags, NULL, NULL, &s));
	return s;
}

void p11_login(CK_SESSION_HANDLE s, CK_USER_TYPE who)
{
	CK_UTF8CHAR so[] = SO_PIN, user[] = USER_PIN;

	if (who == CKU_SO)
		assert_ok(p11->C_Login(s, who, so, sizeof(so) - 1));
	else
		assert_ok(p11->C_Login(s, who, user, sizeof(user) - 1));
}

/* ---- templates ---- */

void templ_bytes(struct templ *t, CK_ATTRIBUTE_TYPE type, const void *p, size_t n)
{
	assert_true(t->n < TEMPL_MAX);
	t->a[t->n] = (CK_ATTRIBUTE){ type, NULL, n };
	memcpy(&t->a[t->n].pValue, &p, sizeof(p)); /* the standard's templates are not const */
	t->n++;
}

void templ_bool(struct templ *t, CK_ATTRIBUTE_TYPE type, bool v)
{
	t->flag[t->n] = v ? CK_TRUE : CK_FALSE;
	templ_bytes(t, type, &t->flag[t->n], sizeof(CK_BBOOL));
}

void templ_ulong(struct templ *t, CK_ATTRIBUTE_TYPE type, CK_ULONG v)
{
	t->number[t->n] = v;
	templ_bytes(t, type, &t->number[t->n], sizeof(CK_ULONG));
}

void templ_text(struct templ *t, CK_ATTRIBUTE_TYPE type, const char *text)
{
	templ_bytes(t, type, text, strlen(text));
}

void templ_flags_list(struct templ *t, const CK_ATTRIBUTE_TYPE *types)
{
	for (; *types != CK_UNAVAILABLE_INFORMATION; types++)
		templ_bool(t, *types, true);
}

/* ---- attributes ---- */

size_t p11_get_bytes(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE type, void *p,
		     size_t n)
{
	CK_ATTRIBUTE a = { type, p, n };

	assert_ok(p11->C_GetAttributeValue(s, h, &a, 1));
	return a.ulValueLen;
}

CK_ULONG p11_get_ulong(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE type)
{
	CK_ULONG v = 0;

	assert_int_equal(p11_get_bytes(s, h, type, &v, sizeof(v)), sizeof(v));
	return v;
}

bool p11_get_bool(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE type)
{
	CK_BBOOL v = 2;

	assert_int_equal(p11_get_bytes(s, h, type, &v, sizeof(v)), sizeof(v));
	assert_true(v == CK_TRUE || v == CK_FALSE);
	return v == CK_TRUE;
}

CK_ULONG p11_count(CK_SESSION_HANDLE s, struct templ *t)
{
	CK_OBJECT_HANDLE h[16];
	CK_ULONG n = 0, sum = 0;

	assert_ok(p11->C_FindObjectsInit(s, t->a, t->n));
	do {
		assert_ok(p11->C_FindObjects(s, h, 16, &n));
		sum += n;
	} while (n != 0);
	assert_ok(p11->C_FindObjectsFinal(s));
	return sum;
}

/* ---- keys ---- */

const CK_BYTE p11_oid_p256[10] = { 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07 };
const CK_BYTE p11_oid_ed25519[5] = { 0x06, 0x03, 0x2b, 0x65, 0x70 };

/* What the key pair's algorithm needs comes behind what the caller wants. */
static struct pair generate_pair(CK_SESSION_HANDLE s, CK_MECHANISM_TYPE type, struct templ *pub,
				 struct templ *priv, CK_ATTRIBUTE need)
{
	struct templ verify = { 0 }, sign = { 0 };
	CK_MECHANISM m = mechanism(type, NULL, 0);
	struct pair k = { 0, 0 };

	templ_flags(&verify, CKA_VERIFY);
	templ_flags(&sign, CKA_SIGN);
	if (pub == NULL)
		pub = &verify;
	if (priv == NULL)
		priv = &sign;
	templ_bytes(pub, need.type, need.pValue, need.ulValueLen);
	assert_ok(p11->C_GenerateKeyPair(s, &m, pub->a, pub->n, priv->a, priv->n, &k.pub, &k.priv));
	pub->n--;
	return k;
}

static struct pair by_number(CK_SESSION_HANDLE s, CK_MECHANISM_TYPE type, struct templ *pub,
			     struct templ *priv, CK_ATTRIBUTE_TYPE attribute, CK_ULONG number)
{
	CK_ATTRIBUTE need = { attribute, &number, sizeof(number) };

	return generate_pair(s, type, pub, priv, need);
}

static struct pair by_curve(CK_SESSION_HANDLE s, CK_MECHANISM_TYPE type, struct templ *pub,
			    struct templ *priv, const CK_BYTE *oid, size_t n)
{
	CK_BYTE params[16];
	CK_ATTRIBUTE need = { CKA_EC_PARAMS, params, n };

	memcpy(params, oid, n);
	return generate_pair(s, type, pub, priv, need);
}

struct pair p11_rsa(CK_SESSION_HANDLE s, CK_ULONG bits, struct templ *pub, struct templ *priv)
{
	return by_number(s, CKM_RSA_PKCS_KEY_PAIR_GEN, pub, priv, CKA_MODULUS_BITS, bits);
}

struct pair p11_mldsa(CK_SESSION_HANDLE s, CK_ULONG set, struct templ *pub, struct templ *priv)
{
	return by_number(s, CKM_ML_DSA_KEY_PAIR_GEN, pub, priv, CKA_PARAMETER_SET, set);
}

struct pair p11_p256(CK_SESSION_HANDLE s, struct templ *pub, struct templ *priv)
{
	return by_curve(s, CKM_EC_KEY_PAIR_GEN, pub, priv, p11_oid_p256, sizeof(p11_oid_p256));
}

struct pair p11_ed25519(CK_SESSION_HANDLE s, struct templ *pub, struct templ *priv)
{
	return by_curve(s, CKM_EC_EDWARDS_KEY_PAIR_GEN, pub, priv, p11_oid_ed25519,
			sizeof(p11_oid_ed25519));
}

CK_OBJECT_HANDLE p11_secret_list(CK_SESSION_HANDLE s, CK_MECHANISM_TYPE type, CK_ULONG len,
				 const CK_ATTRIBUTE_TYPE *usage)
{
	CK_MECHANISM m = mechanism(type, NULL, 0);
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h = 0;

	templ_ulong(&t, CKA_VALUE_LEN, len);
	templ_flags_list(&t, usage);
	assert_ok(p11->C_GenerateKey(s, &m, t.a, t.n, &h));
	return h;
}
