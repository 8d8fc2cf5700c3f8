/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/recipient.h"

#include "base/file.h"
#include "base/le.h"
#include "crypto/base64.h"
#include "crypto/sealing.h"

#define FIRST_LINE "chancery-auditor-public 1"
#define KEM_WORDS  "kem x25519mlkem768 "

/* The next line, without its end; false at the end of the text. */
static bool take_line(struct span *text, struct span *line)
{
	const uint8_t *end = text->n != 0 ? memchr(text->p, '\n', text->n) : NULL;

	if (end == NULL)
		return false;
	*line = span(text->p, (size_t)(end - text->p));
	*text = span(end + 1, text->n - line->n - 1);
	return true;
}

static bool take_words(struct span *line, const char *words)
{
	size_t n = strlen(words);

	if (line->n < n || memcmp(line->p, words, n) != 0)
		return false;
	*line = span(line->p + n, line->n - n);
	return true;
}

static enum err take_kem(struct span base64, struct recipient *r)
{
	struct buf key = { .max = RECIPIENT_TEXT_MAX };
	enum err e = base64_take(base64, &key);

	if (e == OK && key.n != sizeof(r->kem))
		e = E_DATA;
	if (e == OK)
		memcpy(r->kem, key.p, sizeof(r->kem));
	buf_free(&key);
	return e;
}

/* Other lines are of keys that are not used here. */
static enum err parse(struct span text, struct recipient *r)
{
	struct span line;
	enum err e = E_DATA;

	if (!take_line(&text, &line) || !span_eq(line, span_str(FIRST_LINE)))
		return E_DATA;
	while (take_line(&text, &line)) {
		if (!take_words(&line, KEM_WORDS))
			continue;
		if (e == OK)
			return E_DATA;
		e = take_kem(line, r);
		if (e != OK)
			return e;
	}
	return e;
}

enum err recipient_of(struct span text, struct recipient *r, struct why *why)
{
	uint8_t digest[SEALING_MAC];
	enum err e = parse(text, r);

	if (e == OK)
		e = sealing_digest(&text, 1, digest);
	if (e == E_DATA)
		return why_fail(why, E_ARGUMENTS, "this is no text of an auditor's public keys");
	if (e != OK)
		return why_fail(why, e, "cannot read the auditor's public keys");
	memcpy(r->print, digest, sizeof(r->print));
	r->there = true;
	return OK;
}

enum err recipient_read(const struct site *s, struct recipient *r, struct why *why)
{
	struct buf text = { 0 };
	char path[PATH_MAX];
	enum err e = site_join(s, SITE_AUDITOR, path, why);

	r->there = false;
	if (e == OK)
		e = file_read(path, FILE_TRUSTED, RECIPIENT_TEXT_MAX, &text, why);
	if (e == E_ABSENT)
		return OK;
	if (e == OK)
		e = recipient_of(buf_span(&text), r, why);
	if (e == E_ARGUMENTS)
		e = why_fail(why, E_CORRUPT, "%s is damaged: put the auditor's public keys there",
			     path);
	buf_free(&text);
	return e;
}

/* ---- sealing ---- */

static enum err seal(const struct recipient *r, struct span aad, struct span secret,
		     struct buf *out)
{
	struct buf sealed = { 0 };
	size_t was = out->n;
	enum err e;

	if (!r->there)
		return buf_put(out, span_str("null"));
	e = boxing_seal(span(r->kem, sizeof(r->kem)), aad, secret, &sealed);
	if (e == OK)
		e = buf_put_u8(out, '"');
	if (e == OK)
		e = base64_put(out, buf_span(&sealed));
	if (e == OK)
		e = buf_put_u8(out, '"');
	if (e != OK)
		out->n = was;
	buf_free(&sealed);
	return e;
}

enum err recipient_seal_init(const struct recipient *r, const struct ledger *l, struct buf *out)
{
	uint8_t aad[4 + LEDGER_ID] = { 'i', 'n', 'i', 't' };

	memcpy(aad + 4, l->id, sizeof(l->id));
	return seal(r, span(aad, sizeof(aad)), span(l->secret, sizeof(l->secret)), out);
}

enum err recipient_seal_seed(const struct recipient *r, const struct ledger *l, uint64_t file,
			     const uint8_t seed[LEDGER_SECRET], struct buf *out)
{
	uint8_t aad[4 + LEDGER_ID + 8] = { 's', 'e', 'e', 'd' };

	memcpy(aad + 4, l->id, sizeof(l->id));
	le_put64(aad + 4 + LEDGER_ID, file);
	return seal(r, span(aad, sizeof(aad)), span(seed, LEDGER_SECRET), out);
}
