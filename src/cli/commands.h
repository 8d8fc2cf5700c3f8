/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of every command; each stands in the file that implements it. */
#ifndef CHANCERY_CLI_COMMANDS_H
#define CHANCERY_CLI_COMMANDS_H

#include "cli/command.h"

extern const struct command cmd_token_init, cmd_token_list, cmd_token_info, cmd_token_pin,
	cmd_token_unlock;
extern const struct command cmd_token_rename, cmd_token_delete, cmd_token_backup, cmd_token_restore,
	cmd_token_require_audit;
extern const struct command cmd_key_generate, cmd_key_list, cmd_key_show, cmd_key_delete,
	cmd_key_public, cmd_key_import;
extern const struct command cmd_mech_list;
extern const struct command cmd_audit_init, cmd_audit_verify, cmd_audit_show, cmd_audit_tail,
	cmd_audit_stats;
extern const struct command cmd_audit_anchor, cmd_audit_receipt, cmd_audit_check_receipt,
	cmd_audit_rotate_key, cmd_audit_export, cmd_audit_reconcile;
extern const struct command cmd_sign, cmd_verify, cmd_stat, cmd_doctor, cmd_selftest,
	cmd_completion;

#endif
