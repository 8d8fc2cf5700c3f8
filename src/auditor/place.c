/* SPDX-License-Identifier: Apache-2.0 */
#include "auditor/place.h"

#include "auditor/chapter.h"
#include "auditor/code.h"
#include "auditor/lines.h"
#include "base/mem.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define FRONT "roll."
enum { DIGITS = 6 };

/* Six digits, or more without a zero in front: each number has one name. */
static uint64_t number_of(const char *digits)
{
	size_t n = strlen(digits), zeros = strspn(digits, "0");
	uint64_t v = 0;

	if (n < DIGITS || (n > DIGITS && zeros != 0) ||
	    !code_number(span(digits + zeros, n - zeros), &v))
		return 0;
	return v;
}

static uint64_t file_number(const char *name)
{
	return strncmp(name, FRONT, sizeof(FRONT) - 1) == 0 ? number_of(name + sizeof(FRONT) - 1)
							    : 0;
}

uint64_t place_number(const char *name)
{
	uint64_t v = 0;

	if (code_number(span_str(name), &v))
		return v;
	return file_number(name);
}

static int ascending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x == *y ? 0 : *x < *y ? -1 : 1;
}

static enum err add(uint64_t **numbers, size_t *n, size_t *cap, uint64_t v)
{
	if (*n == *cap) {
		size_t more = *cap == 0 ? 256 : 2 * *cap;
		uint64_t *at = mem_realloc(*numbers, more * sizeof(*at));
		if (at == NULL)
			return E_MEMORY;
		*numbers = at;
		*cap = more;
	}
	(*numbers)[(*n)++] = v;
	return OK;
}

enum err place_list(const char *dir, uint64_t **numbers, size_t *n, struct why *why)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	size_t cap = 0;
	enum err e = OK;

	*numbers = NULL;
	*n = 0;
	if (d == NULL)
		return why_errno(why, "cannot open the directory %s", dir);
	while (e == OK && (errno = 0, entry = readdir(d)) != NULL) {
		uint64_t v = file_number(entry->d_name);
		if (v != 0)
			e = add(numbers, n, &cap, v);
	}
	if (e == OK && errno != 0)
		e = why_errno(why, "cannot read the directory %s", dir);
	closedir(d);
	if (e == OK && *n > 1)
		qsort(*numbers, *n, sizeof(**numbers), ascending);
	if (e != OK) {
		mem_free(*numbers);
		*numbers = NULL;
	}
	return e;
}

bool place_has(const uint64_t *numbers, size_t n, uint64_t number)
{
	return n != 0 && bsearch(&number, numbers, n, sizeof(*numbers), ascending) != NULL;
}

enum err place_name(const char *dir, const char *name, char path[PATH_MAX], struct why *why)
{
	if (snprintf(path, PATH_MAX, "%s/%s", dir, name) >= PATH_MAX)
		return why_fail(why, E_ARGUMENTS, "the path %s/%s is too long", dir, name);
	return OK;
}

enum err place_file(const char *dir, uint64_t number, char path[PATH_MAX], struct why *why)
{
	char name[32];

	snprintf(name, sizeof(name), FRONT "%0*" PRIu64, DIGITS, number);
	return place_name(dir, name, path, why);
}

bool place_first(const char *path, uint8_t *room, struct line *l, uint8_t h[SUM])
{
	struct lines lines;
	struct span text;
	struct why why;
	const char *bad;
	bool good = false;

	if (lines_open(path, &lines, &why) != OK)
		return false;
	if (lines_next(&lines, &text) == LINES_MORE) {
		memcpy(room, text.p, text.n);
		good = line_read(span(room, text.n), l, &bad) && l->seq.v == 0;
	}
	lines_close(&lines);
	if (!good)
		return false;
	chapter_origin(l->roll.id_bytes, l->roll.file.v, h);
	sum_of(span(h, SUM), l->body, h);
	return true;
}
