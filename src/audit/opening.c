/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/opening.h"

#include "audit/desk.h"
#include "audit/quiet.h"
#include "audit/settle.h"
#include "base/dir.h"
#include "base/mem.h"
#include "base/rollplace.h"
#include "crypto/lib.h"
#include "crypto/sealing.h"

#define INFO_KEY  "chancery roll key 1"
#define INFO_NEXT "chancery roll next 1"

/* What file n has of its own. Wiped by who made it. */
struct keys {
	uint8_t seed[LEDGER_SECRET];  /* r */
	uint8_t first[LEDGER_SECRET]; /* k(0) */
	uint8_t next[LEDGER_SECRET];  /* S of file n + 1 */
};

struct opening {
	const struct roll_policy *policy;
	const struct author_id *who;
	struct author *old;         /* whose file is followed; NULL: none */
	struct preface_after after; /* and where it ended */
	struct desk desk;
};

/* ---- 0: the index is up to date, and there is an S for the present auditor ---- */

static bool same_auditor(const struct ledger *l, const struct recipient *r)
{
	return l->audited == r->there &&
	       (!r->there || memcmp(l->print, r->print, sizeof(r->print)) == 0);
}

static enum err prepare(struct opening *o, struct recipient *r, struct why *why)
{
	struct desk *d = &o->desk;
	enum err e = settle_dead(&d->roster, &d->site, d->ledger, why);

	if (e == OK)
		e = recipient_read(&d->site, r, why);
	if (e == OK && !(d->ledger->keyed && same_auditor(d->ledger, r)))
		e = desk_renew(d, r, why);
	return e == OK ? roster_sync(&d->roster, why) : e;
}

static enum err put_end(struct desk *d, const char *op, uint64_t file, const struct roster_end *end,
			struct why *why)
{
	enum err e = roster_put_end(&d->roster, d->ledger, op, file, end);

	if (e != OK)
		return why_fail(why, e, "cannot add to the index of the audit log");
	return roster_sync(&d->roster, why);
}

/* Once, however often the file that follows is tried. */
static enum err put_close(struct desk *d, const struct author *a, const struct roster_end *end,
			  struct why *why)
{
	return ledger_has(d->ledger, a->file) ? put_end(d, "close", a->file, end, why) : OK;
}

static enum err end_old(struct opening *o, struct why *why)
{
	struct author *old = o->old;
	enum err e = old->ended ? OK : author_finish(old, EV_ROLL_ROTATE, why);

	if (e != OK)
		return e;
	o->after.file = old->file;
	author_end(old, &o->after.end);
	return put_close(&o->desk, old, &o->after.end, why);
}

/* ---- 1: the number is given out ---- */

static enum err derive(const struct ledger *l, struct keys *k)
{
	const struct span secret = span(l->secret, sizeof(l->secret));
	const struct span salt = span(k->seed, sizeof(k->seed));
	enum err e = crypto_random(k->seed, sizeof(k->seed));

	if (e == OK)
		e = sealing_hkdf(secret, salt, span_str(INFO_KEY), k->first, sizeof(k->first));
	return e == OK ? sealing_hkdf(secret, salt, span_str(INFO_NEXT), k->next, sizeof(k->next))
		       : e;
}

static enum err owe(struct ledger *l, const struct recipient *r, const struct author *a,
		    const struct keys *k)
{
	struct buf seed = { 0 };
	enum err e = recipient_seal_seed(r, l, a->file, k->seed, &seed);

	if (e == OK)
		e = roster_owe_open(l, a->file, chain_head(a->chain), buf_span(&seed));
	if (e == OK)
		memcpy(l->secret, k->next, sizeof(l->secret));
	buf_free(&seed);
	return e;
}

static enum err make_author(struct opening *o, const struct recipient *r, const struct keys *k,
			    struct author **out)
{
	struct ledger *l = o->desk.ledger;
	struct author *a = NULL;
	enum err e = author_new(o->who, l->id, l->next, k->first, o->policy->mldsa, &a);

	if (e == OK)
		e = author_first(a, l, o->old != NULL ? &o->after : NULL, true);
	if (e == OK)
		e = owe(l, r, a, k);
	if (e == OK)
		*out = a;
	else
		author_free(a);
	return e;
}

static enum err give_out(struct opening *o, const struct recipient *r, struct author **out,
			 struct why *why)
{
	struct ledger *l = o->desk.ledger;
	struct keys k;
	enum err e = derive(l, &k);

	if (e == OK)
		e = make_author(o, r, &k, out);
	mem_wipe(&k, sizeof(k));
	if (e != OK)
		return why_fail(why, e, "cannot begin a file of the audit log");
	l->next++;
	e = ledger_open(l, (*out)->file, why);
	return e == OK ? ledger_store(l, why) : e;
}

/* ---- 2: the file ---- */

static enum err write_first(struct author *a, struct why *why)
{
	struct roster_end end;
	enum err e;

	author_end(a, &end);
	e = author_write(a, buf_span(&a->lines), &end, why);
	buf_clear(&a->lines);
	return e;
}

static enum err create(struct opening *o, struct author *a, struct why *why)
{
	const struct site *s = &o->desk.site;
	char path[PATH_MAX];
	enum err e = site_file(s, a->file, path, why);

	a->site = *s;
	if (e == OK)
		e = sheet_create(&a->sheet, path, dir_file_mode(s->group), why);
	if (e == E_EXISTS)
		return why_fail(why, E_CORRUPT,
				"%s is there, though its number was never given out: keep the "
				"directory for the auditor, and give the audit log another one",
				path);
	if (e == OK)
		e = write_first(a, why);
	return e == OK ? dir_sync(s->path, why) : e;
}

/* ---- 3: the index ---- */

static enum err enrol(struct opening *o, struct why *why)
{
	struct desk *d = &o->desk;

	enum err e = roster_pay(&d->roster, d->ledger);

	if (e != OK)
		return why_fail(why, e, "cannot add to the index of the audit log");
	return roster_sync(&d->roster, why);
}

/* A file that can go on does not wait for long. */
static enum err make_file(struct opening *o, struct author **out, struct why *why)
{
	const bool haste = o->old != NULL && !o->old->ended;
	struct recipient r;
	enum err e = desk_enter(&o->desk, haste ? LEDGER_HASTE : LEDGER_PATIENCE, why);

	if (e == OK)
		e = prepare(o, &r, why);
	if (e == OK && o->old != NULL)
		e = end_old(o, why);
	if (e == OK)
		e = give_out(o, &r, out, why);
	if (e == OK)
		e = create(o, *out, why);
	if (e == OK)
		e = enrol(o, why);
	desk_leave(&o->desk);
	return e;
}

/* ---- streams ---- */

/* Nobody can check the MACs of a stream: there is no index for its seed. The key is as good as another. */
static enum err stream_author(const struct opening *o, struct author **out)
{
	uint8_t id[LEDGER_ID], key[CHAIN_HASH];
	enum err e = crypto_random(id, sizeof(id));

	if (e == OK)
		e = crypto_random(key, sizeof(key));
	if (e == OK)
		e = author_new(o->who, id, 0, key, o->policy->mldsa, out);
	mem_wipe(key, sizeof(key));
	return e;
}

static enum err make_stream(struct opening *o, struct author **out, struct why *why)
{
	struct author *a;
	enum err e;

	if (ROLLPLACE_MANDATORY) /* it was not there when the configuration was read */
		return why_fail(why, E_NOT_SUPPORTED,
				"%s is no directory, and this build requires one",
				o->desk.site.path);
	e = stream_author(o, out);
	a = *out;
	if (e != OK)
		return why_fail(why, e, "cannot begin the audit log");
	hold_enter();
	e = sheet_stream(&a->sheet, o->desk.site.path, why);
	hold_leave();
	if (e != OK)
		return e;
	e = author_first(a, NULL, NULL, a->sheet.durable);
	return e == OK ? write_first(a, why) : why_fail(why, e, "cannot begin the audit log");
}

/* ---- */

enum err opening_make(const struct roll_policy *p, const struct author_id *who, struct author *old,
		      struct author **out, struct why *why)
{
	struct opening o = { .policy = p, .who = who, .old = old };
	struct author *a = NULL;
	struct quiet q;
	enum err e;

	quiet_begin(&q);
	e = site_find(p->target, p->group, &o.desk.site, why);
	if (e == OK)
		e = o.desk.site.stream ? make_stream(&o, &a, why) : make_file(&o, &a, why);
	quiet_end(&q);
	if (e == OK) {
		*out = a;
		return OK;
	}
	if (a != NULL)
		sheet_close(&a->sheet);
	author_free(a);
	return e;
}

/* ---- ends ---- */

/* Where a file is written, its directory was; when it is gone, no other is made in its place. */
static enum err enter_of(struct desk *d, const struct author *a, long patience, struct why *why)
{
	enum err e;

	d->site = a->site;
	e = desk_enter(d, patience, why);
	if (e == OK && memcmp(d->ledger->id, a->id, sizeof(a->id)) != 0)
		e = why_fail(why, E_DEVICE, "%s was replaced", d->site.path);
	return e;
}

enum err opening_close(const struct author *a, struct why *why)
{
	struct roster_end end;
	struct quiet q;
	struct desk d;
	enum err e;

	if (a->sheet.stream)
		return OK;
	author_end(a, &end);
	quiet_begin(&q);
	e = enter_of(&d, a, LEDGER_PATIENCE, why);
	if (e == OK)
		e = put_close(&d, a, &end, why);
	desk_leave(&d);
	quiet_end(&q);
	return e;
}

enum err opening_leave(const struct author *a, long patience, struct why *why)
{
	struct quiet q;
	struct desk d;
	enum err e;

	quiet_begin(&q);
	e = enter_of(&d, a, patience, why);
	if (e == OK)
		e = put_end(&d, "left", a->file, &a->safe, why);
	desk_leave(&d);
	quiet_end(&q);
	return e;
}
