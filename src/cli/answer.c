/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/answer.h"
#include "base/err.h"
#include "base/utf8.h"
#include <stddef.h>

struct member {
	const char *key;
	bool (*fits)(const json_t *v);
};

/* These members and no others. */
static bool members_fit(const json_t *object, const struct member *members, size_t n)
{
	if (!json_is_object(object) || json_object_size(object) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!members[i].fits(json_object_get(object, members[i].key)))
			return false;
	return true;
}

static bool each_fits(const json_t *array, bool (*fits)(const json_t *v))
{
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item) if (!fits(item)) return false;
	return json_is_array(array);
}

static bool is_number(const json_t *v)
{
	return json_is_integer(v);
}

static bool is_text(const json_t *v)
{
	return json_is_string(v) && utf8_all_shown(span_str(json_string_value(v)));
}

static bool is_texts(const json_t *v)
{
	return each_fits(v, is_text);
}

static bool is_err(const json_t *v)
{
	return json_is_integer(v) && json_integer_value(v) >= 0 && json_integer_value(v) < E_COUNT;
}

#define FIT(v, members) members_fit((v), (members), sizeof(members) / sizeof((members)[0]))

/* A mechanism, and one that is listed but not described. */
static bool is_mechanism(const json_t *v)
{
	static const struct member described[] = {
		{ "mechanism", is_text }, { "number", is_number },    { "keys", is_text },
		{ "key_min", is_number }, { "key_max", is_number },   { "where", is_text },
		{ "flags", is_texts },    { "flag_bits", is_number },
	};
	static const struct member listed[] = {
		{ "mechanism", is_text },
		{ "number", is_number },
		{ "where", is_text },
	};

	return FIT(v, described) || FIT(v, listed);
}

static bool are_mechanisms(const json_t *v)
{
	return each_fits(v, is_mechanism);
}

/* A slot, and one that could not be read. */
static bool is_slot(const json_t *v)
{
	static const struct member offering[] = {
		{ "slot", is_number },
		{ "description", is_text },
		{ "token", is_text },
		{ "mechanisms", are_mechanisms },
	};
	static const struct member failing[] = {
		{ "slot", is_number },
		{ "description", is_text },
		{ "token", is_text },
		{ "error", is_text },
	};

	return FIT(v, offering) || FIT(v, failing);
}

static bool are_slots(const json_t *v)
{
	return each_fits(v, is_slot);
}

bool answer_fits(const json_t *v)
{
	static const struct member answer[] = {
		{ "slots", are_slots },
		{ "err", is_err },
		{ "why", is_text },
	};

	return FIT(v, answer);
}
