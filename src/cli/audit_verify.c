/* SPDX-License-Identifier: Apache-2.0 */
/* chancery audit verify */
#include "auditor/code.h"
#include "auditor/review.h"
#include "base/file.h"
#include "cli/auditplace.h"
#include "cli/bar.h"
#include "cli/commands.h"
#include "cli/report.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct option_row options[] = {
	AUDITPLACE_DIR,
	AUDITPLACE_KEY("check the MACs with the auditor's private keys"),
	{ "anchor", "FILE", "hold the roll against what was published of it", NULL },
	AUDITPLACE_PUB,
	{ "jobs", "N", "files to check at once (default: one for each processor)", NULL },
	AUDITPLACE_END,
};

/* What the check begins with, owned. */
struct given {
	const char *alone; /* a file that belongs to no directory, or NULL */
	char dir[PATH_MAX];
	struct keys_private *keys;
	struct keys_public pub;
	bool has_pub, has_anchor;
	struct buf text; /* of the anchor */
	struct anchor anchor;
};

static void given_free(struct given *g)
{
	keys_private_free(g->keys);
	if (g->has_anchor)
		anchor_free(&g->anchor);
	buf_free(&g->text);
}

/* An anchor that should be the auditor's must be; one that is not signed is worth what its place of publication is. */
static enum err check_signature(struct call *c, const struct given *g)
{
	enum signed_answer a = SIGNED_ABSENT;

	if (g->has_pub)
		a = keys_check(&g->pub, &g->anchor.note);
	for (size_t i = 0; a == SIGNED_ABSENT && g->keys != NULL && i < keys_private_count(g->keys);
	     i++)
		a = keys_check(keys_private_public(g->keys, i), &g->anchor.note);
	if (a == SIGNED_BAD)
		return why_fail(&c->why, E_SIGNATURE,
				"the auditor's signature under the anchor is not right");
	if (a == SIGNED_ABSENT && g->has_pub)
		return why_fail(&c->why, E_SIGNATURE, "the anchor is not signed by this auditor");
	return OK;
}

static enum err take_anchor(struct call *c, struct given *g)
{
	const char *path = call_option(c, "anchor");
	enum err e;

	if (path == NULL)
		return OK;
	e = file_read(path, FILE_FOLLOW, SIGNED_MAX, &g->text, &c->why);
	if (e == OK) {
		g->has_anchor = true;
		e = anchor_read(buf_span(&g->text), &g->anchor, &c->why);
	}
	return e == OK ? check_signature(c, g) : e;
}

/* A name that was mistyped is no damage. */
static enum err take_alone(struct call *c, struct given *g)
{
	g->alone = c->operands[0];
	if (call_flag(c, "dir") || call_flag(c, "auditor-key") || call_flag(c, "anchor") ||
	    call_flag(c, "auditor-pub"))
		return why_fail(&c->why, E_ARGUMENTS,
				"a file that stands alone has no index to hold keys or anchors "
				"against: leave --dir, --auditor-key, --anchor and --auditor-pub "
				"out");
	if (access(g->alone, R_OK) != 0)
		return why_errno(&c->why, "cannot open %s", g->alone);
	return OK;
}

static enum err take_given(struct call *c, struct given *g)
{
	enum err e;

	if (c->n_operands != 0)
		return take_alone(c, g);
	if (call_flag(c, "auditor-pub") && !call_flag(c, "anchor"))
		return why_fail(&c->why, E_ARGUMENTS,
				"--auditor-pub tells who signed an anchor: give --anchor, too. For "
				"the MACs it takes the private keys, --auditor-key");
	e = auditplace_dir(c, g->dir);
	if (e == OK)
		e = auditplace_keys(c, &g->keys);
	if (e == OK)
		e = auditplace_public(c, &g->pub, &g->has_pub);
	return e == OK ? take_anchor(c, g) : e;
}

/* ---- the answer ---- */

static json_t *damage_json(const struct given *g, const struct finding *f)
{
	char name[PATH_MAX] = "index";

	if (g->alone != NULL)
		snprintf(name, sizeof(name), "%s", g->alone);
	else if (f->file != 0)
		snprintf(name, sizeof(name), "roll.%06" PRIu64, f->file);
	return json_pack("{s:s, s:s, s:I, s:s, s:s}", "kind", damage_word(f->kind), "file", name,
			 "line", (json_int_t)f->line, "what", f->text, "meaning",
			 damage_meaning(f->kind));
}

static json_t *damages_json(const struct given *g, const struct findings *all)
{
	json_t *list = json_array();

	for (size_t i = 0; i < all->n; i++)
		json_array_append_new(list, damage_json(g, &all->at[i]));
	return list;
}

static const char *const ends[] = {
	[CHAPTER_CLOSED] = "closed", [CHAPTER_OPEN] = "open",   [CHAPTER_LEFT] = "left",
	[CHAPTER_TORN] = "torn",     [CHAPTER_EMPTY] = "empty",
};

/* How many files ended how: {"closed": 3, "torn": 1}. */
static json_t *ends_json(const struct review *r)
{
	json_int_t count[sizeof(ends) / sizeof(ends[0])] = { 0 };
	json_t *v = json_object();

	for (size_t i = 0; i < r->n; i++)
		count[r->at[i].end]++;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (count[i] != 0)
			json_object_set_new(v, ends[i], json_integer(count[i]));
	return v;
}

static void not_proven(json_t *list, const char *text)
{
	json_array_append_new(list, json_string(text));
}

/* What the levels that were not reached would have told, and what none can. */
static json_t *limits_json(const struct given *g, const struct review *r)
{
	json_t *list = json_array();
	char text[256];

	if (!review_authentic(r))
		not_proven(list, g->keys == NULL
					 ? "who wrote it: whoever can write the directory can make "
					   "a roll whose hashes are right. --auditor-key tells"
					 : "who wrote the files that are not sealed to this "
					   "auditor: their MACs were not checked");
	if (!g->has_anchor) {
		not_proven(list,
			   "that this is the newest state: the whole directory as it was last week "
			   "passes, too. --anchor tells");
		snprintf(
			text, sizeof(text),
			"that the newest records of files without a last one are all there (%" PRIu64
			" records are under no checkpoint). --anchor tells",
			r->unsigned_records);
		not_proven(list, text);
	} else {
		not_proven(list, "anything about what came after the anchor was made");
	}
	not_proven(list, "what a process did whose user or machine was in somebody else's hands: "
			 "it writes its own records until its file ends");
	return list;
}

/* null: it was not asked. */
static json_t *known(bool asked, bool v)
{
	return asked ? json_boolean(v) : json_null();
}

static json_t *answer(const struct given *g, const struct review *r)
{
	char id[2 * LINE_ID + 1] = "";

	if (r->has_id)
		code_hex_put(span(r->id, LINE_ID), id);
	return json_pack(
		"{s:s, s:s, s:I, s:o, s:I, s:I, s:I, s:I, s:b, s:o, s:o, s:I, s:o, s:I, s:o}",
		"place", g->alone != NULL ? g->alone : g->dir, "id", id, "files", (json_int_t)r->n,
		"ends", ends_json(r), "records", (json_int_t)r->records, "bytes",
		(json_int_t)r->bytes, "checkpoints", (json_int_t)r->checkpoints, "index_lines",
		(json_int_t)r->index_lines, "consistent", review_consistent(r), "authentic",
		known(g->keys != NULL, review_authentic(r)), "anchored",
		known(g->has_anchor, r->anchored), "authentic_files",
		(json_int_t)r->authentic_files, "damage", damages_json(g, &r->bad), "damage_total",
		(json_int_t)r->bad.total, "not_proven", limits_json(g, r));
}

/* ---- for people ---- */

static const char *yes(const json_t *v, const char *key)
{
	const json_t *is = json_object_get(v, key);

	return json_is_null(is) ? "not checked" : json_is_true(is) ? "yes" : "no";
}

static void print_damage(const json_t *v)
{
	const json_t *d;
	size_t i;
	json_int_t total = json_integer_value(json_object_get(v, "damage_total"));

	json_array_foreach(json_object_get(v, "damage"), i, d)
	{
		json_int_t line = json_integer_value(json_object_get(d, "line"));
		char at[40] = "";

		if (line != 0)
			snprintf(at, sizeof(at), ":%" JSON_INTEGER_FORMAT, line);
		printf("%s%s: %s: %s\n", json_string_value(json_object_get(d, "file")), at,
		       json_string_value(json_object_get(d, "kind")),
		       json_string_value(json_object_get(d, "what")));
		printf("    (%s)\n", json_string_value(json_object_get(d, "meaning")));
	}
	if ((json_int_t)i < total)
		printf("and %" JSON_INTEGER_FORMAT " more\n", total - (json_int_t)i);
}

static void print_limits(const json_t *v)
{
	const json_t *t;
	size_t i;

	printf("not proven:\n");
	json_array_foreach(json_object_get(v, "not_proven"), i, t)
		printf("  - %s\n", json_string_value(t));
}

static void print_ends(const json_t *v)
{
	json_t *ends_of = json_object_get(v, "ends"), *n;
	const char *key;

	printf("files        %" JSON_INTEGER_FORMAT,
	       json_integer_value(json_object_get(v, "files")));
	json_object_foreach(ends_of, key, n)
		printf(", %" JSON_INTEGER_FORMAT " %s", json_integer_value(n), key);
	putchar('\n');
}

static void print_answer(const json_t *v)
{
	print_damage(v);
	print_ends(v);
	printf("records      %" JSON_INTEGER_FORMAT ", %" JSON_INTEGER_FORMAT
	       " bytes, %" JSON_INTEGER_FORMAT " checkpoints\n",
	       json_integer_value(json_object_get(v, "records")),
	       json_integer_value(json_object_get(v, "bytes")),
	       json_integer_value(json_object_get(v, "checkpoints")));
	printf("consistent   %s (hash chains, numbers, index, checkpoints)\n",
	       yes(v, "consistent"));
	printf("authentic    %s (MACs, with the auditor's key", yes(v, "authentic"));
	if (json_is_false(json_object_get(v, "authentic")))
		printf("; of %" JSON_INTEGER_FORMAT " files all are right",
		       json_integer_value(json_object_get(v, "authentic_files")));
	printf(")\n");
	printf("anchored     %s (what was published is still there)\n", yes(v, "anchored"));
	print_limits(v);
}

static enum err audit_verify(struct call *c)
{
	struct given g = { .keys = NULL };
	struct review r = { .n = 0 };
	struct review_ask ask = { .dir = g.dir };
	long jobs = 0;
	enum err e = take_given(c, &g);

	if (e == OK)
		e = call_number(c, "jobs", 1, 64, 0, &jobs);
	ask.keys = g.keys;
	ask.anchor = g.has_anchor ? &g.anchor : NULL;
	ask.jobs = (unsigned)jobs;
	ask.tick = isatty(STDERR_FILENO) && !c->quiet && !c->json ? bar_draw : NULL;
	if (e == OK)
		e = g.alone != NULL ? review_alone(g.alone, &r, &c->why)
				    : review_run(&ask, &r, &c->why);
	if (e == OK) {
		json_t *v = answer(&g, &r);

		if (!report_json(c, v))
			print_answer(v);
		json_decref(v);
		c->status = review_sound(&r) ? 0 : 1;
	}
	review_free(&r);
	given_free(&g);
	return e;
}

const struct command cmd_audit_verify = {
	"audit", "verify",     "[FILE]", 1, "Check the roll and say what that establishes",
	options, audit_verify,
};
