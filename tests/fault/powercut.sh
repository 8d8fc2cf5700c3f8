#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Power cuts: nothing acknowledged is lost, whatever of the unsynced a disk keeps. And the test's own test: with any one kind of
# barrier left out, something is lost, and found missing.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
. "$here/power.bash"

images=$CHANCERY_BUILD_DIR/tests/fault/powercut_images
count=${POWERCUT_IMAGES:-400}
seed=${POWERCUT_SEED:-$RANDOM}

# cut COUNT SEED
cut()
{
	"$images" "$place/log" "$place/root" "$place/image" "$place/acks.cut" "$1" "$2" \
		"$store" check "$place/image" "$place/acks.cut"
}

# without BARRIER: makes images until one fails
without()
{
	local round

	work POWERCUT_LOG="$place/log" POWERCUT_DROP="$1"
	for ((round = 0; round < 50; round++)); do
		if ! cut 40 "$((seed + round))" >"$place/out"; then
			echo "without '$1', noticed: $(tail -n 1 "$place/out")"
			return
		fi
	done
	echo "without the barrier of kind '$1' nothing was lost in 2000 images: the test sees nothing"
	exit 1
}

echo "seed $seed"
work POWERCUT_LOG="$place/log"
cut "$count" "$seed"
without journal
without file
without dir
