/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be asked of a store, each call in one form, and the sweep of failures over them: a call is made again and again
 * with its first, second, third... chance to fail taken, until it gets through without. An error leaves everything as it
 * was, and the call works the next time.
 */
#ifndef CHANCERY_TESTS_DEED_H
#define CHANCERY_TESTS_DEED_H

#include "fault.h"
#include "vault.h"

struct stage;

/* prepare and settle are free of failures; settle checks what the call's error promises, and takes its effects back. */
struct deed {
	const char *name;
	void (*prepare)(struct stage *st);
	enum err (*run)(struct stage *st);
	void (*settle)(struct stage *st, enum err e);
	enum err right; /* what the call gives when nothing fails */
};

extern const struct deed deeds[];
extern const size_t deeds_n;

/* What deeds are done to; of a vault opened by vault_open. */
struct stage *stage_open(struct vault *v);
void stage_close(struct stage *st);

/*
 * allowed: the errors that failures of this kind may give, ended by OK. Gives how many calls were refused; that something
 * was wrong fails the test.
 */
unsigned deed_sweep(struct stage *st, const struct deed *d, struct fault *f,
		    const enum err *allowed);

#endif
