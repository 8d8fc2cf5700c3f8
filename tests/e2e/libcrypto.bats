#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# scripts/libcrypto where there is no network and no system library: the tarball, the minimum, the
# cache. The "OpenSSL" here is a few lines that build in no time.

setup()
{
	script=${CHANCERY_SOURCE_DIR:-$BATS_TEST_DIRNAME/../..}/scripts/libcrypto
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	cache=$XDG_CACHE_HOME/chancery/libcrypto
	unset ALLOW_OLD CHANCERY_OPENSSL_TARBALL CHANCERY_OPENSSL_SHA256
	mkdir "$BATS_TEST_TMPDIR/bin"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
	stub pkg-config 'exit 1'
	stub apt-get 'echo "no network" >&2; exit 100'
}

stub()
{
	printf '#!/bin/sh\n%s\n' "$2" >"$BATS_TEST_TMPDIR/bin/$1"
	chmod +x "$BATS_TEST_TMPDIR/bin/$1"
}

# tarball MAJOR MINOR PATCH: a source tree of that version, and its hash.
tarball()
{
	local top=$BATS_TEST_TMPDIR/openssl
	mkdir -p "$top/include/openssl"
	printf 'MAJOR=%s\nMINOR=%s\nPATCH=%s\n' "$@" >"$top/VERSION.dat"
	printf '#!/bin/sh\n:\n' >"$top/Configure"
	chmod +x "$top/Configure"
	printf 'build_libs:\n\ttouch libcrypto.a # -c -o\n' >"$top/Makefile"
	touch "$top/include/openssl/evp.h" "$top/LICENSE.txt"
	export CHANCERY_OPENSSL_TARBALL=$BATS_TEST_TMPDIR/openssl.tar.gz
	tar -c -z -f "$CHANCERY_OPENSSL_TARBALL" -C "$BATS_TEST_TMPDIR" openssl
	CHANCERY_OPENSSL_SHA256=$(sha256sum "$CHANCERY_OPENSSL_TARBALL" | cut -d' ' -f1)
	export CHANCERY_OPENSSL_SHA256
}

# cached VERSION ORIGIN: a cache that was filled before.
cached()
{
	mkdir -p "$cache/$1/lib" "$cache/$1/include/openssl"
	touch "$cache/$1/lib/libcrypto.a" "$cache/$1/include/openssl/evp.h"
	printf '%s %s\n' "$1" "$2" >"$cache/$1/ORIGIN"
	ln -sfn "$1" "$cache/current"
}

@test "a tarball with its hash is built into the cache" {
	tarball 3 99 1
	"$script"
	[ -r "$cache/current/lib/libcrypto.a" ]
	[ "$(cat "$cache/current/ORIGIN")" = "3.99.1 sha256:$CHANCERY_OPENSSL_SHA256" ]
	run "$script"
	[ "$status" -eq 0 ]
	[[ $output != *building* ]]
}

@test "a tarball without a hash, or with another, is refused" {
	tarball 3 99 1
	CHANCERY_OPENSSL_SHA256='' run "$script"
	[ "$status" -ne 0 ]
	[[ $output == *CHANCERY_OPENSSL_SHA256* ]]
	CHANCERY_OPENSSL_SHA256=${CHANCERY_OPENSSL_SHA256/[0-9]/f} run "$script"
	[ "$status" -ne 0 ]
	[ ! -e "$cache/current" ]
}

@test "a tarball of an older version is refused, unless ALLOW_OLD=1" {
	tarball 3 5 0
	run "$script"
	[ "$status" -ne 0 ]
	[[ $output == *"3.5.0 is older"* ]]
	[ ! -e "$cache/current" ]
	ALLOW_OLD=1 "$script"
	[ -r "$cache/current/lib/libcrypto.a" ]
}

@test "without a network the cache serves" {
	cached 3.99.2-1~deb13u1 source-package
	run "$script"
	[ "$status" -eq 0 ]
	[[ $output == *3.99.2-1~deb13u1* ]]
}

@test "without a network and with an old cache there is an error, unless ALLOW_OLD=1" {
	cached 3.5.0-1 source-package
	run "$script"
	[ "$status" -ne 0 ]
	ALLOW_OLD=1 "$script"
}

@test "a failed attempt leaves the cache as it was" {
	cached 3.5.0-1 source-package
	run "$script"
	[ "$status" -ne 0 ]
	[ "$(readlink "$cache/current")" = 3.5.0-1 ]
	[ -z "$(find "$XDG_CACHE_HOME/chancery" -name 'build.*')" ]
}
