/* SPDX-License-Identifier: Apache-2.0 */
/* Asks for a secret on the controlling terminal. */
#ifndef CHANCERY_BASE_TERMINAL_H
#define CHANCERY_BASE_TERMINAL_H

#include "base/buf.h"
#include "base/err.h"
#include "base/why.h"

/*
 * Writes "what suffix: " to /dev/tty and appends the line that is typed, without its end, to the
 * secret buffer out. Nothing is shown, and erasing works. Longer than max is E_DATA_LEN; the
 * interrupt, quit, suspend or end-of-file key is E_FAILED; no terminal is E_ABSENT. Signals are
 * left alone, and the terminal is as before.
 */
enum err terminal_ask(const char *what, const char *suffix, size_t max, struct buf *out,
		      struct why *why);

#endif
