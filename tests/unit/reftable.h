/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The standard's attribute tables as the reference file tells them, asked by kind of object: what
 * the tests of the schema expect comes from here and not from the schema.
 */
#ifndef CHANCERY_TESTS_REFTABLE_H
#define CHANCERY_TESTS_REFTABLE_H

#include <chancery/pkcs11.h>
#include <stdbool.h>
#include <stddef.h>

enum ref_must { REF_MAY, REF_MUST, REF_MUST_NOT, REF_NOT_APPLICABLE };

struct ref_attr {
	char class_name
		[80]; /* one class, several with commas, or "any object", "any storage object" */
	char type_name[40]; /* "-" or "any": every type of the class */
	char name[48];
	char data_type[64];
	char modifiable[48];
	char dflt[48];
	CK_ATTRIBUTE_TYPE type;
	enum ref_must create, generate, unwrap;
	bool hidden;
	bool so_only;
	bool once_true, once_false; /* footnotes 11 and 12 */
};

/* Reads the table once; false when the file is not there (the test skips). */
bool reftable_load(void);
void reftable_free(void);

size_t reftable_count(void);
const struct ref_attr *reftable_at(size_t i);
/* The row for an attribute of an object of this class and type (their names), or NULL. */
const struct ref_attr *reftable_find(const char *cls, const char *sub, CK_ATTRIBUTE_TYPE t);

/*
 * The name of a schema kind's type in its class ("CKK_AES", "CKC_X_509"; "-": none), for
 * reftable_find.
 */
const char *reftable_sub_name(CK_OBJECT_CLASS cls, CK_ULONG sub);

#endif
