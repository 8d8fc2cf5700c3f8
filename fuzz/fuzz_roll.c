/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The auditor's readers of what anybody may have written: a file of records, checked as a whole, and by their first letter the index, notes and
 * anchors, receipts, the auditor's keys.
 */
#include "auditor/anchor.h"
#include "auditor/chapter.h"
#include "auditor/contents.h"
#include "cli/receiptfile.h"
#include "cli/rolltext.h"

#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[] = "/tmp/fuzz_roll.XXXXXX";
static int fd = -1;

static void remove_file(void)
{
	(void)unlink(path);
}

/* The input as a regular file, for nothing else is read as one of records. */
static void as_file(struct span in)
{
	if (fd < 0) {
		fd = mkstemp(path);
		if (fd < 0 || atexit(remove_file) != 0)
			abort();
	}
	if (ftruncate(fd, 0) != 0 || pwrite(fd, in.p, in.n, 0) != (ssize_t)in.n)
		abort();
}

/* Each line alone: what is read stays within the line, and can be shown. */
static void read_lines(struct span in)
{
	struct line l;
	const char *bad;
	char text[ROLLTEXT_MAX];

	while (in.n != 0) {
		const uint8_t *feed = memchr(in.p, '\n', in.n);
		struct span one = span(in.p, feed != NULL ? (size_t)(feed - in.p) : in.n);
		size_t used = one.n + (feed != NULL);

		if (line_read(one, &l, &bad)) {
			if (l.body.p != one.p || l.body.n >= one.n || l.who.ts.n != 27)
				abort();
			rolltext_quoted(&l.who.exe, text);
			rolltext_key(&l.key, text);
			for (const char *p = text; *p != '\0'; p++)
				if ((unsigned char)*p < 0x20 || *p == 0x7f)
					abort();
		}
		in = span(in.p + used, in.n - used);
	}
}

/* No input has every MAC right: there is no key. What is good has an id, and a tree of its size. */
static void check_file(struct span in)
{
	struct chapter_ask ask = { .path = path };
	struct chapter c;

	as_file(in);
	if (chapter_check(&ask, &c) != OK)
		return;
	if (c.authentic || c.bytes > in.n || (c.records != 0 && !c.has_roll) ||
	    c.signed_size > c.records)
		abort();
	read_lines(in);
}

static void read_index(struct span in)
{
	struct contents c;
	struct findings bad = { 0 };
	struct why why;

	as_file(in);
	if (contents_read(path, &c, &bad, &why) == OK && c.n > c.lines)
		abort();
	contents_free(&c);
	findings_free(&bad);
}

static void read_note(struct span in)
{
	struct anchor a;
	struct why why;
	struct signed_note note;

	if (anchor_read(in, &a, &why) == OK && a.note.text.n >= in.n)
		abort();
	anchor_free(&a);
	(void)signed_read(in, &note);
}

static void read_receipt(struct span in)
{
	struct receipt r = { .first = { 0 } };
	struct receipt_answer a;
	struct why why;

	if (receiptfile_read(in, &r, &why) == OK && receipt_check(&r, NULL, &a, &why) == OK &&
	    a.seq >= a.size)
		abort();
	receipt_free(&r);
}

static void read_keys(struct span in)
{
	struct keys_public pub;
	struct buf again = { 0 };
	struct why why;

	if (keys_public_read(in, &pub, &why) != OK)
		return;
	if (keys_public_text(&pub, &again) != OK || !span_eq(buf_span(&again), in))
		abort();
	buf_free(&again);
}

static const struct {
	char letter;
	void (*read)(struct span in);
} readers[] = { { 'I', read_index },
		{ 'N', read_note },
		{ 'R', read_receipt },
		{ 'K', read_keys } };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t i = 0; size != 0 && i < sizeof(readers) / sizeof(readers[0]); i++)
		if (data[0] == readers[i].letter) {
			readers[i].read(span(data + 1, size - 1));
			return 0;
		}
	check_file(span(data, size));
	return 0;
}
