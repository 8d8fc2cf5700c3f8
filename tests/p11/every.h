/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of all functions with nothing but zeros and NULL pointers, for what is the same with all. */
#ifndef CHANCERY_TESTS_EVERY_H
#define CHANCERY_TESTS_EVERY_H

#include "p11.h"

/* In place of one value: whatever each has to say (watch.h looks at it). */
#define EVERY_REFUSED CK_UNAVAILABLE_INFORMATION

/* Every function that needs the library, but none with a session. */
void every_library_function(CK_RV want);
/* Every function with a session. */
void every_session_function(CK_SESSION_HANDLE s, CK_RV want);

#endif
