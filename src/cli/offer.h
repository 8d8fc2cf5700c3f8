/* SPDX-License-Identifier: Apache-2.0 */
/* What the slots of a module offer: each mechanism with flags, key sizes, hardware or software. */
#ifndef CHANCERY_CLI_OFFER_H
#define CHANCERY_CLI_OFFER_H

#include "base/uri.h"
#include "cli/report.h"
#include "client/module.h"

/*
 * Every slot of m with a token that fits u: {"slot", "description", "token"} with "mechanisms", an
 * array by number, or with "error", a text. Slots whose token cannot be read fit only the URI that says nothing.
 * *slots: a new reference, also on error.
 */
enum err offer_read(const struct module *m, const struct uri *u, json_t **slots, struct why *why);

/* Columns for a table of mechanisms. */
extern const struct column offer_columns[];

#endif
