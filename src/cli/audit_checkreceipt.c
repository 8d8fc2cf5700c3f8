/* SPDX-License-Identifier: Apache-2.0 */
/* chancery audit check-receipt */
#include "auditor/code.h"
#include "base/file.h"
#include "cli/auditplace.h"
#include "cli/commands.h"
#include "cli/receiptfile.h"
#include "cli/report.h"
#include "cli/rollprint.h"
#include <inttypes.h>
#include <stdio.h>

static const struct option_row options[] = {
	AUDITPLACE_PUB,
	AUDITPLACE_END,
};

static enum err take(struct call *c, struct receipt *r)
{
	struct buf text = { 0 };
	const char *path;
	enum err e = call_operand(c, 0, "the receipt's file name", &path);

	if (e == OK)
		e = file_read(path, FILE_FOLLOW, RECEIPTFILE_MAX, &text, &c->why);
	if (e == OK)
		e = receiptfile_read(buf_span(&text), r, &c->why);
	buf_free(&text);
	return e;
}

static const char *not_proven(bool authentic)
{
	return authentic ? "that no later record says otherwise"
			 : "who made it: the key that signed the checkpoint stands in the receipt "
			   "itself. A counter-signature of the auditor (--auditor-pub) tells";
}

static void print(const struct receipt *r, const struct receipt_answer *a, bool authentic)
{
	struct line l;
	const char *bad;

	if (line_read(buf_span(&r->record), &l, &bad))
		rollprint_text(a->file, &l);
	printf("consistent   yes: record %" PRIu64 " of file %" PRIu64 " is among the %" PRIu64
	       " that the checkpoint covers\n",
	       a->seq, a->file, a->size);
	printf("authentic    %s\n",
	       authentic ? "yes: the auditor has counter-signed" : "not known");
	printf("not proven:\n  - %s\n", not_proven(authentic));
}

static enum err tell(struct call *c, const struct receipt *r, const struct receipt_answer *a,
		     const struct keys_public *pub)
{
	bool authentic = a->countersigned == SIGNED_GOOD;
	char id[2 * LINE_ID + 1];
	json_t *v;

	code_hex_put(span(a->id, LINE_ID), id);
	v = json_pack("{s:s, s:I, s:I, s:I, s:b, s:b, s:s?, s:s, s:o}", "id", id, "file",
		      (json_int_t)a->file, "seq", (json_int_t)a->seq, "size", (json_int_t)a->size,
		      "consistent", true, "authentic", authentic, "auditor",
		      authentic ? pub->fingerprint : NULL, "not_proven", not_proven(authentic),
		      "record", json_loadb((const char *)r->record.p, r->record.n, 0, NULL));
	if (v == NULL)
		return why_fail(&c->why, E_MEMORY, "no memory for the answer");
	if (!report_json(c, v))
		print(r, a, authentic);
	json_decref(v);
	return OK;
}

static enum err audit_check_receipt(struct call *c)
{
	struct receipt r = { .first = { 0 } };
	struct receipt_answer a;
	struct keys_public pub;
	bool given = false;
	enum err e = auditplace_public(c, &pub, &given);

	if (e == OK)
		e = take(c, &r);
	if (e == OK)
		e = receipt_check(&r, given ? &pub : NULL, &a, &c->why);
	if (e == OK && given && a.countersigned == SIGNED_ABSENT)
		e = why_fail(&c->why, E_SIGNATURE,
			     "the receipt is not counter-signed by this auditor");
	if (e == OK)
		e = tell(c, &r, &a, &pub);
	receipt_free(&r);
	return e;
}

const struct command cmd_audit_check_receipt = {
	"audit", "check-receipt",     "FILE", 1, "Check a receipt, without the roll",
	options, audit_check_receipt,
};
