/* SPDX-License-Identifier: Apache-2.0 */
#include "base/conf.h"

#include "base/log.h"
#include "scratch.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct conf *good(const char *text)
{
	struct conf *c = NULL;
	struct why w = { "" };

	if (conf_parse(span_str(text), "f", &c, &w) != OK)
		fail_msg("%s", w.text);
	assert_non_null(c);
	return c;
}

static void bad(const char *text, const char *want)
{
	struct conf *c = NULL;
	struct why w = { "" };

	assert_int_equal(conf_parse(span_str(text), "f", &c, &w), E_CONFIG);
	assert_string_equal(w.text, want);
	assert_null(c);
}

static void nothing_gives_the_defaults(void **state)
{
	struct conf *c = good("");
	const struct conf_token *t = conf_token(c, span_str("any"));

	(void)state;
	assert_true(c->module.empty_slot);
	assert_false(c->module.group_mode);
	assert_false(c->module.public_write);
	assert_int_equal(c->module.locked_kb, 8192);
	assert_int_equal(c->module.locked, LOCKED_NORMAL);
	assert_int_equal(c->module.profile, PROFILE_STANDARD);
	assert_int_equal(c->module.max_input_kb, 16384);
	assert_int_equal(c->module.log_level, LEVEL_ERROR);
	assert_int_equal(c->module.log_target, TARGET_NONE);
	assert_string_equal(c->module.audit, "on");
	assert_false(c->audit.session_keys);
	assert_false(c->audit.mldsa);
	assert_int_equal(c->audit.checkpoint_records, 1024);
	assert_int_equal(c->audit.checkpoint_seconds, 60);
	assert_int_equal(c->audit.rotate_mib, 256);
	assert_ptr_equal(t, &c->token);
	assert_false(t->compat);
	assert_null(t->pin_source);
	assert_int_equal(t->pin_max_failures, 10);
	assert_int_equal(t->argon2_kib, 19456);
	assert_int_equal(t->argon2_time, 2);
	conf_free(c);
	conf_free(NULL);
}

static void choices_are_the_enumerations(void **state)
{
	struct conf *c = good("[module]\nlocked=strict\nprofile=interop\nlog_level=debug\n"
			      "log_target=journal\n");

	(void)state;
	assert_int_equal(c->module.locked, LOCKED_STRICT);
	assert_int_equal(c->module.profile, PROFILE_INTEROP);
	assert_int_equal(c->module.log_level, LEVEL_DEBUG);
	assert_int_equal(c->module.log_target, TARGET_JOURNAL);
	conf_free(c);
	c = good("[module]\nprofile = approved\nlog_level = none\nlog_target = stderr");
	assert_int_equal(c->module.profile, PROFILE_APPROVED);
	assert_int_equal(c->module.log_level, LEVEL_NONE);
	assert_int_equal(c->module.log_target, TARGET_STDERR);
	conf_free(c);
}

static void tokens_inherit(void **state)
{
	struct conf *c = good("\xef\xbb\xbf# a comment\r\n"
			      "[token.office]\r\n"
			      "compat = on ; a reason\r\n"
			      "[token]\n"
			      "  pin-source = file:/etc/pin\n"
			      "  pin_max_failures: 3\n"
			      "\n"
			      "[token.b\xc3\xbcro 2] # and another\n"
			      "\tpin_source = credential:pin\n"
			      "[module]\n"
			      "empty_slot=off\n"
			      "[token.office]\n"
			      "argon2_time = 5\n");
	const struct conf_token *t = conf_token(c, span_str("office   "));

	(void)state;
	assert_true(t->compat);
	assert_string_equal(t->pin_source, "file:/etc/pin");
	assert_int_equal(t->pin_max_failures, 3);
	assert_int_equal(t->argon2_time, 5);
	assert_int_equal(t->argon2_kib, 19456);
	t = conf_token(c, span_str("b\xc3\xbcro 2"));
	assert_false(t->compat);
	assert_string_equal(t->pin_source, "credential:pin");
	assert_ptr_equal(conf_token(c, span_str("offic")), &c->token);
	assert_ptr_equal(conf_token(c, span(NULL, 0)), &c->token);
	assert_false(c->module.empty_slot);
	conf_free(c);
}

static void mistakes_name_their_line(void **state)
{
	(void)state;
	bad("[modul]\n", "f:1: no such section: modul");
	bad("\n[module]\nemptyslot=on\n", "f:3: no such key: emptyslot");
	bad("[module]\ncompat=on\n", "f:2: no such key: compat");
	bad("[token]\nprofile=standard\n", "f:2: no such key: profile");
	bad("empty_slot=on\n[module]\n", "f:1: empty_slot: it stands before the first section");
	bad("[module]\nempty_slot=on\n[token]\n[module]\nempty_slot=on\n",
	    "f:5: empty_slot: given twice");
	bad("[token]\npin_source=file:/a\npin-source=file:/b\n", "f:3: pin_source: given twice");
	bad("[token.a]\ncompat=on\n[token.a]\ncompat=off\n", "f:4: compat: given twice");
	bad("[module]\nempty_slot\n", "f:2: neither [section] nor key = value");
	bad("[module]\nempty_slot\nbogus=1\n", "f:2: neither [section] nor key = value");
	bad("[module]\nbogus=1\nempty_slot\n", "f:2: no such key: bogus");
}

static void values_are_checked(void **state)
{
	(void)state;
	bad("[module]\nempty_slot=yes\n", "f:2: empty_slot: it must be on or off");
	bad("[module]\nempty_slot=\n", "f:2: empty_slot: it must be on or off");
	bad("[module]\nempty_slot=off|on\n", "f:2: empty_slot: it must be on or off");
	bad("[module]\nprofile=fips\n",
	    "f:2: profile: it must be one of standard|approved|interop");
	bad("[module]\nlocked_kb=63\n", "f:2: locked_kb: it must be a number from 64 to 4194304");
	bad("[module]\nlocked_kb=64k\n", "f:2: locked_kb: it must be a number from 64 to 4194304");
	bad("[module]\nlocked_kb=-64\n", "f:2: locked_kb: it must be a number from 64 to 4194304");
	bad("[module]\nlocked_kb=99999999999999999999\n",
	    "f:2: locked_kb: it must be a number from 64 to 4194304");
	bad("[token]\npin_max_failures=0\n",
	    "f:2: pin_max_failures: it must be a number from 1 to 1000");
	bad("[token]\npin_source=prompt\n",
	    "f:2: pin_source: a PIN from prompt is not possible here: write file:PATH, credential:NAME or command:PATH");
	bad("[token]\npin_source=command:cat /etc/pin\n",
	    "f:2: pin_source: a command begins with the absolute path of a program");
}

static void sections_are_written_plainly(void **state)
{
	static const char text[] = "f:1: a section is written [name], alone on its line";

	(void)state;
	bad("[module\n", text);
	bad("[module] empty_slot = on\n", text);
	bad("[token.a]b]\n", text);
	bad("[]\n", "f:1: no such section");
	bad("[token.]\n", "f:1: no such section: token.");
	bad("[Module]\n", "f:1: no such section: Module");
	bad("[ module ]\n", "f:1: no such section:  module ");
	bad("[token.123456789012345678901234567890123]\n",
	    "f:1: no such section: token.123456789012345678901234567890123");
	bad("[token.12345678901234567890123456789012345678901234567890123456789012345]\n",
	    "f:1: no such section: its name is too long");
}

/* What inih would cut, or could not show, is refused. */
static void lines_are_whole_text(void **state)
{
	char text[3000] = "[token]\npin_source=file:";
	struct conf *c = NULL;
	struct why w;

	(void)state;
	memset(text + strlen(text), 'a', 2500);
	assert_int_equal(conf_parse(span_str(text), "f", &c, &w), E_CONFIG);
	assert_int_equal(strncmp(w.text, "f:2: the line is too long: more than ", 37), 0);
	bad("[module]\n# \xff\n", "f:2: the line is not text");
	assert_int_equal(conf_parse(span("[module]\nempty_slot=o\0n\n", 24), "f", &c, &w),
			 E_CONFIG);
	assert_string_equal(w.text, "f:2: the line is not text");
}

static void many_sections(void **state)
{
	struct buf b = { 0 };
	struct conf *c = NULL;
	char text[64], label[32];

	(void)state;
	for (int i = 0; i < 1000; i++) {
		(void)snprintf(text, sizeof(text), "[token.t%d]\npin_max_failures=%d\n", i, i + 1);
		assert_int_equal(buf_put(&b, span_str(text)), OK);
	}
	assert_int_equal(conf_parse(buf_span(&b), "f", &c, NULL), OK);
	for (int i = 0; i < 1000; i++) {
		(void)snprintf(label, sizeof(label), "t%d", i);
		assert_int_equal(conf_token(c, span_str(label))->pin_max_failures, i + 1);
	}
	conf_free(c);
	buf_free(&b);
}

/* Every row: its default prints as it is written, and can be written again. */
static void every_key_prints_and_parses(void **state)
{
	struct conf *c = good("");
	size_t n;
	const struct conf_key *k = conf_keys(&n);

	(void)state;
	assert_true(n >= 14);
	for (size_t i = 0; i < n; i++) {
		const void *section = conf_section(c, &k[i]);
		struct buf b = { 0 };
		char text[256];

		assert_int_equal(conf_value(&k[i], section, &b), OK);
		assert_true(span_eq(buf_span(&b), span_str(k[i].dflt != NULL ? k[i].dflt : "")));
		assert_true(strlen(k[i].help) > 10);
		(void)snprintf(text, sizeof(text), "[%s]\n%s = %s\n", k[i].section, k[i].name,
			       k[i].dflt != NULL ? k[i].dflt : "file:/x");
		conf_free(good(text));
		buf_free(&b);
	}
	conf_free(c);
}

static void files(void **state)
{
	const char *path = scratch_file(state, "c.conf", 0644, "[module]\nprofile=approved\n", 26);
	const char *link = scratch_path(state, "link.conf");
	struct conf *c = NULL;
	struct why w;

	assert_int_equal(conf_load(path, &c, &w), OK);
	assert_int_equal(c->module.profile, PROFILE_APPROVED);
	conf_free(c);
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(conf_load(link, &c, &w), OK);
	conf_free(c);
	assert_int_equal(chmod(path, 0666), 0);
	assert_int_equal(conf_load(path, &c, &w), E_ACCESS);
	assert_non_null(strstr(w.text, "chmod go-w"));
	assert_int_equal(conf_load(scratch_path(state, "none"), &c, &w), E_ABSENT);
	path = scratch_file(state, "bad.conf", 0600, "[module]\nx=1\n", 13);
	assert_int_equal(conf_load(path, &c, &w), E_CONFIG);
	assert_non_null(strstr(w.text, "bad.conf:2: no such key: x"));
}

/* By the environment: a file that is named must be there, another need not. */
static void places(void **state)
{
	struct conf *c = NULL;
	struct why w;

	(void)unsetenv("CHANCERY_CONF");
	assert_int_equal(setenv("XDG_CONFIG_HOME", *state, 1), 0);
	if (access("/etc/chancery/chancery.conf", F_OK) != 0) {
		assert_int_equal(conf_load(NULL, &c, &w), OK);
		conf_free(c);
	}
	assert_int_equal(mkdir(scratch_path(state, "chancery"), 0700), 0);
	scratch_file(state, "chancery/chancery.conf", 0600, "[module]\nlocked_kb=100\n", 23);
	assert_int_equal(conf_load(NULL, &c, &w), OK);
	assert_int_equal(c->module.locked_kb, 100);
	conf_free(c);
	assert_int_equal(setenv("CHANCERY_CONF", scratch_path(state, "none"), 1), 0);
	assert_int_equal(conf_load(NULL, &c, &w), E_ABSENT);
	(void)unsetenv("CHANCERY_CONF");
}

#define SCRATCH_TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_gives_the_defaults),
		cmocka_unit_test(choices_are_the_enumerations),
		cmocka_unit_test(tokens_inherit),
		cmocka_unit_test(mistakes_name_their_line),
		cmocka_unit_test(values_are_checked),
		cmocka_unit_test(sections_are_written_plainly),
		cmocka_unit_test(lines_are_whole_text),
		cmocka_unit_test(many_sections),
		cmocka_unit_test(every_key_prints_and_parses),
		SCRATCH_TEST(files),
		SCRATCH_TEST(places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
