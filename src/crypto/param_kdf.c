/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of key derivation. */
#include "crypto/hash.h"
#include "crypto/param_bytes.h"
#include "crypto/param_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * Ten seconds or so of one call: it holds the session, and nothing can interrupt it (case B022). The largest count in
 * RFC 6070 is below.
 */
#define ITERATIONS_MAX 20000000
/*
 * A password is shorter than this. It is also where Linux lets the first page of a process be
 * (vm.mmap_min_addr), so a number below it cannot be a pointer.
 */
#define PASSWORD_LIMIT 65536

/* RFC 5869: info, and what HKDF calls salt, are short; libcrypto stops at 32 KiB. */
#define HKDF_BYTES_MAX 32768

static enum err take_salt(const CK_HKDF_PARAMS *s, struct param *par)
{
	switch (s->ulSaltType) {
	case CKF_HKDF_SALT_NULL: return OK;
	case CKF_HKDF_SALT_DATA: return pbytes_take(&par->data, s->pSalt, s->ulSaltLen);
	case CKF_HKDF_SALT_KEY:
		par->key = s->hSaltKey;
		return s->hSaltKey != CK_INVALID_HANDLE ? OK : E_MECHANISM_PARAM;
	default: return E_MECHANISM_PARAM;
	}
}

enum err param_hkdf(const struct mech *m, const CK_MECHANISM *mechanism, struct param *par)
{
	CK_HKDF_PARAMS s;
	enum err e = param_struct(mechanism, &s, sizeof(s));

	(void)m;
	if (e != OK)
		return e;
	if (s.bExtract > CK_TRUE || s.bExpand > CK_TRUE || (!s.bExtract && !s.bExpand))
		return E_MECHANISM_PARAM;
	if (hash_of(s.prfHashMechanism) == NULL || s.ulInfoLen > HKDF_BYTES_MAX ||
	    s.ulSaltLen > HKDF_BYTES_MAX)
		return E_MECHANISM_PARAM;
	par->extract = s.bExtract == CK_TRUE;
	par->expand = s.bExpand == CK_TRUE;
	par->hash = s.prfHashMechanism;
	/* PKCS#11 3.2, HKDF: salt belongs to extracting, info to expanding; the other is ignored */
	if (par->extract) {
		par->salt_type = s.ulSaltType;
		if ((e = take_salt(&s, par)) != OK)
			return e;
	}
	return par->expand ? pbytes_take(&par->context, s.pInfo, s.ulInfoLen) : OK;
}

union place {
	uintptr_t number;
	void *p;
};

/* The same through a pipe: a write from where there is no memory gives EFAULT, too. */
static bool piped(union place at, CK_ULONG *n)
{
	int end[2];
	bool known;

	if (pipe2(end, O_CLOEXEC) != 0)
		return false;
	known = write(end[1], at.p, sizeof(*n)) == (ssize_t)sizeof(*n) &&
		read(end[0], n, sizeof(*n)) == (ssize_t)sizeof(*n);
	close(end[0]);
	close(end[1]);
	return known;
}

/*
 * Reads a number from where there may be no memory: the kernel answers EFAULT where reading it ourselves would crash. Containers forbid
 * the call, and emulators of other processors do not have it.
 */
static bool read_number(uintptr_t address, CK_ULONG *n)
{
	union place at = { address };
	struct iovec to = { n, sizeof(*n) }, from = { at.p, sizeof(*n) };

	if (address % sizeof(*n) != 0)
		return false;
	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof(*n))
		return true;
	return (errno == ENOSYS || errno == EPERM) && piped(at, n);
}

/*
 * CK_PKCS5_PBKD2_PARAMS declared the length as a pointer, its successor of the same size as a
 * number, and callers of both are about. What cannot be an address is a length; what can must be a
 * readable one.
 */
static enum err password_len(CK_ULONG field, CK_ULONG *n)
{
	*n = field;
	if (field < PASSWORD_LIMIT)
		return OK;
	return read_number(field, n) && *n < PASSWORD_LIMIT ? OK : E_MECHANISM_PARAM;
}

enum err param_pbkdf2(const struct mech *m, const CK_MECHANISM *mechanism, struct param *par)
{
	CK_PKCS5_PBKD2_PARAMS2 s;
	const struct hash *h;
	CK_ULONG n;
	enum err e = param_struct(mechanism, &s, sizeof(s));

	(void)m;
	if (e != OK)
		return e;
	h = hash_of_prf(s.prf);
	/* PKCS#11 3.2, PBKD2: no PRF of those defined has data of its own */
	if (h == NULL || s.saltSource != CKZ_SALT_SPECIFIED || s.pPrfData != NULL ||
	    s.ulPrfDataLen != 0)
		return E_MECHANISM_PARAM;
	if (s.iterations == 0 || s.iterations > ITERATIONS_MAX)
		return E_MECHANISM_PARAM;
	par->hash = h->mech;
	par->iterations = s.iterations;
	if ((e = pbytes_take(&par->data, s.pSaltSourceData, s.ulSaltSourceDataLen)) != OK)
		return e;
	if ((e = password_len(s.ulPasswordLen, &n)) != OK)
		return e;
	return pbytes_take(&par->context, s.pPassword, n);
}
