/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the roll goes: `on` (the directory `roll` in the directory of state), `off`, or an absolute path of a directory, which need not be
 * there yet, or of something that is there and no regular file (a FIFO, a device): a stream.
 */
#ifndef CHANCERY_BASE_ROLLPLACE_H
#define CHANCERY_BASE_ROLLPLACE_H

#include "base/err.h"
#include "base/why.h"
#include <limits.h>
#include <stdbool.h>

/* A build that has this refuses `off`, and what is no directory. */
#ifdef CHANCERY_AUDIT_MANDATORY
enum { ROLLPLACE_MANDATORY = 1 };
#else
enum { ROLLPLACE_MANDATORY = 0 };
#endif

/* E_CONFIG: v is none of these, or mandatory refuses it. Looks at what is there now. */
enum err rollplace_check(const char *v, bool mandatory, struct why *why);
/* The path that v, which was checked, stands for; "" for off. Errors of home_state. */
enum err rollplace_path(const char *v, char path[PATH_MAX], struct why *why);

#endif
