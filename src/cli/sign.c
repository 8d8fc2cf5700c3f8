/* SPDX-License-Identifier: Apache-2.0 */
/* chancery sign, verify */
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/ecsig.h"
#include "cli/office.h"
#include "cli/output.h"
#include "cli/report.h"
#include "base/file.h"
#include "client/signer.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ALGORITHMS                                                                                         \
	"rsa-pss-sha256 rsa-pss-sha384 rsa-pss-sha512 rsa-pkcs1-sha256 rsa-pkcs1-sha384 rsa-pkcs1-sha512 " \
	"ecdsa-sha256 ecdsa-sha384 ecdsa-sha512 ecdsa-sha3-256 ecdsa-sha3-384 ecdsa-sha3-512 eddsa ml-dsa"
#define SIGNATURE_MAX ((size_t)1 << 16)

static const struct option_row sign_options[] = {
	{ "in", "FILE", "what to sign (default: standard input)", NULL },
	{ "out", "FILE", "where the signature goes (default: standard output)", NULL },
	{ "algorithm", "NAME", "how to sign (default: by the key)", ALGORITHMS },
	{ "context", "TEXT", "context string of EdDSA and ML-DSA", NULL },
	{ "format", "FORMAT", "ECDSA signatures as der (X.509, OpenSSL; default) or raw (r and s)",
	  "der raw" },
	{ "pin-source", "SOURCE", "the user's PIN", PIN_SOURCES },
	{ NULL, NULL, NULL, NULL },
};

static const struct option_row verify_options[] = {
	{ "in", "FILE", "what was signed (default: standard input)", NULL },
	{ "signature", "FILE", "the signature", NULL },
	{ "algorithm", "NAME", "how it was signed (default: by the key)", ALGORITHMS },
	{ "context", "TEXT", "context string of EdDSA and ML-DSA", NULL },
	{ "format", "FORMAT", "ECDSA signatures as der (default) or raw", "der raw" },
	{ "pin-source", "SOURCE", "the user's PIN, for a key that is private to the user",
	  PIN_SOURCES },
	{ NULL, NULL, NULL, NULL },
};

/* The input: a file, or standard input. */
struct input {
	int fd;
	const char *name;
};

static enum err input_open(struct call *c, struct input *in)
{
	in->name = call_option(c, "in");
	if (in->name == NULL) {
		in->name = "standard input";
		in->fd = STDIN_FILENO;
		return OK;
	}
	in->fd = open(in->name, O_RDONLY | O_CLOEXEC);
	return in->fd >= 0 ? OK : why_errno(&c->why, "%s cannot be opened", in->name);
}

static void input_close(struct input *in)
{
	if (in->fd > STDIN_FILENO)
		close(in->fd);
}

static enum err format_der(struct call *c, const struct signer *s, bool *der)
{
	const char *format = call_option(c, "format");

	if (format != NULL && strcmp(format, "der") != 0 && strcmp(format, "raw") != 0)
		return why_fail(&c->why, E_ARGUMENTS, "--format is der or raw, not \"%s\"", format);
	*der = s->alg->key_type == CKK_EC && (format == NULL || strcmp(format, "der") == 0);
	return OK;
}

/* There is no algorithm of this name for keys of type kt (name NULL: none at all): says which there are. */
static enum err no_algorithm(struct call *c, const char *name, CK_KEY_TYPE kt)
{
	char fit[WHY_MAX] = "";
	size_t n = 0;

	for (const struct sign_alg *a = sign_algs; a->name != NULL && n < sizeof(fit); a++)
		if (a->key_type == kt)
			n += (size_t)snprintf(fit + n, sizeof(fit) - n, " %s", a->name);
	if (name == NULL || n == 0)
		return why_fail(&c->why, E_KEY_TYPE, "keys of this type do not sign");
	return why_fail(&c->why, E_ARGUMENTS, "\"%s\" is no algorithm for this key; these are:%s",
			name, fit);
}

/* The key that the URI names and the algorithm to use with it. *key is freed by the caller, also after an error. */
static enum err signer_take(struct call *c, const struct office *o, CK_OBJECT_CLASS cls,
			    struct object_info *key, struct signer *s)
{
	const char *name = call_option(c, "algorithm"), *context = call_option(c, "context");
	unsigned bits = 0;
	enum err e = object_one(o->desk, &o->uri, cls, key, &c->why);

	if (e != OK)
		return e;
	if (key->key_type == CKK_EC && name == NULL)
		bits = ec_key_bits(o->desk, key->h);
	s->desk = o->desk;
	s->key = key->h;
	s->alg = sign_alg_find(name, key->key_type, bits);
	s->context = context != NULL ? span_str(context) : span(NULL, 0);
	return s->alg != NULL ? OK : no_algorithm(c, name, key->key_type);
}

static enum err output(struct call *c, const struct signer *s, json_t *uri, struct span sig,
		       bool der)
{
	char said[64];
	struct output out = { sig, false, "signature", said };

	snprintf(said, sizeof(said), "The signature (%s)", s->alg->name);
	return output_write(c, &out,
			    json_pack("{s:o, s:s, s:o, s:s}", "key", uri, "algorithm", s->alg->name,
				      "mechanism", describe_name(NAME_CKM, s->alg->mech), "format",
				      der ? "der" : "raw"));
}

static enum err sign(struct call *c)
{
	struct office o = { 0 };
	struct object_info key = { 0 };
	struct signer s = { 0 };
	struct input in = { -1, NULL };
	struct buf sig = { 0 };
	const char *uri;
	bool der = false;
	enum err e = call_operand(c, 0, "the key's URI", &uri);

	if (e == OK)
		e = input_open(c, &in);
	if (e == OK)
		e = office_session(c, uri, false, CKU_USER, &o);
	if (e == OK)
		e = signer_take(c, &o, CKO_PRIVATE_KEY, &key, &s);
	if (e == OK)
		e = format_der(c, &s, &der);
	if (e == OK)
		e = signer_sign(&s, in.fd, in.name, &sig, &c->why);
	if (e == OK && der)
		e = ecsig_to_der(&sig, &c->why);
	if (e == OK)
		e = output(c, &s, describe_object_uri(&o.spot, &key), buf_span(&sig), der);
	object_info_free(&key);
	buf_free(&sig);
	office_close(&o);
	input_close(&in);
	return e;
}

const struct command cmd_sign = {
	NULL, "sign", "URI", 1, "Sign a file", sign_options, sign,
};

static enum err signature_read(struct call *c, const struct signer *s, struct buf *sig)
{
	const char *path;
	bool der = false;
	enum err e = call_required(c, "signature", &path);

	if (e == OK)
		e = file_read(path, FILE_FOLLOW, SIGNATURE_MAX, sig, &c->why);
	if (e == OK)
		e = format_der(c, s, &der);
	if (e == OK && der)
		e = ecsig_from_der(sig, ec_key_bits(s->desk, s->key), &c->why);
	return e;
}

static enum err verify(struct call *c)
{
	struct office o = { 0 };
	struct object_info key = { 0 };
	struct signer s = { 0 };
	struct input in = { -1, NULL };
	struct buf sig = { 0 };
	const char *uri;
	enum err e = call_operand(c, 0, "the key's URI", &uri);

	if (e == OK)
		e = input_open(c, &in);
	if (e == OK)
		e = office_session(c, uri, false, CKU_USER, &o);
	if (e == OK)
		e = signer_take(c, &o, CKO_PUBLIC_KEY, &key, &s);
	if (e == OK)
		e = signature_read(c, &s, &sig);
	if (e == OK)
		e = signer_verify(&s, in.fd, in.name, buf_span(&sig), &c->why);
	if (e == E_SIGNATURE || e == E_SIGNATURE_LEN)
		e = why_fail(&c->why, e, "the signature does NOT match %s", in.name);
	if (e == OK)
		e = report_done(c, json_pack("{s:b, s:s}", "valid", 1, "algorithm", s.alg->name),
				"The signature is good (%s).", s.alg->name);
	object_info_free(&key);
	buf_free(&sig);
	office_close(&o);
	input_close(&in);
	return e;
}

const struct command cmd_verify = {
	NULL, "verify", "URI", 1, "Verify a file's signature", verify_options, verify,
};
