/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers and the functions of parallel calls (3.2, 5.19 and 5.20). */
#include "p11/call.h"

#include "core/count.h"
#include "crypto/lib.h"

CK_RV C_SeedRandom(CK_SESSION_HANDLE hSession, CK_BYTE_PTR pSeed, CK_ULONG ulSeedLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK && pSeed == NULL && ulSeedLen != 0)
		e = E_ARGUMENTS;
	if (e == OK && ulSeedLen != 0)
		e = crypto_seed(span(pSeed, ulSeedLen));
	return call_leave(&c, e);
}

static enum err random_bytes(const struct session *s, CK_BYTE_PTR to, CK_ULONG n)
{
	struct count count = count_begin();
	enum err e = to != NULL || n == 0 ? OK : E_ARGUMENTS;

	if (e == OK && n != 0)
		e = crypto_random(to, n);
	count_end(s->token, &count, TALLY_RANDOM, CK_UNAVAILABLE_INFORMATION, n, e);
	return e;
}

CK_RV C_GenerateRandom(CK_SESSION_HANDLE hSession, CK_BYTE_PTR RandomData, CK_ULONG ulRandomLen)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = random_bytes(c.session, RandomData, ulRandomLen);
	return call_leave(&c, e);
}

CK_RV C_GetFunctionStatus(CK_SESSION_HANDLE hSession)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	return call_leave(&c, e == OK ? E_NOT_PARALLEL : e);
}

CK_RV C_CancelFunction(CK_SESSION_HANDLE hSession)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	return call_leave(&c, e == OK ? E_NOT_PARALLEL : e);
}
