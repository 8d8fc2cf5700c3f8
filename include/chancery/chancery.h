/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Chancery's own numbers and its own interface.
 *
 * The standard leaves everything from 0x80000000 upwards to vendors. Chancery uses the block that
 * starts at 0x43480000 ("CH") within it and nothing else. A number that was given out once keeps
 * its meaning for ever, also after the standard has published one of its own for the same thing.
 */

#ifndef CHANCERY_CHANCERY_H
#define CHANCERY_CHANCERY_H

#include <chancery/pkcs11.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Where the numbers of each kind begin; each block holds 0x10000 of them.
 *
 * Ranges within the block of mechanisms, as offsets from CKM_CHANCERY_BASE:
 *   0x0000 .. 0x00ff  reserved, so that a mistaken "base + small number" hits nothing
 *   0x0100 .. 0x01ff  SHAKE and other extendable-output digests
 *   0x0200 .. 0x02ff  KMAC
 *   0x0300 .. 0x03ff  composite signatures
 *   0x0400 .. 0x04ff  composite key encapsulation
 *   0x0500 .. 0xffff  free
 * Key types use the offsets of the mechanisms they belong to. Parameter sets of composite keys are
 * CKP numbers with the offsets of their mechanisms.
 */
#define CKM_CHANCERY_BASE (CKM_VENDOR_DEFINED | 0x43480000UL)
#define CKK_CHANCERY_BASE (CKK_VENDOR_DEFINED | 0x43480000UL)
#define CKP_CHANCERY_BASE (CKP_VENDOR_DEFINED | 0x43480000UL)
#define CKA_CHANCERY_BASE (CKA_VENDOR_DEFINED | 0x43480000UL)
#define CKO_CHANCERY_BASE (CKO_VENDOR_DEFINED | 0x43480000UL)
#define CKR_CHANCERY_BASE (CKR_VENDOR_DEFINED | 0x43480000UL)

/*
 * Returned by those functions of the vendor interface that have a CK_CHANCERY_WHY, where the standard has only
 * CKR_DEVICE_ERROR or CKR_FUNCTION_FAILED: a file, or the token of a backup, is there already; no file can be made in
 * that place; there is no such file; its owner or permissions forbid it; another process keeps the storage
 * locked; what is stored is damaged or was altered.
 */
#define CKR_CHANCERY_EXISTS        (CKR_CHANCERY_BASE | 0x0100UL)
#define CKR_CHANCERY_CANNOT_CREATE (CKR_CHANCERY_BASE | 0x0101UL)
#define CKR_CHANCERY_ABSENT        (CKR_CHANCERY_BASE | 0x0102UL)
#define CKR_CHANCERY_NOT_PERMITTED (CKR_CHANCERY_BASE | 0x0103UL)
#define CKR_CHANCERY_BUSY          (CKR_CHANCERY_BASE | 0x0104UL)
#define CKR_CHANCERY_DAMAGED       (CKR_CHANCERY_BASE | 0x0105UL)

/* Kept inside objects and never shown: which of wrap, unwrap, encrypt and decrypt a key ever had. */
#define CKA_CHANCERY_ROLES (CKA_CHANCERY_BASE | 0x0100UL)
/*
 * Of a private key, a CK_ULONG: what the audit log has of its signatures. It is given when the key is generated, created
 * or unwrapped, and never changes; a copy has CHANCERY_AUDIT_EACH. CHANCERY_AUDIT_BATCH is for keys whose signatures are
 * answers to everybody (OCSP). It wants CKA_TOKEN, CKA_PRIVATE and CKA_SIGN, and none of CKA_SIGN_RECOVER, CKA_DECRYPT,
 * CKA_UNWRAP, CKA_DERIVE, CKA_DECAPSULATE and CKA_ALWAYS_AUTHENTICATE: else CKR_TEMPLATE_INCONSISTENT.
 */
#define CKA_CHANCERY_AUDIT   (CKA_CHANCERY_BASE | 0x0101UL)
#define CHANCERY_AUDIT_EACH  0UL /* a record for each */
#define CHANCERY_AUDIT_BATCH 1UL /* SignBatch leaves one for all that it made */

/*
 * The vendor interface: ask C_GetInterface for this name without a version (pVersion NULL), since a version that is
 * given must be the very one that the module has (3.2, 5.4.6), and compare `version` of what comes: another major
 * version is another list, and a member is there when the minor version is that of its part or higher. The
 * numbers here are those of this header, not of the module.
 */
#define CHANCERY_INTERFACE_NAME  "Vendor Chancery"
#define CHANCERY_INTERFACE_MAJOR 1
#define CHANCERY_INTERFACE_MINOR 3

/* Why a function of this interface failed and what to do about it: a sentence or two, terminated. */
typedef struct CK_CHANCERY_WHY {
	char text[512];
} CK_CHANCERY_WHY;
typedef CK_CHANCERY_WHY *CK_CHANCERY_WHY_PTR;

/*
 * One line of a report. ok: CK_FALSE for a finding. text is valid during the call only. No function of
 * the module may be called from it.
 */
typedef void (*CK_CHANCERY_REPORT)(void *arg, CK_BBOOL ok, const char *text);

/* What the module holds in memory for secrets, in bytes, and its cache of parsed keys. */
typedef struct CK_CHANCERY_MEMORY {
	CK_ULONG secretUsed;     /* handed out of the secret arena */
	CK_ULONG secretLocked;   /* of the arena, locked in memory */
	CK_ULONG secretUnlocked; /* of the arena, that could not be locked */
	CK_BBOOL dumpExcluded;   /* the kernel leaves the arena out of core dumps */
	CK_BBOOL wipeOnFork;     /* and gives a forked child zeroes */
	CK_ULONG keys;           /* parsed keys kept */
	CK_ULONG keyBytes;       /* what they take */
	CK_ULONG keyLimit;       /* beyond it the least recently used go */
	CK_ULONG keyEvictions;   /* how many went since C_Initialize */
} CK_CHANCERY_MEMORY;
typedef CK_CHANCERY_MEMORY *CK_CHANCERY_MEMORY_PTR;

/* ---- the audit log (docs/AUDIT.md) ---- */

/* Bytes of what AuditOnBehalf takes. */
#define CHANCERY_ON_BEHALF_MAX 1024

/* Where a record is. */
typedef struct CK_CHANCERY_REFERENCE {
	CK_BYTE roll[16]; /* the log's id */
	CK_ULONG file;    /* 0: a stream */
	CK_ULONG seq;
	CK_BYTE head[32]; /* h of the record: what the next one names */
} CK_CHANCERY_REFERENCE;
typedef CK_CHANCERY_REFERENCE *CK_CHANCERY_REFERENCE_PTR;

/* How the log of this process does. */
typedef struct CK_CHANCERY_AUDIT {
	CK_BBOOL on;   /* CK_FALSE: `audit = off` */
	CK_BBOOL open; /* something was recorded, and so there is a file */
	CK_BBOOL
	failed; /* nothing can be recorded any more, and no key is used until C_Initialize */
	CK_BBOOL durable; /* of an open one. CK_FALSE: where it goes gives no durability */
	CK_BBOOL low;     /* the disk is nearly full */
	CK_ULONG file;    /* the file's number; 0: a stream */
	CK_ULONG records, barriers, bytes; /* since C_Initialize */
	char why[256];                     /* what failed; terminated */
} CK_CHANCERY_AUDIT;
typedef CK_CHANCERY_AUDIT *CK_CHANCERY_AUDIT_PTR;

/* So many answers are signed in one call at most. */
#define CHANCERY_BATCH_MAX 4096

/* What is to be signed, and where its signature goes. */
typedef struct CK_CHANCERY_ANSWER {
	const CK_BYTE *data;
	CK_ULONG dataLen;
	CK_BYTE_PTR signature; /* may lie anywhere, also where data is */
	CK_ULONG signatureLen; /* the room there, then the length */
} CK_CHANCERY_ANSWER;
typedef CK_CHANCERY_ANSWER *CK_CHANCERY_ANSWER_PTR;

/* Bytes of what CKA_UNIQUE_ID is for an object of a token. */
#define CHANCERY_USE_KEY 36

/* How often a key was used, in the time of one file of the audit log. */
typedef struct CK_CHANCERY_USE {
	CK_BYTE roll[16]; /* the log's id */
	CK_ULONG file;
	CK_UTF8CHAR key
		[CHANCERY_USE_KEY]; /* its CKA_UNIQUE_ID; zeros: all keys that are no objects of the token */
	CK_ULONG count;             /* all that is known of */
	CK_ULONG sealed;            /* that are sealed in the token already */
} CK_CHANCERY_USE;
/* One of them, by log, file and key; valid during the call only. No function of the module may be called from it. */
typedef void (*CK_CHANCERY_USES)(void *arg, const CK_CHANCERY_USE *use);

/*
 * The function list of the vendor interface. A higher minor version appends members and changes
 * none, so a caller reads only the members of the minor version that `version` tells. Another major version is another
 * list, of which nothing but `version` may be read.
 *
 * C_Initialize must have succeeded. PINs are bytes with their length; paths are terminated. why may be NULL.
 */
typedef struct CK_CHANCERY_FUNCTIONS {
	CK_VERSION version;
	/* As C_InitToken, in a new slot, whether an empty one is offered or not. */
	CK_RV(*TokenCreate)
	(const CK_UTF8CHAR *soPin, CK_ULONG soPinLen, const CK_UTF8CHAR *label, CK_SLOT_ID_PTR slot,
	 CK_CHANCERY_WHY_PTR why);
	/* Removes the token and everything in it. CKR_SESSION_EXISTS while it has sessions in this process. */
	CK_RV(*TokenDelete)
	(CK_SLOT_ID slot, const CK_UTF8CHAR *soPin, CK_ULONG soPinLen, CK_CHANCERY_WHY_PTR why);
	/* Gives the token another label (blank padded, as for C_InitToken). */
	CK_RV(*TokenRename)
	(CK_SLOT_ID slot, const CK_UTF8CHAR *soPin, CK_ULONG soPinLen, const CK_UTF8CHAR *label,
	 CK_CHANCERY_WHY_PTR why);
	/* Writes a sealed copy of the whole token to a new file, to be opened with the same passphrase. */
	CK_RV(*TokenBackup)
	(CK_SLOT_ID slot, const CK_UTF8CHAR *passphrase, CK_ULONG passphraseLen, const char *path,
	 CK_CHANCERY_WHY_PTR why);
	/* Makes a token of such a file, in a new slot. */
	CK_RV(*TokenRestore)
	(const CK_UTF8CHAR *passphrase, CK_ULONG passphraseLen, const char *path,
	 CK_SLOT_ID_PTR slot, CK_CHANCERY_WHY_PTR why);
	/*
	 * Checks everything that is stored of the token: structure, every object, the sealed root. user (CKU_USER or CKU_SO)
	 * and pin are those of either; without a PIN (NULL, 0) only what needs no key is checked. Findings do not make it fail.
	 */
	CK_RV(*TokenCheck)
	(CK_SLOT_ID slot, CK_USER_TYPE user, const CK_UTF8CHAR *pin, CK_ULONG pinLen,
	 CK_CHANCERY_REPORT report, void *arg);
	/* Runs every known-answer test. CKR_DEVICE_ERROR when one failed. */
	CK_RV (*SelfTest)(CK_CHANCERY_REPORT report, void *arg);
	CK_RV (*MemoryStatistics)(CK_CHANCERY_MEMORY_PTR statistics);
	/* The version text of the libcrypto that is linked in. Static. */
	const char *(*CryptoVersion)(void);
	/*
	 * Checks the directory of tokens without a PIN: what keeps a token from being listed, or new ones from being made, is a
	 * finding that says how to mend it. Nothing is reported when all is well.
	 */
	CK_RV (*StateCheck)(CK_CHANCERY_REPORT report, void *arg);
	/*
	 * Makes the secret of the audit log anew, sealed to the auditor whose public keys are in the text (docs/AUDIT.md,
	 * "Keys"), and leaves the text in the log's directory. Files that begin from now on can be checked by this auditor.
	 * CKR_ARGUMENTS_BAD: the text is none, CKR_FUNCTION_NOT_SUPPORTED: there is no log, or it is no directory.
	 */
	CK_RV(*AuditInit)
	(const CK_UTF8CHAR *publicKeyText, CK_ULONG len, CK_CHANCERY_WHY_PTR why);
	/* ---- since minor version 1 ---- */
	/*
	 * For whom the host acts with this session, from now on until it says otherwise or closes it: `on_behalf` of its records. Nobody checks it, and it
	 * stands beside user, process and program, never instead of them. Any bytes, CHANCERY_ON_BEHALF_MAX at most (CKR_DATA_LEN_RANGE); none: nobody.
	 */
	CK_RV(*AuditOnBehalf)
	(CK_SESSION_HANDLE hSession, const CK_UTF8CHAR *text, CK_ULONG len);
	/*
	 * The record that was last made for this session, whatever thread called: that of the last call if it is one that is recorded.
	 * CKR_OPERATION_NOT_INITIALIZED: there is none yet, or the last could not be made.
	 */
	CK_RV(*AuditReference)
	(CK_SESSION_HANDLE hSession, CK_CHANCERY_REFERENCE_PTR reference);
	/* Signs a checkpoint over all that was recorded, and returns when it is durable. CKR_FUNCTION_NOT_SUPPORTED: the log is off. */
	CK_RV (*AuditCheckpoint)(void);
	CK_RV (*AuditState)(CK_CHANCERY_AUDIT_PTR state);
	/*
	 * Whether the keys of the token are to work only with the audit log, sealed in the token. What must be recorded
	 * gets CKR_DEVICE_ERROR then where the log is off or goes to a stream, this function included.
	 */
	CK_RV(*TokenRequireAudit)
	(CK_SLOT_ID slot, const CK_UTF8CHAR *soPin, CK_ULONG soPinLen, CK_BBOOL on,
	 CK_CHANCERY_WHY_PTR why);
	CK_RV (*TokenRequiresAudit)(CK_SLOT_ID slot, CK_BBOOL *on);
	/* ---- since minor version 2 ---- */
	/*
	 * Signs count answers, CHANCERY_BATCH_MAX at most, each as C_SignInit and C_Sign would, with a key that has
	 * CHANCERY_AUDIT_BATCH (CKR_KEY_FUNCTION_NOT_PERMITTED: it has not). One record, `sign.batch`, tells of all, and is
	 * durable before the first signature is in the caller's memory. All or none: after an error that came while signing,
	 * or because there is no record, the room of every signature is zero as far as one reaches (where data lies in it, as
	 * it was), and the lengths are as they were. No data is longer than `max_input_kb` of the configuration
	 * (CKR_DATA_LEN_RANGE). Lengths are told, and nothing is signed, when every signature is NULL (CKR_OK), and when one of
	 * them is or its room is too small (CKR_BUFFER_TOO_SMALL). What operation is under way in the session goes on.
	 */
	CK_RV(*SignBatch)
	(CK_SESSION_HANDLE hSession, CK_MECHANISM_PTR mechanism, CK_OBJECT_HANDLE hKey,
	 CK_CHANCERY_ANSWER_PTR answers, CK_ULONG count);
	/* ---- since minor version 3 ---- */
	/*
	 * Shows how often keys of the token were used, by the roll's files, for `audit reconcile` to hold the records against (docs/AUDIT.md,
	 * "Counters"). What processes left that ended without sealing it is sealed before. user and pin as for TokenCheck, but there must be a PIN;
	 * it is a login that is recorded and leaves nobody logged in. CKR_CHANCERY_DAMAGED: what is sealed was altered, or is not all
	 * there.
	 */
	CK_RV(*TokenUses)
	(CK_SLOT_ID slot, CK_USER_TYPE user, const CK_UTF8CHAR *pin, CK_ULONG pinLen,
	 CK_CHANCERY_USES show, void *arg, CK_CHANCERY_WHY_PTR why);
} CK_CHANCERY_FUNCTIONS;
typedef CK_CHANCERY_FUNCTIONS *CK_CHANCERY_FUNCTIONS_PTR;

#ifdef __cplusplus
}
#endif

#endif
