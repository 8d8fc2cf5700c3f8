/* SPDX-License-Identifier: Apache-2.0 */
#include "store/record.h"

#include "base/le.h"
#include "base/mem.h"
#include "store/put.h"

#define FORMAT      1
#define INDEX_FRAME 8

_Static_assert(sizeof(struct ident) == IDENT_SERIAL + IDENT_GENERATION, "no padding in a frame");

static const char domain[16] = "chancery record";

void record_clear(struct record *r)
{
	attrset_free(r->attrs);
	r->attrs = NULL;
}

enum err record_index(const uint8_t *key, CK_ATTRIBUTE_TYPE kind, struct span value, uint64_t *ix)
{
	uint8_t mac[SEALING_MAC], frame[INDEX_FRAME];
	const struct span parts[] = { span(frame, sizeof(frame)), value };
	enum err e;

	le_put64(frame, kind);
	e = sealing_mac(key, parts, 2, mac);
	if (e == OK)
		*ix = le_get64(mac);
	return e;
}

struct span record_frame(const struct seal *k, const struct row *row, uint8_t frame[RECORD_FRAME])
{
	struct sink s = sink(frame, RECORD_FRAME);

	sink_put(&s, span(domain, sizeof(domain)));
	sink_put(&s, span(&k->ident, sizeof(k->ident)));
	put_u64(&s, row->id);
	put_u64(&s, row->version);
	put_u64(&s, row->changed);
	put_u8(&s, (uint8_t)row->sight);
	put_u64(&s, row->cls);
	put_u64(&s, row->label_ix);
	put_u64(&s, row->id_ix);
	return span(frame, s.n);
}

static enum err index_row(const struct seal *k, const uint8_t *salt, const struct attrset *a,
			  struct row *row)
{
	const uint8_t *key = row->sight != SIGHT_ALL ? k->index : salt;
	enum err e = record_index(key, CKA_LABEL, attrset_bytes(a, CKA_LABEL), &row->label_ix);

	if (e == OK)
		e = record_index(key, CKA_ID, attrset_bytes(a, CKA_ID), &row->id_ix);
	row->cls = attrset_ulong(a, CKA_CLASS, CK_UNAVAILABLE_INFORMATION);
	return e;
}

/* FORMAT, traits, attributes. */
static enum err encode(const struct record *r, struct buf *plain)
{
	enum err e = buf_put_u8(plain, FORMAT);

	if (e == OK)
		e = buf_put_u32(plain, r->traits);
	return e == OK ? attrset_encode(r->attrs, plain) : e;
}

enum err record_parse(struct span plain, bool secret, struct record *r)
{
	uint8_t format;
	uint32_t traits;
	struct attrset *attrs = NULL;
	enum err e;

	if (!take_u8(&plain, &format) || format != FORMAT || !take_u32(&plain, &traits))
		return E_CORRUPT;
	e = attrset_decode(plain, secret, &attrs);
	if (e != OK)
		return e;
	r->traits = traits;
	r->attrs = attrs; /* moved */
	return OK;
}

static enum err seal_record(const struct seal *k, const struct record *r, struct row *row,
			    struct buf *out)
{
	struct buf plain = { .secret = true };
	uint8_t frame[RECORD_FRAME];
	enum err e = encode(r, &plain);

	if (e == OK)
		e = sealing_seal(k->record, record_frame(k, row, frame), buf_span(&plain), out);
	buf_free(&plain);
	if (e != OK)
		return e;
	row->blob = span(out->p, out->n - SEALING_TAG);
	row->tag = span(out->p + row->blob.n, SEALING_TAG);
	return OK;
}

static enum err mac_public(const struct seal *k, const struct row *row, uint8_t mac[SEALING_MAC])
{
	uint8_t frame[RECORD_FRAME];
	const struct span parts[] = { record_frame(k, row, frame), row->blob };

	return sealing_mac(k->mac, parts, 2, mac);
}

static enum err seal_public(const struct seal *k, const struct record *r, struct row *row,
			    struct buf *out)
{
	uint8_t mac[SEALING_MAC];
	enum err e = encode(r, out);
	size_t n = out->n;

	row->blob = buf_span(out);
	row->tag = span(NULL, 0);
	if (e != OK || k == NULL)
		return e;
	e = mac_public(k, row, mac);
	if (e == OK)
		e = buf_put(out, span(mac, sizeof(mac)));
	row->blob = span(out->p, n); /* out may have moved */
	row->tag = span(out->p + n, SEALING_MAC);
	return e;
}

enum err record_seal(const struct seal *k, const uint8_t *salt, const struct record *r,
		     struct row *row, struct buf *out)
{
	enum err e;

	if (k == NULL && row->sight != SIGHT_ALL)
		return E_NOT_LOGGED_IN;
	buf_clear(out);
	e = index_row(k, salt, r->attrs, row);
	if (e != OK)
		return e;
	return row->sight != SIGHT_ALL ? seal_record(k, r, row, out) : seal_public(k, r, row, out);
}

static enum err open_sealed(const struct seal *k, const struct row *row, struct record *r)
{
	struct buf sealed = { 0 }, plain = { .secret = true };
	uint8_t frame[RECORD_FRAME];
	enum err e = row->tag.n == SEALING_TAG ? OK : E_CORRUPT;

	if (e == OK)
		e = buf_put(&sealed, row->blob);
	if (e == OK)
		e = buf_put(&sealed, row->tag);
	if (e == OK)
		e = sealing_open(k->record, record_frame(k, row, frame), buf_span(&sealed), &plain);
	if (e == OK)
		e = record_parse(buf_span(&plain), true, r);
	buf_free(&plain);
	buf_free(&sealed);
	return e;
}

static enum err verify_public(const struct seal *k, const struct row *row)
{
	uint8_t mac[SEALING_MAC];
	enum err e = mac_public(k, row, mac);

	if (e != OK)
		return e;
	return row->tag.n == sizeof(mac) && mem_equal(mac, row->tag.p, sizeof(mac)) ? OK
										    : E_CORRUPT;
}

static enum err open_public(const struct seal *k, const struct row *row, struct record *r)
{
	bool verified = k != NULL && row->tag.n != 0;
	enum err e = verified ? verify_public(k, row) : OK;

	if (e == OK)
		e = record_parse(row->blob, false, r);
	if (e == OK)
		r->verified = verified;
	return e;
}

enum err record_open(const struct seal *k, const struct row *row, struct record *r)
{
	const bool sealed = row->sight != SIGHT_ALL;
	struct record got = { .id = row->id, .version = row->version, .sight = row->sight };
	enum err e;

	if (sealed && k == NULL)
		return E_OBJECT_HANDLE;
	got.verified = sealed;
	e = sealed ? open_sealed(k, row, &got) : open_public(k, row, &got);
	if (e == OK)
		*r = got; /* moved */
	return e;
}
