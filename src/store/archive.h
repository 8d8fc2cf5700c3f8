/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sealed file of a backup: a header, then chunks, each sealed under a key of the passphrase and bound to the
 * header, its place and whether it is the last, so that nothing can be cut off, moved or put in from another backup. What is inside is a
 * sequence of items; docs/STORE.md, "Backup", has the bytes.
 */
#ifndef CHANCERY_STORE_ARCHIVE_H
#define CHANCERY_STORE_ARCHIVE_H

#include "base/why.h"
#include "store/pinkey.h"

enum {
	ARCHIVE_FORMAT = 1,
	ARCHIVE_HEADER = 64,
	ARCHIVE_CHECK = 16,
	ARCHIVE_CHUNK = 65536,       /* plain bytes of a chunk, at most */
	ARCHIVE_ITEM_MAX = 32 << 20, /* bytes of an item, at most */
	ARCHIVE_PASSPHRASE = 1024    /* bytes, at most */
};

enum archive_item { ITEM_TOKEN = 1, ITEM_PIN = 2, ITEM_OBJECT = 3, ITEM_USES = 4 };

struct archive_header {
	struct pinkey kdf;            /* wrapped is unused */
	uint8_t check[ARCHIVE_CHECK]; /* tells a wrong passphrase from damage */
	uint8_t digest[SEALING_MAC];  /* of the header's bytes, bound into every chunk */
};

/* E_DATA: not a backup; E_TOKEN_UNKNOWN: newer; E_CORRUPT. For archive_open and the fuzzer. */
enum err archive_header_parse(struct span bytes, struct archive_header *h);

/* ---- writing ---- */

struct archive_writer {
	int fd;
	const char *path; /* for messages */
	uint8_t *key;     /* secret */
	uint8_t digest[SEALING_MAC];
	uint64_t chunks;
	struct buf plain, sealed;
	struct why *why;
};

/* Writes the header. Runs the KDF: no lock is held. w is to be freed by archive_end, also on error. */
enum err archive_begin(struct archive_writer *w, int fd, const char *path,
		       const struct store_policy *p, struct span passphrase, struct why *why);
enum err archive_item(struct archive_writer *w, enum archive_item type, struct span body);
/* Writes the last chunk. */
enum err archive_finish(struct archive_writer *w);
void archive_end(struct archive_writer *w);

/* ---- reading ---- */

struct archive_reader {
	int fd;
	const char *path;
	uint8_t *key; /* secret */
	uint8_t digest[SEALING_MAC];
	uint64_t chunks;
	bool last;        /* the last chunk was read */
	struct buf plain; /* what was opened and not yet taken */
	size_t taken;     /* of plain */
	struct buf sealed;
	struct why *why;
};

/* Reads the header and tries the passphrase: E_PIN_WRONG. r is to be freed by archive_close, also on error. */
enum err archive_open(struct archive_reader *r, int fd, const char *path, struct span passphrase,
		      struct why *why);
/* The next item; its body lives until the next call. *more false: the end, and nothing is behind it. */
enum err archive_next(struct archive_reader *r, bool *more, uint8_t *type, struct span *body);
void archive_close(struct archive_reader *r);

#endif
