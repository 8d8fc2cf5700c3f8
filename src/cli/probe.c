/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/probe.h"
#include "base/file.h"
#include "base/uri.h"
#include "cli/offer.h"
#include "client/module.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

enum { ANSWER_MAX = 64 << 20 };

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
		e = offer_read(*m, &u, &slots, &why);
	uri_free(&u);
	return json_pack("{s:o, s:i, s:o}", "slots", slots != NULL ? slots : json_array(), "err",
			 (int)e, "why", report_label(span_str(why.text)));
}

/* Exits without atexit handlers: they are the parent's. */
static _Noreturn void child(const struct question *q, int fd)
{
	struct module *m = NULL;

	signal(SIGALRM, SIG_DFL);
	alarm(q->seconds);
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

/* How the child ended, when it did not end well. */
static enum err ending(pid_t pid, unsigned seconds, struct why *why)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return why_errno(why, "waiting for the module's process");
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		return why_fail(why, E_FAILED, "the module took longer than %u seconds", seconds);
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
	json_t *answer = json_loadb((const char *)text.p, text.n, 0, NULL);
	enum err e = (enum err)json_integer_value(json_object_get(answer, "err"));
	const char *told = json_string_value(json_object_get(answer, "why"));

	if (answer == NULL)
		return why_fail(why, E_FAILED, "the module ended its process before it answered");
	if (json_array_extend(slots, json_object_get(answer, "slots")) != 0)
		e = why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
	else if (e != OK)
		e = why_fail(why, e, "%s", told != NULL ? told : err_text(e));
	json_decref(answer);
	return e;
}

/* How it ended says more than what it said before, but not more than why that could not be read. */
static enum err answer_read(int fd, pid_t pid, const struct question *q, json_t *slots,
			    struct why *why)
{
	struct buf text = { .max = ANSWER_MAX };
	enum err e = file_read_fd(fd, "the module's process", ANSWER_MAX, &text, why);

	file_close(fd);
	if (e != OK) {
		(void)ending(pid, q->seconds, NULL);
	} else {
		e = answer_take(buf_span(&text), slots, why);
		enum err end = ending(pid, q->seconds, why);
		e = end != OK ? end : e;
	}
	buf_free(&text);
	return e;
}

enum err probe(const char *path, const char *uri, unsigned seconds, json_t **slots, struct why *why)
{
	struct question q = { path, uri, seconds };
	int fd[2];

	if ((*slots = json_array()) == NULL)
		return why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
	if (pipe2(fd, O_CLOEXEC) != 0)
		return why_errno(why, "no pipe");
	fflush(NULL); /* so that the child has nothing of ours to print */
	pid_t pid = fork();
	if (pid == 0)
		child(&q, fd[1]);
	file_close(fd[1]);
	if (pid > 0)
		return answer_read(fd[0], pid, &q, *slots, why);
	file_close(fd[0]);
	return why_errno(why, "no process");
}
