/* SPDX-License-Identifier: Apache-2.0 */
/* --audit of a new key: what the audit log has of its signatures. */
#ifndef CHANCERY_CLI_KEYAUDIT_H
#define CHANCERY_CLI_KEYAUDIT_H

#include "cli/command.h"
#include "cli/template.h"

#define KEYAUDIT                                                                          \
	{                                                                                 \
		"audit", "WHAT",                                                          \
			"a record of each signature (default), or one for each batch of " \
			"public answers",                                                 \
			"each batch"                                                      \
	}

/* *batch: --audit batch. E_ARGUMENTS: of a key that is no private key for signing (signs), or it is another word. */
enum err keyaudit_take(struct call *c, bool signs, bool *batch);
/* For the private key. What every module has by itself is not asked for. */
void keyaudit_put(bool batch, struct template *t);
/* "each" or "batch"; NULL: the object, or its module, has no such attribute. */
const char *keyaudit_name(CK_ULONG audit);

#endif
