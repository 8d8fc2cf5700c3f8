/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/findings.h"
#include <stdarg.h>
#include <stdio.h>

enum err findings_begin(struct findings *f)
{
	*f = (struct findings){ .rows = json_array() };
	return f->rows != NULL ? OK : E_MEMORY;
}

static void add(struct findings *f, const char *state, const char *text)
{
	struct span s = span_str(text);

	if (json_array_append_new(
		    f->rows, json_pack("{s:s, s:o}", "state", state, "text", report_label(s))) != 0)
		f->lost = true;
}

#define ADD_FORMATTED(f, state, fmt)                       \
	do {                                               \
		char text_[512];                           \
		va_list ap_;                               \
		va_start(ap_, fmt);                        \
		vsnprintf(text_, sizeof(text_), fmt, ap_); \
		va_end(ap_);                               \
		add(f, state, text_);                      \
	} while (0)

void findings_good(struct findings *f, const char *fmt, ...)
{
	ADD_FORMATTED(f, "ok", fmt);
}

void findings_advice(struct findings *f, const char *fmt, ...)
{
	f->advice++;
	ADD_FORMATTED(f, "advice", fmt);
}

void findings_bad(struct findings *f, const char *fmt, ...)
{
	f->bad++;
	ADD_FORMATTED(f, "BAD", fmt);
}

void findings_report(void *arg, CK_BBOOL ok, const char *text)
{
	struct findings *f = arg;

	if (!ok)
		f->bad++;
	add(f, ok ? "ok" : "BAD", text);
}

void findings_drop(struct findings *f)
{
	json_decref(f->rows);
	f->rows = NULL;
}

static const struct column columns[] = { { "STATE", "state" }, { "WHAT", "text" }, { NULL, NULL } };

enum err findings_end(struct call *c, struct findings *f, const char *what)
{
	size_t n = json_array_size(f->rows);
	enum err e = report_table(c, f->rows, columns, "Nothing was looked at.");

	f->rows = NULL; /* moved */
	if (e == OK && f->lost)
		e = why_fail(&c->why, E_MEMORY, "%s", err_text(E_MEMORY));
	if (e == OK && f->bad > 0)
		e = why_fail(&c->why, E_CORRUPT, "%zu of %zu %s failed", f->bad, n, what);
	return e;
}
