/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"
#include "cli/report.h"
#include "cli/usage.h"
#include <errno.h>
#include <getopt.h>
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

/* getopt_long values: the command's options first, the common ones after them. */
enum { OPTION_BASE = 256, COMMON_BASE = OPTION_BASE + OPTION_VALUES_MAX };

static size_t options_fill(struct option *to, const struct option_row *rows, int base)
{
	size_t n = 0;

	for (; rows != NULL && rows[n].name != NULL; n++)
		to[n] = (struct option){ rows[n].name,
					 rows[n].value != NULL ? required_argument : no_argument,
					 NULL, base + (int)n };
	return n;
}

static enum err take_common(struct call *c, int which, const char *value, bool *help)
{
	switch (which) {
	case COMMON_JSON: c->json = true; return OK;
	case COMMON_QUIET: c->quiet = true; return OK;
	case COMMON_MODULE: c->module = value; return OK;
	default: *help = true; return OK;
	}
}

static enum err take_option(struct call *c, int which, const char *value)
{
	if (c->values[which] != NULL)
		return why_fail(&c->why, E_ARGUMENTS, "--%s is given twice",
				c->command->options[which].name);
	c->values[which] = value != NULL ? value : "";
	return OK;
}

static enum err take_operands(struct call *c, int argc, char **argv, int at)
{
	size_t max =
		c->command->operands_max < OPERANDS_MAX ? c->command->operands_max : OPERANDS_MAX;

	for (; at < argc; at++) {
		if (c->n_operands == max)
			return why_fail(&c->why, E_ARGUMENTS, "\"%s\" is one word too many",
					argv[at]);
		c->operands[c->n_operands++] = argv[at];
	}
	return OK;
}

/* argv[0] is the last word of the command's name. */
static enum err call_parse(struct call *c, int argc, char **argv, bool *help)
{
	struct option all[OPTION_VALUES_MAX + COMMON_COUNT + 1];
	size_t n = options_fill(all, c->command->options, OPTION_BASE);
	enum err e = OK;
	int o;

	n += options_fill(all + n, common_options, COMMON_BASE);
	all[n] = (struct option){ 0 };
	opterr = 0;
	optind = 0;
	while (e == OK && (o = getopt_long(argc, argv, ":", all, NULL)) != -1) {
		if (o == ':')
			e = why_fail(&c->why, E_ARGUMENTS, "%s needs a value", argv[optind - 1]);
		else if (o == '?')
			e = why_fail(&c->why, E_ARGUMENTS, "%s is no option of this command",
				     argv[optind - 1]);
		else if (o >= COMMON_BASE)
			e = take_common(c, o - COMMON_BASE, optarg, help);
		else
			e = take_option(c, o - OPTION_BASE, optarg);
	}
	return e != OK ? e : take_operands(c, argc, argv, optind);
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

	if (help) {
		usage_command(stdout, k);
		return EX_OK;
	}
	if (e == OK)
		e = k->run(&c);
	if (e != OK)
		report_error(&c, e);
	return report_flush(&c) ? err_exit(e) : EX_IOERR;
}

int command_main(int argc, char **argv)
{
	int used = 0;
	const struct command *k = command_find(argc, argv, &used);

	if (k != NULL)
		return command_run(k, argc - used, argv + used);
	return usage_main(argc, argv);
}
