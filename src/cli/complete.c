/* SPDX-License-Identifier: Apache-2.0 */
/* chancery completion: scripts for shells, made from the rows of commands. */
#include "cli/commands.h"
#include "cli/report.h"
#include <stdio.h>
#include <string.h>

static const struct option_row options[] = { { NULL, NULL, NULL, NULL } };

/* First words (group NULL), or the names within a group: each once, in order. */
static bool first_of_kind(size_t i, const char *group)
{
	const struct command *k = commands[i];

	if (group != NULL)
		return k->group != NULL && strcmp(k->group, group) == 0;
	for (size_t j = 0; j < i && k->group != NULL; j++)
		if (commands[j]->group != NULL && strcmp(commands[j]->group, k->group) == 0)
			return false;
	return true;
}

static void print_names(const char *group)
{
	for (size_t i = 0; i < commands_n; i++)
		if (first_of_kind(i, group))
			printf("%s%s",
			       group == NULL && commands[i]->group != NULL ? commands[i]->group
									   : commands[i]->name,
			       i + 1 < commands_n ? " " : "");
}

static const char *sep(const struct command *k)
{
	return k->group != NULL ? " " : "";
}

static const char *group_text(const struct command *k)
{
	return k->group != NULL ? k->group : "";
}

/* ---- bash ---- */

static void bash_options(const struct option_row *rows)
{
	for (; rows->name != NULL; rows++)
		printf(" --%s", rows->name);
}

static void bash_values(const struct command *k, const struct option_row *rows)
{
	for (; rows->name != NULL; rows++)
		if (rows->words != NULL)
			printf("    \"%s%s%s --%s\") words=\"%s\" ;;\n", group_text(k), sep(k),
			       k->name, rows->name, rows->words);
}

static void bash(void)
{
	printf("# SPDX-License-Identifier: Apache-2.0\n# Completion of chancery for bash.\n_chancery() {\n"
	       "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= name=\n"
	       "  COMPREPLY=()\n"
	       "  case \"${COMP_WORDS[1]}\" in\n");
	for (size_t i = 0; i < commands_n; i++)
		if (commands[i]->group != NULL && first_of_kind(i, NULL))
			printf("    %s) name=\"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" ;;\n",
			       commands[i]->group);
	printf("    *) name=${COMP_WORDS[1]} ;;\n  esac\n  case \"$name $prev\" in\n");
	for (size_t i = 0; i < commands_n; i++)
		bash_values(commands[i], commands[i]->options);
	printf("  esac\n  if [ -z \"$words\" ]; then\n    if [ \"$COMP_CWORD\" = 1 ]; then words=\"");
	print_names(NULL);
	printf("\"\n    else\n      case \"$name\" in\n");
	for (size_t i = 0; i < commands_n; i++) {
		printf("        \"%s%s%s\") words=\"", group_text(commands[i]), sep(commands[i]),
		       commands[i]->name);
		bash_options(commands[i]->options);
		bash_options(common_options);
		printf("\" ;;\n");
	}
	for (size_t i = 0; i < commands_n; i++)
		if (commands[i]->group != NULL && first_of_kind(i, NULL)) {
			printf("        \"%s \"*) words=\"", commands[i]->group);
			print_names(commands[i]->group);
			printf("\" ;;\n");
		}
	printf("      esac\n    fi\n  fi\n"
	       "  case \"$cur\" in\n"
	       "    --*|\"\") COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
	       "    *) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\") $(compgen -f -- \"$cur\")) ;;\n"
	       "  esac\n}\ncomplete -o filenames -F _chancery chancery\n");
}

/* ---- zsh: bash's function, through zsh's own emulation of it ---- */

static void zsh(void)
{
	printf("#compdef chancery\n# Completion of chancery for zsh.\n"
	       "autoload -U +X bashcompinit && bashcompinit\n");
	bash();
}

/* ---- fish ---- */

static void fish_condition(const struct command *k)
{
	if (k->group != NULL)
		printf("__fish_seen_subcommand_from %s; and __fish_seen_subcommand_from %s",
		       k->group, k->name);
	else
		printf("__fish_seen_subcommand_from %s", k->name);
}

static void fish_text(const char *s)
{
	putchar('\'');
	for (; *s != '\0'; s++)
		printf(*s == '\'' || *s == '\\' ? "\\%c" : "%c", *s);
	putchar('\'');
}

static void fish_option(const struct command *k, const struct option_row *row)
{
	printf("complete -c chancery -n '");
	fish_condition(k);
	printf("' -l %s%s -d ", row->name, row->value != NULL ? " -r" : "");
	fish_text(row->help);
	if (row->words != NULL)
		printf(" -a '%s'", row->words);
	putchar('\n');
}

static void fish_command(size_t i)
{
	const struct command *k = commands[i];

	if (first_of_kind(i, NULL)) {
		printf("complete -c chancery -n __fish_use_subcommand -f -a %s",
		       k->group != NULL ? k->group : k->name);
		if (k->group == NULL) {
			printf(" -d ");
			fish_text(k->summary);
		}
		putchar('\n');
	}
	if (k->group != NULL) {
		printf("complete -c chancery -n '__fish_seen_subcommand_from %s' -f -a %s -d ",
		       k->group, k->name);
		fish_text(k->summary);
		putchar('\n');
	}
	for (const struct option_row *r = k->options; r->name != NULL; r++)
		fish_option(k, r);
	for (const struct option_row *r = common_options; r->name != NULL; r++)
		fish_option(k, r);
}

static void fish(void)
{
	printf("# SPDX-License-Identifier: Apache-2.0\n# Completion of chancery for fish.\n");
	for (size_t i = 0; i < commands_n; i++)
		fish_command(i);
}

static const struct {
	const char *name;
	void (*print)(void);
} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

static enum err completion(struct call *c)
{
	const char *name;
	enum err e = call_operand(c, 0, "the shell (bash, zsh or fish)", &name);

	if (e != OK)
		return e;
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (strcmp(shells[i].name, name) == 0) {
			shells[i].print();
			return OK;
		}
	return why_fail(&c->why, E_ARGUMENTS, "no completion for \"%s\": bash, zsh or fish", name);
}

const struct command cmd_completion = {
	NULL,    "completion", "SHELL", 1, "Print a completion script for bash, zsh or fish",
	options, completion,
};
