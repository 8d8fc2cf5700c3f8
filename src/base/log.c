/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include "base/file.h"
#include "base/why.h"
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LINE_MAX_BYTES 1024
#define JOURNAL        "/run/systemd/journal/socket"

/* Name on stderr and priority of syslog(3) in the journal. */
static const struct {
	const char *name;
	int priority;
} levels[] = {
	[LEVEL_NONE] = { "", 0 },           [LEVEL_ERROR] = { "error", 3 },
	[LEVEL_WARNING] = { "warning", 4 }, [LEVEL_INFO] = { "info", 6 },
	[LEVEL_DEBUG] = { "debug", 7 },
};

_Static_assert(FAULT_COUNT <= 32, "one bit for each kind of fault");

static _Atomic int target;
static _Atomic int wanted;
static _Atomic(const char *) ident;
static _Atomic unsigned faults;

void log_open(enum log_target to, enum log_level level, const char *program)
{
	atomic_store(&ident, program);
	atomic_store(&target, (int)to);
	atomic_store(&wanted, (int)level);
	atomic_store(&faults, 0);
}

bool log_wants(enum log_level level)
{
	return level != LEVEL_NONE && (int)level <= atomic_load(&wanted) &&
	       atomic_load(&target) != TARGET_NONE;
}

/* One write, so that lines of several threads and processes do not mix. */
static void to_stderr(enum log_level level, const char *line)
{
	char text[LINE_MAX_BYTES + 64];
	int n = snprintf(text, sizeof(text), "%s: %s: %s\n", atomic_load(&ident),
			 levels[level].name, line);

	if (n > 0 && (size_t)n < sizeof(text))
		(void)!write(STDERR_FILENO, text, (size_t)n);
}

/* A full or absent journal loses the message: waiting for it would stop the host program. */
static void to_journal(enum log_level level, const char *line)
{
	static const struct sockaddr_un to = { .sun_family = AF_UNIX, .sun_path = JOURNAL };
	char text[LINE_MAX_BYTES + 128];
	int n = snprintf(text, sizeof(text), "PRIORITY=%d\nSYSLOG_IDENTIFIER=%s\nMESSAGE=%s\n",
			 levels[level].priority, atomic_load(&ident), line);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && n > 0 && (size_t)n < sizeof(text))
		(void)sendto(fd, text, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL,
			     (const struct sockaddr *)&to, sizeof(to));
	file_close(fd);
}

static void put(enum log_level level, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static void put(enum log_level level, const char *fmt, va_list ap)
{
	char line[LINE_MAX_BYTES];
	int saved = errno;

	(void)vsnprintf(line, sizeof(line), fmt, ap);
	why_clean(line);
	if (atomic_load(&target) == TARGET_JOURNAL)
		to_journal(level, line);
	else
		to_stderr(level, line);
	errno = saved;
}

void log_put(enum log_level level, const char *fmt, ...)
{
	va_list ap;

	if (!log_wants(level))
		return;
	va_start(ap, fmt);
	put(level, fmt, ap);
	va_end(ap);
}

void log_fault(enum log_fault kind, const char *fmt, ...)
{
	unsigned bit = 1U << kind;
	va_list ap;

	if (!log_wants(LEVEL_ERROR) || (atomic_fetch_or(&faults, bit) & bit) != 0)
		return;
	va_start(ap, fmt);
	put(LEVEL_ERROR, fmt, ap);
	va_end(ap);
}
