/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/keyaudit.h"

#include <chancery/chancery.h>
#include <string.h>

static const char *const names[] = {
	[CHANCERY_AUDIT_EACH] = "each",
	[CHANCERY_AUDIT_BATCH] = "batch",
};

const char *keyaudit_name(CK_ULONG audit)
{
	return audit < sizeof(names) / sizeof(names[0]) ? names[audit] : NULL;
}

enum err keyaudit_take(struct call *c, bool signs, bool *batch)
{
	const char *word = call_option(c, "audit");

	*batch = word != NULL && strcmp(word, names[CHANCERY_AUDIT_BATCH]) == 0;
	if (word != NULL && !*batch && strcmp(word, names[CHANCERY_AUDIT_EACH]) != 0)
		return why_fail(&c->why, E_ARGUMENTS, "--audit is each or batch, not \"%s\"", word);
	if (*batch && !signs)
		return why_fail(&c->why, E_ARGUMENTS,
				"--audit batch is for private keys that sign");
	return OK;
}

void keyaudit_put(bool batch, struct template *t)
{
	if (batch)
		template_ulong(t, CKA_CHANCERY_AUDIT, CHANCERY_AUDIT_BATCH);
}
