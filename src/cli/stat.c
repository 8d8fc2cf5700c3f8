/* SPDX-License-Identifier: Apache-2.0 */
/* chancery stat */
#include "base/clock.h"
#include "base/home.h"
#include "base/mem.h"
#include "base/uri.h"
#include "cli/commands.h"
#include "cli/counts.h"
#include "cli/describe.h"
#include "cli/prometheus.h"
#include "cli/report.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 2, SECONDS_MAX = 3600 };

static const struct option_row options[] = {
	{ "watch", NULL, "go on, and show how many operations there are in a second", NULL },
	{ "interval", "SECONDS", "with --watch: how often (default: 2)", NULL },
	{ "prometheus", NULL, "print the text format that Prometheus reads", NULL },
	{ NULL, NULL, NULL, NULL },
};

#define COLUMNS                                                                                   \
	{ "SLOT", "slot" }, { "TOKEN", "token" }, { "MECHANISM", "mechanism" }, { "USE", "use" }, \
		{ "OPERATIONS", "operations" }, { "REJECTED", "rejected" },                       \
		{ "FAILED", "failed" }, { "BYTES", "bytes" },                                     \
	{                                                                                         \
		"MEAN NS", "mean_ns"                                                              \
	}

static const struct column columns[] = { COLUMNS, { NULL, NULL } };
static const struct column watch_columns[] = { COLUMNS,
					       { "PER SECOND", "per_second" },
					       { NULL, NULL } };

/* What one look found: an array of tokens, and one of all their rows. */
struct look {
	json_t *tokens, *rows;
	uint64_t when;  /* clock_ns */
	size_t refused; /* files that could not be read */
};

static enum err no_memory(struct call *c)
{
	return why_fail(&c->why, E_MEMORY, "%s", err_text(E_MEMORY));
}

static void look_free(struct look *l)
{
	json_decref(l->tokens);
	json_decref(l->rows);
	*l = (struct look){ 0 };
}

/* ---- what there is ---- */

static struct span field(const char *text, size_t n)
{
	while (n > 0 && text[n - 1] == ' ')
		n--;
	return span(text, n);
}

static json_t *token_of(CK_SLOT_ID slot, const struct counts *k)
{
	return json_pack("{s:I, s:o, s:o, s:I, s:I}", "slot", (json_int_t)slot, "token",
			 report_label(field(k->label, sizeof(k->label))), "serial",
			 report_label(field(k->serial, sizeof(k->serial))), "since",
			 (json_int_t)k->since, "lost", (json_int_t)k->lost);
}

static json_t *use_of(unsigned use)
{
	const char *name = tally_use_name(use);

	return name != NULL ? json_string(name) : json_sprintf("use_%u", use);
}

/* A row, without what says whose it is. */
static json_t *row_of(const struct counts_row *r)
{
	json_int_t n = (json_int_t)r->done;
	json_t *mean = r->samples != 0 ? json_integer((json_int_t)(r->sample_ns / r->samples))
				       : json_null();
	json_t *name =
		r->use == TALLY_RANDOM ? json_string("-") : describe_name(NAME_CKM, r->mechanism);

	/* each is at most INT64_MAX, and so is what is shown of their sum */
	n = (json_int_t)r->rejected > INT64_MAX - n ? INT64_MAX : n + (json_int_t)r->rejected;
	n = (json_int_t)r->failed > INT64_MAX - n ? INT64_MAX : n + (json_int_t)r->failed;
	return json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "mechanism", name,
			 "use", use_of(r->use), "operations", n, "done", (json_int_t)r->done,
			 "rejected", (json_int_t)r->rejected, "failed", (json_int_t)r->failed,
			 "bytes", (json_int_t)r->bytes, "samples", (json_int_t)r->samples,
			 "sampled_ns", (json_int_t)r->sample_ns, "mean_ns", mean);
}

static enum err add_token(struct look *l, CK_SLOT_ID slot, const struct counts *k)
{
	json_t *token = token_of(slot, k);

	if (token == NULL || json_array_append_new(l->tokens, token) != 0)
		return E_MEMORY;
	for (size_t i = 0; i < k->n; i++) {
		json_t *row = row_of(&k->row[i]);

		if (row == NULL || json_object_update(row, token) != 0 ||
		    json_object_del(row, "lost") != 0 || json_array_append_new(l->rows, row) != 0)
			return E_MEMORY;
	}
	return OK;
}

/* ---- which of them ---- */

static enum err uri_check(struct call *c, const struct uri *u)
{
	for (int a = 0; a < URI_ATTR_COUNT; a++)
		if (u->has[a] && a != URI_TOKEN && a != URI_SERIAL && a != URI_SLOT_ID)
			return why_fail(
				&c->why, E_ARGUMENTS,
				"a URI says here which tokens are shown, by token, serial and "
				"slot-id alone");
	return OK;
}

static bool fits(const struct uri *u, CK_SLOT_ID slot, const struct counts *k)
{
	CK_SLOT_ID id;

	return (!uri_slot_id(u, &id) || id == slot) &&
	       (!u->has[URI_TOKEN] ||
		span_eq(u->v[URI_TOKEN], field(k->label, sizeof(k->label)))) &&
	       (!u->has[URI_SERIAL] ||
		span_eq(u->v[URI_SERIAL], field(k->serial, sizeof(k->serial))));
}

static enum err look_at_slot(struct call *c, const char *tokens, const struct uri *u,
			     CK_SLOT_ID slot, struct look *l)
{
	struct counts *k = mem_alloc(sizeof(*k));
	struct why why = { "" };
	enum err e = k != NULL ? counts_read(tokens, slot, k, &why) : E_MEMORY;

	if (e == OK && fits(u, slot, k))
		e = add_token(l, slot, k);
	mem_free(k);
	if (e == OK || e == E_ABSENT)
		return OK;
	if (e == E_MEMORY)
		return no_memory(c);
	report_warn(c, "%s", why.text);
	l->refused++;
	return OK;
}

static enum err tokens_folder(struct call *c, char path[PATH_MAX])
{
	enum err e = home_state(path, &c->why);
	const size_t n = e == OK ? strlen(path) : 0;

	if (e == OK && snprintf(path + n, PATH_MAX - n, "/tokens") >= (int)(PATH_MAX - n))
		e = why_fail(&c->why, E_CONFIG, "the path of the state is too long");
	return e;
}

static enum err look(struct call *c, const struct uri *u, struct look *l)
{
	char path[PATH_MAX];
	CK_SLOT_ID *ids = NULL;
	size_t n = 0;
	enum err e = tokens_folder(c, path);

	*l = (struct look){ json_array(), json_array(), clock_ns(), 0 };
	if (l->tokens == NULL || l->rows == NULL)
		e = no_memory(c);
	if (e == OK)
		e = counts_slots(path, &ids, &n, &c->why);
	for (size_t i = 0; e == OK && i < n; i++)
		e = look_at_slot(c, path, u, ids[i], l);
	mem_free(ids);
	if (e != OK)
		look_free(l);
	return e;
}

/* ---- telling ---- */

static enum err tell(struct call *c, const struct look *l)
{
	if (call_flag(c, "prometheus")) {
		prometheus_print(l->tokens, l->rows);
		return OK;
	}
	return report_table(
		c, json_incref(l->rows), call_flag(c, "watch") ? watch_columns : columns,
		c->n_operands != 0 ? "Nothing was counted yet of a token that fits."
				   : "Nothing was counted yet: no program has used a token.");
}

static bool same_row(const json_t *a, const json_t *b)
{
	static const char *const members[] = { "slot", "serial", "since", "mechanism", "use" };

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (!json_equal(json_object_get(a, members[i]), json_object_get(b, members[i])))
			return false;
	return true;
}

static json_int_t operations_in(const json_t *rows, const json_t *like)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) if (same_row(row, like)) return json_integer_value(
		json_object_get(row, "operations"));
	return 0;
}

static void add_rates(struct look *l, const struct look *before)
{
	const double seconds = (double)(l->when - before->when) / 1e9;
	json_t *row;
	size_t i;

	json_array_foreach(l->rows, i, row)
	{
		const json_int_t more = json_integer_value(json_object_get(row, "operations")) -
					operations_in(before->rows, row);

		if (more >= 0 && seconds > 0)
			(void)json_object_set_new(
				row, "per_second",
				json_integer((json_int_t)((double)more / seconds + 0.5)));
	}
}

/* Until somebody interrupts it, or nobody listens any more. */
static enum err watch(struct call *c, const struct uri *u, unsigned seconds)
{
	const bool terminal = isatty(STDOUT_FILENO) == 1;
	struct look before = { 0 }, now;
	enum err e = OK;

	while ((e = look(c, u, &now)) == OK) {
		if (before.rows != NULL)
			add_rates(&now, &before);
		look_free(&before);
		before = now; /* moved */
		if (terminal)
			fputs("\033[H\033[2J", stdout);
		e = tell(c, &before);
		if (e != OK || !report_flush(c))
			break;
		if (!terminal)
			putchar('\n');
		(void)sleep(seconds);
	}
	look_free(&before);
	return e;
}

static enum err show(struct call *c, const struct uri *u)
{
	struct look l;
	enum err e = look(c, u, &l);

	if (e != OK)
		return e;
	e = tell(c, &l);
	if (e == OK && l.refused != 0)
		e = why_fail(&c->why, E_DATA, "the counters of %zu tokens cannot be read",
			     l.refused);
	look_free(&l);
	return e;
}

static enum err usage_check(struct call *c)
{
	if (c->module != NULL)
		return why_fail(
			&c->why, E_ARGUMENTS,
			"--module does not go with stat: it reads files, and loads no module");
	if (c->json && call_flag(c, "prometheus"))
		return why_fail(&c->why, E_ARGUMENTS, "--json does not go with --prometheus");
	if (call_flag(c, "watch") && (c->json || call_flag(c, "prometheus")))
		return why_fail(
			&c->why, E_ARGUMENTS,
			"--watch shows a table: it does not go with --json or --prometheus");
	if (call_flag(c, "interval") && !call_flag(c, "watch"))
		return why_fail(&c->why, E_ARGUMENTS, "--interval goes with --watch");
	return OK;
}

static enum err stat_run(struct call *c)
{
	struct uri u = { 0 };
	long seconds = SECONDS;
	enum err e = usage_check(c);

	if (e == OK)
		e = call_number(c, "interval", 1, SECONDS_MAX, SECONDS, &seconds);
	if (e == OK && c->n_operands > 0)
		e = uri_parse(c->operands[0], &u, &c->why);
	if (e == OK)
		e = uri_check(c, &u);
	if (e == OK)
		e = call_flag(c, "watch") ? watch(c, &u, (unsigned)seconds) : show(c, &u);
	uri_free(&u);
	return e;
}

const struct command cmd_stat = {
	NULL,
	"stat",
	"[URI]",
	1,
	"Show what was done with which mechanism: operations, errors, bytes and times",
	options,
	stat_run,
};
