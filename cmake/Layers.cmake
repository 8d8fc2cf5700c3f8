# SPDX-License-Identifier: Apache-2.0
# How the folders of src/ become libraries, the module and the programs. Files are found by glob: a
# file belongs to the build by being in its folder, and a folder still empty has no target.

# Sets RESULT to the C files of src/FOLDER.
function(chancery_sources folder result)
	file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.c)
	set(${result} ${sources} PARENT_SCOPE)
endfunction()

# Links TARGET with those of the names that are targets or, without "chancery_", are not ours.
function(chancery_link target)
	foreach(library ${ARGN})
		if(TARGET ${library} OR NOT library MATCHES "^chancery_")
			target_link_libraries(${target} PUBLIC ${library})
		endif()
	endforeach()
endfunction()

function(chancery_includes target)
	target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/include
		${CMAKE_SOURCE_DIR}/src)
endfunction()

# chancery_library(NAME LIBRARIES ...): static library chancery_NAME of src/NAME.
function(chancery_library name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
	chancery_sources(${name} sources)
	if(NOT sources)
		return()
	endif()
	add_library(chancery_${name} STATIC ${sources})
	chancery_includes(chancery_${name})
	chancery_link(chancery_${name} ${arg_LIBRARIES})
endfunction()

# A layer of the module is a library that may use every layer declared before it.
set(chancery_layers "")
macro(chancery_layer name)
	cmake_parse_arguments(layer "" "" "LIBRARIES" ${ARGN})
	chancery_library(${name} LIBRARIES ${chancery_layers} ${layer_LIBRARIES})
	if(TARGET chancery_${name})
		list(PREPEND chancery_layers chancery_${name})
	endif()
endmacro()

# chancery_module(NAME FOLDER folder): the shared object that applications load.
# The objects of its own folder are linked as objects: --exclude-libs hides what is in archives.
function(chancery_module name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "")
	chancery_sources(${arg_FOLDER} sources)
	set(exports ${CMAKE_SOURCE_DIR}/src/${arg_FOLDER}/${arg_FOLDER}.map)
	if(NOT sources OR NOT EXISTS ${exports})
		return()
	endif()
	add_library(${name} MODULE ${sources})
	chancery_includes(${name})
	chancery_link(${name} ${chancery_layers})
	set_target_properties(${name} PROPERTIES
		PREFIX lib
		LINK_DEPENDS ${exports}
		LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
	# nodelete: threads and fork handlers of the host may still be on their way into us.
	target_link_options(${name} PRIVATE -Wl,--version-script=${exports} -Wl,-Bsymbolic
		-Wl,-z,nodelete -Wl,--exclude-libs,ALL)
	if(NOT CHANCERY_SANITIZE)
		target_link_options(${name} PRIVATE -Wl,-z,defs)
	endif()
endfunction()

# chancery_program(NAME FOLDER folder LIBRARIES ...): an executable in the root of the build. All
# but its main.c is a library too, for the unit tests.
function(chancery_program name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "LIBRARIES")
	chancery_sources(${arg_FOLDER} sources)
	set(main ${CMAKE_SOURCE_DIR}/src/${arg_FOLDER}/main.c)
	if(NOT main IN_LIST sources)
		return()
	endif()
	list(REMOVE_ITEM sources ${main})
	add_executable(${name} ${main})
	chancery_includes(${name})
	if(sources)
		add_library(chancery_${arg_FOLDER} STATIC ${sources})
		chancery_includes(chancery_${arg_FOLDER})
		chancery_link(chancery_${arg_FOLDER} ${arg_LIBRARIES})
	endif()
	chancery_link(${name} chancery_${arg_FOLDER} ${arg_LIBRARIES})
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endfunction()

# Definitions of the folder's own files; main.c is not among them.
function(chancery_define folder)
	if(TARGET chancery_${folder})
		target_compile_definitions(chancery_${folder} PRIVATE ${ARGN})
	endif()
endfunction()
