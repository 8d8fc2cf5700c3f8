/* SPDX-License-Identifier: Apache-2.0 */
/* Beside an error: what happened and what to do about it, in one sentence or two for people. */
#ifndef CHANCERY_BASE_WHY_H
#define CHANCERY_BASE_WHY_H

#include "base/err.h"

#define WHY_MAX 512

struct why {
	char text[WHY_MAX];
};

/*
 * Sets the text of w (NULL accepted) and returns e, so that a caller can write
 * `return why_fail(w, E_CONFIG, "%s is empty: remove it or give it a value", path);`
 * Never give it a secret. It comes out as why_clean leaves it. Keeps errno.
 */
enum err why_fail(struct why *w, enum err e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * As why_fail, for a failed system call: appends ": " and the text of errno, and chooses the error
 * by errno: ENOENT and ENOTDIR are E_ABSENT, EEXIST E_EXISTS, EACCES, EPERM and ELOOP E_ACCESS,
 * ENOSPC and EDQUOT E_DEVICE_MEMORY, EROFS E_WRITE_PROTECTED, ENOMEM, EMFILE and ENFILE E_MEMORY,
 * any other E_DEVICE.
 */
enum err why_errno(struct why *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The error alone, by the same table. */
enum err why_err_of_errno(int errnum);

/*
 * Makes text fit to be shown: a file name must not steer a terminal, nor end a line of a log. Each
 * byte of what utf8_shown does not let through becomes '?'.
 */
void why_clean(char *text);

#endif
