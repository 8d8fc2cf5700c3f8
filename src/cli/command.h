/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of `chancery` as data: one row each, with its options. Dispatch, usage texts and shell
 * completion all come from these rows, so that none of them can promise what another lacks.
 */
#ifndef CHANCERY_CLI_COMMAND_H
#define CHANCERY_CLI_COMMAND_H

#include "base/err.h"
#include "base/why.h"
#include <stdbool.h>
#include <stddef.h>

enum { OPTION_VALUES_MAX = 32, OPERANDS_MAX = 64 };

struct option_row {
	const char *name;  /* without the dashes */
	const char *value; /* NULL: a flag; else what it takes, in capitals: "FILE" */
	const char *help;
	const char *words; /* what completion offers as values: "a b c", or NULL */
};

/* What completion offers for an option that takes a PIN source (base/pin.h). */
#define PIN_SOURCES "file: credential: fd: env: prompt"

struct call;

struct command {
	const char *group; /* "token"; NULL: the name stands alone (`chancery sign`) */
	const char *name;
	const char *operands; /* "[URI]", or NULL for none */
	size_t operands_max;
	const char *summary;
	const struct option_row
		*options; /* fewer than OPTION_VALUES_MAX; ends with a row without a name */
	enum err (*run)(struct call *c);
};

/* One invocation of a command. */
struct call {
	const struct command *command;
	const char *values
		[OPTION_VALUES_MAX]; /* by position in command->options; "" for a flag that was given */
	const char *operands[OPERANDS_MAX];
	size_t n_operands;
	bool json, quiet;
	bool told;      /* the one JSON value was printed */
	int status;     /* the exit status when all went well: of a check that found something */
	bool logged_in; /* a PIN was given and taken */
	const char *module; /* --module, or NULL */
	struct why why;
};

/* Every command, in the order of the usage text. */
extern const struct command *const commands[];
extern const size_t commands_n;
/* Options that every command takes. */
extern const struct option_row common_options[];

/* The value of an option, or NULL when it was not given or the command has no such option. */
const char *call_option(const struct call *c, const char *name);
/* As call_option, but E_ARGUMENTS with a why when it is absent. */
enum err call_required(struct call *c, const char *name, const char **value);
/* A number of at least min and at most max; dflt when absent. */
enum err call_number(struct call *c, const char *name, long min, long max, long dflt, long *value);
bool call_flag(const struct call *c, const char *name);
/* Whether the command has an option of this name. */
bool call_takes(const struct call *c, const char *name);
/* The i-th operand, or E_ARGUMENTS with a why that says what is missing. */
enum err call_operand(struct call *c, size_t i, const char *what, const char **value);

/*
 * Whether --json is among these words, before a "--" and not as the value of an option of k (NULL: of any command): how what is wrong
 * with the words themselves is told.
 */
bool command_asks_json(const struct command *k, int n, char **words);

/* Parses argv and runs the command; the exit status of the program. */
int command_main(int argc, char **argv);

#endif
