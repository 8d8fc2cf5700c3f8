/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with a roll. */
#ifndef CHANCERY_AUDITOR_FINDING_H
#define CHANCERY_AUDITOR_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum damage {
#define DAMAGE(name, word, meaning) DAMAGE_##name,
#include "auditor/damage.def"
#undef DAMAGE
	DAMAGE_KINDS
};

enum { FINDING_TEXT = 320, FINDINGS_MAX = 200 };

struct finding {
	enum damage kind;
	uint64_t file; /* number; 0: the index */
	uint64_t line; /* from 1; 0: none in particular */
	char text[FINDING_TEXT];
};

/* The first FINDINGS_MAX, and how many there were. */
struct findings {
	struct finding *at;
	size_t n;
	uint64_t total, of[DAMAGE_KINDS];
};

const char *damage_word(enum damage d);
const char *damage_meaning(enum damage d);
void finding_set(struct finding *f, enum damage kind, uint64_t file, uint64_t line, const char *fmt,
		 ...) __attribute__((format(printf, 5, 6)));
/* E_MEMORY is not told: what does not fit is counted. */
void findings_add(struct findings *all, const struct finding *f);
/* By file, then line. */
void findings_sort(struct findings *all);
void findings_free(struct findings *all);

#endif
