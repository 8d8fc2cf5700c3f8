/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/p11work.h"
#include "base/mem.h"
#include <string.h>

enum { OUT_MAX = DATA_MAX + 4096 };

struct state {
	const struct p11job *j;
	const CK_FUNCTION_LIST *fn;
	CK_SESSION_HANDLE h;
	CK_OBJECT_HANDLE key;
	CK_MECHANISM mech;
	CK_GCM_PARAMS gcm;
	uint8_t iv[12];
	uint8_t in[DATA_MAX], out[OUT_MAX];
};

static void *begin(void *arg)
{
	const struct p11job *j = arg;
	struct state *s = mem_alloc(sizeof(*s));

	if (s == NULL || pool_take(j->t->pool, &s->h, NULL) != OK) {
		mem_free(s);
		return NULL;
	}
	s->j = j;
	s->fn = module_fn(j->t->m);
	s->key = j->key < KEY_COUNT ? j->t->key[j->key] : 0;
	s->mech.mechanism = j->mech;
	memset(s->in, 0x5a, sizeof(s->in));
	return s;
}

static void end(void *arg)
{
	struct state *s = arg;

	pool_give(s->j->t->pool, s->h, false);
	mem_free(s);
}

static bool step_sign(void *arg)
{
	struct state *s = arg;
	CK_ULONG n = OUT_MAX;

	return s->fn->C_SignInit(s->h, &s->mech, s->key) == CKR_OK &&
	       s->fn->C_Sign(s->h, s->in, s->j->n, s->out, &n) == CKR_OK;
}

static bool step_digest(void *arg)
{
	struct state *s = arg;
	CK_ULONG n = OUT_MAX;

	return s->fn->C_DigestInit(s->h, &s->mech) == CKR_OK &&
	       s->fn->C_Digest(s->h, s->in, s->j->n, s->out, &n) == CKR_OK;
}

static void *begin_gcm(void *arg)
{
	struct state *s = begin(arg);

	if (s == NULL)
		return NULL;
	s->gcm = (CK_GCM_PARAMS){ .pIv = s->iv,
				  .ulIvLen = sizeof(s->iv),
				  .ulIvBits = 96,
				  .ulTagBits = 128 };
	s->mech.pParameter = &s->gcm;
	s->mech.ulParameterLen = sizeof(s->gcm);
	return s;
}

static bool step_gcm(void *arg)
{
	struct state *s = arg;
	CK_ULONG n = OUT_MAX;
	uint64_t count;

	memcpy(&count, s->iv, sizeof(count));
	count++;
	memcpy(s->iv, &count, sizeof(count));
	return s->fn->C_EncryptInit(s->h, &s->mech, s->key) == CKR_OK &&
	       s->fn->C_Encrypt(s->h, s->in, s->j->n, s->out, &n) == CKR_OK;
}

static bool step_attr(void *arg)
{
	struct state *s = arg;
	CK_KEY_TYPE type;
	CK_ATTRIBUTE a = { CKA_KEY_TYPE, &type, sizeof(type) };

	return s->fn->C_GetAttributeValue(s->h, s->key, &a, 1) == CKR_OK;
}

static bool has(const struct p11job *j)
{
	CK_MECHANISM_INFO info;

	if (j->t->m == NULL || (j->key < KEY_COUNT && j->t->key[j->key] == 0))
		return false;
	return j->mech == CK_UNAVAILABLE_INFORMATION ||
	       module_fn(j->t->m)->C_GetMechanismInfo(j->t->slot, j->mech, &info) == CKR_OK;
}

static struct contender contender(struct p11job *j, void *(*first)(void *), bool (*step)(void *))
{
	return (struct contender){ j->t->name, { first, step, end, j }, has(j) };
}

struct contender p11_sign(struct p11job *j)
{
	return contender(j, begin, step_sign);
}

struct contender p11_digest(struct p11job *j)
{
	return contender(j, begin, step_digest);
}

struct contender p11_gcm(struct p11job *j)
{
	return contender(j, begin_gcm, step_gcm);
}

struct contender p11_attr(struct p11job *j)
{
	return contender(j, begin, step_attr);
}
