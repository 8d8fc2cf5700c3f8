/* SPDX-License-Identifier: Apache-2.0 */
/* The label of a token, as --label gives it. */
#ifndef CHANCERY_CLI_LABEL_H
#define CHANCERY_CLI_LABEL_H

#include "cli/office.h"

enum { LABEL_BYTES = 32 };

/* --label, blank padded. */
enum err label_take(struct call *c, CK_UTF8CHAR label[LABEL_BYTES]);
/* E_ARGUMENTS when another token of the module has this label: a URI by label would become ambiguous. */
enum err label_unused(struct call *c, const struct office *o, const CK_UTF8CHAR label[LABEL_BYTES]);

#endif
