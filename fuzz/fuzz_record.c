/* SPDX-License-Identifier: Apache-2.0 */
/* The store's two parsers of bytes that a file gives us before any seal is checked: public records, and the header of a backup. */
#include "crypto/lib.h"
#include "store/archive.h"
#include "store/record.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool started;

/* What is accepted has a set of attributes, and says the same when it is parsed again. */
static void parse_record(struct span in)
{
	struct record r = { 0 }, again = { 0 };

	if (record_parse(in, in.n % 2 != 0, &r) != OK)
		return;
	if (r.attrs == NULL || record_parse(in, false, &again) != OK || again.traits != r.traits ||
	    attrset_count(again.attrs) != attrset_count(r.attrs))
		abort();
	record_clear(&r);
	record_clear(&again);
}

/* What is accepted asks for a KDF that we are willing to run. */
static void parse_header(struct span in)
{
	struct archive_header h;

	if (archive_header_parse(in, &h) == OK && (in.n != ARCHIVE_HEADER || !pinkey_sane(&h.kdf)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!started && crypto_start() != OK)
		abort();
	started = true;
	if (size != 0 && data[0] == 'C')
		parse_header(span(data, size));
	else
		parse_record(span(data, size));
	return 0;
}
