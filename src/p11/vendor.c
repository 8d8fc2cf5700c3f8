/* SPDX-License-Identifier: Apache-2.0 */
#include "p11/vendor.h"

#include "base/mem.h"
#include "core/keycache.h"
#include "core/lib.h"
#include "core/slot.h"
#include "core/token.h"
#include "crypto/lib.h"
#include "crypto/mech.h"

_Static_assert(sizeof(struct why) == sizeof(CK_CHANCERY_WHY), "a reason is passed on as it is");

CK_RV vendor_leave(struct call *c, enum err e, const struct why *why, CK_CHANCERY_WHY *out)
{
	const char *text = e != OK && why->text[0] != '\0' ? why->text : err_text(e);

	if (out != NULL) {
		memset(out, 0, sizeof(*out));
		memcpy(out->text, text, strnlen(text, sizeof(out->text) - 1));
	}
	(void)call_leave(c, e);
	return err_rv_vendor(e);
}

static CK_RV token_create(const CK_UTF8CHAR *pin, CK_ULONG pin_len, const CK_UTF8CHAR *label,
			  CK_SLOT_ID_PTR slot, CK_CHANCERY_WHY_PTR out)
{
	struct why why = { .text = "" };
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = pin == NULL || label == NULL || slot == NULL
			    ? E_ARGUMENTS
			    : slot_create_token(span(pin, pin_len), label, slot, &why);
	return vendor_leave(&c, e, &why, out);
}

static CK_RV token_delete(CK_SLOT_ID slot, const CK_UTF8CHAR *pin, CK_ULONG pin_len,
			  CK_CHANCERY_WHY_PTR out)
{
	struct why why = { .text = "" };
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = pin == NULL ? E_ARGUMENTS : slot_delete_token(slot, span(pin, pin_len), &why);
	return vendor_leave(&c, e, &why, out);
}

static CK_RV token_rename_to(CK_SLOT_ID slot, const CK_UTF8CHAR *pin, CK_ULONG pin_len,
			     const CK_UTF8CHAR *label, CK_CHANCERY_WHY_PTR out)
{
	struct why why = { .text = "" };
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = pin == NULL || label == NULL
			    ? E_ARGUMENTS
			    : slot_rename_token(slot, span(pin, pin_len), label);
	return vendor_leave(&c, e, &why, out);
}

static CK_RV token_backup_to(CK_SLOT_ID slot, const CK_UTF8CHAR *pass, CK_ULONG pass_len,
			     const char *path, CK_CHANCERY_WHY_PTR out)
{
	struct why why = { .text = "" };
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = pass == NULL || path == NULL
			    ? E_ARGUMENTS
			    : slot_backup_token(slot, span(pass, pass_len), path, &why);
	return vendor_leave(&c, e, &why, out);
}

static CK_RV token_restore(const CK_UTF8CHAR *pass, CK_ULONG pass_len, const char *path,
			   CK_SLOT_ID_PTR slot, CK_CHANCERY_WHY_PTR out)
{
	struct why why = { .text = "" };
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = pass == NULL || path == NULL || slot == NULL
			    ? E_ARGUMENTS
			    : slot_restore_token(span(pass, pass_len), path, slot, &why);
	return vendor_leave(&c, e, &why, out);
}

/* ---- reports ---- */

struct report {
	CK_CHANCERY_REPORT line;
	void *arg;
};

static void finding(void *arg, bool bad, const char *text)
{
	const struct report *r = arg;

	r->line(r->arg, bad ? CK_FALSE : CK_TRUE, text);
}

static CK_RV token_check_all(CK_SLOT_ID slot, CK_USER_TYPE user, const CK_UTF8CHAR *pin,
			     CK_ULONG pin_len, CK_CHANCERY_REPORT line, void *arg)
{
	struct report r = { line, arg };
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = line == NULL ? E_ARGUMENTS
				 : slot_check_token(slot, user, span(pin, pin_len), finding, &r);
	return call_leave(&c, e);
}

static CK_RV state_check(CK_CHANCERY_REPORT line, void *arg)
{
	struct report r = { line, arg };
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK && line == NULL)
		e = E_ARGUMENTS;
	if (e == OK)
		slot_survey(finding, &r);
	return call_leave(&c, e);
}

static void tested(void *arg, const char *name, enum err e)
{
	const struct report *r = arg;

	r->line(r->arg, e == OK ? CK_TRUE : CK_FALSE, name);
}

static CK_RV self_test(CK_CHANCERY_REPORT line, void *arg)
{
	struct report r = { line, arg };
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK)
		e = line == NULL ? E_ARGUMENTS : selftest_all(tested, &r);
	return call_leave(&c, e);
}

/* ---- numbers ---- */

static void count_memory(CK_CHANCERY_MEMORY *out)
{
	struct mem_stats m;
	struct keycache_stats k;

	mem_stats(&m);
	keycache_stats(&k);
	*out = (CK_CHANCERY_MEMORY){
		.secretUsed = m.secret_used,
		.secretLocked = m.secret_locked,
		.secretUnlocked = m.secret_unlocked,
		.dumpExcluded = m.dump_excluded ? CK_TRUE : CK_FALSE,
		.wipeOnFork = m.wipe_on_fork ? CK_TRUE : CK_FALSE,
		.keys = k.keys,
		.keyBytes = k.bytes,
		.keyLimit = k.limit,
		.keyEvictions = k.evictions,
	};
}

static CK_RV memory_statistics(CK_CHANCERY_MEMORY_PTR out)
{
	struct call c;
	enum err e = call_enter_library(&c);

	if (e == OK && out == NULL)
		e = E_ARGUMENTS;
	if (e == OK)
		count_memory(out);
	return call_leave(&c, e);
}

CK_CHANCERY_FUNCTIONS vendor_functions = {
	.version = { CHANCERY_INTERFACE_MAJOR, CHANCERY_INTERFACE_MINOR },
	.TokenCreate = token_create,
	.TokenDelete = token_delete,
	.TokenRename = token_rename_to,
	.TokenBackup = token_backup_to,
	.TokenRestore = token_restore,
	.TokenCheck = token_check_all,
	.SelfTest = self_test,
	.MemoryStatistics = memory_statistics,
	.CryptoVersion = crypto_version,
	.StateCheck = state_check,
	.AuditInit = vendor_audit_init,
	.AuditOnBehalf = vendor_audit_on_behalf,
	.AuditReference = vendor_audit_reference,
	.AuditCheckpoint = vendor_audit_checkpoint,
	.AuditState = vendor_audit_state,
	.TokenRequireAudit = vendor_token_require_audit,
	.TokenRequiresAudit = vendor_token_requires_audit,
	.SignBatch = vendor_sign_batch,
	.TokenUses = vendor_token_uses,
};
