/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of Chancery's own interface, for what PKCS#11 has no words for. */
#ifndef CHANCERY_CLI_VENDOR_H
#define CHANCERY_CLI_VENDOR_H

#include "cli/office.h"

/* The interface, or E_NOT_SUPPORTED with a why: the module is not Chancery's. */
enum err vendor_functions(struct call *c, const struct office *o, const CK_CHANCERY_FUNCTIONS **fn);
/* Whether it has the members about the audit log. */
bool vendor_has_audit(const CK_CHANCERY_FUNCTIONS *fn);
/* The same for the member TokenUses. */
bool vendor_has_uses(const CK_CHANCERY_FUNCTIONS *fn);
/* As module_err, with the module's own explanation when it gave one. */
enum err vendor_err(struct call *c, CK_RV rv, const char *function, const CK_CHANCERY_WHY *why);

#endif
