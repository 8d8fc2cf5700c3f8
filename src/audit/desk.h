/* SPDX-License-Identifier: Apache-2.0 */
/* Working on a roll's directory: its state locked, its index open, and what was owed paid. */
#ifndef CHANCERY_AUDIT_DESK_H
#define CHANCERY_AUDIT_DESK_H

#include "audit/recipient.h"
#include "audit/roll.h"
#include "audit/roster.h"

struct desk {
	struct site site;
	struct ledger *ledger;
	struct roster roster;
};

/* The site of d is set; patience: as for ledger_take. After an error, too, d is ended by desk_leave. */
enum err desk_enter(struct desk *d, long patience, struct why *why);
void desk_leave(struct desk *d);

/* A new S, sealed to this auditor or to nobody, and its line in the index; all durable. */
enum err desk_renew(struct desk *d, const struct recipient *r, struct why *why);

#endif
