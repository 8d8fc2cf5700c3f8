/* SPDX-License-Identifier: Apache-2.0 */
/* chancery mech list */
#include "cli/commands.h"
#include "cli/mech_diff.h"
#include "cli/offer.h"
#include "cli/office.h"
#include "cli/p11kit.h"
#include "cli/probe.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { SECONDS = 30, SECONDS_MAX = 3600 };

static const struct option_row options[] = {
	{ "all", NULL, "list Chancery's own module and every module configured for p11-kit", NULL },
	{ "p11-kit", "DIR", "with --all: read the *.module files of DIR, not p11-kit's own", NULL },
	{ "diff", NULL, "compare A and B: module files, URIs, or numbers of slots", NULL },
	{ "timeout", "SECONDS", "give a module up after so long (default: 30)", NULL },
	{ NULL, NULL, NULL, NULL },
};

/* What is to be asked, and what came of it. */
struct survey {
	const char *uri; /* of the slots that are meant, or NULL: all */
	unsigned seconds;
	json_t *rows; /* a provider each: {"provider", "module", "slots"} and perhaps "error" */
	size_t failed;
};

static enum err no_memory(struct call *c)
{
	return why_fail(&c->why, E_MEMORY, "%s", err_text(E_MEMORY));
}

/* ---- asking ---- */

static const char *text_of(const json_t *row, const char *key)
{
	return json_string_value(json_object_get(row, key));
}

static json_t *provider_row(const char *path)
{
	const char *slash = strrchr(path, '/');

	return json_pack("{s:o, s:o}", "provider",
			 report_label(span_str(slash != NULL ? slash + 1 : path)), "module",
			 report_label(span_str(path)));
}

static bool slots_failed(const json_t *slots)
{
	const json_t *slot;
	size_t i;

	json_array_foreach(slots, i, slot) if (json_object_get(slot, "error") != NULL) return true;
	return false;
}

/* Adds the row, with what its module says; takes over the reference. The error of a module is told in why. */
static enum err provider_ask(struct survey *s, json_t *row, const char *path, struct why *why)
{
	json_t *slots = NULL;
	enum err e = probe(path, s->uri, s->seconds, &slots, why);

	if (e != OK)
		json_object_set_new(row, "error", report_label(span_str(why->text)));
	if (e != OK || slots_failed(slots))
		s->failed++;
	json_object_set_new(row, "slots", slots);
	if (json_array_append_new(s->rows, row) != 0)
		return why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
	return e;
}

/* Chancery's own module may be configured for p11-kit too. */
static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static enum err configured_ask(struct call *c, struct survey *s, json_t *configured,
			       const char *own)
{
	json_t *row;
	size_t i;

	json_array_foreach(configured, i, row)
	{
		struct why why = { "" };
		const char *path = text_of(row, "module");
		if (path != NULL && same_file(path, own))
			continue;
		if (path != NULL && provider_ask(s, json_incref(row), path, &why) == E_MEMORY)
			return no_memory(c);
		if (path != NULL)
			continue;
		s->failed += text_of(row, "error") != NULL;
		if (json_array_append(s->rows, row) != 0)
			return no_memory(c);
	}
	return OK;
}

static enum err ask_all(struct call *c, struct survey *s)
{
	char own[PATH_MAX];
	struct why why = { "" };
	json_t *configured = NULL;
	enum err e = p11kit_modules(call_option(c, "p11-kit"), &configured, &c->why);

	office_own_module(own);
	if (e == OK && provider_ask(s, provider_row(own), own, &why) == E_MEMORY)
		e = no_memory(c);
	if (e == OK)
		e = configured_ask(c, s, configured, own);
	json_decref(configured);
	return e;
}

static enum err ask_one(struct call *c, struct survey *s, const char *path)
{
	enum err e = provider_ask(s, provider_row(path), path, &c->why);
	const json_t *slots = json_object_get(json_array_get(s->rows, 0), "slots");

	/* What was read before the module crashed is printed; the row has the error. */
	if (e != E_MEMORY && json_array_size(slots) > 0)
		return OK;
	if (e == OK && s->uri != NULL)
		e = why_fail(&c->why, E_TOKEN_ABSENT,
			     "no token of %s fits; `chancery token list` shows what is there",
			     path);
	return e;
}

/* ---- telling ---- */

static enum err print_slot(struct call *c, const json_t *slot, const json_t *before)
{
	json_t *mechanisms = json_object_get(slot, "mechanisms");
	const char *token = text_of(slot, "token");
	size_t n = json_array_size(mechanisms);
	bool same = n > 0 && json_equal(mechanisms, json_object_get(before, "mechanisms"));

	printf("  slot %lld (%s)", json_integer_value(json_object_get(slot, "slot")),
	       text_of(slot, "description"));
	if (token[0] != '\0')
		printf(", token \"%s\"", token);
	if (mechanisms == NULL)
		printf(": FAILED: %s\n", text_of(slot, "error"));
	else if (n == 0)
		printf(": offers none\n");
	else
		printf(": %zu mechanisms%s\n", n, same ? ", the same as the slot before" : "");
	return n == 0 || same ? OK : report_table(c, json_incref(mechanisms), offer_columns, "");
}

static enum err print_provider(struct call *c, const json_t *row, const char *uri)
{
	const char *module = text_of(row, "module"), *error = text_of(row, "error");
	const char *out = text_of(row, "left_out");
	const json_t *slots = json_object_get(row, "slots"), *slot, *before = NULL;
	enum err e = OK;
	size_t i;

	printf("%s: %s\n", text_of(row, "provider"),
	       module != NULL ? module : text_of(row, "source"));
	if (error != NULL)
		printf("  FAILED: %s\n", error);
	else if (out != NULL)
		printf("  left out: %s\n", out);
	else if (json_array_size(slots) == 0)
		printf("  offers none: no token is there%s\n", uri != NULL ? " that fits" : "");
	json_array_foreach(slots, i, slot)
	{
		if (e == OK)
			e = print_slot(c, slot, before);
		before = slot;
	}
	return e;
}

static enum err print_all(struct call *c, const struct survey *s)
{
	enum err e = OK;
	json_t *row;
	size_t i;

	if (c->json)
		return report_table(c, json_incref(s->rows), offer_columns, "");
	json_array_foreach(s->rows, i, row)
	{
		if (i > 0)
			putchar('\n');
		if (e == OK)
			e = print_provider(c, row, s->uri);
	}
	return e;
}

/* ---- the command ---- */

static enum err usage_check(struct call *c)
{
	bool diff = call_flag(c, "diff"), all = call_flag(c, "all");

	if (diff && c->n_operands != 2)
		return why_fail(&c->why, E_ARGUMENTS,
				"--diff compares two: a module file, URI or slot number each");
	if (!diff && c->n_operands > 1)
		return why_fail(&c->why, E_ARGUMENTS, "\"%s\" is one word too many",
				c->operands[1]);
	if (all && (diff || c->module != NULL))
		return why_fail(&c->why, E_ARGUMENTS, "--all does not go with --%s",
				diff ? "diff" : "module");
	if (!all && call_flag(c, "p11-kit"))
		return why_fail(&c->why, E_ARGUMENTS, "--p11-kit goes with --all");
	return OK;
}

static enum err survey_run(struct call *c, struct survey *s)
{
	char path[PATH_MAX];
	struct uri u = { 0 };
	bool all = call_flag(c, "all");
	enum err e = office_find(c, s->uri, &u, path);

	if (e == OK && all && u.has[URI_MODULE_PATH])
		e = why_fail(&c->why, E_ARGUMENTS, "--all does not go with module-path in the URI");
	uri_free(&u);
	if (e == OK)
		e = all ? ask_all(c, s) : ask_one(c, s, path);
	if (e == OK)
		e = print_all(c, s);
	if (e == OK && s->failed > 0)
		e = why_fail(&c->why, E_CONFIG, "%zu of %zu providers failed", s->failed,
			     json_array_size(s->rows));
	return e;
}

static enum err mech_list(struct call *c)
{
	struct survey s = { .uri = c->n_operands > 0 ? c->operands[0] : NULL };
	long seconds = SECONDS;
	enum err e = usage_check(c);

	if (e == OK)
		e = call_number(c, "timeout", 1, SECONDS_MAX, SECONDS, &seconds);
	s.seconds = (unsigned)seconds;
	if (e == OK && call_flag(c, "diff"))
		return mech_diff(c, s.seconds);
	if (e == OK && (s.rows = json_array()) == NULL)
		e = no_memory(c);
	if (e == OK)
		e = survey_run(c, &s);
	json_decref(s.rows);
	return e;
}

const struct command cmd_mech_list = {
	"mech",
	"list",
	"[URI | A B]",
	2,
	"List the mechanisms of every slot with flags and key sizes, or compare two",
	options,
	mech_list,
};
