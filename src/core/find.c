/* SPDX-License-Identifier: Apache-2.0 */
#include "core/find.h"

#include "base/mem.h"
#include "core/attr.h"
#include "core/session.h"
#include "core/token.h"

struct find {
	CK_OBJECT_HANDLE *h;
	size_t n, at;
};

static enum err take_template(struct templ t, struct attrset **out)
{
	enum err e = t.n != 0 ? attr_take(t.a, t.n, out) : OK; /* without a template: everything */

	/* two values for one attribute: the list of C_FindObjectsInit has no CKR_TEMPLATE_INCONSISTENT */
	return e == E_TEMPLATE_INCONSISTENT ? E_ATTR_VALUE : e;
}

enum err find_init(struct session *s, struct templ t)
{
	struct find *f = NULL;
	struct attrset *templ = NULL;
	enum err e;

	if (s->find != NULL)
		return E_OPERATION_ACTIVE;
	f = mem_alloc(sizeof(*f));
	if (f == NULL)
		return E_MEMORY;
	e = take_template(t, &templ);
	if (e == OK)
		e = token_find(s->token, s, templ, &f->h, &f->n);
	attrset_free(templ);
	if (e != OK) {
		mem_free(f);
		return e;
	}
	s->find = f; /* moved */
	return OK;
}

enum err find_next(struct session *s, CK_OBJECT_HANDLE *h, CK_ULONG max, CK_ULONG *n)
{
	struct find *f = s->find;
	CK_ULONG got = 0;

	if (f == NULL)
		return E_NO_OPERATION;
	for (; got < max && f->at < f->n; f->at++)
		if (token_has(s->token, f->h[f->at]))
			h[got++] = f->h[f->at];
	*n = got;
	return OK;
}

enum err find_final(struct session *s)
{
	if (s->find == NULL)
		return E_NO_OPERATION;
	find_end(s);
	return OK;
}

void find_end(struct session *s)
{
	if (s->find == NULL)
		return;
	mem_free(s->find->h);
	mem_free(s->find);
	s->find = NULL;
}
