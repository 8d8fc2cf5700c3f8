/* SPDX-License-Identifier: Apache-2.0 */
/* chancery key generate */
#include "cli/commands.h"
#include "cli/hex.h"
#include "cli/keyaudit.h"
#include "cli/keyid.h"
#include "cli/keykind.h"
#include "cli/keyname.h"
#include "cli/office.h"
#include "cli/template.h"

static const struct option_row options[] = {
	{ "type", "KIND", "what key: rsa-3072, ec-p256, ed25519, ml-dsa-65, aes-256, ...",
	  "rsa-2048 rsa-3072 rsa-4096 ec-p256 ec-p384 ec-p521 ec-secp256k1 ec-brainpoolp256r1 ec-brainpoolp384r1 "
	  "ec-brainpoolp512r1 ed25519 ed448 x25519 x448 ml-dsa-44 ml-dsa-65 ml-dsa-87 aes-128 aes-192 aes-256 "
	  "generic-256 generic-512" },
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

struct order {
	const struct keykind *kind;
	const struct keyuse *use;
	struct span label;
	struct buf id;
	bool extractable, batch;
};

static enum err order_take(struct call *c, struct order *o)
{
	const char *kind, *label, *use = call_option(c, "use"), *id = call_option(c, "id");
	enum err e = call_required(c, "type", &kind);

	if (e == OK)
		e = call_required(c, "label", &label);
	if (e != OK)
		return e;
	if ((o->kind = keykind_find(kind)) == NULL)
		return why_fail(&c->why, E_ARGUMENTS, "\"%s\" is no kind of key; known: %s", kind,
				options[0].words);
	if ((o->use = keyuse_find(use != NULL ? use : o->kind->use)) == NULL)
		return why_fail(&c->why, E_ARGUMENTS, "--use is one of %s, not \"%s\"",
				options[3].words, use);
	o->label = span_str(label);
	o->extractable = call_flag(c, "extractable");
	e = keyaudit_take(c, o->kind->pair && o->use->private_attr == CKA_SIGN, &o->batch);
	return e == OK && id != NULL ? hex_parse(id, &o->id, &c->why) : e;
}

static void common(const struct order *o, struct template *t)
{
	template_bool(t, CKA_TOKEN, true);
	template_bytes(t, CKA_LABEL, o->label);
	if (o->id.n > 0)
		template_bytes(t, CKA_ID, buf_span(&o->id));
}

static void size(const struct keykind *k, struct template *t)
{
	if (k->params != NULL)
		template_bytes(t, k->size_attr, span(k->params, k->params_n));
	else
		template_ulong(t, k->size_attr, k->size);
}

static void guarded(const struct order *o, struct template *t)
{
	template_bool(t, CKA_PRIVATE, true);
	template_bool(t, CKA_SENSITIVE, true);
	template_bool(t, CKA_EXTRACTABLE, o->extractable);
	template_bool(t, o->use->private_attr, true);
}

static enum err generate_secret(struct call *c, struct desk d, const struct order *o,
				CK_OBJECT_HANDLE *h)
{
	CK_MECHANISM m = { o->kind->generate, NULL, 0 };
	struct template t = { 0 };

	common(o, &t);
	guarded(o, &t);
	size(o->kind, &t);
	if (o->use->public_attr != o->use->private_attr)
		template_bool(&t, o->use->public_attr, true);
	return module_err(module_fn(d.m)->C_GenerateKey(d.h, &m, t.a, t.n, h), "C_GenerateKey",
			  &c->why);
}

static enum err generate_pair(struct call *c, struct desk d, const struct order *o,
			      CK_OBJECT_HANDLE *pub, CK_OBJECT_HANDLE *priv)
{
	CK_MECHANISM m = { o->kind->generate, NULL, 0 };
	struct template tpub = { 0 }, tpriv = { 0 };

	common(o, &tpub);
	size(o->kind, &tpub);
	/* A public key that derives means nothing: the peer's is a parameter. */
	if (o->use->public_attr != o->use->private_attr)
		template_bool(&tpub, o->use->public_attr, true);
	common(o, &tpriv);
	guarded(o, &tpriv);
	keyaudit_put(o->batch, &tpriv);
	enum err e = module_err(module_fn(d.m)->C_GenerateKeyPair(d.h, &m, tpub.a, tpub.n, tpriv.a,
								  tpriv.n, pub, priv),
				"C_GenerateKeyPair", &c->why);
	if (e != OK || o->id.n > 0)
		return e;
	e = keyid_assign(d, *pub, *priv, &c->why);
	if (e != OK) { /* a half-named pair must not stay */
		module_fn(d.m)->C_DestroyObject(d.h, *pub);
		module_fn(d.m)->C_DestroyObject(d.h, *priv);
	}
	return e;
}

static enum err key_generate(struct call *c)
{
	struct office o = { 0 };
	struct order order = { 0 };
	CK_OBJECT_HANDLE h = 0, pub = 0;
	enum err e = order_take(c, &order);

	if (e == OK)
		e = office_session(c, c->n_operands > 0 ? c->operands[0] : NULL, true, CKU_USER,
				   &o);
	if (e == OK)
		e = keyname_unused(c, &o, order.label);
	if (e == OK)
		e = order.kind->pair ? generate_pair(c, o.desk, &order, &pub, &h)
				     : generate_secret(c, o.desk, &order, &h);
	if (e == OK)
		e = keyname_tell(c, &o, order.label, h, "Made");
	buf_free(&order.id);
	office_close(&o);
	return e;
}

const struct command cmd_key_generate = {
	"key", "generate", "[URI]", 1, "Make a key or a key pair on a token", options, key_generate,
};
