/* SPDX-License-Identifier: Apache-2.0 */
/* A temporary directory that holds the state of the modules measured: ours and SoftHSM2 find it by the environment. */
#ifndef CHANCERY_BENCH_SCRATCH_H
#define CHANCERY_BENCH_SCRATCH_H

#include <limits.h>
#include <stdbool.h>

struct scratch {
	char path[PATH_MAX];
};

/* Below base (NULL: $TMPDIR or /var/tmp, so that durable writes go to a disk rather than to memory). Sets CHANCERY_HOME, CHANCERY_CONF and SOFTHSM2_CONF. */
bool scratch_make(struct scratch *s, const char *base);
/* Another state and configuration of ours, dir/name and dir/name.conf, with `audit = AUDIT`: sets CHANCERY_HOME and CHANCERY_CONF. */
bool scratch_chancery(const char *dir, const char *name, const char *audit);
void scratch_remove(struct scratch *s);

#endif
