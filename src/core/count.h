/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is counted of a use of a mechanism (store/meter.h): that it ended, how, over how many bytes, and of some how long the module was at
 * it. A use begins when its Init has succeeded, or with the call if it has no Init; what is cancelled was none.
 */
#ifndef CHANCERY_CORE_COUNT_H
#define CHANCERY_CORE_COUNT_H

#include "base/clock.h"
#include "base/err.h"
#include "store/meter.h"
#include <chancery/pkcs11.h>

struct token;

struct count {
	bool timed;
	uint64_t since; /* when the call under way began; 0: there is none, or it is not timed */
	uint64_t ns;    /* of the calls before */
};

/* A new use, with no call under way. */
static inline struct count count_new(void)
{
	return (struct count){ .timed = meter_sample() };
}

/* A call of the use begins, and ends. Between two of them the time is the application's. */
static inline void count_go(struct count *c)
{
	if (c->timed)
		c->since = clock_ns();
}

static inline void count_rest(struct count *c)
{
	if (c->since != 0)
		c->ns += clock_ns() - c->since;
	c->since = 0;
}

/* count_new and count_go. */
static inline struct count count_begin(void)
{
	struct count c = count_new();

	count_go(&c);
	return c;
}

/* The use ended with this call. E_TOO_SMALL: it did not. m: CK_UNAVAILABLE_INFORMATION when there is none. */
void count_end(const struct token *t, struct count *c, enum tally_use use, CK_MECHANISM_TYPE m,
	       uint64_t bytes, enum err result);

#endif
