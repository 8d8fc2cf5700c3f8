/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/quiet.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static const int signals[] = { SIGPIPE, SIGXFSZ };
enum { SIGNALS = sizeof(signals) / sizeof(signals[0]) };

/* Both are sent to the thread that wrote: blocked here they wait here, and other threads see nothing of it. */
void quiet_begin(struct quiet *q)
{
	sigset_t ours;

	sigemptyset(&ours);
	for (size_t i = 0; i < SIGNALS; i++)
		sigaddset(&ours, signals[i]);
	sigemptyset(&q->pending);
	(void)sigpending(&q->pending);
	(void)pthread_sigmask(SIG_BLOCK, &ours, &q->mask);
}

static void take(int signal)
{
	const struct timespec none = { 0, 0 };
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, signal);
	while (sigtimedwait(&one, NULL, &none) < 0 && errno == EINTR)
		continue;
}

void quiet_end(const struct quiet *q)
{
	int saved = errno;
	sigset_t now;

	sigemptyset(&now);
	(void)sigpending(&now);
	for (size_t i = 0; i < SIGNALS; i++)
		if (sigismember(&now, signals[i]) == 1 && sigismember(&q->pending, signals[i]) == 0)
			take(signals[i]);
	(void)pthread_sigmask(SIG_SETMASK, &q->mask, NULL);
	errno = saved;
}
