/* SPDX-License-Identifier: Apache-2.0 */
#include "rolls.h"

#include "p11.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void find(glob_t *g)
{
	char pattern[256];

	snprintf(pattern, sizeof(pattern), "%s/roll/roll.[0-9]*", p11_home());
	memset(g, 0, sizeof(*g));
	if (glob(pattern, 0, NULL, g) != 0)
		g->gl_pathc = 0;
}

typedef void record_fn(void *arg, json_t *record);

static void each_of_file(const char *path, record_fn *f, void *arg)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;

	assert_non_null(file);
	while (getline(&line, &room, file) > 0) {
		json_t *v = json_loads(line, 0, NULL);

		if (v != NULL)
			f(arg, v);
		json_decref(v);
	}
	free(line);
	fclose(file);
}

static void each(record_fn *f, void *arg)
{
	glob_t g;

	find(&g);
	for (size_t i = 0; i < g.gl_pathc; i++)
		each_of_file(g.gl_pathv[i], f, arg);
	globfree(&g);
}

static const char *text_of(const json_t *record, const char *member)
{
	const char *text = json_string_value(json_object_get(record, member));

	return text != NULL ? text : "?";
}

struct counting {
	const char *event; /* NULL: any */
	size_t n;
	json_t *last;
};

static void count(void *arg, json_t *record)
{
	struct counting *c = arg;

	if (c->event != NULL && strcmp(text_of(record, "event"), c->event) != 0)
		return;
	c->n++;
	json_decref(c->last);
	c->last = json_incref(record);
}

size_t rolls_count(const char *event)
{
	struct counting c = { event, 0, NULL };

	each(count, &c);
	json_decref(c.last);
	return c.n;
}

json_t *rolls_last(const char *event)
{
	struct counting c = { event, 0, NULL };

	each(count, &c);
	if (c.n == 0)
		fail_msg("nothing about %s was recorded", event);
	return c.last;
}

struct telling {
	size_t skip, room;
	char *text;
};

static void tell(void *arg, json_t *record)
{
	struct telling *t = arg;
	const char *rv = text_of(record, "rv");
	bool ok = strcmp(rv, "CKR_OK") == 0;
	size_t n = strlen(t->text);

	if (t->skip != 0) {
		t->skip--;
		return;
	}
	snprintf(t->text + n, t->room - n, "%s%s%s%s", n != 0 ? " " : "", text_of(record, "event"),
		 ok ? "" : "=", ok ? "" : rv);
}

void rolls_since(size_t mark, char *text, size_t room)
{
	struct telling t = { mark, room, text };

	text[0] = '\0';
	each(tell, &t);
}

void rolls_text(const json_t *record, const char *path, const char *want)
{
	const char *dot = strchr(path, '.');
	char first[32];
	const json_t *v;

	snprintf(first, sizeof(first), "%.*s", dot != NULL ? (int)(dot - path) : 31, path);
	v = json_object_get(record, first);
	if (dot != NULL)
		v = json_object_get(v, dot + 1);
	if (want == NULL) {
		assert_null(v);
		return;
	}
	if (!json_is_string(v))
		fail_msg("%s is not there", path);
	assert_string_equal(json_string_value(v), want);
}

void rolls_unlink_all(void)
{
	glob_t g;

	find(&g);
	for (size_t i = 0; i < g.gl_pathc; i++)
		assert_int_equal(unlink(g.gl_pathv[i]), 0);
	globfree(&g);
}

/* Runs chancery with arguments, in the shell's form. */
static int run(const char *arguments)
{
	const char *cli = getenv("CHANCERY");
	char command[1024];
	int n, status;

	assert_non_null(cli);
	n = snprintf(command, sizeof(command),
		     "out=$('%s' %s 2>&1) || { status=$?; echo \"$out\" >&2; exit $status; }", cli,
		     arguments);
	assert_true(n < (int)sizeof(command));
	status = system(command);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

int rolls_auditor(void)
{
	char arguments[256];

	snprintf(arguments, sizeof(arguments), "audit init --quiet --key-out '%s/auditor.key'",
		 p11_home());
	return run(arguments);
}

int rolls_verify(const char *arguments)
{
	char all[768];

	assert_true(snprintf(all, sizeof(all), "audit verify %s", arguments) < (int)sizeof(all));
	return run(all);
}
