/* SPDX-License-Identifier: Apache-2.0 */
/* The last whole record of a file, found from its end: the work does not depend on the file's length. */
#ifndef CHANCERY_AUDIT_ENDING_H
#define CHANCERY_AUDIT_ENDING_H

#include "audit/roster.h"

/*
 * end->whole false: there is none, or what stands there has not the form of a record (the file itself shows the damage). E_DEVICE: it
 * cannot be read.
 */
enum err ending_find(int fd, struct roster_end *end);

#endif
