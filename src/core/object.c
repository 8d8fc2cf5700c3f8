/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object.h"

#include "base/mem.h"
#include "core/attr.h"
#include "core/keycache.h"
#include "core/usage.h"

enum sight object_sight(const struct attrset *attrs)
{
	if (attrset_bool(attrs, CKA_PRIVATE, false))
		return SIGHT_USER;
	return attr_sealed(attrs) ? SIGHT_LOGIN : SIGHT_ALL;
}

enum err object_new(struct attrset *attrs, bool lineage, struct object **out)
{
	struct object *o = mem_alloc(sizeof(*o));

	if (o == NULL) {
		attrset_free(attrs);
		return E_MEMORY;
	}
	atomic_init(&o->refs, 1);
	atomic_init(&o->key_used, false);
	o->attrs = attrs; /* moved */
	o->cls = attrset_ulong(attrs, CKA_CLASS, CK_UNAVAILABLE_INFORMATION);
	o->key_type = attrset_ulong(attrs, CKA_KEY_TYPE, CK_UNAVAILABLE_INFORMATION);
	o->token = attrset_bool(attrs, CKA_TOKEN, false);
	o->sight = object_sight(attrs);
	o->always_auth = attrset_bool(attrs, CKA_ALWAYS_AUTHENTICATE, false);
	o->restricted = attrset_bytes(attrs, CKA_ALLOWED_MECHANISMS).n != 0;
	o->usages = usage_bits(attrs);
	o->label = attrset_bytes(attrs, CKA_LABEL);
	o->key_id = attrset_bytes(attrs, CKA_ID);
	o->lineage = lineage;
	/* memory is ours alone; what is stored is judged when it is read */
	o->verified = !o->token;
	*out = o;
	return OK;
}

struct object *object_ref(struct object *o)
{
	atomic_fetch_add_explicit(&o->refs, 1, memory_order_relaxed);
	return o;
}

bool object_try_ref(struct object *o)
{
	unsigned n = atomic_load_explicit(&o->refs, memory_order_relaxed);

	while (n != 0)
		if (atomic_compare_exchange_weak_explicit(&o->refs, &n, n + 1, memory_order_relaxed,
							  memory_order_relaxed))
			return true;
	return false;
}

void object_unref(struct object *o)
{
	if (o == NULL || atomic_fetch_sub_explicit(&o->refs, 1, memory_order_acq_rel) != 1)
		return;
	keycache_drop(o);
	attrset_free(o->attrs);
	mem_free(o);
}

enum err object_key(struct object *o, struct key **out)
{
	struct key *k = keycache_get(o);
	enum err e;

	if (k != NULL) {
		*out = k;
		return OK;
	}
	e = key_parse(o->attrs, &k);
	if (e == E_MEMORY) {
		/* locked = strict refuses memory beyond the budget: keys that rest make room */
		keycache_trim();
		e = key_parse(o->attrs, &k);
	}
	if (e == OK)
		*out = keycache_put(o, k);
	return e;
}
