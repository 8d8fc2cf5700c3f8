/* SPDX-License-Identifier: Apache-2.0 */
#include "office.h"

#include "base/mem.h"
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static char home[64];

const char *office_home(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(home, sizeof(home), "%s/chancery-test-XXXXXX", tmp != NULL ? tmp : "/tmp");
	assert_non_null(mkdtemp(home));
	assert_int_equal(setenv("CHANCERY_HOME", home, 1), 0);
	assert_int_equal(unsetenv("CHANCERY_CONF"), 0);
	assert_int_equal(setenv("XDG_CONFIG_HOME", home, 1), 0);
	return home;
}

void office_conf(const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/test.conf", home);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(setenv("CHANCERY_CONF", path, 1), 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

void office_gone(void)
{
	nftw(home, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	unsetenv("CHANCERY_CONF");
}

int office_open(void **state)
{
	(void)state;
	office_home();
	assert_int_equal(lib_initialize(NULL), OK);
	return 0;
}

int office_reset(void **state)
{
	(void)state;
	if (lib_ready())
		assert_int_equal(lib_finalize(), OK);
	office_gone();
	return 0;
}

int office_close(void **state)
{
	(void)state;
	assert_int_equal(lib_finalize(), OK);
	office_gone();
	return 0;
}

/* ---- tokens and sessions ---- */

static enum err init_token(CK_SLOT_ID id, const char *label)
{
	CK_UTF8CHAR padded[32];
	enum err e = lib_enter();

	memset(padded, ' ', sizeof(padded));
	memcpy(padded, label, strlen(label));
	if (e == OK) {
		e = slot_init_token(id, span_str(SO_PIN), padded);
		lib_leave();
	}
	return e;
}

CK_SLOT_ID office_token(const char *label)
{
	CK_SLOT_ID ids[64];
	CK_ULONG n = 0;
	CK_SESSION_HANDLE h;
	struct session *s;

	assert_int_equal(lib_enter(), OK);
	assert_int_equal(slot_list(false, NULL, &n), OK);
	assert_in_range(n, 1, 64);
	assert_int_equal(slot_list(false, ids, &n), OK);
	lib_leave();
	assert_int_equal(init_token(ids[n - 1], label), OK);
	h = office_session(ids[n - 1], true);
	assert_int_equal(office_login(h, CKU_SO, SO_PIN), OK);
	assert_int_equal(session_get(h, &s), OK);
	assert_int_equal(token_init_pin(s->token, s, span_str(USER_PIN)), OK);
	session_put(s);
	assert_int_equal(office_close_session(h), OK);
	return ids[n - 1];
}

struct token *office_at(CK_SLOT_ID id)
{
	struct token *t = NULL;

	assert_int_equal(lib_enter(), OK);
	assert_int_equal(slot_token(id, &t), OK);
	lib_leave();
	return t;
}

CK_SESSION_HANDLE office_session(CK_SLOT_ID id, bool rw)
{
	CK_SESSION_HANDLE h = CK_INVALID_HANDLE;
	struct token *t = NULL;

	assert_int_equal(lib_enter(), OK);
	assert_int_equal(slot_token(id, &t), OK);
	assert_int_equal(
		session_open(t, CKF_SERIAL_SESSION | (rw ? CKF_RW_SESSION : 0), NULL, NULL, &h),
		OK);
	lib_leave();
	assert_int_not_equal(h, CK_INVALID_HANDLE);
	return h;
}

CK_SESSION_HANDLE office_user(CK_SLOT_ID id)
{
	CK_SESSION_HANDLE h = office_session(id, true);

	assert_int_equal(office_login(h, CKU_USER, USER_PIN), OK);
	return h;
}

enum err office_login(CK_SESSION_HANDLE h, CK_USER_TYPE who, const char *pin)
{
	struct session *s;
	enum err e = session_get(h, &s);

	if (e != OK)
		return e;
	e = token_login(s->token, s, who, pin != NULL ? span_str(pin) : span(NULL, 0));
	session_put(s);
	return e;
}

enum err office_logout(CK_SESSION_HANDLE h)
{
	struct session *s;
	enum err e = session_get(h, &s);

	if (e != OK)
		return e;
	e = token_logout(s->token, s);
	session_put(s);
	return e;
}

enum err office_close_session(CK_SESSION_HANDLE h)
{
	enum err e = lib_enter();

	if (e != OK)
		return e;
	e = session_close(h);
	lib_leave();
	return e;
}

/* ---- objects ---- */

static enum err add(CK_SESSION_HANDLE h, struct attrset *attrs, CK_OBJECT_HANDLE *o)
{
	struct object *obj = NULL;
	struct session *s;
	enum err e = session_get(h, &s);

	if (e != OK) {
		attrset_free(attrs);
		return e;
	}
	e = object_new(attrs, false, &obj);
	if (e == OK)
		e = token_add(s->token, s, obj, o);
	session_put(s);
	return e;
}

CK_OBJECT_HANDLE office_thing(CK_SESSION_HANDLE h, struct thing t, enum err *e)
{
	CK_OBJECT_HANDLE o = CK_INVALID_HANDLE;
	struct attrset *a =
		ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY), NUM(CKA_KEY_TYPE, CKK_GENERIC_SECRET),
		      FLAG(CKA_TOKEN, t.token), FLAG(CKA_PRIVATE, t.priv),
		      FLAG(CKA_SENSITIVE, false), FLAG(CKA_EXTRACTABLE, true), NUM(CKA_VALUE, 1),
		      BYTES(CKA_LABEL, t.label, strlen(t.label)));

	if (t.id != NULL)
		assert_int_equal(attrset_put(a, CKA_ID, span_str(t.id)), OK);
	*e = add(h, a, &o);
	return o;
}

CK_OBJECT_HANDLE office_put(CK_SESSION_HANDLE h, struct thing t)
{
	enum err e;
	CK_OBJECT_HANDLE o = office_thing(h, t, &e);

	assert_int_equal(e, OK);
	assert_int_not_equal(o, CK_INVALID_HANDLE);
	return o;
}

enum err office_get(CK_SESSION_HANDLE h, CK_OBJECT_HANDLE o, CK_ULONG *value)
{
	struct object *obj = NULL;
	struct session *s;
	enum err e = session_get(h, &s);

	if (e != OK)
		return e;
	e = token_object(s->token, o, &obj);
	if (e == OK)
		*value = attrset_ulong(obj->attrs, CKA_VALUE, 0);
	object_unref(obj);
	session_put(s);
	return e;
}

static enum err replace(struct session *s, CK_OBJECT_HANDLE o, const struct object *old,
			CK_ULONG value)
{
	struct attrset *attrs = attrset_copy(old->attrs, false);
	struct object *obj = NULL;
	enum err e = attrs != NULL ? attrset_put_ulong(attrs, CKA_VALUE, value) : E_MEMORY;

	if (e != OK) {
		attrset_free(attrs);
		return e;
	}
	e = object_new(attrs, false, &obj);
	return e == OK ? token_replace(s->token, s, o, old, obj) : e;
}

enum err office_set(CK_SESSION_HANDLE h, CK_OBJECT_HANDLE o, CK_ULONG value)
{
	struct object *old = NULL;
	struct session *s;
	enum err e = session_get(h, &s);

	if (e != OK)
		return e;
	e = token_object(s->token, o, &old);
	if (e == OK)
		e = replace(s, o, old, value);
	object_unref(old);
	session_put(s);
	return e;
}

enum err office_add(CK_SESSION_HANDLE h, CK_OBJECT_HANDLE o, CK_ULONG n)
{
	struct object *old = NULL, *seen = NULL;
	struct session *s;
	enum err e = session_get(h, &s);

	if (e != OK)
		return e;
	do {
		object_unref(seen);
		seen = old;
		old = NULL;
		e = token_object(s->token, o, &old);
		if (e == OK && old != seen)
			e = replace(s, o, old, attrset_ulong(old->attrs, CKA_VALUE, 0) + n);
		else if (e == OK)
			break; /* refused, and yet nothing newer is there */
	} while (e == E_OBJECT_HANDLE && old != NULL);
	e = e == OK && old == seen ? E_OBJECT_HANDLE : e;
	object_unref(seen);
	object_unref(old);
	session_put(s);
	return e;
}

enum err office_destroy(CK_SESSION_HANDLE h, CK_OBJECT_HANDLE o)
{
	struct object *old = NULL;
	struct session *s;
	enum err e = session_get(h, &s);

	if (e != OK)
		return e;
	e = token_object(s->token, o, &old);
	if (e == OK)
		e = token_remove(s->token, s, o, old);
	object_unref(old);
	session_put(s);
	return e;
}

size_t office_find(CK_SESSION_HANDLE h, struct attrset *templ, CK_OBJECT_HANDLE *first)
{
	CK_OBJECT_HANDLE *found = NULL;
	struct session *s;
	size_t n = 0;

	assert_int_equal(session_get(h, &s), OK);
	assert_int_equal(token_find(s->token, s, templ, &found, &n), OK);
	session_put(s);
	if (first != NULL)
		*first = n != 0 ? found[0] : CK_INVALID_HANDLE;
	mem_free(found);
	attrset_free(templ);
	return n;
}

size_t office_find_label(CK_SESSION_HANDLE h, const char *label, CK_OBJECT_HANDLE *first)
{
	return office_find(h, ATTRS(BYTES(CKA_LABEL, label, strlen(label))), first);
}

/* ---- processes ---- */

pid_t office_fork(int (*f)(void *), void *arg)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		/* a failed assertion ends the child; without this it would go on with the next test */
		setenv("CMOCKA_TEST_ABORT", "1", 1);
		_exit(f(arg));
	}
	return pid;
}

int office_wait(pid_t pid)
{
	int status = 0;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int office_in_child(int (*f)(void *), void *arg)
{
	return office_wait(office_fork(f, arg));
}
