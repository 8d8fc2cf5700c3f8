/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/complete.h"

#include <stdio.h>

/* Whether the first words are these, exactly: a value or a name may be the word of another command. */
static const char head[] =
	"# SPDX-License-Identifier: Apache-2.0\n"
	"# Completion of chancery for fish.\n"
	"function __chancery_at\n"
	"  set -q argv[1]; or return 0\n"
	"  set -l words (commandline -opc)\n"
	"  set -l last (math 1 + (count $argv))\n"
	"  test (count $words) -ge $last; and test \"$words[2..$last]\" = \"$argv\"\n"
	"end\n"
	"function __chancery_next\n"
	"  test (count (commandline -opc)) = (math 1 + (count $argv)); and __chancery_at $argv\n"
	"end\n"
	"function __chancery_source\n"
	"  set -l word (string replace -r '^--[^=]*=' '' -- (commandline -ct))\n"
	"  if string match -q 'file:*' -- $word\n"
	"    printf 'file:%s\\n' (__fish_complete_path (string replace file: '' -- $word))\n"
	"  else\n"
	"    printf '%s\\n' $argv\n"
	"  end\n"
	"end\n"
	"complete -c chancery -f\n"
	"complete -c chancery -n __chancery_next -l version -d 'print the version'\n"
	"complete -c chancery -n __chancery_next -l help -d 'list the commands'\n";

/* What follows an option that takes a value, and an operand. */
static const struct {
	const char *value, *operand;
} offers[] = {
	[OFFER_NOTHING] = { " -x", "" },
	[OFFER_WORDS] = { " -x", "" },
	[OFFER_SOURCE] = { " -x", "" },
	[OFFER_FILE] = { " -r -F", " -F" },
	[OFFER_DIR] = { " -x -a '(__fish_complete_directories (commandline -ct))'", "" },
	[OFFER_URI] = { " -x -a pkcs11:", " -a pkcs11:" },
	[OFFER_MODULE] = { " -r -F -a pkcs11:", " -F -a pkcs11:" },
};

static void print_text(const char *s)
{
	putchar('\'');
	for (; *s != '\0'; s++)
		printf(*s == '\'' || *s == '\\' ? "\\%c" : "%c", *s);
	putchar('\'');
}

static void print_condition(const char *function, const char *group, const char *name)
{
	printf("complete -c chancery -n '%s%s%s%s%s'", function, group != NULL ? " " : "",
	       group != NULL ? group : "", name != NULL ? " " : "", name != NULL ? name : "");
}

static void print_option(const struct command *k, const struct option_row *row)
{
	enum offer o = complete_value(row);

	print_condition("__chancery_at", k->group, k->name);
	printf(" -l %s -d ", row->name);
	print_text(row->help);
	if (row->value != NULL)
		printf("%s", offers[o].value);
	if (o == OFFER_WORDS)
		printf(" -a '%s'", row->words);
	if (o == OFFER_SOURCE)
		printf(" -a '(__chancery_source %s)'", row->words);
	putchar('\n');
}

static void print_operand(const struct command *k)
{
	enum offer o = complete_operand(k);

	if (o == OFFER_NOTHING)
		return;
	print_condition("__chancery_at", k->group, k->name);
	printf("%s", offers[o].operand);
	if (o == OFFER_WORDS) {
		printf(" -a '");
		complete_print_operands(k);
		putchar('\'');
	}
	putchar('\n');
}

/* The word that the command begins with, once for a group, and the one that follows that. */
static void print_words(size_t i)
{
	const struct command *k = commands[i];

	if (complete_begins(i, NULL)) {
		print_condition("__chancery_next", NULL, NULL);
		printf(" -a %s", k->group != NULL ? k->group : k->name);
		if (k->group == NULL) {
			printf(" -d ");
			print_text(k->summary);
		}
		putchar('\n');
	}
	if (k->group == NULL)
		return;
	print_condition("__chancery_next", k->group, NULL);
	printf(" -a %s -d ", k->name);
	print_text(k->summary);
	putchar('\n');
}

void complete_fish(void)
{
	printf("%s", head);
	for (size_t i = 0; i < commands_n; i++) {
		const struct command *k = commands[i];

		print_words(i);
		for (const struct option_row *r = k->options; r->name != NULL; r++)
			print_option(k, r);
		for (const struct option_row *r = common_options; r->name != NULL; r++)
			print_option(k, r);
		print_operand(k);
	}
}
