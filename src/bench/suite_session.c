/* SPDX-License-Identifier: Apache-2.0 */
/* Opening sessions by the thousand, and what an idle one takes. */
#include "base/mem.h"
#include "bench/proc.h"
#include "bench/suites.h"

static CK_SESSION_HANDLE *open_all(const struct target *t, unsigned long n, double *rate)
{
	CK_SESSION_HANDLE *h = mem_alloc(n * sizeof(*h));
	const CK_FUNCTION_LIST *fn = module_fn(t->m);
	double begin = work_clock();

	for (unsigned long i = 0; h != NULL && i < n; i++)
		if (fn->C_OpenSession(t->slot, CKF_SERIAL_SESSION, NULL, NULL, &h[i]) != CKR_OK) {
			while (i-- > 0)
				fn->C_CloseSession(h[i]);
			mem_free(h);
			return NULL;
		}
	*rate = (double)n / (work_clock() - begin);
	return h;
}

static void close_all(const struct target *t, CK_SESSION_HANDLE *h, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		module_fn(t->m)->C_CloseSession(h[i]);
	mem_free(h);
}

/* One round: rate of opening, and resident memory per session when there is new memory to be had. */
static bool round_of(const struct target *t, unsigned long n, struct series *rate)
{
	CK_SESSION_HANDLE *h;
	double r = 0;

	if (t->m == NULL)
		return true;
	if ((h = open_all(t, n, &r)) == NULL)
		return false;
	close_all(t, h, n);
	rate->v[rate->n++] = r;
	return true;
}

/* SoftHSM2 takes minutes to close as many sessions as that. */
#define PEER_MAX 1000UL

static void rates(struct plan *p, const struct field *f, unsigned long n)
{
	struct series so = { 0 }, sp = { 0 };
	char name[64];

	snprintf(name, sizeof(name), "opening %lu sessions", n);
	for (unsigned i = 0; i < p->rounds; i++)
		if (!round_of(f->ours, n, &so)) {
			row_skip(p, "session", name, "a session could not be opened");
			return;
		} else if (n <= PEER_MAX && !round_of(f->peer, n, &sp)) {
			sp.n = 0;
		}
	row_values(p, "session", name, "1/s", &so, NULL, &sp);
}

/* Asked in a fresh process of each module, since memory that was used once is not given back. */
static void bytes(struct plan *p, const struct field *f)
{
	static const char name[] = "bytes of an idle session (of 100,000)";
	struct series so = { 0 }, sp = { 0 };

	for (unsigned i = 0; i < p->rounds; i++) {
		double v = proc_ask("session-bytes", f->ours, NULL);
		if (v < 0) {
			row_skip(p, "session", name, "the child process failed");
			return;
		}
		so.v[so.n++] = v;
		if (f->peer->m != NULL && (v = proc_ask("session-bytes", f->peer, NULL)) >= 0)
			sp.v[sp.n++] = v;
	}
	row_values(p, "session", name, "bytes", &so, NULL, &sp);
}

void suite_session(struct plan *p, const struct field *f)
{
	rates(p, f, 1000);
	rates(p, f, 100000);
	bytes(p, f);
}
