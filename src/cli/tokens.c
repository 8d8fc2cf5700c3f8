/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/tokens.h"

#include "base/home.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum err tokens_place(const struct module *m, struct why *why)
{
	char state[PATH_MAX];

	return module_chancery(m) != NULL ? home_state(state, why) : OK;
}

/* docs/STORE.md: the directory of tokens is in that of state. One that is not there is no error. */
static enum err look_into(const char *state, struct why *why)
{
	char tokens[PATH_MAX + sizeof("/tokens")];
	DIR *d;

	snprintf(tokens, sizeof(tokens), "%s/tokens", state);
	d = opendir(tokens);
	if (d == NULL && errno != ENOENT)
		return why_errno(why, "cannot read the directory %s", tokens);
	if (d != NULL)
		(void)closedir(d);
	return OK;
}

static enum err none_of_ours(struct call *c, struct why *text)
{
	char state[PATH_MAX];
	enum err e = home_state(state, &c->why);

	if (e == OK)
		e = look_into(state, &c->why);
	if (e != OK)
		return e;
	if (access(state, F_OK) != 0)
		return why_fail(text, OK, "No token yet: %s does not exist; " TOKENS_HINT ".",
				state);
	return why_fail(text, OK, "No token yet in %s; " TOKENS_HINT ".", state);
}

/* How many tokens there are for whoever gives no URI, and how many that cannot be read. */
static enum err count_all(struct call *c, const struct office *o, size_t *n, size_t *n_unread)
{
	struct picks all;
	enum err e = pick_tokens(o->m, NULL, PICK_TOKEN, &all, &c->why);

	*n = all.n;
	*n_unread = all.n_unread;
	picks_free(&all);
	return e;
}

enum err tokens_none(struct call *c, const struct office *o, const struct picks *left,
		     struct why *text)
{
	size_t n = 0, n_unread = left->n_unread;
	enum err e = c->n_operands > 0 ? count_all(c, o, &n, &n_unread) : OK;

	if (e != OK)
		return e;
	if (n > 0)
		return why_fail(text, OK, "No token fits the URI; without one, %zu %s listed.", n,
				n == 1 ? "is" : "are");
	if (n_unread > 0)
		return why_fail(text, OK, "No token can be read.");
	if (module_chancery(o->m) != NULL)
		return none_of_ours(c, text);
	return why_fail(text, OK, "No token yet in %s; " TOKENS_HINT ".", module_path(o->m));
}
