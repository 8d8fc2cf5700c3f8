#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The auditor against rolls that tests/tools/rollmake.py wrote, whole and damaged. What the module writes is for other tests.
load office

bats_require_minimum_version 1.5.0

setup_file()
{
	# Two rolls of the same making, to be copied by each test: one sealed to an auditor, one to nobody.
	export ROLLSEAL=$CHANCERY_BUILD_DIR/tests/e2e/rollseal
	cd "$BATS_FILE_TMPDIR" || return 1
	"$CHANCERY" audit init --quiet --key-out auditor.key --pub-out auditor.pub
	make_roll plain
	make_roll sealed --auditor auditor.pub
	"$CHANCERY" audit anchor --dir plain --out plain.anchor --quiet
	"$CHANCERY" audit anchor --dir sealed --auditor-key file:auditor.key --out sealed.anchor --quiet
}

rollmake()
{
	python3 "$CHANCERY_SOURCE_DIR/tests/tools/rollmake.py" "$@"
}

# Files 1 to 3 and 5 closed, 4 void, 6 left, 7 torn, 8 not closed: each of 24 records or 23, with checkpoints at 8 and 16.
make_roll()
{
	local end
	rollmake init "$@"
	for end in close close close void close left torn open; do
		rollmake add "$1" --end $end
	done
}

# A copy of one of the two, in roll; its anchor and keys beside it.
use()
{
	cp -a "$BATS_FILE_TMPDIR/$1" roll
	anchor=$BATS_FILE_TMPDIR/$1.anchor
	key=file:$BATS_FILE_TMPDIR/auditor.key
	pub=$BATS_FILE_TMPDIR/auditor.pub
}

verify()
{
	run chancery audit verify --dir roll "$@"
}

# What `verify` must find: PLACE KIND, one finding and no other.
finds()
{
	[ "$status" -eq 1 ] || { echo "status $status: $output"; return 1; }
	[ "$(grep -cE '^(index|roll\.[0-9]+)(:[0-9]+)?: ' <<<"$output")" -eq 1 ] || { echo "not one finding: $output"; return 1; }
	case $output in *"$1: $2: "*) ;; *) echo "no \"$1: $2\" in: $output"; return 1 ;; esac
}

sound()
{
	[ "$status" -eq 0 ] || { echo "status $status: $output"; return 1; }
}

# without_line FILE LINE...: takes lines out.
without_line()
{
	local file=$1 script
	script=$(printf '%sd;' "${@:2}")
	sed -i "$script" "$file"
}

@test "a sound roll: consistent, authentic, anchored, and what that does not prove" {
	use plain
	verify
	sound
	grep -q 'files  *7, 4 closed, 2 left, 1 torn' <<<"$output"
	grep -q '^consistent   yes' <<<"$output"
	grep -q '^authentic    not checked' <<<"$output"
	grep -q 'who wrote it' <<<"$output"
	grep -q 'last week passes' <<<"$output"
	verify --anchor "$anchor"
	sound
	grep -q '^anchored     yes' <<<"$output"
	[[ $output != *"last week"* ]]
	rm -rf roll
	use sealed
	verify --auditor-key "$key" --anchor "$anchor" --auditor-pub "$pub" --json
	sound
	[ "$(jq -c '[.consistent, .authentic, .anchored, .damage_total, .files]' <<<"$output")" = '[true,true,true,0,7]' ]
	verify --auditor-key fd:7 7<"$BATS_FILE_TMPDIR/auditor.key"
	sound
	grep -q '^authentic    yes' <<<"$output"
}

@test "keys are never arguments, and those of another auditor are named" {
	use sealed
	verify --auditor-key "$(cat "$BATS_FILE_TMPDIR/auditor.key")"
	failed_with 64 "never arguments"
	[[ $output != *x25519* ]]
	chancery audit init --quiet --key-out other.key --pub-out other.pub
	[ "$(stat -c %a other.key)" = 600 ]
	verify --auditor-key file:other.key
	finds index:1 "wrong key"
	run chancery audit init --quiet --key-out other.key --pub-out third.pub
	[ "$status" -eq 73 ]
	# keys of several auditors, one behind the other
	cat other.key "$BATS_FILE_TMPDIR/auditor.key" >both.key
	chmod 600 both.key
	verify --auditor-key file:both.key
	sound
	chmod 644 both.key
	verify --auditor-key file:both.key
	[ "$status" -eq 77 ]
	rm -rf roll
	use plain
	verify --auditor-key "$key"
	finds index "wrong key"
}

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
	[ "$status" -eq 1 ]
	grep -q '^roll.000005:25: ' <<<"$output"
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
	[ "$status" -eq 1 ]
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

@test "a file whose process still runs is open, and its half a line is no damage" {
	use plain
	printf '{"seq":23,' >>roll/roll.000008
	verify
	sound
	grep -q '2 torn' <<<"$output"
	python3 - roll/roll.000008 3>&- <<-'EOF' &
	import fcntl, struct, sys, time
	f = open(sys.argv[1], "rb+")
	fcntl.fcntl(f, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))  # F_OFD_SETLK
	open("locked", "w").close()
	time.sleep(20)
	EOF
	holder=$!
	for _ in $(seq 100); do [ -e locked ] || sleep 0.1; done
	verify
	kill $holder
	sound
	grep -q '1 open' <<<"$output"
}

@test "a file that the index does not have yet, and one number too far" {
	use plain
	rollmake add roll --end unlisted
	verify
	sound
	mv roll/roll.000009 roll/roll.000010
	verify
	[ "$status" -eq 1 ]
	grep -q '^roll.000010.*foreign file' <<<"$output"
}

@test "what is no directory, no anchor, no key" {
	verify
	[ "$status" -eq 66 ]
	use plain
	echo nonsense >bad
	chmod 600 bad
	verify --anchor bad
	failed_with 65 "no anchor"
	verify --auditor-key file:bad
	failed_with 65 "no private keys"
	sed 's/^./&/' "$anchor" >mine
	verify --anchor mine --auditor-pub "$pub"
	failed_with 65 "not signed by this auditor"
	use2=$BATS_FILE_TMPDIR/sealed.anchor
	sed 's/^file 8 23/file 8 22/' "$use2" >mine
	verify --anchor mine --auditor-pub "$pub"
	failed_with 65 "not right"
}

@test "a file that stands alone" {
	use plain
	run chancery audit verify roll/roll.000002
	sound
	run chancery audit verify roll/roll.000002 --anchor "$anchor"
	[ "$status" -eq 64 ]
	sed -i '4s/CKM_ECDSA/CKM_ECDSB/' roll/roll.000002
	run chancery audit verify roll/roll.000002
	[ "$status" -eq 1 ]
}

@test "show: filters, hostile labels, damage passed over" {
	use plain
	[ "$(chancery audit show --dir roll | wc -l)" -eq 165 ]
	[ "$(chancery audit show --dir roll --json | jq length)" -eq 165 ]
	[ "$(chancery audit show --dir roll --event 'module.*' --json | jq 'map(.event) | unique | length')" -eq 2 ]
	[ "$(chancery audit show --dir roll --key mail --json | jq -r 'map(.key.label) | unique[]')" = mail ]
	[ "$(chancery audit show --dir roll --key 01 --json | jq -r 'map(.key.id) | unique[]')" = 01 ]
	[ "$(chancery audit show --dir roll --actor 1001 --json | jq -r 'map(.uid) | unique[]')" = 1001 ]
	[ "$(chancery audit show --dir roll --actor 'CN=user 4' --json | jq -r 'map(.on_behalf) | unique[]')" = 'CN=user 4' ]
	[ "$(chancery audit show --dir roll --actor signer | wc -l)" -eq 165 ]
	[ "$(chancery audit show --dir roll --file roll.000002 --json | jq 'map(.file) | unique[]')" = 2 ]
	[ "$(chancery audit show --dir roll --since 2026-09-22 --json)" = "[]" ]
	[ "$(chancery audit show --dir roll --until 2026-09-22 | wc -l)" -eq 165 ]
	run chancery audit show --dir roll --since yesterday
	[ "$status" -eq 64 ]
	run chancery audit show --dir roll --file 99
	[ "$status" -eq 69 ] || [ "$status" -eq 66 ]
	[[ $(chancery audit show --dir roll) != *$'\x1b'* ]]
	sed -i '4s/CKM/C\x1b[2JKM/' roll/roll.000002
	run --separate-stderr chancery audit show --dir roll
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 164 ]
	[[ $stderr == *"roll.000002, line 4"* ]]
}

@test "export: one order of time, CSV that no spreadsheet runs" {
	use plain
	chancery audit export --dir roll >all
	[ "$(wc -l <all)" -eq 165 ]
	jq -r .ts all | sort -c
	jq -c 'del(.file)' all | head -1 | cmp - <(head -1 roll/roll.000001 | jq -c .)
	chancery audit export --dir roll --format csv >all.csv
	python3 - all.csv <<-'EOF'
	import csv, sys
	rows = list(csv.DictReader(open(sys.argv[1], newline="")))
	assert len(rows) == 165, len(rows)
	assert all(len(r) == 24 for r in rows)
	assert any("\\x1b" in r["label"] for r in rows)
	EOF
	rollmake rehash roll 8 20 '"exe":"/usr/bin/signer"' '"exe":"=cmd|x"'
	chancery audit export --dir roll --format csv | grep -q "\"'=cmd|x\""
	run chancery audit export --dir roll --format xml
	[ "$status" -eq 64 ]
}

@test "stats add up" {
	use plain
	chancery audit stats --dir roll --json >s
	[ "$(jq '.records, (.event | add), (.rv | add), (.day | add)' s | uniq)" = 165 ]
	[ "$(jq .bytes s)" -eq "$(jq '.day_bytes | add' s)" ]
	chancery audit stats --dir roll | grep -q 'bytes per record'
}

@test "tail: the newest, and with --follow what comes, in new files too" {
	use plain
	[ "$(chancery audit tail --dir roll --lines 3 --json | jq -s 'map([.file, .seq])' -c)" = '[[8,20],[8,21],[8,22]]' ]
	[ "$(chancery audit tail --dir roll | wc -l)" -eq 10 ]
	# not the function, whose shell would be what is killed; and without bats' descriptor, which it waits for
	"$CHANCERY" audit tail --dir roll --lines 0 --follow --json >seen 3>&- &
	follower=$!
	sleep 1
	rollmake add roll --records 2
	for _ in $(seq 100); do [ "$(wc -l <seen)" -ge 3 ] || sleep 0.1; done
	kill $follower
	[ "$(jq -r .file seen | sort -u)" = 9 ]
	[ "$(jq -r .event seen | head -1)" = module.start ]
}

@test "receipts: offline, counter-signed, and every change refused" {
	use sealed
	chancery audit receipt --dir roll 2:5 --out r --quiet
	run chancery audit check-receipt r
	sound
	grep -q '^authentic    not known' <<<"$output"
	run chancery audit check-receipt r --auditor-pub "$pub"
	failed_with 65 "not counter-signed"
	chancery audit receipt --dir roll roll.000002:5 --auditor-key "$key" --out c --quiet
	run chancery audit check-receipt c --auditor-pub "$pub" --json
	[ "$(jq -c '[.consistent, .authentic, .file, .seq]' <<<"$output")" = '[true,true,2,5]' ]
	for edit in 's/"bytes\\":36/"bytes\\":37/' 's/"receipt": 1/"receipt": 2/' 's/u000a8/u000a9/' \
		's/"first"/"fist"/' '/record_proof/{n;s/"./"x/}' '/first_proof/{n;s/"./"x/}' 's/\\n8\\n/\\n9\\n/'; do
		sed "$edit" c >changed
		cmp -s c changed && continue
		run chancery audit check-receipt changed --auditor-pub "$pub"
		[ "$status" -eq 65 ] || { echo "$edit passes: $output"; return 1; }
	done
	run chancery audit receipt --dir roll 8:22
	failed_with 66 "no checkpoint covers"
	run chancery audit receipt --dir roll 8:99
	failed_with 66 "no record 99"
	run chancery audit receipt --dir roll 8
	[ "$status" -eq 64 ]
	# what is not authentic is not counter-signed
	rollmake rehash roll 3 4 '"uid":1000' '"uid":1001'
	run chancery audit receipt --dir roll 3:4 --auditor-key "$key"
	failed_with 65 "not authentic"
}

@test "another auditor follows: the statement is signed by both" {
	use sealed
	chancery audit rotate-key --auditor-key "$key" --key-out new.key --pub-out new.pub --out statement --quiet
	[ "$(grep -c '^— chancery-auditor/' statement)" -eq 4 ]
	grep -qxF "$(sed -n 2p new.pub)" statement
	rollmake init roll --auditor new.pub
	rollmake add roll
	cat "$BATS_FILE_TMPDIR/auditor.key" new.key >both.key
	chmod 600 both.key
	verify --auditor-key file:both.key
	sound
	grep -q '^authentic    yes' <<<"$output"
	verify --auditor-key file:new.key
	[ "$status" -eq 1 ]
	grep -q 'wrong key' <<<"$output"
	run chancery audit rotate-key --key-out x.key
	failed_with 64 "auditor-key"
}

@test "one thread and many say the same; the progress stays on the terminal" {
	use plain
	without_line roll/roll.000003 5
	without_line roll/roll.000005 7
	chancery audit verify --dir roll --jobs 1 >one || true
	chancery audit verify --dir roll --jobs 8 >many || true
	cmp one many
	run --separate-stderr chancery audit verify --dir roll
	[ -z "$stderr" ]
}

@test "an auditor that is lost on the way is told to whom has the keys" {
	use sealed
	rm roll/auditor.pub
	rollmake init roll
	rollmake add roll
	verify
	sound
	verify --auditor-key "$key"
	finds index:15 "wrong key"
	grep -q '^consistent   yes' <<<"$output"
	grep -q 'sealed to nobody' <<<"$output"
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
@test "the auditor comes before the first token" {
	umask 022
	chancery audit init --quiet --key-out auditor.key
	[ "$(stat -c %a home)" = 700 ]
	make_office
	run chancery audit verify --auditor-key file:auditor.key
	sound
	grep -q '^authentic    yes' <<<"$output"
	# where the roll is elsewhere, that is all that is made
	printf '[module]\naudit = %s/elsewhere/roll\n' "$work" >chancery.conf
	chmod 600 chancery.conf
	export CHANCERY_CONF=$work/chancery.conf CHANCERY_HOME=$work/later
	chancery audit init --quiet --key-out another.key
	[ ! -e later ]
	[ -e elsewhere/roll/auditor.pub ]
}

@test "what the module writes: sound, authentic, and a second auditor follows" {
	make_office
	cat >chancery.conf <<-'EOF'
	[audit]
	mldsa = on
	checkpoint_records = 2
	EOF
	chmod 600 chancery.conf
	export CHANCERY_CONF=$work/chancery.conf
	rm -rf home/roll
	chancery audit init --quiet --key-out auditor.key
	make_key ec-p256 mail
	echo letter >letter
	chancery sign --quiet --in letter --out letter.sig "$(uri mail)"
	run chancery audit verify --auditor-key file:auditor.key --json
	sound
	[ "$(jq -c '[.consistent, .authentic, .damage_total]' <<<"$output")" = '[true,true,0]' ]
	[ "$(chancery audit show --event sign --key mail --json | jq -r '.[0].mech')" = CKM_ECDSA_SHA256 ]
	chancery audit anchor --auditor-key file:auditor.key --out anchor --quiet
	chancery audit receipt 1:1 --auditor-key file:auditor.key --out receipt --quiet
	run chancery audit check-receipt receipt --auditor-pub home/roll/auditor.pub
	sound
	chancery audit rotate-key --auditor-key file:auditor.key --key-out next.key --out statement --quiet
	chancery sign --quiet --in letter --out letter.sig "$(uri mail)"
	cat auditor.key next.key >both.key
	chmod 600 both.key
	run chancery audit verify --auditor-key file:both.key --anchor anchor
	sound
	grep -q '^authentic    yes' <<<"$output"
	grep -q '^anchored     yes' <<<"$output"
	sed -i 's/CKM_ECDSA_SHA256/CKM_ECDSA_SHA512/' home/roll/roll.00000*
	run chancery audit verify --auditor-key file:both.key
	[ "$status" -eq 1 ]
	grep -q 'altered' <<<"$output"
}
