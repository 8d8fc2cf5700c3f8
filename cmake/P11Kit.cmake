# SPDX-License-Identifier: Apache-2.0
# P11_KIT_MODULE_DIR: where p11-kit looks for a module that is configured by a bare name.
# P11_KIT_CONFIG_DIR: where it looks for the configurations that packages bring. p11-kit is not
# needed to build; without it, the places where distributions have these directories.
find_package(PkgConfig REQUIRED)
pkg_get_variable(P11_KIT_MODULE_DIR p11-kit-1 p11_module_path)
if(NOT P11_KIT_MODULE_DIR AND CMAKE_LIBRARY_ARCHITECTURE)
	set(P11_KIT_MODULE_DIR /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pkcs11)
elseif(NOT P11_KIT_MODULE_DIR)
	set(P11_KIT_MODULE_DIR /usr/lib64/pkcs11)
endif()
pkg_get_variable(P11_KIT_CONFIG_DIR p11-kit-1 p11_module_configs)
if(NOT P11_KIT_CONFIG_DIR)
	set(P11_KIT_CONFIG_DIR /usr/share/p11-kit/modules)
endif()
