/* SPDX-License-Identifier: Apache-2.0 */
#include "client/object.h"
#include "base/mem.h"
#include "base/names.h"

/* An attribute can change between asking for its length and reading it: once more, then give up. */
#define READ_TRIES 3

enum err object_attr(struct desk d, CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE t, struct buf *out,
		     struct why *why)
{
	CK_ATTRIBUTE a = { .type = t };
	CK_ULONG room = 0;
	CK_RV rv = CKR_BUFFER_TOO_SMALL;

	for (int i = 0; i < READ_TRIES && rv == CKR_BUFFER_TOO_SMALL; i++) {
		a.pValue = NULL;
		rv = module_fn(d.m)->C_GetAttributeValue(d.h, h, &a, 1);
		if (rv != CKR_OK)
			break;
		if (a.ulValueLen == CK_UNAVAILABLE_INFORMATION)
			return why_fail(why, E_ATTR_TYPE, "%s: the module gives no value",
					name_of(NAME_CKA, t));
		buf_clear(out);
		enum err e = buf_reserve(out, a.ulValueLen);
		if (e != OK)
			return why_fail(why, e, "%s", err_text(e));
		a.pValue = out->p;
		room = a.ulValueLen;
		rv = module_fn(d.m)->C_GetAttributeValue(d.h, h, &a, 1);
	}
	if (rv != CKR_OK)
		return module_err(rv, "C_GetAttributeValue", why);
	enum err e = module_wrote(a.ulValueLen, room, "C_GetAttributeValue", why);
	out->n = e == OK ? a.ulValueLen : 0;
	return e;
}

CK_ULONG object_ulong(struct desk d, CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE t, CK_ULONG dflt)
{
	CK_ULONG v = dflt;
	CK_ATTRIBUTE a = { t, &v, sizeof(v) };

	if (module_fn(d.m)->C_GetAttributeValue(d.h, h, &a, 1) != CKR_OK ||
	    a.ulValueLen != sizeof(v))
		return dflt;
	return v;
}

bool object_bool(struct desk d, CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE t, bool dflt)
{
	CK_BBOOL v = CK_FALSE;
	CK_ATTRIBUTE a = { t, &v, sizeof(v) };

	if (module_fn(d.m)->C_GetAttributeValue(d.h, h, &a, 1) != CKR_OK ||
	    a.ulValueLen != sizeof(v))
		return dflt;
	return v != CK_FALSE;
}

/* The template that asks for what the URI says. */
static CK_ULONG search_template(const struct uri *u, CK_OBJECT_CLASS *cls, CK_ATTRIBUTE t[3])
{
	CK_ULONG n = 0;

	if (*cls != CK_UNAVAILABLE_INFORMATION || (u != NULL && uri_class(u, cls)))
		t[n++] = (CK_ATTRIBUTE){ CKA_CLASS, cls, sizeof(*cls) };
	if (u != NULL && u->has[URI_OBJECT])
		t[n++] = (CK_ATTRIBUTE){ CKA_LABEL, (void *)(uintptr_t)u->v[URI_OBJECT].p,
					 u->v[URI_OBJECT].n };
	if (u != NULL && u->has[URI_ID])
		t[n++] =
			(CK_ATTRIBUTE){ CKA_ID, (void *)(uintptr_t)u->v[URI_ID].p, u->v[URI_ID].n };
	return n;
}

struct handles {
	CK_OBJECT_HANDLE *h;
	size_t n, room;
};

static enum err handles_grow(struct handles *hs, struct why *why)
{
	size_t room = hs->room == 0 ? 64 : hs->room * 2;
	CK_OBJECT_HANDLE *h = mem_realloc(hs->h, room * sizeof(*h));

	if (h == NULL)
		return why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
	hs->h = h;
	hs->room = room;
	return OK;
}

static enum err search_all(struct desk d, struct handles *hs, struct why *why)
{
	for (;;) {
		CK_ULONG got = 0;
		enum err e = hs->n == hs->room ? handles_grow(hs, why) : OK;
		size_t room = hs->room - hs->n;
		if (e == OK)
			e = module_err(
				module_fn(d.m)->C_FindObjects(d.h, hs->h + hs->n, room, &got),
				"C_FindObjects", why);
		if (e == OK)
			e = module_wrote(got, room, "C_FindObjects", why);
		if (e != OK || got == 0)
			return e;
		hs->n += got;
	}
}

static enum err search(struct desk d, const struct uri *u, CK_OBJECT_CLASS cls, struct handles *hs,
		       struct why *why)
{
	CK_ATTRIBUTE t[3];
	CK_ULONG n = search_template(u, &cls, t);
	enum err e =
		module_err(module_fn(d.m)->C_FindObjectsInit(d.h, t, n), "C_FindObjectsInit", why);

	if (e != OK)
		return e;
	e = search_all(d, hs, why);
	module_fn(d.m)->C_FindObjectsFinal(d.h);
	return e;
}

enum err object_info_read(struct desk d, CK_OBJECT_HANDLE h, struct object_info *info)
{
	enum err e;

	info->h = h;
	info->cls = object_ulong(d, h, CKA_CLASS, CK_UNAVAILABLE_INFORMATION);
	info->key_type = object_ulong(d, h, CKA_KEY_TYPE, CK_UNAVAILABLE_INFORMATION);
	/* An object without label or id, or a module that will not tell, has empty ones. */
	if ((e = object_attr(d, h, CKA_LABEL, &info->label, NULL)) == E_MEMORY)
		return e;
	return object_attr(d, h, CKA_ID, &info->id, NULL) == E_MEMORY ? E_MEMORY : OK;
}

void object_info_free(struct object_info *info)
{
	buf_free(&info->label);
	buf_free(&info->id);
}

void object_list_free(struct object_info *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		object_info_free(&list[i]);
	mem_free(list);
}

enum err object_list(struct desk d, const struct uri *u, CK_OBJECT_CLASS cls,
		     struct object_info **list, size_t *n, struct why *why)
{
	struct handles hs = { 0 };
	struct object_info *infos = NULL;
	enum err e = search(d, u, cls, &hs, why);

	if (e != OK)
		goto out;
	if ((infos = mem_alloc(hs.n * sizeof(*infos))) == NULL) {
		e = why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
		goto out;
	}
	for (size_t i = 0; i < hs.n && e == OK; i++)
		e = object_info_read(d, hs.h[i], &infos[i]);
	if (e != OK)
		goto out;
	*list = infos;
	*n = hs.n;
	infos = NULL; /* moved */
out:
	if (infos != NULL)
		object_list_free(infos, hs.n);
	mem_free(hs.h);
	return e;
}

enum err object_one(struct desk d, const struct uri *u, CK_OBJECT_CLASS cls,
		    struct object_info *info, struct why *why)
{
	struct object_info *list = NULL;
	size_t n = 0;
	enum err e = object_list(d, u, cls, &list, &n, why);

	if (e != OK)
		return e;
	if (n == 1) {
		*info = list[0];
		mem_free(list); /* the one moved */
		return OK;
	}
	object_list_free(list, n);
	if (n == 0)
		return why_fail(why, E_OBJECT_HANDLE, "no such object on the token");
	return why_fail(why, E_ARGUMENTS,
			"%zu objects fit; name one with object=, id= or type= in the URI", n);
}
