/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/complete.h"

#include <stdio.h>

static const char head[] = "#compdef chancery\n"
			   "# SPDX-License-Identifier: Apache-2.0\n"
			   "# Completion of chancery for zsh.\n"
			   "_chancery_source()\n"
			   "{\n"
			   "  if compset -P file:; then\n"
			   "    _files\n"
			   "  else\n"
			   "    compadd -S '' -- ${argv:#*[^:]}\n"
			   "    compadd -- ${argv:#*:}\n"
			   "  fi\n"
			   "}\n"
			   "_chancery_uri()\n"
			   "{\n"
			   "  compadd -S '' -- pkcs11:\n"
			   "}\n"
			   "_chancery_module()\n"
			   "{\n"
			   "  _chancery_uri\n"
			   "  _files\n"
			   "}\n"
			   "_chancery()\n"
			   "{\n"
			   "  local name=$words[2]\n"
			   "  if (( CURRENT == 2 )); then\n"
			   "    compadd --";

static const char middle[] = " --help --version\n"
			     "    return\n"
			     "  fi\n"
			     "  shift words\n"
			     "  (( CURRENT-- ))\n"
			     "  case $name in\n";

static const char tail[] = "  esac\n"
			   "}\n"
			   "if [ \"$funcstack[1]\" = _chancery ]; then\n"
			   "  _chancery \"$@\"\n"
			   "else\n"
			   "  compdef _chancery chancery\n"
			   "fi\n";

/* The function for what is offered; words are given to it, or stand for themselves in parentheses. */
static const char *const offers[] = {
	[OFFER_NOTHING] = " ",
	[OFFER_WORDS] = "",
	[OFFER_SOURCE] = "_chancery_source",
	[OFFER_FILE] = "_files",
	[OFFER_DIR] = "_files -/",
	[OFFER_URI] = "_chancery_uri",
	[OFFER_MODULE] = "_chancery_module",
};

/* In single quotes, and as text within a specification of _arguments. */
static void print_text(const char *s)
{
	for (; *s != '\0'; s++)
		switch (*s) {
		case '\'': printf("'\\''"); break;
		case ':':
		case '[':
		case ']':
		case '\\': printf("\\%c", *s); break;
		default: putchar(*s);
		}
}

static void print_option(const struct option_row *row)
{
	enum offer o = complete_value(row);

	printf(" \\\n      '--%s%s[", row->name, row->value != NULL ? "=" : "");
	print_text(row->help);
	printf("]");
	if (row->value != NULL)
		printf(":%s:%s", row->value, offers[o]);
	if (o == OFFER_WORDS)
		printf("(%s)", row->words);
	else if (o == OFFER_SOURCE) {
		printf(" ");
		print_text(row->words);
	}
	printf("'");
}

static void print_operand(const struct command *k)
{
	enum offer o = complete_operand(k);

	if (k->operands == NULL)
		return;
	printf(" \\\n      '*:operand:%s", offers[o]);
	if (o == OFFER_WORDS) {
		printf("(");
		complete_print_operands(k);
		printf(")");
	}
	printf("'");
}

static void print_command(const struct command *k)
{
	printf("    '");
	complete_print_name(k);
	printf("')\n      _arguments");
	for (const struct option_row *r = k->options; r->name != NULL; r++)
		print_option(r);
	for (const struct option_row *r = common_options; r->name != NULL; r++)
		print_option(r);
	print_operand(k);
	printf(" ;;\n");
}

/* The second word of a group's commands. */
static void print_group(const char *group)
{
	printf("    %s)\n      if (( CURRENT == 2 )); then\n        compadd --", group);
	complete_print_names(group);
	printf(" --help\n        return\n      fi\n      name=\"$name $words[2]\"\n"
	       "      shift words\n      (( CURRENT-- )) ;;\n");
}

void complete_zsh(void)
{
	printf("%s", head);
	complete_print_names(NULL);
	printf("%s", middle);
	for (size_t i = 0; i < commands_n; i++)
		if (commands[i]->group != NULL && complete_begins(i, NULL))
			print_group(commands[i]->group);
	printf("  esac\n  case $name in\n");
	for (size_t i = 0; i < commands_n; i++)
		print_command(commands[i]);
	printf("%s", tail);
}
