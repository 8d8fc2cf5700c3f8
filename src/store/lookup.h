/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as they are read, for the files of this folder only. All in the caller's transaction. */
#ifndef CHANCERY_STORE_LOOKUP_H
#define CHANCERY_STORE_LOOKUP_H

#include "store/record.h"
#include "store/stmt.h"

/* The present row of a query for all columns of objects; its bytes live until the next step. The id is there in any case. */
void lookup_row(struct stmt *s, struct row *row);
/* The same for all columns but the last: row->blob is empty. */
void lookup_row_head(struct stmt *s, struct row *row);

/* A column that says who sees a record; E_CORRUPT in s->e: nobody whom we know. */
enum sight lookup_sight(struct stmt *s, int column);

/* Compares the sealed root with the sum of all rows: E_CORRUPT. */
enum err lookup_check_root(struct db *d, const struct seal *k);

#endif
