/* SPDX-License-Identifier: Apache-2.0 */
/* Texts as they stand in a record: between quotes, in ASCII, without a control character (docs/AUDIT.md, "Strings"). */
#ifndef CHANCERY_AUDIT_ESCAPE_H
#define CHANCERY_AUDIT_ESCAPE_H

#include "base/span.h"

enum { ESCAPE_MAX = 6 }; /* bytes for each of a text */

/* Appends text. false: it is not well-formed UTF-8, or there is no room; part of it may have been written. */
bool escape_put(struct sink *s, struct span text);

#endif
