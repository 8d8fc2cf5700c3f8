/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON objects of one exact form: the members that a table has, in its order, without a blank. What differs in any byte from
 * how the roll is written is refused, so that a line says one thing only, to every reader. Nothing is copied: what is read points into
 * the line, escapes and all.
 */
#ifndef CHANCERY_AUDITOR_MEMBER_H
#define CHANCERY_AUDITOR_MEMBER_H

#include "auditor/sum.h"

enum member_kind {
	MEMBER_NUMBER,  /* struct number */
	MEMBER_FLAG,    /* bool */
	MEMBER_STRING,  /* struct span: what is between the quotes */
	MEMBER_TEXT,    /* struct text: may be hexadecimal, may be cut */
	MEMBER_HASH,    /* struct hash */
	MEMBER_OBJECT,  /* a structure that begins with a struct span, by the rows of `inner` */
	MEMBER_NUMBERS, /* struct span: ascending numbers with commas, without the brackets */
};

struct number {
	uint64_t v;
	bool there;
};

struct hash {
	uint8_t b[SUM];
	bool there;
};

/* A text of somebody else's. */
struct text {
	struct span s; /* p NULL: not there */
	bool hex;      /* it is not UTF-8: hexadecimal */
	bool cut;      /* only the first 256 bytes */
};

struct member {
	const char *name; /* NULL ends the table */
	size_t n;         /* its length */
	enum member_kind kind;
	bool optional;
	bool nullable; /* may be null, which reads as not there */
	size_t at;     /* where in the structure */
	const struct member *inner;
};

/*
 * Reads one object from the front of *s, which then begins after it. into is zeroed before. False: it is none; *bad, static or of a
 * row, names the member at which it went wrong.
 */
bool member_read(struct span *s, const struct member *rows, void *into, const char **bad);

#endif
