#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Each rule of scripts/lint is broken once, in a tree of its own: a check that never refuses is none.

setup()
{
	tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$tree/src/base" "$tree/src/crypto" "$tree/src/store" "$tree/src/core" "$tree/src/client"
	cp -R "${CHANCERY_SOURCE_DIR:-$BATS_TEST_DIRNAME/../..}/scripts" "$tree/scripts"
	put core/good.c '#include "base/good.h"' '' 'void good(void)' '{' \
		'	static const char *const name = "x";' '	static int *const row[] = { 0 };' \
		'	static int (*const checks[2])(int) = { f, g };' '	use(name, row, checks);' '}'
}

# put FILE LINE...: a source file with its SPDX line.
put()
{
	local file=$1
	shift
	printf '%s\n' '/* SPDX-License-Identifier: Apache-2.0 */' "$@" >"$tree/src/$file"
}

lint()
{
	"$tree/scripts/lint" "$@"
}

refuses()
{
	run lint "$1"
	echo "$output"
	[ "$status" -ne 0 ]
	[[ $output == *"$2"* ]]
}

@test "a tree that keeps the rules passes" {
	for check in spdx layers openssl mechanisms statics sizes; do
		lint $check
	done
}

@test "a file without its SPDX line" {
	echo 'int x;' >"$tree/src/base/x.c"
	refuses spdx src/base/x.c:1
}

@test "an include that points upwards" {
	put crypto/x.c '#include "core/object.h"'
	refuses layers 'crypto must not include core/object.h'
}

@test "the client including the core" {
	put client/x.c '#  include "core/object.h"'
	refuses layers 'client must not include core/object.h'
}

@test "an include that goes around by .." {
	put base/x.c '#include "../core/object.h"'
	refuses layers 'base must not include ../core/object.h'
}

@test "an include that names no layer" {
	put core/x.c '#include "object.h"'
	refuses layers 'names no layer'
}

@test "a folder that is no layer" {
	mkdir "$tree/src/util"
	refuses layers 'src/util'
}

@test "OpenSSL outside src/crypto" {
	put store/x.c '#include <openssl/evp.h>'
	refuses openssl src/store/x.c:2
}

@test "a switch over mechanisms outside src/crypto" {
	put core/x.c 'int f(int m)' '{' '	switch (m) {' '	case CKM_RSA_PKCS: return 1;' '	}' '}'
	refuses mechanisms src/core/x.c:5
}

@test "a counter hidden in a function" {
	put core/x.c 'int f(void)' '{' '	static int n;' '	return n++;' '}'
	refuses statics src/core/x.c:4
}

@test "a mutable pointer to constants hidden in a function" {
	put core/x.c 'void f(void)' '{' '	static const char *last = 0;' '	use(last);' '}'
	refuses statics src/core/x.c:4
}

@test "a thread-local hidden in a function" {
	put core/x.c 'void f(void)' '{' '	_Thread_local static int n;' '	use(n);' '}'
	refuses statics src/core/x.c:4
}

@test "a function that is too long" {
	local -a body
	mapfile -t body < <(seq 120 | sed 's/.*/	f(&);/')
	put core/x.c 'void f(int n)' '{' "${body[@]}" '}'
	refuses sizes 'f has 122 lines'
}

@test "a file that is too long" {
	local -a body
	mapfile -t body < <(seq 950 | sed 's/.*/int x&;/')
	put core/x.c "${body[@]}"
	refuses sizes 'src/core/x.c: has 951 lines'
}

@test "a script with an unquoted expansion" {
	command -v shellcheck || skip "no shellcheck"
	# shellcheck disable=SC2016 # goes into the file as it is
	printf '%s\n' '#!/bin/sh' '# SPDX-License-Identifier: Apache-2.0' 'rm -rf $1/x' >"$tree/scripts/bad"
	refuses shell scripts/bad:3
}

@test "conditions of a test that count for nothing" {
	mkdir -p "$tree/tests/e2e"
	printf '%s\n' '# SPDX-License-Identifier: Apache-2.0' '@test "x" {' '	[ 1 = 1 ] && [[ 1 = 1 ]]' '}' >"$tree/tests/e2e/x.bats"
	refuses bats tests/e2e/x.bats:3
	printf '%s\n' '# SPDX-License-Identifier: Apache-2.0' '@test "x" {' '	! true' '}' >"$tree/tests/e2e/x.bats"
	refuses bats tests/e2e/x.bats:3
	printf '%s\n' '# SPDX-License-Identifier: Apache-2.0' '@test "x" {' '	run ! true' '	[[ 1 = 1 && 2 = 2 ]]' '}' >"$tree/tests/e2e/x.bats"
	lint bats
}

@test "a manual with a macro that is not there, or a line that is too long" {
	command -v mandoc || skip "no mandoc"
	mkdir -p "$tree/docs/man"
	head=('.\" SPDX-License-Identifier: Apache-2.0' '.Dd November 30, 2026' '.Dt X 1' '.Os' '.Sh NAME' '.Nm x' '.Nd y'
		'.Sh DESCRIPTION')
	printf '%s\n' "${head[@]}" '.Xr nowhere 9 .' >"$tree/docs/man/x.1"
	lint man
	printf '%s\n' "${head[@]}" '.Nonsense y' >"$tree/docs/man/x.1"
	refuses man docs/man/x.1:9
	printf '%s\n' "${head[@]}" "$(printf 'word %.0s' {1..20})" >"$tree/docs/man/x.1"
	refuses man docs/man/x.1:9
}

@test "without mandoc the manuals are not checked, and that is said" {
	mkdir "$tree/bin"
	for tool in bash sh dirname cat grep sed; do
		ln -s "$(command -v $tool)" "$tree/bin/$tool"
	done
	PATH=$tree/bin run lint man
	[ "$status" -eq 0 ]
	[[ $output == *"mandoc is not here: manuals not checked"* ]]
}

# build SOURCE: a module of one file, with the link options of the real one.
build()
{
	local objects=$tree/build/CMakeFiles/chancery-pkcs11.dir
	mkdir -p "$objects"
	printf '%s\n' '{ global: C_*; local: *; };' >"$tree/x.map"
	printf '%s\n' "$1" >"$tree/x.c"
	${CC:-cc} -O1 -fPIC -c "$tree/x.c" -o "$objects/x.o"
	${CC:-cc} -shared "$objects/x.o" -o "$tree/build/x.so" -Wl,-Bsymbolic -Wl,-z,relro,-z,now \
		"${@:2}"
}

@test "a module that keeps its promises" {
	build 'int C_Initialize(void *p) { return p != 0; }' -Wl,-z,nodelete "-Wl,--version-script=$tree/x.map"
	lint module "$tree/build/x.so"
}

@test "a module that exports more than the entry points" {
	build 'int helper(void *p) { return p != 0; }' -Wl,-z,nodelete
	run lint module "$tree/build/x.so"
	[ "$status" -ne 0 ]
	[[ $output == *"exports helper"* ]]
}

@test "a module that can be unloaded" {
	build 'int C_Initialize(void *p) { return p != 0; }'
	run lint module "$tree/build/x.so"
	[ "$status" -ne 0 ]
	[[ $output == *"no NODELETE"* ]]
}

@test "a module that changes its host's environment" {
	build '#include <stdlib.h>
int C_Initialize(void *p) { return p != 0 && setenv("X", "1", 1); }' -Wl,-z,nodelete
	run lint module "$tree/build/x.so"
	[ "$status" -ne 0 ]
	[[ $output == *"U setenv"* ]]
}

@test "a module that talks on standard error" {
	build '#include <stdio.h>
int C_Initialize(void *p) { return p != 0 && fputs("x", stderr); }' -Wl,-z,nodelete
	run lint module "$tree/build/x.so"
	[ "$status" -ne 0 ]
	[[ $output == *"U stderr"* ]]
}
