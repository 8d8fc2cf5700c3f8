/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/note.h"

#include "audit/digits.h"
#include "audit/encode.h"
#include "base/mem.h"
#include "crypto/base64.h"
#include "crypto/notekey.h"
#include "crypto/sealing.h"

#define ORIGIN "chancery-roll/"

enum { ID_N = 16, KEY_ID = 4, ORIGIN_MAX = sizeof(ORIGIN) + 2 * ID_N + 1 + DIGITS_MAX };

/* How a type of key is called in the first record, and what stands for it in its key id. */
static const struct {
	const char *name, *mark;
} types[NOTEKEY_TYPES] = {
	[NOTEKEY_ED25519] = { "ed25519", "\x01" },
	[NOTEKEY_MLDSA65] = { "mldsa65", "\xff"
					 "ML-DSA-65" },
};

struct signer {
	struct notekey *key; /* NULL: there is none of this type */
	uint8_t id[KEY_ID];
};

struct note_keys {
	char origin[ORIGIN_MAX];
	size_t origin_n;
	struct signer signers[NOTEKEY_TYPES];
};

static struct span origin_of(const struct note_keys *k)
{
	return span(k->origin, k->origin_n);
}

static void origin_put(struct note_keys *k, const uint8_t *id, uint64_t file)
{
	char *p = k->origin;

	memcpy(p, ORIGIN, sizeof(ORIGIN) - 1);
	p += sizeof(ORIGIN) - 1;
	digits_hex(span(id, ID_N), p);
	p += 2 * ID_N;
	*p++ = '/';
	p += digits_decimal(file, p);
	k->origin_n = (size_t)(p - k->origin);
}

/* signed-note, "Signatures": the key id says which key of that name it is. */
static enum err key_id(const struct note_keys *k, enum notekey_type t, struct span public,
		       uint8_t id[KEY_ID])
{
	const struct span parts[] = { origin_of(k), span_str("\n"), span_str(types[t].mark),
				      public };
	uint8_t digest[SEALING_MAC];
	enum err e = sealing_digest(parts, 4, digest);

	if (e == OK)
		memcpy(id, digest, KEY_ID);
	return e;
}

static enum err signer_make(struct note_keys *k, enum notekey_type t)
{
	struct signer *s = &k->signers[t];
	struct buf public = { 0 };
	enum err e = notekey_new(t, &s->key);

	if (e == OK)
		e = notekey_public(s->key, &public);
	if (e == OK)
		e = key_id(k, t, buf_span(&public), s->id);
	buf_free(&public);
	return e;
}

enum err note_keys_new(const uint8_t id[16], uint64_t file, bool mldsa, struct note_keys **out)
{
	struct note_keys *k = mem_alloc_secret(sizeof(*k));
	enum err e;

	if (k == NULL)
		return E_MEMORY;
	origin_put(k, id, file);
	e = signer_make(k, NOTEKEY_ED25519);
	if (e == OK && mldsa)
		e = signer_make(k, NOTEKEY_MLDSA65);
	if (e == OK)
		*out = k;
	else
		note_keys_free(k);
	return e;
}

void note_keys_free(struct note_keys *k)
{
	if (k == NULL)
		return;
	for (size_t i = 0; i < NOTEKEY_TYPES; i++)
		notekey_free(k->signers[i].key);
	mem_free(k);
}

static enum err put_public(const struct signer *s, const char *name, struct buf *out)
{
	struct buf public = { 0 }, text = { 0 };
	enum err e = notekey_public(s->key, &public);

	if (e == OK)
		e = base64_put(&text, buf_span(&public));
	if (e == OK)
		e = encode_own(out, name, buf_span(&text));
	buf_free(&public);
	buf_free(&text);
	return e;
}

enum err note_publics(const struct note_keys *k, struct buf *out)
{
	size_t was = out->n;
	enum err e = OK;

	for (size_t i = 0; e == OK && i < NOTEKEY_TYPES; i++)
		if (k->signers[i].key != NULL)
			e = put_public(&k->signers[i], types[i].name, out);
	if (e != OK)
		out->n = was;
	return e;
}

/* tlog-checkpoint, "Note text". */
static enum err put_text(const struct note_keys *k, uint64_t size, const uint8_t *root,
			 struct buf *out)
{
	char digits[DIGITS_MAX];
	enum err e = buf_put(out, origin_of(k));

	if (e == OK)
		e = buf_put_u8(out, '\n');
	if (e == OK)
		e = buf_put(out, span(digits, digits_decimal(size, digits)));
	if (e == OK)
		e = buf_put_u8(out, '\n');
	if (e == OK)
		e = base64_put(out, span(root, TREE_HASH));
	return e == OK ? buf_put_u8(out, '\n') : e;
}

/* `— <origin> <base64 of key id and signature>`, with an em dash. */
static enum err put_line(const struct note_keys *k, struct span signature, struct buf *out)
{
	enum err e = buf_put(out, span_str("\xe2\x80\x94 "));

	if (e == OK)
		e = buf_put(out, origin_of(k));
	if (e == OK)
		e = buf_put_u8(out, ' ');
	if (e == OK)
		e = base64_put(out, signature);
	return e == OK ? buf_put_u8(out, '\n') : e;
}

static enum err put_signature(const struct note_keys *k, const struct signer *s, struct span text,
			      struct buf *out)
{
	struct buf signature = { 0 };
	enum err e = buf_put(&signature, span(s->id, KEY_ID));

	if (e == OK)
		e = notekey_sign(s->key, text, &signature);
	if (e == OK)
		e = put_line(k, buf_span(&signature), out);
	buf_free(&signature);
	return e;
}

enum err note_sign(const struct note_keys *k, uint64_t size, const uint8_t root[TREE_HASH],
		   struct buf *out)
{
	struct buf text = { 0 };
	size_t was = out->n;
	enum err e = put_text(k, size, root, &text);

	if (e == OK)
		e = buf_put(out, buf_span(&text));
	if (e == OK)
		e = buf_put_u8(out, '\n');
	for (size_t i = 0; e == OK && i < NOTEKEY_TYPES; i++)
		if (k->signers[i].key != NULL)
			e = put_signature(k, &k->signers[i], buf_span(&text), out);
	if (e != OK)
		out->n = was;
	buf_free(&text);
	return e;
}
