/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mech_diff.h"
#include "cli/describe.h"
#include "cli/offer.h"
#include "cli/office.h"
#include "cli/probe.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- one side ---- */

struct side {
	const char *word;   /* as it was given */
	json_t *mechanisms; /* by number */
};

static bool is_slot(const char *word)
{
	return word[0] != '\0' && word[strspn(word, "0123456789")] == '\0';
}

/* The module's file and the URI that picks the slot (in text, else NULL): a URI, a slot's number, a file. */
static enum err side_place(struct call *c, const char *word, char text[64], const char **uri,
			   char path[PATH_MAX])
{
	struct uri u = { 0 };
	enum err e = OK;

	*uri = NULL;
	if (is_slot(word) && strlen(word) < 32) {
		snprintf(text, 64, "pkcs11:slot-id=%s", word);
		*uri = text;
	} else if (strncasecmp(word, "pkcs11:", 7) == 0) {
		*uri = word;
	}
	if (*uri != NULL)
		e = office_find(c, *uri, &u, path);
	else if (strlen(word) < PATH_MAX)
		strcpy(path, word);
	else
		e = why_fail(&c->why, E_ARGUMENTS, "a file name is too long");
	uri_free(&u);
	return e;
}

/* The mechanisms of the slots, which are to be the same in all. */
static enum err side_take(struct call *c, struct side *s, const json_t *slots)
{
	const json_t *slot;
	size_t i;

	if (json_array_size(slots) == 0)
		return why_fail(&c->why, E_TOKEN_ABSENT, "%s: no slot with a token fits", s->word);
	json_array_foreach(slots, i, slot)
	{
		json_t *mechanisms = json_object_get(slot, "mechanisms");
		if (mechanisms == NULL)
			return why_fail(&c->why, E_FAILED, "%s: slot %lld: %s", s->word,
					json_integer_value(json_object_get(slot, "slot")),
					json_string_value(json_object_get(slot, "error")));
		if (s->mechanisms == NULL)
			s->mechanisms = json_incref(mechanisms);
		if (!json_equal(s->mechanisms, mechanisms))
			return why_fail(
				&c->why, E_ARGUMENTS,
				"%s: its slots do not offer the same; name one, with slot-id= or "
				"token= in a URI with module-path=",
				s->word);
	}
	return OK;
}

static enum err side_read(struct call *c, struct side *s, unsigned seconds)
{
	char path[PATH_MAX], text[64];
	const char *uri = NULL;
	json_t *slots = NULL;
	enum err e = side_place(c, s->word, text, &uri, path);

	if (e == OK)
		e = probe(path, uri, seconds, &slots, &c->why);
	if (e == OK)
		e = side_take(c, s, slots);
	json_decref(slots);
	return e;
}

/* ---- both ---- */

static json_int_t number(const json_t *row, const char *key)
{
	return json_integer_value(json_object_get(row, key));
}

/* Flags that x has and y has not; CKF_HW is one of them. */
static json_t *flags_beyond(const json_t *x, const json_t *y)
{
	CK_FLAGS a = (CK_FLAGS)number(x, "flag_bits"), b = (CK_FLAGS)number(y, "flag_bits");

	return describe_flags(NAME_CKF_MECHANISM, a & ~b);
}

static json_t *keys_of(const json_t *row)
{
	json_t *keys = json_object_get(row, "keys");

	return keys != NULL ? json_incref(keys) : json_string("not described");
}

static json_t *differing(const json_t *x, const json_t *y)
{
	return json_pack("{s:O, s:O, s:o, s:o, s:o, s:o}", "mechanism",
			 json_object_get(x, "mechanism"), "number", json_object_get(x, "number"),
			 "keys_a", keys_of(x), "keys_b", keys_of(y), "flags_only_a",
			 flags_beyond(x, y), "flags_only_b", flags_beyond(y, x));
}

struct difference {
	json_t *only_a, *only_b, *differ;
	json_int_t same;
};

/* Walks both arrays, which are sorted, side by side. */
static bool compare(const json_t *a, const json_t *b, struct difference *d)
{
	size_t i = 0, k = 0;
	bool ok = true;

	while (ok && (i < json_array_size(a) || k < json_array_size(b))) {
		json_t *x = json_array_get(a, i), *y = json_array_get(b, k);
		if (y == NULL || (x != NULL && number(x, "number") < number(y, "number"))) {
			ok = json_array_append(d->only_a, x) == 0;
			i++;
			continue;
		}
		k++;
		if (x == NULL || number(x, "number") > number(y, "number")) {
			ok = json_array_append(d->only_b, y) == 0;
			continue;
		}
		i++;
		if (json_equal(x, y))
			d->same++;
		else
			ok = json_array_append_new(d->differ, differing(x, y)) == 0;
	}
	return ok;
}

static const struct column differ_columns[] = {
	{ "MECHANISM", "mechanism" },
	{ "KEYS OF A", "keys_a" },
	{ "KEYS OF B", "keys_b" },
	{ "FLAGS OF A ALONE", "flags_only_a" },
	{ "FLAGS OF B ALONE", "flags_only_b" },
	{ NULL, NULL },
};

/* A heading, and the rows below it; nothing when there are none. */
static enum err table(struct call *c, const char *heading, json_t *rows, const struct column *cols)
{
	if (json_array_size(rows) == 0)
		return OK;
	printf("\n%s: %zu\n", heading, json_array_size(rows));
	return report_table(c, json_incref(rows), cols, "");
}

static enum err print(struct call *c, const struct side s[2], const struct difference *d)
{
	json_t *object =
		json_pack("{s:o, s:o, s:O, s:O, s:O, s:I}", "a", report_label(span_str(s[0].word)),
			  "b", report_label(span_str(s[1].word)), "only_a", d->only_a, "only_b",
			  d->only_b, "differ", d->differ, "same", d->same);
	const struct column sides[] = { { "A", "a" },
					{ "B", "b" },
					{ "same in both", "same" },
					{ NULL, NULL } };
	enum err e = report_fields(c, object, sides);

	if (e != OK || c->json)
		return e;
	e = table(c, "Only A", d->only_a, offer_columns);
	if (e == OK)
		e = table(c, "Only B", d->only_b, offer_columns);
	return e == OK ? table(c, "In both, not the same", d->differ, differ_columns) : e;
}

enum err mech_diff(struct call *c, unsigned seconds)
{
	struct side s[2] = { { c->operands[0], NULL }, { c->operands[1], NULL } };
	struct difference d = { json_array(), json_array(), json_array(), 0 };
	enum err e = side_read(c, &s[0], seconds);

	if (e == OK)
		e = side_read(c, &s[1], seconds);
	if (e == OK && !compare(s[0].mechanisms, s[1].mechanisms, &d))
		e = why_fail(&c->why, E_MEMORY, "%s", err_text(E_MEMORY));
	if (e == OK)
		e = print(c, s, &d);
	json_decref(d.only_a);
	json_decref(d.only_b);
	json_decref(d.differ);
	json_decref(s[0].mechanisms);
	json_decref(s[1].mechanisms);
	return e;
}
