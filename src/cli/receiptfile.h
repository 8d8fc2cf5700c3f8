/* SPDX-License-Identifier: Apache-2.0 */
/* A receipt as a file of JSON (docs/AUDIT.md, "Receipts"). */
#ifndef CHANCERY_CLI_RECEIPTFILE_H
#define CHANCERY_CLI_RECEIPTFILE_H

#include "auditor/receipt.h"
#include <jansson.h>

enum { RECEIPTFILE_MAX = 524288 };

/* A new reference; NULL: no memory. */
json_t *receiptfile_json(const struct receipt *r);
/* E_DATA with a why: it is none. Afterwards receipt_free. */
enum err receiptfile_read(struct span text, struct receipt *r, struct why *why);

#endif
