/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about an audit log, which a fresh process answers (proc.h). arg: its directory; the auditor's private keys are in the file
 * `arg.key`. Below zero: the log is not right, or could not be read.
 */
#ifndef CHANCERY_BENCH_ROLLASK_H
#define CHANCERY_BENCH_ROLLASK_H

#include <chancery/pkcs11.h>

/* Lines of its files for each second of the processor, while they are read and hashed: the floor. */
double rollask_digest(const char *path, CK_SLOT_ID slot, const char *arg);
/* Records for each second of the processor, verified without and with the auditor's keys. */
double rollask_consistent(const char *path, CK_SLOT_ID slot, const char *arg);
double rollask_authentic(const char *path, CK_SLOT_ID slot, const char *arg);
/* The most memory that the second took, MiB. */
double rollask_memory(const char *path, CK_SLOT_ID slot, const char *arg);

#endif
