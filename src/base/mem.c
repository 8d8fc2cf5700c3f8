/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct head {
	size_t n;
	size_t secret;
};

static __thread unsigned secret_depth;

void mem_wipe(void *p, size_t n)
{
	if (n != 0)
		explicit_bzero(p, n);
}

bool mem_equal(const void *a, const void *b, size_t n)
{
	const volatile uint8_t *x = a, *y = b;
	uint8_t d = 0;

	for (size_t i = 0; i < n; i++)
		d |= (uint8_t)(x[i] ^ y[i]);
	return d == 0;
}

static void *alloc(size_t n, bool secret)
{
	struct head *h;

	if (n > SIZE_MAX / 2)
		return NULL;
	h = calloc(1, sizeof(*h) + n);
	if (h == NULL)
		return NULL;
	h->n = n;
	h->secret = secret;
	return h + 1;
}

void *mem_alloc(size_t n)
{
	return alloc(n, false);
}

void *mem_alloc_secret(size_t n)
{
	return alloc(n, true);
}

void *mem_realloc(void *p, size_t n)
{
	struct head *h = p;
	void *q;

	if (p == NULL)
		return mem_alloc(n);
	h--;
	q = alloc(n, h->secret != 0);
	if (q == NULL)
		return NULL;
	memcpy(q, p, h->n < n ? h->n : n);
	mem_free(p);
	return q;
}

void mem_free(void *p)
{
	int saved = errno;
	struct head *h = p;

	if (p == NULL)
		return;
	h--;
	mem_wipe(p, h->n);
	free(h);
	errno = saved;
}

char *mem_strdup(const char *s)
{
	size_t n = strlen(s) + 1;
	char *d = mem_alloc(n);

	if (d != NULL)
		memcpy(d, s, n);
	return d;
}

void mem_secret_enter(void)
{
	secret_depth++;
}

void mem_secret_leave(void)
{
	secret_depth--;
}

void *mem_crypto_malloc(size_t n, const char *file, int line)
{
	(void)file;
	(void)line;
	return alloc(n, secret_depth != 0);
}

void *mem_crypto_realloc(void *p, size_t n, const char *file, int line)
{
	if (p == NULL)
		return mem_crypto_malloc(n, file, line);
	return mem_realloc(p, n);
}

void mem_crypto_free(void *p, const char *file, int line)
{
	(void)file;
	(void)line;
	mem_free(p);
}

void mem_locked_limit(size_t bytes, bool strict)
{
	(void)bytes;
	(void)strict;
}

void mem_stats(struct mem_stats *s)
{
	memset(s, 0, sizeof(*s));
}

void **mem_fork_slot(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	return madvise(p, 4096, MADV_WIPEONFORK) == 0 ? p : NULL;
}
