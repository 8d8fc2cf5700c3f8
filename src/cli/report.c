/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/report.h"
#include "base/mem.h"
#include "base/utf8.h"
#include <openssl/evp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 16 };

static enum err no_memory(struct call *c)
{
	return why_fail(&c->why, E_MEMORY, "%s", err_text(E_MEMORY));
}

/* In ASCII: what a terminal would obey is \uXXXX then, wherever the text came from. */
static void dump(const json_t *v)
{
	json_dumpf(v, stdout, JSON_INDENT(2) | JSON_SORT_KEYS | JSON_ENSURE_ASCII);
	putchar('\n');
}

/* Whether the JSON value was printed, because --json asked for it. */
bool report_json(struct call *c, const json_t *v)
{
	if (!c->json)
		return false;
	c->told = true;
	dump(v);
	return true;
}

/* The text of one JSON value; scratch holds numbers. */
static const char *cell_text(const json_t *v, char scratch[32])
{
	if (json_is_string(v))
		return json_string_value(v);
	if (json_is_boolean(v))
		return json_is_true(v) ? "yes" : "no";
	if (!json_is_integer(v))
		return "-";
	snprintf(scratch, 32, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	return scratch;
}

/* An array of texts is printed with blanks between them. */
static void print_cell(const json_t *v)
{
	char scratch[32];
	const json_t *item;
	size_t i;

	if (!json_is_array(v)) {
		fputs(cell_text(v, scratch), stdout);
		return;
	}
	json_array_foreach(v, i, item) printf("%s%s", i > 0 ? " " : "", cell_text(item, scratch));
}

/* Columns on a terminal that a text takes, near enough: one per code point. */
static int text_width(const char *s)
{
	int n = 0;

	for (; *s != '\0'; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static int cell_width(const json_t *v)
{
	char scratch[32];
	const json_t *item;
	size_t i;
	int n = 0;

	if (!json_is_array(v))
		return text_width(cell_text(v, scratch));
	json_array_foreach(v, i, item) n += text_width(cell_text(item, scratch)) + (i > 0);
	return n;
}

static size_t column_widths(const json_t *rows, const struct column *cols, int width[COLUMNS_MAX])
{
	const json_t *row;
	size_t i, k = 0;

	for (; cols[k].head != NULL && k < COLUMNS_MAX; k++) {
		width[k] = text_width(cols[k].head);
		json_array_foreach(rows, i, row)
		{
			int w = cell_width(json_object_get(row, cols[k].key));
			if (w > width[k])
				width[k] = w;
		}
	}
	return k;
}

enum err report_table(struct call *c, json_t *rows, const struct column *cols, const char *none)
{
	int width[COLUMNS_MAX];
	const json_t *row;
	size_t i;

	if (rows == NULL)
		return no_memory(c);
	if (report_json(c, rows)) {
		json_decref(rows);
		return OK;
	}
	if (json_array_size(rows) == 0)
		printf("%s\n", none);
	size_t n = json_array_size(rows) == 0 ? 0 : column_widths(rows, cols, width);
	for (size_t k = 0; k < n; k++)
		printf("%-*s%s", k + 1 < n ? width[k] : 0, cols[k].head, k + 1 < n ? "  " : "\n");
	json_array_foreach(rows, i, row)
	{
		for (size_t k = 0; k < n; k++) {
			const json_t *v = json_object_get(row, cols[k].key);
			print_cell(v);
			printf("%*s", k + 1 < n ? width[k] - cell_width(v) + 2 : 0, "");
		}
		putchar('\n');
	}
	json_decref(rows);
	return OK;
}

enum err report_fields(struct call *c, json_t *object, const struct column *cols)
{
	if (object == NULL)
		return no_memory(c);
	if (!report_json(c, object)) {
		int width = 0;
		for (const struct column *k = cols; k->head != NULL; k++)
			width = text_width(k->head) > width ? text_width(k->head) : width;
		for (const struct column *k = cols; k->head != NULL; k++) {
			const json_t *v = json_object_get(object, k->key);
			if (v == NULL)
				continue;
			printf("%-*s  ", width + 1, k->head);
			print_cell(v);
			putchar('\n');
		}
	}
	json_decref(object);
	return OK;
}

/* A sentence with the names that are in it made fit to be shown, and the end of the line. */
static void print_line(FILE *to, const char *prefix, const char *fmt, va_list ap)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, ap) < 0)
		return;
	why_clean(text);
	fprintf(to, "%s%s\n", prefix, text);
	free(text);
}

enum err report_done(struct call *c, json_t *object, const char *fmt, ...)
{
	if (object == NULL)
		return no_memory(c);
	if (!report_json(c, object) && !c->quiet) {
		va_list ap;
		va_start(ap, fmt);
		print_line(stdout, "", fmt, ap);
		va_end(ap);
	}
	json_decref(object);
	return OK;
}

void report_step(const struct call *c, const char *fmt, ...)
{
	va_list ap;

	if (c->quiet || c->json)
		return;
	va_start(ap, fmt);
	print_line(stderr, "", fmt, ap);
	va_end(ap);
}

void report_warn(const struct call *c, const char *fmt, ...)
{
	va_list ap;

	(void)c;
	va_start(ap, fmt);
	print_line(stderr, "chancery: warning: ", fmt, ap);
	va_end(ap);
}

void report_error(struct call *c, enum err e)
{
	const char *text = c->why.text[0] != '\0' ? c->why.text : err_text(e);
	const struct command *k = c->command;
	char who[64];

	snprintf(who, sizeof(who), "chancery %s%s%s", k->group != NULL ? k->group : "",
		 k->group != NULL ? " " : "", k->name);
	report_failure(who, text, err_exit(e), c->json && !c->told);
}

void report_failure(const char *who, const char *text, int status, bool json)
{
	fprintf(stderr, "%s: %s\n", who, text);
	if (!json)
		return;
	json_t *v = json_pack("{s:{s:s, s:i}}", "error", "text", text, "status", status);
	if (v != NULL)
		dump(v);
	json_decref(v);
}

bool report_flush(const struct call *c)
{
	(void)c;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return true;
	perror("chancery: the output could not be written");
	return false;
}

json_t *report_hex(struct span b)
{
	char text[2 * 512 + 1];
	size_t n = b.n < 512 ? b.n : 512;

	for (size_t i = 0; i < n; i++)
		snprintf(text + 2 * i, 3, "%02x", b.p[i]);
	text[2 * n] = '\0';
	return json_string(text);
}

json_t *report_base64(struct span b)
{
	char *text = mem_alloc(4 * ((b.n + 2) / 3) + 1);
	json_t *v = NULL;

	if (text != NULL)
		v = json_stringn(text,
				 (size_t)EVP_EncodeBlock((unsigned char *)text, b.p, (int)b.n));
	mem_free(text);
	return v;
}

json_t *report_label(struct span b)
{
	char *text = mem_alloc(4 * b.n + 1);
	size_t used = 0;
	json_t *v;

	if (text == NULL)
		return NULL;
	while (b.n != 0) {
		size_t n = utf8_shown(b);

		if (n != 0)
			memcpy(text + used, b.p, n);
		else
			snprintf(text + used, 5, "\\x%02x", b.p[0]);
		used += n != 0 ? n : 4;
		n = n != 0 ? n : 1;
		b = span(b.p + n, b.n - n);
	}
	v = json_stringn(text, used);
	mem_free(text);
	return v;
}
