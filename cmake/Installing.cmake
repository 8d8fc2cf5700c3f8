# SPDX-License-Identifier: Apache-2.0
# Where everything goes. Nothing here is needed to run from the build directory.
set(module_directory ${CMAKE_INSTALL_LIBDIR}/pkcs11)

if(TARGET chancery-pkcs11)
	install(TARGETS chancery-pkcs11 LIBRARY DESTINATION ${module_directory})
	# By its full path: p11-kit looks for a bare name in its own directory alone.
	set(CHANCERY_MODULE_PATH ${CMAKE_INSTALL_FULL_LIBDIR}/pkcs11/libchancery-pkcs11.so)
	configure_file(${CMAKE_SOURCE_DIR}/cmake/chancery.module.in
		${CMAKE_BINARY_DIR}/chancery.module @ONLY)
	set(registered ${CMAKE_INSTALL_FULL_DATADIR}/p11-kit/modules)
	install(FILES ${CMAKE_BINARY_DIR}/chancery.module
		DESTINATION ${CMAKE_INSTALL_DATADIR}/p11-kit/modules)
	# Nothing is installed outside the prefix; another one is not where p11-kit looks.
	if(NOT registered STREQUAL P11_KIT_CONFIG_DIR)
		install(CODE "message(STATUS \"p11-kit does not look in ${registered}: \"
			\"link ${registered}/chancery.module into /etc/pkcs11/modules\")")
	endif()
endif()

foreach(program chancery chancery-bench)
	if(TARGET ${program})
		install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
	endif()
endforeach()

install(FILES include/chancery/pkcs11.h include/chancery/chancery.h
	DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/chancery)

foreach(section 1 5 7 8)
	file(GLOB pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/man/*.${section})
	install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()

# Each shell looks for a name of its own.
function(chancery_completion shell file directory name)
	set(path ${CMAKE_SOURCE_DIR}/completions/${file})
	if(EXISTS ${path})
		install(FILES ${path} DESTINATION ${CMAKE_INSTALL_DATADIR}/${directory} RENAME ${name})
	endif()
endfunction()
chancery_completion(bash chancery.bash bash-completion/completions chancery)
chancery_completion(zsh chancery.zsh zsh/site-functions _chancery)
chancery_completion(fish chancery.fish fish/vendor_completions.d chancery.fish)
chancery_completion(bash chancery-bench.bash bash-completion/completions chancery-bench)
chancery_completion(zsh chancery-bench.zsh zsh/site-functions _chancery-bench)
chancery_completion(fish chancery-bench.fish fish/vendor_completions.d chancery-bench.fish)

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
