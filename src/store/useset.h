/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of the table uses: how often keys were used, sealed page by page, and summed up in the sealed state as objects are. All in the
 * caller's transaction.
 */
#ifndef CHANCERY_STORE_USESET_H
#define CHANCERY_STORE_USESET_H

#include "store/head.h"
#include "store/stmt.h"

/* A row as it lies there; the blob is borrowed. */
struct useset_row {
	uint8_t roll[STORE_ROLL];
	uint64_t file, part, page;
	struct span blob;
};

/* The present row of Q_USES_ALL; its bytes live until the next step. */
void useset_row(struct stmt *q, struct useset_row *row);

/* Opens every row and compares their sum with the sealed one: E_CORRUPT. */
enum err useset_check(struct db *d, const struct seal *k);

/* A page's plain form, and back: E_CORRUPT. For useset.c and the fuzzer. */
enum { USESET_USE = STORE_USE_KEY + 8, USESET_PLAIN = 1 + STORE_USE_PAGE * USESET_USE };
struct span useset_plain(const struct store_uses *u, uint8_t plain[USESET_PLAIN]);
enum err useset_parse(struct span plain, struct store_uses *u);

#endif
