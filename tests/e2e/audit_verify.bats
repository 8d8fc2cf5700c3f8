#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What `audit verify` establishes, and of what; and the rolls that the module writes.
load office
load rolls

bats_require_minimum_version 1.5.0

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
	verify --auditor-key fd:7 7<&-
	failed_with 74 "the descriptor of the auditor's keys"
	verify --auditor-key fd:x
	failed_with 64 "not the number of a descriptor"
	verify --auditor-key prompt </dev/null
	[ "$status" -eq 66 ]
	rm -rf roll
	use plain
	verify --auditor-key "$key"
	finds index "wrong key"
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
	verify --auditor-pub "$pub"
	failed_with 64 "give --anchor, too"
}

# Seen to fail: without check_kept in src/cli/auditplace.c.
@test "a roll that goes to a stream is not looked for where it is not" {
	printf '[module]\naudit = /dev/null\n' >stream.conf
	chmod 600 stream.conf
	for does in verify tail anchor; do
		CHANCERY_CONF=$work/stream.conf run chancery audit $does
		failed_with 78 "a stream, /dev/null"
	done
	use plain
	CHANCERY_CONF=$work/stream.conf verify
	sound
}

@test "a file that stands alone" {
	use plain
	run chancery audit verify roll/roll.000002
	sound
	run chancery audit verify roll/roll.000002 --anchor "$anchor"
	[ "$status" -eq 64 ]
	# what is not there is not damaged. Seen to fail: without access in take_alone
	run chancery audit verify roll/roll.00002
	failed_with 66 "cannot open roll/roll.00002"
	sed -i '4s/CKM_ECDSA/CKM_ECDSB/' roll/roll.000002
	run chancery audit verify roll/roll.000002
	[ "$status" -eq 1 ]
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
