/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files: bounded reads, atomic and durable writes. All descriptors are close-on-exec. */
#ifndef CHANCERY_BASE_FILE_H
#define CHANCERY_BASE_FILE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "base/why.h"
#include <sys/types.h>

/* For file_read. */
enum {
	FILE_FOLLOW = 1,  /* the last part of the path may be a symbolic link */
	FILE_TRUSTED = 2, /* owner root or us, and nobody else may write, else E_ACCESS */
	FILE_PRIVATE = 4, /* owner root or us, and others have no right at all, else E_ACCESS */
};

/*
 * Opens an existing regular file for reading, with the checks of flags. *fd is the caller's.
 * Anything but a regular file is E_DATA; opening never blocks (a FIFO, a device).
 */
enum err file_open(const char *path, unsigned flags, int *fd, struct why *why);

/*
 * Whether the file system of path writes a page where it was: there a store into an allocated page of a mapped file cannot fail for want of
 * room, and kill the process.
 */
bool file_stays_in_place(const char *path);

/* Closes; -1 accepted, errno kept. */
void file_close(int fd);

/*
 * Appends the file's bytes to out. Longer than max is E_DATA_LEN; an absent file E_ABSENT. On error
 * out is as it was. A secret needs a secret buf, and FILE_PRIVATE.
 */
enum err file_read(const char *path, unsigned flags, size_t max, struct buf *out, struct why *why);

/*
 * As file_read, for a descriptor of any kind, until its end; does not close it. name is for
 * messages.
 */
enum err file_read_fd(int fd, const char *name, size_t max, struct buf *out, struct why *why);

/* After a system call that was to create path failed: E_CREATE where nothing can be made, else as why_errno. */
enum err file_not_created(const char *path, struct why *why);

/* Writes all of data to fd, however many write(2) calls it takes. */
enum err file_write_fd(int fd, const char *name, struct span data, struct why *why);

/*
 * Replaces path by data as a whole, durably: a temporary file in the same directory (exclusive, not
 * through links, exactly mode whatever the umask), fsync, rename, directory sync. On error path is
 * as it was and nothing is left behind; an error of the last directory sync is reported, but by
 * then the new file is in place. E_CREATE: there is no such directory, or path is one.
 */
enum err file_write(const char *path, mode_t mode, struct span data, struct why *why);

/*
 * Writes an output that the user names, as a shell's > would: links are followed, and what is there
 * and no regular file (a device, a FIFO) is opened and written to, which may block. A regular file
 * is replaced as by file_write. Not for names in directories where others may put links.
 */
enum err file_put(const char *path, mode_t mode, struct span data, struct why *why);

/*
 * As file_write, but E_EXISTS when there is a file of that name: nothing is ever overwritten. After any error there is
 * no new file.
 */
enum err file_create(const char *path, mode_t mode, struct span data, struct why *why);

#endif
