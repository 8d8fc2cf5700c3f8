/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mechanism parameters: every rule takes what it should, refuses the rest, and owns what it took.
 */
#include "pair.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

static uint8_t bytes[300];
static int
	forbidden; /* the error that process_vm_readv() has, as in a container or under an emulator; 0: it works */

ssize_t __real_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long n_to,
				const struct iovec *from, unsigned long n_from,
				unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long n_to,
				const struct iovec *from, unsigned long n_from,
				unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long n_to,
				const struct iovec *from, unsigned long n_from, unsigned long flags)
{
	if (forbidden == 0)
		return __real_process_vm_readv(pid, to, n_to, from, n_from, flags);
	errno = forbidden;
	return -1;
}

static enum err take(CK_MECHANISM_TYPE type, void *p, CK_ULONG n, struct param *par)
{
	CK_MECHANISM m = { type, p, n };

	assert_non_null(mech_find(type));
	memset(par, 0, sizeof(*par));
	return param_take(mech_find(type), &m, par);
}

/* Taken and thrown away. */
static enum err try_take(CK_MECHANISM_TYPE type, void *p, CK_ULONG n)
{
	struct param par, zero;
	enum err e = take(type, p, n, &par);

	param_clear(&par);
	memset(&zero, 0, sizeof(zero));
	assert_memory_equal(&par, &zero, sizeof(par));
	return e;
}

#define TRY(type, s)     try_take(type, &(s), sizeof(s))
#define REFUSED(type, s) assert_int_equal(TRY(type, s), E_MECHANISM_PARAM)
#define TAKEN(type, s)   assert_int_equal(TRY(type, s), OK)

/* Lengths that a row takes; the others up to the largest and beyond are refused, and so is NULL. */
static void test_sizes(void **state)
{
	static const struct {
		CK_MECHANISM_TYPE type;
		size_t sizes[4]; /* 0 first: optional */
		size_t n;
	} rows[] = {
		{ CKM_SHA256, { 0 }, 1 },
		{ CKM_AES_ECB, { 0 }, 1 },
		{ CKM_AES_KEY_GEN, { 0 }, 1 },
		{ CKM_AES_CBC, { 16 }, 1 },
		{ CKM_AES_XTS, { 16 }, 1 },
		{ CKM_AES_CTR, { 24 }, 1 },
		{ CKM_AES_GCM, { 40, 48, 56 }, 3 },
		{ CKM_AES_CCM, { 48, 64 }, 2 },
		{ CKM_AES_GMAC, { 40, 48, 56 }, 3 },
		{ CKM_SHA256_HMAC, { 0 }, 1 },
		{ CKM_SHA256_HMAC_GENERAL, { 8 }, 1 },
		{ CKM_AES_KEY_WRAP, { 0, 8 }, 2 },
		{ CKM_AES_KEY_WRAP_KWP, { 0, 4 }, 2 },
		{ CKM_HKDF_DERIVE, { 64 }, 1 },
		{ CKM_PKCS5_PBKD2, { 72 }, 1 },
		{ CKM_RSA_PKCS, { 0 }, 1 },
		{ CKM_RSA_PKCS_PSS, { 24 }, 1 },
		{ CKM_SHA256_RSA_PKCS_PSS, { 24 }, 1 },
		{ CKM_RSA_PKCS_OAEP, { 40 }, 1 },
		{ CKM_ECDH1_DERIVE, { 40 }, 1 },
		{ CKM_EDDSA, { 0, 24 }, 2 },
		{ CKM_ML_DSA, { 0, 24 }, 2 },
	};

	(void)state;
	memset(bytes, 0xee, sizeof(bytes));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t n = 0; n < 100; n++) {
			bool known = false;

			for (size_t k = 0; k < rows[i].n; k++)
				known |= rows[i].sizes[k] == n;
			if (!known)
				assert_int_equal(try_take(rows[i].type, bytes, n),
						 E_MECHANISM_PARAM);
			if (n != 0)
				assert_int_equal(try_take(rows[i].type, NULL, n),
						 E_MECHANISM_PARAM);
		}
		assert_int_equal(try_take(rows[i].type, NULL, 0),
				 rows[i].sizes[0] == 0 ? OK : E_MECHANISM_PARAM);
	}
}

static void test_pss(void **state)
{
	CK_RSA_PKCS_PSS_PARAMS s = { CKM_SHA256, CKG_MGF1_SHA1, 99 };
	struct param par;

	(void)state;
	assert_int_equal(take(CKM_RSA_PKCS_PSS, &s, sizeof(s), &par), OK);
	assert_int_equal(par.hash, CKM_SHA256);
	assert_int_equal(par.mgf_hash, CKM_SHA_1);
	assert_int_equal(par.salt_len, 99);
	param_clear(&par);
	TAKEN(CKM_SHA256_RSA_PKCS_PSS, s);
	REFUSED(CKM_SHA384_RSA_PKCS_PSS, s); /* not its hash */
	s.hashAlg = CKM_SHA256_RSA_PKCS;
	REFUSED(CKM_RSA_PKCS_PSS, s);
	s.hashAlg = CKM_SHA256;
	s.mgf = 0;
	REFUSED(CKM_RSA_PKCS_PSS, s);
	s.mgf = 10;
	REFUSED(CKM_RSA_PKCS_PSS, s);
}

/* Case B016: source 0 only goes with no label. */
static void test_oaep(void **state)
{
	CK_RSA_PKCS_OAEP_PARAMS s = { CKM_SHA256, CKG_MGF1_SHA256, CKZ_DATA_SPECIFIED, bytes, 3 };
	struct param par;

	(void)state;
	assert_int_equal(take(CKM_RSA_PKCS_OAEP, &s, sizeof(s), &par), OK);
	assert_true(span_eq(pbytes_span(&par.context), span(bytes, 3)));
	param_clear(&par);
	s.source = 0;
	REFUSED(CKM_RSA_PKCS_OAEP, s);
	s.ulSourceDataLen = 0;
	TAKEN(CKM_RSA_PKCS_OAEP, s);
	s.pSourceData = NULL;
	TAKEN(CKM_RSA_PKCS_OAEP, s);
	s.source = CKZ_DATA_SPECIFIED;
	TAKEN(CKM_RSA_PKCS_OAEP, s);
	s.ulSourceDataLen = 3;
	REFUSED(CKM_RSA_PKCS_OAEP, s);
	s.ulSourceDataLen = 0;
	s.source = 2;
	REFUSED(CKM_RSA_PKCS_OAEP, s);
	s.source = CKZ_DATA_SPECIFIED;
	s.mgf = CKG_MGF1_SHA1; /* mixed */
	TAKEN(CKM_RSA_PKCS_OAEP, s);
}

static void test_ecdh(void **state)
{
	CK_ECDH1_DERIVE_PARAMS s = { CKD_NULL, 0, NULL, 65, bytes };

	(void)state;
	TAKEN(CKM_ECDH1_DERIVE, s);
	s.ulSharedDataLen = 1;
	s.pSharedData = bytes;
	REFUSED(CKM_ECDH1_DERIVE, s);
	s.kdf = CKD_SHA256_KDF;
	TAKEN(CKM_ECDH1_DERIVE, s);
	s.pSharedData = NULL;
	REFUSED(CKM_ECDH1_DERIVE, s);
	s.ulSharedDataLen = 0;
	s.kdf = CKD_SHA256_KDF_SP800;
	REFUSED(CKM_ECDH1_DERIVE, s);
	s.kdf = CKD_SHA1_KDF;
	s.pPublicData = NULL;
	REFUSED(CKM_ECDH1_DERIVE, s);
}

static void test_eddsa(void **state)
{
	CK_EDDSA_PARAMS s = { CK_TRUE, 255, bytes };
	struct param par;

	(void)state;
	assert_int_equal(take(CKM_EDDSA, &s, sizeof(s), &par), OK);
	assert_true(par.given && par.prehash && par.context.n == 255);
	param_clear(&par);
	assert_int_equal(take(CKM_EDDSA, NULL, 0, &par), OK);
	assert_false(par.given);
	s.ulContextDataLen = 256;
	REFUSED(CKM_EDDSA, s);
	s.ulContextDataLen = 0;
	s.pContextData = NULL;
	s.phFlag = 2;
	REFUSED(CKM_EDDSA, s);
}

/* Case B025. */
static void test_sign_context(void **state)
{
	CK_SIGN_ADDITIONAL_CONTEXT s = { CKH_HEDGE_PREFERRED, NULL, 0 };
	struct param par;

	(void)state;
	for (CK_ULONG hedge = 0; hedge < 3; hedge++) {
		s.hedgeVariant = hedge;
		assert_int_equal(take(CKM_ML_DSA, &s, sizeof(s), &par), OK);
		assert_int_equal(par.hedge, hedge);
		param_clear(&par);
	}
	s.hedgeVariant = 99;
	REFUSED(CKM_ML_DSA, s);
	s.hedgeVariant = 3;
	REFUSED(CKM_ML_DSA, s);
	s.hedgeVariant = CKH_HEDGE_REQUIRED;
	s.ulContextLen = 5;
	REFUSED(CKM_ML_DSA, s);
	s.pContext = bytes;
	TAKEN(CKM_ML_DSA, s);
	s.ulContextLen = 255;
	TAKEN(CKM_ML_DSA, s);
	s.ulContextLen = 256;
	REFUSED(CKM_ML_DSA, s);
	s.ulContextLen = CK_UNAVAILABLE_INFORMATION;
	REFUSED(CKM_ML_DSA, s);
}

static void test_ctr(void **state)
{
	CK_AES_CTR_PARAMS s = { .ulCounterBits = 1 };

	(void)state;
	TAKEN(CKM_AES_CTR, s);
	s.ulCounterBits = 128;
	TAKEN(CKM_AES_CTR, s);
	s.ulCounterBits = 129;
	REFUSED(CKM_AES_CTR, s);
	s.ulCounterBits = 0;
	REFUSED(CKM_AES_CTR, s);
}

/* Case B017: ulIvBits may be anything, or not be there at all. */
static void test_gcm(void **state)
{
	CK_GCM_PARAMS s = { bytes, 12, 0xdeadbeef, bytes, 100, 128 };
	struct {
		CK_BYTE_PTR iv;
		CK_ULONG iv_n;
		CK_BYTE_PTR aad;
		CK_ULONG aad_n, tag_bits;
	} old = { bytes, 12, bytes, 100, 96 };
	CK_GCM_WRAP_PARAMS wrap = { bytes, 12, 0, CKG_NO_GENERATE, bytes, 100, 128 };
	struct param par;

	(void)state;
	assert_int_equal(take(CKM_AES_GCM, &s, sizeof(s), &par), OK);
	assert_true(par.iv.n == 12 && par.aad.n == 100 && par.tag_len == 16);
	param_clear(&par);
	assert_int_equal(take(CKM_AES_GCM, &old, sizeof(old), &par), OK);
	assert_true(par.iv.n == 12 && par.aad.n == 100 && par.tag_len == 12);
	param_clear(&par);
	assert_int_equal(take(CKM_AES_GCM, &wrap, sizeof(wrap), &par), OK);
	assert_true(par.iv.n == 12 && par.aad.n == 100 && par.tag_len == 16);
	param_clear(&par);
	wrap.ivGenerator = CKG_GENERATE;
	REFUSED(CKM_AES_GCM, wrap);
	REFUSED(CKM_AES_GMAC, s); /* its AAD is the signed data */
	s.ulAADLen = 0;
	TAKEN(CKM_AES_GMAC, s);
	s.pAAD = NULL;
	TAKEN(CKM_AES_GCM, s);
	s.ulAADLen = 1;
	REFUSED(CKM_AES_GCM, s);
	s.ulAADLen = 0;
	s.pIv = NULL;
	REFUSED(CKM_AES_GCM, s);
}

static void test_gcm_numbers(void **state)
{
	CK_GCM_PARAMS s = { bytes, 12, 96, NULL, 0, 0 };

	(void)state;
	for (CK_ULONG bits = 0; bits < 140; bits++) {
		bool fits =
			bits == 32 || bits == 64 || (bits >= 96 && bits <= 128 && bits % 8 == 0);

		s.ulTagBits = bits;
		assert_int_equal(TRY(CKM_AES_GCM, s), fits ? OK : E_MECHANISM_PARAM);
	}
	s.ulTagBits = 128;
	for (CK_ULONG n = 0; n < 200; n++) {
		s.ulIvLen = n;
		assert_int_equal(TRY(CKM_AES_GCM, s), n >= 1 ? OK : E_MECHANISM_PARAM);
		assert_int_equal(TRY(CKM_AES_GMAC, s), n >= 1 && n <= 128 ? OK : E_MECHANISM_PARAM);
	}
	s.ulIvLen = CK_UNAVAILABLE_INFORMATION;
	REFUSED(CKM_AES_GCM, s);
}

static void test_ccm(void **state)
{
	CK_CCM_PARAMS s = { 10, bytes, 12, bytes, 100, 8 };
	CK_CCM_WRAP_PARAMS wrap = { 10, bytes, 12, 0, CKG_NO_GENERATE, bytes, 100, 8 };

	(void)state;
	TAKEN(CKM_AES_CCM, wrap);
	wrap.nonceGenerator = CKG_GENERATE_RANDOM;
	REFUSED(CKM_AES_CCM, wrap);
	for (CK_ULONG tag = 0; tag < 20; tag++) {
		bool fits = tag >= 4 && tag <= 16 && tag % 2 == 0;

		s.ulMACLen = tag;
		assert_int_equal(TRY(CKM_AES_CCM, s), fits ? OK : E_MECHANISM_PARAM);
	}
	s.ulMACLen = 8;
	for (CK_ULONG n = 0; n < 20; n++) {
		s.ulNonceLen = n;
		assert_int_equal(TRY(CKM_AES_CCM, s), n >= 7 && n <= 13 ? OK : E_MECHANISM_PARAM);
	}
	s.ulNonceLen = 13; /* leaves two bytes for the length */
	s.ulDataLen = 65535;
	TAKEN(CKM_AES_CCM, s);
	s.ulDataLen = 65536;
	REFUSED(CKM_AES_CCM, s);
	s.ulNonceLen = 7; /* leaves eight */
	s.ulDataLen = CK_UNAVAILABLE_INFORMATION;
	TAKEN(CKM_AES_CCM, s);
}

/* Case B021. */
static void test_hkdf(void **state)
{
	CK_HKDF_PARAMS s = {
		CK_TRUE, CK_TRUE, CKM_SHA256, CKF_HKDF_SALT_DATA, bytes, 8, 0, bytes, 4
	};
	struct param par;

	(void)state;
	assert_int_equal(take(CKM_HKDF_DERIVE, &s, sizeof(s), &par), OK);
	assert_true(par.extract && par.expand && par.data.n == 8 && par.context.n == 4);
	param_clear(&par);
	s.bExtract = s.bExpand = CK_FALSE;
	REFUSED(CKM_HKDF_DERIVE, s);
	s.bExtract = 2;
	REFUSED(CKM_HKDF_DERIVE, s);
	s.bExtract = CK_TRUE;
	s.prfHashMechanism = CKM_SHA256_HMAC;
	REFUSED(CKM_HKDF_DERIVE, s);
	s.prfHashMechanism = CKM_SHA512_256;
	TAKEN(CKM_HKDF_DERIVE, s);
	s.pSalt = NULL;
	REFUSED(CKM_HKDF_DERIVE, s);
	s.ulSaltType = CKF_HKDF_SALT_NULL; /* what else is said of a salt does not matter */
	TAKEN(CKM_HKDF_DERIVE, s);
	s.ulSaltType = CKF_HKDF_SALT_KEY;
	REFUSED(CKM_HKDF_DERIVE, s);
	s.hSaltKey = 9;
	TAKEN(CKM_HKDF_DERIVE, s);
	s.ulSaltType = 3;
	REFUSED(CKM_HKDF_DERIVE, s);
	s.bExtract = CK_FALSE; /* no salt where nothing is extracted */
	s.bExpand = CK_TRUE;
	TAKEN(CKM_HKDF_DERIVE, s);
	s.pInfo = NULL;
	REFUSED(CKM_HKDF_DERIVE, s);
}

static CK_PKCS5_PBKD2_PARAMS2 pbkdf2_of(CK_ULONG password_len)
{
	return (CK_PKCS5_PBKD2_PARAMS2){
		CKZ_SALT_SPECIFIED, bytes, 8, 1000, CKP_PKCS5_PBKD2_HMAC_SHA256, NULL, 0, bytes,
		password_len
	};
}

/* Case B022. */
static void test_pbkdf2(void **state)
{
	CK_PKCS5_PBKD2_PARAMS2 s = pbkdf2_of(8);

	(void)state;
	TAKEN(CKM_PKCS5_PBKD2, s);
	s.iterations = 0;
	REFUSED(CKM_PKCS5_PBKD2, s);
	s.iterations = 1000000000;
	REFUSED(CKM_PKCS5_PBKD2, s);
	s = pbkdf2_of(8);
	s.prf = CKP_PKCS5_PBKD2_HMAC_GOSTR3411;
	REFUSED(CKM_PKCS5_PBKD2, s);
	s = pbkdf2_of(8);
	s.saltSource = 0;
	REFUSED(CKM_PKCS5_PBKD2, s);
	s = pbkdf2_of(8);
	s.pPrfData = bytes;
	REFUSED(CKM_PKCS5_PBKD2, s);
	s = pbkdf2_of(8);
	s.pPassword = NULL;
	REFUSED(CKM_PKCS5_PBKD2, s);
	s.ulPasswordLen = 0;
	TAKEN(CKM_PKCS5_PBKD2, s);
}

/* A length that is a pointer is followed only where it can be one. */
static void follow_pointers(uint8_t *gone)
{
	CK_PKCS5_PBKD2_PARAMS2 s;
	CK_ULONG n = 8, huge = 1 << 20;
	struct param par;

	s = pbkdf2_of((CK_ULONG)&n);
	assert_int_equal(take(CKM_PKCS5_PBKD2, &s, sizeof(s), &par), OK);
	assert_int_equal(par.context.n, 8);
	param_clear(&par);
	s = pbkdf2_of((CK_ULONG)&huge);
	REFUSED(CKM_PKCS5_PBKD2, s);
	s = pbkdf2_of((CK_ULONG)&n + 1); /* not aligned */
	REFUSED(CKM_PKCS5_PBKD2, s);
	s = pbkdf2_of((CK_ULONG)gone);
	REFUSED(CKM_PKCS5_PBKD2, s);
	s = pbkdf2_of(65536);
	REFUSED(CKM_PKCS5_PBKD2, s);
	s = pbkdf2_of(CK_UNAVAILABLE_INFORMATION);
	REFUSED(CKM_PKCS5_PBKD2, s);
	s = pbkdf2_of(CK_UNAVAILABLE_INFORMATION - 7);
	REFUSED(CKM_PKCS5_PBKD2, s);
}

static void test_pbkdf2_pointer(void **state)
{
	uint8_t *gone = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(gone != MAP_FAILED);
	assert_int_equal(munmap(gone, 4096), 0);
	follow_pointers(gone);
}

/* Where the call for it is forbidden, by a pipe. (Sanitizers and memcheck look at what is written before the kernel does.) */
static void test_pbkdf2_pointer_by_pipe(void **state)
{
	static uint8_t unreadable[2 * 4096];
	const uintptr_t page = ((uintptr_t)unreadable + 4095) / 4096 * 4096;
	uint8_t *gone = unreadable + (page - (uintptr_t)unreadable);
	const char *sanitizer = getenv("CHANCERY_SANITIZE");

	(void)state;
	if (sanitizer[0] != '\0' || getenv("CHANCERY_UNDER_VALGRIND") != NULL)
		skip();
	assert_int_equal(mprotect(gone, 4096, PROT_NONE), 0);
	forbidden = ENOSYS;
	follow_pointers(gone);
	forbidden = EPERM;
	follow_pointers(gone);
	forbidden = 0;
	assert_int_equal(mprotect(gone, 4096, PROT_READ | PROT_WRITE), 0);
}

/* The number of the second of two descriptors opened now: grows with each that was left open. */
static int second_descriptor(void)
{
	int first = open("/dev/null", O_RDONLY | O_CLOEXEC), second = dup(first);

	assert_true(first >= 0 && second >= 0);
	assert_int_equal(close(first), 0);
	assert_int_equal(close(second), 0);
	return second;
}

/* Nothing is left open by the look, and where nothing can be opened the answer is an error. */
static void test_pbkdf2_pointer_without_descriptors(void **state)
{
	CK_ULONG n = 8;
	CK_PKCS5_PBKD2_PARAMS2 s = pbkdf2_of((CK_ULONG)&n);
	struct rlimit usual, none;
	int before = second_descriptor();

	(void)state;
	forbidden = ENOSYS;
	for (int i = 0; i < 10; i++)
		TAKEN(CKM_PKCS5_PBKD2, s);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
	none = (struct rlimit){ (rlim_t)before, usual.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	REFUSED(CKM_PKCS5_PBKD2, s);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
	assert_int_equal(second_descriptor(), before);
	forbidden = 0;
}

/* What the caller does with its memory after Init is its own business; short and long values. */
static void test_owned(void **state)
{
	uint8_t iv[12], aad[200], iv_copy[12], aad_copy[200];
	CK_GCM_PARAMS s = { iv, sizeof(iv), 0, aad, sizeof(aad), 128 };
	struct param par;

	(void)state;
	memset(iv, 1, sizeof(iv));
	memset(aad, 2, sizeof(aad));
	memcpy(iv_copy, iv, sizeof(iv));
	memcpy(aad_copy, aad, sizeof(aad));
	assert_int_equal(take(CKM_AES_GCM, &s, sizeof(s), &par), OK);
	memset(iv, 0xff, sizeof(iv));
	memset(aad, 0xff, sizeof(aad));
	assert_true(span_eq(pbytes_span(&par.iv), span(iv_copy, sizeof(iv_copy))));
	assert_true(span_eq(pbytes_span(&par.aad), span(aad_copy, sizeof(aad_copy))));
	assert_null(par.iv.heap);
	assert_non_null(par.aad.heap);
	param_clear(&par);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_pss),
		cmocka_unit_test(test_oaep),
		cmocka_unit_test(test_ecdh),
		cmocka_unit_test(test_eddsa),
		cmocka_unit_test(test_sign_context),
		cmocka_unit_test(test_ctr),
		cmocka_unit_test(test_gcm),
		cmocka_unit_test(test_gcm_numbers),
		cmocka_unit_test(test_ccm),
		cmocka_unit_test(test_hkdf),
		cmocka_unit_test(test_pbkdf2),
		cmocka_unit_test(test_pbkdf2_pointer),
		cmocka_unit_test(test_pbkdf2_pointer_by_pipe),
		cmocka_unit_test(test_pbkdf2_pointer_without_descriptors),
		cmocka_unit_test(test_owned),
	};

	return cmocka_run_group_tests(tests, crypto_up, crypto_down);
}
