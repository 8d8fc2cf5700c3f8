/* SPDX-License-Identifier: Apache-2.0 */
/* A file of lines, read from its front in a fixed amount of memory. */
#ifndef CHANCERY_AUDITOR_LINES_H
#define CHANCERY_AUDITOR_LINES_H

#include "auditor/line.h"
#include "base/err.h"
#include "base/why.h"

enum lines_end {
	LINES_MORE,
	LINES_END,      /* after a line feed, or the file is empty */
	LINES_TORN,     /* in the middle of a line, which `text` has */
	LINES_TOO_LONG, /* a line of more than LINE_MAX_BYTES */
	LINES_FAILED,   /* reading failed: E_DEVICE */
};

struct lines {
	int fd;
	uint8_t *room;
	size_t from, to; /* what is read and not yet given out */
	uint64_t offset; /* in the file, of the next line */
	uint64_t number; /* of the line given last, from 1 */
	bool follow;     /* an unfinished line is waited for: LINES_END */
};

/* A regular file. E_ABSENT: there is none. Afterwards lines_close. */
enum err lines_open(const char *path, struct lines *l, struct why *why);
void lines_close(struct lines *l); /* zeroed accepted */
/* The next line, without its line feed; valid until the next call. */
enum lines_end lines_next(struct lines *l, struct span *text);
/* Whether somebody writes the file: its author holds a lock on it for life. */
bool lines_held(const struct lines *l);

#endif
