#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Two builds of one source, in directories of different names, are the same bytes.
set -euo pipefail

source=${CHANCERY_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Taken once: whoever works in the tree meanwhile makes no difference.
mkdir "$work/source"
(cd "$source" && scripts/lint files all | tar -c -f - -T -) | tar -x -f - -C "$work/source"

build_in()
{
	cp -R "$work/source" "$work/$1"
	(cd "$work/$1" && cmake --preset release -DBUILD_TESTING=OFF &&
		cmake --build --preset release --target chancery chancery-pkcs11) >"$work/$1.log" 2>&1 || {
		tail -n 30 "$work/$1.log"
		return 1
	}
}

build_in one
build_in another-directory
for file in libchancery-pkcs11.so chancery; do
	cmp "$work/one/build/release/$file" "$work/another-directory/build/release/$file"
	printf '%s: the same\n' "$file"
done
