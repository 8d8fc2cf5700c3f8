/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program and takes its output: for secrets that another program keeps. */
#ifndef CHANCERY_BASE_COMMAND_H
#define CHANCERY_BASE_COMMAND_H

#include "base/buf.h"
#include "base/err.h"
#include "base/why.h"

#define COMMAND_SECONDS 30

/*
 * Runs line, an absolute path and its arguments separated by blanks, without a shell or quoting,
 * and appends what it writes to its standard output to out, a secret buffer. It has no input, its
 * messages are dropped, it inherits no other descriptor, and in a privileged process (env.h) no
 * environment. E_DATA_LEN: more than max bytes; E_FAILED: it could not be run, failed, or took
 * longer than COMMAND_SECONDS. It is safe in a host program that has children of its own. Where the
 * host reaps every child, the outcome cannot be known, and that is E_FAILED: a wrong PIN would cost
 * a try.
 */
enum err command_output(const char *line, size_t max, struct buf *out, struct why *why);

/* Whether line could be run, by its form alone. */
enum err command_check(const char *line, struct why *why);

#endif
