/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/param.h"

#include "base/mem.h"
#include "crypto/mech.h"
#include "crypto/param_bytes.h"

/*
 * AAD and the like have no length of their own in the standard; this bound keeps one C_EncryptInit
 * from taking all memory. Labels, contexts and salts stay far below it.
 */
#define PARAM_BYTES_MAX ((size_t)1 << 24)

enum err pbytes_take(struct pbytes *b, const void *p, size_t n)
{
	if (n == 0)
		return OK;
	if (p == NULL || n > PARAM_BYTES_MAX)
		return E_MECHANISM_PARAM;
	if (n > PARAM_INLINE) {
		b->heap = mem_alloc_secret(n);
		if (b->heap == NULL)
			return E_MEMORY;
	}
	memcpy(b->heap != NULL ? b->heap : b->here, p, n);
	b->n = n;
	return OK;
}

enum err param_take(const struct mech *m, const CK_MECHANISM *mechanism, struct param *par)
{
	if (mechanism->pParameter == NULL && mechanism->ulParameterLen != 0)
		return E_MECHANISM_PARAM;
	if (m->param != NULL)
		return m->param(m, mechanism, par);
	return mechanism->ulParameterLen == 0 ? OK : E_MECHANISM_PARAM;
}

void param_clear(struct param *par)
{
	mem_free(par->iv.heap);
	mem_free(par->aad.heap);
	mem_free(par->context.heap);
	mem_free(par->data.heap);
	mem_wipe(par, sizeof(*par));
}
