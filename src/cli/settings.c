/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/settings.h"

#include "base/home.h"
#include "base/mem.h"
#include "client/pick.h"
#include "cli/office.h"
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define OWN_FILE "/chancery/chancery.conf" /* below the user's directory of configuration */

/* ---- the file ---- */

/* *text: which file it was. An absent one that nobody named gives the defaults. */
static enum err read_file(struct conf **conf, struct why *text, struct why *why)
{
	char path[PATH_MAX], own[PATH_MAX];
	bool named = false;
	enum err e = home_conf(path, &named, why);

	if (e != OK)
		return e;
	e = conf_load(path, conf, why);
	(void)why_fail(text, e, "%s", path);
	if (e != E_ABSENT || named)
		return e;
	if (home_config(OWN_FILE, own, NULL) == OK)
		(void)why_fail(text, OK, "no file, so the defaults: neither %s nor %s is there",
			       own, HOME_CONF_FILE);
	else
		(void)why_fail(text, OK, "no file, so the defaults: %s is not there",
			       HOME_CONF_FILE);
	return conf_parse(span(NULL, 0), path, conf, why);
}

/* ---- labels that no token has ---- */

struct labels {
	const struct conf *conf;
	struct picks picks; /* tokens of the module */
};

/* Freed with labels_free, also on error. The tokens are looked at only when there are labels to compare. */
static enum err labels_begin(struct labels *l, const struct conf *conf, const struct module *m,
			     struct why *why)
{
	const char *label;

	*l = (struct labels){ .conf = conf };
	if (conf_labelled(conf, 0, &label) == NULL)
		return OK;
	return pick_tokens(m, NULL, PICK_TOKEN, &l->picks, why);
}

static void labels_free(struct labels *l)
{
	picks_free(&l->picks);
}

static bool has_token(const struct labels *l, const char *label)
{
	for (size_t i = 0; i < l->picks.n; i++) {
		const CK_UTF8CHAR *field = l->picks.spots[i].info.label;

		if (span_eq(span(field, field_len(field, sizeof(l->picks.spots[i].info.label))),
			    span_str(label)))
			return true;
	}
	return false;
}

/* The next label without a token, from the *i-th section on; NULL: there are no more. */
static const char *labels_next(const struct labels *l, size_t *i)
{
	const char *label;

	while (conf_labelled(l->conf, *i, &label) != NULL) {
		(*i)++;
		if (!has_token(l, label))
			return label;
	}
	return NULL;
}

static const char *labels_proviso(const struct labels *l)
{
	return l->picks.n_unread == 0 ? "" : ", among those that can be read";
}

/* ---- doctor --config ---- */

static const struct column columns[] = {
	{ "SECTION", "section" }, { "KEY", "key" },   { "VALUE", "value" },
	{ "DEFAULT", "default" }, { "WHAT", "help" }, { NULL, NULL },
};

/* label: of a section of a token's own, or NULL. */
static json_t *row(const struct conf_key *k, const char *label, const void *section)
{
	struct buf value = { 0 };
	char name[64];
	json_t *made = NULL;

	snprintf(name, sizeof(name), "%s%s%s", k->section, label != NULL ? "." : "",
		 label != NULL ? label : "");
	if (conf_value(k, section, &value) == OK)
		made = json_pack("{s:o, s:s, s:o, s:s, s:s}", "section",
				 report_label(span_str(name)), "key", k->name, "value",
				 json_stringn(value.n > 0 ? (const char *)value.p : "", value.n),
				 "default", k->dflt != NULL ? k->dflt : "", "help", k->help);
	buf_free(&value);
	return made;
}

/* The rows of one section, or without a label of all that have none. */
static bool add_rows(json_t *rows, const struct conf *conf, const char *label,
		     const struct conf_token *own)
{
	size_t n = 0;
	const struct conf_key *keys = conf_keys(&n);
	bool added = true;

	for (size_t i = 0; i < n && added; i++) {
		if (label != NULL && strcmp(keys[i].section, "token") != 0)
			continue;
		added = json_array_append_new(
				rows, row(&keys[i], label,
					  label != NULL ? own : conf_section(conf, &keys[i]))) == 0;
	}
	return added;
}

static enum err print(struct call *c, const struct conf *conf)
{
	json_t *rows = json_array();
	const struct conf_token *own;
	const char *label;
	bool added = add_rows(rows, conf, NULL, NULL);

	for (size_t i = 0; added && (own = conf_labelled(conf, i, &label)) != NULL; i++)
		added = add_rows(rows, conf, label, own);
	if (added)
		return report_table(c, rows, columns, "There are no keys.");
	json_decref(rows);
	return why_fail(&c->why, E_MEMORY, "%s", err_text(E_MEMORY));
}

/* The module is opened only when there are labels to compare. */
static void warn_of_labels(struct call *c, const struct conf *conf)
{
	struct office o = { 0 };
	struct labels l = { .conf = conf };
	const char *label;
	size_t i = 0;
	enum err e = OK;

	if (conf_labelled(conf, 0, &label) == NULL)
		return;
	e = office_module(c, NULL, &o);
	if (e == OK && module_chancery(o.m) != NULL)
		e = labels_begin(&l, conf, o.m, &c->why);
	if (e != OK)
		report_warn(c, "whether there are tokens for the labels is not known: %s",
			    c->why.text);
	while (e == OK && module_chancery(o.m) != NULL && (label = labels_next(&l, &i)) != NULL)
		report_warn(c, "[token.%s]: no token has this label%s", label, labels_proviso(&l));
	labels_free(&l);
	office_close(&o);
}

enum err settings_show(struct call *c)
{
	struct conf *conf = NULL;
	struct why file = { "" };
	enum err e = read_file(&conf, &file, &c->why);

	if (e != OK)
		return e;
	report_step(c, "configuration: %s", file.text);
	e = print(c, conf);
	if (e == OK)
		warn_of_labels(c, conf);
	conf_free(conf);
	return e;
}

/* ---- doctor ---- */

/*
 * What the module may need, against what this process may lock; who may lock anything has no limit. Without strict, what
 * is not locked still works.
 */
static void check_limit(struct findings *f, const struct conf_module *m)
{
	struct rlimit limit;
	unsigned long have, want = (unsigned long)m->locked_kb;

	if (geteuid() == 0 || getrlimit(RLIMIT_MEMLOCK, &limit) != 0 ||
	    limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur / 1024 >= want)
		return;
	have = (unsigned long)(limit.rlim_cur / 1024);
	if (m->locked == LOCKED_STRICT)
		findings_bad(
			f,
			"memory: locked = strict, and only %lu of %lu KiB for secrets can be locked here: tokens "
			"cannot be opened, or fail once that is used up; raise LimitMEMLOCK or ulimit -l, "
			"lower locked_kb, or set locked = normal",
			have, want);
	else
		findings_advice(
			f,
			"memory: only %lu of %lu KiB for secrets can be locked here: raise LimitMEMLOCK or "
			"ulimit -l, or lower locked_kb",
			have, want);
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

struct conf *settings_check(struct findings *f)
{
	struct conf *conf = NULL;
	struct why file = { "" }, why = { "" };

	if (read_file(&conf, &file, &why) != OK) {
		findings_bad(f, "configuration: %s", why.text);
		return NULL;
	}
	findings_good(f, "configuration: %s", file.text);
	check_compat(f, conf);
	check_limit(f, &conf->module);
	return conf;
}

enum err settings_check_labels(struct findings *f, const struct conf *conf, const struct module *m,
			       struct why *why)
{
	struct labels l;
	const char *label;
	size_t i = 0;
	enum err e = labels_begin(&l, conf, m, why);

	while (e == OK && (label = labels_next(&l, &i)) != NULL)
		findings_advice(f, "configuration: [token.%s]: no token has this label%s", label,
				labels_proviso(&l));
	labels_free(&l);
	return e;
}
