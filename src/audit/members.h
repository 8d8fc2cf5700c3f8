/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a record that come from elsewhere, before they are put into one. */
#ifndef CHANCERY_AUDIT_MEMBERS_H
#define CHANCERY_AUDIT_MEMBERS_H

#include "base/span.h"

/*
 * Whether s is `"name":value`, with commas between, and nothing else: names of small letters, digits and _, values that are strings as
 * docs/AUDIT.md writes them, numbers without sign or fraction, or one level of an object of such. So it cannot end a line or an
 * object, whoever made it. Whether it makes sense is not asked.
 */
bool members_ok(struct span s);

#endif
