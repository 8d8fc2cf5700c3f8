/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

const struct command *const commands[] = {
	&cmd_token_init,       &cmd_token_list,    &cmd_token_info,
	&cmd_token_pin,        &cmd_token_unlock,  &cmd_token_rename,
	&cmd_token_delete,     &cmd_token_backup,  &cmd_token_restore,
	&cmd_key_generate,     &cmd_key_import,    &cmd_key_list,
	&cmd_key_show,         &cmd_key_delete,    &cmd_key_public,
	&cmd_mech_list,        &cmd_audit_init,    &cmd_audit_verify,
	&cmd_audit_show,       &cmd_audit_tail,    &cmd_audit_stats,
	&cmd_audit_anchor,     &cmd_audit_receipt, &cmd_audit_check_receipt,
	&cmd_audit_rotate_key, &cmd_audit_export,  &cmd_sign,
	&cmd_verify,           &cmd_stat,          &cmd_doctor,
	&cmd_selftest,         &cmd_completion,
};

const size_t commands_n = sizeof(commands) / sizeof(commands[0]);
