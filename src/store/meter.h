/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The meter of a token: counters in a file beside its database (base/tally.h), which every process that has the token open maps and adds
 * to. Counting takes no lock and no system call, and cannot fail; without a file it does nothing.
 *
 * What is stored through a mapping can kill the process when the store finds no room or no file. So the file is mapped only if nobody but
 * this process's user and root can shorten it, its room is allocated before, and it lies on a file system that puts a page where
 * it was: not on one that writes elsewhere (btrfs, ZFS), or that others may take away (network, FUSE).
 */
#ifndef CHANCERY_STORE_METER_H
#define CHANCERY_STORE_METER_H

#include "base/tally.h"
#include <sys/types.h>

struct meter;

/* How a use ended. */
enum meter_end { METER_DONE, METER_REJECTED, METER_FAILED };

/*
 * Opens the counters beside database, and makes them with exactly mode and the database's owner when they are not there. NULL: there are
 * none, also when they are of another version (which stay as they are), or there is no memory. A child of a fork opens its own.
 * older: what the token had before, in which others may still be counting; it is closed with the new one (NULL: none, and if the
 * result is NULL it is as it was).
 */
struct meter *meter_open(const char *database, mode_t mode, struct meter *older);
/* Nobody is counting. NULL accepted, here and below. */
void meter_close(struct meter *m);

/* Tells the readers whose the counters are: 32 and 16 bytes, space padded; serial NULL: as before. */
void meter_name(struct meter *m, const char *label, const char *serial);
/* All at 0, from now on. What others count meanwhile may be lost. */
void meter_reset(struct meter *m);

/* One use that ended; bytes count if it is done. Any thread. */
void meter_add(struct meter *m, enum tally_use use, unsigned long mechanism, enum meter_end end,
	       uint64_t bytes);
/* The time of a use for which meter_sample said yes. */
void meter_time(struct meter *m, enum tally_use use, unsigned long mechanism, uint64_t ns);

/* Which lane this thread counts in, and when it is sampled next. For meter.c and the function below. */
struct meter_thread {
	unsigned lane; /* 1 and on; 0: not chosen yet */
	unsigned turn;
};

extern __thread struct meter_thread meter_thread __attribute__((tls_model("initial-exec")));

/* Chooses both. */
void meter_thread_begin(void);

/* Whether the time of the use that begins is to be taken: one in TALLY_SAMPLE of each thread. */
static inline bool meter_sample(void)
{
	if (meter_thread.lane == 0)
		meter_thread_begin();
	return meter_thread.turn++ % TALLY_SAMPLE == 0;
}

#endif
