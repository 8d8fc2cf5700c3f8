/* SPDX-License-Identifier: Apache-2.0 */
/* A module with a fresh private token, logged in, with the keys that the suites use. */
#ifndef CHANCERY_BENCH_TARGET_H
#define CHANCERY_BENCH_TARGET_H

#include "client/pool.h"
#include <limits.h>

enum target_key {
	KEY_P256,
	KEY_ED25519,
	KEY_RSA2048,
	KEY_MLDSA65,
	KEY_AES256,
	KEY_HMAC,
	KEY_COUNT
};

struct target {
	const char *name;
	char path[PATH_MAX];
	struct module *m;
	CK_SLOT_ID slot;
	struct pool *pool;
	CK_OBJECT_HANDLE key[KEY_COUNT]; /* 0: the module has no such keys */
};

#define TARGET_PIN "bench-1234"

/* Opens the module at path (its environment is set already) and makes a token. False with a why. */
bool target_open(struct target *t, const char *name, const char *path, struct why *why);
void target_close(struct target *t);

#endif
