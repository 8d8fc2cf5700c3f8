/* SPDX-License-Identifier: Apache-2.0 */
/* Small and large inputs: what a call through the module costs beside the work itself. */
#include "bench/evp.h"
#include "bench/p11work.h"
#include "bench/suites.h"

typedef struct contender p11_fn(struct p11job *j);
typedef struct contender evp_fn(struct evpjob *j);

static const struct {
	const char *name, *evp;
	enum target_key key;
	CK_MECHANISM_TYPE mech;
	p11_fn *p11;
	evp_fn *floor;
} rows[] = {
	{ "SHA-1", "SHA1", KEY_COUNT, CKM_SHA_1, p11_digest, evp_digest },
	{ "SHA-256", "SHA256", KEY_COUNT, CKM_SHA256, p11_digest, evp_digest },
	{ "HMAC-SHA-256", "SHA256", KEY_HMAC, CKM_SHA256_HMAC, p11_sign, evp_hmac },
	{ "AES-256-GCM", "AES-256-GCM", KEY_AES256, CKM_AES_GCM, p11_gcm, evp_gcm },
};

static const size_t sizes[] = { 16, 256, 1024, 8192 };

void suite_digest(struct plan *p, const struct field *f)
{
	char name[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
			struct p11job jo = { f->ours, rows[i].key, rows[i].mech, sizes[k] };
			struct p11job jp = { f->peer, rows[i].key, rows[i].mech, sizes[k] };
			struct evpjob je = { rows[i].evp, sizes[k], NULL };
			struct contender ours = rows[i].p11(&jo), peer = rows[i].p11(&jp),
					 floor = rows[i].floor(&je);
			snprintf(name, sizeof(name), "%s of %zu bytes", rows[i].name, sizes[k]);
			if (ours.there)
				row_rates(p, "digest", name, 1, &ours, &floor, &peer);
			else
				row_skip(p, "digest", name, "the module has no such mechanism");
		}
}

void suite_attr(struct plan *p, const struct field *f)
{
	struct p11job jo = { f->ours, KEY_P256, CK_UNAVAILABLE_INFORMATION, 0 };
	struct p11job jp = { f->peer, KEY_P256, CK_UNAVAILABLE_INFORMATION, 0 };
	struct contender ours = p11_attr(&jo), peer = p11_attr(&jp);

	row_rates(p, "attr", "C_GetAttributeValue of one attribute", 1, &ours, NULL, &peer);
}
