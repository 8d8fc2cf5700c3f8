/* SPDX-License-Identifier: Apache-2.0 */
/* The vendor interface (chancery.h), for C_GetInterface. */
#ifndef CHANCERY_P11_VENDOR_H
#define CHANCERY_P11_VENDOR_H

#include "base/why.h"
#include "p11/call.h"
#include <chancery/chancery.h>

/* Never written to; not const because CK_INTERFACE hands out plain pointers. */
extern CK_CHANCERY_FUNCTIONS vendor_functions;

/*
 * call_leave, and fills the caller's structure in, if there is one. An error that brought no text of its own gets the general one; what
 * was tried in vain before a success is nobody's reason.
 */
CK_RV vendor_leave(struct call *c, enum err e, const struct why *why, CK_CHANCERY_WHY *out);

/* ---- vendor_audit.c ---- */
CK_RV vendor_audit_init(const CK_UTF8CHAR *text, CK_ULONG len, CK_CHANCERY_WHY_PTR out);
CK_RV vendor_audit_on_behalf(CK_SESSION_HANDLE h, const CK_UTF8CHAR *text, CK_ULONG len);
CK_RV vendor_audit_reference(CK_SESSION_HANDLE h, CK_CHANCERY_REFERENCE_PTR out);
CK_RV vendor_audit_checkpoint(void);
CK_RV vendor_audit_state(CK_CHANCERY_AUDIT_PTR out);
CK_RV vendor_token_require_audit(CK_SLOT_ID slot, const CK_UTF8CHAR *pin, CK_ULONG pin_len,
				 CK_BBOOL on, CK_CHANCERY_WHY_PTR out);
CK_RV vendor_token_requires_audit(CK_SLOT_ID slot, CK_BBOOL *on);
CK_RV vendor_sign_batch(CK_SESSION_HANDLE h, CK_MECHANISM_PTR m, CK_OBJECT_HANDLE key,
			CK_CHANCERY_ANSWER_PTR answers, CK_ULONG n);

/* ---- vendor_uses.c ---- */
CK_RV vendor_token_uses(CK_SLOT_ID slot, CK_USER_TYPE user, const CK_UTF8CHAR *pin,
			CK_ULONG pin_len, CK_CHANCERY_USES show_use, void *arg,
			CK_CHANCERY_WHY_PTR out);

#endif
