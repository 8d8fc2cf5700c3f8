/* SPDX-License-Identifier: Apache-2.0 */
/* Usage texts, made from the rows of commands. */
#ifndef CHANCERY_CLI_USAGE_H
#define CHANCERY_CLI_USAGE_H

#include "cli/command.h"

/* What the command is for and what it takes; as JSON with --json. */
void usage_command(struct call *c);
/* What is printed when argv names no command: help, version, or what is wrong with it. The exit status. */
int usage_main(int argc, char **argv);

#endif
