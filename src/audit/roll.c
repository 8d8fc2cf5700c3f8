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
