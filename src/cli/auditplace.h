/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of `chancery audit` begin with: which roll, whose keys, which anchor. */
#ifndef CHANCERY_CLI_AUDITPLACE_H
#define CHANCERY_CLI_AUDITPLACE_H

#include "auditor/anchor.h"
#include "auditor/keys.h"
#include "cli/command.h"
#include <limits.h>

#define AUDITPLACE_DIR                                                                             \
	{                                                                                          \
		"dir", "DIR", "the directory of the roll (default: where the configuration says)", \
			NULL                                                                       \
	}
#define AUDITPLACE_KEY(what)                                                                  \
	{                                                                                     \
		"auditor-key", "SOURCE", what ": file:PATH, fd:N, prompt", "file: fd: prompt" \
	}
#define AUDITPLACE_PUB                                                   \
	{                                                                \
		"auditor-pub", "FILE", "the auditor's public keys", NULL \
	}
#define AUDITPLACE_END                 \
	{                              \
		NULL, NULL, NULL, NULL \
	}

/* --dir, else the configuration's; that of this user where the place belongs to another. */
enum err auditplace_dir(struct call *c, char path[PATH_MAX]);
/* --auditor-key; *keys NULL when it is not given. Freed with keys_private_free. */
enum err auditplace_keys(struct call *c, struct keys_private **keys);
/* --auditor-pub; *given false when it is not. */
enum err auditplace_public(struct call *c, struct keys_public *pub, bool *given);

#endif
