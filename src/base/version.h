/* SPDX-License-Identifier: Apache-2.0 */
/* The version, in one place: CK_INFO.libraryVersion, `chancery --version` and the package read it from here. */
#ifndef CHANCERY_BASE_VERSION_H
#define CHANCERY_BASE_VERSION_H

#define CHANCERY_VERSION_MAJOR 0
#define CHANCERY_VERSION_MINOR 1
#define CHANCERY_VERSION       "0.1.0"

/* CK_INFO, CK_SLOT_INFO, CK_TOKEN_INFO */
#define CHANCERY_MANUFACTURER "Chancery project"

#endif
