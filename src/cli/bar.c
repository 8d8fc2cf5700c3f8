/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/bar.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void bar_draw(void *arg, uint64_t done, uint64_t total)
{
	enum { WIDTH = 40 };
	char bar[WIDTH + 1];
	int full = total == 0 ? WIDTH : (int)((double)done / (double)total * WIDTH);

	(void)arg;
	full = full < WIDTH ? full : WIDTH;
	memset(bar, '.', WIDTH);
	memset(bar, '#', (size_t)full);
	bar[WIDTH] = '\0';
	fprintf(stderr, "\r[%s] %" PRIu64 " of %" PRIu64 " MB", bar, done / 1000000,
		total / 1000000);
	if (done >= total)
		fputs("\r\x1b[K", stderr);
}
