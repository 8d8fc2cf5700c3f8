/* SPDX-License-Identifier: Apache-2.0 */
/* The only reader of the environment. */
#ifndef CHANCERY_BASE_ENV_H
#define CHANCERY_BASE_ENV_H

#include <stdbool.h>

/*
 * The value of a variable that is set and not empty, else NULL. Always NULL in a process that
 * gained privileges by exec (AT_SECURE): its environment is the work of somebody else.
 */
const char *env_get(const char *name);
bool env_secure(void);

#endif
