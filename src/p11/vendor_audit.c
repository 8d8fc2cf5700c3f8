/* SPDX-License-Identifier: Apache-2.0 */
/* The vendor interface to the audit log. */
#include "p11/vendor.h"

#include "core/enrol.h"
#include "core/slot.h"
#include "core/token.h"

_Static_assert(CHANCERY_ON_BEHALF_MAX == ENROL_BEHALF_MAX, "one bound");

static enum err init(struct span text, struct why *why)
{
	struct roll_policy p;
	char target[PATH_MAX];
	enum err e = lib_roll_policy(&p, target, why);

	if (e == OK && p.target == NULL)
		e = why_fail(why, E_NOT_SUPPORTED, "the audit log is off");
	if (e == OK)
		e = lib_make_state_for(p.target, why);
	return e == OK ? roll_init(&p, text, why) : e;
}

CK_RV vendor_audit_init(const CK_UTF8CHAR *text, CK_ULONG len, CK_CHANCERY_WHY_PTR out)
{
	struct why why = { .text = "" };
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = text != NULL ? init(span(text, len), &why) : E_ARGUMENTS;
	return vendor_leave(&c, e, &why, out);
}

CK_RV vendor_audit_on_behalf(CK_SESSION_HANDLE h, const CK_UTF8CHAR *text, CK_ULONG len)
{
	struct call c;
	enum err e = call_enter(&c, h);

	if (e == OK)
		e = text != NULL || len == 0 ? enrol_behalf(c.session, span(text, len))
					     : E_ARGUMENTS;
	return call_leave(&c, e);
}

CK_RV vendor_audit_reference(CK_SESSION_HANDLE h, CK_CHANCERY_REFERENCE_PTR out)
{
	struct roll_ref ref;
	struct call c;
	enum err e = call_enter(&c, h);

	if (e == OK)
		e = out != NULL ? enrol_reference(c.session, &ref) : E_ARGUMENTS;
	if (e == OK) {
		_Static_assert(sizeof(out->roll) == sizeof(ref.id) &&
				       sizeof(out->head) == sizeof(ref.head),
			       "the same bytes");
		memcpy(out->roll, ref.id, sizeof(out->roll));
		out->file = ref.file;
		out->seq = ref.seq;
		memcpy(out->head, ref.head, sizeof(out->head));
	}
	return call_leave(&c, e);
}

CK_RV vendor_audit_checkpoint(void)
{
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = lib_roll() != NULL ? roll_checkpoint(lib_roll()) : E_NOT_SUPPORTED;
	return call_leave(&c, e);
}

static void state(CK_CHANCERY_AUDIT *out)
{
	struct roll *r = lib_roll();
	struct roll_state s;

	roll_state(r, &s);
	*out = (CK_CHANCERY_AUDIT){
		.on = r != NULL,
		.open = s.open,
		.failed = s.failed,
		.durable = s.durable,
		.low = s.low,
		.file = s.file,
		.records = s.records,
		.barriers = s.barriers,
		.bytes = s.bytes,
	};
	memcpy(out->why, s.why, strnlen(s.why, sizeof(out->why) - 1));
}

CK_RV vendor_audit_state(CK_CHANCERY_AUDIT_PTR out)
{
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK && out == NULL)
		e = E_ARGUMENTS;
	if (e == OK)
		state(out);
	return call_leave(&c, e);
}

CK_RV vendor_sign_batch(CK_SESSION_HANDLE h, CK_MECHANISM_PTR m, CK_OBJECT_HANDLE key,
			CK_CHANCERY_ANSWER_PTR answers, CK_ULONG n)
{
	struct call c;
	enum err e = call_enter(&c, h);

	if (e == OK)
		e = op_sign_batch(c.session, m, key, answers, n);
	return call_leave(&c, e);
}

CK_RV vendor_token_require_audit(CK_SLOT_ID slot, const CK_UTF8CHAR *pin, CK_ULONG pin_len,
				 CK_BBOOL on, CK_CHANCERY_WHY_PTR out)
{
	struct why why = { .text = "" };
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = pin != NULL && on <= CK_TRUE
			    ? slot_require_audit(slot, span(pin, pin_len), on == CK_TRUE)
			    : E_ARGUMENTS;
	return vendor_leave(&c, e, &why, out);
}

CK_RV vendor_token_requires_audit(CK_SLOT_ID slot, CK_BBOOL *on)
{
	struct token *t = NULL;
	CK_TOKEN_INFO info;
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = on != NULL ? slot_token(slot, &t) : E_ARGUMENTS;
	if (e == OK)
		e = token_info(t, &info); /* looks at the token again */
	if (e == OK)
		*on = token_requires_audit(t) ? CK_TRUE : CK_FALSE;
	return call_leave(&c, e);
}
