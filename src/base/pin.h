/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a PIN comes from. A source is written
 *   file:PATH        a file's bytes, less one newline (LF or CRLF) at the end; no right for others
 *   credential:NAME  the same, in $CREDENTIALS_DIRECTORY (systemd.exec(5), LoadCredential=)
 *   fd:N             the same, from an inherited descriptor until its end, which is then closed
 *   env:NAME         an environment variable: others can read it, use it for tests only
 *   prompt           asked for on the terminal, without echo
 *   command:PATH ... the output of a program, run without a shell, less one newline
 * Bytes are kept exactly: no other trimming, no character set assumed.
 */
#ifndef CHANCERY_BASE_PIN_H
#define CHANCERY_BASE_PIN_H

#include "base/buf.h"
#include "base/err.h"
#include "base/why.h"
#include <stdbool.h>

#define PIN_MAX 255

/* Which kinds of source a caller allows. */
enum {
	PIN_FILE = 1,
	PIN_CREDENTIAL = 2,
	PIN_FD = 4,
	PIN_ENV = 8,
	PIN_PROMPT = 16,
	PIN_COMMAND = 32,
	PIN_FOR_TOOL = PIN_FILE | PIN_CREDENTIAL | PIN_FD | PIN_ENV | PIN_PROMPT,
	PIN_FOR_MODULE = PIN_FILE | PIN_CREDENTIAL | PIN_COMMAND,
};

enum { PIN_FORMS_MAX = 96 };

/* How the allowed sources are written, as a part of a sentence: "file:PATH, fd:N or prompt". */
void pin_forms(unsigned allowed, char text[PIN_FORMS_MAX]);

struct pin_ask {
	const char *what; /* for the prompt: "user PIN of token \"office\"" */
	bool twice;       /* a new PIN is asked for twice */
};

/*
 * Fills pin, a secret buffer that the caller frees, from the source. E_ARGUMENTS: not a source, or
 * one that is not allowed; E_PIN_LEN: empty, or longer than PIN_MAX; else why it could not be read.
 * ask may be NULL when PIN_PROMPT is not allowed. On error pin is empty.
 */
enum err pin_read(const char *source, unsigned allowed, const struct pin_ask *ask, struct buf *pin,
		  struct why *why);

/* Whether source has the form of an allowed one; reads nothing. For checking a configuration. */
enum err pin_check(const char *source, unsigned allowed, struct why *why);

#endif
