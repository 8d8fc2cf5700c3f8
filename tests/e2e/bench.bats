#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The measuring program on the audit log, in the smallest setting: what it says, not how fast anything is.
load office

bats_require_minimum_version 1.5.0

tiny=(--rounds 1 --time 10 --records 400 --files 3)

bench()
{
	"$CHANCERY_BUILD_DIR/chancery-bench" --module "$CHANCERY_MODULE" "$@"
}

figures='1 writer over bare append
8 writers: barriers per record
32 writers over 1, injected barrier 2.5 ms
ECDSA P-256, natural barrier
ECDSA P-256, injected barrier 2.5 ms
ML-DSA-65, natural barrier
RSA-2048, natural barrier
CPU of a record: encode, chain, MAC, tree
verify: records a core and second, consistent
verify: records a core and second, authentic
verify: memory of 10 times the records
3 closed files: more time to open'

@test "each figure of the audit log beside its goal, and what it was measured on" {
	bench roll "${tiny[@]}" --dir "$work" --json rows.json >table
	jq -e '.machine | .filesystem and .device and .processor and (.sha_extensions | type == "boolean")' rows.json
	jq -e '[.rows[] | select(.failed)] == []' rows.json
	jq -e '[.rows[] | (.ours.median, .ours.min, .ours.max) | numbers] | length == 3 * ($rows | length)' \
		--argjson rows "$(jq .rows rows.json)" rows.json
	jq -r '.rows[] | select(.goal) | .name | sub(", over .*"; "")' rows.json >found
	diff found - <<<"$figures"
	jq -e '.rows | map(select(.goal)) | all((.met | type == "boolean") and (.bound | type == "number"))' rows.json
	grep -q "^$work/chancery-bench-.*: " table
	# nothing is left behind
	[ -z "$(find "$work" -name 'chancery-bench-*')" ]
}

# In memory, where a barrier of its own is nothing, if there is such a place.
@test "what a barrier was made slower for says so, and is slower" {
	place=$work
	[ ! -w /dev/shm ] || place=/dev/shm
	bench roll "${tiny[@]}" --dir "$place" --json rows.json >table
	[ "$(grep -c 'injected barrier 2.5 ms' table)" -ge 8 ]
	# one thread cannot have 400 records a second with a barrier of 2.5 ms, nor 32 threads 12,800
	jq -e '.rows | map(select(.name | test("writers?, injected"))) | length == 6 and
		all((.name | split(" ")[0] | tonumber) as $n | .ours.max <= 400 * $n and .floor.max <= 400)' rows.json
}

@test "a run with an error is no figure" {
	[ -z "${CHANCERY_SANITIZE:-}" ] || skip "the sanitizer's library must be the first"
	real=$(realpath "$work")
	run -70 env LD_PRELOAD="$CHANCERY_BUILD_DIR/tests/fault/powercut_shim.so" POWERCUT_ROOT="$real" \
		POWERCUT_FAIL=write:8:5+ "$CHANCERY_BUILD_DIR/chancery-bench" --module "$CHANCERY_MODULE" \
		roll "${tiny[@]}" --dir "$real" --json "$real/rows.json"
	[[ $output == *"no figure"* ]]
	jq -e '[.rows[] | select(.failed)] | length > 0' rows.json
	# of what needs the disk there is nothing
	jq -e '[.rows[] | select(.name | test("writer over|injected|verify|opening")) | select(.failed | not)] == []' rows.json
}

@test "usage: suites, and the one that runs by itself" {
	run -64 bench nonsense
	[[ $output == *'no suite "nonsense"'* ]]
	run -64 bench roll sign
	[[ $output == *"runs by itself"* ]]
	run -64 bench --rounds 0 roll
	run -0 bench --help
	[[ $output == *Usage:*roll* ]]
}

@test "the manual and the completions know every option and suite" {
	options=$(sed -n 's/^\t{ "\([a-z]*\)", FIELD.*/--\1/p' "$CHANCERY_SOURCE_DIR/src/bench/settings.c")
	suites=$(sed -n 's/^\t{ "\([a-z]*\)", ".*suite_.*/\1/p' "$CHANCERY_SOURCE_DIR/src/bench/main.c")
	[ "$(wc -w <<<"$options")" -eq 9 ]
	[ "$(wc -w <<<"$suites")" -eq 8 ]
	for name in $options $suites; do
		bench --help | grep -q -- "$name"
		grep -Eq "Fl -${name#--}|Cm $name" "$CHANCERY_SOURCE_DIR/docs/man/chancery-bench.1"
		for shell in bash zsh fish; do
			grep -Eq -- "(${name}|-l ${name#--})" "$CHANCERY_SOURCE_DIR/completions/chancery-bench.$shell"
		done
	done
}
