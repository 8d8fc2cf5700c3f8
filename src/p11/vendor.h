/* SPDX-License-Identifier: Apache-2.0 */
/* The vendor interface (chancery.h), for C_GetInterface. */
#ifndef CHANCERY_P11_VENDOR_H
#define CHANCERY_P11_VENDOR_H

#include <chancery/chancery.h>

/* Never written to; not const because CK_INTERFACE hands out plain pointers. */
extern CK_CHANCERY_FUNCTIONS vendor_functions;

#endif
