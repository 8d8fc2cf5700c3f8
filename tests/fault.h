/* SPDX-License-Identifier: Apache-2.0 */
/* One of many chances to fail, which a test's hooks take. */
#ifndef CHANCERY_TESTS_FAULT_H
#define CHANCERY_TESTS_FAULT_H

#include <stdbool.h>

/* A countdown that the test's hooks ask. */
struct fault {
	unsigned left; /* the chance that fails, counted down; 0: none */
	bool met;
};

static inline bool fault_strikes(struct fault *f)
{
	if (f->left == 0 || --f->left != 0)
		return false;
	f->met = true;
	return true;
}

#endif
