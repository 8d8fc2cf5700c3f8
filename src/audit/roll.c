/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/roll.h"

static const char *const names[] = {
#define EVENT(name, text) [name] = text,
#include "audit/events.def"
#undef EVENT
};

const char *roll_event_name(enum roll_event_kind k)
{
	return names[k];
}

enum err roll_commit(struct roll *r, const struct roll_event *ev, struct roll_ref *ref)
{
	(void)r;
	(void)ev;
	(void)ref;
	return OK;
}

enum err roll_new(const struct roll_policy *p, struct roll **out)
{
	(void)p;
	*out = NULL;
	return OK;
}

void roll_free(struct roll *r)
{
	(void)r;
}

enum err roll_init(const struct roll_policy *p, struct span auditor_pub, struct why *why)
{
	(void)p;
	(void)auditor_pub;
	(void)why;
	return E_NOT_SUPPORTED;
}

enum err roll_note(struct roll *r, const struct roll_event *ev)
{
	(void)r;
	(void)ev;
	return OK;
}

enum err roll_ready(const struct roll *r)
{
	(void)r;
	return OK;
}

enum err roll_pend(struct roll *r, const struct roll_event *ev, struct buf *out)
{
	(void)r;
	(void)ev;
	(void)out;
	return OK;
}

enum err roll_recover(struct roll *r, struct span pended, const char *serial, uint64_t change,
		      bool *owed)
{
	(void)r;
	(void)pended;
	(void)serial;
	(void)change;
	*owed = false;
	return OK;
}

enum err roll_checkpoint(struct roll *r)
{
	(void)r;
	return OK;
}

void roll_state(struct roll *r, struct roll_state *s)
{
	(void)r;
	*s = (struct roll_state){ .durable = false };
}
