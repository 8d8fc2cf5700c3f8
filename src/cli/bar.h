/* SPDX-License-Identifier: Apache-2.0 */
/* A bar on stderr that shows how much of a long reading is done. */
#ifndef CHANCERY_CLI_BAR_H
#define CHANCERY_CLI_BAR_H

#include <stdint.h>

/* Bytes; arg is not used. Gone when all is done. */
void bar_draw(void *arg, uint64_t done, uint64_t total);

#endif
