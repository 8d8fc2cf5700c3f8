/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"

#include "base/clock.h"
#include "base/env.h"
#include "base/file.h"
#include "base/mem.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS_MAX   32
#define COMMAND_MAX 1024
#define PIECE       256
#define NAP_NS      5000000L /* between looks at a child that has closed its output */

struct words {
	char text[COMMAND_MAX];
	char *argv[WORDS_MAX + 1];
};

/* Splits line at blanks. */
static enum err split(const char *line, struct words *w, struct why *why)
{
	char *rest = NULL;
	size_t n = 0;

	if (strlen(line) >= sizeof(w->text))
		return why_fail(why, E_ARGUMENTS, "the command is longer than %d bytes",
				COMMAND_MAX - 1);
	memcpy(w->text, line, strlen(line) + 1);
	for (char *p = strtok_r(w->text, " \t", &rest); p != NULL;
	     p = strtok_r(NULL, " \t", &rest)) {
		if (n == WORDS_MAX)
			return why_fail(why, E_ARGUMENTS, "the command has more than %d words",
					WORDS_MAX);
		w->argv[n++] = p;
	}
	w->argv[n] = NULL;
	if (n == 0 || w->argv[0][0] != '/')
		return why_fail(why, E_ARGUMENTS,
				"a command begins with the absolute path of a program");
	return OK;
}

enum err command_check(const char *line, struct why *why)
{
	struct words w;

	return split(line, &w, why);
}

/* Standard output to the pipe, and nothing else of the host's. */
static int set_descriptors(posix_spawn_file_actions_t *a, int out)
{
	int rc = posix_spawn_file_actions_adddup2(a, out, STDOUT_FILENO);

	if (rc == 0)
		rc = posix_spawn_file_actions_addopen(a, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (rc == 0)
		rc = posix_spawn_file_actions_addopen(a, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (rc == 0)
		rc = posix_spawn_file_actions_addclosefrom_np(a, STDERR_FILENO + 1);
	return rc;
}

/*
 * A group of its own, to be ended as a whole; the host's blocked and ignored signals are not for
 * it.
 */
static int set_attributes(posix_spawnattr_t *a)
{
	sigset_t all, none;
	int rc;

	sigfillset(&all);
	sigemptyset(&none);
	rc = posix_spawnattr_setsigdefault(a, &all);
	if (rc == 0)
		rc = posix_spawnattr_setsigmask(a, &none);
	if (rc == 0)
		rc = posix_spawnattr_setflags(a, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
							 POSIX_SPAWN_SETSIGMASK);
	return rc;
}

static int spawn(const struct words *w, int out, pid_t *pid)
{
	char *const bare[] = { NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc != 0)
		return rc;
	rc = posix_spawnattr_init(&attributes);
	if (rc == 0) {
		rc = set_descriptors(&actions, out);
		if (rc == 0)
			rc = set_attributes(&attributes);
		if (rc == 0)
			rc = posix_spawn(pid, w->argv[0], &actions, &attributes, w->argv,
					 env_secure() ? bare : environ);
		(void)posix_spawnattr_destroy(&attributes);
	}
	(void)posix_spawn_file_actions_destroy(&actions);
	return rc;
}

/* Waits until fd can be read; false when the deadline has passed. */
static bool wait_readable(int fd, long deadline)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int rc;

	do {
		long left = deadline - clock_ms();

		if (left <= 0)
			return false;
		rc = poll(&p, 1, (int)left);
	} while (rc < 0 && errno == EINTR);
	return rc > 0;
}

/* Everything until the end of fd. */
static enum err read_output(int fd, long deadline, size_t max, struct buf *out, struct why *why)
{
	enum err e = OK;
	ssize_t n = 1;

	while (e == OK && n != 0) {
		uint8_t piece[PIECE];

		if (!wait_readable(fd, deadline))
			return why_fail(why, E_FAILED, "the command took longer than %d seconds",
					COMMAND_SECONDS);
		n = read(fd, piece, sizeof(piece));
		if (n < 0 && errno != EINTR)
			return why_errno(why, "cannot read the command's output");
		if (n > 0 && (size_t)n > max - out->n)
			e = why_fail(why, E_DATA_LEN, "the command wrote more than %zu bytes", max);
		else if (n > 0)
			e = buf_put(out, span(piece, (size_t)n));
		mem_wipe(piece, sizeof(piece));
	}
	return e;
}

/* Waits for the child until the deadline, and ends it then. *status as waitpid gives it. */
static enum err reap(pid_t pid, long deadline, int *status, struct why *why)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	bool ended = false;

	for (;;) {
		pid_t p = waitpid(pid, status, ended ? 0 : WNOHANG);

		if (p == pid)
			return OK;
		if (p < 0 && errno == ECHILD)
			return why_fail(
				why, E_FAILED,
				"the command's outcome is unknown, for this program takes every "
				"child's: use a file: or credential: source");
		if (p < 0 && errno != EINTR)
			return why_errno(why, "cannot wait for the command");
		if (!ended && clock_ms() >= deadline) {
			(void)kill(-pid, SIGKILL); /* still our child: its id is not another's */
			ended = true;
		} else if (!ended) {
			(void)nanosleep(&nap, NULL);
		}
	}
}

static enum err run(const struct words *w, size_t max, struct buf *out, struct why *why)
{
	long deadline = clock_ms() + COMMAND_SECONDS * 1000L;
	int ends[2], rc, status = 0;
	enum err e, e2;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return why_errno(why, "cannot make a pipe");
	rc = spawn(w, ends[1], &pid);
	file_close(ends[1]);
	if (rc != 0) {
		file_close(ends[0]);
		errno = rc;
		(void)why_errno(why, "cannot run %s", w->argv[0]);
		return E_FAILED;
	}
	e = read_output(ends[0], deadline, max, out, why);
	file_close(ends[0]);
	e2 = reap(pid, e == OK ? deadline : 0, &status, e == OK ? why : NULL);
	if (e == OK)
		e = e2;
	if (e == OK && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
		e = why_fail(why, E_FAILED, "%s failed with status %d", w->argv[0],
			     WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return e;
}

enum err command_output(const char *line, size_t max, struct buf *out, struct why *why)
{
	struct buf output = { .secret = true };
	struct words w;
	enum err e = split(line, &w, why);

	if (e == OK)
		e = run(&w, max, &output, why);
	if (e == OK)
		e = buf_put(out, buf_span(&output));
	buf_free(&output);
	return e;
}
