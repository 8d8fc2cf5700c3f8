/* SPDX-License-Identifier: Apache-2.0 */
/* Records as text: what anybody may put into a label stays in its place, and the line stays a line. */
#include "audit/draft.h"
#include "audit/encode.h"
#include "crypto/sealing.h"
#include "pair.h"

#include <errno.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void expect(const struct buf *b, const char *right)
{
	if (!span_eq(buf_span(b), span_str(right)))
		fail_msg("%.*s\ninstead of\n%s", (int)b->n, (const char *)b->p, right);
}

static struct buf text_of(struct span text)
{
	struct buf b = { 0 };

	assert_int_equal(encode_text(&b, "x", text), OK);
	return b;
}

static void encodes(struct span text, const char *right)
{
	struct buf b = text_of(text);

	expect(&b, right);
	buf_free(&b);
}

/* Mutations: roll-quote-escaped, roll-backslash-escaped, roll-del-escaped, roll-control-escaped, roll-surrogates. */
static void test_classes(void **state)
{
	static const struct {
		struct span text;
		const char *right;
	} rows[] = {
		{ { NULL, 0 }, ",\"x\":\"\"" },
#define ROW(text, right) { { (const uint8_t *)(text), sizeof(text) - 1 }, ",\"x\":\"" right "\"" }
		ROW("plain ~!/'", "plain ~!/'"),
		ROW("\"", "\\\""),
		ROW("a\",\"rv\":\"CKR_OK", "a\\\",\\\"rv\\\":\\\"CKR_OK"),
		ROW("\\", "\\\\"),
		ROW("\\u0041", "\\\\u0041"),
		ROW("\n", "\\u000a"),
		ROW("a\r\nb", "a\\u000d\\u000ab"),
		ROW("\0", "\\u0000"),
		ROW("\x1b[2J", "\\u001b[2J"),
		ROW("\x1f\x20", "\\u001f "),
		ROW("\x7e\x7f", "~\\u007f"),
		ROW("\xc2\x80", "\\u0080"),
		ROW("\xc2\x9b", "\\u009b"),
		ROW("M\xc3\xbcller", "M\\u00fcller"),
		ROW("\xdf\xbf\xe0\xa0\x80", "\\u07ff\\u0800"),
		ROW("\xe2\x80\xae", "\\u202e"),
		ROW("\xed\x9f\xbf\xee\x80\x80", "\\ud7ff\\ue000"),
		ROW("\xef\xb7\x90\xef\xbf\xbe\xef\xbf\xbf", "\\ufdd0\\ufffe\\uffff"),
		ROW("\xf0\x90\x80\x80", "\\ud800\\udc00"),
		ROW("\xf0\x9f\x94\x91", "\\ud83d\\udd11"),
		ROW("\xf4\x8f\xbf\xbf", "\\udbff\\udfff"),
#undef ROW
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		encodes(rows[i].text, rows[i].right);
}

/* What is no UTF-8 is given as bytes: overlong forms, surrogates, beyond the last code point, cut and stray bytes. */
static void test_not_utf8(void **state)
{
	static const char *const rows[][2] = {
		{ "\xff", "ff" },
		{ "\x80", "80" },
		{ "a\xc3", "61c3" },
		{ "\xe2\x82", "e282" },
		{ "\xc0\xaf", "c0af" },
		{ "\xc1\xbf", "c1bf" },
		{ "\xe0\x9f\xbf", "e09fbf" },
		{ "\xf0\x8f\xbf\xbf", "f08fbfbf" },
		{ "\xed\xa0\x80", "eda080" },
		{ "\xed\xbf\xbf", "edbfbf" },
		{ "\xed\xa0\xbd\xed\xb4\x91", "eda0bdedb491" },
		{ "\xf4\x90\x80\x80", "f4908080" },
		{ "\xf5\x80\x80\x80", "f5808080" },
		{ "\xc3\x28", "c328" },
		{ "\"\xfe", "22fe" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char right[64];

		(void)snprintf(right, sizeof(right), ",\"x_hex\":\"%s\"", rows[i][1]);
		encodes(span_str(rows[i][0]), right);
	}
}

/* n times a byte, and then a text. */
static struct buf filled(char c, size_t n, const char *then)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < n; i++)
		assert_int_equal(buf_put_u8(&b, (uint8_t)c), OK);
	assert_int_equal(buf_put(&b, span_str(then)), OK);
	return b;
}

/* The text of n times c and `then` is given as n times `as`, with what stands around it. */
static void cuts(const char *then, char c, size_t n, size_t shown, const char *before,
		 const char *as, const char *after)
{
	struct buf text = filled(c, n, then), right = { 0 };

	assert_int_equal(buf_put(&right, span_str(before)), OK);
	for (size_t i = 0; i < shown; i++)
		assert_int_equal(buf_put(&right, span_str(as)), OK);
	assert_int_equal(buf_put(&right, span_str(after)), OK);
	assert_int_equal(buf_put_u8(&right, '\0'), OK);
	encodes(buf_span(&text), (const char *)right.p);
	buf_free(&text);
	buf_free(&right);
}

/* The digests were computed with Python's hashlib. Mutations: roll-text-cut, roll-cut-digest, roll-cut-characters. */
static void test_cut(void **state)
{
	(void)state;
	cuts("", 'a', 256, 256, ",\"x\":\"", "a", "\"");
	cuts("", 'a', 257, 256, ",\"x\":\"", "a",
	     "\",\"x_sha256\":\"e8d95cc2b4bc198c54b40bd214df958afb65f5e73d2c2eafe0593cf5c635c1f0\"");
	/* a character that begins before the end and does not end there is left out as a whole */
	cuts("\xc3\xa9", 'a', 255, 255, ",\"x\":\"", "a",
	     "\",\"x_sha256\":\"4b193901682eb0097c0c861742a85b3c534a11db5e8e5864481134cef8992b65\"");
	cuts("\xc3\xa9", 'a', 254, 254, ",\"x\":\"", "a", "\\u00e9\"");
	/* what is wrong behind the cut is wrong all the same (roll-utf8-judged) */
	cuts("\xff", 'b', 299, 256, ",\"x_hex\":\"", "62",
	     "\",\"x_sha256\":\"30aba1bd8f09d34c01339e729adb43cfee2b5e04eb00ac9b9060e9744332f8f3\"");
}

static void test_bytes(void **state)
{
	struct buf b = { 0 }, right = filled(0, 0, ",\"id\":\"");
	uint8_t id[300];

	(void)state;
	for (size_t i = 0; i < sizeof(id); i++)
		id[i] = (uint8_t)i;
	assert_int_equal(encode_bytes(&b, "id", span(id, 3)), OK);
	expect(&b, ",\"id\":\"000102\"");
	b.n = 0;
	assert_int_equal(encode_bytes(&b, "id", span(id, 300)), OK);
	for (unsigned i = 0; i < 256; i++) {
		char hex[3];

		(void)snprintf(hex, sizeof(hex), "%02x", i);
		assert_int_equal(buf_put(&right, span_str(hex)), OK);
	}
	assert_int_equal(
		buf_put(&right,
			span_str(
				"\",\"id_sha256\":"
				"\"7728ae2f2c36e2aaafbe79ca14c87ae2f89e7c88c4390ecbbf82dce88706958d\"")),
		OK);
	assert_true(span_eq(buf_span(&b), buf_span(&right)));
	buf_free(&b);
	buf_free(&right);
}

static void test_own(void **state)
{
	struct buf long_one = filled('n', 5000, "\n"), b = { 0 };

	(void)state;
	assert_int_equal(encode_own(&b, "note", buf_span(&long_one)), OK);
	assert_int_equal(b.n, strlen(",\"note\":\"\"") + 5000 + strlen("\\u000a"));
	assert_int_equal(encode_own(&b, "note", span_str("\xff")), E_DATA);
	assert_int_equal(b.n, strlen(",\"note\":\"\"") + 5000 + strlen("\\u000a"));
	assert_int_equal(encode_own(&b, "note", span(long_one.p, RECORD_MAX + 1)), E_DATA_LEN);
	b.n = 0;
	assert_int_equal(encode_own(&b, "note", span_str("\xe2\x80\x94 x\n")), OK);
	expect(&b, ",\"note\":\"\\u2014 x\\u000a\"");
	buf_free(&b);
	buf_free(&long_one);
}

static void test_numbers_and_objects(void **state)
{
	struct buf b = { 0 };
	size_t at;

	(void)state;
	assert_int_equal(encode_number(&b, "a", 0), OK);
	assert_int_equal(encode_number(&b, "b", 10), OK);
	assert_int_equal(encode_number(&b, "c", UINT64_MAX), OK);
	assert_int_equal(encode_open(&b, "d", &at), OK);
	assert_int_equal(encode_close(&b, at), OK);
	assert_int_equal(encode_open(&b, "e", &at), OK);
	assert_int_equal(encode_number(&b, "f", 9), OK);
	assert_int_equal(encode_number(&b, "g", 99), OK);
	assert_int_equal(encode_close(&b, at), OK);
	expect(&b,
	       ",\"a\":0,\"b\":10,\"c\":18446744073709551615,\"d\":{},\"e\":{\"f\":9,\"g\":99}");
	buf_free(&b);
}

/* Computed with Python's datetime. Mutation: roll-leap-centuries. */
static void test_moments(void **state)
{
	static const struct {
		int64_t us;
		const char *right;
	} rows[] = {
		{ 0, "1970-01-01T00:00:00.000000Z" },
		{ 68169600000000 - 1, "1972-02-28T23:59:59.999999Z" },
		{ 68169600000000, "1972-02-29T00:00:00.000000Z" },
		{ 946598400000000, "1999-12-31T00:00:00.000000Z" },
		{ 951782400000000, "2000-02-29T00:00:00.000000Z" },
		{ 951868800000000, "2000-03-01T00:00:00.000000Z" },
		{ 1795996800000000 + 36061000007, "2026-11-30T10:01:01.000007Z" },
		{ 4107456000000000, "2100-02-28T00:00:00.000000Z" },
		{ 4107542400000000, "2100-03-01T00:00:00.000000Z" },
		{ 13574563200000000, "2400-02-29T00:00:00.000000Z" },
		{ 253402300799999999, "9999-12-31T23:59:59.999999Z" },
		{ 253402300800000000, "9999-12-31T23:59:59.999999Z" },
		{ INT64_MAX, "9999-12-31T23:59:59.999999Z" },
		{ -1, "1970-01-01T00:00:00.000000Z" },
		{ INT64_MIN, "1970-01-01T00:00:00.000000Z" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct moment m = { rows[i].us, 0 };
		char text[MOMENT_TEXT];

		moment_text(&m, text);
		assert_memory_equal(text, rows[i].right, MOMENT_TEXT);
	}
}

enum { DAYS = 193579 }; /* from 1970 to 2499 */

/* The digest of all dates one behind the other, as Python's datetime writes them. */
static void test_every_day(void **state)
{
	struct buf all = { 0 }, right = unhex("0e73ad29e750fcf616e81b72589d3fa4"
					      "9498c1ff470d585205a65fc209585516");
	uint8_t digest[SEALING_MAC];
	struct span s;

	(void)state;
	for (int64_t day = 0; day < DAYS; day++) {
		struct moment m = { day * 86400 * 1000000, 0 };
		char text[MOMENT_TEXT];

		moment_text(&m, text);
		assert_int_equal(buf_put(&all, span(text, 10)), OK);
	}
	s = buf_span(&all);
	assert_int_equal(sealing_digest(&s, 1, digest), OK);
	assert_memory_equal(digest, right.p, sizeof(digest));
	buf_free(&all);
	buf_free(&right);
}

static void test_now(void **state)
{
	struct timespec t;
	struct moment a, b;

	(void)state;
	moment_now(&a);
	assert_int_equal(clock_gettime(CLOCK_REALTIME, &t), 0);
	moment_now(&b);
	assert_true(a.wall_us / 1000000 <= t.tv_sec && t.tv_sec <= b.wall_us / 1000000);
	assert_true(a.mono_ns <= b.mono_ns && a.mono_ns > 0);
}

/* Whatever the clock says, a record is not earlier than the one before. */
static void test_not_before(void **state)
{
	const struct roll_event ev = { .kind = EV_SIGN };
	const uint64_t least = UINT64_MAX / 2;
	struct author_id id;
	struct draft d;

	(void)state;
	author_id_now(&id);
	assert_int_equal(draft_make(&d, &id, &ev), OK);
	assert_true(d.at.mono_ns < least);
	assert_int_equal(draft_again(&d, least), OK);
	assert_true(d.at.mono_ns == least);
	assert_non_null(memmem(d.who.p, d.who.n, "\"mono\":9223372036854775807,", 27));
	assert_int_equal(draft_again(&d, 1), OK);
	assert_true(d.at.mono_ns > 1 && d.at.mono_ns < least);
}

static void test_author(void **state)
{
	struct author_id id;
	char exe[4096], boot[64] = "";
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe));
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	(void)state;
	errno = 77;
	author_id_now(&id);
	assert_int_equal(errno, 77);
	assert_true(n > 0 && f != NULL && fgets(boot, sizeof(boot), f) != NULL);
	(void)fclose(f);
	boot[strcspn(boot, "\n")] = '\0';
	assert_string_equal(id.boot, boot);
	assert_true(span_eq(span(id.exe, id.exe_n), span(exe, (size_t)n)));
	assert_int_equal(id.uid, geteuid());
	assert_int_equal(id.pid, getpid());
}

static struct author_id somebody(void)
{
	struct author_id id = { .boot = "0f1e2d3c-4b5a-4678-8796-a5b4c3d2e1f0",
				.uid = 1000,
				.pid = 4294967295,
				.exe = "/usr/bin/\"signer\"",
				.exe_n = 17 };

	return id;
}

static void test_who(void **state)
{
	static const struct moment at = { 951782400000001, 123456789012 };
	struct author_id id = somebody();
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(encode_who(&b, &id, &at, span(NULL, 0)), OK);
	expect(&b, "\"ts\":\"2000-02-29T00:00:00.000001Z\","
		   "\"boot\":\"0f1e2d3c-4b5a-4678-8796-a5b4c3d2e1f0\",\"mono\":123456789012,"
		   "\"uid\":1000,\"pid\":4294967295,\"exe\":\"/usr/bin/\\\"signer\\\"\"");
	b.n = 0;
	memcpy(id.boot, "?", 2);
	memcpy(id.exe, "?", 1);
	id.exe_n = 1;
	assert_int_equal(encode_who(&b, &id, &at, span_str("CN=x\xff")), OK);
	expect(&b,
	       "\"ts\":\"2000-02-29T00:00:00.000001Z\",\"boot\":\"?\",\"mono\":123456789012,"
	       "\"uid\":1000,\"pid\":4294967295,\"exe\":\"?\",\"on_behalf_hex\":\"434e3d78ff\"");
	buf_free(&b);
}

#define LABEL  "issuing                         "
#define SERIAL "00112233445566ff"

static struct roll_event blank(enum roll_event_kind kind)
{
	return (struct roll_event){ .kind = kind,
				    .cls = CK_UNAVAILABLE_INFORMATION,
				    .mech = CK_UNAVAILABLE_INFORMATION };
}

static void what_is(const struct roll_event *ev, const char *right)
{
	struct buf b = { 0 };

	assert_int_equal(encode_what(&b, ev), OK);
	expect(&b, right);
	buf_free(&b);
}

static void test_what(void **state)
{
	struct roll_event ev = blank(EV_MODULE_START);

	(void)state;
	what_is(&ev, ",\"event\":\"module.start\",\"rv\":\"CKR_OK\"");
	ev = blank(EV_SIGN);
	ev.token = LABEL;
	ev.serial = SERIAL;
	ev.cls = CKO_PRIVATE_KEY;
	ev.label = span_str("root \"CA\"");
	ev.id = span("\x01\xab", 2);
	ev.unique = span_str("u-1");
	ev.mech = CKM_ECDSA_SHA256;
	ev.measured = true;
	ev.bytes = 0;
	ev.change = 12;
	ev.result = E_DEVICE;
	what_is(&ev, ",\"event\":\"sign\",\"token\":\"issuing\",\"serial\":\"00112233445566ff\","
		     "\"key\":{\"class\":\"private\",\"label\":\"root \\\"CA\\\"\",\"id\":\"01ab\","
		     "\"unique\":\"u-1\"},\"mech\":\"CKM_ECDSA_SHA256\",\"bytes\":0,"
		     "\"rv\":\"CKR_DEVICE_ERROR\",\"change\":\"00112233445566ff:12\"");
	ev = blank(EV_SIGN_BATCH);
	ev.measured = ev.counted = true;
	ev.count = 3;
	what_is(&ev, ",\"event\":\"sign.batch\",\"bytes\":0,\"count\":3,\"rv\":\"CKR_OK\"");
	ev.root = span("\x00\xff and 30 bytes after these two ", 32);
	what_is(&ev, ",\"event\":\"sign.batch\",\"bytes\":0,\"count\":3,\"root\":"
		     "\"00ff20616e64203330206279746573206166746572207468657365207477"
		     "6f20\",\"rv\":\"CKR_OK\"");
	ev = blank(EV_DESTROY);
	ev.token = "                                ";
	ev.unique = span_str("only");
	ev.mech = 0xfffffffe;
	what_is(&ev, ",\"event\":\"object.destroy\",\"token\":\"\",\"key\":{\"unique\":\"only\"},"
		     "\"mech\":\"0xfffffffe\",\"rv\":\"CKR_OK\"");
	ev.cls = CKO_VENDOR_DEFINED;
	ev.unique = span(NULL, 0);
	ev.mech = CK_UNAVAILABLE_INFORMATION;
	what_is(&ev,
		",\"event\":\"object.destroy\",\"token\":\"\",\"key\":{\"class\":\"0x80000000\"},"
		"\"rv\":\"CKR_OK\"");
}

static void test_classes_named(void **state)
{
	struct roll_event ev = blank(EV_COPY);

	(void)state;
	for (CK_OBJECT_CLASS c = CKO_DATA; c <= CKO_TRUST; c++) {
		struct buf b = { 0 };

		ev.cls = c;
		assert_int_equal(encode_what(&b, &ev), OK);
		assert_null(memmem(b.p, b.n, "0x", 2));
		buf_free(&b);
	}
}

static void test_change_of_no_token(void **state)
{
	struct roll_event ev = blank(EV_SET);
	struct buf b = { 0 };

	(void)state;
	ev.change = 1;
	assert_int_equal(encode_what(&b, &ev), E_ARGUMENTS);
	assert_int_equal(b.n, 0);
}

/* Everything that somebody else chooses, as long as it likes to be. */
static void encode_all(struct buf *b, struct span text)
{
	static const struct moment at = { INT64_MAX, INT64_MAX };
	struct roll_event ev = blank(EV_SIGN_RECOVER);
	struct author_id id = somebody();
	char label[32], serial[16];

	id.exe_n = text.n < sizeof(id.exe) ? text.n : sizeof(id.exe);
	memcpy(id.exe, text.p, id.exe_n);
	for (size_t i = 0; i < sizeof(label); i++)
		label[i] = (char)text.p[i % text.n];
	memcpy(serial, label, sizeof(serial));
	ev.token = label;
	ev.serial = serial;
	ev.cls = CK_UNAVAILABLE_INFORMATION - 1;
	ev.label = ev.id = ev.unique = text;
	ev.mech = CK_UNAVAILABLE_INFORMATION - 1;
	ev.measured = true;
	ev.bytes = ev.change = INT64_MAX; /* the most that jansson takes */
	ev.result = E_NOT_SUPPORTED;
	assert_int_equal(encode_who(b, &id, &at, text), OK);
	assert_int_equal(encode_what(b, &ev), OK);
}

static const char *string(const json_t *o, const char *name, size_t *n)
{
	const json_t *s = json_object_get(o, name);

	*n = json_string_length(s);
	return json_string_value(s);
}

/* A parser that is not ours finds an object, every member once, and in it the text as far as it is shown. */
static void parses(const struct buf *b, struct span text)
{
	struct buf line = { 0 };
	json_error_t error;
	json_t *o;
	const char *found;
	size_t n, shown = text.n < RECORD_TEXT_MAX ? text.n : RECORD_TEXT_MAX;

	assert_int_equal(buf_put_u8(&line, '{'), OK);
	assert_int_equal(buf_put(&line, buf_span(b)), OK);
	assert_int_equal(buf_put_u8(&line, '}'), OK);
	o = json_loadb((const char *)line.p, line.n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL,
		       &error);
	if (o == NULL)
		fail_msg("%s: %.*s", error.text, (int)line.n, (const char *)line.p);
	found = string(json_object_get(o, "key"), "label", &n);
	if (found != NULL) {
		assert_true(n <= shown && n + 3 >= shown);
		assert_memory_equal(found, text.p, n);
	} else {
		(void)string(json_object_get(o, "key"), "label_hex", &n);
		assert_int_equal(n, 2 * shown);
	}
	assert_true((json_object_get(json_object_get(o, "key"), "label_sha256") != NULL) ==
		    (text.n > RECORD_TEXT_MAX));
	json_decref(o);
	buf_free(&line);
}

static void holds(struct span text)
{
	struct buf b = { 0 };

	encode_all(&b, text);
	assert_true(b.n < RECORD_MAX / 4); /* so that two of them, and the chain, fit */
	for (size_t i = 0; i < b.n; i++)
		assert_true(b.p[i] >= 0x20 && b.p[i] <= 0x7e);
	parses(&b, text);
	buf_free(&b);
}

/* Mutation: roll-text-cut. */
static void test_hostile(void **state)
{
	static const char *const pieces[] = {
		"a",
		"\"",
		"\\",
		"\n",
		"\x01",
		"\x7f",
		"\xc3\xa9",
		"\xef\xbf\xbf",
		"\xf0\x9f\x94\x91",
		"\xff",
		"\xc0\x80",
		"\",\"",
		"\"}\n{\"seq\":0,\"ts\":\"",
		"\\\"",
		"\xed\xa0\x80",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(pieces); i++) {
		static const size_t lengths[] = { 1, 255, 256, 257, 258, 259, 260, 10240, 100000 };

		for (size_t j = 0; j < COUNT(lengths); j++) {
			struct buf text = { 0 };

			while (text.n < lengths[j])
				assert_int_equal(buf_put(&text, span_str(pieces[i])), OK);
			holds(buf_span(&text));
			buf_free(&text);
		}
	}
}

static void test_each_byte(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 256; c++) {
		const uint8_t text[] = { 'a', (uint8_t)c, 'b' };

		holds(span(text, sizeof(text)));
	}
}

static void test_random(void **state)
{
	unsigned seed = 20261130;
	uint8_t text[400];

	(void)state;
	for (int i = 0; i < 3000; i++) {
		size_t n = 1 + (size_t)rand_r(&seed) % sizeof(text);

		for (size_t j = 0; j < n; j++) /* mostly what means something */
			text[j] =
				rand_r(&seed) % 4 == 0
					? (uint8_t)rand_r(&seed)
					: (uint8_t) "\"\\\n\x7f\xc3\xa9 u0,{}:"[rand_r(&seed) % 14];
		holds(span(text, n));
	}
}

typedef enum err step(struct buf *b);

static enum err step_text(struct buf *b)
{
	return encode_text(b, "x", span_str("\"\n"));
}

static enum err step_who(struct buf *b)
{
	static const struct moment at;
	struct author_id id = somebody();

	return encode_who(b, &id, &at, span_str("\xff"));
}

static enum err step_what(struct buf *b)
{
	struct roll_event ev = blank(EV_SIGN);

	ev.label = span_str("label");
	return encode_what(b, &ev);
}

static enum err step_open(struct buf *b)
{
	size_t at;

	return encode_open(b, "o", &at);
}

static enum err step_close(struct buf *b)
{
	return encode_close(b, b->n);
}

static enum err step_number(struct buf *b)
{
	return encode_number(b, "n", 7);
}

static enum err step_bytes(struct buf *b)
{
	return encode_bytes(b, "n", span("\1", 1));
}

/* In a buffer that cannot grow there is nothing, or all. */
static void test_no_room(void **state)
{
	static step *const steps[] = { step_text,  step_who,    step_what, step_open,
				       step_close, step_number, step_bytes };

	(void)state;
	for (size_t i = 0; i < COUNT(steps); i++) {
		bool fitted = false;

		for (size_t max = 3; !fitted; max++) {
			struct buf b = { .max = max };
			enum err e;

			assert_int_equal(buf_put(&b, span_str("old")), OK);
			e = steps[i](&b);
			fitted = e == OK;
			assert_true(fitted ? b.n > 3 && b.n <= max : e == E_DATA_LEN && b.n == 3);
			assert_memory_equal(b.p, "old", 3);
			buf_free(&b);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_not_utf8),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_numbers_and_objects),
		cmocka_unit_test(test_moments),
		cmocka_unit_test(test_every_day),
		cmocka_unit_test(test_now),
		cmocka_unit_test(test_author),
		cmocka_unit_test(test_not_before),
		cmocka_unit_test(test_who),
		cmocka_unit_test(test_what),
		cmocka_unit_test(test_classes_named),
		cmocka_unit_test(test_change_of_no_token),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_each_byte),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_no_room),
	};

	return cmocka_run_group_tests(tests, crypto_up, crypto_down);
}
