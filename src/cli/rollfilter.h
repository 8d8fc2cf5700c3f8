/* SPDX-License-Identifier: Apache-2.0 */
/* Which records a command is asked for. */
#ifndef CHANCERY_CLI_ROLLFILTER_H
#define CHANCERY_CLI_ROLLFILTER_H

#include "auditor/line.h"
#include "cli/command.h"

/* A text that is NULL wants all. */
struct rollfilter {
	uint64_t file;                   /* 0: all */
	const char *actor, *key, *event; /* patterns of the shell */
	const char *since, *until;       /* the front of a time */
};

/* The rows of a command that filters. */
#define ROLLFILTER_ACTOR                                                                          \
	{                                                                                         \
		"actor", "PATTERN", "only of this uid, program (path or name) or on_behalf", NULL \
	}
#define ROLLFILTER_KEY                                                        \
	{                                                                     \
		"key", "PATTERN", "only with a key of this label or id", NULL \
	}
#define ROLLFILTER_EVENT                                                              \
	{                                                                             \
		"event", "PATTERN", "only events of this name, such as 'key.*'", NULL \
	}
#define ROLLFILTER_SINCE                                                                 \
	{                                                                                \
		"since", "TIME", "not before: 2026-01-31 or 2026-01-31T12:00, UTC", NULL \
	}
#define ROLLFILTER_UNTIL                             \
	{                                            \
		"until", "TIME", "only before", NULL \
	}
#define ROLLFILTER_FILE                                \
	{                                              \
		"file", "N", "only of this file", NULL \
	}

/* E_ARGUMENTS: a time or a file that is none. */
enum err rollfilter_take(struct call *c, struct rollfilter *f);
/* Whether it wants the record; the file is for the caller to see to. */
bool rollfilter_wants(const struct rollfilter *f, const struct line *l);

#endif
