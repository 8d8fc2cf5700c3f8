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

static bool is_of(const json_t *record, const char *event)
{
	const char *name = json_string_value(json_object_get(record, "event"));

	return name != NULL && (event == NULL || strcmp(name, event) == 0);
}

/* Counts in one file; keeps the last. */
static size_t read_file(const char *path, const char *event, json_t **last)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t room = 0, n = 0;

	assert_non_null(f);
	while (getline(&line, &room, f) > 0) {
		json_t *v = json_loads(line, 0, NULL);

		if (v != NULL && is_of(v, event)) {
			n++;
			json_decref(*last);
			*last = json_incref(v);
		}
		json_decref(v);
	}
	free(line);
	fclose(f);
	return n;
}

static size_t read_all(const char *event, json_t **last)
{
	size_t n = 0;
	glob_t g;

	find(&g);
	for (size_t i = 0; i < g.gl_pathc; i++)
		n += read_file(g.gl_pathv[i], event, last);
	globfree(&g);
	return n;
}

size_t rolls_count(const char *event)
{
	json_t *last = NULL;
	size_t n = read_all(event, &last);

	json_decref(last);
	return n;
}

json_t *rolls_last(const char *event)
{
	json_t *last = NULL;

	if (read_all(event, &last) == 0)
		fail_msg("nothing about %s was recorded", event);
	return last;
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
