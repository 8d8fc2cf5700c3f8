/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHANCERY_CLI_HEX_H
#define CHANCERY_CLI_HEX_H

#include "base/buf.h"
#include "base/why.h"

/* Appends the bytes of a hexadecimal text, with or without colons between them; E_ARGUMENTS when it is none, or empty. */
enum err hex_parse(const char *text, struct buf *out, struct why *why);

#endif
