/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <time.h>

long clock_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t clock_ns(void)
{
	return ns_of(CLOCK_MONOTONIC);
}

uint64_t clock_coarse_ns(void)
{
	return ns_of(CLOCK_MONOTONIC_COARSE);
}
