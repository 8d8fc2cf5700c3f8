# SPDX-License-Identifier: Apache-2.0
# Language, warnings, hardening, sanitizers: the same for every target.
include(CheckPIESupported)

# A clone is for development; a release tarball has no .git, and a newer compiler's new warning
# must not stop those who only want to build it.
if(EXISTS ${CMAKE_SOURCE_DIR}/.git)
	set(werror_default ON)
else()
	set(werror_default OFF)
endif()
option(CHANCERY_WERROR "Treat warnings as errors" ${werror_default})
option(CHANCERY_FUZZ "Build the fuzz targets (clang)" OFF)
# `audit = off`, and targets that are no directories, are refused then (src/base/rollplace.h).
option(CHANCERY_AUDIT_MANDATORY "Refuse to run without the audit log" OFF)
option(CHANCERY_COVERAGE "Count executed lines" OFF)
set(CHANCERY_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=")

if(NOT CMAKE_BUILD_TYPE)
	set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()
# Debug is optimised too: the warnings that need flow analysis, and tests that end.
set(CMAKE_C_FLAGS_DEBUG "-O2 -g")

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
check_pie_supported()

# No path of the machine that built it: two builds anywhere are the same bytes. The link needs it
# too, since with link-time optimisation it is the link that writes the debugging information.
set(no_paths -ffile-prefix-map=${CMAKE_BINARY_DIR}=build -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)

if(CHANCERY_AUDIT_MANDATORY)
	add_compile_definitions(CHANCERY_AUDIT_MANDATORY)
endif()

# Debug builds check the order in which locks are taken.
add_compile_definitions(_GNU_SOURCE $<$<CONFIG:Debug>:CHANCERY_DEBUG_LOCKS>)
add_compile_options(
	-Wall -Wextra -Wconversion -Wshadow -Wcast-qual -Wvla
	-Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wpointer-arith -Wformat-security
	-Wimplicit-fallthrough -Wundef
	${no_paths}
	-fno-common -fstack-protector-strong -ffunction-sections -fdata-sections)
if(CHANCERY_WERROR)
	add_compile_options(-Werror)
endif()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
	add_compile_options(-fstack-clash-protection -mbranch-protection=standard)
else()
	add_compile_options(-fstack-clash-protection -fcf-protection)
endif()

add_link_options(${no_paths} -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed -Wl,--gc-sections)

if(CHANCERY_SANITIZE)
	add_compile_options(-fsanitize=${CHANCERY_SANITIZE} -fno-sanitize-recover=all
		-fno-omit-frame-pointer)
	add_link_options(-fsanitize=${CHANCERY_SANITIZE})
else()
	# The sanitizers replace the functions that fortification checks.
	add_compile_options($<$<NOT:$<CONFIG:None>>:-U_FORTIFY_SOURCE>
		$<$<NOT:$<CONFIG:None>>:-D_FORTIFY_SOURCE=2>)
endif()

# What is instrumented leads the fuzzer: every layer, before its target is made.
if(CHANCERY_FUZZ)
	if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
		message(FATAL_ERROR "CHANCERY_FUZZ needs clang: cmake --preset fuzz")
	endif()
	add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(CHANCERY_COVERAGE)
	add_compile_options(--coverage -fprofile-update=atomic)
	add_link_options(--coverage)
endif()
