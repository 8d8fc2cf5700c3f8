/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that make or move keys: generate, derive, wrap, unwrap; and objects: create, copy, set,
 * destroy, get. The session's lock is held.
 */
#ifndef CHANCERY_CORE_KEYOPS_H
#define CHANCERY_CORE_KEYOPS_H

#include "base/err.h"
#include "base/span.h"
#include <chancery/pkcs11.h>

struct session;

/* A caller's template as it came. */
struct templ {
	const CK_ATTRIBUTE *a;
	CK_ULONG n;
};

enum err key_generate(struct session *s, const CK_MECHANISM *m, struct templ t,
		      CK_OBJECT_HANDLE *h);
enum err key_generate_pair(struct session *s, const CK_MECHANISM *m, struct templ pub,
			   struct templ priv, CK_OBJECT_HANDLE *hpub, CK_OBJECT_HANDLE *hpriv);
enum err key_derive(struct session *s, const CK_MECHANISM *m, CK_OBJECT_HANDLE base, struct templ t,
		    CK_OBJECT_HANDLE *h);
enum err key_wrap(struct session *s, const CK_MECHANISM *m, CK_OBJECT_HANDLE wrapper,
		  CK_OBJECT_HANDLE key, struct out o);
enum err key_unwrap(struct session *s, const CK_MECHANISM *m, CK_OBJECT_HANDLE unwrapper,
		    struct span in, struct templ t, CK_OBJECT_HANDLE *h);

enum err obj_create(struct session *s, struct templ t, CK_OBJECT_HANDLE *h);
enum err obj_copy(struct session *s, CK_OBJECT_HANDLE from, struct templ t, CK_OBJECT_HANDLE *h);
enum err obj_destroy(struct session *s, CK_OBJECT_HANDLE h);
enum err obj_size(struct session *s, CK_OBJECT_HANDLE h, CK_ULONG *n);
enum err obj_get(struct session *s, CK_OBJECT_HANDLE h, CK_ATTRIBUTE *t, CK_ULONG n);
enum err obj_set(struct session *s, CK_OBJECT_HANDLE h, struct templ t);

/* Searches (5.7.7): see find.h; they are in find.c. */
enum err find_init(struct session *s, struct templ t);
enum err find_next(struct session *s, CK_OBJECT_HANDLE *h, CK_ULONG max, CK_ULONG *n);
enum err find_final(struct session *s);

#endif
