/* SPDX-License-Identifier: Apache-2.0 */
/* The standard's names of its numbers, for tools, logs and configuration. */
#ifndef CHANCERY_BASE_NAMES_H
#define CHANCERY_BASE_NAMES_H

#include <chancery/pkcs11.h>
#include <stdbool.h>

/*
 * What a number means depends on where it stands; a group is one such place. Where one prefix serves
 * several types, the group's name says which.
 */
enum name_group {
	NAME_CKM,            /* mechanisms */
	NAME_CKA,            /* attributes */
	NAME_CKR,            /* return values */
	NAME_CKK,            /* key types */
	NAME_CKO,            /* object classes */
	NAME_CKU,            /* users */
	NAME_CKS,            /* session states */
	NAME_CKN,            /* notifications */
	NAME_CKC,            /* certificate types */
	NAME_CKC_CATEGORY,   /* certificate categories */
	NAME_CKC_DOMAIN,     /* Java MIDP security domains */
	NAME_CKH,            /* hardware features */
	NAME_CKH_HEDGE,      /* hedging of ML-DSA and SLH-DSA signatures */
	NAME_CKP_PROFILE,    /* profiles */
	NAME_CKP_ML_DSA,     /* CKA_PARAMETER_SET of ML-DSA keys */
	NAME_CKP_SLH_DSA,    /* CKA_PARAMETER_SET of SLH-DSA keys */
	NAME_CKP_ML_KEM,     /* CKA_PARAMETER_SET of ML-KEM keys */
	NAME_CKP_PRF,        /* pseudo-random functions of PBKDF2 */
	NAME_CKT,            /* trust */
	NAME_CKV_TYPE,       /* validation types */
	NAME_CKV_AUTHORITY,  /* validation authorities */
	NAME_CKD,            /* key derivation functions of key agreement */
	NAME_CKG_MGF,        /* mask generation functions */
	NAME_CKG_GENERATOR,  /* nonce generators */
	NAME_CKZ_OAEP,       /* sources of the OAEP label */
	NAME_CKZ_SALT,       /* sources of the PBKDF2 salt */
	NAME_CK_PRF_DATA,    /* kinds of SP 800-108 input */
	NAME_CK_DKM_LENGTH,  /* what the SP 800-108 length counts */
	NAME_CK_OTP_PARAM,   /* one-time password parameters */
	NAME_CK_OTP_FORMAT,  /* CKA_OTP_FORMAT */
	NAME_CK_OTP_NEED,    /* CKA_OTP_..._REQUIREMENT */
	NAME_CKF_SLOT,       /* flags, one bit each: CK_SLOT_INFO */
	NAME_CKF_TOKEN,      /* CK_TOKEN_INFO */
	NAME_CKF_SESSION,    /* CK_SESSION_INFO, C_OpenSession */
	NAME_CKF_MECHANISM,  /* CK_MECHANISM_INFO */
	NAME_CKF_INTERFACE,  /* CK_INTERFACE */
	NAME_CKF_VALIDATION, /* C_GetSessionValidationFlags */
	NAME_CKF_HKDF_SALT,  /* CK_HKDF_PARAMS.ulSaltType */
	NAME_CKF_OTP,        /* value of CK_OTP_FLAGS */
};

/*
 * The name of v in g, with its prefix: name_of(NAME_CKM, 1) is "CKM_RSA_PKCS". Where the standard
 * has several names for a number it is the current one. NULL when the standard has none. Static.
 */
const char *name_of(enum name_group g, CK_ULONG v);

/*
 * The number that a name, current or older, stands for in g; *v is set only when it returns true.
 * Letters match without regard to case (ASCII, in every locale), and the part up to the first
 * underscore may be left out: "CKM_RSA_PKCS", "rsa_pkcs".
 */
bool name_value(enum name_group g, const char *name, CK_ULONG *v);

#endif
