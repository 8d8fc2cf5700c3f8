/* SPDX-License-Identifier: Apache-2.0 */
/* Directories of state: made with exact modes, checked before they are trusted, synced. */
#ifndef CHANCERY_BASE_DIR_H
#define CHANCERY_BASE_DIR_H

#include "base/err.h"
#include "base/why.h"
#include <stdbool.h>
#include <sys/types.h>

/* The modes of state: the owner's alone, or readable by a group (configuration `group_mode`). */
static inline mode_t dir_mode(bool group)
{
	return group ? 0750 : 0700;
}

static inline mode_t dir_file_mode(bool group)
{
	return group ? 0640 : 0600;
}

/*
 * Makes a directory with dir_mode(group), whatever the umask, and its missing parents with mode
 * 0755; syncs what it changed. One that is there already is checked as by dir_check and not
 * altered.
 */
enum err dir_make(const char *path, bool group, struct why *why);

/*
 * E_ACCESS unless path is a directory (not a link to one) that is owned by root or by us, and that
 * nobody else can write to, nor read or enter unless group allows that to its group. The text says
 * which rule is broken and the command that mends it.
 */
enum err dir_check(const char *path, bool group, struct why *why);

/*
 * E_ACCESS unless nobody but root and we can put files into the directory path or take them away.
 * Looking into it is allowed to all, and the last part of the path may be a link.
 */
enum err dir_check_unshared(const char *path, struct why *why);

/* Makes a new, renamed or removed name in the directory durable. */
enum err dir_sync(const char *path, struct why *why);

/* As dir_sync, for the directory that holds the file path. */
enum err dir_sync_of(const char *path, struct why *why);

#endif
