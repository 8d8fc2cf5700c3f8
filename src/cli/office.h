/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What nearly every command needs first: the module, the token that a URI names, a session, a login.
 * The module is --module, else the URI's module-path, else Chancery's own: beside the program, or
 * where it was installed.
 */
#ifndef CHANCERY_CLI_OFFICE_H
#define CHANCERY_CLI_OFFICE_H

#include "base/uri.h"
#include "client/object.h"
#include "client/pick.h"
#include "client/pool.h"
#include "cli/command.h"
#include <limits.h>

/* An open module and what was picked in it; every part may be absent. Freed with office_close. */
struct office {
	struct call *c; /* whose command it is; NULL: nothing was opened */
	struct uri uri;
	struct module *m;
	struct spot spot;
	const char *new_label; /* that the token is to have, for prompts; NULL: the one it has */
	struct pool *pool;
	struct desk desk; /* a session of the pool */
	bool at_desk;
};

/* Chancery's own module: beside this program (a build tree), else where it was installed. */
void office_own_module(char path[PATH_MAX]);
/* What uri says (NULL: nothing) and the file of the module to use, without opening that. *u is the caller's, also on error: uri_free. */
enum err office_find(struct call *c, const char *uri, struct uri *u, char path[PATH_MAX]);
/* The module alone; uri NULL: no URI. */
enum err office_module(struct call *c, const char *uri, struct office *o);
/* The module and one token that fits the URI. */
enum err office_token(struct call *c, const char *uri, enum pick_want want, struct office *o);
/*
 * As office_token, and a session on it. Logs user in when the command has --pin-source (CKU_USER) or
 * --so-pin-source (CKU_SO), or the URI a pin-source; a token without either is used as the public.
 */
enum err office_session(struct call *c, const char *uri, bool rw, CK_USER_TYPE user,
			struct office *o);
/* After office_token: a read-write session on it, logged in with a PIN that the command needs once more. */
enum err office_login_with(struct call *c, CK_USER_TYPE user, struct span pin, struct office *o);
/* Where the command failed and the audit log cannot be written, its why gets that reason appended. */
void office_close(struct office *o);
/*
 * After a command failed with e: where nobody was logged in and that may be the reason, its why says how
 * the PIN is given. Returns e.
 */
enum err office_advise(struct call *c, enum err e);

/*
 * A PIN from the source in option `option`, else from the URI's pin-source (user PIN only); E_ARGUMENTS when neither is
 * there. fresh: a PIN that is to be set, so a prompt asks twice.
 */
enum err office_pin(struct call *c, const struct office *o, const char *option, bool fresh,
		    struct buf *pin);

#endif
