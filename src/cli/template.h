/* SPDX-License-Identifier: Apache-2.0 */
/* A template under construction: the attributes, and the numbers and flags that they point to. */
#ifndef CHANCERY_CLI_TEMPLATE_H
#define CHANCERY_CLI_TEMPLATE_H

#include "base/span.h"
#include <chancery/pkcs11.h>

enum { TEMPLATE_MAX = 32 };

/* Starts as { 0 }; must not be copied or moved once something was put, since it points into itself. */
struct template
{
	CK_ATTRIBUTE a[TEMPLATE_MAX];
	CK_ULONG numbers[TEMPLATE_MAX];
	CK_ULONG n;
};

/* v is borrowed. More than TEMPLATE_MAX attributes is a mistake of the program and aborts. */
void template_bytes(struct template *t, CK_ATTRIBUTE_TYPE type, struct span v);
void template_ulong(struct template *t, CK_ATTRIBUTE_TYPE type, CK_ULONG v);
void template_bool(struct template *t, CK_ATTRIBUTE_TYPE type, bool v);

#endif
