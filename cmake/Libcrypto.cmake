# SPDX-License-Identifier: Apache-2.0
# The static libcrypto: chancery::libcrypto. First the one that the builder names, then the
# system's, then the one that scripts/libcrypto has built into the cache.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3>=3.35)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson>=2.13)
pkg_check_modules(INIH REQUIRED IMPORTED_TARGET inih)

set(CHANCERY_LIBCRYPTO_MINIMUM 3.5.0)
set(CHANCERY_LIBCRYPTO_ROOT "" CACHE PATH "Directory with include/openssl and lib/libcrypto.a")

function(libcrypto_version include result)
	set(${result} 0 PARENT_SCOPE)
	set(header ${include}/openssl/opensslv.h)
	if(EXISTS ${header})
		file(STRINGS ${header} line REGEX "define OPENSSL_VERSION_STR ")
		string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" version "${line}")
		set(${result} ${version} PARENT_SCOPE)
	endif()
endfunction()

# Defines the target if the archive is there and new enough; the caller looks whether it is.
function(libcrypto_use archive include)
	libcrypto_version("${include}" version)
	if(NOT EXISTS "${archive}" OR version VERSION_LESS CHANCERY_LIBCRYPTO_MINIMUM)
		return()
	endif()
	message(STATUS "libcrypto ${version}: ${archive}")
	add_compile_options(-ffile-prefix-map=${include}=libcrypto)
	add_library(chancery::libcrypto STATIC IMPORTED GLOBAL)
	set_target_properties(chancery::libcrypto PROPERTIES
		IMPORTED_LOCATION ${archive}
		INTERFACE_INCLUDE_DIRECTORIES ${include}
		INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};${ARGN}")
endfunction()

function(libcrypto_use_system)
	pkg_check_modules(OPENSSL QUIET libcrypto>=${CHANCERY_LIBCRYPTO_MINIMUM})
	if(NOT OPENSSL_FOUND)
		return()
	endif()
	pkg_get_variable(libdir libcrypto libdir)
	pkg_get_variable(include libcrypto includedir)
	# What the archive itself needs: libz and libzstd on Debian 13.
	set(needs ${OPENSSL_STATIC_LIBRARIES})
	list(REMOVE_ITEM needs crypto dl pthread)
	libcrypto_use(${libdir}/libcrypto.a ${include} ${needs})
endfunction()

function(libcrypto_use_cache)
	set(cache $ENV{XDG_CACHE_HOME})
	if(NOT cache)
		set(cache $ENV{HOME}/.cache)
	endif()
	set(root ${cache}/chancery/libcrypto/current)
	libcrypto_use(${root}/lib/libcrypto.a ${root}/include)
endfunction()

if(CHANCERY_LIBCRYPTO_ROOT)
	libcrypto_use(${CHANCERY_LIBCRYPTO_ROOT}/lib/libcrypto.a ${CHANCERY_LIBCRYPTO_ROOT}/include)
else()
	libcrypto_use_system()
	if(NOT TARGET chancery::libcrypto)
		libcrypto_use_cache()
	endif()
endif()

if(NOT TARGET chancery::libcrypto)
	message(FATAL_ERROR "no static libcrypto ${CHANCERY_LIBCRYPTO_MINIMUM} or newer: run scripts/setup")
endif()
