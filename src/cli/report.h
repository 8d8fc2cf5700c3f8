/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command tells: one JSON value with --json, else text for people made from the same value, so that
 * both say the same. Results go to stdout, everything else to stderr.
 */
#ifndef CHANCERY_CLI_REPORT_H
#define CHANCERY_CLI_REPORT_H

#include "base/span.h"
#include "cli/command.h"
#include <jansson.h>

struct column {
	const char *head; /* heading of a table, or the name of a field */
	const char *key;  /* member of the JSON object */
};

/* An array of objects as a table; empty: the text `none`. Takes over the reference. */
enum err report_table(struct call *c, json_t *rows, const struct column *cols, const char *none);
/* One object, a line per field. Takes over the reference. */
enum err report_fields(struct call *c, json_t *object, const struct column *cols);
/* An object whose text for people is one sentence. Takes over the reference. */
enum err report_done(struct call *c, json_t *object, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Prints v if --json asks for it; false: the text for people is still to come. */
bool report_json(struct call *c, const json_t *v);
/* On stderr, unless --quiet: what happens now. */
void report_step(const struct call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A warning, on stderr. */
void report_warn(const struct call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The error that ends the command: as JSON too, unless the result was printed and tells what failed. */
void report_error(struct call *c, enum err e);
/* The same without a command; who: what is in front of the message. */
void report_failure(const char *who, const char *text, int status, bool json);
/* False when stdout could not be written: a full disk must not look like success. */
bool report_flush(const struct call *c);

/*
 * JSON texts of bytes: hexadecimal; base64 (RFC 4648, 4); a label, with each byte of whatever is not to be shown
 * (utf8_shown) as \xNN.
 */
json_t *report_hex(struct span b);
json_t *report_base64(struct span b);
json_t *report_label(struct span b);

#endif
