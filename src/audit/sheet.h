/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What records are written to: a file of ours alone, or a stream. After an error nothing is written to it again: the kernel reports a failed
 * write-back once, and whatever a second try answers would mean nothing. One caller at a time.
 */
#ifndef CHANCERY_AUDIT_SHEET_H
#define CHANCERY_AUDIT_SHEET_H

#include "audit/hold.h"
#include "base/err.h"
#include "base/span.h"
#include "base/why.h"
#include <limits.h>
#include <stdint.h>

struct sheet {
	struct hold hold;
	char path[PATH_MAX];
	bool stream;
	bool durable;      /* there are barriers */
	bool reservable;   /* the filesystem can keep space for a file */
	bool low;          /* and could not, the last time */
	bool touched;      /* somebody else changed, moved or removed it */
	uint64_t size;     /* bytes that we wrote */
	uint64_t safe;     /* of those, what is known to be durable */
	uint64_t reserved; /* and that the file has space for */
};

/*
 * A new file, with exactly mode, locked for life, and with a reserve of space. Neither it nor its name is durable yet. Behind the gate. E_EXISTS:
 * there is one. After an error, too, s is ended by sheet_close.
 */
enum err sheet_create(struct sheet *s, const char *path, mode_t mode, struct why *why);
/* A stream. durable false: the target says that it cannot sync (/dev/null). Behind the gate. */
enum err sheet_stream(struct sheet *s, const char *path, struct why *why);

/* Space for n bytes more and the reserve; s->low when that is not to be had, which is no error yet. */
void sheet_reserve(struct sheet *s, size_t n);
/*
 * Writes data and makes it durable. E_DEVICE, whatever the cause: also when the file is no longer what or where we left it. s->safe has grown by data
 * when that is durable in spite of the error.
 */
enum err sheet_write(struct sheet *s, struct span data, struct why *why);
/* Nothing more will be written: the space that is left over is given back. */
void sheet_trim(struct sheet *s);
/* Not behind the gate. */
void sheet_close(struct sheet *s);

#endif
