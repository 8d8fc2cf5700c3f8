/* SPDX-License-Identifier: Apache-2.0 */
/* How the parameter rules copy bytes. */
#ifndef CHANCERY_CRYPTO_PARAM_BYTES_H
#define CHANCERY_CRYPTO_PARAM_BYTES_H

#include "crypto/param.h"

/*
 * Copies n bytes into *b, which is empty. NULL with length 0 is empty; E_MECHANISM_PARAM for NULL
 * with a length or more than a parameter may have, E_MEMORY.
 */
enum err pbytes_take(struct pbytes *b, const void *p, size_t n);

/*
 * The structure of exactly this size behind the mechanism, copied to *s; E_MECHANISM_PARAM when it
 * is not there.
 */
static inline enum err param_struct(const CK_MECHANISM *mechanism, void *s, size_t size)
{
	if (mechanism->ulParameterLen != size || mechanism->pParameter == NULL)
		return E_MECHANISM_PARAM;
	memcpy(s, mechanism->pParameter, size);
	return OK;
}

#endif
