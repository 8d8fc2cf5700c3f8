/* SPDX-License-Identifier: Apache-2.0 */
/* Where state and configuration are. */
#ifndef CHANCERY_BASE_HOME_H
#define CHANCERY_BASE_HOME_H

#include "base/err.h"
#include "base/why.h"
#include <limits.h>
#include <stdbool.h>

#define HOME_STATE_DIR "/var/lib/chancery"
#define HOME_CONF_FILE "/etc/chancery/chancery.conf"

/*
 * The directory of state: $CHANCERY_HOME, else /var/lib/chancery for root and for the service user
 * (the owner of that directory), else $XDG_DATA_HOME/chancery, else ~/.local/share/chancery. It
 * need not exist. No environment is read in a privileged process (env.h). E_CONFIG: a relative
 * CHANCERY_HOME, a path too long, or no home directory to be found.
 */
enum err home_state(char path[PATH_MAX], struct why *why);

/*
 * The configuration file: $CHANCERY_CONF, else $XDG_CONFIG_HOME/chancery/chancery.conf (by default
 * ~/.config/chancery/chancery.conf) when that exists, else /etc/chancery/chancery.conf. *named: the
 * file was asked for by CHANCERY_CONF, so that its absence is an error; else it need not exist.
 */
enum err home_conf(char path[PATH_MAX], bool *named, struct why *why);

/*
 * The user's own configuration of another program: $XDG_CONFIG_HOME, by default ~/.config, followed by rest
 * ("/name"). It need not exist. Errors as home_state.
 */
enum err home_config(const char *rest, char path[PATH_MAX], struct why *why);

#endif
