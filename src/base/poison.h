/* SPDX-License-Identifier: Apache-2.0 */
/* Tells AddressSanitizer which bytes of an arena may be touched; nothing in other builds. */
#ifndef CHANCERY_BASE_POISON_H
#define CHANCERY_BASE_POISON_H

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISON_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define POISON_ASAN 1
#endif

#ifdef POISON_ASAN

#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>

#define POISON_EXEMPT __attribute__((no_sanitize("address")))

static inline void poison(const void *p, size_t n)
{
	__asan_poison_memory_region(p, n);
}

static inline void unpoison(const void *p, size_t n)
{
	__asan_unpoison_memory_region(p, n);
}

/* The leak checker looks for pointers in here too. */
static inline void poison_roots(const void *p, size_t n)
{
	__lsan_register_root_region(p, n);
}

static inline void poison_no_roots(const void *p, size_t n)
{
	__lsan_unregister_root_region(p, n);
}

#else

#define POISON_EXEMPT

static inline void poison(const void *p, size_t n)
{
	(void)p;
	(void)n;
}

static inline void unpoison(const void *p, size_t n)
{
	(void)p;
	(void)n;
}

static inline void poison_roots(const void *p, size_t n)
{
	(void)p;
	(void)n;
}

static inline void poison_no_roots(const void *p, size_t n)
{
	(void)p;
	(void)n;
}

#endif

#endif
