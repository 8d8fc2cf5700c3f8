/* SPDX-License-Identifier: Apache-2.0 */
#include "skips.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void skip_fork_amid_threads(void)
{
	const char *sanitizer = getenv("CHANCERY_SANITIZE");

	if (sanitizer == NULL || strstr(sanitizer, "address") == NULL)
		return;
	printf("skipped: AddressSanitizer's allocator does not survive a fork amid threads\n");
	skip();
}

void skip_under_emulation(void)
{
	const char *emulated = getenv("CHANCERY_EMULATED");

	if (emulated == NULL || emulated[0] == '\0')
		return;
	printf("skipped: the emulator of another processor does not have what the kernel has\n");
	skip();
}

void skip_stack_under_valgrind(void)
{
	if (getenv("CHANCERY_UNDER_VALGRIND") == NULL)
		return;
	printf("skipped: memcheck takes a stack that a thread has left for memory that is not there\n");
	skip();
}
