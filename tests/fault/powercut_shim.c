/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into a program (LD_PRELOAD), it writes down everything that the program does to the files under a directory, in order, so that
 * powercut_images can build what a power cut may leave; or it lets one call fail, as a bad or a full disk would.
 *
 *   POWERCUT_ROOT  the directory (absolute, without links)
 *   POWERCUT_LOG   where to write the log (powercut.h)
 *   POWERCUT_ACK   a file: what is written to it is an acknowledgement
 *   POWERCUT_DROP  a barrier that is done but not written down, as if the program had none: journal, roll, index, state (of files in a
 *                  directory "roll"), file (any other), rolldir, dir (any other)
 *   POWERCUT_FAIL  CALL:N:ERRNO, for example fdatasync:3:5: the N-th call of that kind under the directory fails and does nothing.
 *                  CALL is write, sync (of a file or a directory), truncate or name (rename, link, mkdir, unlink, creation).
 *                  ERRNO may end in +: all later ones of the kind fail too.
 */
#include "powercut.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER; /* recursive use is avoided, not supported */
static const char *root, *ack, *drop;
static int log_fd = -1;
static char fail_call[16];
static unsigned long fail_at, seen;
static int fail_errno;
static bool fail_on;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void set_up(void)
{
	const char *log = getenv("POWERCUT_LOG"), *fail = getenv("POWERCUT_FAIL");
	char plus = '\0';

	root = getenv("POWERCUT_ROOT");
	ack = getenv("POWERCUT_ACK");
	drop = getenv("POWERCUT_DROP");
	if (log != NULL && root != NULL)
		log_fd = REAL(open)(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fail != NULL &&
	    sscanf(fail, "%15[a-z]:%lu:%d%c", fail_call, &fail_at, &fail_errno, &plus) >= 3)
		fail_on = plus == '+';
}

static void begin(void)
{
	pthread_once(&once, set_up);
	pthread_mutex_lock(&mu);
}

static void end(void)
{
	int saved = errno;

	pthread_mutex_unlock(&mu);
	errno = saved;
}

/* ---- what is under the directory ---- */

static bool under_root(const char *path)
{
	size_t n = root != NULL ? strlen(root) : 0;

	return n != 0 && strncmp(path, root, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

static bool fd_path(int fd, char path[PATH_MAX])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, PATH_MAX - 1);
	if (n <= 0)
		return false;
	path[n] = '\0';
	return true;
}

/* The absolute path of a name; the last part need not exist. */
static bool name_path(int dir, const char *name, char path[PATH_MAX])
{
	char base[PATH_MAX], parent[PATH_MAX];
	const char *slash = strrchr(name, '/');
	char *real;

	if (name[0] == '/' || dir == AT_FDCWD)
		snprintf(base, sizeof(base), "%s", name[0] == '/' ? "" : ".");
	else if (!fd_path(dir, base))
		return false;
	snprintf(parent, sizeof(parent), "%.2000s/%.*s", base,
		 slash != NULL ? (int)(slash - name) : 0, name);
	real = realpath(parent, NULL);
	if (real == NULL)
		return false;
	snprintf(path, PATH_MAX, "%.2000s/%s", strcmp(real, "/") == 0 ? "" : real,
		 slash != NULL ? slash + 1 : name);
	free(real);
	return true;
}

static bool ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), k = strlen(end);

	return n > k && strcmp(path + n - k, end) == 0;
}

/* ---- the log ---- */

static void log_bytes(const void *p, size_t n)
{
	if (n != 0 && REAL(write)(log_fd, p, n) != (ssize_t)n)
		abort();
}

static void note(enum powercut_op op, uint64_t ino, uint64_t at, const void *a, size_t na,
		 const void *b, size_t nb)
{
	const struct powercut_entry e = { (uint32_t)op, (uint32_t)na, (uint32_t)nb, 0, ino, at };
	int saved = errno;

	if (log_fd >= 0) {
		log_bytes(&e, sizeof(e));
		log_bytes(a, na);
		log_bytes(b, nb);
	}
	errno = saved;
}

static void note_names(enum powercut_op op, uint64_t ino, const char *a, const char *b)
{
	note(op, ino, 0, a, strlen(a) + 1, b, b != NULL ? strlen(b) + 1 : 0);
}

static uint64_t inode_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? st.st_ino : 0;
}

static uint64_t inode_at(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 ? st.st_ino : 0;
}

/* Whether this call is the one that fails. */
static bool fails(const char *call)
{
	if (fail_at == 0 || strcmp(call, fail_call) != 0)
		return false;
	seen++;
	if (seen != fail_at && !(fail_on && seen > fail_at))
		return false;
	errno = fail_errno;
	return true;
}

/* ---- writing ---- */

static bool file_under_root(int fd, char path[PATH_MAX])
{
	return fd != log_fd && fd_path(fd, path) && under_root(path);
}

static ssize_t do_pwrite(int fd, const void *p, size_t n, off_t at)
{
	char path[PATH_MAX];
	ssize_t done;
	bool ours;

	begin();
	ours = file_under_root(fd, path);
	done = ours && fails("write") ? -1 : REAL(pwrite)(fd, p, n, at);
	if (ours && done > 0)
		note(POWERCUT_WRITE, inode_of(fd), (uint64_t)at, p, (size_t)done, NULL, 0);
	end();
	return done;
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
	return do_pwrite(fd, p, n, at);
}

ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
	return do_pwrite(fd, p, n, at);
}

static bool appends(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & O_APPEND) != 0;
}

/* Where the next write goes. */
static off_t place_of(int fd)
{
	return lseek(fd, 0, appends(fd) ? SEEK_END : SEEK_CUR);
}

ssize_t write(int fd, const void *p, size_t n)
{
	char path[PATH_MAX] = "";
	ssize_t done;
	bool ours;
	off_t at;

	begin();
	ours = file_under_root(fd, path);
	at = ours ? place_of(fd) : 0;
	done = ours && fails("write") ? -1 : REAL(write)(fd, p, n);
	if (ours && done > 0)
		note(appends(fd) ? POWERCUT_APPEND : POWERCUT_WRITE, inode_of(fd), (uint64_t)at, p,
		     (size_t)done, NULL, 0);
	else if (done > 0 && ack != NULL && strcmp(path, ack) == 0)
		note(POWERCUT_ACK, 0, 0, p, (size_t)done, NULL, 0);
	end();
	return done;
}

static int do_truncate(int fd, off_t n)
{
	char path[PATH_MAX];
	bool ours;
	int rc;

	begin();
	ours = file_under_root(fd, path);
	rc = ours && fails("truncate") ? -1 : REAL(ftruncate)(fd, n);
	if (ours && rc == 0)
		note(POWERCUT_TRUNCATE, inode_of(fd), (uint64_t)n, NULL, 0, NULL, 0);
	end();
	return rc;
}

int ftruncate(int fd, off_t n)
{
	return do_truncate(fd, n);
}

int ftruncate64(int fd, off64_t n)
{
	return do_truncate(fd, n);
}

/* ---- barriers ---- */

static const char *kind_of(const char *path, bool dir)
{
	if (dir)
		return ends_in(path, "/roll") ? "rolldir" : "dir";
	if (ends_in(path, "-journal"))
		return "journal";
	if (ends_in(path, "/roll/index"))
		return "index";
	if (ends_in(path, "/roll/state"))
		return "state";
	return strstr(path, "/roll/roll.") != NULL ? "roll" : "file";
}

static bool dropped(const char *path, bool dir)
{
	return drop != NULL && strcmp(drop, kind_of(path, dir)) == 0;
}

static int do_sync(int fd, int (*real)(int))
{
	char path[PATH_MAX];
	struct stat st;
	bool ours, dir;
	int rc;

	begin();
	ours = file_under_root(fd, path) && fstat(fd, &st) == 0;
	rc = ours && fails("sync") ? -1 : real(fd);
	dir = ours && S_ISDIR(st.st_mode);
	if (ours && rc == 0 && !dropped(path, dir)) {
		if (dir)
			note_names(POWERCUT_SYNC_DIR, 0, path, NULL);
		else
			note(POWERCUT_SYNC, st.st_ino, 0, NULL, 0, NULL, 0);
	}
	end();
	return rc;
}

int fsync(int fd)
{
	return do_sync(fd, REAL(fsync));
}

int fdatasync(int fd)
{
	return do_sync(fd, REAL(fdatasync));
}

/* ---- names ---- */

static int do_open(int dir, const char *name, int flags, mode_t mode)
{
	char path[PATH_MAX];
	bool ours, creates;
	int fd;

	begin();
	ours = (flags & O_CREAT) != 0 && name_path(dir, name, path) && under_root(path);
	creates = ours && inode_at(path) == 0;
	fd = creates && fails("name") ? -1 : REAL(openat)(dir, name, flags, mode);
	if (creates && fd >= 0)
		note_names(POWERCUT_CREATE, inode_of(fd), path, NULL);
	else if (ours && fd >= 0 && (flags & O_TRUNC) != 0)
		note(POWERCUT_TRUNCATE, inode_of(fd), 0, NULL, 0, NULL, 0);
	end();
	return fd;
}

static mode_t mode_of(int flags, va_list ap)
{
	return (flags & O_CREAT) != 0 ? va_arg(ap, mode_t) : 0;
}

int open(const char *name, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	return do_open(AT_FDCWD, name, flags, mode);
}

int open64(const char *name, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	return do_open(AT_FDCWD, name, flags, mode);
}

int openat(int dir, const char *name, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	return do_open(dir, name, flags, mode);
}

int mkdir(const char *name, mode_t mode)
{
	char path[PATH_MAX];
	bool ours;
	int rc;

	begin();
	ours = name_path(AT_FDCWD, name, path) && under_root(path);
	rc = ours && fails("name") ? -1 : REAL(mkdir)(name, mode);
	if (ours && rc == 0)
		note_names(POWERCUT_MKDIR, 0, path, NULL);
	end();
	return rc;
}

static int do_rename(const char *from, const char *to, unsigned flags)
{
	char a[PATH_MAX], b[PATH_MAX];
	bool ours;
	int rc;

	begin();
	ours = name_path(AT_FDCWD, from, a) && name_path(AT_FDCWD, to, b) && under_root(a) &&
	       under_root(b);
	rc = ours && fails("name") ? -1 : REAL(renameat2)(AT_FDCWD, from, AT_FDCWD, to, flags);
	if (ours && rc == 0)
		note_names(POWERCUT_RENAME, 0, a, b);
	end();
	return rc;
}

int rename(const char *from, const char *to)
{
	return do_rename(from, to, 0);
}

int renameat2(int da, const char *from, int db, const char *to, unsigned flags)
{
	(void)da;
	(void)db;
	return do_rename(from, to, flags);
}

int link(const char *from, const char *to)
{
	char path[PATH_MAX];
	bool ours;
	int rc;

	begin();
	ours = name_path(AT_FDCWD, to, path) && under_root(path);
	rc = ours && fails("name") ? -1 : REAL(link)(from, to);
	if (ours && rc == 0)
		note_names(POWERCUT_LINK, inode_at(path), path, NULL);
	end();
	return rc;
}

int unlinkat(int dir, const char *name, int flags)
{
	char path[PATH_MAX];
	bool ours;
	int rc;

	begin();
	ours = name_path(dir, name, path) && under_root(path);
	rc = ours && fails("name") ? -1 : REAL(unlinkat)(dir, name, flags);
	if (ours && rc == 0)
		note_names(POWERCUT_UNLINK, 0, path, NULL);
	end();
	return rc;
}

int unlink(const char *name)
{
	return unlinkat(AT_FDCWD, name, 0);
}

int rmdir(const char *name)
{
	return unlinkat(AT_FDCWD, name, AT_REMOVEDIR);
}
