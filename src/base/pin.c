/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pin.h"

#include "base/command.h"
#include "base/env.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/terminal.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define READ_MAX ((size_t)PIN_MAX + 2) /* a PIN and its CRLF */

/* What a source is made of: the part behind the colon, and for the prompt what to ask. */
struct source {
	const char *arg;
	const struct pin_ask *ask;
};

/* One "\n" or "\r\n" at the end is the editor's or echo's, not the PIN's. */
static void strip_newline(struct buf *b)
{
	if (b->n == 0 || b->p[b->n - 1] != '\n')
		return;
	b->n--;
	if (b->n != 0 && b->p[b->n - 1] == '\r')
		b->n--;
}

static enum err read_file(const struct source *s, struct buf *pin, struct why *why)
{
	enum err e = file_read(s->arg, FILE_FOLLOW | FILE_PRIVATE, READ_MAX, pin, why);

	strip_newline(pin);
	return e;
}

static enum err read_credential(const struct source *s, struct buf *pin, struct why *why)
{
	const char *dir = env_get("CREDENTIALS_DIRECTORY");
	char path[PATH_MAX];
	struct source file = { path, NULL };

	if (dir == NULL)
		return why_fail(why, E_ABSENT,
				"credential:%s: there is no CREDENTIALS_DIRECTORY: "
				"the service's unit needs LoadCredential=",
				s->arg);
	if (snprintf(path, sizeof(path), "%s/%s", dir, s->arg) >= (int)sizeof(path))
		return why_fail(why, E_ARGUMENTS, "credential:%s: the path is too long", s->arg);
	return read_file(&file, pin, why);
}

static bool parse_fd(const char *text, int *fd)
{
	char *end = NULL;
	long n = strtol(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end != '\0' || n > INT_MAX)
		return false;
	*fd = (int)n;
	return true;
}

static enum err read_fd(const struct source *s, struct buf *pin, struct why *why)
{
	enum err e;
	int fd;

	if (!parse_fd(s->arg, &fd))
		return why_fail(why, E_ARGUMENTS, "fd:%s: not the number of a descriptor", s->arg);
	e = file_read_fd(fd, "the PIN's descriptor", READ_MAX, pin, why);
	strip_newline(pin);
	file_close(fd);
	return e;
}

static enum err read_env(const struct source *s, struct buf *pin, struct why *why)
{
	const char *v = env_get(s->arg);

	if (v == NULL)
		return why_fail(why, E_ABSENT, "env:%s: no such variable, or an empty one", s->arg);
	if (strlen(v) > PIN_MAX)
		return E_DATA_LEN;
	return buf_put(pin, span_str(v));
}

static enum err read_command(const struct source *s, struct buf *pin, struct why *why)
{
	enum err e = command_output(s->arg, READ_MAX, pin, why);

	strip_newline(pin);
	return e;
}

static enum err read_prompt(const struct source *s, struct buf *pin, struct why *why)
{
	struct buf again = { .secret = true };
	enum err e = terminal_ask(s->ask->what, "", PIN_MAX, pin, why);

	if (e == OK && s->ask->twice)
		e = terminal_ask(s->ask->what, " again", PIN_MAX, &again, why);
	if (e == OK && s->ask->twice && (again.n != pin->n || !mem_equal(again.p, pin->p, pin->n)))
		e = why_fail(why, E_DATA, "the two entries differ: nothing was changed");
	buf_free(&again);
	return e;
}

static const struct kind {
	const char *prefix;
	const char *form; /* as people write it */
	unsigned bit;
	enum err (*read)(const struct source *s, struct buf *pin, struct why *why);
} kinds[] = {
	{ "file:", "file:PATH", PIN_FILE, read_file },
	{ "credential:", "credential:NAME", PIN_CREDENTIAL, read_credential },
	{ "fd:", "fd:N", PIN_FD, read_fd },
	{ "env:", "env:NAME", PIN_ENV, read_env },
	{ "command:", "command:PATH", PIN_COMMAND, read_command },
	{ "prompt", "prompt", PIN_PROMPT, read_prompt },
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

void pin_forms(unsigned allowed, char text[PIN_FORMS_MAX])
{
	unsigned rest = allowed;
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < N_KINDS; i++) {
		if ((kinds[i].bit & allowed) == 0)
			continue;
		rest &= ~kinds[i].bit;
		n += (size_t)snprintf(text + n, PIN_FORMS_MAX - n, "%s%s",
				      n == 0      ? ""
				      : rest != 0 ? ", "
						  : " or ",
				      kinds[i].form);
	}
}

static enum err find_kind(const char *source, unsigned allowed, const struct kind **kind,
			  struct why *why)
{
	char forms[PIN_FORMS_MAX];

	pin_forms(allowed, forms);
	for (size_t i = 0; i < N_KINDS; i++) {
		size_t n = strlen(kinds[i].prefix);

		if (strncmp(source, kinds[i].prefix, n) != 0)
			continue;
		if ((kinds[i].bit & allowed) == 0)
			return why_fail(why, E_ARGUMENTS,
					"a PIN from %s is not possible here: write %s",
					kinds[i].prefix, forms);
		if ((source[n] == '\0') != (kinds[i].bit == PIN_PROMPT))
			break;
		*kind = &kinds[i];
		return OK;
	}
	/* The text is not shown: it may be a PIN that somebody took for its source. */
	return why_fail(why, E_ARGUMENTS, "not a PIN source: it is written %s", forms);
}

/* A credential is a file in its directory, not elsewhere. */
static enum err check_arg(const struct kind *kind, const char *arg, struct why *why)
{
	if (kind->bit == PIN_CREDENTIAL && strchr(arg, '/') != NULL)
		return why_fail(why, E_ARGUMENTS, "credential:%s: a name, not a path", arg);
	if (kind->bit == PIN_COMMAND)
		return command_check(arg, why);
	return OK;
}

enum err pin_check(const char *source, unsigned allowed, struct why *why)
{
	const struct kind *kind = NULL;
	enum err e = find_kind(source, allowed, &kind, why);

	return e == OK ? check_arg(kind, source + strlen(kind->prefix), why) : e;
}

static enum err check_length(const char *from, const struct buf *pin, enum err e, struct why *why)
{
	if (e == E_DATA_LEN || (e == OK && pin->n > PIN_MAX))
		return why_fail(why, E_PIN_LEN, "the PIN from %s is longer than %d bytes", from,
				PIN_MAX);
	if (e == OK && pin->n == 0)
		return why_fail(why, E_PIN_LEN, "the PIN from %s is empty", from);
	return e;
}

enum err pin_read(const char *source, unsigned allowed, const struct pin_ask *ask, struct buf *pin,
		  struct why *why)
{
	const struct kind *kind = NULL;
	struct source s = { NULL, ask };
	enum err e = pin_check(source, allowed, why);

	if (e == OK)
		e = find_kind(source, allowed, &kind, why);
	if (e != OK)
		return e;
	s.arg = source + strlen(kind->prefix);
	pin->secret = true;
	e = check_length(source, pin, kind->read(&s, pin, why), why);
	if (e != OK)
		buf_free(pin);
	return e;
}
