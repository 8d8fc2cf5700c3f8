/* SPDX-License-Identifier: Apache-2.0 */
/* Texts as they stand in a record: between quotes, in ASCII, without a control character (docs/AUDIT.md, "Strings"). */
#ifndef CHANCERY_AUDIT_ESCAPE_H
#define CHANCERY_AUDIT_ESCAPE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

/*
 * Appends text, at most six bytes for each of its own. E_DATA: it is not well-formed UTF-8. On error b is longer or not:
 * the caller cuts it.
 */
enum err escape_put(struct buf *b, struct span text);

#endif
