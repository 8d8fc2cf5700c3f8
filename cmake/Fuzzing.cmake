# SPDX-License-Identifier: Apache-2.0
# fuzz/fuzz_NAME.c is a libFuzzer target in the preset fuzz. Everywhere else the same file replays
# its corpus, fuzz/corpus/NAME/, as a test, so that what was found once stays found.
file(GLOB fuzzers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/fuzz/fuzz_*.c)

function(chancery_fuzzer source)
	get_filename_component(target ${source} NAME_WE)
	string(REGEX REPLACE "^fuzz_" "" name ${target})
	set(corpus ${CMAKE_SOURCE_DIR}/fuzz/corpus/${name})
	if(CHANCERY_FUZZ)
		add_executable(${target} ${source})
		target_link_options(${target} PRIVATE -fsanitize=fuzzer)
		set(arguments -runs=0 ${corpus})
	else()
		add_executable(${target} ${source} ${CMAKE_SOURCE_DIR}/fuzz/replay.c)
		set(arguments ${corpus})
	endif()
	chancery_includes(${target})
	chancery_link(${target} chancery_cli chancery_client ${chancery_layers} PkgConfig::JANSSON
		chancery::libcrypto)
	set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
	if(BUILD_TESTING)
		add_test(NAME fuzz.${name} COMMAND ${target} ${arguments})
		set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 600)
	endif()
endfunction()

foreach(fuzzer ${fuzzers})
	chancery_fuzzer(${fuzzer})
endforeach()
