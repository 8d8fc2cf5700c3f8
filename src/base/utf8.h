/* SPDX-License-Identifier: Apache-2.0 */
/* Strict UTF-8 (RFC 3629). */
#ifndef CHANCERY_BASE_UTF8_H
#define CHANCERY_BASE_UTF8_H

#include "base/span.h"

/*
 * Whether s is well-formed: no overlong forms, surrogates, code points above U+10FFFF or cut
 * sequences. NUL is a character.
 */
bool utf8_valid(struct span s);

#endif
