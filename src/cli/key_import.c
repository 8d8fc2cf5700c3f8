/* SPDX-License-Identifier: Apache-2.0 */
/* chancery key import */
#include "base/file.h"
#include "base/pin.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/hex.h"
#include "cli/keyaudit.h"
#include "cli/keyfile.h"
#include "cli/keyid.h"
#include "cli/keyname.h"
#include "cli/keykind.h"
#include "cli/report.h"
#include "cli/template.h"

#define FILE_MAX ((size_t)1 << 20)

static const struct option_row options[] = {
	{ "in", "FILE", "the key: PKCS#8, PKCS#1, SEC 1 or SubjectPublicKeyInfo, in PEM or DER",
	  NULL },
	{ "raw", "TYPE", "the file holds the bytes of a secret key of this type", "aes generic" },
	{ "passphrase-source", "SOURCE", "opens an encrypted key file", PIN_SOURCES },
	{ "label", "TEXT", "the key's name; one that is in use is refused", NULL },
	{ "id", "HEX", "CKA_ID (default: from the public key)", NULL },
	{ "use", "USE",
	  "the one thing it is for: sign, encrypt, wrap or derive (default: by the kind)",
	  "sign encrypt wrap derive" },
	{ "extractable", NULL, "allow it to be wrapped and taken out of the token", NULL },
	KEYAUDIT,
	{ "pin-source", "SOURCE", "the user's PIN", PIN_SOURCES },
	{ NULL, NULL, NULL, NULL },
};

struct import {
	struct span label;
	struct buf id;
	const struct keyuse *use;
	struct keyfile file;
	bool batch;
	CK_OBJECT_HANDLE pub, priv;
};

static const char *usual_use(CK_KEY_TYPE type)
{
	return type == CKK_EC_MONTGOMERY ? "derive" : type == CKK_AES ? "encrypt" : "sign";
}

static enum err use_take(struct call *c, struct import *im)
{
	const char *name = call_option(c, "use");

	im->use = keyuse_find(name != NULL ? name : usual_use(im->file.type));
	if (im->use == NULL)
		return why_fail(&c->why, E_ARGUMENTS,
				"--use is one of sign, encrypt, wrap, derive, not \"%s\"", name);
	return OK;
}

static bool is_signer(struct call *c, const struct import *im)
{
	return im->file.priv != NULL && call_option(c, "raw") == NULL &&
	       im->use->private_attr == CKA_SIGN;
}

/* ---- what the file holds ---- */

static enum err parse_raw(struct call *c, const char *type, struct span bytes, struct keyfile *k)
{
	bool aes = strcmp(type, "aes") == 0;

	if (!aes && strcmp(type, "generic") != 0)
		return why_fail(&c->why, E_ARGUMENTS, "--raw is aes or generic, not \"%s\"", type);
	k->type = aes ? CKK_AES : CKK_GENERIC_SECRET;
	if ((k->priv = attrset_new(true)) == NULL)
		return why_fail(&c->why, E_MEMORY, "%s", err_text(E_MEMORY));
	enum err e = attrset_put_ulong(k->priv, CKA_CLASS, CKO_SECRET_KEY);
	if (e == OK)
		e = attrset_put_ulong(k->priv, CKA_KEY_TYPE, k->type);
	if (e == OK)
		e = attrset_put(k->priv, CKA_VALUE, bytes);
	return e == OK ? OK : why_fail(&c->why, e, "%s", err_text(e));
}

static enum err parse(struct call *c, struct span bytes, struct keyfile *k)
{
	const char *raw = call_option(c, "raw"), *source = call_option(c, "passphrase-source");
	struct pin_ask ask = { "passphrase of the key file", false };
	struct buf passphrase = { .secret = true };
	enum err e = OK;

	if (raw != NULL)
		return parse_raw(c, raw, bytes, k);
	if (source != NULL)
		e = pin_read(source, PIN_FOR_TOOL, &ask, &passphrase, &c->why);
	if (e == OK)
		e = keyfile_parse(bytes, buf_span(&passphrase), k, &c->why);
	buf_free(&passphrase);
	return e;
}

static enum err file_take(struct call *c, struct keyfile *k)
{
	struct buf bytes = { .secret = true };
	const char *path;
	enum err e = call_required(c, "in", &path);

	if (e == OK)
		e = file_read(path, FILE_FOLLOW, FILE_MAX, &bytes, &c->why);
	if (e == OK)
		e = parse(c, buf_span(&bytes), k);
	buf_free(&bytes);
	return e;
}

/* ---- objects ---- */

static void template_of(const struct attrset *a, struct template *t)
{
	for (size_t i = 0; i < attrset_count(a); i++) {
		struct attr x = attrset_at(a, i);
		template_bytes(t, x.type, x.v);
	}
}

static enum err create(struct call *c, struct desk d, const struct import *im,
		       const struct attrset *material, bool is_private, CK_OBJECT_HANDLE *h)
{
	struct template t = { 0 };

	template_of(material, &t);
	template_bool(&t, CKA_TOKEN, true);
	template_bytes(&t, CKA_LABEL, im->label);
	if (im->id.n > 0)
		template_bytes(&t, CKA_ID, buf_span(&im->id));
	template_bool(&t, CKA_PRIVATE, is_private);
	if (is_private) {
		template_bool(&t, CKA_SENSITIVE, true);
		template_bool(&t, CKA_EXTRACTABLE, call_flag(c, "extractable"));
		template_bool(&t, im->use->private_attr, true);
		keyaudit_put(im->batch, &t);
	}
	if (im->use->public_attr != im->use->private_attr && (!is_private || im->file.pub == NULL))
		template_bool(&t, im->use->public_attr, true);
	return module_err(module_fn(d.m)->C_CreateObject(d.h, t.a, t.n, h), "C_CreateObject",
			  &c->why);
}

/* The public half first: its id names both. What was made is taken back when the rest fails. */
static enum err create_all(struct call *c, struct desk d, struct import *im)
{
	enum err e = OK;

	if (im->file.pub != NULL)
		e = create(c, d, im, im->file.pub, false, &im->pub);
	if (e == OK && im->file.priv != NULL)
		e = create(c, d, im, im->file.priv, true, &im->priv);
	if (e == OK && im->id.n == 0 && im->pub != 0)
		e = keyid_assign(d, im->pub, im->priv, &c->why);
	if (e == OK)
		return OK;
	if (im->pub != 0)
		module_fn(d.m)->C_DestroyObject(d.h, im->pub);
	if (im->priv != 0)
		module_fn(d.m)->C_DestroyObject(d.h, im->priv);
	return e;
}

static enum err import_take(struct call *c, struct import *im)
{
	const char *label, *id = call_option(c, "id");
	enum err e = call_required(c, "label", &label);

	if (e == OK)
		e = file_take(c, &im->file);
	if (e == OK)
		e = use_take(c, im);
	if (e == OK)
		e = keyaudit_take(c, is_signer(c, im), &im->batch);
	if (e == OK && id != NULL)
		e = hex_parse(id, &im->id, &c->why);
	if (e == OK)
		im->label = span_str(label);
	return e;
}

static enum err key_import(struct call *c)
{
	struct office o = { 0 };
	struct import im = { 0 };
	enum err e = import_take(c, &im);

	if (e == OK)
		e = office_session(c, c->n_operands > 0 ? c->operands[0] : NULL, true, CKU_USER,
				   &o);
	if (e == OK)
		e = keyname_unused(c, &o, im.label);
	if (e == OK)
		e = create_all(c, o.desk, &im);
	if (e == OK)
		e = keyname_tell(c, &o, im.label, im.priv != 0 ? im.priv : im.pub, "Imported");
	keyfile_free(&im.file);
	buf_free(&im.id);
	office_close(&o);
	return e;
}

const struct command cmd_key_import = {
	"key", "import", "[URI]", 1, "Take a key from a file into a token", options, key_import,
};
