/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chancery.conf: sections, keys and values. Each key is one row of a conf_<section>.def file, from
 * which come its field here, its default, its checks, and what `doctor --config` and the manual
 * print of it.
 */
#ifndef CHANCERY_BASE_CONF_H
#define CHANCERY_BASE_CONF_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "base/why.h"
#include <stdbool.h>

/* The values of choices, in the order of their rows. */
enum conf_locked { LOCKED_NORMAL, LOCKED_STRICT };
enum conf_profile { PROFILE_STANDARD, PROFILE_APPROVED, PROFILE_INTEROP };

enum conf_type { CONF_BOOL, CONF_INT, CONF_CHOICE, CONF_TEXT, CONF_SOURCE, CONF_ROLLPLACE };

/*
 * The C type of a field by the type of its key. A text, and a PIN source (pin.h), is NULL when it
 * is not given. A place of the roll (rollplace.h) always is.
 */
typedef bool conf_field_BOOL;
typedef long conf_field_INT;
typedef int conf_field_CHOICE;
typedef char *conf_field_TEXT;
typedef char *conf_field_SOURCE;
typedef char *conf_field_ROLLPLACE;

#define CONF_KEY(type, name, dflt, min, max, choices, help) conf_field_##type name;

struct conf_module {
#include "base/conf_module.def"
};

struct conf_audit {
#include "base/conf_audit.def"
};

struct conf_token {
#include "base/conf_token.def"
};

#undef CONF_KEY

struct conf_labelled; /* a [token.<label>] section */

struct conf {
	struct conf_module module;
	struct conf_audit audit;
	struct conf_token token; /* [token]: tokens without a section of their own */
	struct conf_labelled *labelled;
	size_t n_labelled;
};

struct conf_key {
	const char *section;
	const char *name;
	enum conf_type type;
	const char *dflt;    /* as it would be written in the file; NULL: not given */
	long min, max;       /* of a number, or of a text's length in bytes */
	const char *choices; /* "a|b|c" of a CHOICE */
	const char *help;
	size_t offset; /* of the field in its section's structure */
};

/*
 * Reads and checks the file. path NULL: where home_conf says, and no file there gives the defaults.
 * E_CONFIG with file, line and reason in why. *out is the caller's. The file must be trusted
 * (file.h, FILE_TRUSTED): it can name commands.
 */
enum err conf_load(const char *path, struct conf **out, struct why *why);
/* As conf_load, from memory; name stands for the file in messages. */
enum err conf_parse(struct span text, const char *name, struct conf **out, struct why *why);
void conf_free(struct conf *c); /* NULL accepted */

/* The settings of the token with this label: its own section over [token] over the defaults. */
const struct conf_token *conf_token(const struct conf *c, struct span label);
/* The i-th section of a token with a label of its own, and that label; NULL: there are no more. Borrowed. */
const struct conf_token *conf_labelled(const struct conf *c, size_t i, const char **label);

/* Every key, section by section. */
const struct conf_key *conf_keys(size_t *n);
/*
 * The structure in c of the key's section: for [token], what tokens without one of their own have.
 */
const void *conf_section(const struct conf *c, const struct conf_key *k);
/*
 * A value in a section's structure, or in that of conf_token, as it would be written in the file.
 */
enum err conf_value(const struct conf_key *k, const void *section, struct buf *out);

#endif
