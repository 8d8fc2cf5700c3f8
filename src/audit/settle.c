/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/settle.h"

#include "audit/ending.h"
#include "base/dir.h"
#include "base/file.h"
#include "base/log.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool settle_alive(int fd)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_GETLK, &l) != 0 || l.l_type != F_UNLCK;
}

static enum err cannot(enum err e, const struct site *s, struct why *why)
{
	return why_fail(why, e, "cannot bring the index in %s up to date", s->path);
}

/*
 * The number was given out, and its process came no further. A file that is there may not be in the directory for good: the index must not
 * name it before it is.
 */
static enum err settle_file(struct roster *r, const struct site *s, struct ledger *l,
			    struct why *why)
{
	char path[PATH_MAX];
	struct stat st;
	enum err e = site_file(s, l->owed.file, path, why);

	if (e != OK)
		return e;
	if (lstat(path, &st) != 0)
		return errno == ENOENT ? roster_pay_void(r, l)
				       : why_errno(why, "cannot examine %s", path);
	e = dir_sync(s->path, why);
	return e == OK ? roster_pay(r, l) : e;
}

enum err settle_owed(struct roster *r, const struct site *s, struct ledger *l, struct why *why)
{
	enum err e;

	if (l->owed.n == 0)
		return OK;
	e = l->owed.file == 0 ? roster_pay(r, l) : settle_file(r, s, l, why);
	return e == OK ? OK : cannot(e, s, why);
}

/* ---- files of the dead ---- */

enum fate { ALIVE, DEAD, GONE };

/*
 * What `left` says of the file must outlive a power cut, though its process may have been killed between write and sync: it is synced
 * first.
 */
static enum fate look(const char *path, struct roster_end *end)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	enum fate fate = ALIVE;
	struct stat st;

	*end = (struct roster_end){ 0 };
	if (fd < 0)
		return errno == ENOENT || errno == ELOOP ? GONE : ALIVE;
	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
		fate = GONE;
	else if (!settle_alive(fd) && fdatasync(fd) == 0 && ending_find(fd, end) == OK)
		fate = DEAD;
	file_close(fd);
	return fate;
}

/*
 * A file that was removed has an `open` in the index and is not there: whoever verifies sees that. Here it is only told, since
 * the records to come must not be lost, too.
 */
static enum err settle_one(struct roster *r, const struct site *s, struct ledger *l, uint64_t file,
			   struct why *why)
{
	struct roster_end end;
	char path[PATH_MAX];
	enum err e = site_file(s, file, path, why);
	enum fate fate;

	if (e != OK)
		return e;
	fate = look(path, &end);
	if (fate == ALIVE)
		return OK;
	if (fate == GONE)
		log_fault(FAULT_ROLL, "%s of the audit log was removed", path);
	e = roster_put_end(r, l, "left", file, &end);
	return e == OK ? OK : cannot(e, s, why);
}

enum err settle_dead(struct roster *r, const struct site *s, struct ledger *l, struct why *why)
{
	size_t i = 0;
	enum err e = OK;

	while (e == OK && i < l->open_n) {
		const uint64_t file = l->open[i];

		e = settle_one(r, s, l, file, why);
		if (i < l->open_n && l->open[i] == file)
			i++;
	}
	return e;
}
