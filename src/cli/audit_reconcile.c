/* SPDX-License-Identifier: Apache-2.0 */
/* chancery audit reconcile */
#include "auditor/code.h"
#include "auditor/recount.h"
#include "base/mem.h"
#include "cli/auditplace.h"
#include "cli/bar.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/vendor.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct option_row options[] = {
	AUDITPLACE_DIR,
	{ "pin-source", "SOURCE", "the user's PIN, which opens the counters", PIN_SOURCES },
	{ "so-pin-source", "SOURCE", "the security officer's PIN, for the same", PIN_SOURCES },
	AUDITPLACE_END,
};

/* ---- what the token counted ---- */

struct counts {
	uint8_t id[LINE_ID]; /* of the roll that is read */
	struct recount_row *row;
	size_t n, room;
	uint64_t others; /* rows of other rolls */
	bool no_memory;
};

_Static_assert(CHANCERY_USE_KEY == RECOUNT_KEY, "a key's name has one length");

static void take(void *arg, const CK_CHANCERY_USE *use)
{
	struct counts *c = arg;

	if (memcmp(use->roll, c->id, LINE_ID) != 0) {
		c->others++;
		return;
	}
	if (c->n == c->room) {
		const size_t room = c->room == 0 ? 64 : 2 * c->room;
		struct recount_row *more = mem_realloc(c->row, room * sizeof(*more));

		c->no_memory = c->no_memory || more == NULL;
		if (more == NULL)
			return;
		c->row = more;
		c->room = room;
	}
	c->row[c->n] = (struct recount_row){ .file = use->file,
					     .counted = use->count,
					     .sealed = use->sealed };
	memcpy(c->row[c->n++].key, use->key, RECOUNT_KEY);
}

static enum err read_counts(struct call *c, const struct office *o, struct counts *counts)
{
	const bool so = call_flag(c, "so-pin-source");
	const CK_CHANCERY_FUNCTIONS *fn = NULL;
	CK_CHANCERY_WHY why = { "" };
	struct buf pin = { .secret = true };
	enum err e = vendor_functions(c, o, &fn);

	if (e == OK && !vendor_has_uses(fn))
		e = why_fail(&c->why, E_NOT_SUPPORTED, "this module counts no uses of keys");
	if (e == OK)
		e = office_pin(c, o, so ? "so-pin-source" : "pin-source", false, &pin);
	if (e == OK)
		e = vendor_err(c,
			       fn->TokenUses(o->spot.slot, so ? CKU_SO : CKU_USER, pin.p, pin.n,
					     take, counts, &why),
			       "TokenUses", &why);
	if (e == OK && counts->no_memory)
		e = why_fail(&c->why, E_MEMORY, "no memory for the counters");
	buf_free(&pin);
	return e;
}

/* ---- the answer ---- */

static json_t *key_json(const uint8_t key[RECOUNT_KEY])
{
	static const uint8_t none[RECOUNT_KEY];

	return memcmp(key, none, RECOUNT_KEY) == 0 ? json_null()
						   : report_label(span(key, RECOUNT_KEY));
}

static json_t *damages_json(const struct findings *all)
{
	json_t *list = json_array();
	char name[40];

	for (size_t i = 0; i < all->n; i++) {
		const struct finding *f = &all->at[i];

		snprintf(name, sizeof(name), f->file != 0 ? "roll.%06" PRIu64 : "index", f->file);
		json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:s, s:s}", "kind",
						      damage_word(f->kind), "file", name, "line",
						      (json_int_t)f->line, "what", f->text,
						      "meaning", damage_meaning(f->kind)));
	}
	return list;
}

static json_t *gaps_json(const struct recount *r)
{
	static const char *const ends[] = {
		[ENTRY_OPEN] = "open",
		[ENTRY_CLOSED] = "closed",
		[ENTRY_LEFT] = "left",
		[ENTRY_VOID] = "void",
	};
	json_t *list = json_array();
	char name[40];

	for (size_t i = 0; i < r->gaps; i++) {
		const struct recount_gap *g = &r->gap[i];

		snprintf(name, sizeof(name), "roll.%06" PRIu64, g->file);
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:o, s:I, s:I}", "file", name, "ended",
						ends[g->end], "key", key_json(g->key), "counted",
						(json_int_t)g->counted, "recorded",
						(json_int_t)g->recorded));
	}
	return list;
}

static json_t *limits_json(const struct recount *r, const struct counts *counts)
{
	json_t *list = json_array();

	json_array_append_new(
		list, json_string("that only its owner used a key: a use of a key that was stolen "
				  "is recorded and counted as any other, and one outside of this "
				  "module is neither"));
	json_array_append_new(list, json_string("that the records are as they were written: "
						"`audit verify` looks at that"));
	json_array_append_new(
		list,
		json_string("that this is the newest state, if the token and the roll were "
			    "both put back to an earlier one: `audit verify --anchor` tells"));
	if (r->sealed < r->counted)
		json_array_append_new(
			list,
			json_string("the uses that are not sealed in the token yet: until then "
				    "they are counted in a file that whoever can write the "
				    "roll can change"));
	if (counts->others != 0)
		json_array_append_new(list,
				      json_string("anything about other rolls that the token's "
						  "keys were recorded in: read those, too"));
	return list;
}

static json_t *answer(const char *dir, const struct office *o, const struct recount *r,
		      const struct counts *counts)
{
	char id[2 * LINE_ID + 1];

	code_hex_put(span(r->id, LINE_ID), id);
	return json_pack(
		"{s:s, s:s, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:b, s:o, s:I, s:o, s:I, s:I, s:I, s:o}",
		"place", dir, "id", id, "token",
		report_label(span(o->spot.info.label, field_len(o->spot.info.label, 32))), "serial",
		report_label(span(o->spot.info.serialNumber, 16)), "files", (json_int_t)r->files,
		"records", (json_int_t)r->records, "uses", (json_int_t)r->uses, "counted",
		(json_int_t)r->counted, "sealed", (json_int_t)r->sealed, "reconciled",
		r->bad.total == 0, "damage", damages_json(&r->bad), "damage_total",
		(json_int_t)r->bad.total, "uncounted", gaps_json(r), "uncounted_total",
		(json_int_t)r->gaps_total, "uncounted_closed", (json_int_t)r->gaps_closed,
		"other_rolls", (json_int_t)counts->others, "not_proven", limits_json(r, counts));
}

static json_int_t number(const json_t *v, const char *key)
{
	return json_integer_value(json_object_get(v, key));
}

static const char *string(const json_t *v, const char *key)
{
	return json_string_value(json_object_get(v, key));
}

static void print_damage(const json_t *v)
{
	const json_t *d;
	size_t i;

	json_array_foreach(json_object_get(v, "damage"), i, d)
		printf("%s: %s: %s\n    (%s)\n", string(d, "file"), string(d, "kind"),
		       string(d, "what"), string(d, "meaning"));
	if ((json_int_t)i < number(v, "damage_total"))
		printf("and %" JSON_INTEGER_FORMAT " more\n",
		       number(v, "damage_total") - (json_int_t)i);
}

static void print_gaps(const json_t *v)
{
	const json_t *g;
	size_t i;

	if (number(v, "uncounted_total") == 0)
		return;
	printf("recorded, and not counted (no damage: a process was killed between the two, the "
	       "power failed, or the token was put back from a backup; in a file that was closed "
	       "only the last, or a kill just as the next file began):\n");
	json_array_foreach(json_object_get(v, "uncounted"), i, g)
	{
		const char *key = string(g, "key");

		printf("  %s (%s): %s: %" JSON_INTEGER_FORMAT " recorded, %" JSON_INTEGER_FORMAT
		       " counted\n",
		       string(g, "file"), string(g, "ended"),
		       key != NULL ? key : "no object of the token", number(g, "recorded"),
		       number(g, "counted"));
	}
	if ((json_int_t)i < number(v, "uncounted_total"))
		printf("  and %" JSON_INTEGER_FORMAT " more\n",
		       number(v, "uncounted_total") - (json_int_t)i);
}

static void print_answer(const json_t *v)
{
	const json_t *t;
	size_t i;

	print_damage(v);
	print_gaps(v);
	printf("token        %s\n", string(v, "token"));
	printf("files        %" JSON_INTEGER_FORMAT ", %" JSON_INTEGER_FORMAT " records\n",
	       number(v, "files"), number(v, "records"));
	printf("uses         %" JSON_INTEGER_FORMAT " recorded, %" JSON_INTEGER_FORMAT
	       " counted, of which %" JSON_INTEGER_FORMAT " sealed in the token\n",
	       number(v, "uses"), number(v, "counted"), number(v, "sealed"));
	printf("reconciled   %s (nothing was counted that is not recorded)\n",
	       json_is_true(json_object_get(v, "reconciled")) ? "yes" : "no");
	printf("not proven:\n");
	json_array_foreach(json_object_get(v, "not_proven"), i, t)
		printf("  - %s\n", json_string_value(t));
}

/* The counters after the index and before the records: each use is recorded, then counted. */
static enum err reconcile(struct call *c, const char *dir, const struct office *o,
			  struct recount *r, struct counts *counts)
{
	struct recount_ask ask = { .dir = dir, .serial = span(o->spot.info.serialNumber, 16) };
	enum err e = recount_begin(dir, r, &c->why);

	if (e != OK)
		return e;
	memcpy(counts->id, r->id, LINE_ID);
	e = read_counts(c, o, counts);
	ask.row = counts->row;
	ask.n = counts->n;
	ask.tick = isatty(STDERR_FILENO) && !c->quiet && !c->json ? bar_draw : NULL;
	return e == OK ? recount_run(&ask, r, &c->why) : e;
}

static enum err audit_reconcile(struct call *c)
{
	struct counts counts = { .n = 0 };
	struct recount r = { .files = 0 };
	struct office o = { 0 };
	char dir[PATH_MAX];
	json_t *v = NULL;
	enum err e = OK;

	if (call_flag(c, "pin-source") && call_flag(c, "so-pin-source"))
		e = why_fail(&c->why, E_ARGUMENTS,
			     "one PIN is enough: the user's or the security officer's");
	if (e == OK)
		e = auditplace_dir(c, dir);
	if (e == OK)
		e = office_token(c, c->n_operands > 0 ? c->operands[0] : NULL, PICK_TOKEN, &o);
	if (e == OK)
		e = reconcile(c, dir, &o, &r, &counts);
	if (e == OK) {
		v = answer(dir, &o, &r, &counts);
		if (!report_json(c, v))
			print_answer(v);
		json_decref(v);
		c->status = r.bad.total == 0 ? 0 : 1;
	}
	mem_free(counts.row);
	recount_free(&r);
	office_close(&o);
	return e;
}

const struct command cmd_audit_reconcile = {
	"audit",
	"reconcile",
	"[URI]",
	1,
	"Hold the records against the uses that a token counted",
	options,
	audit_reconcile,
};
