/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/vendor.h"

enum err vendor_functions(struct call *c, const struct office *o, const CK_CHANCERY_FUNCTIONS **fn)
{
	*fn = module_chancery(o->m);
	if (*fn == NULL)
		return why_fail(&c->why, E_NOT_SUPPORTED,
				"%s cannot do this: it needs Chancery's own module",
				module_path(o->m));
	return OK;
}

bool vendor_has_audit(const CK_CHANCERY_FUNCTIONS *fn)
{
	return fn->version.minor >= 1;
}

bool vendor_has_uses(const CK_CHANCERY_FUNCTIONS *fn)
{
	return fn->version.minor >= 3;
}

enum err vendor_err(struct call *c, CK_RV rv, const char *function, const CK_CHANCERY_WHY *why)
{
	if (rv != CKR_OK && why->text[0] != '\0')
		return why_fail(&c->why, err_of_rv(rv), "%s", why->text);
	return module_err(rv, function, &c->why);
}
