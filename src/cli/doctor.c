/* SPDX-License-Identifier: Apache-2.0 */
/* chancery doctor */
#include "base/dir.h"
#include "base/env.h"
#include "base/home.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/rollplace.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/findings.h"
#include "cli/settings.h"
#include "cli/tokens.h"
#include "cli/vendor.h"
#include <sys/stat.h>
#include <sys/statvfs.h>

static const struct option_row options[] = {
	{ "config", NULL, "only check the configuration and print every key with its value", NULL },
	{ "pin-source", "SOURCE",
	  "the user's PIN: checks everything stored in the token that the URI names", PIN_SOURCES },
	{ "so-pin-source", "SOURCE", "the security officer's PIN, for the same", PIN_SOURCES },
	{ NULL, NULL, NULL, NULL },
};

/* ---- the state directory ---- */

static void check_state(struct findings *f, bool group)
{
	char path[PATH_MAX];
	struct why why = { "" };
	const char *named = env_get("CHANCERY_HOME") != NULL ? " (CHANCERY_HOME)" : "";
	enum err e = home_state(path, &why);

	if (e == OK)
		e = dir_check(path, group, &why);
	if (e == OK)
		findings_good(f, "state: %s%s", path, named);
	else if (e == E_ABSENT)
		findings_advice(f, "state: %s%s does not exist yet; `chancery token init` makes it",
				path, named);
	else
		findings_bad(f, "state: %s", why.text);
}

/* ---- the module and its tokens ---- */

static void check_memory(struct findings *f, const CK_CHANCERY_FUNCTIONS *fn)
{
	CK_CHANCERY_MEMORY m;

	if (fn->MemoryStatistics(&m) != CKR_OK) {
		findings_bad(f, "memory: the module gives no statistics");
		return;
	}
	if (m.secretUnlocked > 0)
		findings_advice(
			f,
			"memory: %lu bytes of secrets are not locked; raise LimitMEMLOCK or ulimit -l, and "
			"locked_kb",
			m.secretUnlocked);
	else
		findings_good(f, "memory: no secret is unlocked now (%lu bytes are locked)",
			      m.secretLocked);
	if (!m.dumpExcluded)
		findings_bad(f, "memory: the kernel did not take secrets out of core dumps");
	if (!m.wipeOnFork)
		findings_bad(f, "memory: the kernel does not wipe secrets in forked children");
}

/* *off: there is none. */
static void check_tokens_folder(struct findings *f, const CK_CHANCERY_FUNCTIONS *fn)
{
	struct why why = { "" };

	if (module_err(fn->StateCheck(findings_report, f), "StateCheck", &why) != OK)
		findings_bad(f, "tokens: %s", why.text);
}

static void check_token(struct findings *f, const struct spot *t)
{
	json_t *d = describe_token(t);
	const char *label = json_string_value(json_object_get(d, "label"));
	CK_FLAGS locked = CKF_USER_PIN_LOCKED | CKF_SO_PIN_LOCKED;
	CK_FLAGS low = CKF_USER_PIN_COUNT_LOW | CKF_SO_PIN_COUNT_LOW | CKF_USER_PIN_FINAL_TRY |
		       CKF_SO_PIN_FINAL_TRY;

	if (label == NULL)
		label = "?";
	if ((t->info.flags & locked) != 0)
		findings_bad(
			f,
			"token \"%s\" (slot %lu): a PIN is locked; `chancery token unlock` helps for the user's",
			label, t->slot);
	else if ((t->info.flags & low) != 0)
		findings_advice(
			f,
			"token \"%s\" (slot %lu): wrong PINs were given since the last right one",
			label, t->slot);
	else
		findings_good(f, "token \"%s\" (slot %lu)", label, t->slot);
	if ((t->info.flags & CKF_USER_PIN_INITIALIZED) == 0)
		findings_advice(
			f,
			"token \"%s\": the user has no PIN yet; `chancery token unlock` sets one",
			label);
	json_decref(d);
}

/* One run: what the configuration says (NULL: it is wrong), and the module that is looked at. */
struct exam {
	struct call *c;
	struct findings *f;
	const struct conf *conf;
	struct office *o;
	const CK_CHANCERY_FUNCTIONS *fn; /* NULL: not Chancery's module */
	const char
		*unkept; /* why nothing is kept of what is recorded, and what helps; NULL: it is */
};

#define ROOM_KIB_NONE 128 /* what a process asks for when it begins a file, and a little */
#define ROOM_MIB      64  /* some hundred thousand records */

/* A process that records nothing has no file, and so cannot say whether there would be room for one. */
static void check_room(const struct exam *x)
{
	char path[PATH_MAX];
	struct statvfs fs;
	struct stat st;
	unsigned long long free_kib;

	if (x->conf == NULL || rollplace_path(x->conf->module.audit, path, NULL) != OK ||
	    stat(path, &st) != 0 || !S_ISDIR(st.st_mode) || statvfs(path, &fs) != 0)
		return;
	free_kib = (unsigned long long)fs.f_bavail * fs.f_frsize / 1024;
	if (free_kib < ROOM_KIB_NONE)
		findings_bad(x->f, "audit log: the disk of %s is full, so no key can be used",
			     path);
	else if (free_kib < ROOM_MIB * 1024)
		findings_advice(x->f,
				"audit log: only %llu KiB are free on the disk of %s; without room "
				"no key can be used",
				free_kib, path);
}

/* A FIFO or a device, /dev/null too. */
static bool goes_to_stream(const struct exam *x, char path[PATH_MAX])
{
	struct stat st;

	return x->conf != NULL && rollplace_path(x->conf->module.audit, path, NULL) == OK &&
	       stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* Why a token that requires the audit log does without its keys. */
static const char *unkept(bool on, bool stream)
{
	if (!on)
		return "is off: none of its keys works until `audit = on`";
	return stream ? "goes to a stream: none of its keys works until `audit` names a directory"
		      : NULL;
}

static void check_audit(struct exam *x)
{
	CK_CHANCERY_AUDIT a;
	char path[PATH_MAX];
	bool stream = goes_to_stream(x, path);

	if (!vendor_has_audit(x->fn) || x->fn->AuditState(&a) != CKR_OK)
		return;
	x->unkept = unkept(a.on, stream);
	if (!a.on)
		findings_advice(x->f, "audit log: it is off, so no use of a key is recorded");
	else if (a.failed)
		findings_bad(x->f, "audit log: %s", a.why);
	else if (stream)
		findings_advice(x->f,
				"audit log: it goes to a stream, %s: no use of a key is kept here, "
				"unless whoever reads it keeps it",
				path);
	else
		check_room(x);
}

static void check_required(const struct exam *x, CK_SLOT_ID slot)
{
	CK_BBOOL required = CK_FALSE;

	if (x->unkept == NULL || x->fn->TokenRequiresAudit(slot, &required) != CKR_OK)
		return;
	if (required)
		findings_bad(x->f, "slot %lu: its token requires the audit log, which %s", slot,
			     x->unkept);
}

static void check_unread(const struct exam *x, const struct unread *u)
{
	bool strict = x->fn != NULL && x->conf != NULL && x->conf->module.locked == LOCKED_STRICT;
	struct why why;

	module_err(u->rv, "C_GetTokenInfo", &why);
	findings_bad(x->f, "slot %lu: its token cannot be read: %s%s", u->slot, why.text,
		     u->rv == CKR_HOST_MEMORY && strict
			     ? ": locked = strict, and no more memory can be locked"
			     : "");
}

/* Nothing was listed. */
static enum err check_none(const struct exam *x, const struct picks *p)
{
	struct why text = { "" };
	enum err e;

	if (x->c->n_operands == 0) {
		findings_advice(x->f, "there is no token yet; " TOKENS_HINT);
		return OK;
	}
	e = tokens_none(x->c, x->o, p, &text);
	if (e == OK)
		findings_bad(x->f, "%s: %s", x->c->operands[0], text.text);
	return e;
}

static enum err check_tokens(const struct exam *x)
{
	struct picks p;
	enum err e = pick_tokens(x->o->m, &x->o->uri, PICK_TOKEN, &p, &x->c->why);

	for (size_t i = 0; i < p.n && e == OK; i++) {
		check_token(x->f, &p.spots[i]);
		check_required(x, p.spots[i].slot);
	}
	for (size_t i = 0; i < p.n_unread && e == OK; i++)
		check_unread(x, &p.unread[i]);
	if (e == OK && p.n == 0 && (p.n_unread == 0 || x->c->n_operands > 0))
		e = check_none(x, &p);
	picks_free(&p);
	if (e == OK && x->fn != NULL && x->conf != NULL)
		e = settings_check_labels(x->f, x->conf, x->o->m, &x->c->why);
	return e;
}

/* Everything stored of one token, when a PIN was given. What keeps it from being checked is a finding too. */
static enum err check_stored(const struct exam *x)
{
	struct call *c = x->c;
	bool so = call_flag(c, "so-pin-source");
	struct buf pin = { .secret = true };
	size_t before = x->f->bad;
	struct why why = { "" };
	enum err e = pick_token(x->o->m, &x->o->uri, PICK_TOKEN, &x->o->spot, &c->why);

	if (e == OK)
		e = office_pin(c, x->o, so ? "so-pin-source" : "pin-source", false, &pin);
	if (e == OK &&
	    module_err(x->fn->TokenCheck(x->o->spot.slot, so ? CKU_SO : CKU_USER, pin.p, pin.n,
					 findings_report, x->f),
		       "TokenCheck", &why) != OK &&
	    x->f->bad == before)
		findings_bad(x->f, "token: what is stored of it cannot be read: %s", why.text);
	buf_free(&pin);
	return e;
}

static enum err check_with_pin(struct exam *x)
{
	if (!call_flag(x->c, "pin-source") && !call_flag(x->c, "so-pin-source"))
		return OK;
	return x->fn != NULL ? check_stored(x) : vendor_functions(x->c, x->o, &x->fn);
}

/* What stops one check is itself a finding, unless there is no memory for any. */
static enum err as_finding(const struct exam *x, const char *of, enum err e)
{
	if (e == OK || e == E_MEMORY)
		return e;
	findings_bad(x->f, "%s: %s", of, x->c->why.text);
	x->c->why.text[0] = '\0';
	return OK;
}

static enum err check_module(struct exam *x)
{
	struct call *c = x->c;
	enum err e = office_module(c, c->n_operands > 0 ? c->operands[0] : NULL, x->o);

	if (x->o->m == NULL)
		return as_finding(x, "module", e);
	x->fn = module_chancery(x->o->m);
	findings_good(x->f, "module: %s%s%s", module_path(x->o->m), x->fn != NULL ? ", with " : "",
		      x->fn != NULL ? x->fn->CryptoVersion() : "");
	if (x->fn != NULL)
		check_memory(x->f, x->fn);
	if (e != OK)
		return OK; /* there is no place for tokens: check_state said why */
	if (x->fn != NULL) {
		check_tokens_folder(x->f, x->fn);
		check_audit(x);
	}
	e = as_finding(x, "tokens", check_tokens(x));
	return e == OK ? as_finding(x, "the token to be checked", check_with_pin(x)) : e;
}

/* What is wrong in the words of the command is no finding. */
static enum err check_usage(struct call *c)
{
	char path[PATH_MAX];
	struct uri u = { 0 };
	enum err e = office_find(c, c->n_operands > 0 ? c->operands[0] : NULL, &u, path);

	uri_free(&u);
	return e;
}

static enum err doctor(struct call *c)
{
	struct office o = { 0 };
	struct findings f;
	struct conf *conf = NULL;
	enum err e = check_usage(c);

	if (e == OK && call_flag(c, "config"))
		return settings_show(c);
	if (e != OK || (e = findings_begin(&f)) != OK)
		return e;
	conf = settings_check(&f);
	check_state(&f, conf != NULL && conf->module.group_mode);
	e = check_module(&(struct exam){ .c = c, .f = &f, .conf = conf, .o = &o });
	if (e == OK)
		e = findings_end(c, &f, "checks");
	else
		findings_drop(&f);
	office_close(&o);
	conf_free(conf);
	return e;
}

const struct command cmd_doctor = {
	NULL,
	"doctor",
	"[URI]",
	1,
	"Look for what is wrong with the installation, and say how to mend it",
	options,
	doctor,
};
