/* SPDX-License-Identifier: Apache-2.0 */
/* Counts in files: those that processes left which are not there any more, and all of them to be read. */
#include "audit/standing.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/uses_inside.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define FILE_MAX ((size_t)64 << 20) /* a longer one is none of ours */

/* ---- reading ---- */

static enum err read_one(const char *folder, const char *name, uses_file_fn *fn, void *arg)
{
	char path[PATH_MAX];
	struct uses_file f = { .path = path };
	struct buf b = { 0 };
	enum err e = OK;

	if (!usetab_named(name, &f.file, &f.part) ||
	    snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path) ||
	    file_read(path, FILE_TRUSTED, FILE_MAX, &b, NULL) != OK)
		return OK;
	f.pages = b.n / USETAB_PAGE;
	f.page = mem_alloc(f.pages * USETAB_PAGE + sizeof(*f.page)); /* aligned */
	if (f.page == NULL)
		e = E_MEMORY;
	if (e == OK && f.pages != 0) {
		memcpy((void *)f.page, b.p, f.pages * USETAB_PAGE);
		memcpy(f.roll, f.page[0].head.roll, sizeof(f.roll));
	}
	if (e == OK)
		e = fn(arg, &f);
	mem_free(f.page);
	buf_free(&b);
	return e;
}

enum err uses_files(const char *folder, uses_file_fn *fn, void *arg)
{
	DIR *d = opendir(folder);
	struct dirent *entry;
	enum err e = OK;

	if (d == NULL)
		return OK; /* nobody counted anything */
	while (e == OK && (entry = readdir(d)) != NULL)
		e = read_one(folder, entry->d_name, fn, arg);
	(void)closedir(d);
	return e;
}

/* ---- adopting ---- */

struct adoption {
	struct uses *u;
	struct store *store;
	const struct seal *k;
	const uint8_t *serial;
	char dir[PATH_MAX]; /* of the roll */
};

static bool own(struct uses *u, uint64_t part)
{
	bool yes = false;

	lock_take(&u->mu);
	for (const struct usetab *t = u->tab; t != NULL; t = t->next)
		yes = yes || t->part == part;
	lock_drop(&u->mu);
	return yes;
}

static enum err seal_pages(const struct adoption *a, const struct uses_file *f, bool *some)
{
	struct store_uses *page = mem_alloc((f->pages + 1) * sizeof(*page));
	size_t n = 0;
	enum err e = page != NULL ? OK : E_MEMORY;

	for (size_t i = 0; e == OK && i < f->pages; i++) {
		usepage_copy(f->page + i * USETAB_CELLS, a->serial, &page[n]);
		if (page[n].n == 0)
			continue;
		page[n].file = f->file;
		page[n].part = f->part;
		page[n].page = i;
		memcpy(page[n++].roll, f->roll, sizeof(f->roll));
	}
	if (e == OK && n != 0)
		e = store_uses_put(a->store, a->k, page, n, true);
	mem_free(page);
	*some = n != 0;
	return e;
}

static bool empty(const struct uses_file *f)
{
	static const struct use_of none;

	for (size_t i = 0; i < f->pages * USETAB_CELLS; i++)
		if (i % USETAB_CELLS != 0 && memcmp(&f->page[i].cell.of, &none, sizeof(none)) != 0)
			return false;
	return true;
}

/* What was sealed goes out of the file; what other tokens have in it stays. */
static void forget(const struct adoption *a, struct uses_file *f)
{
	static const union useplace free_place;
	int fd = open(f->path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

	for (size_t i = 0; fd >= 0 && i < f->pages * USETAB_CELLS; i++) {
		if (i % USETAB_CELLS == 0 ||
		    memcmp(f->page[i].cell.of.serial, a->serial, USETAB_SERIAL) != 0)
			continue;
		if (pwrite(fd, &free_place, sizeof(free_place), (off_t)(i * sizeof(free_place))) ==
		    (ssize_t)sizeof(free_place))
			f->page[i] = free_place;
	}
	file_close(fd);
}

static enum err adopt_one(void *arg, struct uses_file *f)
{
	const struct adoption *a = arg;
	bool some = false;
	enum err e;

	if (own(a->u, f->part) || standing_alive(a->dir, f->file))
		return OK;
	e = seal_pages(a, f, &some);
	if (e == OK && some)
		forget(a, f);
	if (e == OK && empty(f))
		(void)unlink(f->path);
	return e;
}

void uses_adopt(struct uses *u, struct store *s, const struct seal *k, const uint8_t *serial)
{
	struct adoption a = { .u = u, .store = s, .k = k, .serial = serial };
	char folder[PATH_MAX];
	struct standing at;
	enum err e;

	if (u == NULL || k == NULL || !uses_folder(u, folder) || !standing_of(u->roll, &at))
		return;
	memcpy(a.dir, at.dir, sizeof(a.dir));
	lock_take(&u->sealing);
	e = uses_files(folder, adopt_one, &a);
	lock_drop(&u->sealing);
	if (e != OK && e != E_WRITE_PROTECTED)
		log_fault(FAULT_ROLL, "counts of uses cannot be sealed into the token now: %s",
			  err_text(e));
}
