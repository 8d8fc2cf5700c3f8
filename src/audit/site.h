/* SPDX-License-Identifier: Apache-2.0 */
/* Where a roll is kept: a directory of ours, or something that takes a stream of bytes. */
#ifndef CHANCERY_AUDIT_SITE_H
#define CHANCERY_AUDIT_SITE_H

#include "base/err.h"
#include "base/why.h"
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define SITE_STATE   "state"
#define SITE_INDEX   "index"
#define SITE_AUDITOR "auditor.pub"
#define SITE_ROLL    "roll." /* and the number */

struct site {
	bool stream;
	bool group; /* as dir_mode */
	char path[PATH_MAX];
};

/*
 * A directory is made when it is not there, and checked as by dir_check; one that belongs to another user is left to that user, and
 * target.<euid> is ours. What exists and is neither a directory nor a regular file is a stream. E_ARGUMENTS: a regular file, or a path
 * too long. E_ACCESS: a link, or a directory in which others may write.
 */
enum err site_find(const char *target, bool group, struct site *s, struct why *why);

/* The path of a name in the directory, and of file n. E_ARGUMENTS: too long. */
enum err site_join(const struct site *s, const char *name, char path[PATH_MAX], struct why *why);
enum err site_file(const struct site *s, uint64_t n, char path[PATH_MAX], struct why *why);

/* *used: there is an index or a file of records. */
enum err site_used(const struct site *s, bool *used, struct why *why);

#endif
