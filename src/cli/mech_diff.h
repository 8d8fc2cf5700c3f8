/* SPDX-License-Identifier: Apache-2.0 */
/* chancery mech list --diff A B */
#ifndef CHANCERY_CLI_MECH_DIFF_H
#define CHANCERY_CLI_MECH_DIFF_H

#include "cli/command.h"

/* Prints what only one of the two operands has, and what both have with other flags or key sizes. */
enum err mech_diff(struct call *c, unsigned seconds);

#endif
