#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What Chancery does not support is refused when it is configured, by a message that says so.
set -euo pipefail

source=${CHANCERY_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# refused NAME MESSAGE OPTION...
refused()
{
	local name=$1 message=$2
	shift 2
	if cmake -S "$source" -B "$work/$name" "$@" >"$work/log" 2>&1; then
		printf '%s: was accepted\n' "$name"
		return 1
	fi
	if ! tr -s ' \n' ' ' <"$work/log" | grep -q "$message"; then
		cat "$work/log"
		printf '%s: was refused for another reason\n' "$name"
		return 1
	fi
	printf '%s: refused\n' "$name"
}

if ! command -v musl-gcc >/dev/null; then
	echo "skipped: no musl-gcc"
	exit 77
fi
refused musl 'glibc with LP64 only' -DCMAKE_C_COMPILER=musl-gcc

# An archive is enough to tell the size of a pointer, where there is no 32-bit libc to link with.
if [ "$(uname -m)" = x86_64 ]; then
	refused i386 '64-bit (LP64) targets only' -DCMAKE_C_FLAGS=-m32 \
		-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY
fi
