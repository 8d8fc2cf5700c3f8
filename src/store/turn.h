/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose turn it is to try a PIN of a token. One try at a time, over all processes: many that log in at once with the right
 * PIN would otherwise see each other's tries as failures, and the last of them a locked PIN. Only that: the limit
 * itself does not rest on it, so who waits too long goes on without.
 */
#ifndef CHANCERY_STORE_TURN_H
#define CHANCERY_STORE_TURN_H

/* The lock (flock) of the directory that holds the file path; -1 when it cannot be had. No lock of ours is held. */
int turn_take(const char *path);
/* The same, if it can be had soon. */
int turn_try(const char *path);
void turn_drop(int turn); /* -1 accepted */

#endif
