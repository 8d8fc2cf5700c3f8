/* SPDX-License-Identifier: Apache-2.0 */
#include "auditor/finding.h"

#include "base/mem.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *word, *meaning;
} kinds[DAMAGE_KINDS] = {
#define DAMAGE(name, word, meaning) [DAMAGE_##name] = { word, meaning },
#include "auditor/damage.def"
#undef DAMAGE
};

const char *damage_word(enum damage d)
{
	return kinds[d].word;
}

const char *damage_meaning(enum damage d)
{
	return kinds[d].meaning;
}

void finding_set(struct finding *f, enum damage kind, uint64_t file, uint64_t line, const char *fmt,
		 ...)
{
	va_list ap;

	f->kind = kind;
	f->file = file;
	f->line = line;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
}

void findings_add(struct findings *all, const struct finding *f)
{
	all->total++;
	all->of[f->kind]++;
	if (all->at == NULL)
		all->at = mem_alloc(FINDINGS_MAX * sizeof(*all->at));
	if (all->at != NULL && all->n < FINDINGS_MAX)
		all->at[all->n++] = *f;
}

static int by_place(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->line == y->line ? 0 : x->line < y->line ? -1 : 1;
}

void findings_sort(struct findings *all)
{
	if (all->n > 1)
		qsort(all->at, all->n, sizeof(*all->at), by_place);
}

void findings_free(struct findings *all)
{
	mem_free(all->at);
	memset(all, 0, sizeof(*all));
}
