/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/hold.h"

#include "audit/roll.h"
#include "base/file.h"
#include "base/lock.h"
#include <errno.h>
#include <fcntl.h>

static struct lock gate = { PTHREAD_MUTEX_INITIALIZER, RANK_ROLL };
static struct hold *held; /* under gate */

void hold_enter(void)
{
	lock_take(&gate);
}

void hold_leave(void)
{
	lock_drop(&gate);
}

bool hold_take_locked(struct hold *h, int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return false;
	*h = (struct hold){ .fd = fd, .dev = st.st_dev, .ino = st.st_ino, .next = held };
	held = h;
	return true;
}

bool hold_ours(const struct hold *h, struct stat *st)
{
	return fstat(h->fd, st) == 0 && st->st_dev == h->dev && st->st_ino == h->ino;
}

static void forget_locked(const struct hold *h)
{
	struct hold **at = &held;

	while (*at != NULL && *at != h)
		at = &(*at)->next;
	if (*at == h)
		*at = h->next;
}

/* Unlocked first: a child that was made without fork handlers may have the same open file. */
void hold_drop_locked(struct hold *h)
{
	struct flock none = { .l_type = F_UNLCK, .l_whence = SEEK_SET };
	int saved = errno;
	struct stat st;

	if (h->fd < 0)
		return;
	forget_locked(h);
	if (hold_ours(h, &st)) {
		(void)fcntl(h->fd, F_OFD_SETLK, &none);
		file_close(h->fd);
	}
	h->fd = -1;
	errno = saved;
}

/* ---- fork ---- */

void roll_fork_prepare(void)
{
	lock_take(&gate);
}

void roll_fork_parent(void)
{
	lock_drop(&gate);
}

/* Closed, not unlocked: the open file is the parent's too. */
void roll_fork_child(void)
{
	struct stat st;

	for (struct hold *h = held; h != NULL; h = h->next)
		if (hold_ours(h, &st))
			file_close(h->fd);
	held = NULL;
	lock_drop(&gate);
}
