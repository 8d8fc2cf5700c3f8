/* SPDX-License-Identifier: Apache-2.0 */
#include "client/module.h"
#include "base/mem.h"
#include "base/names.h"
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

/* No module has as many; a count beyond it is not believed. */
enum { SLOTS_MAX = 65536 };

struct module {
	struct module *next;
	char *path;
	void *dl;
	unsigned users;
	bool ours; /* we initialised it, so we finalise it */
	const CK_FUNCTION_LIST *fn;
	const CK_FUNCTION_LIST_3_0 *fn30;
	const CK_FUNCTION_LIST_3_2 *fn32;
	const CK_CHANCERY_FUNCTIONS *chancery;
};

/* Modules open in this process. */
static pthread_mutex_t modules_lock = PTHREAD_MUTEX_INITIALIZER;
static struct module *modules;

enum err module_err(CK_RV rv, const char *function, struct why *why)
{
	if (rv == CKR_OK)
		return OK;

	enum err e = err_of_rv(rv);
	const char *name = name_of(NAME_CKR, rv);
	if (name == NULL)
		return why_fail(why, e, "%s: unknown return value 0x%lx", function, rv);
	return why_fail(why, e, "%s: %s (%s)", function, name, err_text(e));
}

enum err module_wrote(size_t said, size_t room, const char *function, struct why *why)
{
	if (said <= room)
		return OK;
	return why_fail(why, E_FAILED,
			"%s: the module says it wrote %zu where there was room for %zu", function,
			said, room);
}

/* The function list of an interface, of this very version or, with NULL, of whatever version the module has; or NULL. */
static const void *interface_get(CK_C_GetInterface get, const char *name, CK_VERSION_PTR version)
{
	CK_INTERFACE *found = NULL;
	char text[32];

	/* The standard's parameter is not const: give it a copy. */
	strncpy(text, name, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	if (get((CK_UTF8CHAR_PTR)text, version, &found, 0) != CKR_OK || found == NULL ||
	    found->pInterfaceName == NULL || strcmp((const char *)found->pInterfaceName, name) != 0)
		return NULL;
	return found->pFunctionList;
}

/* Any minor version: vendor_has_audit and its kin look for what was appended. */
static const CK_CHANCERY_FUNCTIONS *chancery_get(CK_C_GetInterface get)
{
	const CK_CHANCERY_FUNCTIONS *fn = interface_get(get, CHANCERY_INTERFACE_NAME, NULL);

	return fn != NULL && fn->version.major == CHANCERY_INTERFACE_MAJOR ? fn : NULL;
}

static void module_interfaces(struct module *m, CK_C_GetInterface get)
{
	m->fn = interface_get(get, "PKCS 11", &(CK_VERSION){ 2, 40 });
	m->fn30 = interface_get(get, "PKCS 11", &(CK_VERSION){ 3, 0 });
	m->fn32 = interface_get(get, "PKCS 11", &(CK_VERSION){ 3, 2 });
	m->chancery = chancery_get(get);
	/* Each longer list begins with the shorter one, so any of them serves as the 2.40 list. */
	if (m->fn30 == NULL)
		m->fn30 = (const CK_FUNCTION_LIST_3_0 *)(const void *)m->fn32;
	if (m->fn == NULL)
		m->fn = (const CK_FUNCTION_LIST *)(const void *)m->fn30;
}

static enum err module_lists(struct module *m, struct why *why)
{
	CK_C_GetInterface get;
	CK_C_GetFunctionList get_list;
	CK_FUNCTION_LIST *list = NULL;

	/* POSIX guarantees that an object pointer from dlsym holds a function's address. */
	*(void **)&get = dlsym(m->dl, "C_GetInterface");
	if (get != NULL)
		module_interfaces(m, get);
	if (m->fn != NULL)
		return OK;

	*(void **)&get_list = dlsym(m->dl, "C_GetFunctionList");
	if (get_list == NULL)
		return why_fail(why, E_CONFIG,
				"%s is no PKCS#11 module: it has neither C_GetInterface nor "
				"C_GetFunctionList",
				m->path);
	enum err e = module_err(get_list(&list), "C_GetFunctionList", why);
	if (e == OK && list == NULL)
		e = why_fail(why, E_CONFIG, "%s: C_GetFunctionList gave no list", m->path);
	m->fn = list;
	return e;
}

static enum err module_initialize(struct module *m, struct why *why)
{
	CK_C_INITIALIZE_ARGS args = { .flags = CKF_OS_LOCKING_OK };
	CK_RV rv = m->fn->C_Initialize(&args);

	m->ours = rv == CKR_OK;
	if (rv == CKR_CRYPTOKI_ALREADY_INITIALIZED)
		return OK;
	return module_err(rv, "C_Initialize", why);
}

static void module_free(struct module *m)
{
	if (m == NULL)
		return;
	if (m->ours)
		m->fn->C_Finalize(NULL);
	if (m->dl != NULL)
		dlclose(m->dl);
	mem_free(m->path);
	mem_free(m);
}

static enum err module_load(const char *path, struct module **out, struct why *why)
{
	enum err e = E_INTERNAL;
	struct module *m = mem_alloc(sizeof(*m));

	if (m == NULL)
		return why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
	m->users = 1;
	if ((m->path = mem_strdup(path)) == NULL) {
		e = why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
		goto out;
	}
	if ((m->dl = dlopen(path, RTLD_NOW | RTLD_LOCAL)) == NULL) {
		e = why_fail(why, E_CONFIG, "the module cannot be loaded: %s", dlerror());
		goto out;
	}
	if ((e = module_lists(m, why)) != OK)
		goto out;
	if ((e = module_initialize(m, why)) != OK)
		goto out;
	*out = m;
	m = NULL; /* moved */
out:
	module_free(m);
	return e;
}

enum err module_open(const char *path, struct module **out, struct why *why)
{
	enum err e = OK;
	struct module *m;

	pthread_mutex_lock(&modules_lock);
	for (m = modules; m != NULL && strcmp(m->path, path) != 0; m = m->next)
		;
	if (m != NULL) {
		m->users++;
	} else if ((e = module_load(path, &m, why)) == OK) {
		m->next = modules;
		modules = m;
	}
	pthread_mutex_unlock(&modules_lock);
	if (e == OK)
		*out = m;
	return e;
}

void module_close(struct module *m)
{
	if (m == NULL)
		return;
	pthread_mutex_lock(&modules_lock);
	if (--m->users == 0) {
		struct module **at = &modules;
		while (*at != m)
			at = &(*at)->next;
		*at = m->next;
		module_free(m);
	}
	pthread_mutex_unlock(&modules_lock);
}

const char *module_path(const struct module *m)
{
	return m->path;
}

const CK_FUNCTION_LIST *module_fn(const struct module *m)
{
	return m->fn;
}

const CK_FUNCTION_LIST_3_0 *module_fn30(const struct module *m)
{
	return m->fn30;
}

const CK_FUNCTION_LIST_3_2 *module_fn32(const struct module *m)
{
	return m->fn32;
}

const CK_CHANCERY_FUNCTIONS *module_chancery(const struct module *m)
{
	return m->chancery;
}

/* The ids into list, which has room for *count; a module that finds more says so in *count. */
static enum err slots_fill(const struct module *m, CK_BBOOL only, CK_SLOT_ID *list, CK_ULONG *count,
			   bool *more, struct why *why)
{
	CK_ULONG room = *count;
	CK_RV rv = m->fn->C_GetSlotList(only, list, count);

	*more = rv == CKR_BUFFER_TOO_SMALL;
	if (*more)
		return OK;
	enum err e = module_err(rv, "C_GetSlotList", why);
	return e == OK ? module_wrote(*count, room, "C_GetSlotList", why) : e;
}

enum err module_slots(const struct module *m, bool present, CK_SLOT_ID **ids, size_t *n,
		      struct why *why)
{
	CK_BBOOL only = present ? CK_TRUE : CK_FALSE;
	CK_SLOT_ID *list = NULL;
	CK_ULONG count = 0;
	bool more = true;
	enum err e = module_err(m->fn->C_GetSlotList(only, NULL, &count), "C_GetSlotList", why);

	while (e == OK && more && count > 0) {
		mem_free(list);
		list = NULL;
		if (count > SLOTS_MAX)
			e = why_fail(why, E_FAILED, "C_GetSlotList: %lu slots", count);
		else if ((list = mem_alloc(count * sizeof(*list))) == NULL)
			e = why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
		else
			e = slots_fill(m, only, list, &count, &more, why);
	}
	if (e != OK) {
		mem_free(list);
		return e;
	}
	*ids = list;
	*n = count;
	return OK;
}
