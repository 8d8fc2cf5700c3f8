/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A roll's directory checked from its description (docs/AUDIT.md) alone, with nothing of src/audit: chains, the index, and what one says of the
 * other. Whatever does not agree ends the test.
 */
#ifndef CHANCERY_TESTS_ROLLBOOK_H
#define CHANCERY_TESTS_ROLLBOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One file of records. */
struct page {
	uint64_t records;
	bool torn; /* something after the last line feed */
	size_t size;
	uint8_t first[32], last[32]; /* h */
	char first_event[32], last_event[32];
	uint64_t index_size; /* of the first record */
};

/* id: of the roll, as 32 digits, taken from the first record when it is empty. */
void page_check(const char *path, char id[33], uint64_t file, struct page *p);

struct book {
	uint64_t files; /* that are there */
	uint64_t records;
	uint64_t inits, opens, closes, lefts, voids;
	uint64_t missing; /* opened, and not there */
	uint64_t unended; /* opened, and neither closed nor left */
};

void book_check(const char *dir, struct book *b);

/* How often text occurs in the file. */
size_t book_count(const char *path, const char *text);

#endif
