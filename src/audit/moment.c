/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/moment.h"

#include "audit/digits.h"

#include <string.h>
#include <time.h>

#define US_PER_S  1000000
#define S_PER_DAY 86400
#define LAST_US   INT64_C(253402300799999999) /* the end of the year 9999 */
#define ERA_DAYS  146097                      /* of 400 years */
#define ERA_BEGIN 719468                      /* days from 0000-03-01 to 1970-01-01 */

void moment_now(struct moment *m)
{
	struct timespec wall = { 0 }, boot = { 0 };

	(void)clock_gettime(CLOCK_REALTIME, &wall);
	(void)clock_gettime(CLOCK_BOOTTIME, &boot);
	m->wall_us = (int64_t)wall.tv_sec * US_PER_S + wall.tv_nsec / 1000;
	m->mono_ns = (uint64_t)boot.tv_sec * 1000000000 + (uint64_t)boot.tv_nsec;
}

struct date {
	uint64_t year, month, day;
};

/*
 * The Gregorian calendar, counted in years that begin with March, so that the day that comes and goes is the last. Not gmtime_r:
 * that takes a lock of libc, which is held for ever in a child that was forked while another thread had it.
 */
static struct date date_of(uint64_t days)
{
	uint64_t since = days + ERA_BEGIN, of_era = since % ERA_DAYS;
	uint64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	uint64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	uint64_t month =
		(5 * of_year + 2) / 153; /* from March: 31, 30, 31, 30, 31 days, and again */
	uint64_t january = month >= 10 ? 1 : 0;

	return (struct date){
		.year = since / ERA_DAYS * 400 + year + january,
		.month = january != 0 ? month - 9 : month + 3,
		.day = of_year - (153 * month + 2) / 5 + 1,
	};
}

static uint64_t bounded(int64_t us)
{
	if (us < 0)
		return 0;
	return (uint64_t)(us < LAST_US ? us : LAST_US);
}

void moment_text(const struct moment *m, char out[MOMENT_TEXT])
{
	uint64_t us = bounded(m->wall_us), s = us / US_PER_S, of_day = s % S_PER_DAY;
	struct date d = date_of(s / S_PER_DAY);

	memcpy(out, "yyyy-mm-ddThh:mm:ss.uuuuuuZ", MOMENT_TEXT);
	digits_fixed(d.year, 4, out);
	digits_fixed(d.month, 2, out + 5);
	digits_fixed(d.day, 2, out + 8);
	digits_fixed(of_day / 3600, 2, out + 11);
	digits_fixed(of_day / 60 % 60, 2, out + 14);
	digits_fixed(of_day % 60, 2, out + 17);
	digits_fixed(us % US_PER_S, 6, out + 20);
}
