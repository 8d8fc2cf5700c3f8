/* SPDX-License-Identifier: Apache-2.0 */
/* Every error of Chancery: one row each in err.def. */
#ifndef CHANCERY_BASE_ERR_H
#define CHANCERY_BASE_ERR_H

enum err {
#define ERR(name, ckr, http, ex, text) name,
#include "base/err.def"
#undef ERR
	E_COUNT
};

/* The CK_RV that a C_ function returns for e. */
unsigned long err_rv(enum err e);
/* The same for functions of the vendor interface, which say more of files and the store. */
unsigned long err_rv_vendor(enum err e);
/* The error that a CK_RV of any module stands for; E_INTERNAL when no row has it. */
enum err err_of_rv(unsigned long rv);
/* Status for the service, and exit status for the tools (sysexits.h). */
int err_http(enum err e);
int err_exit(enum err e);
/* A short English text, static. */
const char *err_text(enum err e);

#endif
