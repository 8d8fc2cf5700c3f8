/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/complete.h"

#include <stdio.h>

/*
 * The words are taken from the line, for COMP_WORDS is split at each ':' and '=' too, which PIN sources and URIs have
 * within them.
 */
static const char head[] =
	"# SPDX-License-Identifier: Apache-2.0\n"
	"# Completion of chancery for bash.\n"
	"_chancery()\n"
	"{\n"
	"  local line=${COMP_LINE:0:COMP_POINT} words= files= before= found= IFS=$' \\t\\n'\n"
	"  local -a w\n"
	"  read -a w <<<\"$line\"\n"
	"  case $line in *\\\\[[:blank:]]) ;; *[[:blank:]]) w+=(\"\") ;; esac\n"
	"  local n=${#w[@]}\n"
	"  local cur=${w[n-1]} prev=${w[n-2]} name=${w[1]}\n"
	"  case $cur in --*=*) prev=${cur%%=*} cur=${cur#*=} ;; esac\n"
	"  case \"$n $name\" in\n"
	"    \"2 \"*) words=\"";

/*
 * No word has anything behind its ':'. What follows that is all that bash wants, unless it was told not to split words
 * there.
 */
static const char tail[] =
	"        esac ;;\n"
	"      esac ;;\n"
	"  esac\n"
	"  case $cur in\n"
	"    file:*) case $words in *file:*) files=-f cur=${cur#file:} before=file: ;; esac ;;\n"
	"    *:*) ;;\n"
	"    *) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
	"  esac\n"
	"  case $COMP_WORDBREAKS in *:*) before= ;; esac\n"
	"  if [ -n \"$files\" ]; then\n"
	"    while IFS= read -r found; do\n"
	"      case $before in file:) [ ! -d \"$found\" ] || found+=/ ;; esac\n"
	"      COMPREPLY+=(\"$before$found\")\n"
	"    done < <(compgen $files -- \"$cur\")\n"
	"    compopt -o filenames 2>/dev/null\n"
	"  fi\n"
	"  case ${COMPREPLY[*]} in *[:/]) compopt -o nospace 2>/dev/null ;; esac\n"
	"}\n"
	"complete -F _chancery chancery\n";

/* Words that are always the same, and what compgen is asked for. */
static const struct {
	const char *words, *files;
} offers[] = {
	[OFFER_FILE] = { NULL, "-f" },
	[OFFER_DIR] = { NULL, "-d" },
	[OFFER_URI] = { "pkcs11:", NULL },
	[OFFER_MODULE] = { "pkcs11:", "-f" },
};

static void print_files(enum offer o)
{
	if (offers[o].files != NULL)
		printf(" files=%s", offers[o].files);
}

static void print_values(const struct command *k, const struct option_row *rows)
{
	for (; rows->name != NULL; rows++) {
		if (rows->value == NULL)
			continue;
		printf("      \"");
		complete_print_name(k);
		printf(" --%s\")", rows->name);
		if (rows->words != NULL)
			printf(" words=\"%s\"", rows->words);
		print_files(complete_value(rows));
		printf(" ;;\n");
	}
}

static void print_options(const struct option_row *rows)
{
	for (; rows->name != NULL; rows++)
		printf(" --%s", rows->name);
}

static void print_command(const struct command *k)
{
	enum offer o = complete_operand(k);

	printf("        \"");
	complete_print_name(k);
	printf("\") words=\"");
	if (o == OFFER_WORDS)
		complete_print_operands(k);
	else if (offers[o].words != NULL)
		printf("%s", offers[o].words);
	print_options(k->options);
	print_options(common_options);
	printf("\"");
	print_files(o);
	printf(" ;;\n");
}

static void print_group(const char *group)
{
	printf("    \"3 %s\") words=\"", group);
	complete_print_names(group);
	printf(" --help\" ;;\n");
}

void complete_bash(void)
{
	printf("%s", head);
	complete_print_names(NULL);
	printf(" --help --version\" ;;\n");
	for (size_t i = 0; i < commands_n; i++)
		if (commands[i]->group != NULL && complete_begins(i, NULL))
			print_group(commands[i]->group);
	printf("    *)\n      case $name in");
	for (size_t i = 0, n = 0; i < commands_n; i++)
		if (commands[i]->group != NULL && complete_begins(i, NULL))
			printf("%s%s", n++ > 0 ? "|" : " ", commands[i]->group);
	printf(") name=\"$name ${w[2]}\" ;; esac\n      case \"$name $prev\" in\n");
	for (size_t i = 0; i < commands_n; i++) {
		print_values(commands[i], commands[i]->options);
		print_values(commands[i], common_options);
	}
	printf("      *) case $name in\n");
	for (size_t i = 0; i < commands_n; i++)
		print_command(commands[i]);
	printf("%s", tail);
}
