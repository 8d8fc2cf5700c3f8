/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/receiptfile.h"
#include "auditor/code.h"

enum { VERSION = 1 };

static json_t *proof_json(const struct receipt_proof *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->n; i++) {
		struct buf text = { 0 };

		if (code_b64_put(span(p->hash[i], SUM), &text) == OK)
			json_array_append_new(list, json_stringn((const char *)text.p, text.n));
		buf_free(&text);
	}
	return list;
}

static json_t *text_json(const struct buf *b)
{
	return json_stringn((const char *)b->p, b->n);
}

json_t *receiptfile_json(const struct receipt *r)
{
	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "receipt", VERSION, "record",
			 text_json(&r->record), "record_proof", proof_json(&r->record_proof),
			 "first", text_json(&r->first), "first_proof", proof_json(&r->first_proof),
			 "note", text_json(&r->note));
}

static enum err take_text(const json_t *v, const char *key, struct buf *out)
{
	const json_t *text = json_object_get(v, key);

	if (!json_is_string(text))
		return E_DATA;
	return buf_put(out, span(json_string_value(text), json_string_length(text)));
}

static enum err take_proof(const json_t *v, const char *key, struct receipt_proof *p)
{
	const json_t *list = json_object_get(v, key), *item;
	size_t i;

	if (!json_is_array(list) || json_array_size(list) > MERKLE_HEIGHT)
		return E_DATA;
	json_array_foreach(list, i, item)
	{
		if (!json_is_string(item) ||
		    !code_b64_exact(span(json_string_value(item), json_string_length(item)),
				    p->hash[i], SUM))
			return E_DATA;
	}
	p->n = i;
	return OK;
}

static enum err take_all(const json_t *v, struct receipt *r)
{
	enum err e = take_text(v, "record", &r->record);

	if (e == OK)
		e = take_text(v, "first", &r->first);
	if (e == OK)
		e = take_text(v, "note", &r->note);
	if (e == OK)
		e = take_proof(v, "record_proof", &r->record_proof);
	return e == OK ? take_proof(v, "first_proof", &r->first_proof) : e;
}

enum err receiptfile_read(struct span text, struct receipt *r, struct why *why)
{
	json_t *v = json_loadb((const char *)text.p, text.n, JSON_REJECT_DUPLICATES, NULL);
	const json_t *version = json_object_get(v, "receipt");
	enum err e = json_is_object(v) && json_object_size(v) == 6 ? take_all(v, r) : E_DATA;

	if (json_is_integer(version) && json_integer_value(version) != VERSION)
		e = why_fail(why, E_DATA, "the receipt is of a newer form: use a newer version");
	else if (e == E_DATA)
		e = why_fail(why, e, "this is no receipt, as `audit receipt` writes them");
	json_decref(v);
	return e;
}
