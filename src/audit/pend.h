/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a token's store keeps with a change until its record is in the roll: the members that the record will have, and which process owes it. Another process
 * that finds it asks whether that one lives: its first file is locked for as long as it does, and a stream is known by its process.
 */
#ifndef CHANCERY_AUDIT_PEND_H
#define CHANCERY_AUDIT_PEND_H

#include "audit/author.h"

struct pend {
	uint8_t id[LEDGER_ID]; /* of the roll */
	uint64_t file;         /* 0: a stream */
	uint64_t dev, ino;     /* of the roll's directory */
	uint32_t pid;          /* of who owes it, in the boot that who names */
	struct span dir, boot, who, what;
};

/* a: the first author of the roll. Appended to out. */
enum err pend_put(struct buf *out, const struct author *a, const struct draft *d);
/* The spans are of body. E_DATA: it is none. */
enum err pend_take(struct span body, struct pend *p);
/* Whether the process that owes it may still live. a: this process's, or NULL. */
bool pend_alive(const struct pend *p, const struct author_id *who, const struct author *a);
/* `,"change":…,"recovered":{…}`: what follows the members of p in the record of somebody else. */
enum err pend_more(struct buf *out, const struct pend *p, const char *serial, uint64_t change);

#endif
