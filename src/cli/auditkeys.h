/* SPDX-License-Identifier: Apache-2.0 */
/* New keys of an auditor: made, handed over, made known to the roll. */
#ifndef CHANCERY_CLI_AUDITKEYS_H
#define CHANCERY_CLI_AUDITKEYS_H

#include "auditor/keys.h"
#include "cli/command.h"

#define AUDITKEYS_KEY_OUT                                                                  \
	{                                                                                  \
		"key-out", "FILE",                                                         \
			"the private keys; never overwritten (default: shown once on the " \
			"terminal)",                                                       \
			NULL                                                               \
	}
#define AUDITKEYS_PUB_OUT                                                                       \
	{                                                                                       \
		"pub-out", "FILE",                                                              \
			"only make the keys, for a roll elsewhere: the public ones go to FILE", \
			NULL                                                                    \
	}

/* Texts of docs/AUDIT.md. */
struct auditkeys {
	struct buf public_text, private_text; /* the second secret */
	struct keys_public pub;
};

/* Makes them and checks where they are to go; writes nothing yet. Afterwards auditkeys_free. */
enum err auditkeys_make(struct call *c, struct auditkeys *k);
void auditkeys_free(struct auditkeys *k);
/*
 * The private half to --key-out or the terminal, then the public one to --pub-out or the roll. On an error the file of --key-out is gone
 * again.
 */
enum err auditkeys_hand_over(struct call *c, const struct auditkeys *k);
/* Makes the public keys known to the roll (AuditInit of the vendor interface). */
enum err auditkeys_to_roll(struct call *c, struct span public_text);

#endif
