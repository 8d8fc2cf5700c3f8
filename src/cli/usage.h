/* SPDX-License-Identifier: Apache-2.0 */
/* Usage texts, made from the rows of commands. */
#ifndef CHANCERY_CLI_USAGE_H
#define CHANCERY_CLI_USAGE_H

#include "cli/command.h"
#include <stdio.h>

void usage_command(FILE *f, const struct command *k);
/* What is printed when argv names no command: help, version, or what is wrong with it. The exit status. */
int usage_main(int argc, char **argv);

#endif
