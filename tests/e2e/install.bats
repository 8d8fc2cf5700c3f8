#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# `make install`: what it builds, and where things go. The build is configured here as it is there, and then filled with
# what the build under test has made, for one of its own would take minutes.
load office

bats_require_minimum_version 1.5.0

# configure PREFIX: in the directory build.
configure()
{
	local option cache=$CHANCERY_BUILD_DIR/CMakeCache.txt
	for option in cmake ninja; do
		command -v $option >/dev/null || skip "$option is not installed"
	done
	option=$(sed -n 's/^CHANCERY_LIBCRYPTO_ROOT:PATH=/-DCHANCERY_LIBCRYPTO_ROOT=/p' "$cache")
	cmake -S "$CHANCERY_SOURCE_DIR" -B build -G Ninja --fresh -DBUILD_TESTING=OFF \
		-DCMAKE_INSTALL_PREFIX="$1" $option >log 2>&1 || { cat log; return 1; }
}

# What is below the directory of installation, one to a line.
installed()
{
	(cd "$1" && find . -type f | sort)
}

@test "the preset that is installed builds no tests and no fuzz targets" {
	[ "$(jq -r '.configurePresets[] | select(.name == "release").cacheVariables.BUILD_TESTING' "$CHANCERY_SOURCE_DIR/CMakePresets.json")" = OFF ]
	configure /usr
	ninja -C build -t targets all >targets
	grep -q '^chancery: ' targets
	run grep -E '^(fuzz|tests)/|_test_|^fuzz_' targets
	[ "$status" -eq 1 ]
}

@test "everything is installed below its prefix, and p11-kit's file names the module where that is" {
	[ -z "${CHANCERY_SANITIZE:-}" ] || skip "only what is released is installed"
	for prefix in /usr /usr/local /opt/chancery; do
		configure $prefix
		cp "$CHANCERY_MODULE" "$CHANCERY" "$CHANCERY_BUILD_DIR/chancery-bench" build
		DESTDIR=$work/root cmake --install build >log
		root=$work/root$prefix
		module=$(sed -n 's/^module: //p' "$root/share/p11-kit/modules/chancery.module")
		[ -f "$work/root$module" ]
		[[ $module == $prefix/lib*/pkcs11/libchancery-pkcs11.so ]]
		[ "$(find root -type f | grep -vc "^root$prefix/")" -eq 0 ]
		for file in bin/chancery include/chancery/pkcs11.h include/chancery/chancery.h share/man/man1/chancery.1 \
			share/man/man5/chancery.conf.5 share/bash-completion/completions/chancery \
			share/zsh/site-functions/_chancery share/fish/vendor_completions.d/chancery.fish \
			share/man/man1/chancery-bench.1 share/bash-completion/completions/chancery-bench \
			share/zsh/site-functions/_chancery-bench share/fish/vendor_completions.d/chancery-bench.fish; do
			[ -f "$root/$file" ] || { echo "no $file"; return 1; }
		done
		# p11-kit finds it of itself in one place; elsewhere the way is said
		if [ $prefix = /usr ]; then
			run ! grep p11-kit.*link log
		else
			grep -q "link $prefix/share/p11-kit/modules/chancery.module into /etc/pkcs11/modules" log
		fi
		installed "$root" | sed 's|^\./lib/[^/]*-linux-gnu/|./lib/|' >files
		[ ! -e files.before ] || diff files.before files
		mv files files.before
		rm -rf root
	done
}
