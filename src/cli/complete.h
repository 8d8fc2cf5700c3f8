/* SPDX-License-Identifier: Apache-2.0 */
/* Completion scripts for shells, made from the rows of commands. */
#ifndef CHANCERY_CLI_COMPLETE_H
#define CHANCERY_CLI_COMPLETE_H

#include "cli/command.h"

/* What can stand for a value or an operand. */
enum offer {
	OFFER_NOTHING, /* a text, or no value at all */
	OFFER_WORDS,
	OFFER_SOURCE, /* words, and after "file:" a file */
	OFFER_FILE,
	OFFER_DIR,
	OFFER_URI,    /* "pkcs11:" */
	OFFER_MODULE, /* a file or "pkcs11:" */
};

enum offer complete_value(const struct option_row *row);
enum offer complete_operand(const struct command *k);

/* Whether commands[i] begins something: its first word (group NULL), or a name within the group. Each is so once. */
bool complete_begins(size_t i, const char *group);
/* "group name", or the name of a command without a group. */
void complete_print_name(const struct command *k);
/* First words (group NULL), or the names within a group, each with a blank in front. */
void complete_print_names(const char *group);
/* The words of an operand that is written "a|b|c", with blanks between. */
void complete_print_operands(const struct command *k);

/* Each prints the whole script. */
void complete_bash(void);
void complete_zsh(void);
void complete_fish(void);

#endif
