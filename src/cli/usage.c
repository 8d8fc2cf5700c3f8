/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/usage.h"
#include "base/version.h"
#include "cli/report.h"
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

void usage_command(FILE *f, const struct command *k)
{
	fprintf(f, "Usage: ");
	usage_line(f, k);
	fprintf(f, " [options]\n\n%s.\n\n", k->summary);
	usage_options(f, k->options);
	usage_options(f, common_options);
}

/* Commands of one group, or all when it is NULL; how many there were. */
static size_t usage_group(FILE *f, const char *group)
{
	size_t n = 0;

	for (size_t i = 0; i < commands_n; i++) {
		const struct command *k = commands[i];
		if (group != NULL && (k->group == NULL || strcmp(k->group, group) != 0))
			continue;
		char name[64];
		snprintf(name, sizeof(name), "%s%s%s", k->group != NULL ? k->group : "",
			 k->group != NULL ? " " : "", k->name);
		fprintf(f, "  %-20s %s\n", name, k->summary);
		n++;
	}
	return n;
}

static void usage_all(FILE *f)
{
	fprintf(f, "Usage: chancery COMMAND [options]\n\n");
	usage_group(f, NULL);
	fprintf(f, "\n`chancery COMMAND --help` explains one; chancery(1) has the whole.\n");
}

/* Words that are no command: a group alone is explained. */
static int usage_unknown(int argc, char **argv)
{
	bool json = command_asks_json(argc, argv), alone = argc < 3 || argv[2][0] == '-';
	bool help = argc == 3 && strcmp(argv[2], "--help") == 0;
	char text[256];

	if (alone && !json && usage_group(help ? stdout : stderr, argv[1]) > 0)
		return help ? EX_OK : EX_USAGE;
	snprintf(text, sizeof(text), "\"%s%s%s\" is no command; `chancery --help` lists them",
		 argv[1], alone ? "" : " ", alone ? "" : argv[2]);
	why_clean(text);
	report_failure("chancery", text, EX_USAGE, json);
	return EX_USAGE;
}

int usage_main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		printf("chancery %s\n", CHANCERY_VERSION);
		return EX_OK;
	}
	if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)) {
		usage_all(stdout);
		return EX_OK;
	}
	if (argc < 2) {
		usage_all(stderr);
		return EX_USAGE;
	}
	return usage_unknown(argc, argv);
}
