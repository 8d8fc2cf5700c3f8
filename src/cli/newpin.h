/* SPDX-License-Identifier: Apache-2.0 */
/* The PINs of a new token: from sources, or made at random and written to files. */
#ifndef CHANCERY_CLI_NEWPIN_H
#define CHANCERY_CLI_NEWPIN_H

#include "base/buf.h"
#include "cli/office.h"
#include <signal.h>

struct newpins {
	struct buf so, user;       /* secret; user may be empty: none */
	char *so_file, *user_file; /* that were made; NULL: none */
	sigset_t
		mask; /* of signals, as it was: while there are files and no token with their PINs yet */
	bool held; /* interruptions wait for newpins_free */
};

/* From --make-pins, or --so-pin-source and --pin-source; fresh: the SO PIN is a new one, so a prompt asks twice. */
enum err newpins_take(struct call *c, const struct office *o, bool fresh, struct newpins *pins);
/* Removes the files that were made, and no others: no token has these PINs. */
void newpins_withdraw(struct call *c, struct newpins *pins);
void newpins_free(struct newpins *pins);

#endif
