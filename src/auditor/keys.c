/* SPDX-License-Identifier: Apache-2.0 */
#include "auditor/keys.h"

#include "auditor/code.h"
#include "base/mem.h"
#include <openssl/core_names.h>
#include <openssl/params.h>

enum {
	PART_KEM,
	PART_ED25519,
	PART_MLDSA65,
	PARTS,
	KEM_PRIVATE = 2432,
	SEED = 32,
	CT = 1120,
	SHARED = 64,
	NONCE = 12,
	TAG = 16,
	SEALED = CT + NONCE + SUM + TAG,
};

/* The lines of a text after its first. */
static const struct part {
	const char *word, *algorithm;
	size_t public_n, private_n;
} parts[PARTS] = {
	[PART_KEM] = { "kem x25519mlkem768 ", "X25519MLKEM768", KEYS_KEM, KEM_PRIVATE },
	[PART_ED25519] = { "sign ed25519 ", "ED25519", LINE_ED25519, SEED },
	[PART_MLDSA65] = { "sign mldsa65 ", "ML-DSA-65", LINE_MLDSA65, SEED },
};

static const char public_word[] = "chancery-auditor-public 1\n";
static const char private_word[] = "chancery-auditor-private 1\n";

struct keys_private {
	size_t n;
	struct {
		EVP_PKEY *key[PARTS];
		struct keys_public pub;
	} at[KEYS_MAX];
};

static uint8_t *public_part(struct keys_public *k, size_t i)
{
	uint8_t *const at[PARTS] = { k->kem, k->ed25519, k->mldsa65 };

	return at[i];
}

/* ---- texts ---- */

static bool take_word(struct span *s, const char *word)
{
	size_t n = strlen(word);

	if (s->n < n || memcmp(s->p, word, n) != 0)
		return false;
	*s = span(s->p + n, s->n - n);
	return true;
}

/* The base64 up to the end of the line. */
static bool take_part(struct span *s, const char *word, uint8_t *out, size_t n)
{
	const uint8_t *feed;

	if (!take_word(s, word))
		return false;
	feed = s->n == 0 ? NULL : memchr(s->p, '\n', s->n);
	if (feed == NULL || !code_b64_exact(span(s->p, (size_t)(feed - s->p)), out, n))
		return false;
	*s = span(feed + 1, s->n - (size_t)(feed - s->p) - 1);
	return true;
}

static enum err put_part(const char *word, struct span bytes, struct buf *out)
{
	enum err e = buf_put(out, span_str(word));

	if (e == OK)
		e = code_b64_put(bytes, out);
	return e == OK ? buf_put(out, span_str("\n")) : e;
}

enum err keys_public_text(const struct keys_public *k, struct buf *out)
{
	const uint8_t *const at[PARTS] = { k->kem, k->ed25519, k->mldsa65 };
	enum err e = buf_put(out, span_str(public_word));

	for (size_t i = 0; e == OK && i < PARTS; i++)
		e = put_part(parts[i].word, span(at[i], parts[i].public_n), out);
	return e;
}

/* The fingerprint and the name, of the text. */
static void name_public(struct keys_public *k, struct span text)
{
	uint8_t h[SUM];

	sum_of(text, span(NULL, 0), h);
	code_hex_put(span(h, LINE_FINGERPRINT / 2), k->fingerprint);
	memcpy(k->name, KEYS_NAME, sizeof(KEYS_NAME) - 1);
	memcpy(k->name + sizeof(KEYS_NAME) - 1, k->fingerprint, sizeof(k->fingerprint));
}

enum err keys_public_read(struct span text, struct keys_public *out, struct why *why)
{
	struct span rest = text;
	bool good = take_word(&rest, public_word);

	for (size_t i = 0; good && i < PARTS; i++)
		good = take_part(&rest, parts[i].word, public_part(out, i), parts[i].public_n);
	if (!good || rest.n != 0)
		return why_fail(why, E_DATA,
				"this is no auditor.pub: four lines, as docs/AUDIT.md has them");
	name_public(out, text);
	return OK;
}

/* ---- private keys ---- */

static EVP_PKEY *mldsa_of_seed(const uint8_t seed[SEED])
{
	uint8_t copy[SEED];
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_ML_DSA_SEED, copy, SEED),
		OSSL_PARAM_construct_end(),
	};
	EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_from_name(NULL, "ML-DSA-65", NULL);
	EVP_PKEY *key = NULL;

	memcpy(copy, seed, SEED);
	if (c == NULL || EVP_PKEY_fromdata_init(c) != 1 ||
	    EVP_PKEY_fromdata(c, &key, EVP_PKEY_KEYPAIR, params) != 1)
		key = NULL;
	mem_wipe(copy, sizeof(copy));
	EVP_PKEY_CTX_free(c);
	return key;
}

static EVP_PKEY *key_of_private(size_t part, const uint8_t *raw)
{
	if (part == PART_MLDSA65)
		return mldsa_of_seed(raw);
	return EVP_PKEY_new_raw_private_key_ex(NULL, parts[part].algorithm, NULL, raw,
					       parts[part].private_n);
}

static bool public_of(EVP_PKEY *key, size_t part, struct keys_public *pub)
{
	size_t n = parts[part].public_n;

	return EVP_PKEY_get_raw_public_key(key, public_part(pub, part), &n) == 1 &&
	       n == parts[part].public_n;
}

static enum err finish_public(struct keys_public *pub)
{
	struct buf text = { 0 };
	enum err e = keys_public_text(pub, &text);

	if (e == OK)
		name_public(pub, buf_span(&text));
	buf_free(&text);
	return e;
}

/* One text from the front of *s, as the next of k. raw: room for any private half. */
static enum err read_private(struct span *s, uint8_t raw[KEM_PRIVATE], struct keys_private *k,
			     struct why *why)
{
	bool good = k->n < KEYS_MAX && take_word(s, private_word);

	for (size_t i = 0; good && i < PARTS; i++) {
		EVP_PKEY **key = &k->at[k->n].key[i];

		good = take_part(s, parts[i].word, raw, parts[i].private_n);
		if (good)
			*key = key_of_private(i, raw);
		good = good && *key != NULL && public_of(*key, i, &k->at[k->n].pub);
	}
	if (!good)
		return why_fail(
			why, E_DATA,
			"these are no private keys of an auditor, as `audit init` wrote them");
	return finish_public(&k->at[k->n++].pub);
}

enum err keys_private_read(struct span texts, struct keys_private **out, struct why *why)
{
	struct keys_private *k = mem_alloc(sizeof(*k));
	uint8_t *raw = mem_alloc_secret(KEM_PRIVATE);
	enum err e = k == NULL || raw == NULL
			     ? why_fail(why, E_MEMORY, "no memory for the auditor's keys")
			     : OK;

	if (e == OK)
		do
			e = read_private(&texts, raw, k, why);
		while (e == OK && texts.n != 0);
	mem_free(raw);
	if (e == OK)
		*out = k;
	else
		keys_private_free(k);
	return e;
}

void keys_private_free(struct keys_private *k)
{
	for (size_t i = 0; k != NULL && i < KEYS_MAX; i++)
		for (size_t j = 0; j < PARTS; j++)
			EVP_PKEY_free(k->at[i].key[j]);
	mem_free(k);
}

size_t keys_private_count(const struct keys_private *k)
{
	return k->n;
}

const struct keys_public *keys_private_public(const struct keys_private *k, size_t i)
{
	return &k->at[i].pub;
}

bool keys_private_find(const struct keys_private *k, struct span fingerprint, size_t *i)
{
	for (*i = 0; *i < k->n; ++*i)
		if (span_eq(fingerprint, span_str(k->at[*i].pub.fingerprint)))
			return true;
	return false;
}

/* ---- making ---- */

static bool private_of(EVP_PKEY *key, size_t part, uint8_t *raw)
{
	size_t n = parts[part].private_n;

	if (part == PART_MLDSA65)
		return EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_ML_DSA_SEED, raw, n,
						       &n) == 1;
	return EVP_PKEY_get_raw_private_key(key, raw, &n) == 1 && n == parts[part].private_n;
}

static enum err make_part(size_t part, uint8_t *raw, struct keys_public *pub,
			  struct buf *private_text)
{
	EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, parts[part].algorithm);
	enum err e =
		key != NULL && private_of(key, part, raw) && public_of(key, part, pub)
			? put_part(parts[part].word, span(raw, parts[part].private_n), private_text)
			: E_FAILED;

	EVP_PKEY_free(key);
	return e;
}

enum err keys_make(struct buf *public_text, struct buf *private_text, struct why *why)
{
	struct keys_public *pub = mem_alloc(sizeof(*pub));
	uint8_t *raw = mem_alloc_secret(KEM_PRIVATE);
	enum err e = pub == NULL || raw == NULL ? E_MEMORY
						: buf_put(private_text, span_str(private_word));

	for (size_t i = 0; e == OK && i < PARTS; i++)
		e = make_part(i, raw, pub, private_text);
	if (e == OK)
		e = keys_public_text(pub, public_text);
	mem_free(raw);
	mem_free(pub);
	return e == OK ? OK : why_fail(why, e, "the auditor's keys could not be made");
}

/* ---- sealing, signing ---- */

static bool decapsulate(EVP_PKEY *key, const uint8_t ct[CT], uint8_t ss[SHARED])
{
	EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
	size_t n = SHARED;
	bool good = c != NULL && EVP_PKEY_decapsulate_init(c, NULL) == 1 &&
		    EVP_PKEY_decapsulate(c, ss, &n, ct, CT) == 1 && n == SHARED;

	EVP_PKEY_CTX_free(c);
	return good;
}

/* box: nonce, 32 bytes, tag. */
static bool unbox(const uint8_t key[SUM], struct span aad, const uint8_t *box, uint8_t out[SUM])
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	uint8_t tag[TAG];
	int n = 0;

	memcpy(tag, box + NONCE + SUM, TAG);
	bool good = c != NULL && EVP_DecryptInit_ex(c, EVP_aes_256_gcm(), NULL, key, box) == 1 &&
		    EVP_DecryptUpdate(c, NULL, &n, aad.p, (int)aad.n) == 1 &&
		    EVP_DecryptUpdate(c, out, &n, box + NONCE, SUM) == 1 &&
		    EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, TAG, tag) == 1 &&
		    EVP_DecryptFinal_ex(c, out + SUM, &n) == 1;
	EVP_CIPHER_CTX_free(c);
	return good;
}

bool keys_open(const struct keys_private *k, size_t i, struct span b64, struct span aad,
	       uint8_t out[SUM])
{
	uint8_t sealed[SEALED], ss[SHARED], salt[SUM], key[SUM];
	bool good = code_b64_exact(b64, sealed, SEALED) &&
		    decapsulate(k->at[i].key[PART_KEM], sealed, ss);

	if (good) {
		sum_of(span(sealed, CT), span(k->at[i].pub.kem, KEYS_KEM), salt);
		sum_hkdf(span(ss, SHARED), span(salt, SUM), "chancery roll seal 1", key);
		good = unbox(key, aad, sealed + CT, out);
	}
	mem_wipe(ss, sizeof(ss));
	mem_wipe(key, sizeof(key));
	return good;
}

enum err keys_sign(const struct keys_private *k, size_t i, struct span text, struct buf *out)
{
	const struct keys_public *pub = &k->at[i].pub;
	uint8_t id[4];
	enum err e;

	signer_id(SIGNER_ED25519, span(pub->ed25519, LINE_ED25519), pub->name, id);
	e = signed_line(text, pub->name, id, k->at[i].key[PART_ED25519], out);
	signer_id(SIGNER_MLDSA65, span(pub->mldsa65, LINE_MLDSA65), pub->name, id);
	return e == OK ? signed_line(text, pub->name, id, k->at[i].key[PART_MLDSA65], out) : e;
}

static enum signed_answer check_one(const struct keys_public *k, enum signer_kind kind,
				    struct span raw, const struct signed_note *note)
{
	struct signer s;
	enum signed_answer a = SIGNED_BAD;

	if (signer_set(kind, raw, k->name, &s) == OK)
		a = signed_check(note, k->name, &s);
	signer_clear(&s);
	return a;
}

enum signed_answer keys_check(const struct keys_public *k, const struct signed_note *note)
{
	enum signed_answer a = check_one(k, SIGNER_ED25519, span(k->ed25519, LINE_ED25519), note);
	enum signed_answer b = check_one(k, SIGNER_MLDSA65, span(k->mldsa65, LINE_MLDSA65), note);

	return a == b ? a : SIGNED_BAD;
}
