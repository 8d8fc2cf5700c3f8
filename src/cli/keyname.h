/* SPDX-License-Identifier: Apache-2.0 */
/* Labels of keys: one name, one key. */
#ifndef CHANCERY_CLI_KEYNAME_H
#define CHANCERY_CLI_KEYNAME_H

#include "cli/office.h"

/* E_ARGUMENTS when the label is empty, or an object of the token has it already: later commands would be ambiguous. */
enum err keyname_unused(struct call *c, const struct office *o, struct span label);
/* Reports the object h, which was just made; done: "Made", "Imported". */
enum err keyname_tell(struct call *c, const struct office *o, struct span label, CK_OBJECT_HANDLE h,
		      const char *done);

#endif
