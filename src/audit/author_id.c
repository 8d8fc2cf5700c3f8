/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/author_id.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { BOOT_ID = 36 };

/* RFC 9562, 4: hexadecimal digits, in groups of 8, 4, 4, 4 and 12. */
static bool is_uuid(const char *s)
{
	for (size_t i = 0; i < BOOT_ID; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;
		bool digit = (s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'f');

		if (dash ? s[i] != '-' : !digit)
			return false;
	}
	return true;
}

static void boot_now(char boot[BOOT_ID + 1])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t n = fd >= 0 ? read(fd, boot, BOOT_ID) : -1;

	if (fd >= 0)
		close(fd);
	if (n == BOOT_ID && is_uuid(boot))
		boot[BOOT_ID] = '\0';
	else
		memcpy(boot, "?", sizeof("?"));
}

void author_id_now(struct author_id *id)
{
	int saved = errno;
	ssize_t n = readlink("/proc/self/exe", id->exe, sizeof(id->exe));

	id->exe_n = n > 0 ? (size_t)n : 1;
	if (n <= 0)
		id->exe[0] = '?';
	boot_now(id->boot);
	id->uid = (uint32_t)geteuid();
	id->pid = (uint32_t)getpid();
	errno = saved;
}
