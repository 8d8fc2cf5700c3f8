/* SPDX-License-Identifier: Apache-2.0 */
#include "base/conf.h"

#include "base/file.h"
#include "base/home.h"
#include "base/mem.h"
#include "base/pin.h"
#include "base/rollplace.h"
#include "base/utf8.h"
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>

#define FILE_MAX  ((size_t)64 << 10) /* longest configuration */
#define LABEL_MAX 32                 /* CK_TOKEN_INFO.label */

/* A further section is a .def file, its structure in conf.h, and a place in these three tables. */
enum section { SECTION_MODULE, SECTION_AUDIT, SECTION_TOKEN, SECTION_COUNT };

static const struct {
	const char *name;
	size_t offset; /* in struct conf */
} sections[SECTION_COUNT] = {
	[SECTION_MODULE] = { "module", offsetof(struct conf, module) },
	[SECTION_AUDIT] = { "audit", offsetof(struct conf, audit) },
	[SECTION_TOKEN] = { "token", offsetof(struct conf, token) },
};

/* Every key of every section, in the order of the .def files. */
static const struct conf_key keys[] = {
#define CONF_KEY(type, name, dflt, min, max, choices, help) \
	{ "module", #name, CONF_##type,                     \
	  dflt,     min,   max,                             \
	  choices,  help,  offsetof(struct conf_module, name) },
#include "base/conf_module.def"
#undef CONF_KEY
#define CONF_KEY(type, name, dflt, min, max, choices, help) \
	{ "audit", #name, CONF_##type,                      \
	  dflt,    min,   max,                              \
	  choices, help,  offsetof(struct conf_audit, name) },
#include "base/conf_audit.def"
#undef CONF_KEY
#define CONF_KEY(type, name, dflt, min, max, choices, help) \
	{ "token", #name, CONF_##type,                      \
	  dflt,    min,   max,                              \
	  choices, help,  offsetof(struct conf_token, name) },
#include "base/conf_token.def"
#undef CONF_KEY
};

#define N_KEYS (sizeof(keys) / sizeof(keys[0]))

/* One bit for each key: which ones a section of the file gave. */
typedef uint64_t seen_t;

_Static_assert(N_KEYS <= sizeof(seen_t) * 8, "one bit for each key");

struct conf_labelled {
	char label[LABEL_MAX + 1];
	struct conf_token token;
	seen_t seen;
};

/*
 * One reading of a file. inih gives one line at a time and keeps no number, so it is counted here.
 */
struct reading {
	struct conf *conf;
	const char *name;
	struct span rest;
	int line;
	seen_t seen; /* by [module] and [token] */
	enum err e;  /* of the first line that is wrong */
	int bad_line;
	struct why *why;
};

static void *field_of(const struct conf_key *k, void *section)
{
	return (uint8_t *)section + k->offset;
}

static const void *field_in(const struct conf_key *k, const void *section)
{
	return (const uint8_t *)section + k->offset;
}

/* The place of word in "a|b|c"; -1: not there. */
static int choice_of(const char *choices, const char *word)
{
	size_t n = strlen(word);
	int i = 0;

	for (const char *p = choices; n != 0; i++) {
		size_t len = strcspn(p, "|");

		if (len == n && memcmp(p, word, n) == 0)
			return i;
		if (p[len] == '\0')
			break;
		p += len + 1;
	}
	return -1;
}

static enum err set_choice(const struct conf_key *k, void *field, const char *v, struct why *why)
{
	int i = choice_of(k->choices, v);

	if (i < 0)
		return why_fail(why, E_CONFIG, "it must be one of %s", k->choices);
	*(int *)field = i;
	return OK;
}

static enum err set_bool(const struct conf_key *k, void *field, const char *v, struct why *why)
{
	int i = choice_of("off|on", v);

	(void)k;
	if (i < 0)
		return why_fail(why, E_CONFIG, "it must be on or off");
	*(bool *)field = i != 0;
	return OK;
}

static enum err set_int(const struct conf_key *k, void *field, const char *v, struct why *why)
{
	char *end = NULL;
	long n;

	errno = 0;
	n = strtol(v, &end, 10);
	if (v[0] < '0' || v[0] > '9' || *end != '\0' || errno != 0 || n < k->min || n > k->max)
		return why_fail(why, E_CONFIG, "it must be a number from %ld to %ld", k->min,
				k->max);
	*(long *)field = n;
	return OK;
}

static enum err set_text(const struct conf_key *k, void *field, const char *v, struct why *why)
{
	size_t n = strlen(v);
	char *copy;

	if (n < (size_t)k->min || n > (size_t)k->max)
		return why_fail(why, E_CONFIG, "it must have %ld to %ld bytes", k->min, k->max);
	copy = mem_strdup(v);
	if (copy == NULL)
		return why_fail(why, E_MEMORY, "out of memory");
	mem_free(*(char **)field);
	*(char **)field = copy;
	return OK;
}

static enum err set_source(const struct conf_key *k, void *field, const char *v, struct why *why)
{
	enum err e = pin_check(v, PIN_FOR_MODULE, why);

	return e == OK ? set_text(k, field, v, why) : E_CONFIG;
}

static enum err set_rollplace(const struct conf_key *k, void *field, const char *v, struct why *why)
{
	enum err e = rollplace_check(v, ROLLPLACE_MANDATORY, why);

	return e == OK ? set_text(k, field, v, why) : e;
}

static enum err put_choice(const struct conf_key *k, const void *field, struct buf *out)
{
	const char *p = k->choices;

	for (int i = *(const int *)field; i > 0; i--)
		p += strcspn(p, "|") + 1;
	return buf_put(out, span(p, strcspn(p, "|")));
}

static enum err put_bool(const struct conf_key *k, const void *field, struct buf *out)
{
	(void)k;
	return buf_put(out, span_str(*(const bool *)field ? "on" : "off"));
}

static enum err put_int(const struct conf_key *k, const void *field, struct buf *out)
{
	char text[32];

	(void)k;
	(void)snprintf(text, sizeof(text), "%ld", *(const long *)field);
	return buf_put(out, span_str(text));
}

static enum err put_text(const struct conf_key *k, const void *field, struct buf *out)
{
	const char *v = *(char *const *)field;

	(void)k;
	return v != NULL ? buf_put(out, span_str(v)) : OK;
}

/* What each type of key does with its field. */
static const struct type {
	enum err (*set)(const struct conf_key *k, void *field, const char *v, struct why *why);
	enum err (*put)(const struct conf_key *k, const void *field, struct buf *out);
	bool owns; /* the field points to memory of its own */
} types[] = {
	[CONF_BOOL] = { set_bool, put_bool, false },
	[CONF_INT] = { set_int, put_int, false },
	[CONF_CHOICE] = { set_choice, put_choice, false },
	[CONF_TEXT] = { set_text, put_text, true },
	[CONF_SOURCE] = { set_source, put_text, true },
	[CONF_ROLLPLACE] = { set_rollplace, put_text, true },
};

static bool is_of(const struct conf_key *k, enum section s)
{
	return strcmp(k->section, sections[s].name) == 0;
}

static void *section_at(struct conf *c, enum section s)
{
	return (uint8_t *)c + sections[s].offset;
}

/*
 * The defaults are rows of ours: that they can be set is for a test to show, but memory may run
 * out.
 */
static enum err section_init(enum section s, void *section, struct why *why)
{
	enum err e = OK;

	for (size_t i = 0; e == OK && i < N_KEYS; i++) {
		const struct conf_key *k = &keys[i];

		if (is_of(k, s) && k->dflt != NULL)
			e = types[k->type].set(k, field_of(k, section), k->dflt, why);
	}
	return e;
}

static void section_free(enum section s, void *section)
{
	for (size_t i = 0; i < N_KEYS; i++) {
		if (is_of(&keys[i], s) && types[keys[i].type].owns)
			mem_free(*(char **)field_of(&keys[i], section));
	}
}

void conf_free(struct conf *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->n_labelled; i++)
		section_free(SECTION_TOKEN, &c->labelled[i].token);
	for (int s = 0; s < SECTION_COUNT; s++)
		section_free((enum section)s, section_at(c, (enum section)s));
	mem_free(c->labelled);
	mem_free(c);
}

static struct conf *conf_new(struct why *why)
{
	struct conf *c = mem_alloc(sizeof(*c));
	enum err e = c != NULL ? OK : E_MEMORY;

	for (int s = 0; e == OK && s < SECTION_COUNT; s++)
		e = section_init((enum section)s, section_at(c, (enum section)s), why);
	if (e == OK)
		return c;
	conf_free(c);
	return NULL;
}

/* Keeps the first line that is wrong; the text of why is "file:line: reason". */
static enum err bad(struct reading *r, enum err e, const char *what, const char *reason)
{
	if (r->e != OK)
		return r->e;
	r->e = e;
	r->bad_line = r->line;
	return why_fail(r->why, e, "%s:%d: %s%s%s", r->name, r->line, what,
			reason[0] != '\0' ? ": " : "", reason);
}

/* The label in "token.<label>"; NULL when section is not such a one. */
static const char *label_in(const char *section)
{
	const char *dot = strchr(section, '.');
	size_t n = strlen(sections[SECTION_TOKEN].name);

	if (dot == NULL || (size_t)(dot - section) != n ||
	    memcmp(section, sections[SECTION_TOKEN].name, n) != 0)
		return NULL;
	return dot[1] != '\0' && strlen(dot + 1) <= LABEL_MAX ? dot + 1 : NULL;
}

/* The section of the file that name stands for: SECTION_COUNT when there is none. */
static enum section section_of(const char *name)
{
	int s = 0;

	if (label_in(name) != NULL)
		return SECTION_TOKEN;
	while (s < SECTION_COUNT && strcmp(name, sections[s].name) != 0)
		s++;
	return (enum section)s;
}

/*
 * "[name]", then nothing or a comment. inih would cut a long name, and ignore what follows the
 * bracket.
 */
static enum err check_header(struct reading *r, const char *line)
{
	size_t n = strcspn(line + 1, "]");
	const char *after = line + 1 + n;
	char name[64];

	if (*after == ']') {
		after++;
		after += strspn(after, " \t\r");
	}
	if (line[1 + n] != ']' || (*after != '\0' && *after != ';' && *after != '#'))
		return bad(r, E_CONFIG, "a section is written [name], alone on its line", "");
	if (n >= sizeof(name))
		return bad(r, E_CONFIG, "no such section", "its name is too long");
	memcpy(name, line + 1, n);
	name[n] = '\0';
	if (section_of(name) == SECTION_COUNT)
		return bad(r, E_CONFIG, "no such section", name);
	return OK;
}

/*
 * The next line, without its end and without blanks in front: those would make it a continuation.
 */
static struct span next_line(struct reading *r)
{
	const uint8_t *end = memchr(r->rest.p, '\n', r->rest.n);
	size_t n = end != NULL ? (size_t)(end - r->rest.p) : r->rest.n;
	struct span line = span(r->rest.p, n);

	r->rest = end != NULL ? span(end + 1, r->rest.n - n - 1) : span(NULL, 0);
	r->line++;
	while (line.n != 0 && (line.p[0] == ' ' || line.p[0] == '\t'))
		line = span(line.p + 1, line.n - 1);
	return line;
}

/*
 * inih's reader: at most room bytes with the NUL. NULL ends the reading, also at a line that is
 * wrong.
 */
static char *read_line(char *to, int room, void *stream)
{
	struct reading *r = stream;
	struct span line;

	if (r->e != OK || r->rest.n == 0)
		return NULL;
	line = next_line(r);
	if (line.n >= (size_t)room) {
		char limit[64];

		(void)snprintf(limit, sizeof(limit), "more than %d bytes", room - 1);
		(void)bad(r, E_CONFIG, "the line is too long", limit);
		return NULL;
	}
	if (!utf8_valid(line) || (line.n != 0 && memchr(line.p, 0, line.n) != NULL)) {
		(void)bad(r, E_CONFIG, "the line is not text", "");
		return NULL;
	}
	if (line.n != 0)
		memcpy(to, line.p, line.n);
	to[line.n] = '\0';
	return to[0] == '[' && check_header(r, to) != OK ? NULL : to;
}

/* Hyphens and underscores are the same: RFC 7512 has pin-source, C pin_source. */
static bool same_name(const char *a, const char *b)
{
	while (*a != '\0' && (*a == *b || (*a == '-' && *b == '_'))) {
		a++;
		b++;
	}
	return *a == *b;
}

/* The row of a key; N_KEYS when there is none. */
static size_t key_of(enum section s, const char *name)
{
	size_t i = 0;

	while (i < N_KEYS && !(is_of(&keys[i], s) && same_name(name, keys[i].name)))
		i++;
	return i;
}

/* The section of a label, made at its first key; NULL: out of memory. */
static struct conf_labelled *labelled(struct conf *c, const char *label)
{
	struct conf_labelled *l;

	for (size_t i = 0; i < c->n_labelled; i++) {
		if (strcmp(c->labelled[i].label, label) == 0)
			return &c->labelled[i];
	}
	l = mem_realloc(c->labelled, (c->n_labelled + 1) * sizeof(*l));
	if (l == NULL)
		return NULL;
	c->labelled = l;
	l += c->n_labelled++;
	memset(l, 0, sizeof(*l));
	memcpy(l->label, label, strlen(label));
	return l;
}

static enum err set_key(struct reading *r, size_t i, void *section, seen_t *seen, const char *value)
{
	struct why reason = { "" };
	enum err e;

	if ((*seen & (seen_t)1 << i) != 0)
		return bad(r, E_CONFIG, keys[i].name, "given twice");
	*seen |= (seen_t)1 << i;
	e = types[keys[i].type].set(&keys[i], field_of(&keys[i], section), value, &reason);
	return e == OK ? OK : bad(r, e, keys[i].name, reason.text);
}

static enum err set_pair(struct reading *r, const char *section, const char *name,
			 const char *value)
{
	enum section s = section_of(section);
	const char *label = label_in(section);
	struct conf_labelled *l;
	size_t i;

	if (s == SECTION_COUNT)
		return bad(r, E_CONFIG, name, "it stands before the first section");
	i = key_of(s, name);
	if (i == N_KEYS)
		return bad(r, E_CONFIG, "no such key", name);
	if (label == NULL)
		return set_key(r, i, section_at(r->conf, s), &r->seen, value);
	l = labelled(r->conf, label);
	if (l == NULL)
		return bad(r, E_MEMORY, "out of memory", "");
	return set_key(r, i, &l->token, &l->seen, value);
}

/* inih's handler: 0 marks the line as wrong. */
static int on_pair(void *user, const char *section, const char *name, const char *value)
{
	struct reading *r = user;

	if (r->e != OK || value == NULL)
		return 0;
	return set_pair(r, section, name, value) == OK;
}

/* Gives a labelled section what only [token] says, or nobody. */
static enum err inherit(struct conf_labelled *l, const struct conf_token *from, struct why *why)
{
	enum err e = OK;

	for (size_t i = 0; e == OK && i < N_KEYS; i++) {
		const struct conf_key *k = &keys[i];
		struct buf text = { 0 };

		if (!is_of(k, SECTION_TOKEN) || (l->seen & (seen_t)1 << i) != 0)
			continue;
		e = conf_value(k, from, &text);
		if (e == OK && text.n != 0)
			e = buf_put_u8(&text, 0);
		if (e == OK && text.n != 0)
			e = types[k->type].set(k, field_of(k, &l->token), (const char *)text.p,
					       why);
		buf_free(&text);
	}
	return e;
}

static enum err parse(struct reading *r)
{
	int line = ini_parse_stream(read_line, r, on_pair, r);
	enum err e = r->e;

	/* inih gives the number of the first line that it or we found wrong. */
	if (line > 0 && (e == OK || line < r->bad_line))
		e = why_fail(r->why, E_CONFIG, "%s:%d: neither [section] nor key = value", r->name,
			     line);
	else if (line < 0)
		e = why_fail(r->why, E_MEMORY, "no memory to read %s", r->name);
	for (size_t i = 0; e == OK && i < r->conf->n_labelled; i++)
		e = inherit(&r->conf->labelled[i], &r->conf->token, r->why);
	return e;
}

enum err conf_parse(struct span text, const char *name, struct conf **out, struct why *why)
{
	struct reading r = { .conf = conf_new(why), .name = name, .rest = text, .why = why };
	enum err e;

	if (text.n >= 3 && memcmp(text.p, "\xef\xbb\xbf", 3) == 0)
		r.rest = span(text.p + 3, text.n - 3); /* the mark that some editors begin with */
	if (r.conf == NULL)
		return why_fail(why, E_MEMORY, "no memory for the configuration");
	e = parse(&r);
	if (e != OK) {
		conf_free(r.conf);
		return e;
	}
	*out = r.conf; /* moved */
	return OK;
}

enum err conf_load(const char *path, struct conf **out, struct why *why)
{
	struct buf text = { 0 };
	bool named = path != NULL;
	char found[PATH_MAX];
	enum err e = OK;

	if (path == NULL) {
		e = home_conf(found, &named, why);
		path = found;
	}
	if (e == OK)
		e = file_read(path, FILE_FOLLOW | FILE_TRUSTED, FILE_MAX, &text, why);
	if (e == E_ABSENT && !named)
		e = OK;
	if (e == OK)
		e = conf_parse(buf_span(&text), path, out, why);
	buf_free(&text);
	return e;
}

const struct conf_token *conf_labelled(const struct conf *c, size_t i, const char **label)
{
	if (i >= c->n_labelled)
		return NULL;
	*label = c->labelled[i].label;
	return &c->labelled[i].token;
}

const struct conf_token *conf_token(const struct conf *c, struct span label)
{
	while (label.n != 0 && label.p[label.n - 1] == ' ')
		label.n--;
	for (size_t i = 0; i < c->n_labelled; i++) {
		if (span_eq(label, span_str(c->labelled[i].label)))
			return &c->labelled[i].token;
	}
	return &c->token;
}

const struct conf_key *conf_keys(size_t *n)
{
	*n = N_KEYS;
	return keys;
}

const void *conf_section(const struct conf *c, const struct conf_key *k)
{
	int s = 0;

	while (!is_of(k, (enum section)s))
		s++;
	return (const uint8_t *)c + sections[s].offset;
}

enum err conf_value(const struct conf_key *k, const void *section, struct buf *out)
{
	return types[k->type].put(k, field_in(k, section), out);
}
