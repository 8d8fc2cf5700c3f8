/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/describe.h"
#include "cli/report.h"
#include "base/uri.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define FIELD(f) span((f), field_len((f), sizeof(f)))

json_t *describe_name(enum name_group group, CK_ULONG value)
{
	char text[32];
	const char *name = name_of(group, value);

	if (name != NULL)
		return json_string(name);
	snprintf(text, sizeof(text), "0x%08lx", value);
	return json_string(text);
}

static json_t *flag_name(enum name_group group, CK_FLAGS bit)
{
	char text[64];
	const char *name = name_of(group, bit);

	if (name == NULL)
		return describe_name(group, bit);
	if (strncmp(name, "CKF_", 4) == 0)
		name += 4;
	size_t n = 0;
	for (; name[n] != '\0' && n + 1 < sizeof(text); n++)
		text[n] = (char)tolower((unsigned char)name[n]);
	text[n] = '\0';
	return json_string(text);
}

json_t *describe_flags(enum name_group group, CK_FLAGS flags)
{
	json_t *names = json_array();

	for (CK_FLAGS bit = 1; bit != 0 && bit <= flags; bit <<= 1)
		if ((flags & bit) != 0)
			json_array_append_new(names, flag_name(group, bit));
	return names;
}

/* One of the texts by the state of a PIN's flags. */
static const char *pin_state(CK_FLAGS flags, CK_FLAGS low, CK_FLAGS final_try, CK_FLAGS locked)
{
	if ((flags & locked) != 0)
		return "locked";
	if ((flags & final_try) != 0)
		return "one try left";
	return (flags & low) != 0 ? "wrong PINs were given" : "ready";
}

static const char *user_pin_state(CK_FLAGS flags)
{
	if ((flags & CKF_USER_PIN_INITIALIZED) == 0)
		return "not set";
	return pin_state(flags, CKF_USER_PIN_COUNT_LOW, CKF_USER_PIN_FINAL_TRY,
			 CKF_USER_PIN_LOCKED);
}

static const char *token_state_text(CK_FLAGS flags)
{
	if ((flags & CKF_TOKEN_INITIALIZED) == 0)
		return "blank";
	return (flags & CKF_WRITE_PROTECTED) != 0 ? "read-only" : "ready";
}

static json_t *uri_text(const struct uri *u)
{
	struct buf b = { 0 };
	json_t *v = NULL;

	if (uri_format(u, &b) == OK)
		v = json_stringn((const char *)b.p, b.n);
	buf_free(&b);
	return v;
}

enum { SLOT_TEXT = 24 };

/* A blank token has neither label nor serial number: its slot is all that names it. slot: the number's text, for as long as u. */
static void token_uri(struct uri *u, const struct spot *spot, char slot[SLOT_TEXT])
{
	const CK_TOKEN_INFO *t = &spot->info;

	if ((t->flags & CKF_TOKEN_INITIALIZED) == 0) {
		snprintf(slot, SLOT_TEXT, "%lu", spot->slot);
		uri_set(u, URI_SLOT_ID, span_str(slot));
		return;
	}
	uri_set_field(u, URI_TOKEN, t->label, sizeof(t->label));
	uri_set_field(u, URI_SERIAL, t->serialNumber, sizeof(t->serialNumber));
}

/* A count of sessions, which a token may not tell (5.5.3). */
static json_t *session_count(CK_ULONG now, CK_ULONG max)
{
	char text[64], of[32];

	if (max == CK_EFFECTIVELY_INFINITE)
		snprintf(of, sizeof(of), "no limit");
	else if (max == CK_UNAVAILABLE_INFORMATION)
		snprintf(of, sizeof(of), "limit not told");
	else
		snprintf(of, sizeof(of), "at most %lu", max);
	if (now == CK_UNAVAILABLE_INFORMATION)
		snprintf(text, sizeof(text), "%s", of);
	else
		snprintf(text, sizeof(text), "%lu open, %s", now, of);
	return json_string(text);
}

static json_t *two_numbers(const char *fmt, unsigned long a, unsigned long b)
{
	return json_sprintf(fmt, a, b);
}

json_t *describe_token(const struct spot *spot)
{
	const CK_TOKEN_INFO *t = &spot->info;
	char slot[SLOT_TEXT];
	struct uri u = { 0 };

	token_uri(&u, spot, slot);
	return json_pack(
		"{s:I, s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "slot",
		(json_int_t)spot->slot, "label", report_label(FIELD(t->label)), "serial",
		report_label(FIELD(t->serialNumber)), "manufacturer",
		report_label(FIELD(t->manufacturerID)), "model", report_label(FIELD(t->model)),
		"version",
		two_numbers("%lu.%lu", t->firmwareVersion.major, t->firmwareVersion.minor), "state",
		token_state_text(t->flags), "user_pin", user_pin_state(t->flags), "so_pin",
		pin_state(t->flags, CKF_SO_PIN_COUNT_LOW, CKF_SO_PIN_FINAL_TRY, CKF_SO_PIN_LOCKED),
		"pin_length", two_numbers("%lu to %lu bytes", t->ulMinPinLen, t->ulMaxPinLen),
		"sessions", session_count(t->ulSessionCount, t->ulMaxSessionCount), "flags",
		describe_flags(NAME_CKF_TOKEN, t->flags), "uri", uri_text(&u));
}

json_t *describe_object_uri(const struct spot *spot, const struct object_info *info)
{
	struct uri u = { 0 };
	const char *type = uri_type_of(info->cls);
	char slot[SLOT_TEXT];

	token_uri(&u, spot, slot);
	uri_set(&u, URI_OBJECT, buf_span(&info->label));
	if (info->id.n > 0)
		uri_set(&u, URI_ID, buf_span(&info->id));
	if (type != NULL)
		uri_set(&u, URI_TYPE, span_str(type));
	return uri_text(&u);
}

json_t *describe_object(const struct spot *spot, const struct object_info *info)
{
	const char *type = uri_type_of(info->cls);

	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "label", report_label(buf_span(&info->label)),
			 "id", report_hex(buf_span(&info->id)), "class",
			 type != NULL ? json_string(type) : describe_name(NAME_CKO, info->cls),
			 "type",
			 info->key_type == CK_UNAVAILABLE_INFORMATION
				 ? json_null()
				 : describe_name(NAME_CKK, info->key_type),
			 "uri", describe_object_uri(spot, info));
}
