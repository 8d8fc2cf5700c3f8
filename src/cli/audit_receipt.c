/* SPDX-License-Identifier: Apache-2.0 */
/* chancery audit receipt */
#include "auditor/code.h"
#include "auditor/place.h"
#include "auditor/review.h"
#include "cli/auditplace.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/receiptfile.h"
#include "cli/report.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_row options[] = {
	AUDITPLACE_DIR,
	AUDITPLACE_KEY("counter-sign the checkpoint with the auditor's private keys"),
	{ "out", "FILE", "the receipt (default: standard output)", NULL },
	AUDITPLACE_END,
};

/* `12:345` or `roll.000012:345`. */
static enum err take_place(struct call *c, uint64_t *file, uint64_t *seq)
{
	const char *text, *colon;
	char name[64];
	enum err e = call_operand(c, 0, "the record, as FILE:SEQ,", &text);

	if (e != OK)
		return e;
	colon = strchr(text, ':');
	snprintf(name, sizeof(name), "%.*s", colon != NULL ? (int)(colon - text) : 0, text);
	*file = place_number(name);
	if (*file == 0 || !code_number(span_str(colon + 1), seq))
		return why_fail(&c->why, E_ARGUMENTS,
				"a record is named FILE:SEQ, such as 12:345 or roll.000012:345");
	return OK;
}

/* Only what was checked. */
static enum err countersign(struct call *c, const char *dir, uint64_t file, struct receipt *r)
{
	struct keys_private *keys = NULL;
	struct signed_note note;
	struct buf text = { 0 };
	enum err e = auditplace_keys(c, &keys);

	if (e == OK && keys != NULL)
		e = review_vouch(dir, file, keys, &c->why);
	if (e == OK && keys != NULL && signed_read(buf_span(&r->note), &note)) {
		e = buf_put(&text, note.text);
		if (e == OK)
			e = keys_sign(keys, keys_private_count(keys) - 1, buf_span(&text),
				      &r->note);
	}
	buf_free(&text);
	keys_private_free(keys);
	return e;
}

static enum err write_out(struct call *c, const struct receipt *r)
{
	json_t *v = receiptfile_json(r);
	char *text = v != NULL ? json_dumps(v, JSON_INDENT(1) | JSON_ENSURE_ASCII) : NULL;
	struct buf line = { 0 };
	enum err e = text == NULL ? E_MEMORY : buf_put(&line, span_str(text));

	if (e == OK)
		e = buf_put_u8(&line, '\n');
	if (e == OK)
		e = output_write(
			c, &(struct output){ buf_span(&line), true, "receipt", "The receipt" },
			json_object());
	buf_free(&line);
	free(text);
	json_decref(v);
	return e;
}

static enum err audit_receipt(struct call *c)
{
	struct receipt r = { .first = { 0 } };
	char dir[PATH_MAX], path[PATH_MAX];
	uint64_t file = 0, seq = 0;
	enum err e = take_place(c, &file, &seq);

	if (e == OK)
		e = auditplace_dir(c, dir);
	if (e == OK)
		e = place_file(dir, file, path, &c->why);
	if (e == OK)
		e = receipt_make(path, seq, &r, &c->why);
	if (e == OK)
		e = countersign(c, dir, file, &r);
	if (e == OK)
		e = write_out(c, &r);
	receipt_free(&r);
	return e;
}

const struct command cmd_audit_receipt = {
	"audit", "receipt",     "FILE:SEQ", 1, "Write what proves a record without the roll",
	options, audit_receipt,
};
