/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rolltext.h"
#include "auditor/code.h"
#include "base/utf8.h"
#include <stdio.h>

/* Appends what may be shown; more than there is room for is left out. Between quotes a quote must not look like their end. */
static void show(struct span s, bool quoted, char *out, size_t room)
{
	size_t used = strlen(out);

	while (s.n != 0 && used + 8 < room) {
		size_t n = utf8_shown(s);

		if (quoted && (s.p[0] == '"' || s.p[0] == '\\'))
			out[used++] = '\\';
		if (n != 0)
			memcpy(out + used, s.p, n);
		else
			snprintf(out + used, 5, "\\x%02x", s.p[0]);
		used += n != 0 ? n : 4;
		n = n != 0 ? n : 1;
		s = span(s.p + n, s.n - n);
	}
	out[used] = '\0';
}

static void put_text(const struct text *t, bool quoted, char out[ROLLTEXT_MAX])
{
	struct buf plain = { 0 };

	out[0] = '\0';
	if (t->s.p == NULL)
		return;
	strcpy(out, t->hex ? "0x" : quoted ? "\"" : "");
	if (code_unescape(t->s, &plain) == OK)
		show(buf_span(&plain), quoted, out, ROLLTEXT_MAX - 8);
	buf_free(&plain);
	if (quoted && !t->hex)
		strcat(out, "\"");
	if (t->cut)
		strcat(out, "...");
}

void rolltext_plain(const struct text *t, char out[ROLLTEXT_MAX])
{
	put_text(t, false, out);
}

void rolltext_quoted(const struct text *t, char out[ROLLTEXT_MAX])
{
	put_text(t, true, out);
}

void rolltext_key(const struct line_key *k, char out[ROLLTEXT_MAX])
{
	char label[ROLLTEXT_MAX], id[ROLLTEXT_MAX];

	rolltext_quoted(&k->label, label);
	rolltext_plain(&k->id, id);
	snprintf(out, ROLLTEXT_MAX, "%.*s%s%.480s%s%.480s", (int)k->cls.n,
		 k->cls.p != NULL ? (const char *)k->cls.p : "", label[0] != '\0' ? " " : "", label,
		 id[0] != '\0' ? " id " : "", id);
}
