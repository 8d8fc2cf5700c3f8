/* SPDX-License-Identifier: Apache-2.0 */
#include "auditor/line.h"

#include "auditor/code.h"

#define ROW(type, name, field, kind, optional, inner)                                          \
	{                                                                                      \
		name, sizeof(name) - 1, MEMBER_##kind, optional, false, offsetof(type, field), \
			inner                                                                  \
	}
#define MUST(type, field, kind) ROW(type, #field, field, kind, false, NULL)
#define MAY(type, field, kind)  ROW(type, #field, field, kind, true, NULL)
#define END                                                 \
	{                                                   \
		NULL, 0, MEMBER_FLAG, false, false, 0, NULL \
	}

static const struct member recovered_rows[] = {
	MUST(struct line_who, ts, STRING),     MUST(struct line_who, boot, STRING),
	MUST(struct line_who, mono, NUMBER),   MUST(struct line_who, uid, NUMBER),
	MUST(struct line_who, pid, NUMBER),    MUST(struct line_who, exe, TEXT),
	MAY(struct line_who, on_behalf, TEXT), END,
};

static const struct member key_rows[] = {
	ROW(struct line_key, "class", cls, STRING, true, NULL),
	MAY(struct line_key, label, TEXT),
	MAY(struct line_key, id, TEXT),
	MAY(struct line_key, unique, TEXT),
	MAY(struct line_key, session, FLAG),
	END,
};

static const struct member tree_rows[] = {
	MUST(struct line_tree, size, NUMBER),
	MUST(struct line_tree, root, HASH),
	END,
};

static const struct member after_rows[] = {
	MUST(struct line_after, file, NUMBER),
	MUST(struct line_after, seq, NUMBER),
	MUST(struct line_after, head, HASH),
	END,
};

static const struct member roll_rows[] = {
	MUST(struct line_roll, format, NUMBER),
	MUST(struct line_roll, id, STRING),
	MUST(struct line_roll, file, NUMBER),
	MUST(struct line_roll, build, TEXT),
	MUST(struct line_roll, host, TEXT),
	MUST(struct line_roll, durable, FLAG),
	ROW(struct line_roll, "index", index, OBJECT, false, tree_rows),
	MUST(struct line_roll, open, NUMBERS),
	ROW(struct line_roll, "after", after, OBJECT, true, after_rows),
	MUST(struct line_roll, ed25519, STRING),
	MAY(struct line_roll, mldsa65, STRING),
	MAY(struct line_roll, auditor, STRING),
	END,
};

static const struct member line_rows[] = {
	MUST(struct line, seq, NUMBER),
	ROW(struct line, "ts", who.ts, STRING, false, NULL),
	ROW(struct line, "boot", who.boot, STRING, false, NULL),
	ROW(struct line, "mono", who.mono, NUMBER, false, NULL),
	ROW(struct line, "uid", who.uid, NUMBER, false, NULL),
	ROW(struct line, "pid", who.pid, NUMBER, false, NULL),
	ROW(struct line, "exe", who.exe, TEXT, false, NULL),
	ROW(struct line, "on_behalf", who.on_behalf, TEXT, true, NULL),
	MUST(struct line, event, STRING),
	MAY(struct line, token, TEXT),
	MAY(struct line, serial, TEXT),
	ROW(struct line, "key", key, OBJECT, true, key_rows),
	MAY(struct line, mech, STRING),
	MAY(struct line, bytes, NUMBER),
	MAY(struct line, count, NUMBER),
	MAY(struct line, root, HASH),
	MUST(struct line, rv, STRING),
	MAY(struct line, change, STRING),
	ROW(struct line, "recovered", owed, OBJECT, true, recovered_rows),
	ROW(struct line, "roll", roll, OBJECT, true, roll_rows),
	MAY(struct line, note, STRING),
	MUST(struct line, prev, HASH),
	MUST(struct line, mac, HASH),
	END,
};

/* `2026-01-31T23:59:59.123456Z` */
static bool is_time(struct span s)
{
	static const char form[] = "dddd-dd-ddTdd:dd:dd.ddddddZ";

	if (s.n != sizeof(form) - 1)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (form[i] == 'd' ? s.p[i] < '0' || s.p[i] > '9' : s.p[i] != form[i])
			return false;
	return true;
}

static bool is_event(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((s.p[i] < 'a' || s.p[i] > 'z') && s.p[i] != '.' && s.p[i] != '-')
			return false;
	return s.n != 0;
}

static bool starts_with(struct span s, const char *text)
{
	size_t n = strlen(text);

	return s.n >= n && memcmp(s.p, text, n) == 0;
}

static bool roll_fits(struct line_roll *r, const char **bad)
{
	uint8_t fingerprint[LINE_FINGERPRINT / 2];

	*bad = "roll.format";
	if (r->format.v != LINE_FORMAT)
		return false;
	*bad = "roll.id";
	if (!code_hex(r->id, r->id_bytes, LINE_ID))
		return false;
	*bad = "roll.auditor";
	return r->auditor.p == NULL || code_hex(r->auditor, fingerprint, sizeof(fingerprint));
}

/* What the rows cannot say. */
static bool line_fits(struct line *l, const char **bad)
{
	*bad = "ts";
	if (!is_time(l->who.ts) || (l->owed.raw.p != NULL && !is_time(l->owed.ts)))
		return false;
	*bad = "event";
	if (!is_event(l->event))
		return false;
	*bad = "roll";
	if ((l->roll.raw.p != NULL) != (l->seq.v == 0))
		return false;
	return l->roll.raw.p == NULL || roll_fits(&l->roll, bad);
}

bool line_read(struct span text, struct line *l, const char **bad)
{
	static const char mac[] = ",\"mac\":\"";
	const size_t tail = sizeof(mac) - 1 + 2 * SUM + 2; /* to the end of the line */
	struct span rest = text;

	memset(l, 0, sizeof(*l));
	if (!member_read(&rest, line_rows, l, bad) || !line_fits(l, bad))
		return false;
	*bad = "}";
	l->raw = text;
	l->body = span(text.p, text.n - tail);
	return rest.n == 0;
}

bool line_seq(struct span text, uint64_t *seq)
{
	static const char front[] = "{\"seq\":";
	size_t n = sizeof(front) - 1, to = n;

	if (!starts_with(text, front))
		return false;
	while (to < text.n && text.p[to] >= '0' && text.p[to] <= '9')
		to++;
	return code_number(span(text.p + n, to - n), seq);
}

bool line_other_format(struct span text, uint64_t *format)
{
	static const char front[] = ",\"roll\":{\"format\":";
	const uint8_t *at = memmem(text.p, text.n, front, sizeof(front) - 1);

	if (at == NULL)
		return false;
	at += sizeof(front) - 1;
	size_t n = 0, room = text.n - (size_t)(at - text.p);
	while (n < room && at[n] >= '0' && at[n] <= '9')
		n++;
	return code_number(span(at, n), format) && *format != LINE_FORMAT;
}
