/* SPDX-License-Identifier: Apache-2.0 */
/* chancery completion, and what the scripts of all shells share. */
#include "cli/complete.h"

#include "cli/commands.h"
#include "cli/report.h"
#include <stdio.h>
#include <string.h>

/* By how it is written in the usage text; a placeholder that is not here is a text. */
static const struct {
	const char *placeholder;
	enum offer offer;
} offers[] = {
	{ "FILE", OFFER_FILE }, { "DIR", OFFER_DIR },   { "SOURCE", OFFER_SOURCE },
	{ "URI", OFFER_URI },   { "[URI]", OFFER_URI }, { "[URI | A B]", OFFER_MODULE },
};

static enum offer offer_of(const char *placeholder)
{
	for (size_t i = 0; placeholder != NULL && i < sizeof(offers) / sizeof(offers[0]); i++)
		if (strcmp(offers[i].placeholder, placeholder) == 0)
			return offers[i].offer;
	return OFFER_NOTHING;
}

enum offer complete_value(const struct option_row *row)
{
	enum offer o = offer_of(row->value);

	return o == OFFER_NOTHING && row->words != NULL ? OFFER_WORDS : o;
}

enum offer complete_operand(const struct command *k)
{
	enum offer o = offer_of(k->operands);

	return o == OFFER_NOTHING && k->operands != NULL ? OFFER_WORDS : o;
}

bool complete_begins(size_t i, const char *group)
{
	const struct command *k = commands[i];

	if (group != NULL)
		return k->group != NULL && strcmp(k->group, group) == 0;
	for (size_t j = 0; j < i && k->group != NULL; j++)
		if (commands[j]->group != NULL && strcmp(commands[j]->group, k->group) == 0)
			return false;
	return true;
}

void complete_print_name(const struct command *k)
{
	printf("%s%s%s", k->group != NULL ? k->group : "", k->group != NULL ? " " : "", k->name);
}

void complete_print_names(const char *group)
{
	for (size_t i = 0; i < commands_n; i++)
		if (complete_begins(i, group))
			printf(" %s", group == NULL && commands[i]->group != NULL
					      ? commands[i]->group
					      : commands[i]->name);
}

void complete_print_operands(const struct command *k)
{
	for (const char *p = k->operands; *p != '\0'; p++)
		putchar(*p == '|' ? ' ' : *p);
}

/* ---- the command ---- */

static const struct option_row options[] = { { NULL, NULL, NULL, NULL } };

static const struct {
	const char *name;
	void (*print)(void);
} shells[] = { { "bash", complete_bash }, { "zsh", complete_zsh }, { "fish", complete_fish } };

static enum err completion(struct call *c)
{
	const char *name;
	enum err e = call_operand(c, 0, "the shell (bash, zsh or fish)", &name);

	if (e != OK)
		return e;
	if (c->json)
		return why_fail(&c->why, E_ARGUMENTS,
				"a completion script is no JSON value: leave out --json");
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (strcmp(shells[i].name, name) == 0) {
			shells[i].print();
			return OK;
		}
	return why_fail(&c->why, E_ARGUMENTS, "no completion for \"%s\": bash, zsh or fish", name);
}

const struct command cmd_completion = {
	NULL,
	"completion",
	"bash|zsh|fish",
	1,
	"Print a completion script for bash, zsh or fish",
	options,
	completion,
};
