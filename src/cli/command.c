/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"
#include "cli/office.h"
#include "cli/report.h"
#include "cli/usage.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

enum { COMMON_JSON, COMMON_QUIET, COMMON_MODULE, COMMON_HELP, COMMON_COUNT };

const struct option_row common_options[] = {
	[COMMON_JSON] = { "json", NULL, "print the result as JSON", NULL },
	[COMMON_QUIET] = { "quiet", NULL, "print nothing but errors and what was asked for", NULL },
	[COMMON_MODULE] = { "module", "FILE", "the PKCS#11 module to use (default: Chancery's own)",
			    NULL },
	[COMMON_HELP] = { "help", NULL, "explain this command", NULL },
	[COMMON_COUNT] = { NULL, NULL, NULL, NULL },
};

static enum err take_common(struct call *c, int which, const char *value, bool *help)
{
	switch (which) {
	case COMMON_JSON: c->json = true; return OK;
	case COMMON_QUIET: c->quiet = true; return OK;
	case COMMON_MODULE: c->module = value; return OK;
	default: *help = true; return OK;
	}
}

static enum err take_option(struct call *c, size_t which, const char *value)
{
	if (c->values[which] != NULL)
		return why_fail(&c->why, E_ARGUMENTS, "--%s is given twice",
				c->command->options[which].name);
	c->values[which] = value;
	return OK;
}

static enum err take_operand(struct call *c, const char *word)
{
	size_t max =
		c->command->operands_max < OPERANDS_MAX ? c->command->operands_max : OPERANDS_MAX;

	if (c->n_operands == max)
		return why_fail(&c->why, E_ARGUMENTS, "\"%s\" is one word too many", word);
	c->operands[c->n_operands++] = word;
	return OK;
}

/* The row with a name of n characters; false when there is none. */
static bool row_find(const struct option_row *rows, const char *name, size_t n, size_t *at)
{
	for (*at = 0; rows[*at].name != NULL; (*at)++)
		if (strlen(rows[*at].name) == n && memcmp(rows[*at].name, name, n) == 0)
			return true;
	return false;
}

/* Words that are still to come. */
struct words {
	int n;
	char **at;
};

static const char *words_next(struct words *w)
{
	w->n--;
	return *w->at++;
}

/*
 * "--name", "--name value" or "--name=value". Names are not abbreviated: "--pin 1234" must not pass for a --pin-source.
 */
static enum err parse_option(struct call *c, const char *word, struct words *rest, bool *help)
{
	const char *name = word + 2, *value = strchr(name, '=');
	size_t n = value != NULL ? (size_t)(value - name) : strlen(name), at;
	bool own = row_find(c->command->options, name, n, &at);
	const struct option_row *row;

	if (!own && !row_find(common_options, name, n, &at))
		return why_fail(&c->why, E_ARGUMENTS, "%.*s is no option of this command",
				(int)n + 2, word);
	row = own ? &c->command->options[at] : &common_options[at];
	if (row->value == NULL && value != NULL)
		return why_fail(&c->why, E_ARGUMENTS, "--%s takes no value", row->name);
	if (value != NULL)
		value++;
	else if (row->value == NULL)
		value = "";
	else if (rest->n == 0)
		return why_fail(&c->why, E_ARGUMENTS, "--%s needs a value", row->name);
	else
		value = words_next(rest);
	return own ? take_option(c, at, value) : take_common(c, (int)at, value, help);
}

/* Whether word is an option in these rows that takes the next word. */
static bool takes_next(const struct option_row *rows, const char *word)
{
	size_t at;

	return strncmp(word, "--", 2) == 0 && row_find(rows, word + 2, strlen(word + 2), &at) &&
	       rows[at].value != NULL;
}

static bool next_is_value(const struct command *k, const char *word)
{
	bool yes = takes_next(common_options, word);

	if (k != NULL)
		return yes || takes_next(k->options, word);
	for (size_t i = 0; !yes && i < commands_n; i++)
		yes = takes_next(commands[i]->options, word);
	return yes;
}

bool command_asks_json(const struct command *k, int n, char **words)
{
	for (int i = 0; i < n && strcmp(words[i], "--") != 0; i++) {
		if (strcmp(words[i], "--json") == 0)
			return true;
		if (next_is_value(k, words[i]))
			i++;
	}
	return false;
}

/* argv[0] is the last word of the command's name. */
static enum err call_parse(struct call *c, int argc, char **argv, bool *help)
{
	struct words rest = { argc - 1, argv + 1 };
	bool options = true;
	enum err e = OK;

	while (e == OK && rest.n > 0) {
		const char *word = words_next(&rest);
		if (options && strcmp(word, "--") == 0)
			options = false;
		else if (options && word[0] == '-' && word[1] != '\0')
			e = word[1] == '-' ? parse_option(c, word, &rest, help)
					   : why_fail(&c->why, E_ARGUMENTS,
						      "%s is no option of this command", word);
		else
			e = take_operand(c, word);
	}
	if (e != OK && options && command_asks_json(c->command, rest.n, rest.at))
		c->json = true;
	return e;
}

/* The row of an option of this command, or the row that ends them. */
static size_t option_index(const struct call *c, const char *name)
{
	const struct option_row *rows = c->command->options;
	size_t i = 0;

	while (rows[i].name != NULL && strcmp(rows[i].name, name) != 0)
		i++;
	return i;
}

const char *call_option(const struct call *c, const char *name)
{
	return c->values[option_index(c, name)];
}

bool call_flag(const struct call *c, const char *name)
{
	return call_option(c, name) != NULL;
}

bool call_takes(const struct call *c, const char *name)
{
	return c->command->options[option_index(c, name)].name != NULL;
}

enum err call_required(struct call *c, const char *name, const char **value)
{
	*value = call_option(c, name);
	if (*value == NULL)
		return why_fail(&c->why, E_ARGUMENTS, "--%s %s is missing", name,
				c->command->options[option_index(c, name)].value);
	return OK;
}

enum err call_number(struct call *c, const char *name, long min, long max, long dflt, long *value)
{
	const char *text = call_option(c, name);
	char *end = NULL;

	*value = dflt;
	if (text == NULL)
		return OK;
	errno = 0;
	long v = strtol(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || v < min || v > max)
		return why_fail(&c->why, E_ARGUMENTS,
				"--%s wants a number from %ld to %ld, not \"%s\"", name, min, max,
				text);
	*value = v;
	return OK;
}

enum err call_operand(struct call *c, size_t i, const char *what, const char **value)
{
	if (i >= c->n_operands)
		return why_fail(&c->why, E_ARGUMENTS, "%s is missing", what);
	*value = c->operands[i];
	return OK;
}

/* The command that argv names; *used: how many words its name has. */
static const struct command *command_find(int argc, char **argv, int *used)
{
	for (size_t i = 0; i < commands_n; i++) {
		const struct command *k = commands[i];
		*used = k->group != NULL ? 2 : 1;
		if (argc <= *used)
			continue;
		if (k->group != NULL && strcmp(argv[1], k->group) != 0)
			continue;
		if (strcmp(argv[*used], k->name) == 0)
			return k;
	}
	return NULL;
}

static int command_run(const struct command *k, int argc, char **argv)
{
	struct call c = { .command = k };
	bool help = false;
	enum err e = call_parse(&c, argc, argv, &help);

	if (help)
		usage_command(&c);
	else if (e == OK)
		e = office_advise(&c, k->run(&c));
	if (e != OK && !help)
		report_error(&c, e);
	if (!report_flush(&c))
		return EX_IOERR;
	return e == OK || help ? c.status : err_exit(e);
}

int command_main(int argc, char **argv)
{
	int used = 0;
	const struct command *k = command_find(argc, argv, &used);

	if (k != NULL)
		return command_run(k, argc - used, argv + used);
	return usage_main(argc, argv);
}
