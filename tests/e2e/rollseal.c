/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seals to an auditor as docs/AUDIT.md says, with nothing of Chancery's: `rollseal auditor.pub AAD PLAIN`, both in hexadecimal, prints base64.
 */
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PUBLIC = 1216, CT = 1120, SS = 64, NONCE = 12, PLAIN = 32, TAG = 16, HASH = 32 };

static void need(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "rollseal: %s\n", what);
	exit(1);
}

/* The line of the KEM in auditor.pub. */
static void read_public(const char *path, unsigned char out[PUBLIC])
{
	char line[4096];
	unsigned char decoded[4096];
	static const char word[] = "kem x25519mlkem768 ";
	FILE *f = fopen(path, "r");

	need(f != NULL, "no auditor.pub");
	while (fgets(line, sizeof(line), f) != NULL) {
		if (strncmp(line, word, sizeof(word) - 1) != 0)
			continue;
		int n = (int)strcspn(line + sizeof(word) - 1, "\n");
		need(EVP_DecodeBlock(decoded, (unsigned char *)line + sizeof(word) - 1, n) >=
			     PUBLIC,
		     "bad base64");
		memcpy(out, decoded, PUBLIC);
	}
	fclose(f);
}

static size_t read_hex(const char *text, unsigned char *out)
{
	size_t n = strlen(text) / 2;

	for (size_t i = 0; i < n; i++) {
		unsigned v;
		need(sscanf(text + 2 * i, "%2x", &v) == 1, "bad hexadecimal");
		out[i] = (unsigned char)v;
	}
	return n;
}

static void encapsulate(const unsigned char public[PUBLIC], unsigned char ct[CT],
			unsigned char ss[SS])
{
	EVP_PKEY *key =
		EVP_PKEY_new_raw_public_key_ex(NULL, "X25519MLKEM768", NULL, public, PUBLIC);
	need(key != NULL, "bad public key");
	EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
	size_t ct_n = CT, ss_n = SS;

	need(c != NULL && EVP_PKEY_encapsulate_init(c, NULL) == 1 &&
		     EVP_PKEY_encapsulate(c, ct, &ct_n, ss, &ss_n) == 1 && ct_n == CT && ss_n == SS,
	     "no encapsulation");
	EVP_PKEY_CTX_free(c);
	EVP_PKEY_free(key);
}

static void derive(const unsigned char ss[SS], const unsigned char ct[CT],
		   const unsigned char public[PUBLIC], unsigned char key[HASH])
{
	unsigned char both[CT + PUBLIC], salt[HASH];
	size_t n = HASH;
	EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, NULL);

	memcpy(both, ct, CT);
	memcpy(both + CT, public, PUBLIC);
	need(EVP_Q_digest(NULL, "SHA256", NULL, both, sizeof(both), salt, NULL), "no digest");
	need(c != NULL && EVP_PKEY_derive_init(c) == 1 &&
		     EVP_PKEY_CTX_set_hkdf_md(c, EVP_sha256()) == 1 &&
		     EVP_PKEY_CTX_set1_hkdf_salt(c, salt, HASH) == 1 &&
		     EVP_PKEY_CTX_set1_hkdf_key(c, ss, SS) == 1 &&
		     EVP_PKEY_CTX_add1_hkdf_info(c, (const unsigned char *)"chancery roll seal 1",
						 20) == 1 &&
		     EVP_PKEY_derive(c, key, &n) == 1,
	     "no key");
	EVP_PKEY_CTX_free(c);
}

static void encrypt(const unsigned char key[HASH], const unsigned char *aad, size_t aad_n,
		    const unsigned char plain[PLAIN], unsigned char *box)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	int n;

	need(RAND_bytes(box, NONCE) == 1, "no random bytes");
	need(c != NULL && EVP_EncryptInit_ex(c, EVP_aes_256_gcm(), NULL, key, box) == 1 &&
		     EVP_EncryptUpdate(c, NULL, &n, aad, (int)aad_n) == 1 &&
		     EVP_EncryptUpdate(c, box + NONCE, &n, plain, PLAIN) == 1 &&
		     EVP_EncryptFinal_ex(c, box + NONCE + PLAIN, &n) == 1 &&
		     EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, TAG, box + NONCE + PLAIN) == 1,
	     "no encryption");
	EVP_CIPHER_CTX_free(c);
}

int main(int argc, char **argv)
{
	unsigned char public[PUBLIC], out[CT + NONCE + PLAIN + TAG], ss[SS], key[HASH];
	unsigned char aad[256], plain[256], text[2 * sizeof(out)];

	need(argc == 4 && strlen(argv[2]) < 400 && strlen(argv[3]) == 2 * (size_t)PLAIN,
	     "rollseal auditor.pub AAD PLAIN");
	read_public(argv[1], public);
	size_t aad_n = read_hex(argv[2], aad);
	read_hex(argv[3], plain);
	encapsulate(public, out, ss);
	derive(ss, out, public, key);
	encrypt(key, aad, aad_n, plain, out + CT);
	EVP_EncodeBlock(text, out, sizeof(out));
	printf("%s\n", (char *)text);
	return 0;
}
