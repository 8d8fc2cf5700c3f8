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

/* The length of the well-formed character at the front of s, and *c its code point. 0: there is none, and *c is as it was. */
size_t utf8_char(struct span s, uint32_t *c);

/*
 * The length of the character at the front of s if it may be shown as it is. 0: s is empty, the
 * character is not well-formed, or it steers what shows it, as control characters do (C0, DEL and
 * C1, of which U+009B begins a terminal's commands), ends of lines, and what turns the direction of
 * text (UAX #9), so that it reads as something else.
 */
size_t utf8_shown(struct span s);

/* Whether all of s may be shown as it is. */
bool utf8_all_shown(struct span s);

#endif
