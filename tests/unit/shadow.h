/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a power cut would leave of a directory: a copy that knows only what was synced. A file's content as of its last sync, and a name once
 * its directory was synced. Nothing that was not is ever kept, which is the worst that a filesystem may do.
 */
#ifndef CHANCERY_TESTS_SHADOW_H
#define CHANCERY_TESTS_SHADOW_H

/* dir, with what is in it, is shadowed at copy, which must not be there. NULL: no more. Both are borrowed. */
void shadow_start(const char *dir, const char *copy);
/* After a sync of fd that succeeded. */
void shadow_synced(int fd);

#endif
