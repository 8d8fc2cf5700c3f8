/* SPDX-License-Identifier: Apache-2.0 */
/* The counts of this process, for uses.c, uses_left.c and uses_read.c. */
#ifndef CHANCERY_CORE_USES_INSIDE_H
#define CHANCERY_CORE_USES_INSIDE_H

#include "base/buf.h"
#include "core/uses.h"

struct uses {
	struct roll *roll;
	bool group;
	atomic_bool none; /* the roll is a stream: nothing is counted */

	struct lock sealing; /* RANK_SEALING */
	struct lock mu;      /* RANK_USES: tab, and all that is counted */
	struct usetab *tab;  /* of each file of records, the newest first */
};

/* The directory of the files of counts. False: there is none yet. */
bool uses_folder(const struct uses *u, char path[PATH_MAX]);

/*
 * The files of counts in the directory, each with its bytes, whole pages of them; those that cannot be read are passed over. fn returns an error to
 * stop.
 */
struct uses_file {
	const char *path;
	uint64_t file, part;
	uint8_t roll[STORE_ROLL];
	union useplace *page; /* USETAB_CELLS for each */
	size_t pages;
};
typedef enum err uses_file_fn(void *arg, struct uses_file *f);
enum err uses_files(const char *folder, uses_file_fn *fn, void *arg);

#endif
