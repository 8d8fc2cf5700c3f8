/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/usage.h"
#include "base/version.h"
#include "cli/report.h"
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

static void usage_options(FILE *f, const struct option_row *rows)
{
	char left[64];

	for (; rows != NULL && rows->name != NULL; rows++) {
		snprintf(left, sizeof(left), "--%s%s%s", rows->name, rows->value != NULL ? " " : "",
			 rows->value != NULL ? rows->value : "");
		fprintf(f, "  %-28s %s\n", left, rows->help);
	}
}

static void usage_line(FILE *f, const struct command *k)
{
	fprintf(f, "chancery %s%s%s%s%s", k->group != NULL ? k->group : "",
		k->group != NULL ? " " : "", k->name, k->operands != NULL ? " " : "",
		k->operands != NULL ? k->operands : "");
}

static json_t *options_json(const struct option_row *rows)
{
	json_t *list = json_array();

	for (; rows->name != NULL; rows++)
		json_array_append_new(list, json_pack("{s:s, s:s?, s:s}", "name", rows->name,
						      "value", rows->value, "help", rows->help));
	return list;
}

static json_t *command_json(const struct command *k)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s%s", k->group != NULL ? k->group : "",
		 k->group != NULL ? " " : "", k->name);
	return json_pack("{s:s, s:s?, s:s}", "command", name, "operands", k->operands, "summary",
			 k->summary);
}

static bool tell_json(struct call *c, json_t *v)
{
	bool told = report_json(c, v);

	json_decref(v);
	return told;
}

void usage_command(struct call *c)
{
	const struct command *k = c->command;
	json_t *v = command_json(k), *own = options_json(k->options),
	       *common = options_json(common_options);

	json_array_extend(own, common);
	json_decref(common);
	json_object_set_new(v, "options", own);
	if (tell_json(c, v))
		return;
	printf("Usage: ");
	usage_line(stdout, k);
	printf(" [options]\n\n%s.\n\n", k->summary);
	usage_options(stdout, k->options);
	usage_options(stdout, common_options);
}

static bool in_group(const struct command *k, const char *group)
{
	return group == NULL || (k->group != NULL && strcmp(k->group, group) == 0);
}

/* Commands of one group, or all when it is NULL; how many there were. */
static size_t usage_group(FILE *f, const char *group)
{
	size_t n = 0;

	for (size_t i = 0; i < commands_n; i++) {
		const struct command *k = commands[i];
		if (!in_group(k, group))
			continue;
		char name[64];
		snprintf(name, sizeof(name), "%s%s%s", k->group != NULL ? k->group : "",
			 k->group != NULL ? " " : "", k->name);
		fprintf(f, "  %-20s %s\n", name, k->summary);
		n++;
	}
	return n;
}

/* False: there are none, or --json was not asked for. */
static bool group_json(struct call *c, const char *group)
{
	json_t *list = json_array();

	for (size_t i = 0; i < commands_n; i++)
		if (in_group(commands[i], group))
			json_array_append_new(list, command_json(commands[i]));
	if (json_array_size(list) != 0)
		return tell_json(c, list);
	json_decref(list);
	return false;
}

static void usage_all(FILE *f)
{
	fprintf(f, "Usage: chancery COMMAND [options]\n\n");
	usage_group(f, NULL);
	fprintf(f, "\n`chancery COMMAND --help` explains one; chancery(1) has the whole.\n");
}

/* Words that are no command: a group alone is explained. */
static int usage_unknown(struct call *c, const char *const word[2], size_t n)
{
	bool help = n == 2 && strcmp(word[1], "--help") == 0;
	bool alone = n == 1 || word[1][0] == '-';
	char text[256];

	if (help && group_json(c, word[0]))
		return EX_OK;
	if (alone && !c->json && usage_group(help ? stdout : stderr, word[0]) > 0)
		return help ? EX_OK : EX_USAGE;
	snprintf(text, sizeof(text), "\"%s%s%s\" is no command; `chancery --help` lists them",
		 word[0], alone ? "" : " ", alone ? "" : word[1]);
	why_clean(text);
	report_failure("chancery", text, EX_USAGE, c->json);
	return EX_USAGE;
}

static int usage_version(struct call *c)
{
	if (!tell_json(c, json_pack("{s:s}", "version", CHANCERY_VERSION)))
		printf("chancery %s\n", CHANCERY_VERSION);
	return EX_OK;
}

static int usage_help(struct call *c)
{
	if (!group_json(c, NULL))
		usage_all(stdout);
	return EX_OK;
}

/* word: the first two words other than --json; n: how many there are, 3 for more. */
static int usage(struct call *c, const char *const word[2], size_t n)
{
	if (n == 1 && strcmp(word[0], "--version") == 0)
		return usage_version(c);
	if (n == 1 && (strcmp(word[0], "--help") == 0 || strcmp(word[0], "help") == 0))
		return usage_help(c);
	if (n > 0)
		return usage_unknown(c, word, n);
	if (c->json)
		report_failure("chancery", "no command is given; `chancery --help` lists them",
			       EX_USAGE, true);
	else
		usage_all(stderr);
	return EX_USAGE;
}

int usage_main(int argc, char **argv)
{
	struct call c = { .json = command_asks_json(NULL, argc, argv) };
	const char *word[2] = { NULL, NULL };
	size_t n = 0;
	int status;

	for (int i = 1; i < argc && n < 3; i++) {
		if (c.json && strcmp(argv[i], "--json") == 0)
			continue;
		if (n < 2)
			word[n] = argv[i];
		n++;
	}
	status = usage(&c, word, n);
	return report_flush(&c) ? status : EX_IOERR;
}
