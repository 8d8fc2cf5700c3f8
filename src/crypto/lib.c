/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/lib.h"

#include "base/mem.h"
#include "crypto/fetch.h"
#include "crypto/registry.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <unistd.h>

static OSSL_LIB_CTX *context;
static pid_t owner;         /* the process that made context */
static unsigned generation; /* counts contexts; 0: none yet */

/* The generation whose per-thread state this thread has. */
static _Thread_local unsigned thread_generation;

/* Once per process, before libcrypto allocates anything: afterwards its allocator is fixed. */
static enum err library_init(void)
{
	const uint64_t opts = OPENSSL_INIT_NO_ATEXIT | OPENSSL_INIT_NO_LOAD_CONFIG;

	if (generation != 0)
		return OK;
	if (CRYPTO_set_mem_functions(mem_crypto_malloc, mem_crypto_realloc, mem_crypto_free) != 1)
		return E_FAILED;
	return OPENSSL_init_crypto(opts, NULL) == 1 ? OK : E_FAILED;
}

static enum err context_new(OSSL_LIB_CTX **out)
{
	OSSL_LIB_CTX *ctx = OSSL_LIB_CTX_new();

	if (ctx == NULL)
		return E_MEMORY;
	if (OSSL_PROVIDER_load(ctx, "default") == NULL) {
		OSSL_LIB_CTX_free(ctx);
		return E_FAILED;
	}
	*out = ctx;
	return OK;
}

enum err crypto_start(void)
{
	pid_t self = getpid();
	OSSL_LIB_CTX *ctx = NULL;
	enum err e = library_init();

	if (e != OK)
		return e;
	if (context != NULL && owner == self)
		return registry_start();
	if ((e = context_new(&ctx)) != OK)
		return e;
	/*
	 * A child does not free its parent's context: locks in it may be held by threads that the
	 * child has not got, and what hangs on it may have been in the secret arena.
	 */
	fetch_forget();
	context = ctx;
	owner = self;
	generation++;
	return registry_start();
}

/*
 * The context stays for the next crypto_start: libcrypto's exit handlers of threads that used it
 * point to it, so it could be freed only when all those threads have ended, and nothing tells us
 * when.
 */
void crypto_stop(void)
{
	registry_stop();
}

OSSL_LIB_CTX *crypto_ctx(void)
{
	return context;
}

static void thread_ready(void)
{
	unsigned depth = mem_secret_suspend();

	ERR_clear_error();
	/* Failure shows where random bytes are wanted, and this is tried again. */
	if (RAND_get0_public(context) != NULL && RAND_get0_private(context) != NULL)
		thread_generation = generation;
	mem_secret_resume(depth);
}

void crypto_secret_enter(void)
{
	if (thread_generation != generation)
		thread_ready();
	mem_secret_enter();
}

void crypto_secret_leave(void)
{
	mem_secret_leave();
}

enum err crypto_random(void *p, size_t n)
{
	if (RAND_bytes_ex(context, p, n, 0) == 1)
		return OK;
	mem_wipe(p, n);
	return E_FAILED;
}

enum err crypto_random_secret(void *p, size_t n)
{
	if (RAND_priv_bytes_ex(context, p, n, 0) == 1)
		return OK;
	mem_wipe(p, n);
	return E_FAILED;
}

/* Additional input of a reseeding: the DRBG draws fresh entropy at the same time. */
enum err crypto_seed(struct span seed)
{
	EVP_RAND_CTX *drbg = RAND_get0_primary(context);

	if (drbg == NULL)
		return E_FAILED;
	return EVP_RAND_reseed(drbg, 0, NULL, 0, seed.p, seed.n) == 1 ? OK : E_FAILED;
}

const char *crypto_version(void)
{
	return OpenSSL_version(OPENSSL_VERSION);
}
