/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/keyname.h"
#include "cli/describe.h"
#include "cli/report.h"

enum err keyname_unused(struct call *c, const struct office *o, struct span label)
{
	struct uri u = { 0 };
	struct object_info *list = NULL;
	size_t n = 0;

	if (label.n == 0)
		return why_fail(&c->why, E_ARGUMENTS,
				"a key without a label is hard to find again: give --label a text");
	uri_set(&u, URI_OBJECT, label);
	enum err e = object_list(o->desk, &u, CK_UNAVAILABLE_INFORMATION, &list, &n, &c->why);
	if (e == OK && n > 0)
		e = why_fail(
			&c->why, E_ARGUMENTS,
			"there is an object with this label already: choose another, or delete it "
			"with `chancery key delete`");
	object_list_free(list, n);
	return e;
}

enum err keyname_tell(struct call *c, const struct office *o, struct span label, CK_OBJECT_HANDLE h,
		      const char *done)
{
	struct object_info info = { 0 };
	enum err e = object_info_read(o->desk, h, &info);

	if (e == OK)
		e = report_done(c, describe_object(&o->spot, &info), "%s \"%.*s\".", done,
				(int)label.n, (const char *)label.p);
	object_info_free(&info);
	return e;
}
