/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/auditplace.h"
#include "base/conf.h"
#include "base/file.h"
#include "base/rollplace.h"
#include "base/terminal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOURCE_MAX = KEYS_MAX * KEYS_TEXT_MAX, TEXT_LINES = 4 };

/* The module leaves a directory of another user alone, and takes one beside it. */
static enum err own_place(char path[PATH_MAX], struct why *why)
{
	char mine[PATH_MAX];
	struct stat st;

	if (stat(path, &st) != 0 || st.st_uid == geteuid())
		return OK;
	if (snprintf(mine, sizeof(mine), "%s.%u", path, (unsigned)geteuid()) >= (int)sizeof(mine))
		return why_fail(why, E_CONFIG, "the path of the roll is too long");
	if (stat(mine, &st) == 0)
		memcpy(path, mine, sizeof(mine));
	return OK;
}

/* What the configuration says of the roll is a directory, or is to become one. */
static enum err check_kept(const char *path, struct why *why)
{
	struct stat st;

	if (path[0] == '\0')
		return why_fail(why, E_CONFIG,
				"the configuration has the audit log off: --dir names another one");
	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		return why_fail(
			why, E_CONFIG,
			"the configuration has the audit log go to a stream, %s, which keeps "
			"nothing here: --dir names another one, and `audit verify FILE` "
			"checks what was kept of it",
			path);
	return OK;
}

enum err auditplace_dir(struct call *c, char path[PATH_MAX])
{
	const char *dir = call_option(c, "dir");
	struct conf *conf = NULL;
	enum err e;

	if (dir != NULL) {
		if (snprintf(path, PATH_MAX, "%s", dir) >= PATH_MAX)
			return why_fail(&c->why, E_ARGUMENTS, "the path is too long");
		return OK;
	}
	e = conf_load(NULL, &conf, &c->why);
	if (e == OK)
		e = rollplace_path(conf->module.audit, path, &c->why);
	if (e == OK)
		e = check_kept(path, &c->why);
	if (e == OK)
		e = own_place(path, &c->why);
	conf_free(conf);
	return e;
}

/* ---- keys ---- */

static enum err read_file(const char *arg, struct buf *out, struct why *why)
{
	return file_read(arg, FILE_FOLLOW | FILE_PRIVATE, SOURCE_MAX, out, why);
}

static enum err read_fd(const char *arg, struct buf *out, struct why *why)
{
	char *end = NULL;
	long fd = strtol(arg, &end, 10);
	enum err e;

	if (arg[0] < '0' || arg[0] > '9' || *end != '\0' || fd > INT_MAX)
		return why_fail(why, E_ARGUMENTS, "fd:%s: not the number of a descriptor", arg);
	e = file_read_fd((int)fd, "the descriptor of the auditor's keys", SOURCE_MAX, out, why);
	file_close((int)fd);
	return e;
}

/* The text, line by line, as `audit init` showed it. */
static enum err read_prompt(const char *arg, struct buf *out, struct why *why)
{
	char suffix[32];
	enum err e = OK;

	(void)arg;
	for (int i = 1; e == OK && i <= TEXT_LINES; i++) {
		snprintf(suffix, sizeof(suffix), ", line %d of %d", i, TEXT_LINES);
		e = terminal_ask("the auditor's private keys", suffix, KEYS_TEXT_MAX, out, why);
		if (e == OK)
			e = buf_put_u8(out, '\n');
	}
	return e;
}

static const struct source {
	const char *front;
	enum err (*read)(const char *arg, struct buf *out, struct why *why);
} sources[] = {
	{ "file:", read_file },
	{ "fd:", read_fd },
	{ "prompt", read_prompt },
};

/* What is no source is not shown: it may be the key. */
static enum err read_source(const char *text, struct buf *out, struct why *why)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		size_t n = strlen(sources[i].front);

		if (strncmp(text, sources[i].front, n) == 0)
			return sources[i].read(text + n, out, why);
	}
	return why_fail(why, E_ARGUMENTS,
			"--auditor-key says where the keys are: file:PATH, fd:N or prompt. Keys "
			"themselves are never arguments, which every user of the machine can see");
}

enum err auditplace_keys(struct call *c, struct keys_private **keys)
{
	const char *source = call_option(c, "auditor-key");
	struct buf text = { .secret = true };
	enum err e = OK;

	*keys = NULL;
	if (source == NULL)
		return OK;
	e = read_source(source, &text, &c->why);
	if (e == OK)
		e = keys_private_read(buf_span(&text), keys, &c->why);
	buf_free(&text);
	return e;
}

enum err auditplace_public(struct call *c, struct keys_public *pub, bool *given)
{
	const char *path = call_option(c, "auditor-pub");
	struct buf text = { 0 };
	enum err e = OK;

	*given = path != NULL;
	if (path == NULL)
		return OK;
	e = file_read(path, FILE_FOLLOW, KEYS_TEXT_MAX, &text, &c->why);
	if (e == OK)
		e = keys_public_read(buf_span(&text), pub, &c->why);
	buf_free(&text);
	return e;
}
