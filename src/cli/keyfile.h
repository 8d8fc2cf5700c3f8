/* SPDX-License-Identifier: Apache-2.0 */
/* Keys in files (PEM or DER: PKCS#8, encrypted or not, and the older forms) as attributes of PKCS#11 objects. */
#ifndef CHANCERY_CLI_KEYFILE_H
#define CHANCERY_CLI_KEYFILE_H

#include "base/attrset.h"
#include "base/why.h"
#include "cli/command.h"

struct keyfile {
	CK_KEY_TYPE type;
	struct attrset *priv; /* secret; NULL: the file holds a public key only */
	struct attrset *pub;
};

/* Parses bytes of a file. passphrase: for an encrypted one, may be empty. E_DATA: it is no key, E_PIN_WRONG: the passphrase is missing or wrong, E_KEY_TYPE: a key of a kind that is not known here. */
enum err keyfile_parse(struct span bytes, struct span passphrase, struct keyfile *k,
		       struct why *why);
void keyfile_free(struct keyfile *k);

#endif
