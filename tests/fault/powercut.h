/* SPDX-License-Identifier: Apache-2.0 */
/* The log that powercut_shim writes and powercut_images reads: entries, each followed by a_n and then b_n bytes. */
#ifndef CHANCERY_TESTS_POWERCUT_H
#define CHANCERY_TESTS_POWERCUT_H

#include <stdint.h>

enum powercut_op {
	POWERCUT_WRITE,    /* ino, at; a: the bytes */
	POWERCUT_APPEND,   /* the same, by O_APPEND */
	POWERCUT_TRUNCATE, /* ino, at: the new length */
	POWERCUT_SYNC,     /* ino: everything written to it is durable */
	POWERCUT_CREATE,   /* ino; a: path */
	POWERCUT_LINK,     /* ino of a file that is there; a: path */
	POWERCUT_MKDIR,    /* a: path */
	POWERCUT_RENAME,   /* a: from; b: to */
	POWERCUT_UNLINK,   /* a: path */
	POWERCUT_SYNC_DIR, /* a: path; names in it are durable */
	POWERCUT_ACK       /* a: what was acknowledged */
};

struct powercut_entry {
	uint32_t op, a_n, b_n, reserved;
	uint64_t ino, at;
};

#endif
