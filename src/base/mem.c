/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three kinds of memory: blocks of the secret arena, known by their address; and, with a head in
 * front of them that tells their length and kind, secrets too large for the arena and normal
 * memory.
 */
#include "base/mem.h"

#include "base/arena.h"
#include "base/pages.h"
#include "base/poison.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Zero, as the head of a mapping reads in a forked child, is none of these. */
enum kind { KIND_NORMAL = 1, KIND_MAPPED_LOCKED, KIND_MAPPED_UNLOCKED };

struct head {
	_Alignas(16) size_t n;
	enum kind kind;
};

_Static_assert(sizeof(struct head) == 16, "keeps the alignment of malloc");

#define LARGEST ((size_t)PTRDIFF_MAX - sizeof(struct head))

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

static void *with_head(struct head *h, size_t n, enum kind kind)
{
	h->n = n;
	h->kind = kind;
	return h + 1;
}

static struct head *head_of(void *p)
{
	return (struct head *)p - 1;
}

void *mem_alloc(size_t n)
{
	struct head *h = n <= LARGEST ? calloc(1, sizeof(*h) + n) : NULL;

	return h != NULL ? with_head(h, n, KIND_NORMAL) : NULL;
}

static void *alloc_mapped(size_t n)
{
	bool locked = false;
	struct head *h = pages_map(sizeof(*h) + n, &locked);

	return h != NULL ? with_head(h, n, locked ? KIND_MAPPED_LOCKED : KIND_MAPPED_UNLOCKED)
			 : NULL;
}

/* The arena also comes to its end when a process and its forebears have used up the range. */
void *mem_alloc_secret(size_t n)
{
	void *p = n <= ARENA_MAX ? arena_alloc(n) : NULL;

	return p == NULL && n <= LARGEST ? alloc_mapped(n) : p;
}

/* Bytes at p that its owner may use; none of what a fork took away. */
static size_t room(void *p)
{
	if (pages_own(p))
		return arena_room(p);
	return head_of(p)->kind != 0 ? head_of(p)->n : 0;
}

static bool is_secret(void *p)
{
	return pages_own(p) || head_of(p)->kind != KIND_NORMAL;
}

/* A block of a class has room to grow and shrink in; half of it is not left idle. */
static bool fits(const void *p, size_t have, size_t n)
{
	return pages_own(p) && n <= have && n > have / 2;
}

void *mem_realloc(void *p, size_t n)
{
	size_t have;
	void *q;

	if (p == NULL)
		return mem_alloc(n);
	have = room(p);
	if (pages_own(p))
		unpoison(p, have);
	if (fits(p, have, n))
		return p;
	q = is_secret(p) ? mem_alloc_secret(n) : mem_alloc(n);
	if (q == NULL)
		return NULL;
	memcpy(q, p, have < n ? have : n);
	mem_free(p);
	return q;
}

static void free_with_head(struct head *h)
{
	size_t n = sizeof(*h) + h->n;
	enum kind kind = h->kind;
	int saved = errno;

	if (kind == 0)
		return; /* a mapping from before a fork */
	mem_wipe(h, n);
	if (kind == KIND_NORMAL)
		free(h);
	else
		pages_unmap(h, n, kind == KIND_MAPPED_LOCKED);
	errno = saved;
}

void mem_free(void *p)
{
	if (p == NULL)
		return;
	if (pages_own(p))
		arena_free(p);
	else
		free_with_head(head_of(p));
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
	mem_thread.secret_depth++;
}

void mem_secret_leave(void)
{
	mem_thread.secret_depth--;
}

unsigned mem_secret_suspend(void)
{
	unsigned depth = mem_thread.secret_depth;

	mem_thread.secret_depth = 0;
	return depth;
}

void mem_secret_resume(unsigned depth)
{
	mem_thread.secret_depth = depth;
}

/* As libcrypto's own: nothing for 0 bytes, and not zeroed. */
void *mem_crypto_malloc(size_t n, const char *file, int line)
{
	struct head *h;

	(void)file;
	(void)line;
	if (n == 0)
		return NULL;
	if (mem_thread.secret_depth != 0)
		return mem_alloc_secret(n);
	h = n <= LARGEST ? malloc(sizeof(*h) + n) : NULL;
	return h != NULL ? with_head(h, n, KIND_NORMAL) : NULL;
}

void *mem_crypto_realloc(void *p, size_t n, const char *file, int line)
{
	if (p == NULL)
		return mem_crypto_malloc(n, file, line);
	if (n != 0)
		return mem_realloc(p, n);
	mem_free(p);
	return NULL;
}

void mem_crypto_free(void *p, const char *file, int line)
{
	(void)file;
	(void)line;
	mem_free(p);
}

void mem_locked_limit(size_t bytes, bool strict)
{
	pages_limit(bytes, strict);
}

void mem_stats(struct mem_stats *s)
{
	struct pages_stats ps;

	pages_stats(&ps);
	s->secret_used = arena_used();
	s->secret_locked = ps.locked;
	s->secret_unlocked = ps.unlocked;
	s->lockable = ps.lockable;
	s->dump_excluded = ps.dump_excluded;
	s->wipe_on_fork = ps.wipe_on_fork;
}

void **mem_fork_slot(void)
{
	return pages_begin() != 0 ? pages_fork_slot() : NULL;
}
