/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/office.h"
#include "base/conf.h"
#include "base/pin.h"
#include "cli/tokens.h"
#include "cli/vendor.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MODULE_NAME "libchancery-pkcs11.so"

void office_own_module(char path[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - sizeof("/" MODULE_NAME));
	char *slash = NULL;

	if (n > 0) {
		path[n] = '\0';
		slash = strrchr(path, '/');
	}
	if (slash != NULL) {
		memcpy(slash, "/" MODULE_NAME, sizeof("/" MODULE_NAME));
		if (access(path, R_OK) == 0)
			return;
	}
	snprintf(path, PATH_MAX, "%s/%s", CHANCERY_MODULE_DIR, MODULE_NAME);
}

static enum err module_of(struct call *c, const struct uri *u, char path[PATH_MAX])
{
	struct span named = u->v[URI_MODULE_PATH];

	if (c->module != NULL) {
		snprintf(path, PATH_MAX, "%s", c->module);
	} else if (u->has[URI_MODULE_PATH]) {
		if (named.n >= PATH_MAX || memchr(named.p, '\0', named.n) != NULL)
			return why_fail(&c->why, E_ARGUMENTS,
					"the URI's module-path is no file name");
		memcpy(path, named.p, named.n);
		path[named.n] = '\0';
	} else {
		office_own_module(path);
	}
	return OK;
}

enum err office_find(struct call *c, const char *uri, struct uri *u, char path[PATH_MAX])
{
	enum err e = OK;

	*u = (struct uri){ 0 };
	if (uri != NULL && (e = uri_parse(uri, u, &c->why)) != OK)
		return e;
	/* RFC 7512, 2.4 warns of it: what stands on a command line everybody on the machine can read */
	if (u->has[URI_PIN_VALUE])
		return why_fail(
			&c->why, E_ARGUMENTS,
			"no PIN is taken from a command line: the URI's pin-value is to be a "
			"pin-source");
	return module_of(c, u, path);
}

/* Our own module cannot say why it does not start; if it is the configuration, that is read here again. */
static enum err explain(struct call *c, const char *path, enum err e)
{
	char own[PATH_MAX];
	struct conf *conf = NULL;
	struct why why = { "" };

	office_own_module(own);
	if (e == E_MEMORY || strcmp(path, own) != 0 || conf_load(NULL, &conf, &why) == OK) {
		conf_free(conf);
		return e;
	}
	return why_fail(&c->why, E_CONFIG, "%s", why.text);
}

enum err office_module(struct call *c, const char *uri, struct office *o)
{
	char path[PATH_MAX];

	*o = (struct office){ .c = c };
	enum err e = office_find(c, uri, &o->uri, path);
	if (e != OK)
		return e;
	e = module_open(path, &o->m, &c->why);
	if (e != OK)
		return explain(c, path, e);
	return tokens_place(o->m, &c->why);
}

enum err office_token(struct call *c, const char *uri, enum pick_want want, struct office *o)
{
	enum err e = office_module(c, uri, o);

	return e != OK ? e : pick_token(o->m, &o->uri, want, &o->spot, &c->why);
}

static bool has_pin(const struct call *c, const struct office *o, const char *option)
{
	if (call_flag(c, option))
		return true;
	return strcmp(option, "pin-source") == 0 && o->uri.has[URI_PIN_SOURCE];
}

/* The PIN by the URI's pin-source (RFC 7512, 2.4: a bare path is a file). */
static enum err pin_of_uri(struct call *c, const struct office *o, const struct pin_ask *ask,
			   struct buf *pin)
{
	char source[PATH_MAX];
	struct span named = o->uri.v[URI_PIN_SOURCE];

	bool bare = named.n > 0 && named.p[0] == '/';
	int n = snprintf(source, sizeof(source), "%s%.*s", bare ? "file:" : "", (int)named.n,
			 (const char *)named.p);
	if (n < 0 || (size_t)n >= sizeof(source))
		return why_fail(&c->why, E_ARGUMENTS, "the URI's pin-source is too long");
	return pin_read(source, PIN_FOR_TOOL, ask, pin, &c->why);
}

/* What a prompt asks for: a PIN that is to be set is one of the token by its name to be. */
static void describe_pin(const struct office *o, bool so, bool fresh, char *what, size_t n)
{
	const char *label = (const char *)o->spot.info.label, *pin = so ? "SO PIN" : "user PIN";
	size_t len = field_len(o->spot.info.label, sizeof(o->spot.info.label));

	if (fresh && o->new_label != NULL) {
		label = o->new_label;
		len = strlen(label);
	}
	if (len > 0)
		snprintf(what, n, "%s%s of token \"%.*s\"", fresh ? "new " : "", pin, (int)len,
			 label);
	else
		snprintf(what, n, "%s%s of the token in slot %lu", fresh ? "new " : "", pin,
			 o->spot.slot);
}

enum err office_pin(struct call *c, const struct office *o, const char *option, bool fresh,
		    struct buf *pin)
{
	char what[96], forms[PIN_FORMS_MAX];
	bool so = strncmp(option, "so-", 3) == 0 || strcmp(option, "new-so-pin-source") == 0;
	struct pin_ask ask = { what, fresh };

	pin_forms(PIN_FOR_TOOL, forms);
	if (!has_pin(c, o, option))
		return why_fail(&c->why, E_ARGUMENTS, "--%s is missing: %s", option, forms);
	describe_pin(o, so, fresh, what, sizeof(what));
	const char *source = call_option(c, option);
	if (source == NULL)
		return pin_of_uri(c, o, &ask, pin);
	return pin_read(source, PIN_FOR_TOOL, &ask, pin, &c->why);
}

static enum err office_login(struct call *c, CK_USER_TYPE user, struct office *o)
{
	const char *option = user == CKU_SO ? "so-pin-source" : "pin-source";
	struct buf pin = { .secret = true };
	enum err e = OK;

	bool by_token = (o->spot.info.flags & CKF_PROTECTED_AUTHENTICATION_PATH) != 0 &&
			!has_pin(c, o, option);

	if (user == CKU_USER && !by_token && !has_pin(c, o, option))
		return OK;
	if (!by_token)
		e = office_pin(c, o, option, false, &pin);
	if (e == OK)
		e = pool_login(o->pool, user, buf_span(&pin), &c->why);
	c->logged_in = e == OK;
	buf_free(&pin);
	return e;
}

enum err office_advise(struct call *c, enum err e)
{
	char said[WHY_MAX], forms[PIN_FORMS_MAX];

	if (c->logged_in || !call_takes(c, "pin-source") ||
	    (e != E_NOT_LOGGED_IN && e != E_OBJECT_HANDLE))
		return e;
	pin_forms(PIN_FOR_TOOL, forms);
	memcpy(said, c->why.text, sizeof(said));
	return why_fail(&c->why, e, "%s%s with --pin-source %s", said,
			e == E_NOT_LOGGED_IN ? ": give the user's PIN"
					     : "; to see private ones, give the user's PIN",
			forms);
}

static enum err take_desk(struct call *c, struct office *o)
{
	enum err e = pool_take(o->pool, &o->desk.h, &c->why);

	o->desk.m = o->m;
	o->at_desk = e == OK;
	return e;
}

enum err office_login_with(struct call *c, CK_USER_TYPE user, struct span pin, struct office *o)
{
	enum err e = pool_new(o->m, o->spot.slot, true, 0, &o->pool, &c->why);

	if (e == OK)
		e = pool_login(o->pool, user, pin, &c->why);
	c->logged_in = e == OK;
	return e == OK ? take_desk(c, o) : e;
}

enum err office_session(struct call *c, const char *uri, bool rw, CK_USER_TYPE user,
			struct office *o)
{
	enum err e = office_token(c, uri, PICK_TOKEN, o);

	if (e == OK)
		e = pool_new(o->m, o->spot.slot, rw, 0, &o->pool, &c->why);
	if (e == OK)
		e = office_login(c, user, o);
	return e == OK ? take_desk(c, o) : e;
}

/* All that a program sees of the audit log's failure is CKR_DEVICE_ERROR, and of a token that requires another one. */
static void tell_audit(const struct office *o)
{
	const CK_CHANCERY_FUNCTIONS *fn = o->m != NULL ? module_chancery(o->m) : NULL;
	const struct why why = o->c->why;
	const bool idle = (o->spot.info.flags & CKF_ERROR_STATE) != 0;
	CK_CHANCERY_AUDIT a;

	if (fn == NULL || !vendor_has_audit(fn) || why.text[0] == '\0' ||
	    fn->AuditState(&a) != CKR_OK)
		return;
	if (a.failed)
		(void)why_fail(&o->c->why, E_DEVICE, "%s; the audit log cannot be written: %s",
			       why.text, a.why);
	else if (idle && strstr(why.text, "CKR_DEVICE_ERROR") != NULL)
		(void)why_fail(&o->c->why, E_DEVICE, "%s; %s", why.text,
			       err_text(a.on ? E_AUDIT_STREAM : E_AUDIT_OFF));
}

void office_close(struct office *o)
{
	tell_audit(o);
	if (o->at_desk)
		pool_give(o->pool, o->desk.h, false);
	pool_free(o->pool);
	module_close(o->m);
	uri_free(&o->uri);
	*o = (struct office){ 0 };
}
