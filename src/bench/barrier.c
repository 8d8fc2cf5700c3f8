/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/barrier.h"
#include <errno.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_ulong extra_ns, count;
static atomic_bool skipped;

void barrier_inject(unsigned long ns)
{
	atomic_store(&extra_ns, ns);
}

void barrier_skip(bool skip)
{
	atomic_store(&skipped, skip);
}

unsigned long barrier_count(void)
{
	return atomic_load(&count);
}

/* Exactly so long: the kernel may otherwise add 50 µs, so that it wakes fewer times. */
static void wait_ns(unsigned long ns)
{
	struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	if (ns == 0)
		return;
	(void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	while (nanosleep(&t, &t) != 0 && errno == EINTR)
		continue;
}

/* In the place of libc's, for the whole process: the dynamic linker finds the program's first. */
__attribute__((visibility("default"), used)) int fdatasync(int fd)
{
	if (atomic_load(&skipped))
		return 0;
	if (syscall(SYS_fdatasync, fd) != 0)
		return -1;
	atomic_fetch_add(&count, 1);
	wait_ns(atomic_load(&extra_ns));
	return 0;
}

__attribute__((visibility("default"), used)) int fsync(int fd)
{
	return atomic_load(&skipped) ? 0 : (int)syscall(SYS_fsync, fd);
}
