/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of any module: finding them by URI and reading their attributes. */
#ifndef CHANCERY_CLIENT_OBJECT_H
#define CHANCERY_CLIENT_OBJECT_H

#include "base/buf.h"
#include "base/uri.h"
#include "client/module.h"

/* A session of a module. */
struct desk {
	const struct module *m;
	CK_SESSION_HANDLE h;
};

/* What a person calls an object by. */
struct object_info {
	CK_OBJECT_HANDLE h;
	CK_OBJECT_CLASS cls;
	CK_KEY_TYPE key_type; /* CK_UNAVAILABLE_INFORMATION: no key */
	struct buf label, id;
};

/* One attribute's value replaces out's contents. E_ATTR_TYPE: the object has none; E_ATTR_SENSITIVE: it may not be read. */
enum err object_attr(struct desk d, CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE t, struct buf *out,
		     struct why *why);
/* Of a CK_ULONG or CK_BBOOL attribute; dflt when it is absent, unreadable or of another size. */
CK_ULONG object_ulong(struct desk d, CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE t, CK_ULONG dflt);
bool object_bool(struct desk d, CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE t, bool dflt);

/* All objects that fit u (object=, id=, type=) and cls (CK_UNAVAILABLE_INFORMATION: any). *list is freed with object_list_free. */
enum err object_list(struct desk d, const struct uri *u, CK_OBJECT_CLASS cls,
		     struct object_info **list, size_t *n, struct why *why);
void object_list_free(struct object_info *list, size_t n);
/* Exactly one: none is E_OBJECT_HANDLE, several are E_ARGUMENTS. Freed with object_info_free. */
enum err object_one(struct desk d, const struct uri *u, CK_OBJECT_CLASS cls,
		    struct object_info *info, struct why *why);
/* What is known of one object; freed with object_info_free, also after an error. */
enum err object_info_read(struct desk d, CK_OBJECT_HANDLE h, struct object_info *info);
void object_info_free(struct object_info *info);

#endif
