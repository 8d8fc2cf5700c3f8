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
#define CKM_CHANCERY_BASE	(CKM_VENDOR_DEFINED | 0x43480000UL)
#define CKK_CHANCERY_BASE	(CKK_VENDOR_DEFINED | 0x43480000UL)
#define CKP_CHANCERY_BASE	(CKP_VENDOR_DEFINED | 0x43480000UL)
#define CKA_CHANCERY_BASE	(CKA_VENDOR_DEFINED | 0x43480000UL)
#define CKO_CHANCERY_BASE	(CKO_VENDOR_DEFINED | 0x43480000UL)
#define CKR_CHANCERY_BASE	(CKR_VENDOR_DEFINED | 0x43480000UL)

/* The vendor interface: ask C_GetInterface for this name. */
#define CHANCERY_INTERFACE_NAME		"Vendor Chancery"
#define CHANCERY_INTERFACE_MAJOR	1
#define CHANCERY_INTERFACE_MINOR	0

/*
 * The function list of the vendor interface. A higher minor version appends members and changes
 * none, so a caller reads only the members of the minor version that `version` tells; another major
 * version is another list and is asked for by its number.
 */
typedef struct CK_CHANCERY_FUNCTIONS {
	CK_VERSION version;
} CK_CHANCERY_FUNCTIONS;
typedef CK_CHANCERY_FUNCTIONS *CK_CHANCERY_FUNCTIONS_PTR;

#ifdef __cplusplus
}
#endif

#endif
