/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/auditkeys.h"
#include "base/file.h"
#include "cli/vendor.h"
#include <fcntl.h>
#include <unistd.h>

enum err auditkeys_make(struct call *c, struct auditkeys *k)
{
	enum err e;

	*k = (struct auditkeys){ .private_text = { .secret = true } };
	if (!call_flag(c, "key-out") && (c->json || !isatty(STDOUT_FILENO)))
		return why_fail(&c->why, E_ARGUMENTS,
				"the private keys are shown on a terminal only: --key-out FILE "
				"writes them where nobody but you reads them");
	e = keys_make(&k->public_text, &k->private_text, &c->why);
	return e == OK ? keys_public_read(buf_span(&k->public_text), &k->pub, &c->why) : e;
}

void auditkeys_free(struct auditkeys *k)
{
	buf_free(&k->public_text);
	buf_free(&k->private_text);
}

static enum err show_private(struct call *c, struct span text)
{
	int tty = open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC);
	enum err e;

	if (tty < 0)
		return why_errno(&c->why, "there is no terminal to show the private keys on");
	e = file_write_fd(tty, "to the terminal",
			  span_str("The private keys. They are not kept, and not shown again:\n\n"),
			  &c->why);
	if (e == OK)
		e = file_write_fd(tty, "to the terminal", text, &c->why);
	if (e == OK)
		e = file_write_fd(tty, "to the terminal", span_str("\n"), &c->why);
	file_close(tty);
	return e;
}

enum err auditkeys_to_roll(struct call *c, struct span public_text)
{
	struct office o = { 0 };
	const CK_CHANCERY_FUNCTIONS *fn = NULL;
	CK_CHANCERY_WHY why = { "" };
	enum err e = office_module(c, NULL, &o);

	if (e == OK)
		e = vendor_functions(c, &o, &fn);
	if (e == OK && !vendor_has_audit(fn))
		e = why_fail(&c->why, E_NOT_SUPPORTED, "%s keeps no audit log", module_path(o.m));
	if (e == OK)
		e = vendor_err(c, fn->AuditInit(public_text.p, public_text.n, &why), "AuditInit",
			       &why);
	office_close(&o);
	return e;
}

enum err auditkeys_hand_over(struct call *c, const struct auditkeys *k)
{
	const char *key_out = call_option(c, "key-out"), *pub_out = call_option(c, "pub-out");
	enum err e = key_out != NULL
			     ? file_create(key_out, 0600, buf_span(&k->private_text), &c->why)
			     : show_private(c, buf_span(&k->private_text));

	if (e != OK)
		return e;
	e = pub_out != NULL ? file_create(pub_out, 0644, buf_span(&k->public_text), &c->why)
			    : auditkeys_to_roll(c, buf_span(&k->public_text));
	if (e != OK && key_out != NULL)
		(void)unlink(key_out);
	return e;
}
