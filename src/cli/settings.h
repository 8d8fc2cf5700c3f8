/* SPDX-License-Identifier: Apache-2.0 */
/* What the configuration says: printed, and judged. */
#ifndef CHANCERY_CLI_SETTINGS_H
#define CHANCERY_CLI_SETTINGS_H

#include "base/conf.h"
#include "cli/findings.h"
#include "client/module.h"

/*
 * Prints every key with its value, those of [token.LABEL] sections too, and warns of labels that no token of Chancery's own
 * module has. E_CONFIG and what else conf_load gives.
 */
enum err settings_show(struct call *c);

/* Which file was read, if any, and what is unwise in it. NULL when it is wrong, which is a finding; else the caller's (conf_free). */
struct conf *settings_check(struct findings *f);

/* Chancery's own module m is open: findings for labels in conf that no token has. E_MEMORY, or what listing its tokens gives. */
enum err settings_check_labels(struct findings *f, const struct conf *conf, const struct module *m,
			       struct why *why);

#endif
