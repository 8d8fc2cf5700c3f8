/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures at one and two threads, and how well they scale beside how libcrypto itself does. */
#include "bench/evp.h"
#include "bench/p11work.h"
#include "bench/suites.h"

static const struct {
	const char *name, *evp;
	enum target_key key;
	CK_MECHANISM_TYPE mech;
} rows[] = {
	{ "ECDSA P-256", "EC:P-256", KEY_P256, CKM_ECDSA },
	{ "Ed25519", "ED25519", KEY_ED25519, CKM_EDDSA },
	{ "RSA-2048 PKCS#1", "RSA:2048", KEY_RSA2048, CKM_RSA_PKCS },
	{ "ML-DSA-65", "ML-DSA-65", KEY_MLDSA65, CKM_ML_DSA },
};

enum { DIGEST = 32 };

/* Two threads' rate over one thread's, in each round: ours over libcrypto's. */
static void scaling(struct plan *p, const char *name, const struct contender *ours,
		    const struct contender *floor)
{
	struct series so = { 0 }, sf = { 0 };

	for (unsigned i = 0; i < p->rounds; i++) {
		double f1 = work_rate(&floor->work, 1, p->ms),
		       o1 = work_rate(&ours->work, 1, p->ms);
		double f2 = work_rate(&floor->work, 2, p->ms),
		       o2 = work_rate(&ours->work, 2, p->ms);
		if (f1 <= 0 || o1 <= 0 || f2 < 0 || o2 < 0) {
			row_skip(p, "sign", name, "a run failed");
			return;
		}
		sf.v[sf.n++] = f2 / f1;
		so.v[so.n++] = o2 / o1;
	}
	row_values(p, "sign", name, "x", &so, &sf, NULL);
}

static void algorithm(struct plan *p, const struct field *f, size_t i)
{
	struct p11job jo = { f->ours, rows[i].key, rows[i].mech, DIGEST };
	struct p11job jp = { f->peer, rows[i].key, rows[i].mech, DIGEST };
	struct evpjob je = { rows[i].evp, DIGEST, NULL };
	struct contender ours = p11_sign(&jo), peer = p11_sign(&jp), floor = evp_sign(&je);
	char name[64];

	for (unsigned threads = 1; threads <= 2; threads++) {
		snprintf(name, sizeof(name), "%s sign, %u thread%s", rows[i].name, threads,
			 threads > 1 ? "s" : "");
		if (!ours.there)
			row_skip(p, "sign", name, "the module has no such key or mechanism");
		else
			row_rates(p, "sign", name, threads, &ours, &floor, &peer);
	}
	snprintf(name, sizeof(name), "%s, scaling 1 to 2 threads", rows[i].name);
	if (ours.there && floor.there)
		scaling(p, name, &ours, &floor);
	evp_free(&je);
}

void suite_sign(struct plan *p, const struct field *f)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		algorithm(p, f, i);
}
