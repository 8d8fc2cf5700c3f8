/* SPDX-License-Identifier: Apache-2.0 */
#include "base/terminal.h"

#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define PROMPT_MAX 256

enum key { KEY_BYTE, KEY_END, KEY_ERASE, KEY_KILL, KEY_CANCEL };

/*
 * Keys are read one by one and judged here: were they the terminal's to judge, an interrupt would
 * end the program with echo still off, unless it had signal handlers.
 */
static enum key key_of(uint8_t c, const struct termios *t)
{
	if (c == '\n' || c == '\r')
		return KEY_END;
	if (c == t->c_cc[VERASE] || c == '\b' || c == 0x7f)
		return KEY_ERASE;
	if (c == t->c_cc[VKILL])
		return KEY_KILL;
	if (c == t->c_cc[VINTR] || c == t->c_cc[VQUIT] || c == t->c_cc[VSUSP] || c == t->c_cc[VEOF])
		return KEY_CANCEL;
	return KEY_BYTE;
}

/* Takes back the last character: its UTF-8 continuation bytes and its first byte. */
static void erase(struct buf *b, size_t start)
{
	while (b->n > start && (b->p[b->n - 1] & 0xc0) == 0x80)
		b->n--;
	if (b->n > start)
		b->n--;
}

static enum err read_key(int fd, uint8_t *c, struct why *why)
{
	ssize_t n;

	do {
		n = read(fd, c, 1);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return why_errno(why, "cannot read from the terminal");
	return n == 1 ? OK : why_fail(why, E_FAILED, "the terminal was closed");
}

static enum err read_line(int fd, const struct termios *t, size_t max, struct buf *out,
			  struct why *why)
{
	size_t start = out->n;
	bool too_long = false;
	enum err e = buf_reserve(out, max);

	while (e == OK) {
		enum key key;
		uint8_t c;

		e = read_key(fd, &c, why);
		if (e != OK)
			break;
		key = key_of(c, t);
		if (key == KEY_END)
			break;
		if (key == KEY_CANCEL)
			e = why_fail(why, E_FAILED, "given up");
		else if (key == KEY_ERASE)
			erase(out, start);
		else if (key == KEY_KILL)
			out->n = start;
		else if (out->n - start < max)
			e = buf_put_u8(out, c);
		else
			too_long = true;
	}
	if (e == OK && too_long)
		e = why_fail(why, E_DATA_LEN, "longer than %zu bytes", max);
	return e;
}

static enum err ask(int fd, const char *prompt, size_t max, struct buf *out, struct why *why)
{
	struct termios before, quiet;
	enum err e;

	if (tcgetattr(fd, &before) != 0)
		return why_errno(why, "cannot examine the terminal");
	quiet = before;
	quiet.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
	quiet.c_cc[VMIN] = 1;
	quiet.c_cc[VTIME] = 0;
	if (tcsetattr(fd, TCSAFLUSH, &quiet) != 0)
		return why_errno(why, "cannot turn off the terminal's echo");
	e = file_write_fd(fd, "to the terminal", span_str(prompt), why);
	if (e == OK)
		e = read_line(fd, &before, max, out, why);
	(void)file_write_fd(fd, "to the terminal", span_str("\n"), NULL);
	if (tcsetattr(fd, TCSAFLUSH, &before) != 0 && e == OK)
		e = why_errno(why, "cannot turn on the terminal's echo");
	return e;
}

enum err terminal_ask(const char *what, const char *suffix, size_t max, struct buf *out,
		      struct why *why)
{
	int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	char prompt[PROMPT_MAX];
	enum err e;

	if (fd < 0)
		return why_fail(
			why, E_ABSENT,
			"there is no terminal to ask for the %s on: give a file: or fd: source",
			what);
	(void)snprintf(prompt, sizeof(prompt) - 2, "%s%s", what, suffix);
	why_clean(prompt);
	memcpy(prompt + strlen(prompt), ": ", 3);
	e = ask(fd, prompt, max, out, why);
	file_close(fd);
	return e;
}
