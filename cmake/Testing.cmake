# SPDX-License-Identifier: Apache-2.0
# Tests belong by being in their folder: tests/unit, tests/p11 (C), tests/e2e (bats), tests/fault
# and tests/interop (shell). The folder is the label; a name that ends in _long is also "long" and
# is left out of `make test`.
pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
find_program(BATS bats)
find_program(VALGRIND valgrind)

# What every test finds in its environment. The state and configuration are its own, so that one
# which forgets to choose cannot touch the user's.
function(chancery_test_properties name label file)
	get_filename_component(stem ${file} NAME_WE)
	set(labels ${label})
	set(timeout 600)
	if(stem MATCHES "_long$")
		list(APPEND labels long)
		set(timeout 7200)
	endif()
	set(home ${CMAKE_BINARY_DIR}/Testing/home/${name})
	set(environment
		CHANCERY_SOURCE_DIR=${CMAKE_SOURCE_DIR}
		CHANCERY_BUILD_DIR=${CMAKE_BINARY_DIR}
		CHANCERY_SANITIZE=${CHANCERY_SANITIZE}
		CHANCERY_HOME=${home}/state
		XDG_CONFIG_HOME=${home}/config)
	if(CMAKE_CROSSCOMPILING)
		list(APPEND environment CHANCERY_EMULATED=${CMAKE_SYSTEM_PROCESSOR})
	endif()
	if(TARGET chancery-pkcs11)
		list(APPEND environment CHANCERY_MODULE=$<TARGET_FILE:chancery-pkcs11>)
	endif()
	if(TARGET chancery)
		list(APPEND environment CHANCERY=$<TARGET_FILE:chancery>)
	endif()
	set_tests_properties(${name} PROPERTIES
		LABELS "${labels}"
		TIMEOUT ${timeout}
		SKIP_RETURN_CODE 77
		ENVIRONMENT "${environment}"
		ENVIRONMENT_MODIFICATION "CHANCERY_CONF=unset:")
endfunction()

# The same executable once more under valgrind, for scripts/sanitize. A test that is long already
# would take hours there. memcheck does not model libcrypto's GHASH with AVX: what comes of it, the tags of
# GCM and GMAC, passes for undefined, also where libcrypto alone works on memory that is all defined.
# Without AVX (bit 60) it does not. Leaks are LeakSanitizer's to find, which does not ask children of a fork
# that end without C_Finalize, as memcheck does.
function(chancery_valgrind_test name target source)
	# store_alloc makes libcrypto 3.5 go on with Argon2 on memory that it did not get
	if(NOT VALGRIND OR CHANCERY_SANITIZE OR source MATCHES "_long\\.c$|test_store_alloc\\.c$")
		return()
	endif()
	add_test(NAME valgrind.${name} COMMAND ${VALGRIND} --quiet --error-exitcode=99
		--leak-check=no $<TARGET_FILE:${target}>)
	chancery_test_properties(valgrind.${name} valgrind ${source})
	set_tests_properties(valgrind.${name} PROPERTIES TIMEOUT 3600)
	set_property(TEST valgrind.${name} APPEND PROPERTY ENVIRONMENT CHANCERY_UNDER_VALGRIND=1
		OPENSSL_ia32cap=~0x1000000000000000)
endfunction()

# One executable per test_*.c of tests/FOLDER; its other C files are helpers of them all. Linker
# options (--wrap) stand in a file test_NAME.link beside the source, one to a line.
function(chancery_c_tests folder)
	set(here ${CMAKE_SOURCE_DIR}/tests/${folder})
	file(GLOB all CONFIGURE_DEPENDS ${here}/*.c)
	file(GLOB options_files CONFIGURE_DEPENDS ${here}/*.link)
	set(tests ${all})
	list(FILTER tests INCLUDE REGEX "/test_[^/]*\\.c$")
	set(helpers ${all})
	list(FILTER helpers EXCLUDE REGEX "/test_[^/]*\\.c$")
	if(NOT tests)
		return()
	endif()
	if(helpers)
		add_library(${folder}_helpers OBJECT ${helpers})
		chancery_includes(${folder}_helpers)
		target_include_directories(${folder}_helpers PUBLIC ${here} ${CMAKE_SOURCE_DIR}/tests)
		chancery_link(${folder}_helpers ${ARGN})
	endif()
	foreach(source ${tests})
		get_filename_component(stem ${source} NAME_WE)
		set(target ${folder}_${stem})
		add_executable(${target} ${source})
		chancery_includes(${target})
		target_include_directories(${target} PRIVATE ${here} ${CMAKE_SOURCE_DIR}/tests)
		if(helpers)
			target_link_libraries(${target} PRIVATE ${folder}_helpers)
		endif()
		chancery_link(${target} ${ARGN})
		if(${here}/${stem}.link IN_LIST options_files)
			file(STRINGS ${here}/${stem}.link options)
			set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${here}/${stem}.link)
			list(TRANSFORM options PREPEND "LINKER:")
			target_link_options(${target} PRIVATE ${options})
		endif()
		set_target_properties(${target} PROPERTIES
			RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/${folder})
		string(REGEX REPLACE "^test_" "" name ${stem})
		add_test(NAME ${folder}.${name} COMMAND ${target})
		chancery_test_properties(${folder}.${name} ${folder} ${source})
		chancery_valgrind_test(${folder}.${name} ${target} ${source})
	endforeach()
endfunction()

# The C files of tests/FOLDER are tools of its scripts: NAME_shim.c a library to preload, any other a
# program, in tests/FOLDER of the build directory.
function(chancery_test_tools folder)
	file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${folder}/*.c)
	foreach(source ${sources})
		get_filename_component(target ${source} NAME_WE)
		if(target MATCHES "_shim$")
			add_library(${target} MODULE ${source})
			# It goes into programs that know nothing of a sanitizer, and is there to be seen.
			target_compile_options(${target} PRIVATE -fno-sanitize=all)
			target_link_options(${target} PRIVATE -fno-sanitize=all)
			set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET default)
		else()
			add_executable(${target} ${source})
		endif()
		chancery_includes(${target})
		chancery_link(${target} chancery_client chancery_base chancery::libcrypto
			${CMAKE_DL_LIBS})
		set_target_properties(${target} PROPERTIES PREFIX ""
			LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/${folder}
			RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/${folder})
	endforeach()
endfunction()

# One test per file of tests/FOLDER that matches GLOB, run by COMMAND.
function(chancery_script_tests folder glob)
	file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${folder}/${glob})
	foreach(script ${scripts})
		get_filename_component(stem ${script} NAME_WE)
		add_test(NAME ${folder}.${stem} COMMAND ${ARGN} ${script})
		chancery_test_properties(${folder}.${stem} ${folder} ${script})
	endforeach()
endfunction()

if(CMOCKA_FOUND)
	chancery_c_tests(unit chancery_cli chancery_client ${chancery_layers} PkgConfig::CMOCKA
		PkgConfig::JANSSON chancery::libcrypto Threads::Threads)
	# The files that a build with CHANCERY_AUDIT_MANDATORY compiles otherwise: here they are, before those of the libraries.
	target_sources(unit_test_mandatory PRIVATE ${CMAKE_SOURCE_DIR}/src/base/conf.c
		${CMAKE_SOURCE_DIR}/src/audit/opening.c)
	target_compile_definitions(unit_test_mandatory PRIVATE CHANCERY_AUDIT_MANDATORY)
	# Black box: nothing of ours but the headers and what base offers.
	chancery_c_tests(p11 chancery_base PkgConfig::CMOCKA PkgConfig::JANSSON
		chancery::libcrypto Threads::Threads)
	# Through the functions of the standard too, but linked, so that memory can be made to fail.
	chancery_library(p11 LIBRARIES ${chancery_layers})
	chancery_c_tests(sweep p11_helpers chancery_p11 ${chancery_layers} PkgConfig::CMOCKA
		PkgConfig::JANSSON chancery::libcrypto Threads::Threads)
	target_sources(p11_helpers PRIVATE ${CMAKE_SOURCE_DIR}/tests/unit/ref.c) # tables of the standard
else()
	message(STATUS "cmocka is not there: no C tests (scripts/setup test installs it)")
endif()
if(BATS)
	chancery_script_tests(e2e *.bats ${BATS})
endif()
chancery_test_tools(e2e)
chancery_test_tools(fault)
chancery_test_tools(interop)
chancery_script_tests(fault *.sh bash)
chancery_script_tests(interop *.sh bash)

# The rules that need no compiler to be of one version. `make lint` checks the rest.
foreach(check spdx layers openssl mechanisms statics sizes shell bats man)
	add_test(NAME lint.${check} COMMAND ${CMAKE_SOURCE_DIR}/scripts/lint ${check})
	set_tests_properties(lint.${check} PROPERTIES LABELS lint)
endforeach()
# Each mutation still finds what it breaks; scripts/mutate without --check breaks it.
find_program(PYTHON3 python3)
if(PYTHON3)
	add_test(NAME lint.mutations COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/scripts/mutate --check)
	set_tests_properties(lint.mutations PROPERTIES LABELS lint)
endif()
if(TARGET chancery-pkcs11 AND NOT CHANCERY_SANITIZE AND NOT CHANCERY_COVERAGE)
	add_test(NAME lint.module COMMAND ${CMAKE_SOURCE_DIR}/scripts/lint module
		$<TARGET_FILE:chancery-pkcs11>)
	set_tests_properties(lint.module PROPERTIES LABELS lint)
endif()
