/* SPDX-License-Identifier: Apache-2.0 */
/* The vendor interface to the counts of uses. */
#include "p11/vendor.h"

#include "core/slot.h"
#include "core/uses.h"

_Static_assert(CHANCERY_USE_KEY == STORE_USE_KEY, "a key's name has one length");

struct showing {
	CK_CHANCERY_USES show;
	void *arg;
};

static enum err show(void *arg, const struct uses_row *row)
{
	const struct showing *s = arg;
	CK_CHANCERY_USE use = { .file = row->file, .count = row->count, .sealed = row->sealed };

	memcpy(use.roll, row->roll, sizeof(use.roll));
	memcpy(use.key, row->key, sizeof(use.key));
	s->show(s->arg, &use);
	return OK;
}

CK_RV vendor_token_uses(CK_SLOT_ID slot, CK_USER_TYPE user, const CK_UTF8CHAR *pin,
			CK_ULONG pin_len, CK_CHANCERY_USES show_use, void *arg,
			CK_CHANCERY_WHY_PTR out)
{
	struct showing s = { show_use, arg };
	struct why why = { .text = "" };
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK && (pin == NULL || show_use == NULL || (user != CKU_USER && user != CKU_SO)))
		e = E_ARGUMENTS;
	else if (e == OK)
		e = slot_token_uses(slot, user, span(pin, pin_len), show, &s);
	if (e == E_CORRUPT)
		(void)why_fail(
			&why, e,
			"the counts of uses in the token were altered, or are not all there: "
			"`chancery doctor` with a PIN tells what else is");
	return vendor_leave(&c, e, &why, out);
}
