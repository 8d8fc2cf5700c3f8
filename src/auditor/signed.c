/* SPDX-License-Identifier: Apache-2.0 */
#include "auditor/signed.h"

#include "auditor/code.h"

/* U+2014 and a blank begin the line of a signature. */
static const char dash[] = "\xe2\x80\x94 ";
enum { DASH = 4, SIGNATURE_MAX = 3309 };

static const struct kind {
	const char *algorithm;
	size_t raw, signature;
	const char *tag; /* C2SP signed-note: the type of signature in the key id */
	size_t tag_n;
} kinds[SIGNER_KINDS] = {
	[SIGNER_ED25519] = { "ED25519", LINE_ED25519, 64, "\x01", 1 },
	[SIGNER_MLDSA65] = { "ML-DSA-65", LINE_MLDSA65, SIGNATURE_MAX, "\xffML-DSA-65", 10 },
};

void signer_id(enum signer_kind kind, struct span raw, const char *name, uint8_t id[4])
{
	uint8_t b[256 + LINE_MLDSA65], h[SUM];
	struct sink s = sink(b, sizeof(b));

	(void)(sink_put(&s, span_str(name)) && sink_put(&s, span("\n", 1)) &&
	       sink_put(&s, span(kinds[kind].tag, kinds[kind].tag_n)) && sink_put(&s, raw));
	sum_of(span(b, s.n), span(NULL, 0), h);
	memcpy(id, h, 4);
}

enum err signer_set(enum signer_kind kind, struct span raw, const char *name, struct signer *s)
{
	memset(s, 0, sizeof(*s));
	if (raw.n != kinds[kind].raw)
		return E_DATA;
	s->kind = kind;
	s->key = EVP_PKEY_new_raw_public_key_ex(NULL, kinds[kind].algorithm, NULL, raw.p, raw.n);
	if (s->key == NULL)
		return E_DATA;
	signer_id(kind, raw, name, s->id);
	return OK;
}

void signer_clear(struct signer *s)
{
	EVP_PKEY_free(s->key);
	s->key = NULL;
}

/* The line at the front, without its line feed; false: there is none that is whole. */
static bool next_line(struct span *s, struct span *line)
{
	const uint8_t *feed = s->n == 0 ? NULL : memchr(s->p, '\n', s->n);

	if (feed == NULL)
		return false;
	*line = span(s->p, (size_t)(feed - s->p));
	*s = span(feed + 1, s->n - line->n - 1);
	return true;
}

static bool read_line(struct span line, struct signed_note *out)
{
	if (out->n == SIGNED_LINES_MAX || line.n <= DASH || memcmp(line.p, dash, DASH) != 0)
		return false;
	struct span rest = span(line.p + DASH, line.n - DASH);
	const uint8_t *blank = memchr(rest.p, ' ', rest.n);
	if (blank == NULL || blank == rest.p)
		return false;
	out->line[out->n].name = span(rest.p, (size_t)(blank - rest.p));
	out->line[out->n++].b64 = span(blank + 1, rest.n - (size_t)(blank - rest.p) - 1);
	return true;
}

bool signed_read(struct span note, struct signed_note *out)
{
	const uint8_t *at = NULL;
	struct span rest, line;

	memset(out, 0, sizeof(*out));
	if (note.n > SIGNED_MAX || note.n < 3)
		return false;
	/* The last blank line divides: a text may have some of its own. */
	for (size_t i = note.n - 1; i > 0 && at == NULL; i--)
		if (note.p[i] == '\n' && note.p[i - 1] == '\n')
			at = note.p + i;
	if (at == NULL)
		return false;
	out->text = span(note.p, (size_t)(at - note.p));
	rest = span(at + 1, note.n - out->text.n - 1);
	while (next_line(&rest, &line))
		if (!read_line(line, out))
			return false;
	return rest.n == 0;
}

static bool verify(EVP_PKEY *key, struct span text, struct span signature)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	bool good = c != NULL &&
		    EVP_DigestVerifyInit_ex(c, NULL, NULL, NULL, NULL, key, NULL) == 1 &&
		    EVP_DigestVerify(c, signature.p, signature.n, text.p, text.n) == 1;

	EVP_MD_CTX_free(c);
	return good;
}

enum signed_answer signed_check(const struct signed_note *note, const char *name,
				const struct signer *s)
{
	uint8_t b[4 + SIGNATURE_MAX];

	for (size_t i = 0; i < note->n; i++) {
		size_t n = sizeof(b);

		if (!span_eq(note->line[i].name, span_str(name)))
			continue;
		if (!code_b64(note->line[i].b64, b, &n) || n < 4)
			return SIGNED_BAD;
		if (memcmp(b, s->id, 4) != 0)
			continue;
		if (n != 4 + kinds[s->kind].signature)
			return SIGNED_BAD;
		return verify(s->key, note->text, span(b + 4, n - 4)) ? SIGNED_GOOD : SIGNED_BAD;
	}
	return SIGNED_ABSENT;
}

enum err signed_line(struct span text, const char *name, const uint8_t id[4], EVP_PKEY *key,
		     struct buf *out)
{
	uint8_t b[4 + SIGNATURE_MAX];
	size_t n = SIGNATURE_MAX;
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	enum err e = E_FAILED;

	memcpy(b, id, 4);
	if (c != NULL && EVP_DigestSignInit_ex(c, NULL, NULL, NULL, NULL, key, NULL) == 1 &&
	    EVP_DigestSign(c, b + 4, &n, text.p, text.n) == 1)
		e = OK;
	EVP_MD_CTX_free(c);
	if (e == OK)
		e = buf_put(out, span(dash, DASH));
	if (e == OK)
		e = buf_put(out, span_str(name));
	if (e == OK)
		e = buf_put(out, span_str(" "));
	if (e == OK)
		e = code_b64_put(span(b, n + 4), out);
	return e == OK ? buf_put(out, span_str("\n")) : e;
}

bool checkpoint_read(struct span text, struct checkpoint *c)
{
	struct span size, root;

	memset(c, 0, sizeof(*c));
	if (!next_line(&text, &c->origin) || !next_line(&text, &size) || !next_line(&text, &root))
		return false;
	c->rest = text;
	return c->origin.n != 0 && code_number(size, &c->size) &&
	       code_b64_exact(root, c->root, SUM);
}
