/* SPDX-License-Identifier: Apache-2.0 */
/* chancery key public */
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/office.h"
#include "cli/output.h"
#include "cli/pubkey.h"
#include <string.h>

static const struct option_row options[] = {
	{ "out", "FILE", "where the key goes (default: standard output)", NULL },
	{ "format", "FORMAT", "pem (default) or der: a SubjectPublicKeyInfo either way",
	  "pem der" },
	{ "pin-source", "SOURCE", "the user's PIN, when only the private key is there",
	  PIN_SOURCES },
	{ NULL, NULL, NULL, NULL },
};

/* The public key, or the private one: it knows its public half too. */
static enum err find_key(struct call *c, const struct office *o, struct object_info *key)
{
	enum err e = object_one(o->desk, &o->uri, CKO_PUBLIC_KEY, key, &c->why);

	if (e == E_OBJECT_HANDLE)
		e = object_one(o->desk, &o->uri, CKO_PRIVATE_KEY, key, &c->why);
	return e;
}

static enum err write_out(struct call *c, json_t *uri, struct span bytes, bool der)
{
	struct output out = { bytes, !der, "public_key", "The public key" };

	return output_write(c, &out,
			    json_pack("{s:o, s:s}", "key", uri, "format", der ? "der" : "pem"));
}

static enum err key_public(struct call *c)
{
	struct office o = { 0 };
	struct object_info key = { 0 };
	struct buf der = { 0 }, text = { 0 };
	const char *uri, *format = call_option(c, "format");
	bool as_der = format != NULL && strcmp(format, "der") == 0;
	enum err e = call_operand(c, 0, "the key's URI", &uri);

	if (e == OK && format != NULL && !as_der && strcmp(format, "pem") != 0)
		e = why_fail(&c->why, E_ARGUMENTS, "--format is pem or der, not \"%s\"", format);
	if (e == OK)
		e = office_session(c, uri, false, CKU_USER, &o);
	if (e == OK)
		e = find_key(c, &o, &key);
	if (e == OK)
		e = pubkey_info(o.desk, &key, &der, &c->why);
	if (e == OK && !as_der)
		e = pubkey_pem(buf_span(&der), &text, &c->why);
	if (e == OK)
		e = write_out(c, describe_object_uri(&o.spot, &key),
			      buf_span(as_der ? &der : &text), as_der);
	buf_free(&der);
	buf_free(&text);
	object_info_free(&key);
	office_close(&o);
	return e;
}

const struct command cmd_key_public = {
	"key", "public", "URI", 1, "Write a public key to a file", options, key_public,
};
