/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/draft.h"

#include <unistd.h>

/* A process may give up its privileges at any time. */
static enum err put_who(struct draft *d)
{
	const uint32_t uid = (uint32_t)geteuid();
	struct author_id now;

	if (uid == d->id->uid)
		return encode_who(&d->who, d->id, &d->at, d->on_behalf);
	now = *d->id;
	now.uid = uid;
	return encode_who(&d->who, &now, &d->at, d->on_behalf);
}

enum err draft_again(struct draft *d, uint64_t least)
{
	d->who.n = 0;
	moment_now(&d->at);
	if (d->at.mono_ns < least)
		d->at.mono_ns = least;
	return put_who(d);
}

static enum err begin(struct draft *d, const struct author_id *id, struct span on_behalf)
{
	d->id = id;
	d->on_behalf = on_behalf;
	d->who = (struct buf){ .p = d->who_room, .cap = DRAFT_WHO, .max = DRAFT_WHO };
	d->what = (struct buf){ .p = d->what_room, .cap = DRAFT_WHAT, .max = DRAFT_WHAT };
	return draft_again(d, 0);
}

enum err draft_make(struct draft *d, const struct author_id *id, const struct roll_event *ev)
{
	enum err e = begin(d, id, ev->on_behalf);

	return e == OK ? encode_what(&d->what, ev) : e;
}

enum err draft_of(struct draft *d, const struct author_id *id, struct span what)
{
	enum err e = begin(d, id, span(NULL, 0));

	return e == OK ? buf_put(&d->what, what) : e;
}
