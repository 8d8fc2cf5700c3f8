/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/desk.h"

#include "audit/quiet.h"
#include "audit/settle.h"
#include "base/dir.h"
#include "base/file.h"
#include "crypto/lib.h"

enum err desk_enter(struct desk *d, long patience, struct why *why)
{
	enum err e;

	d->ledger = NULL;
	d->roster = (struct roster){ .fd = -1 };
	e = ledger_take(&d->site, patience, &d->ledger, why);
	if (e == OK)
		e = roster_open(&d->roster, &d->site, d->ledger, why);
	return e == OK ? settle_owed(&d->roster, &d->site, d->ledger, why) : e;
}

void desk_leave(struct desk *d)
{
	roster_close(&d->roster);
	ledger_drop(d->ledger);
	d->ledger = NULL;
}

static enum err owe(struct ledger *l, const struct recipient *r)
{
	struct buf sealed = { 0 };
	enum err e = crypto_random(l->secret, sizeof(l->secret));

	l->keyed = true;
	l->audited = r->there;
	memset(l->print, 0, sizeof(l->print));
	if (r->there)
		memcpy(l->print, r->print, sizeof(l->print));
	if (e == OK)
		e = recipient_seal_init(r, l, &sealed);
	if (e == OK)
		e = roster_owe_init(l, buf_span(&sealed));
	buf_free(&sealed);
	return e;
}

/* What was gathered before goes into the index first: the state that owes the new line counts it. */
enum err desk_renew(struct desk *d, const struct recipient *r, struct why *why)
{
	enum err e = roster_sync(&d->roster, why);

	if (e != OK)
		return e;
	e = owe(d->ledger, r);
	if (e != OK)
		return why_fail(why, e, "cannot make the secret of the audit log");
	e = ledger_store(d->ledger, why);
	if (e != OK)
		return e;
	e = roster_pay(&d->roster, d->ledger);
	return e == OK ? roster_sync(&d->roster, why)
		       : why_fail(why, e, "cannot add to the index of the audit log");
}

static enum err init(struct desk *d, const struct recipient *r, struct span text, struct why *why)
{
	char path[PATH_MAX];
	enum err e = site_join(&d->site, SITE_AUDITOR, path, why);

	if (e == OK)
		e = desk_enter(d, LEDGER_PATIENCE, why);
	if (e == OK)
		e = desk_renew(d, r, why);
	if (e == OK)
		e = file_write(path, dir_file_mode(d->site.group), text, why);
	desk_leave(d);
	return e;
}

enum err roll_init(const struct roll_policy *p, struct span auditor_pub, struct why *why)
{
	struct recipient r;
	struct quiet q;
	struct desk d;
	enum err e = p->target != NULL ? recipient_of(auditor_pub, &r, why)
				       : why_fail(why, E_NOT_SUPPORTED, "there is no audit log");

	if (e == OK)
		e = site_find(p->target, p->group, &d.site, why);
	if (e == OK && d.site.stream)
		e = why_fail(why, E_NOT_SUPPORTED, "%s is no directory: a stream has no auditor",
			     p->target);
	if (e != OK)
		return e;
	quiet_begin(&q);
	e = init(&d, &r, auditor_pub, why);
	quiet_end(&q);
	return e;
}
