/* SPDX-License-Identifier: Apache-2.0 */
/* The suites: each measures one thing of the module and, where there is one, of the peer. */
#ifndef CHANCERY_BENCH_SUITES_H
#define CHANCERY_BENCH_SUITES_H

#include "bench/row.h"
#include "bench/target.h"

struct field {
	struct target *ours, *peer; /* peer->m NULL: there is none */
	const char *module;         /* its file */
	const char *dir;            /* for what a suite makes itself */
};

struct suite {
	const char *name, *what;
	void (*run)(struct plan *p, const struct field *f);
	/* It has the layers of the module in this program, and they are the first to use libcrypto in it: no target is opened, and no other suite runs. */
	bool alone;
};

void suite_sign(struct plan *p, const struct field *f);
void suite_digest(struct plan *p, const struct field *f);
void suite_attr(struct plan *p, const struct field *f);
void suite_session(struct plan *p, const struct field *f);
void suite_process(struct plan *p, const struct field *f);
void suite_memory(struct plan *p, const struct field *f);
void suite_roll(struct plan *p, const struct field *f);
void suite_store(struct plan *p, const struct field *f);

#endif
