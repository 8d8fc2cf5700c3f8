#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Each damage to a roll is found, and named.
load office
load rolls

bats_require_minimum_version 1.5.0

@test "the last 1 and 10 records, all, and the first, gone from a closed file" {
	for n in 1 10; do
		use plain
		head -n -$n roll/roll.000002 >cut && mv cut roll/roll.000002
		verify
		finds "roll.000002:$((25 - n))" cut
		rm -rf roll
	done
	use plain
	: >roll/roll.000002
	verify
	finds roll.000002:1 cut
	rm -rf roll
	use plain
	without_line roll/roll.000002 1
	verify
	finds roll.000002:1 removed
	rm -rf roll
	# of a file that ended without closing, the index knows the last record as well
	use plain
	without_line roll/roll.000006 23
	verify
	finds roll.000006:23 cut
}

@test "the end of a file that nobody closed: the anchor knows" {
	use plain
	without_line roll/roll.000008 23
	verify
	sound
	verify --anchor "$anchor"
	finds roll.000008:23 "rolled back"
}

@test "a file gone, cut in a record, a line swapped, doubled, removed" {
	use plain
	rm roll/roll.000003
	verify
	finds roll.000003 "missing file"
	rm -rf roll
	use plain
	truncate -s -20 roll/roll.000003
	verify
	finds roll.000003:24 cut
	rm -rf roll
	use plain
	sed -i '5{h;d};6{G}' roll/roll.000003
	verify
	finds roll.000003:5 reordered
	rm -rf roll
	use plain
	sed -i '5p' roll/roll.000003
	verify
	finds roll.000003:6 duplicated
	rm -rf roll
	use plain
	without_line roll/roll.000003 5 6
	verify
	finds roll.000003:5 removed
	grep -q 'records 4 to 5 are missing' <<<"$output"
}

@test "one byte edited: the hash chain shows it, and the MAC the very line" {
	use sealed
	sed -i '4s/"uid":1000/"uid":1001/' roll/roll.000003
	verify
	finds roll.000003:4 altered
	verify --auditor-key "$key"
	finds roll.000003:4 altered
	grep -q 'MAC' <<<"$output"
	rm -rf roll
	# a byte of the MAC itself is nothing that hashes know of
	use sealed
	sed -i '4s/\(,"mac":"\)./\1x/' roll/roll.000003
	verify
	finds roll.000003:4 altered
	sed -i '4s/\(,"mac":"\)x/\10/' roll/roll.000003
	cmp -s roll/roll.000003 "$BATS_FILE_TMPDIR/sealed/roll.000003" && sed -i '4s/\(,"mac":"\)0/\11/' roll/roll.000003
	verify
	sound
	verify --auditor-key "$key"
	finds roll.000003:4 altered
}

@test "edited, with all later hashes recomputed" {
	use sealed
	# a checkpoint covers it
	rollmake rehash roll 3 4 '"uid":1000' '"uid":1001'
	verify
	finds roll.000003:9 "forked chain"
	verify --auditor-key "$key"
	finds roll.000003:4 altered
	rm -rf roll
	# none does, and nobody closed the file: hashes cannot tell, the key and the anchor can
	use sealed
	rollmake rehash roll 8 20 '"uid":1002' '"uid":1001'
	verify
	sound
	verify --auditor-key "$key"
	finds roll.000008:20 altered
	verify --anchor "$anchor"
	finds roll.000008:23 "rolled back"
}

@test "an older copy restored and continued" {
	cp -a "$BATS_FILE_TMPDIR/plain" roll
	anchor=$BATS_FILE_TMPDIR/plain.anchor
	cp -a roll older
	rollmake add roll --end close
	chancery audit anchor --dir roll --out newer.anchor --quiet
	rm -rf roll
	mv older roll
	verify
	sound
	verify --anchor newer.anchor
	finds index:15 "rolled back"
	rollmake add roll --end close --records 5
	verify
	sound
	verify --anchor "$anchor"
	sound
	verify --anchor newer.anchor
	finds index:15 "rolled back"
}

@test "one file restored from an older copy while the others went on" {
	use plain
	head -n 12 roll/roll.000005 >older && mv older roll/roll.000005
	verify
	finds roll.000005:13 cut
	rm -rf roll
	use plain
	{ cat roll/roll.000005; sed -n 20p roll/roll.000005; } >more && mv more roll/roll.000005
	verify
	finds roll.000005:25 duplicated
}

@test "a file copied to another number, two renamed, one of another roll" {
	use plain
	cp roll/roll.000003 roll/roll.000007
	verify
	finds roll.000007:1 "foreign file"
	grep -q 'number 3' <<<"$output"
	rm -rf roll
	use plain
	cp roll/roll.000003 roll/roll.000012
	verify
	[ "$status" -eq 1 ]
	grep -q '^roll.000012:1: foreign file' <<<"$output"
	rm -rf roll
	use plain
	cp roll/roll.000003 roll/roll.000004
	verify
	[ "$status" -eq 1 ]
	grep -q '^roll.000004.*: foreign file' <<<"$output"
	rm -rf roll
	use plain
	mv roll/roll.000002 x && mv roll/roll.000003 roll/roll.000002 && mv x roll/roll.000003
	verify
	[ "$status" -eq 1 ]
	grep -q '^roll.000002:1: foreign file' <<<"$output"
	grep -q '^roll.000003:1: foreign file' <<<"$output"
	rm -rf roll
	use plain
	rollmake init other --id 00000000000000000000000000000099
	rollmake add other
	cp other/roll.000001 roll/roll.000001
	verify --anchor "$anchor"
	finds roll.000001:1 "foreign file"
}

@test "a whole directory replayed: only an anchor tells" {
	cp -a "$BATS_FILE_TMPDIR/plain" last-week
	use plain
	for _ in 1 2; do rollmake add roll; done
	chancery audit anchor --dir roll --out today --quiet
	rm -rf roll
	cp -a last-week roll
	verify
	sound
	grep -q 'the whole directory as it was last week passes' <<<"$output"
	verify --anchor today
	finds index:15 "rolled back"
	# and the anchor of another roll is of no use
	rollmake init other --id 00000000000000000000000000000099
	rollmake add other
	chancery audit anchor --dir other --out foreign --quiet
	verify --anchor foreign
	[ "$status" -eq 1 ]
	grep -q 'foreign file' <<<"$output"
}

@test "the index: a line removed, changed, added, cut, moved; a sealed seed changed" {
	use plain
	without_line roll/index 5
	verify
	# what is left reads well; the files that began after it remember the line
	finds index:4 "altered index"
	grep -q 'lines 4 to 5 ' <<<"$output"
	rm -rf roll
	use plain
	sed -i '3s/"seq":23/"seq":22/' roll/index
	verify
	[ "$status" -eq 1 ]
	grep -q '^index:3: altered index\|^index:[12]: altered index' <<<"$output"
	rm -rf roll
	use plain
	sed -i '3s/}$/ }/' roll/index
	verify
	grep -q '^index:3: altered index' <<<"$output"
	rm -rf roll
	# cut at its end, with the file that the lines were of: the last file remembers the index
	use plain
	head -n 12 roll/index >cut && mv cut roll/index
	verify
	[ "$status" -eq 1 ]
	grep -q '^index:13: altered index' <<<"$output"
	rm -rf roll
	use sealed
	sed -i '4s/"seed":"..../"seed":"AAAA/' roll/index
	verify --auditor-key "$key"
	[ "$status" -eq 1 ]
	grep -q 'seed in this line was changed' <<<"$output"
	rm -rf roll
	use plain
	printf '{"op":"cl' >>roll/index
	verify
	sound
}

@test "a record behind the last one, and behind what the index says" {
	use plain
	sed -n 5p roll/roll.000003 >>roll/roll.000003
	verify
	finds roll.000003:25 duplicated
	rm -rf roll
	use plain
	printf 'x' >>roll/roll.000003
	verify
	finds roll.000003:25 added
}

@test "a checkpoint: its signature, its number, its absence" {
	use plain
	# the ninth line is the checkpoint over eight records; hashes are made right again
	rollmake rehash roll 8 9 '\u000a8\u000a' '\u000a7\u000a'
	verify
	finds roll.000008:9 altered
	grep -q "not signed by the file's own keys" <<<"$output"
	rm -rf roll
	use plain
	rollmake rehash roll 8 9 '"event":"checkpoint"' '"event":"login"'
	verify
	finds roll.000008:9 altered
}

@test "a newer format is named as that" {
	use plain
	sed -i '1s/"format":1/"format":2/' roll/roll.000003
	verify
	finds roll.000003:1 "newer format"
}

@test "a file that nobody has any more, though its process left it" {
	use plain
	rm roll/roll.000006
	sed -i 's/\("op":"left","file":6,\).*/\1"seq":null,"head":null}/' roll/index
	verify
	[ "$status" -eq 1 ]
	grep -q '^roll.000006: missing file' <<<"$output"
}

# Seen to fail: without make_state in src/p11/vendor_audit.c no token can be made afterwards.
