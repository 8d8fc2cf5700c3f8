/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of every command; each stands in the file that implements it. */
#ifndef CHANCERY_CLI_COMMANDS_H
#define CHANCERY_CLI_COMMANDS_H

#include "cli/command.h"

extern const struct command cmd_token_list, cmd_token_info;
extern const struct command cmd_mech_list;

#endif
