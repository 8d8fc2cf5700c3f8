/* SPDX-License-Identifier: Apache-2.0 */
/* Things of a module as JSON, with the names that people know them by. New references; NULL: out of memory. */
#ifndef CHANCERY_CLI_DESCRIBE_H
#define CHANCERY_CLI_DESCRIBE_H

#include "base/names.h"
#include "client/object.h"
#include "client/pick.h"
#include <jansson.h>

json_t *describe_token(const struct spot *spot);
/* uri_of: the token that it is on, for the object's own URI. */
json_t *describe_object(const struct spot *spot, const struct object_info *info);
/* That URI alone. */
json_t *describe_object_uri(const struct spot *spot, const struct object_info *info);
/* The names of the set bits of flags, without their CKF_ prefix, in lower case. */
json_t *describe_flags(enum name_group group, CK_FLAGS flags);
/* The standard name of a number, or the number in hexadecimal. */
json_t *describe_name(enum name_group group, CK_ULONG value);

#endif
