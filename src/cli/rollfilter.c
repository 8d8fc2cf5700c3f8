/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rollfilter.h"
#include "auditor/place.h"
#include "cli/rolltext.h"
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>

/* Two digits at that place, if there are any, from low to high. */
static bool pair_fits(const char *v, size_t n, size_t at, int low, int high)
{
	int is;

	if (n < at + 2)
		return true;
	is = (v[at] - '0') * 10 + (v[at + 1] - '0');
	return is >= low && is <= high;
}

/* A month 13 would choose nothing, and look like a roll without such records. */
static bool on_the_clock(const char *v, size_t n)
{
	return pair_fits(v, n, 5, 1, 12) && pair_fits(v, n, 8, 1, 31) &&
	       pair_fits(v, n, 11, 0, 23) && pair_fits(v, n, 14, 0, 59) &&
	       pair_fits(v, n, 17, 0, 60);
}

/* `2026-01-31T23:59:59.123456Z`, or less of its end. */
static enum err take_time(struct call *c, const char *option, const char **value)
{
	static const char form[] = "dddd-dd-ddTdd:dd:dd.ddddddZ";
	enum { DATE = 10 };
	const char *v = call_option(c, option);
	size_t n = v == NULL ? DATE : strlen(v);
	bool good = n >= DATE && n < sizeof(form);

	for (size_t i = 0; v != NULL && good && i < n; i++)
		good = form[i] == 'd' ? v[i] >= '0' && v[i] <= '9' : v[i] == form[i];
	good = good && (v == NULL || on_the_clock(v, n));
	*value = v;
	return good ? OK
		    : why_fail(&c->why, E_ARGUMENTS,
			       "--%s wants a time in UTC such as 2026-01-31 or 2026-01-31T12:00:00",
			       option);
}

enum err rollfilter_take(struct call *c, struct rollfilter *f)
{
	const char *file = call_option(c, "file");
	enum err e = take_time(c, "since", &f->since);

	if (e == OK)
		e = take_time(c, "until", &f->until);
	f->actor = call_option(c, "actor");
	f->key = call_option(c, "key");
	f->event = call_option(c, "event");
	f->file = file != NULL ? place_number(file) : 0;
	if (e == OK && file != NULL && f->file == 0)
		e = why_fail(&c->why, E_ARGUMENTS,
			     "--file wants a number or a name such as roll.000012");
	return e;
}

static bool fits(const char *pattern, const char *text)
{
	return fnmatch(pattern, text, FNM_NOESCAPE) == 0;
}

static bool text_fits(const char *pattern, const struct text *t)
{
	char plain[ROLLTEXT_MAX];

	if (t->s.p == NULL)
		return false;
	rolltext_plain(t, plain);
	return fits(pattern, plain);
}

static bool who_fits(const char *pattern, const struct line_who *w)
{
	char plain[ROLLTEXT_MAX], uid[24];
	const char *name;

	snprintf(uid, sizeof(uid), "%" PRIu64, w->uid.v);
	if (fits(pattern, uid) || text_fits(pattern, &w->on_behalf))
		return true;
	rolltext_plain(&w->exe, plain);
	name = strrchr(plain, '/');
	return fits(pattern, plain) || (name != NULL && fits(pattern, name + 1));
}

static bool event_fits(const char *pattern, struct span event)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)event.n, (const char *)event.p);
	return fits(pattern, name);
}

static int compare_time(struct span ts, const char *time)
{
	size_t n = strlen(time);
	int order = memcmp(ts.p, time, n < ts.n ? n : ts.n);

	return order != 0 ? order : ts.n >= n ? 0 : -1;
}

bool rollfilter_wants(const struct rollfilter *f, const struct line *l)
{
	if (f->since != NULL && compare_time(l->who.ts, f->since) < 0)
		return false;
	if (f->until != NULL && compare_time(l->who.ts, f->until) >= 0)
		return false;
	if (f->event != NULL && !event_fits(f->event, l->event))
		return false;
	if (f->key != NULL && !text_fits(f->key, &l->key.label) && !text_fits(f->key, &l->key.id) &&
	    !text_fits(f->key, &l->key.unique))
		return false;
	return f->actor == NULL || who_fits(f->actor, &l->who) ||
	       (l->owed.raw.p != NULL && who_fits(f->actor, &l->owed));
}
