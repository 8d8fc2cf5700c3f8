/* SPDX-License-Identifier: Apache-2.0 */
#include "core/usetab.h"

#include "audit/quiet.h"
#include "base/file.h"
#include "base/mem.h"
#include "crypto/lib.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "%06" PRIu64 "-%016" PRIx64

static const char magic[USETAB_MAGIC] = { 'C', 'H', 'Y', 'U', 'S', 'E', 'S', '1' };

/* ---- pages ---- */

static off_t page_at(size_t i)
{
	return (off_t)(i * USETAB_PAGE);
}

static enum err errno_err(void)
{
	return errno == ENOSPC || errno == EDQUOT ? E_DEVICE_MEMORY : E_DEVICE;
}

/* No descriptor is kept: a host closes what it does not know, and the number may be that of a file of its own at the next use. */
static int open_again(const struct usetab *t)
{
	return open(t->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

/* Nothing where the pages are the file's. */
static enum err write_at(const struct usetab *t, const void *p, size_t n, off_t at)
{
	enum err e = OK;
	int fd;

	if (t->mapped)
		return OK;
	fd = open_again(t);
	if (fd < 0 || pwrite(fd, p, n, at) != (ssize_t)n)
		e = errno_err();
	file_close(fd);
	return e;
}

/* fd: of the file, whose room for the page is there. */
static union useplace *page_memory(const struct usetab *t, int fd)
{
	void *at;

	if (!t->mapped)
		return mem_alloc(USETAB_PAGE);
	at = mmap(NULL, USETAB_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, page_at(t->pages));
	if (at == MAP_FAILED)
		return NULL;
	(void)madvise(at, USETAB_PAGE, MADV_DONTFORK); /* a child counts for itself */
	return at;
}

static void page_free(const struct usetab *t, struct usepage *p)
{
	if (p->at != NULL && !t->mapped)
		mem_free(p->at);
	else if (p->at != NULL)
		(void)munmap(p->at, USETAB_PAGE);
	mem_free(p);
}

static enum err page_name(struct usetab *t, struct usepage *p)
{
	struct usecell_head h = { .file = t->file, .part = t->part };

	memcpy(h.magic, magic, sizeof(h.magic));
	memcpy(h.roll, t->roll, sizeof(h.roll));
	p->at[0].head = h;
	return write_at(t, &h, sizeof(h), page_at(t->pages));
}

static enum err page_put(struct usetab *t, struct usepage *p)
{
	if (t->pages == t->room) {
		const size_t room = t->room == 0 ? 4 : 2 * t->room;
		struct usepage **more = mem_realloc(t->page, room * sizeof(struct usepage *));

		if (more == NULL)
			return E_MEMORY;
		t->page = more;
		t->room = room;
	}
	t->page[t->pages++] = p;
	t->used = 1;
	return OK;
}

/* A limit of the size of files is an error, and not the end of the host program. */
static enum err page_room(const struct usetab *t, int fd)
{
	struct quiet q;
	int no;

	quiet_begin(&q);
	no = posix_fallocate(fd, page_at(t->pages), USETAB_PAGE);
	quiet_end(&q);
	if (no == 0)
		return OK;
	return no == ENOSPC || no == EDQUOT ? E_DEVICE_MEMORY : E_DEVICE;
}

static enum err page_add_to(struct usetab *t, int fd)
{
	enum err e = page_room(t, fd);
	struct usepage *p;

	if (e != OK)
		return e;
	p = mem_alloc(sizeof(*p));
	if (p == NULL)
		return E_MEMORY;
	p->at = page_memory(t, fd);
	e = p->at != NULL ? page_name(t, p) : E_MEMORY;
	if (e == OK)
		e = page_put(t, p);
	if (e != OK)
		page_free(t, p);
	return e;
}

static enum err page_add(struct usetab *t)
{
	int fd = open_again(t);
	enum err e;

	if (fd < 0)
		return errno_err();
	e = page_add_to(t, fd);
	file_close(fd);
	return e;
}

/* ---- the file ---- */

static enum err make_file(struct usetab *t, const char *folder, mode_t mode)
{
	bool right;
	int fd;

	if (snprintf(t->path, sizeof(t->path), "%s/" NAME, folder, t->file, t->part) >=
	    (int)sizeof(t->path))
		return E_DEVICE;
	fd = open(t->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return errno_err();
	right = fchmod(fd, mode) == 0; /* the umask is the host program's */
	file_close(fd);
	if (!right)
		return errno_err();
	t->mapped = file_stays_in_place(t->path);
	return page_add(t);
}

enum err usetab_make(const char *folder, mode_t mode, const uint8_t roll[STORE_ROLL], uint64_t file,
		     struct usetab **out)
{
	struct usetab *t = mem_alloc(sizeof(*t));
	enum err e = t != NULL ? crypto_random(&t->part, sizeof(t->part)) : E_MEMORY;

	if (e == OK) {
		t->file = file;
		memcpy(t->roll, roll, sizeof(t->roll));
		e = make_file(t, folder, mode);
		if (e == OK)
			*out = t;
		else
			usetab_free(t, true);
	} else {
		mem_free(t);
	}
	return e;
}

void usetab_free(struct usetab *t, bool done)
{
	if (done && t->path[0] != '\0')
		(void)unlink(t->path);
	for (size_t i = 0; i < t->pages; i++)
		page_free(t, t->page[i]);
	mem_free(t->page);
	mem_free(t->index);
	mem_free(t);
}

bool usetab_named(const char *name, uint64_t *file, uint64_t *part)
{
	char again[48];

	if (sscanf(name, "%" SCNu64 "-%" SCNx64, file, part) != 2)
		return false;
	snprintf(again, sizeof(again), NAME, *file, *part);
	return strcmp(name, again) == 0;
}

/* ---- cells by what they count ---- */

static struct usecell *cell_of(const struct usetab *t, uint32_t number)
{
	return &t->page[number / USETAB_CELLS]->at[number % USETAB_CELLS].cell;
}

static uint64_t hash_of(const struct use_of *of)
{
	uint64_t w[sizeof(*of) / 8], h = 0;

	memcpy(w, of, sizeof(w));
	for (size_t i = 0; i < sizeof(w) / sizeof(w[0]); i++)
		h = ((h ^ w[i]) * UINT64_C(0x9e3779b97f4a7c15)) ^ (h >> 29);
	return h ^ h >> 32;
}

/* The slot of the index that has the cell, or would have it. */
static uint32_t *slot_of(const struct usetab *t, const struct use_of *of)
{
	size_t i = (size_t)hash_of(of) & (t->slots - 1);

	while (t->index[i] != 0 && memcmp(&cell_of(t, t->index[i])->of, of, sizeof(*of)) != 0)
		i = (i + 1) & (t->slots - 1);
	return &t->index[i];
}

/* At most half full. */
static enum err index_grow(struct usetab *t)
{
	uint32_t *old = t->index;
	const size_t n = t->slots;

	if (t->keys * 2 < n)
		return OK;
	t->slots = n == 0 ? 64 : 2 * n;
	t->index = mem_alloc(t->slots * sizeof(*t->index));
	if (t->index == NULL) {
		t->index = old;
		t->slots = n;
		return E_MEMORY;
	}
	for (size_t i = 0; i < n; i++)
		if (old[i] != 0)
			*slot_of(t, &cell_of(t, old[i])->of) = old[i];
	mem_free(old);
	return OK;
}

/* A place for what is not counted yet. */
static enum err cell_add(struct usetab *t, const struct use_of *of, uint32_t *number)
{
	enum err e = index_grow(t);

	if (e == OK && t->used == USETAB_CELLS)
		e = page_add(t);
	if (e == OK)
		e = write_at(t, of, sizeof(*of),
			     page_at(t->pages - 1) + (off_t)(t->used * sizeof(union useplace)));
	if (e != OK)
		return e;
	*number = (uint32_t)((t->pages - 1) * USETAB_CELLS + t->used++);
	cell_of(t, *number)->of = *of;
	*slot_of(t, of) = *number;
	t->keys++;
	return OK;
}

enum err usetab_count(struct usetab *t, const struct use_of *of)
{
	uint32_t number = t->slots != 0 ? *slot_of(t, of) : 0;
	enum err e = number == 0 ? cell_add(t, of, &number) : OK;
	struct usecell *c;
	uint64_t now;

	if (e != OK)
		return e;
	c = cell_of(t, number);
	now = atomic_load_explicit(&c->count, memory_order_relaxed) + 1;
	e = write_at(t, &now, sizeof(now),
		     (off_t)(number * sizeof(union useplace) + offsetof(struct usecell, count)));
	if (e == OK)
		atomic_store_explicit(&c->count, now, memory_order_relaxed);
	return e;
}

/* ---- sealing ---- */

static bool is_of(const struct usecell *c, const uint8_t *serial)
{
	return memcmp(c->of.serial, serial, USETAB_SERIAL) == 0;
}

static size_t cells_of(const struct usetab *t, size_t page)
{
	return page + 1 < t->pages ? (size_t)USETAB_CELLS : t->used;
}

static uint64_t count_of(const struct usecell *c)
{
	return atomic_load_explicit(&c->count, memory_order_relaxed);
}

/* There is less than was sealed where another process sealed it, too, and took it out of the file. */
static bool page_sealed(const struct usetab *t, size_t page, const uint8_t *serial)
{
	const struct usepage *p = t->page[page];

	for (size_t i = 1; i < cells_of(t, page); i++)
		if ((serial == NULL || is_of(&p->at[i].cell, serial)) &&
		    count_of(&p->at[i].cell) > p->sealed[i])
			return false;
	return true;
}

bool usetab_sealed(const struct usetab *t, const uint8_t *serial)
{
	for (size_t i = 0; i < t->pages; i++)
		if (!page_sealed(t, i, serial))
			return false;
	return true;
}

void usepage_copy(const union useplace *place, const uint8_t *serial, struct store_uses *u)
{
	u->n = 0;
	for (size_t i = 1; i < USETAB_CELLS; i++) {
		const struct usecell *c = &place[i].cell;

		if (!is_of(c, serial) || count_of(c) == 0)
			continue;
		memcpy(u->use[u->n].key, c->of.key, STORE_USE_KEY);
		u->use[u->n++].count = count_of(c);
	}
}

void usetab_take(struct usetab *t, size_t i, const uint8_t *serial, struct store_uses *u)
{
	struct usepage *p = t->page[i];

	u->n = 0;
	u->file = t->file;
	u->part = t->part;
	u->page = i;
	memcpy(u->roll, t->roll, sizeof(u->roll));
	p->out = true;
	for (size_t c = 1; c < cells_of(t, i); c++)
		p->taken[c] = count_of(&p->at[c].cell);
	if (!page_sealed(t, i, serial))
		usepage_copy(p->at, serial, u);
}

static void page_took(struct usepage *p, const uint8_t *serial)
{
	for (size_t c = 1; c < USETAB_CELLS; c++)
		if (is_of(&p->at[c].cell, serial))
			p->sealed[c] = p->taken[c];
}

void usetab_took(struct usetab *t, const uint8_t *serial, bool sealed)
{
	for (size_t i = 0; i < t->pages; i++) {
		if (t->page[i]->out && sealed)
			page_took(t->page[i], serial);
		t->page[i]->out = false;
	}
}
