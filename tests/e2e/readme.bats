#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the README tells to type, typed.
load office

bats_require_minimum_version 1.5.0

# The commands of a section of the README, but for those of make.
section()
{
	awk -v title="## $1" '/^## / { within = $0 == title } within && sub(/^    /, "")' "$CHANCERY_SOURCE_DIR/README.md" | grep -v '^make '
}

# Seen to fail: with CHANCERY_HOME or a file below the clone, and with one command of the section misspelt.
@test "the tour works, twice, and leaves nothing in the clone" {
	[ -z "${CHANCERY_SANITIZE:-}" ] || skip "other programs do not load a sanitizer's module"
	for tool in openssl pkcs11-tool p11tool ssh-keygen; do
		command -v $tool >/dev/null || skip "$tool is not installed"
	done
	export TMPDIR=$work/tmp
	mkdir clone tmp
	ln -s "$CHANCERY_BUILD_DIR" clone/build
	section "Five minutes" >tour
	[ "$(grep -c '^chancery ' tour)" -ge 7 ]
	before=$(ls -AR clone)
	unset CHANCERY_HOME
	for time in first second; do
		run bash -c 'set -e; cd clone; . ../tour'
		[ "$status" -eq 0 ] || { echo "the $time time: $output"; return 1; }
		[[ $output == *"Verified OK"* ]]
		[[ $output == *ecdsa-sha2-nistp256* ]]
	done
	[ "$(ls -AR clone)" = "$before" ]
	[ "$(find tmp -name seal.pem | wc -l)" -eq 2 ]
}
