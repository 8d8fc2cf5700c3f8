/* SPDX-License-Identifier: Apache-2.0 */
/* chancery audit stats */
#include "cli/auditplace.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/rollread.h"
#include "cli/rolltext.h"
#include <inttypes.h>
#include <stdio.h>

static const struct option_row options[] = {
	AUDITPLACE_DIR,   ROLLFILTER_ACTOR, ROLLFILTER_KEY,  ROLLFILTER_EVENT,
	ROLLFILTER_SINCE, ROLLFILTER_UNTIL, ROLLFILTER_FILE, AUDITPLACE_END,
};

enum { DATE = 10 };

/* What is counted, each an object of numbers by name. */
struct stats {
	json_t *event, *key, *rv, *day, *day_bytes;
	uint64_t records, bytes;
	uint64_t answers; /* of batches; INT64_MAX: so many or more */
};

static void count(json_t *by, const char *name, uint64_t more)
{
	json_int_t v = json_integer_value(json_object_get(by, name));

	json_object_set_new(by, name, json_integer(v + (json_int_t)more));
}

static void count_span(json_t *by, struct span name, uint64_t more)
{
	char text[128];

	snprintf(text, sizeof(text), "%.*s", (int)name.n, (const char *)name.p);
	count(by, text, more);
}

/* A record may say any number. */
static void add_answers(struct stats *s, uint64_t more)
{
	s->answers = more < INT64_MAX - s->answers ? s->answers + more : INT64_MAX;
}

static void take(struct stats *s, const struct line *l)
{
	char key[ROLLTEXT_MAX];
	const uint64_t bytes = l->raw.n + 1;

	s->records++;
	s->bytes += bytes;
	add_answers(s, l->count.v);
	count_span(s->event, l->event, 1);
	count_span(s->rv, l->rv, 1);
	count_span(s->day, span(l->who.ts.p, DATE), 1);
	count_span(s->day_bytes, span(l->who.ts.p, DATE), bytes);
	if (l->key.raw.p != NULL) {
		rolltext_key(&l->key, key);
		count(s->key, key, 1);
	}
}

static void print_part(const char *head, const json_t *by)
{
	const char *name;
	json_t *n;

	if (json_object_size(by) != 0)
		printf("\n%s\n", head);
	json_object_foreach((json_t *)(uintptr_t)by, name, n)
		printf("  %12" JSON_INTEGER_FORMAT "  %s\n", json_integer_value(n), name);
}

static void print_stats(const struct stats *s)
{
	printf("%" PRIu64 " records, %" PRIu64 " bytes, %" PRIu64 " bytes per record\n", s->records,
	       s->bytes, s->records != 0 ? s->bytes / s->records : 0);
	if (s->answers != 0)
		printf("%" PRIu64 " answers in batches\n", s->answers);
	print_part("by event", s->event);
	print_part("by key", s->key);
	print_part("by return value", s->rv);
	print_part("by day", s->day);
	print_part("bytes by day", s->day_bytes);
}

static enum err tell(struct call *c, struct stats *s)
{
	json_t *v = json_pack("{s:I, s:I, s:I, s:I, s:O, s:O, s:O, s:O, s:O}", "records",
			      (json_int_t)s->records, "bytes", (json_int_t)s->bytes, "answers",
			      (json_int_t)s->answers, "bytes_per_record",
			      (json_int_t)(s->records != 0 ? s->bytes / s->records : 0), "event",
			      s->event, "key", s->key, "rv", s->rv, "day", s->day, "day_bytes",
			      s->day_bytes);

	if (v == NULL)
		return why_fail(&c->why, E_MEMORY, "no memory for the counts");
	if (!report_json(c, v))
		print_stats(s);
	json_decref(v);
	return OK;
}

static enum err audit_stats(struct call *c)
{
	struct stats s = {
		json_object(), json_object(), json_object(), json_object(), json_object(), 0, 0, 0
	};
	struct rollread *r = NULL;
	struct rollfilter f;
	const struct line *l;
	char dir[PATH_MAX];
	uint64_t file;
	enum err e = auditplace_dir(c, dir);

	if (e == OK)
		e = rollfilter_take(c, &f);
	if (e == OK)
		e = rollread_open(c, dir, &f, false, &r);
	while (e == OK && (l = rollread_next(r, &file)) != NULL)
		take(&s, l);
	if (e == OK) {
		c->status = rollread_damaged(r);
		e = tell(c, &s);
	}
	rollread_close(r);
	json_decref(s.event);
	json_decref(s.key);
	json_decref(s.rv);
	json_decref(s.day);
	json_decref(s.day_bytes);
	return e;
}

const struct command cmd_audit_stats = {
	"audit", "stats",     NULL, 0, "Count the records by event, key, return value and day",
	options, audit_stats,
};
