/* SPDX-License-Identifier: Apache-2.0 */
/* chancery doctor */
#include "base/conf.h"
#include "base/dir.h"
#include "base/home.h"
#include "base/mem.h"
#include "base/names.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/findings.h"
#include "cli/vendor.h"
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct option_row options[] = {
	{ "config", NULL, "only check the configuration and print every key with its value", NULL },
	{ "pin-source", "SOURCE",
	  "the user's PIN: checks everything stored in the token that the URI names", PIN_SOURCES },
	{ "so-pin-source", "SOURCE", "the security officer's PIN, for the same", PIN_SOURCES },
	{ NULL, NULL, NULL, NULL },
};

/* ---- configuration ---- */

static const struct column conf_columns[] = {
	{ "SECTION", "section" }, { "KEY", "key" },   { "VALUE", "value" },
	{ "DEFAULT", "default" }, { "WHAT", "help" }, { NULL, NULL },
};

static json_t *conf_row(const struct conf *conf, const struct conf_key *k)
{
	struct buf value = { 0 };
	const void *section = conf_section(conf, k);
	json_t *row = NULL;

	if (conf_value(k, section, &value) == OK)
		row = json_pack("{s:s, s:s, s:o, s:s, s:s}", "section", k->section, "key", k->name,
				"value",
				json_stringn(value.n > 0 ? (const char *)value.p : "", value.n),
				"default", k->dflt != NULL ? k->dflt : "", "help", k->help);
	buf_free(&value);
	return row;
}

static enum err show_config(struct call *c)
{
	struct conf *conf = NULL;
	size_t n = 0;
	const struct conf_key *keys = conf_keys(&n);
	enum err e = conf_load(NULL, &conf, &c->why);

	if (e != OK)
		return e;
	json_t *rows = json_array();
	for (size_t i = 0; i < n && e == OK; i++)
		if (json_array_append_new(rows, conf_row(conf, &keys[i])) != 0)
			e = why_fail(&c->why, E_MEMORY, "%s", err_text(E_MEMORY));
	conf_free(conf);
	if (e == OK)
		return report_table(c, rows, conf_columns, "There are no keys.");
	json_decref(rows);
	return e;
}

/* What the module may need, against what this process may lock; who may lock anything has no limit. */
static void check_limit(struct findings *f, const struct conf_module *m)
{
	struct rlimit limit;

	if (geteuid() == 0 || getrlimit(RLIMIT_MEMLOCK, &limit) != 0 ||
	    limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur / 1024 >= (rlim_t)m->locked_kb)
		return;
	findings_advice(
		f,
		"memory: only %lu of %lu KiB for secrets can be locked here: raise LimitMEMLOCK or "
		"ulimit -l, or lower locked_kb",
		(unsigned long)(limit.rlim_cur / 1024), (unsigned long)m->locked_kb);
}

static void check_compat(struct findings *f, const struct conf *conf)
{
	const struct conf_token *t;
	const char *label;

	if (conf->token.compat)
		findings_advice(
			f,
			"compat = on for tokens: known attacks through the PKCS#11 interface are not refused");
	for (size_t i = 0; (t = conf_labelled(conf, i, &label)) != NULL; i++)
		if (t->compat)
			findings_advice(
				f,
				"compat = on for the token \"%s\": known attacks through the PKCS#11 "
				"interface are not refused",
				label);
}

/* *group: the state directory may be open to its group. */
static void check_config(struct findings *f, bool *group)
{
	struct conf *conf = NULL;
	struct why why = { "" };
	char path[PATH_MAX];
	bool named = false;

	if (home_conf(path, &named, &why) != OK || conf_load(NULL, &conf, &why) != OK) {
		findings_bad(f, "configuration: %s", why.text);
		return;
	}
	findings_good(f, "configuration: %s (an absent file gives the defaults)", path);
	check_compat(f, conf);
	check_limit(f, &conf->module);
	*group = conf->module.group_mode;
	conf_free(conf);
}

/* ---- the state directory ---- */

static void check_state(struct findings *f, bool group)
{
	char path[PATH_MAX];
	struct why why = { "" };
	enum err e = home_state(path, &why);

	if (e == OK)
		e = dir_check(path, group, &why);
	if (e == OK)
		findings_good(f, "state: %s", path);
	else if (e == E_ABSENT)
		findings_advice(f, "state: %s does not exist yet; `chancery token init` makes it",
				path);
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
static void check_audit(struct findings *f, const CK_CHANCERY_FUNCTIONS *fn, bool *off)
{
	CK_CHANCERY_AUDIT a;

	if (fn->version.minor < 1 || fn->AuditState(&a) != CKR_OK)
		return;
	*off = !a.on;
	if (!a.on)
		findings_advice(f, "audit log: it is off, so no use of a key is recorded");
	else if (a.failed)
		findings_bad(f, "audit log: %s", a.why);
	else if (a.open && !a.durable)
		findings_advice(f, "audit log: where it goes, nothing is durable");
	else if (a.low)
		findings_advice(f, "audit log: its disk is nearly full");
}

static void check_required(struct findings *f, const CK_CHANCERY_FUNCTIONS *fn, bool off,
			   CK_SLOT_ID slot)
{
	CK_BBOOL required = CK_FALSE;

	if (fn == NULL || fn->version.minor < 1 ||
	    fn->TokenRequiresAudit(slot, &required) != CKR_OK || !required)
		return;
	if (off)
		findings_bad(
			f,
			"slot %lu: its token requires the audit log, which is off: none of its keys "
			"works until `audit = on`",
			slot);
}

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

/* *any: there are some. */
static void check_unreadable(struct findings *f, const struct module *m, bool *any)
{
	CK_RV rv = CKR_OK;

	for (CK_SLOT_ID slot = 0; pick_unreadable(m, &slot, &rv); slot++) {
		*any = true;
		findings_bad(f, "slot %lu: its token cannot be read: %s", slot,
			     name_of(NAME_CKR, rv));
	}
}

static enum err check_tokens(struct call *c, struct findings *f, const struct office *o,
			     const CK_CHANCERY_FUNCTIONS *fn, bool off)
{
	struct spot *spots = NULL;
	size_t n = 0;
	bool unreadable = false;
	enum err e = pick_tokens(o->m, &o->uri, PICK_TOKEN, &spots, &n, &c->why);

	for (size_t i = 0; i < n && e == OK; i++) {
		check_token(f, &spots[i]);
		check_required(f, fn, off, spots[i].slot);
	}
	check_unreadable(f, o->m, &unreadable);
	if (e == OK && n == 0 && !unreadable)
		findings_advice(
			f,
			"there is no token yet; `chancery token init --label NAME --make-pins DIR` makes one");
	mem_free(spots);
	return e;
}

/* Everything stored of one token, when a PIN was given. What keeps it from being checked is a finding too. */
static enum err check_stored(struct call *c, struct findings *f, struct office *o,
			     const CK_CHANCERY_FUNCTIONS *fn)
{
	bool so = call_flag(c, "so-pin-source");
	struct buf pin = { .secret = true };
	size_t before = f->bad;
	struct why why = { "" };
	enum err e = pick_token(o->m, &o->uri, PICK_TOKEN, &o->spot, &c->why);

	if (e == OK)
		e = office_pin(c, o, so ? "so-pin-source" : "pin-source", false, &pin);
	if (e == OK &&
	    module_err(fn->TokenCheck(o->spot.slot, so ? CKU_SO : CKU_USER, pin.p, pin.n,
				      findings_report, f),
		       "TokenCheck", &why) != OK &&
	    f->bad == before)
		findings_bad(f, "token: what is stored of it cannot be read: %s", why.text);
	buf_free(&pin);
	return e;
}

static enum err check_module(struct call *c, struct findings *f, struct office *o)
{
	const CK_CHANCERY_FUNCTIONS *fn = NULL;
	bool off = false;
	enum err e = office_module(c, c->n_operands > 0 ? c->operands[0] : NULL, o);

	if (e != OK) {
		findings_bad(f, "module: %s", c->why.text);
		return OK;
	}
	fn = module_chancery(o->m);
	findings_good(f, "module: %s%s%s", module_path(o->m), fn != NULL ? ", with " : "",
		      fn != NULL ? fn->CryptoVersion() : "");
	if (fn != NULL)
		check_memory(f, fn);
	if (fn != NULL)
		check_tokens_folder(f, fn);
	if (fn != NULL)
		check_audit(f, fn, &off);
	e = check_tokens(c, f, o, fn, off);
	if (e == OK && (call_flag(c, "pin-source") || call_flag(c, "so-pin-source")))
		e = fn != NULL ? check_stored(c, f, o, fn) : vendor_functions(c, o, &fn);
	return e;
}

static enum err doctor(struct call *c)
{
	struct office o = { 0 };
	struct findings f;
	bool group = false;
	enum err e;

	if (call_flag(c, "config"))
		return show_config(c);
	if ((e = findings_begin(&f)) != OK)
		return e;
	check_config(&f, &group);
	check_state(&f, group);
	e = check_module(c, &f, &o);
	if (e == OK)
		e = findings_end(c, &f, "checks");
	else
		findings_drop(&f);
	office_close(&o);
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
