/* SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHANGE = 40 };

struct step {
	bool delivered;
	unsigned records;
	char change[2][CHANGE]; /* of records that have one */
};

/* A thread, by the numbers of its steps. */
struct lane {
	unsigned first, n; /* steps that are known of */
	struct step *step;
};

struct tally {
	unsigned round;
	bool session_keys;
	struct lane lane[TOIL_LIVES][TOIL_THREADS];
};

struct tag {
	unsigned process, thread, n;
};

struct tally *tally_new(unsigned round, bool session_keys)
{
	struct tally *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	t->round = round;
	t->session_keys = session_keys;
	for (unsigned p = 0; p < TOIL_LIVES; p++)
		for (unsigned i = 0; i < TOIL_THREADS; i++)
			t->lane[p][i].first = course_begin(p, i).n + 1;
	return t;
}

void tally_free(struct tally *t)
{
	for (unsigned p = 0; p < TOIL_LIVES; p++)
		for (unsigned i = 0; i < TOIL_THREADS; i++)
			free(t->lane[p][i].step);
	free(t);
}

/* ---- steps ---- */

/* Of another round: false. */
static bool read_tag(const struct tally *t, const char *text, struct tag *tag)
{
	unsigned round;

	if (sscanf(text, "%u/%u/%u/%u", &round, &tag->process, &tag->thread, &tag->n) != 4 ||
	    round != t->round)
		return false;
	assert_true(tag->process < TOIL_LIVES && tag->thread < TOIL_THREADS);
	return true;
}

static struct step *step_of(struct tally *t, const struct tag *tag)
{
	struct lane *l = &t->lane[tag->process][tag->thread];
	unsigned at = tag->n - l->first;

	assert_true(tag->n >= l->first && at < 100000);
	if (at >= l->n) {
		l->step = realloc(l->step, (at + 1) * sizeof(*l->step));
		assert_non_null(l->step);
		memset(l->step + l->n, 0, (at + 1 - l->n) * sizeof(*l->step));
		l->n = at + 1;
	}
	return &l->step[at];
}

/* The kind of a step, from those before it. */
static unsigned kind_of(const struct lane *l, unsigned thread, unsigned n)
{
	struct course c = { .n = l->first - 1 };
	unsigned kind;

	do
		kind = course_next(&c, thread);
	while (c.n != n);
	return kind;
}

/* ---- what was delivered ---- */

size_t tally_acks(struct tally *t, const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t room = 0, delivered = 0;
	ssize_t n;

	while (f != NULL && (n = getline(&line, &room, f)) > 0 && line[n - 1] == '\n') {
		struct tag tag;

		if (line[0] == '!')
			fail_msg("a call failed: %s", line);
		if (!read_tag(t, line, &tag))
			continue;
		step_of(t, &tag)->delivered = true;
		delivered++;
	}
	free(line);
	if (f != NULL)
		fclose(f);
	return delivered;
}

/* ---- records ---- */

static const char *text_of(const json_t *v, const char *name)
{
	return json_string_value(json_object_get(v, name));
}

/* A change is counted once, whoever recorded it. */
static void count(struct step *s, const char *change)
{
	for (unsigned i = 0; change != NULL && i < 2; i++) {
		if (strcmp(s->change[i], change) == 0)
			return;
		if (s->change[i][0] != '\0')
			continue;
		snprintf(s->change[i], CHANGE, "%s", change);
		break;
	}
	s->records++;
}

static void take_record(struct tally *t, const json_t *v)
{
	const json_t *who = json_object_get(v, "recovered");
	const char *event = text_of(v, "event"),
		   *text = text_of(who != NULL ? who : v, "on_behalf");
	const struct toil_row *row;
	struct tag tag;

	if (text == NULL || !read_tag(t, text, &tag) || strcmp(event, "stream.end") == 0)
		return;
	row = toil_row(kind_of(&t->lane[tag.process][tag.thread], tag.thread, tag.n));
	if (strcmp(event, row->event) != 0)
		fail_msg("%s: a record of %s, not of %s", text, event, row->event);
	count(step_of(t, &tag), text_of(v, "change"));
}

/* Whether the file is there. What comes after the last line feed is no record; what comes before is, with its number in turn. */
static bool read_file(struct tally *t, const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	json_int_t seq = 0;
	ssize_t n;

	if (f == NULL)
		return false;
	for (; (n = getline(&line, &room, f)) > 0 && line[n - 1] == '\n'; seq++) {
		json_t *v = json_loadb(line, (size_t)n, 0, NULL);

		if (v == NULL || json_integer_value(json_object_get(v, "seq")) != seq)
			fail_msg("%s, line %d: no record, or not in turn", path, (int)seq + 1);
		take_record(t, v);
		json_decref(v);
	}
	free(line);
	fclose(f);
	return true;
}

/* A number may be without a file: its process ended first. */
unsigned tally_records(struct tally *t, const char *roll, unsigned file)
{
	enum { VOIDS = 300 };
	unsigned last = file;
	char path[256];

	for (unsigned n = file; n < last + VOIDS; n++) {
		snprintf(path, sizeof(path), "%s/roll.%06u", roll, n);
		if (read_file(t, path))
			last = n + 1;
	}
	return last;
}

void tally_forget_records(struct tally *t)
{
	for (unsigned p = 0; p < TOIL_LIVES; p++)
		for (unsigned i = 0; i < TOIL_THREADS; i++)
			for (unsigned n = 0; n < t->lane[p][i].n; n++)
				t->lane[p][i].step[n] =
					(struct step){ .delivered =
							       t->lane[p][i].step[n].delivered };
}

/* ---- one to one ---- */

static void check_lane(const struct tally *t, unsigned process, unsigned thread)
{
	const struct lane *l = &t->lane[process][thread];
	struct course c = course_begin(process, thread);
	bool under_way = false;

	for (unsigned i = 0; i < l->n; i++) {
		const struct step *s = &l->step[i];
		const struct toil_row *row = toil_row(course_next(&c, thread));
		const unsigned want = row->session_key && !t->session_keys ? 0 : row->records;

		if (s->delivered ? under_way || s->records != want : under_way || s->records > want)
			fail_msg("%u/%u/%u/%u (%s): %s, with %u records, not %u", t->round, process,
				 thread, c.n, row->event,
				 s->delivered ? "delivered" : "not delivered", s->records, want);
		under_way = !s->delivered;
	}
}

void tally_check(const struct tally *t)
{
	for (unsigned p = 0; p < TOIL_LIVES; p++)
		for (unsigned i = 0; i < TOIL_THREADS; i++)
			check_lane(t, p, i);
}

/* ---- objects ---- */

/* Those of one thread, by the number of the step that made them; 0 and no: none. */
struct belongings {
	struct being {
		bool there;
		unsigned by;
	} secret, priv, pub;
	bool set;
	unsigned id; /* by which step */
};

static void take_effect(struct belongings *b, enum toil_effect effect, unsigned n)
{
	const struct being made = { true, n }, gone = { false, 0 };

	if (effect == MAKES_SECRET || effect == DROPS_SECRET) {
		b->secret = effect == MAKES_SECRET ? made : gone;
		b->set = false;
	} else if (effect == SETS_ID) {
		b->set = true;
		b->id = n;
	} else if (effect == MAKES_PAIR) {
		b->priv = b->pub = made;
	} else if (effect == DROPS_PRIVATE) {
		b->priv = gone;
	} else if (effect == DROPS_PUBLIC) {
		b->pub = gone;
	}
}

/* After whoever opened the token recorded what others left: a change has all its records or none. */
static struct belongings belongings_of(const struct tally *t, unsigned process, unsigned thread)
{
	const struct lane *l = &t->lane[process][thread];
	struct course c = course_begin(process, thread);
	struct belongings b = { .set = false };

	for (unsigned i = 0; i < l->n; i++) {
		const struct toil_row *row = toil_row(course_next(&c, thread));

		if (row->effect == NO_EFFECT || l->step[i].records == 0)
			continue;
		if (l->step[i].records != row->records)
			fail_msg("%u/%u/%u/%u: half recorded", t->round, process, thread, c.n);
		take_effect(&b, row->effect, c.n);
	}
	return b;
}

static CK_OBJECT_HANDLE find(CK_SESSION_HANDLE s, const char *label, CK_OBJECT_CLASS class)
{
	CK_OBJECT_HANDLE found[2] = { 0, 0 };
	struct templ t = { 0 };
	CK_ULONG n = 0;

	templ_text(&t, CKA_LABEL, label);
	templ_ulong(&t, CKA_CLASS, class);
	assert_ok(p11->C_FindObjectsInit(s, t.a, t.n));
	assert_ok(p11->C_FindObjects(s, found, 2, &n));
	assert_ok(p11->C_FindObjectsFinal(s));
	if (n != 1)
		fail_msg("%s is recorded, and there are %lu of it", label, n);
	return found[0];
}

static void name(const struct tally *t, const struct tag *tag, char out[TOIL_TAG])
{
	snprintf(out, TOIL_TAG, "%u/%u/%u/%u", t->round, tag->process, tag->thread, tag->n);
}

/* Found, looked at, and destroyed. */
static void check_one(const struct tally *t, CK_SESSION_HANDLE s, struct tag tag,
		      const struct being *being, CK_OBJECT_CLASS class, const struct belongings *b)
{
	char label[TOIL_TAG], want[TOIL_TAG] = "", got[TOIL_TAG];
	CK_OBJECT_HANDLE h;
	size_t n;

	if (!being->there)
		return;
	tag.n = being->by;
	name(t, &tag, label);
	h = find(s, label, class);
	if (class == CKO_SECRET_KEY) {
		tag.n = b->id;
		if (b->set)
			name(t, &tag, want);
		n = p11_get_bytes(s, h, CKA_ID, got, sizeof(got));
		if (n != strlen(want) || memcmp(got, want, n) != 0)
			fail_msg("%s: its id is %.*s, not %s", label, (int)n, got, want);
	}
	assert_ok(p11->C_DestroyObject(s, h));
}

static void check_belongings(const struct tally *t, CK_SESSION_HANDLE s, unsigned process,
			     unsigned thread)
{
	const struct belongings b = belongings_of(t, process, thread);
	const struct tag tag = { process, thread, 0 };

	check_one(t, s, tag, &b.secret, CKO_SECRET_KEY, &b);
	check_one(t, s, tag, &b.priv, CKO_PRIVATE_KEY, &b);
	check_one(t, s, tag, &b.pub, CKO_PUBLIC_KEY, &b);
}

/* Nothing but what toil_make made may be left. */
void tally_objects(const struct tally *t, CK_SESSION_HANDLE s)
{
	enum { MADE = 5 };
	struct templ all = { 0 };

	for (unsigned p = 0; p < TOIL_LIVES; p++)
		for (unsigned i = 0; i < TOIL_THREADS; i++)
			check_belongings(t, s, p, i);
	templ_bool(&all, CKA_TOKEN, true);
	assert_int_equal(p11_count(s, &all), MADE);
}
