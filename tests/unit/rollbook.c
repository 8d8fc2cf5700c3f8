/* SPDX-License-Identifier: Apache-2.0 */
#include "rollbook.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/evp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- pieces ---- */

static char *slurp(const char *path, size_t *n)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	char *p;

	if (fd < 0)
		return NULL;
	assert_int_equal(fstat(fd, &st), 0);
	p = malloc((size_t)st.st_size + 1);
	assert_non_null(p);
	*n = 0;
	for (ssize_t r = 1; r > 0; *n += (size_t)r) {
		r = read(fd, p + *n, (size_t)st.st_size - *n);
		assert_true(r >= 0);
	}
	p[*n] = '\0';
	close(fd);
	return p;
}

static void sha256(const void *a, size_t na, const void *b, size_t nb, uint8_t out[32])
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();

	assert_int_equal(EVP_DigestInit_ex(c, EVP_sha256(), NULL), 1);
	assert_int_equal(EVP_DigestUpdate(c, a, na), 1);
	assert_int_equal(EVP_DigestUpdate(c, b, nb), 1);
	assert_int_equal(EVP_DigestFinal_ex(c, out, NULL), 1);
	EVP_MD_CTX_free(c);
}

static void hex(const uint8_t *p, size_t n, char *out)
{
	for (size_t i = 0; i < n; i++)
		sprintf(out + 2 * i, "%02x", p[i]);
}

static void unhex(const char *text, uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(sscanf(text + 2 * i, "%2hhx", &p[i]), 1);
}

/* The value of a member as it stands there, behind `"name":`; NULL: none. line ends with a zero. */
static const char *value(const char *line, const char *name)
{
	char key[64];
	const char *at;

	snprintf(key, sizeof(key), "\"%s\":", name);
	at = strstr(line, key);
	return at != NULL ? at + strlen(key) : NULL;
}

static uint64_t number(const char *line, const char *name)
{
	const char *v = value(line, name);

	assert_non_null(v);
	assert_true(*v >= '0' && *v <= '9');
	return strtoull(v, NULL, 10);
}

static void text(const char *line, const char *name, char *out, size_t n)
{
	const char *v = value(line, name);
	size_t i = 0;

	assert_non_null(v);
	assert_int_equal(*v++, '"');
	for (; v[i] != '"' && i + 1 < n; i++)
		out[i] = v[i];
	out[i] = '\0';
}

/* ---- a file ---- */

static void check_line(char *line, size_t n, struct page *p)
{
	char digits[65], event[32];
	char *mac = strstr(line, ",\"mac\":\"");

	assert_non_null(mac);
	assert_int_equal(line + n - mac, 8 + 64 + 2);
	for (size_t i = 0; i < n; i++)
		assert_true(line[i] >= 0x20 && line[i] <= 0x7e);
	assert_int_equal(strncmp(line, "{\"seq\":", 7), 0);
	assert_int_equal(number(line, "seq"), p->records);
	hex(p->last, 32, digits);
	assert_int_equal(strncmp(mac - 1 - 64 - 9, ",\"prev\":\"", 9), 0);
	assert_int_equal(strncmp(mac - 1 - 64, digits, 64), 0);
	sha256(p->last, 32, line, (size_t)(mac - line), p->last);
	text(line, "event", event, sizeof(event));
	if (p->records == 0) {
		memcpy(p->first, p->last, 32);
		memcpy(p->first_event, event, sizeof(event));
		p->index_size = number(value(line, "index"), "size");
	}
	memcpy(p->last_event, event, sizeof(event));
	p->records++;
}

static void begin(const char *line, char id[33], uint64_t file, uint8_t head[32])
{
	uint8_t start[16 + 16 + 8] = "chancery roll 1\n";

	if (id[0] == '\0')
		text(strstr(line, "\"roll\":"), "id", id, 33);
	assert_int_equal(number(strstr(line, "\"roll\":"), "file"), file);
	unhex(id, start + 16, 16);
	for (int i = 0; i < 8; i++)
		start[32 + i] = (uint8_t)(file >> (8 * i));
	sha256(start, sizeof(start), "", 0, head);
}

void page_check(const char *path, char id[33], uint64_t file, struct page *p)
{
	size_t n;
	char *all = slurp(path, &n), *line = all, *end;
	uint64_t mono = 0;

	assert_non_null(all);
	*p = (struct page){ .size = n };
	while ((end = memchr(line, '\n', n - (size_t)(line - all))) != NULL) {
		*end = '\0';
		if (p->records == 0)
			begin(line, id, file, p->last);
		check_line(line, (size_t)(end - line), p);
		assert_true(number(line, "mono") >= mono);
		mono = number(line, "mono");
		line = end + 1;
	}
	p->torn = line != all + n;
	free(all);
}

size_t book_count(const char *path, const char *what)
{
	size_t n, found = 0;
	char *all = slurp(path, &n);

	assert_non_null(all);
	for (const char *at = all; (at = strstr(at, what)) != NULL; at++)
		found++;
	free(all);
	return found;
}

/* ---- the index ---- */

enum { FILES_MAX = 4096 };

struct entry {
	bool opened, voided, ended, left, whole;
	uint64_t seq;
	uint8_t first[32], head[32];
};

static void take_end(const char *line, struct entry *e)
{
	char digits[65];

	e->ended = true;
	e->whole = strncmp(value(line, "seq"), "null", 4) != 0;
	if (!e->whole) {
		assert_int_equal(strncmp(value(line, "head"), "null", 4), 0);
		return;
	}
	e->seq = number(line, "seq");
	text(line, "head", digits, sizeof(digits));
	unhex(digits, e->head, 32);
}

static void take_index_line(const char *line, struct entry *entries, uint64_t *next, struct book *b)
{
	char op[8], digits[65];
	struct entry *e;
	uint64_t file;

	text(line, "op", op, sizeof(op));
	if (strcmp(op, "init") == 0) {
		b->inits++;
		return;
	}
	file = number(line, "file");
	assert_true(file < FILES_MAX);
	e = &entries[file];
	if (strcmp(op, "open") == 0 || strcmp(op, "void") == 0) {
		assert_int_equal(file, *next); /* neither twice nor with a hole */
		(*next)++;
		assert_non_null(value(line, "seed"));
	}
	if (strcmp(op, "open") == 0) {
		e->opened = true;
		b->opens++;
		text(line, "first", digits, sizeof(digits));
		unhex(digits, e->first, 32);
		return;
	}
	if (strcmp(op, "void") == 0) {
		e->voided = true;
		b->voids++;
		return;
	}
	assert_true(e->opened);
	assert_false(e->ended &&
		     (!e->left || strcmp(op, "left") != 0)); /* only `left` comes again */
	*(strcmp(op, "close") == 0 ? &b->closes : &b->lefts) += 1;
	e->left = strcmp(op, "left") == 0;
	assert_true(strcmp(op, "close") == 0 || e->left);
	take_end(line, e);
}

static void leaf(const char *line, uint8_t out[32])
{
	sha256("\0", 1, line, strlen(line), out);
}

/* RFC 6962, 2.1 */
static void root(uint8_t (*leaves)[32], size_t n, uint8_t out[32])
{
	uint8_t both[1 + 64] = { 1 };
	size_t k = 1;

	if (n == 0) {
		sha256("", 0, "", 0, out);
		return;
	}
	if (n == 1) {
		memcpy(out, leaves[0], 32);
		return;
	}
	while (k * 2 < n)
		k *= 2;
	root(leaves, k, both + 1);
	root(leaves + k, n - k, both + 33);
	sha256(both, sizeof(both), "", 0, out);
}

struct index {
	size_t n;
	uint8_t leaves[4 * FILES_MAX][32];
	struct entry entries[FILES_MAX];
	uint64_t next;
};

static void read_index(const char *dir, struct index *x, struct book *b)
{
	char path[PATH_MAX];
	size_t n;
	char *all, *line, *end;

	snprintf(path, sizeof(path), "%s/index", dir);
	all = slurp(path, &n);
	assert_non_null(all);
	x->next = 1;
	for (line = all; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		*end = '\0';
		leaf(line, x->leaves[x->n++]);
		take_index_line(line, x->entries, &x->next, b);
	}
	assert_int_equal(*line, '\0');
	free(all);
}

/* The first record names the index as it was. */
static void check_root(const char *path, struct index *x, const struct page *p)
{
	uint8_t want[32];
	char digits[65], named[65];
	size_t n;
	char *all = slurp(path, &n);

	*strchr(all, '\n') = '\0';
	assert_true(p->index_size <= x->n);
	root(x->leaves, p->index_size, want);
	hex(want, 32, digits);
	text(value(all, "index"), "root", named, sizeof(named));
	assert_string_equal(named, digits);
	free(all);
}

static void check_entry(const char *path, struct index *x, const struct entry *e,
			const struct page *p, struct book *b)
{
	b->files++;
	b->records += p->records;
	if (p->records != 0) {
		assert_memory_equal(p->first, e->first, 32);
		check_root(path, x, p);
	}
	if (e->ended && e->whole) {
		assert_int_equal(e->seq + 1, p->records);
		assert_memory_equal(e->head, p->last, 32);
	}
	if (e->ended && !e->whole)
		assert_int_equal(p->records, 0);
}

void book_check(const char *dir, struct book *b)
{
	struct index *x = calloc(1, sizeof(*x));
	char path[PATH_MAX], id[33] = "";
	struct page p;

	assert_non_null(x);
	*b = (struct book){ 0 };
	read_index(dir, x, b);
	for (uint64_t n = 1; n < x->next; n++) {
		const struct entry *e = &x->entries[n];

		snprintf(path, sizeof(path), "%s/roll.%06llu", dir, (unsigned long long)n);
		if (access(path, F_OK) != 0) {
			b->missing += e->opened;
			continue;
		}
		assert_true(e->opened);
		page_check(path, id, n, &p);
		check_entry(path, x, e, &p, b);
		b->unended += !e->ended;
	}
	snprintf(path, sizeof(path), "%s/roll.%06llu", dir, (unsigned long long)x->next);
	assert_int_not_equal(access(path, F_OK), 0);
	free(x);
}
