/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any PKCS#11 module, as our tools use it. There is one reference-counted context per module file and process:
 * the first user initialises it with CKF_OS_LOCKING_OK, the last finalises it, and a module that the
 * host program had initialised already is left alone. One symbol is resolved (C_GetInterface, else
 * C_GetFunctionList); everything else goes through the function list.
 *
 * All functions may be called by any thread.
 */
#ifndef CHANCERY_CLIENT_MODULE_H
#define CHANCERY_CLIENT_MODULE_H

#include "base/err.h"
#include "base/why.h"
#include <chancery/chancery.h>
#include <chancery/pkcs11.h>
#include <stdbool.h>
#include <stddef.h>

struct module;

/* Opens the module at path, or takes another reference to it. A name without '/' is looked for by the dynamic linker. */
enum err module_open(const char *path, struct module **out, struct why *why);
void module_close(struct module *m); /* NULL accepted */

const char *module_path(const struct module *m);
/* The 2.40 list: always there. */
const CK_FUNCTION_LIST *module_fn(const struct module *m);
/* The longer lists, or NULL when the module is older. */
const CK_FUNCTION_LIST_3_0 *module_fn30(const struct module *m);
const CK_FUNCTION_LIST_3_2 *module_fn32(const struct module *m);
/* Chancery's own interface, or NULL for other modules. */
const CK_CHANCERY_FUNCTIONS *module_chancery(const struct module *m);

/*
 * What a module says it wrote where there was room for so much (bytes, handles). More than fits is
 * E_FAILED, and then nobody may read it: the standard has CKR_BUFFER_TOO_SMALL for that, and a
 * module that says CKR_OK is not to be believed.
 */
enum err module_wrote(size_t said, size_t room, const char *function, struct why *why);

/*
 * Slot ids from C_GetSlotList; *ids by mem_alloc. Slots that come between the two calls are waited
 * out by asking again.
 */
enum err module_slots(const struct module *m, bool present, CK_SLOT_ID **ids, size_t *n,
		      struct why *why);

/* CKR_OK is OK; else the error of that row, with why "C_Name: CKR_NAME (text)". */
enum err module_err(CK_RV rv, const char *function, struct why *why);

#endif
