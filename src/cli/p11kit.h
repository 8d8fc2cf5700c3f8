/* SPDX-License-Identifier: Apache-2.0 */
/* The modules that p11-kit is configured with (pkcs11.conf(5)), read without p11-kit. */
#ifndef CHANCERY_CLI_P11KIT_H
#define CHANCERY_CLI_P11KIT_H

#include "base/err.h"
#include "base/why.h"
#include <jansson.h>

/*
 * *rows: a new array in p11-kit's order (priority, then name), each row {"provider", "source"}, the name and the file
 * that says it, with one of "module", the library's absolute path; "left_out", why p11-kit would not load it in this
 * program; "error", what is wrong with the file. dir NULL: the directories of p11-kit, of which the user's own is
 * not read by root.
 */
enum err p11kit_modules(const char *dir, json_t **rows, struct why *why);

#endif
