/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/ending.h"

#include "audit/encode.h"
#include "base/buf.h"
#include "crypto/sealing.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* docs/AUDIT.md, "A record": how each begins and ends. */
#define FIRST  "{\"seq\":"
#define PREV   ",\"prev\":\""
#define MAC    "\",\"mac\":\""
#define END    "\"}"
#define LEN(s) (sizeof(s) - 1)
#define HEX    (2 * (size_t)TREE_HASH)
#define WINDOW ((size_t)2 * RECORD_MAX) /* a torn record, and a whole one before it */

static bool hex_digit(uint8_t c, uint8_t *v)
{
	if (c >= '0' && c <= '9')
		*v = (uint8_t)(c - '0');
	else if (c >= 'a' && c <= 'f')
		*v = (uint8_t)(c - 'a' + 10);
	else
		return false;
	return true;
}

static bool take_hash(const uint8_t *hex, uint8_t hash[TREE_HASH])
{
	for (size_t i = 0; i < TREE_HASH; i++) {
		uint8_t high, low;

		if (!hex_digit(hex[2 * i], &high) || !hex_digit(hex[2 * i + 1], &low))
			return false;
		hash[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

static bool at(struct span line, size_t from, const char *text, size_t n)
{
	return from <= line.n && line.n - from >= n && memcmp(line.p + from, text, n) == 0;
}

static bool take_seq(struct span line, uint64_t *seq)
{
	size_t i = LEN(FIRST);

	*seq = 0;
	if (!at(line, 0, FIRST, LEN(FIRST)))
		return false;
	for (; i < line.n && i < LEN(FIRST) + 19 && line.p[i] >= '0' && line.p[i] <= '9'; i++)
		*seq = *seq * 10 + (uint64_t)(line.p[i] - '0');
	return i > LEN(FIRST) && i < line.n && line.p[i] == ',';
}

/* h of the record is SHA-256 of prev and the body, and prev is the last member of the body. */
static enum err take_record(struct span line, struct roster_end *end)
{
	const size_t tail = LEN(MAC) - 1 + HEX + LEN(END);
	uint8_t prev[TREE_HASH];
	struct span parts[2];
	size_t body;
	enum err e;

	if (line.n < LEN(FIRST) + LEN(PREV) + HEX + 1 + tail)
		return OK;
	body = line.n - tail;
	if (!at(line, body - 1, MAC, LEN(MAC)) || !at(line, line.n - LEN(END), END, LEN(END)) ||
	    !at(line, body - 1 - HEX - LEN(PREV), PREV, LEN(PREV)) ||
	    !take_hash(line.p + body - 1 - HEX, prev) || !take_seq(line, &end->seq))
		return OK;
	parts[0] = span(prev, sizeof(prev));
	parts[1] = span(line.p, body);
	e = sealing_digest(parts, 2, end->head);
	end->whole = e == OK;
	return e;
}

static const uint8_t *last_feed(struct span s)
{
	return s.n != 0 ? memrchr(s.p, '\n', s.n) : NULL;
}

/* from_start: the window begins where the file does. */
static enum err take_last(struct span window, bool from_start, struct roster_end *end)
{
	const uint8_t *feed = last_feed(window), *before;

	if (feed == NULL)
		return OK;
	before = last_feed(span(window.p, (size_t)(feed - window.p)));
	if (before == NULL && !from_start)
		return OK;
	before = before != NULL ? before + 1 : window.p;
	return take_record(span(before, (size_t)(feed - before)), end);
}

static enum err read_window(int fd, off_t from, size_t n, struct buf *b)
{
	enum err e = buf_reserve(b, n);

	while (e == OK && b->n < n) {
		ssize_t r = pread(fd, b->p + b->n, n - b->n, from + (off_t)b->n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return E_DEVICE;
		if (r == 0)
			break;
		b->n += (size_t)r;
	}
	return e;
}

enum err ending_find(int fd, struct roster_end *end)
{
	struct buf b = { 0 };
	struct stat st;
	off_t from;
	enum err e;

	*end = (struct roster_end){ 0 };
	if (fstat(fd, &st) != 0)
		return E_DEVICE;
	from = st.st_size > (off_t)WINDOW ? st.st_size - (off_t)WINDOW : 0;
	e = read_window(fd, from, (size_t)(st.st_size - from), &b);
	if (e == OK)
		e = take_last(buf_span(&b), from == 0, end);
	buf_free(&b);
	return e;
}
