#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Power cuts while keys are used and changed: whatever of the unsynced a disk keeps, no result that was delivered is without its record, and
# nothing looks like tampering. And the test's own test: with any one kind of barrier left out, the check fails.
#
# CUTS, FAT_CUTS: images of the two runs, the second with rotations and checkpoints by two keys; 0: one after each thing that was done to a
# file. BARRIERS: what is left out, one at a time; WITHOUT: for how many images.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
. "$here/power.bash"

images=$CHANCERY_BUILD_DIR/tests/fault/powercut_images
program=$CHANCERY_BUILD_DIR/tests/p11/p11_test_p11_power
cuts=${CUTS:-24}
fat_cuts=${FAT_CUTS:-12}
barriers=${BARRIERS:-roll index state rolldir}
without=${WITHOUT:-200}
seed=${POWERCUT_SEED:-$RANDOM}

# run NAME=VALUE... COMMAND...: under the shim, in $place/root
run()
{
	env LD_PRELOAD="$shim" POWERCUT_ROOT="$place/root" POWERCUT_LOG="$place/log" POWERCUT_ACK="$place/acks" \
		CHANCERY_HOME="$place/root" CHANCERY_CONF="$place/conf" "$@"
}

# toil CONFIGURATION [NAME=VALUE...]: an auditor, a token, a process that dies, one that finds what it left, and another
toil()
{
	rm -rf "${place:?}"/*
	mkdir -m 700 "$place/root"
	echo "$1" >"$place/conf"
	shift
	run "$@" "$CHANCERY" audit init --quiet --key-out "$place/key"
	run "$@" "$program" make "$place/acks"
	run "$@" "$program" die "$place/acks" 0
	run "$@" "$program" work "$place/acks" 1
	run "$@" "$program" die "$place/acks" 2
}

# cut COUNT SEED
cut()
{
	CHANCERY_HOME=$place/image CHANCERY_CONF=$place/conf "$images" "$place/log" "$place/root" "$place/image" \
		"$place/acks.cut" "$1" "$2" "$program" check "$place/acks.cut" "$place/key" 2>"$place/errors" || {
		tail -n 40 "$place/errors"
		return 1
	}
}

# left_out BARRIER: makes images until one fails
left_out()
{
	local tried

	toil "$short" POWERCUT_DROP="$1"
	for ((tried = 0; tried < without; tried += 10)); do
		if ! cut 10 "$((seed + tried))" >"$place/out"; then
			echo "without '$1', noticed: $(grep -a -m 1 -e ERROR -e gave "$place/out" || tail -n 1 "$place/out")"
			return
		fi
	done
	echo "without the barrier of kind '$1' nothing was lost in $without images: the test sees nothing"
	exit 1
}

short=$'[audit]\ncheckpoint_records = 8'
long=$'[audit]\ncheckpoint_records = 1\nmldsa = on\nrotate_mib = 1'

echo "seed $seed"
toil "$short"
cut "$cuts" "$seed"
toil "$long" FAT=1
cut "$fat_cuts" "$seed"
for barrier in $barriers; do
	left_out "$barrier"
done
