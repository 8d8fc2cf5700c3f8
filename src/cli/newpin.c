/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/newpin.h"
#include "base/dir.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/report.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

/*
 * 30 characters of 5 bits each: far beyond guessing, and short enough for the clients that cut a PIN off after
 * 31 bytes (libp11 0.4.12, and with it OpenSSL's pkcs11 engine).
 */
#define MADE_CHARS 30

static enum err make_pin(struct buf *pin, struct why *why)
{
	static const char letters[33] = "abcdefghijklmnopqrstuvwxyz234567";
	uint8_t raw[MADE_CHARS];
	enum err e = OK;

	if (getrandom(raw, sizeof(raw), 0) != (ssize_t)sizeof(raw))
		return why_errno(why, "the system gives no random bytes");
	for (size_t i = 0; i < sizeof(raw) && e == OK; i++)
		e = buf_put_u8(pin, (uint8_t)letters[raw[i] & 31]);
	mem_wipe(raw, sizeof(raw));
	return e;
}

/* Makes a PIN and writes it to a file of its own before it is used: a PIN that nobody has would lock the token for good. */
static enum err make_file(struct call *c, const char *dir, const char *name, struct buf *pin,
			  char **made)
{
	char path[PATH_MAX];
	enum err e = make_pin(pin, &c->why);

	if (e != OK)
		return e;
	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return why_fail(&c->why, E_ARGUMENTS, "the directory's name is too long");
	char *kept = mem_strdup(path);
	if (kept == NULL)
		return why_fail(&c->why, E_MEMORY, "%s", err_text(E_MEMORY));
	e = file_create(path, 0600, buf_span(pin), &c->why);
	if (e != OK) {
		mem_free(kept);
		return e;
	}
	*made = kept;
	return OK;
}

/* An interruption comes when the token has the PINs, or the files are gone again: else they would lie there and be no token's. */
static void hold(struct newpins *pins)
{
	sigset_t waiting;

	(void)sigemptyset(&waiting);
	(void)sigaddset(&waiting, SIGINT);
	(void)sigaddset(&waiting, SIGTERM);
	(void)sigaddset(&waiting, SIGHUP);
	pins->held = sigprocmask(SIG_BLOCK, &waiting, &pins->mask) == 0;
}

/* Whoever can put files into dir could put PINs of his own in the place of ours. */
static enum err make_files(struct call *c, const char *dir, struct newpins *pins)
{
	enum err e = dir_check_unshared(dir, &c->why);

	if (e == E_ABSENT)
		return E_CREATE;
	if (e == OK)
		hold(pins);
	if (e == OK)
		e = make_file(c, dir, "so.pin", &pins->so, &pins->so_file);
	return e == OK ? make_file(c, dir, "user.pin", &pins->user, &pins->user_file) : e;
}

enum err newpins_take(struct call *c, const struct office *o, bool fresh, struct newpins *pins)
{
	const char *dir = call_option(c, "make-pins");
	bool given = call_flag(c, "so-pin-source") || call_flag(c, "pin-source");
	enum err e;

	if (dir != NULL && given)
		return why_fail(&c->why, E_ARGUMENTS,
				"--make-pins makes both PINs: give no source beside it");
	if (dir != NULL && !fresh)
		return why_fail(
			&c->why, E_ARGUMENTS,
			"--reinitialize wants the SO PIN that the token has, which --make-pins "
			"cannot make: give --so-pin-source and --pin-source");
	if (dir != NULL)
		return make_files(c, dir, pins);
	e = office_pin(c, o, "so-pin-source", fresh, &pins->so);
	if (e == OK && call_flag(c, "pin-source"))
		e = office_pin(c, o, "pin-source", true, &pins->user);
	return e;
}

static void withdraw(struct call *c, char **file)
{
	if (*file != NULL && unlink(*file) != 0)
		report_warn(c, "%s could not be removed: %s", *file, strerror(errno));
	mem_free(*file);
	*file = NULL;
}

void newpins_withdraw(struct call *c, struct newpins *pins)
{
	withdraw(c, &pins->so_file);
	withdraw(c, &pins->user_file);
}

void newpins_free(struct newpins *pins)
{
	mem_free(pins->so_file);
	mem_free(pins->user_file);
	buf_free(&pins->so);
	buf_free(&pins->user);
	if (pins->held)
		(void)sigprocmask(SIG_SETMASK, &pins->mask, NULL);
	pins->held = false;
}
