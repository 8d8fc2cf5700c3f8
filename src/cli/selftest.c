/* SPDX-License-Identifier: Apache-2.0 */
/* chancery selftest */
#include "cli/commands.h"
#include "cli/findings.h"
#include "cli/vendor.h"

static const struct option_row options[] = { { NULL, NULL, NULL, NULL } };

static enum err selftest(struct call *c)
{
	struct office o = { 0 };
	struct findings f;
	const CK_CHANCERY_FUNCTIONS *fn;
	CK_RV rv = CKR_OK;
	enum err e = findings_begin(&f);

	if (e == OK)
		e = office_module(c, NULL, &o);
	if (e == OK)
		e = vendor_functions(c, &o, &fn);
	if (e == OK) {
		rv = fn->SelfTest(findings_report, &f);
		e = findings_end(c, &f, "self-tests");
	} else {
		findings_drop(&f);
	}
	if (e == OK)
		e = module_err(rv, "SelfTest", &c->why);
	office_close(&o);
	return e;
}

const struct command cmd_selftest = {
	NULL, "selftest", NULL, 0, "Run every known-answer test of the module", options, selftest,
};
