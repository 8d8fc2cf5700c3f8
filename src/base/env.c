/* SPDX-License-Identifier: Apache-2.0 */
#include "base/env.h"

#include <stdlib.h>
#include <sys/auxv.h>

bool env_secure(void)
{
	return getauxval(AT_SECURE) != 0;
}

const char *env_get(const char *name)
{
	const char *v = env_secure() ? NULL : getenv(name);

	return v != NULL && v[0] != '\0' ? v : NULL;
}
