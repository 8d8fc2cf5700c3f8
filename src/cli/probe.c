/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/probe.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/uri.h"
#include "cli/answer.h"
#include "cli/offer.h"
#include "cli/tokens.h"
#include "client/module.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

enum { ANSWER_MAX = 64 << 20, PIECE = 4096, TICK_MS = 10 };

struct question {
	const char *path, *uri;
	unsigned seconds;
};

/* ---- the child: {"slots", "err", "why"} through the pipe ---- */

/*
 * The URI comes as text: parsed values are secret memory, which a forked child does not have.
 */
static json_t *answer_make(const struct question *q, struct module **m)
{
	struct uri u = { 0 };
	struct why why = { "" };
	json_t *slots = NULL;
	enum err e = q->uri != NULL ? uri_parse(q->uri, &u, &why) : OK;

	if (e == OK)
		e = module_open(q->path, m, &why);
	if (e == OK)
		e = tokens_place(*m, &why);
	if (e == OK)
		e = offer_read(*m, &u, &slots, &why);
	uri_free(&u);
	return json_pack("{s:o, s:i, s:o}", "slots", slots != NULL ? slots : json_array(), "err",
			 (int)e, "why", report_label(span_str(why.text)));
}

/*
 * A group of its own, so that what it starts ends with it. A key at the terminal no longer reaches
 * it then, so it ends with the parent.
 */
static void separate(pid_t parent)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EX_OSERR);
}

/* Exits without atexit handlers: they are the parent's. */
static _Noreturn void child(const struct question *q, pid_t parent, int fd)
{
	struct module *m = NULL;

	separate(parent);
	dup2(STDERR_FILENO, STDOUT_FILENO);

	json_t *answer = answer_make(q, &m);
	char *text = answer != NULL ? json_dumps(answer, JSON_COMPACT) : NULL;
	if (text == NULL || file_write_fd(fd, "pipe", span_str(text), NULL) != OK)
		_exit(EX_OSERR);
	file_close(fd);
	module_close(m);
	_exit(EX_OK);
}

/* ---- the parent ---- */

/* The module's process as we see it: nothing that it does or leaves undone ends the watch. */
struct watch {
	pid_t pid;
	int fd;        /* does not block; -1 when everything was read */
	long deadline; /* of clock_ms */
	struct buf text;
};

/* Takes what is in the pipe. */
static enum err take_ready(struct watch *w, struct why *why)
{
	uint8_t piece[PIECE];
	ssize_t n = 1;
	enum err e = OK;

	while (e == OK && w->fd >= 0 && n > 0) {
		n = read(w->fd, piece, sizeof(piece));
		if (n > 0)
			e = buf_put(&w->text, span(piece, (size_t)n));
		if (e != OK)
			return why_fail(why, e, "the module's answer: %s", err_text(e));
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return why_errno(why, "the module's process cannot be heard");
		if (n == 0) {
			file_close(w->fd);
			w->fd = -1;
		}
	}
	return e;
}

/* Whether the process has ended. It stays to be waited for, so that its id is not another's. */
static enum err look(const struct watch *w, bool *ended, struct why *why)
{
	siginfo_t info = { 0 };

	while (waitid(P_PID, (id_t)w->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
		if (errno != EINTR)
			return why_errno(why, "waiting for the module's process");
	*ended = info.si_pid == w->pid;
	return OK;
}

/*
 * Until the process ends, which the pipe does not tell: a process that the module forked may hold
 * it open.
 */
static enum err attend(struct watch *w, unsigned seconds, struct why *why)
{
	bool ended = false;
	enum err e = look(w, &ended, why);

	while (e == OK && !ended) {
		struct pollfd p = { .fd = w->fd, .events = POLLIN };
		if (clock_ms() >= w->deadline)
			return why_fail(why, E_FAILED, "the module took longer than %u seconds",
					seconds);
		(void)poll(&p, 1, TICK_MS);
		e = take_ready(w, why);
		if (e == OK)
			e = look(w, &ended, why);
	}
	return e == OK ? take_ready(w, why) : e;
}

/* How the process ended, when it did not end well. */
static enum err ending(int status, struct why *why)
{
	if (WIFSIGNALED(status))
		return why_fail(why, E_FAILED, "the module crashed: %s",
				strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status) == EX_OSERR)
		return why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
	if (WEXITSTATUS(status) != EX_OK)
		return why_fail(why, E_FAILED, "the module ended its process with status %d",
				WEXITSTATUS(status));
	return OK;
}

static enum err answer_take(struct span text, json_t *slots, struct why *why)
{
	json_t *answer = json_loadb((const char *)text.p, text.n, JSON_REJECT_DUPLICATES, NULL);
	enum err e = E_FAILED;

	if (text.n == 0)
		e = why_fail(why, e, "the module ended its process before it answered");
	else if (!answer_fits(answer))
		e = why_fail(why, e, "the answer of the module's process is damaged");
	else if (json_array_extend(slots, json_object_get(answer, "slots")) != 0)
		e = why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
	else if ((e = (enum err)json_integer_value(json_object_get(answer, "err"))) != OK)
		e = why_fail(why, e, "%s", json_string_value(json_object_get(answer, "why")));
	json_decref(answer);
	return e;
}

/*
 * Ends the process and those that it started and left. One that even SIGKILL does not end at once,
 * in a driver that hangs, is not waited for: *status stays as it was.
 */
static void sweep(const struct watch *w, int *status)
{
	kill(-w->pid, SIGKILL);
	(void)waitpid(w->pid, status, WNOHANG);
}

/* How it ended says more than what it said before, but not more than why that could not be read. */
static enum err answer_read(struct watch *w, const struct question *q, json_t *slots,
			    struct why *why)
{
	int status = 0;
	enum err e = attend(w, q->seconds, why);

	sweep(w, &status);
	if (e == OK) {
		e = answer_take(buf_span(&w->text), slots, why);
		enum err end = ending(status, why);
		e = end != OK ? end : e;
	}
	file_close(w->fd);
	buf_free(&w->text);
	return e;
}

enum err probe(const char *path, const char *uri, unsigned seconds, json_t **slots, struct why *why)
{
	struct question q = { path, uri, seconds };
	pid_t self = getpid();
	int fd[2];

	if ((*slots = json_array()) == NULL)
		return why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
	if (pipe2(fd, O_CLOEXEC) != 0)
		return why_errno(why, "no pipe");
	fflush(NULL); /* so that the child has nothing of ours to print */
	pid_t pid = fork();
	if (pid == 0)
		child(&q, self, fd[1]);
	file_close(fd[1]);
	if (pid < 0) {
		file_close(fd[0]);
		return why_errno(why, "no process");
	}
	setpgid(pid, pid); /* the child does it too: whoever comes first */
	fcntl(fd[0], F_SETFL, O_NONBLOCK);
	struct watch w = { pid, fd[0], clock_ms() + seconds * 1000L, { .max = ANSWER_MAX } };
	return answer_read(&w, &q, *slots, why);
}
