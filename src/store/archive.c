/* SPDX-License-Identifier: Apache-2.0 */
#include "store/archive.h"

#include "base/file.h"
#include "base/mem.h"
#include "store/put.h"
#include <errno.h>
#include <unistd.h>

#define SUM       8
#define SUMMED    (ARCHIVE_HEADER - SUM)
#define LAST      0x80000000U
#define ITEM_HEAD 5
#define FRAME     (16 + SEALING_MAC + 8 + 1)

static const char magic[8] = { 'C', 'H', 'N', 'C', 'Y', 'B', 'A', 'K' };
static const char domain[16] = "chancery backup";

/* ---- keys ---- */

static enum err digest_of(struct span bytes, uint8_t digest[SEALING_MAC])
{
	return sealing_digest(&bytes, 1, digest);
}

/* The key of the chunks, and what tells whether the passphrase was right. *key is the caller's. */
static enum err derive(const struct pinkey *kdf, struct span passphrase, uint8_t **key,
		       uint8_t check[ARCHIVE_CHECK])
{
	const struct span salt = span(kdf->salt, sizeof(kdf->salt));
	uint8_t *k = mem_alloc_secret(2 * SEALING_KEY);
	enum err e = k != NULL ? pinkey_derive(kdf, passphrase, k + SEALING_KEY) : E_MEMORY;
	const struct span root = span(k != NULL ? k + SEALING_KEY : NULL, SEALING_KEY);

	if (e == OK)
		e = sealing_hkdf(root, salt, span_str("chancery backup 1 body"), k, SEALING_KEY);
	if (e == OK)
		e = sealing_hkdf(root, salt, span_str("chancery backup 1 check"), check,
				 ARCHIVE_CHECK);
	if (e != OK) {
		mem_free(k);
		return e;
	}
	mem_wipe(k + SEALING_KEY, SEALING_KEY);
	*key = k; /* moved */
	return OK;
}

static struct span bind(const uint8_t *digest, uint64_t chunk, bool last, uint8_t frame[FRAME])
{
	struct sink s = sink(frame, FRAME);

	sink_put(&s, span(domain, sizeof(domain)));
	sink_put(&s, span(digest, SEALING_MAC));
	put_u64(&s, chunk);
	put_u8(&s, last);
	return span(frame, s.n);
}

/* ---- the header ---- */

static enum err header_write(const struct pinkey *kdf, const uint8_t check[ARCHIVE_CHECK],
			     uint8_t bytes[ARCHIVE_HEADER])
{
	struct sink s = sink(bytes, ARCHIVE_HEADER);
	uint8_t sum[SEALING_MAC];
	enum err e;

	sink_put(&s, span(magic, sizeof(magic)));
	put_u32(&s, ARCHIVE_FORMAT);
	put_u32(&s, kdf->kdf);
	put_u32(&s, kdf->cost);
	put_u32(&s, kdf->passes);
	sink_put(&s, span(kdf->salt, sizeof(kdf->salt)));
	sink_put(&s, span(check, ARCHIVE_CHECK));
	e = digest_of(span(bytes, s.n), sum);
	sink_put(&s, span(sum, SUM));
	return e;
}

enum err archive_header_parse(struct span bytes, struct archive_header *h)
{
	struct span in = bytes, m, salt, check, sum;
	uint8_t want[SEALING_MAC];
	uint32_t format;
	enum err e;

	*h = (struct archive_header){ .kdf = { 0 } };
	if (!take_bytes(&in, sizeof(magic), &m) || !span_eq(m, span(magic, sizeof(magic))))
		return E_DATA;
	if (!take_u32(&in, &format))
		return E_CORRUPT;
	if (format > ARCHIVE_FORMAT)
		return E_TOKEN_UNKNOWN;
	if (!take_u32(&in, &h->kdf.kdf) || !take_u32(&in, &h->kdf.cost) ||
	    !take_u32(&in, &h->kdf.passes) || !take_bytes(&in, PINKEY_SALT, &salt) ||
	    !take_bytes(&in, ARCHIVE_CHECK, &check) || !take_bytes(&in, SUM, &sum) || in.n != 0)
		return E_CORRUPT;
	memcpy(h->kdf.salt, salt.p, PINKEY_SALT);
	memcpy(h->check, check.p, ARCHIVE_CHECK);
	if (format != ARCHIVE_FORMAT || !pinkey_sane(&h->kdf))
		return E_CORRUPT;
	e = digest_of(span(bytes.p, SUMMED), want);
	if (e == OK && !span_eq(sum, span(want, SUM)))
		e = E_CORRUPT;
	return e == OK ? digest_of(bytes, h->digest) : e;
}

/* ---- writing ---- */

enum err archive_begin(struct archive_writer *w, int fd, const char *path,
		       const struct store_policy *p, struct span passphrase, struct why *why)
{
	struct pinkey kdf;
	uint8_t check[ARCHIVE_CHECK], bytes[ARCHIVE_HEADER];
	enum err e = E_PIN_LEN;

	*w = (struct archive_writer){ .fd = fd, .path = path, .why = why };
	w->plain.max = ARCHIVE_ITEM_MAX + ARCHIVE_CHUNK;
	if (passphrase.n == 0 || passphrase.n > ARCHIVE_PASSPHRASE)
		return why_fail(why, e, "the passphrase must have 1 to %d bytes",
				ARCHIVE_PASSPHRASE);
	e = pinkey_begin(p, NULL, passphrase, &kdf);
	if (e == OK)
		e = derive(&kdf, passphrase, &w->key, check);
	if (e == OK)
		e = header_write(&kdf, check, bytes);
	if (e == OK)
		e = digest_of(span(bytes, sizeof(bytes)), w->digest);
	if (e != OK)
		return why_fail(why, e, "cannot make the backup's key: %s", err_text(e));
	return file_write_fd(fd, path, span(bytes, sizeof(bytes)), why);
}

static enum err write_chunk(struct archive_writer *w, struct span plain, bool last)
{
	uint8_t frame[FRAME];
	enum err e;

	buf_clear(&w->sealed);
	e = buf_put_u32(&w->sealed, (uint32_t)(plain.n + SEALING_EXTRA) | (last ? LAST : 0));
	if (e == OK)
		e = sealing_seal(w->key, bind(w->digest, w->chunks++, last, frame), plain,
				 &w->sealed);
	if (e != OK)
		return why_fail(w->why, e, "cannot seal the backup: %s", err_text(e));
	return file_write_fd(w->fd, w->path, buf_span(&w->sealed), w->why);
}

/* Writes whole chunks, and keeps what does not fill one. */
static enum err write_full_chunks(struct archive_writer *w)
{
	size_t at = 0;
	enum err e = OK;

	while (e == OK && w->plain.n - at > ARCHIVE_CHUNK) {
		e = write_chunk(w, span(w->plain.p + at, ARCHIVE_CHUNK), false);
		at += ARCHIVE_CHUNK;
	}
	if (at != 0)
		memmove(w->plain.p, w->plain.p + at, w->plain.n - at);
	w->plain.n -= at;
	return e;
}

enum err archive_item(struct archive_writer *w, enum archive_item type, struct span body)
{
	enum err e = buf_put_u8(&w->plain, (uint8_t)type);

	if (e == OK)
		e = buf_put_u32(&w->plain, (uint32_t)body.n);
	if (e == OK)
		e = buf_put(&w->plain, body);
	return e == OK ? write_full_chunks(w) : e;
}

enum err archive_finish(struct archive_writer *w)
{
	return write_chunk(w, buf_span(&w->plain), true);
}

void archive_end(struct archive_writer *w)
{
	mem_free(w->key);
	buf_free(&w->plain);
	buf_free(&w->sealed);
	w->key = NULL;
}

/* ---- reading ---- */

static enum err read_some(int fd, const char *path, uint8_t *p, size_t n, size_t *got,
			  struct why *why)
{
	*got = 0;
	while (*got < n) {
		ssize_t r = read(fd, p + *got, n - *got);

		if (r == 0)
			break;
		if (r < 0 && errno != EINTR)
			return why_errno(why, "cannot read %s", path);
		if (r > 0)
			*got += (size_t)r;
	}
	return OK;
}

static enum err read_exactly(struct archive_reader *r, uint8_t *p, size_t n)
{
	size_t got;
	enum err e = read_some(r->fd, r->path, p, n, &got, r->why);

	if (e == OK && got != n)
		return why_fail(r->why, E_CORRUPT, "%s is cut short: part of the backup is missing",
				r->path);
	return e;
}

static enum err explain_header(struct why *why, enum err e, const char *path)
{
	if (e == E_DATA)
		return why_fail(why, e, "%s is not a backup of Chancery", path);
	if (e == E_TOKEN_UNKNOWN)
		return why_fail(why, e, "%s is a backup of a newer version: restore it with that",
				path);
	if (e == E_CORRUPT)
		return why_fail(why, e, "the header of %s is damaged or cut short", path);
	return why_fail(why, e, "cannot check the header of %s: %s", path, err_text(e));
}

enum err archive_open(struct archive_reader *r, int fd, const char *path, struct span passphrase,
		      struct why *why)
{
	struct archive_header h;
	uint8_t bytes[ARCHIVE_HEADER], check[ARCHIVE_CHECK];
	size_t got;
	enum err e;

	*r = (struct archive_reader){ .fd = fd, .path = path, .why = why };
	r->plain.max = 2 * ARCHIVE_ITEM_MAX;
	e = read_some(fd, path, bytes, sizeof(bytes), &got, why);
	if (e != OK)
		return e;
	e = archive_header_parse(span(bytes, got), &h);
	if (e != OK)
		return explain_header(why, e, path);
	e = derive(&h.kdf, passphrase, &r->key, check);
	if (e != OK)
		return why_fail(why, e, "cannot make the backup's key: %s", err_text(e));
	memcpy(r->digest, h.digest, sizeof(r->digest));
	if (!mem_equal(check, h.check, sizeof(check)))
		return why_fail(why, E_PIN_WRONG, "this is not the passphrase of %s", path);
	return OK;
}

static enum err altered(struct archive_reader *r)
{
	return why_fail(r->why, E_CORRUPT, "%s was altered or is damaged (chunk %llu)", r->path,
			(unsigned long long)r->chunks);
}

static enum err nothing_follows(struct archive_reader *r)
{
	uint8_t byte;
	size_t got;
	enum err e = read_some(r->fd, r->path, &byte, 1, &got, r->why);

	if (e == OK && got != 0)
		return why_fail(r->why, E_CORRUPT, "%s goes on after the end of the backup",
				r->path);
	return e;
}

static enum err open_chunk(struct archive_reader *r)
{
	uint8_t frame[FRAME];
	enum err e = sealing_open(r->key, bind(r->digest, r->chunks, r->last, frame),
				  buf_span(&r->sealed), &r->plain);

	if (e == E_CORRUPT)
		return altered(r);
	r->chunks++;
	return e == OK && r->last ? nothing_follows(r) : e;
}

static enum err read_chunk(struct archive_reader *r)
{
	uint8_t le[4];
	uint32_t n;
	enum err e = read_exactly(r, le, sizeof(le));

	if (e != OK)
		return e;
	n = le_get32(le);
	r->last = (n & LAST) != 0;
	n &= ~LAST;
	if (n < SEALING_EXTRA || n > ARCHIVE_CHUNK + SEALING_EXTRA)
		return altered(r);
	buf_clear(&r->sealed);
	e = buf_reserve(&r->sealed, n);
	if (e == OK)
		e = read_exactly(r, r->sealed.p, n);
	if (e != OK)
		return e;
	r->sealed.n = n;
	return open_chunk(r);
}

/* At least n bytes that were not taken; E_CORRUPT when the backup has no more. */
static enum err need(struct archive_reader *r, size_t n)
{
	enum err e = OK;

	if (r->taken != 0) {
		memmove(r->plain.p, r->plain.p + r->taken, r->plain.n - r->taken);
		r->plain.n -= r->taken;
		r->taken = 0;
	}
	while (e == OK && r->plain.n < n)
		e = r->last ? altered(r) : read_chunk(r);
	return e;
}

enum err archive_next(struct archive_reader *r, bool *more, uint8_t *type, struct span *body)
{
	uint32_t n;
	enum err e = OK;

	*more = false;
	/* the last chunk may be empty, and the end is not known before it was read */
	while (e == OK && r->plain.n == r->taken && !r->last)
		e = read_chunk(r);
	if (e != OK || r->plain.n == r->taken)
		return e;
	e = need(r, ITEM_HEAD);
	if (e != OK)
		return e;
	*type = r->plain.p[0];
	n = le_get32(r->plain.p + 1);
	if (n > ARCHIVE_ITEM_MAX)
		return altered(r);
	e = need(r, ITEM_HEAD + (size_t)n);
	if (e != OK)
		return e;
	*body = span(r->plain.p + ITEM_HEAD, n);
	r->taken = ITEM_HEAD + (size_t)n;
	*more = true;
	return OK;
}

void archive_close(struct archive_reader *r)
{
	mem_free(r->key);
	buf_free(&r->plain);
	buf_free(&r->sealed);
	r->key = NULL;
}
