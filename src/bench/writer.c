/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/writer.h"
#include <stdio.h>

static struct roll_policy policy(const struct writer *w)
{
	return (struct roll_policy){
		.target = w->target,
		.checkpoint_records = 1024,
		.checkpoint_seconds = 60,
	};
}

/* As the module records a signature. */
static struct roll_event event(void)
{
	return (struct roll_event){
		.kind = EV_SIGN,
		.token = "bench                           ",
		.serial = "00000000000007f3",
		.cls = CKO_PRIVATE_KEY,
		.label = span_str("signing key of the office"),
		.id = span_str("\1\2\3\4"),
		.unique = span_str("0123456789abcdef0123456789abcdef"),
		.mech = CKM_ECDSA,
		.measured = true,
		.bytes = 32,
		.result = OK,
	};
}

bool writer_open(struct writer *w, const char *target)
{
	snprintf(w->target, sizeof(w->target), "%s", target);
	const struct roll_policy p = policy(w);

	w->roll = NULL;
	return roll_new(&p, &w->roll) == OK;
}

bool writer_open_for(struct writer *w, const char *target, struct span auditor)
{
	snprintf(w->target, sizeof(w->target), "%s", target);
	const struct roll_policy p = policy(w);

	return roll_init(&p, auditor, NULL) == OK && writer_open(w, target);
}

void writer_close(struct writer *w)
{
	roll_free(w->roll);
	w->roll = NULL;
}

bool writer_commit(const struct writer *w)
{
	const struct roll_event ev = event();

	return roll_commit(w->roll, &ev, NULL) == OK;
}

bool writer_note(const struct writer *w)
{
	const struct roll_event ev = event();

	return roll_note(w->roll, &ev, NULL) == OK;
}

/* ---- as a contender: threads share the roll, and need nothing of their own ---- */

static void *begin(void *arg)
{
	return arg;
}

static bool step(void *arg)
{
	return writer_commit(arg);
}

static void end(void *arg)
{
	(void)arg;
}

struct contender writer_contender(struct writer *w)
{
	return (struct contender){ "the audit log", { begin, step, end, w }, true };
}

/* The difference of many records: the first one is longer. */
size_t writer_record_bytes(void)
{
	enum { MANY = 100 };
	struct writer w;
	struct roll_state before, after;
	bool good = writer_open(&w, "/dev/null") && writer_commit(&w);

	roll_state(w.roll, &before);
	for (int i = 0; good && i < MANY; i++)
		good = writer_commit(&w);
	roll_state(w.roll, &after);
	writer_close(&w);
	return good ? (size_t)((after.bytes - before.bytes) / MANY) : 0;
}
