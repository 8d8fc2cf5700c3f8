# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts beside it: the tools, the places, and one run of the store's work under the shim.
# shellcheck shell=bash

shim=$CHANCERY_BUILD_DIR/tests/fault/powercut_shim.so
store=$CHANCERY_BUILD_DIR/tests/unit/unit_test_store_power

if [ -n "${CHANCERY_SANITIZE:-}" ]; then
	echo "skipped: the shim and a sanitizer both stand before the C library"
	exit 77
fi

# Thousands of images are made and thrown away: in memory where that is possible.
place=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")" chancery-fault.XXXXXX)
trap 'rm -rf "$place"' EXIT

# work [NAME=VALUE...]: tokens made and changed in $place/root, with these variables for the shim.
work()
{
	rm -rf "${place:?}"/*
	mkdir -m 700 "$place/root"
	env "$@" LD_PRELOAD="$shim" POWERCUT_ROOT="$place/root" POWERCUT_ACK="$place/acks" \
		"$store" work "$place/root" "$place/acks"
}
