/* SPDX-License-Identifier: Apache-2.0 */
#include "store/seal.h"

#include "base/mem.h"
#include <stddef.h>

static const struct {
	const char *purpose;
	size_t place;
} derived[] = {
	{ "chancery store 1 record", offsetof(struct seal, record) },
	{ "chancery store 1 mac", offsetof(struct seal, mac) },
	{ "chancery store 1 index", offsetof(struct seal, index) },
	{ "chancery store 1 root", offsetof(struct seal, root) },
	{ "chancery store 1 state", offsetof(struct seal, state) },
	{ "chancery store 1 uses", offsetof(struct seal, uses) },
};

enum err seal_new(const struct ident *ident, enum store_user user, const uint8_t *data_key,
		  struct seal **out)
{
	struct seal *k = mem_alloc_secret(sizeof(*k));
	enum err e = OK;

	if (k == NULL)
		return E_MEMORY;
	k->user = user;
	k->ident = *ident;
	memcpy(k->data, data_key, sizeof(k->data));
	for (size_t i = 0; e == OK && i < sizeof(derived) / sizeof(derived[0]); i++)
		e = sealing_hkdf(span(k->data, sizeof(k->data)), span(&k->ident, sizeof(k->ident)),
				 span_str(derived[i].purpose), (uint8_t *)k + derived[i].place,
				 SEALING_KEY);
	if (e != OK) {
		seal_free(k);
		return e;
	}
	*out = k; /* moved */
	return OK;
}

void seal_free(struct seal *k)
{
	mem_free(k);
}

enum sight seal_sight(const struct seal *k)
{
	if (k == NULL)
		return SIGHT_ALL;
	return k->user == STORE_USER ? SIGHT_USER : SIGHT_LOGIN;
}

bool seal_fits(const struct seal *k, const struct ident *ident)
{
	return memcmp(&k->ident, ident, sizeof(*ident)) == 0;
}
