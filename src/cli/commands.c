/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

const struct command *const commands[] = {
	&cmd_token_init,
	&cmd_token_list,
	&cmd_token_info,
	&cmd_token_pin,
	&cmd_token_unlock,
	&cmd_key_generate,
	&cmd_key_list,
	&cmd_key_show,
	&cmd_key_delete,
	&cmd_mech_list,
	&cmd_sign,
	&cmd_verify,
};

const size_t commands_n = sizeof(commands) / sizeof(commands[0]);
