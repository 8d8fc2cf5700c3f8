# SPDX-License-Identifier: Apache-2.0
# Chancery is for Linux with glibc and 64-bit pointers and longs: CK_ULONG, the store and the fork
# handling are made for that and tested there. Anything else stops here, not in the field.
include(CheckCSourceCompiles)

if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
	message(FATAL_ERROR "Chancery supports Linux only, not ${CMAKE_SYSTEM_NAME}")
endif()

if(NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
	message(FATAL_ERROR "Chancery supports 64-bit (LP64) targets only")
endif()

check_c_source_compiles("
#include <features.h>
#ifndef __GLIBC__
#error not glibc
#endif
_Static_assert(sizeof(long) == 8 && sizeof(void *) == 8, \"LP64\");
int main(void) { return 0; }
" CHANCERY_GLIBC_LP64)
if(NOT CHANCERY_GLIBC_LP64)
	message(FATAL_ERROR "Chancery supports glibc with LP64 only (musl and x32 are refused)")
endif()
