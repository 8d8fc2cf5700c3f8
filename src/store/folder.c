/* SPDX-License-Identifier: Apache-2.0 */
#include "store/folder.h"

#include "base/dir.h"
#include "base/file.h"
#include "base/mem.h"
#include "store/event.h"
#include "store/folder_lock.h"
#include "store/grow.h"
#include "store/head.h"
#include "store/inside.h"
#include "store/place.h"
#include "store/pulse.h"
#include "store/schema.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- listing ---- */

struct ids {
	CK_SLOT_ID *id;
	size_t n, room;
};

static enum err ids_add(struct ids *l, CK_SLOT_ID id)
{
	CK_SLOT_ID *p = grow(l->id, l->n, &l->room, sizeof(*p));

	if (p == NULL)
		return E_MEMORY;
	l->id = p;
	l->id[l->n++] = id;
	return OK;
}

bool folder_is_slot(const char *name, CK_SLOT_ID *id)
{
	CK_SLOT_ID v = 0;

	if (name[0] == '\0' || (name[0] == '0' && name[1] != '\0'))
		return false;
	for (; *name != '\0'; name++) {
		if (*name < '0' || *name > '9')
			return false;
		v = v * 10 + (CK_SLOT_ID)(*name - '0');
		if (v > PLACE_SLOT_MAX)
			return false;
	}
	*id = v;
	return true;
}

static bool holds_token(int fd, const char *name)
{
	char path[NAME_MAX + sizeof(PLACE_FILE) + 1];
	struct stat st;

	snprintf(path, sizeof(path), "%s/" PLACE_FILE, name);
	return fstatat(fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static enum err scan(DIR *d, struct ids *l)
{
	struct dirent *n;
	CK_SLOT_ID id;
	enum err e = OK;

	while (e == OK && (n = readdir(d)) != NULL)
		if (folder_is_slot(n->d_name, &id) && holds_token(dirfd(d), n->d_name))
			e = ids_add(l, id);
	return e;
}

static int ascending(const void *a, const void *b)
{
	CK_SLOT_ID x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

/* *l is empty or the caller's to free, also on error. */
static enum err list(const char *dir, struct ids *l, struct why *why)
{
	DIR *d = opendir(dir);
	enum err e;

	if (d == NULL && errno == ENOENT)
		return OK;
	if (d == NULL)
		return why_errno(why, "cannot read the directory %s", dir);
	e = scan(d, l);
	(void)closedir(d);
	if (e != OK)
		return why_fail(why, e, "no memory to list the tokens of %s", dir);
	if (l->n > 1)
		qsort(l->id, l->n, sizeof(*l->id), ascending);
	return OK;
}

/* After the last one in use, and after all that ever were. */
static CK_SLOT_ID next_of(const struct ids *l, CK_SLOT_ID counter)
{
	CK_SLOT_ID after = l->n != 0 ? l->id[l->n - 1] + 1 : 0;

	return after > counter ? after : counter;
}

enum err store_list(const char *dir, CK_SLOT_ID **ids, size_t *n, CK_SLOT_ID *next, struct why *why)
{
	struct ids l = { 0 };
	CK_SLOT_ID counter = 0;
	enum err e = list(dir, &l, why);

	if (e != OK) {
		mem_free(l.id);
		return e;
	}
	/* a damaged counter must not hide the tokens: store_create is what refuses to go on with it */
	(void)folder_next_get(dir, &counter, NULL);
	*ids = l.id; /* moved */
	*n = l.n;
	*next = next_of(&l, counter);
	return OK;
}

/* ---- adding ---- */

struct adding {
	const struct store_policy *policy;
	folder_fill *fill;
	void *arg;
};

static enum err make_file(const char *path, mode_t mode, struct why *why)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	enum err e = OK;

	if (fd < 0)
		return why_errno(why, "cannot make %s", path);
	/* not by the mode of open, from which the umask is taken off; SQLite gives its journal the same mode */
	if (fchmod(fd, mode) != 0)
		e = why_errno(why, "cannot set the mode of %s", path);
	file_close(fd);
	return e;
}

static enum err fill_db(struct db *d, const struct adding *a, struct why *why)
{
	enum err e = db_exec(d, "BEGIN IMMEDIATE");

	if (e == OK)
		e = schema_create(d);
	if (e == OK)
		e = a->fill(a->arg, d, why);
	if (e == OK)
		e = db_exec(d, "COMMIT");
	db_rollback(d);
	return e;
}

static enum err make_db(const char *path, const struct adding *a, struct why *why)
{
	struct db d;
	enum err e = make_file(path, a->policy->file_mode, why);

	if (e != OK)
		return e;
	e = db_open(&d, path, false, why);
	if (e != OK)
		return e;
	e = fill_db(&d, a, why);
	if (e != OK && why != NULL && why->text[0] == '\0')
		why_fail(why, e, "cannot write %s: %s", path, sqlite3_errmsg(d.c));
	db_close(&d);
	return e;
}

/* The directory temp with the whole token in it, durable. */
static enum err make_token(const char *temp, const struct adding *a, struct why *why)
{
	char path[PATH_MAX];
	enum err e = place_join(path, temp, PLACE_FILE, why);

	if (e == OK && mkdir(temp, 0700) != 0)
		e = why_errno(why, "cannot make the directory %s", temp);
	if (e == OK && chmod(temp, a->policy->dir_mode) != 0)
		e = why_errno(why, "cannot set the mode of %s", temp);
	if (e == OK)
		e = make_db(path, a, why);
	return e == OK ? dir_sync(temp, why) : e;
}

/* Durably or not at all, as far as a disk that fails allows. */
static enum err move(const char *dir, const char *from, const char *to, struct why *why)
{
	enum err e;

	if (rename(from, to) != 0)
		return why_errno(why, "cannot rename %s to %s", from, to);
	e = dir_sync(dir, why);
	if (e != OK)
		(void)rename(to, from);
	return e;
}

static enum err occupied(const char *path, CK_SLOT_ID slot, struct why *why)
{
	struct stat st;

	if (lstat(path, &st) == 0)
		return why_fail(why, E_SESSION_EXISTS, "slot %lu holds a token already: %s", slot,
				path);
	return errno == ENOENT ? OK : why_errno(why, "cannot examine %s", path);
}

/* From here on no other token gets this id, whatever becomes of this one. */
static enum err reserve(const char *dir, const char *path, CK_SLOT_ID slot, mode_t mode,
			struct why *why)
{
	struct ids l = { 0 };
	CK_SLOT_ID counter = 0;
	enum err e = occupied(path, slot, why);

	if (e == OK)
		e = folder_next_get(dir, &counter, why);
	if (e == OK)
		e = list(dir, &l, why);
	counter = next_of(&l, counter);
	mem_free(l.id);
	if (e == OK && slot < counter)
		return why_fail(why, E_SLOT, "slot %lu was used before: the next one is %lu", slot,
				counter);
	return e == OK ? folder_next_set(dir, slot + 1, mode, why) : e;
}

static enum err add_locked(const char *dir, CK_SLOT_ID slot, const struct adding *a,
			   struct why *why)
{
	char name[24], path[PATH_MAX], temp[PATH_MAX];
	enum err e;

	snprintf(name, sizeof(name), "%lu", slot);
	e = place_join(path, dir, name, why);
	if (e == OK)
		e = reserve(dir, path, slot, a->policy->file_mode, why);
	if (e == OK)
		e = folder_name(temp, dir, FOLDER_NEW, slot, why);
	if (e == OK)
		e = make_token(temp, a, why);
	return e == OK ? move(dir, temp, path, why) : e;
}

enum err folder_add(const char *dir, CK_SLOT_ID slot, const struct store_policy *p,
		    folder_fill *fill, void *arg, struct why *why)
{
	const struct adding a = { p, fill, arg };
	struct folder_lock l;
	char real[PATH_MAX];
	enum err e;

	if (slot > PLACE_SLOT_MAX)
		return why_fail(why, E_SLOT, "there is no slot %lu: ids end at %d", slot,
				PLACE_SLOT_MAX);
	e = dir_make(dir, (p->dir_mode & S_IRWXG) != 0, why);
	if (e == OK && realpath(dir, real) == NULL)
		e = why_errno(why, "cannot find the directory %s", dir);
	if (e == OK)
		e = folder_lock_take(&l, real, why);
	if (e != OK)
		return e;
	e = add_locked(real, slot, &a, why);
	if (e != OK)
		(void)folder_sweep(&l, NULL);
	folder_lock_drop(&l);
	return e;
}

/* ---- a new token ---- */

struct newborn {
	struct store_event *event;
	struct head head;
	struct pinkey so;
};

static enum err fill_new(void *arg, struct db *d, struct why *why)
{
	struct newborn *b = arg;
	enum err e = event_put(d, &b->head, b->event);

	(void)why;
	if (e == OK)
		e = head_make(d, &b->head);
	return e == OK ? head_pin_put(d, &b->head.ident, STORE_SO, &b->so, 0) : e;
}

enum err store_create(const char *dir, CK_SLOT_ID slot, const struct store_policy *p,
		      struct span so_pin, const char label[32], struct store_event *ev,
		      struct why *why)
{
	struct newborn b = { .event = ev, .head = { .next_id = 1, .next_event = 1 } };
	enum err e = pinkey_acceptable(so_pin);

	if (e != OK)
		return why_fail(why, e, "the SO PIN cannot be used: %s", err_text(e));
	e = head_begin(&b.head, label, p, NULL, so_pin, &b.so);
	if (e != OK)
		return why_fail(why, e, "cannot make the token's keys: %s", err_text(e));
	e = folder_add(dir, slot, p, fill_new, &b, why);
	event_unsettle(ev, e);
	return e;
}

/* ---- removing ---- */

/* Those who have the token open find out at once. */
static void tell(const char *folder)
{
	struct pulse p = { .fd = -1 };
	char database[PATH_MAX];

	if (place_join(database, folder, PLACE_FILE, NULL) == OK)
		pulse_beat(&p, database, 0600);
	pulse_close(&p);
}

static enum err delete_locked(const struct folder_lock *l, CK_SLOT_ID slot, struct why *why)
{
	char name[24], path[PATH_MAX], old[PATH_MAX];
	enum err e;

	snprintf(name, sizeof(name), "%lu", slot);
	e = place_join(path, l->dir, name, why);
	if (e == OK)
		e = folder_name(old, l->dir, FOLDER_OLD, slot, why);
	if (e == OK && access(path, F_OK) != 0 && errno == ENOENT)
		return why_fail(why, E_TOKEN_ABSENT, "slot %lu holds no token", slot);
	/* gone at once and as a whole, whatever happens to its files afterwards */
	if (e == OK)
		e = move(l->dir, path, old, why);
	if (e == OK)
		tell(old);
	return e == OK ? folder_sweep(l, why) : e;
}

enum err store_delete(const char *dir, CK_SLOT_ID slot, struct why *why)
{
	struct folder_lock l;
	enum err e = folder_lock_take(&l, dir, why);

	if (e != OK)
		return e == E_ABSENT ? E_TOKEN_ABSENT : e;
	e = delete_locked(&l, slot, why);
	folder_lock_drop(&l);
	return e;
}
