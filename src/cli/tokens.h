/* SPDX-License-Identifier: Apache-2.0 */
/* Where Chancery's own module looks for tokens, and what there is to say when it lists none. */
#ifndef CHANCERY_CLI_TOKENS_H
#define CHANCERY_CLI_TOKENS_H

#include "cli/office.h"

/* What to do about there being none. */
#define TOKENS_HINT "`chancery token init --label NAME --make-pins DIR` makes one"

/*
 * E_CONFIG with a why when m is Chancery's own module and the environment names no place for tokens. The
 * module then works without them, for the sake of programs that load every module, and cannot say why.
 */
enum err tokens_place(const struct module *m, struct why *why);

/*
 * After pick_tokens gave none for o->uri, but perhaps left some out: *text, for people, says where it was looked and what is there. An error with c->why
 * when the directory cannot be read, so that nobody knows.
 */
enum err tokens_none(struct call *c, const struct office *o, const struct picks *left,
		     struct why *text);

#endif
