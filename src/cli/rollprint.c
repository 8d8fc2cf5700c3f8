/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rollprint.h"

#include "auditor/code.h"
#include "cli/rolltext.h"
#include <inttypes.h>
#include <stdio.h>

static void put(struct span s)
{
	fwrite(s.p, 1, s.n, stdout);
}

void rollprint_json(uint64_t file, const struct line *l)
{
	printf("{\"file\":%" PRIu64 ",", file);
	put(span(l->raw.p + 1, l->raw.n - 1));
}

/* ---- for people ---- */

static void print_who(const struct line_who *w)
{
	char exe[ROLLTEXT_MAX];

	rolltext_quoted(&w->exe, exe);
	printf("  %s pid %" PRIu64 " uid %" PRIu64, exe, w->pid.v, w->uid.v);
}

/* How many results the record is about, and the root over them. */
static void print_batch(const struct line *l)
{
	char root[2 * SUM + 1];

	if (l->count.there)
		printf("  %" PRIu64 " answers", l->count.v);
	if (!l->root.there)
		return;
	code_hex_put(span(l->root.b, SUM), root);
	printf("  root %s", root);
}

void rollprint_text(uint64_t file, const struct line *l)
{
	char text[ROLLTEXT_MAX];

	put(l->who.ts);
	printf("  %" PRIu64 ":%" PRIu64, file, l->seq.v);
	print_who(&l->who);
	printf("  %.*s", (int)l->event.n, (const char *)l->event.p);
	if (l->token.s.p != NULL) {
		rolltext_quoted(&l->token, text);
		printf("  %s", text);
	}
	if (l->key.raw.p != NULL) {
		rolltext_key(&l->key, text);
		printf("  %s", text);
	}
	if (l->mech.p != NULL)
		printf("  %.*s", (int)l->mech.n, (const char *)l->mech.p);
	if (l->bytes.there)
		printf("  %" PRIu64 " bytes", l->bytes.v);
	print_batch(l);
	printf("  %.*s", (int)l->rv.n, (const char *)l->rv.p);
	if (l->who.on_behalf.s.p != NULL) {
		rolltext_quoted(&l->who.on_behalf, text);
		printf("  for %s", text);
	}
	if (l->owed.raw.p != NULL) {
		printf("  recovered, of");
		print_who(&l->owed);
	}
	putchar('\n');
}

/* ---- CSV ---- */

static void cell(const char *text)
{
	putchar('"');
	if (text[0] != '\0' && strchr("=+-@\t\r", text[0]) != NULL)
		putchar('\'');
	for (; *text != '\0'; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text);
	}
	putchar('"');
}

static void text_cell(const struct text *t)
{
	char plain[ROLLTEXT_MAX];

	rolltext_plain(t, plain);
	putchar(',');
	cell(plain);
}

/* What is ours needs no quotes. */
static void own_cell(struct span s)
{
	putchar(',');
	if (s.p != NULL)
		put(s);
}

static void number_cell(const struct number *n)
{
	putchar(',');
	if (n->there)
		printf("%" PRIu64, n->v);
}

static void hash_cell(const struct hash *h)
{
	char digits[2 * SUM + 1] = "";

	if (h->there)
		code_hex_put(span(h->b, SUM), digits);
	printf(",%s", digits);
}

void rollprint_csv_head(void)
{
	fputs("file,seq,ts,uid,pid,exe,on_behalf,event,token,serial,class,label,id,unique,mech,bytes,"
	      "count,root,rv,change,recovered_ts,recovered_uid,recovered_pid,recovered_exe,"
	      "recovered_on_behalf\r\n",
	      stdout);
}

void rollprint_csv(uint64_t file, const struct line *l)
{
	printf("%" PRIu64, file);
	number_cell(&l->seq);
	own_cell(l->who.ts);
	number_cell(&l->who.uid);
	number_cell(&l->who.pid);
	text_cell(&l->who.exe);
	text_cell(&l->who.on_behalf);
	own_cell(l->event);
	text_cell(&l->token);
	text_cell(&l->serial);
	text_cell(&(struct text){ .s = l->key.cls });
	text_cell(&l->key.label);
	text_cell(&l->key.id);
	text_cell(&l->key.unique);
	text_cell(&(struct text){ .s = l->mech });
	number_cell(&l->bytes);
	number_cell(&l->count);
	hash_cell(&l->root);
	text_cell(&(struct text){ .s = l->rv });
	text_cell(&(struct text){ .s = l->change });
	own_cell(l->owed.ts);
	number_cell(&l->owed.uid);
	number_cell(&l->owed.pid);
	text_cell(&l->owed.exe);
	text_cell(&l->owed.on_behalf);
	fputs("\r\n", stdout);
}
