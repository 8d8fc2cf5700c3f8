#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the tool says of itself and of the installation.
load office

bats_require_minimum_version 1.5.0

@test "help, version, and words that are no command" {
	run chancery --help
	[ "$status" -eq 0 ]
	run chancery --version
	[ "$status" -eq 0 ]
	run chancery
	[ "$status" -eq 64 ]
	run chancery nonsense
	failed_with 64 "no command"
	run chancery token
	[ "$status" -eq 64 ]
	run chancery token nonsense
	failed_with 64 "no command"
}

@test "help and version as JSON" {
	[ "$(chancery --version --json | jq -r .version)" = "$(chancery --version | sed 's/^chancery //')" ]
	[ "$(chancery --json --help | jq -r '.[].command' | grep -v -)" = "$(commands)" ]
	[ "$(chancery token --help --json | jq -r '.[].command' | grep -v -)" = "$(commands | grep '^token ')" ]
	chancery token init --help --json | jq -e '.command == "token init" and .operands == "[URI]"'
	chancery token init --help --json | jq -e '.options[] | select(.name == "label") | .value == "TEXT"'
	run --separate-stderr chancery --json
	[ "$status" -eq 64 ]
	jq -e '.error.status == 64' <<<"$output"
}

@test "help and version that cannot be written" {
	for words in --help --version "token --help" "token list --help" "--help --json"; do
		# shellcheck disable=SC2086
		run bash -c "'$CHANCERY' $words >/dev/full"
		failed_with 74 "could not be written"
	done
}

@test "a value is no option, whatever it looks like" {
	run --separate-stderr chancery token init --nonsense --label --json
	[ "$status" -eq 64 ]
	[ -z "$output" ]
	run --separate-stderr chancery token inti --label --json
	[ "$status" -eq 64 ]
	[ -z "$output" ]
	run --separate-stderr chancery token init --nonsense --label x --json
	[ "$status" -eq 64 ]
	jq -e '.error.status == 64' <<<"$output"
}

# Every command with its words, one to a line.
commands()
{
	chancery --help | sed -n 's/^  \([a-z]\+\( [a-z]\+\)\?\)  .*/\1/p'
}

@test "every command explains itself, and the manual knows it and its options" {
	[ "$(commands | wc -l)" -ge 15 ]
	while read -r words; do
		# shellcheck disable=SC2086
		run chancery $words --help
		[ "$status" -eq 0 ]
		grep -q "Nm Cm $words" "$CHANCERY_SOURCE_DIR/docs/man/chancery.1" || { echo "no $words in the manual"; return 1; }
		for option in $(sed -n 's/^  --\([a-z-]\+\).*/\1/p' <<<"$output"); do
			grep -q "Fl -$option" "$CHANCERY_SOURCE_DIR/docs/man/chancery.1" || { echo "no --$option in the manual"; return 1; }
		done
	done < <(commands)
}

@test "the manual knows every key of the configuration" {
	for key in $(chancery doctor --config --json | jq -r '.[].key'); do
		grep -q "It Cm $key " "$CHANCERY_SOURCE_DIR/docs/man/chancery.conf.5" || { echo "no $key"; return 1; }
	done
}

@test "options that are wrong say so" {
	run chancery token list --nonsense
	failed_with 64 "no option"
	run chancery token init --label
	failed_with 64 "needs a value"
	run chancery token init --label a --label b
	failed_with 64 "given twice"
	run chancery token list one two
	failed_with 64 "too many"
}

@test "a module that is none" {
	run chancery token list --module /nonexistent.so
	[ "$status" -ne 0 ]
	[ -n "$output" ]
	run chancery token list --module "$(ls /usr/lib/*/libz.so.1 /lib/*/libz.so.1 2>/dev/null | head -n 1)"
	[ "$status" -ne 0 ]
}

@test "doctor: a clean bill, and what it finds" {
	run chancery doctor
	[ "$status" -eq 0 ]
	make_office
	make_key ec-p256 seal
	run chancery doctor --pin-source "$user" pkcs11:token=office
	[ "$status" -eq 0 ]
	# Seen to fail: without goes_to_stream in src/cli/doctor.c
	printf '[module]\naudit = /dev/null\n' >stream.conf
	chmod 600 stream.conf
	CHANCERY_CONF=$work/stream.conf run chancery doctor
	[ "$status" -eq 0 ]
	[[ $output == *"advice"*"goes to a stream, /dev/null"* ]]
	chmod 777 home
	run chancery doctor
	[ "$status" -ne 0 ]
	[[ $output == *BAD* ]]
	run --separate-stderr chancery doctor --json
	[ "$status" -ne 0 ]
	[ "$(jq -s length <<<"$output")" = 1 ]
	chmod 700 home
	sqlite3 "$(find home -name token.db)" 'DELETE FROM objects WHERE id = (SELECT max(id) FROM objects)'
	run chancery doctor --pin-source "$user" pkcs11:token=office
	[ "$status" -ne 0 ]
	[[ $output == *BAD* ]]
}

@test "a token that cannot be read is named" {
	make_office
	head -c 5000 /dev/urandom >"$(find home -name token.db)"
	run chancery token list
	[ "$status" -ne 0 ]
	[[ $output == *"slot 0 cannot be read"* ]]
	run chancery doctor
	[ "$status" -ne 0 ]
	[[ $output == *"slot 0: its token cannot be read"* ]]
	[[ $output != *"no token yet"* ]]
}

@test "doctor says which configuration was read, or that none was" {
	export XDG_CONFIG_HOME=$work/config
	[ ! -e /etc/chancery/chancery.conf ] || skip "this machine has a configuration"
	run chancery doctor
	[[ $output == *"ok "*"configuration: no file, so the defaults: neither $work/config/chancery/chancery.conf nor /etc/chancery/chancery.conf is there"* ]]
	run --separate-stderr chancery doctor --config
	[[ $stderr == *"configuration: no file, so the defaults"* ]]
	mkdir -p config/chancery
	printf '[module]\nlocked_kb = 4096\n' >config/chancery/chancery.conf
	chmod 600 config/chancery/chancery.conf
	run chancery doctor
	[[ $output == *"configuration: $work/config/chancery/chancery.conf"* && $output != *defaults* ]]
	run --separate-stderr chancery doctor --config
	[[ $stderr == *"configuration: $work/config/chancery/chancery.conf"* ]]
	CHANCERY_CONF=$work/none.conf run chancery doctor
	[ "$status" -ne 0 ]
	[[ $output == *"BAD "*"configuration: "*none.conf* ]]
}

@test "doctor has a table whatever the URI and the PIN are" {
	run --separate-stderr chancery doctor pkcs11:token=other
	[ "$status" -ne 0 ]
	[[ $output == *"ok "*"module: "* && $output == *"BAD "*"pkcs11:token=other: No token yet"* ]]
	make_office
	run --separate-stderr chancery doctor pkcs11:token=other
	[ "$status" -ne 0 ]
	[[ $output == *"ok "*"module: "* && $output == *"BAD "*"pkcs11:token=other: No token fits the URI"* ]]
	run --separate-stderr chancery doctor --json --pin-source "$user" pkcs11:token=other
	[ "$status" -ne 0 ]
	[ "$(jq '[.[] | select(.state == "BAD")] | length' <<<"$output")" = 2 ]
	run --separate-stderr chancery doctor --pin-source file:none pkcs11:token=office
	[ "$status" -ne 0 ]
	[[ $output == *'ok '*'token "office"'* && $output == *"BAD "*none* ]]
	run --separate-stderr chancery doctor pkcs11:nonsense
	[ "$status" -ne 0 ]
	[ -z "$output" ]
}

@test "doctor names the place of the state, and says when it is not there" {
	run chancery doctor
	[ "$status" -eq 0 ]
	[[ $output == *"advice "*"state: $work/home (CHANCERY_HOME) does not exist yet"* ]]
	mkdir -m 700 home
	run chancery doctor
	[ "$status" -eq 0 ]
	[[ $output == *"ok "*"state: $work/home (CHANCERY_HOME)"* ]]
}

# Seen to fail with LOCKED_STRICT compared with the other value, and with n_unread left out of tokens_none.
@test "strict locking that hides tokens is found, and no token is claimed to be missing" {
	[ -z "${CHANCERY_SANITIZE:-}" ] || skip "sanitizers make mlock do nothing"
	use_ordinary
	ordinary mkdir -m 700 pins
	ordinary "$CHANCERY" token init --quiet --label office --make-pins pins
	printf '[module]\nlocked = strict\n' | ordinary tee strict.conf >strict.copy
	chmod 600 strict.conf
	export CHANCERY_CONF=$PWD/strict.conf
	unlocked() { (ulimit -l 0 && ordinary "$CHANCERY" "$@"); }
	run --separate-stderr unlocked token list
	[ "$status" -eq 74 ]
	[ "$output" = "No token can be read." ]
	[[ $stderr == *"slot 0 cannot be read: "*CKR_HOST_MEMORY*doctor* ]]
	run --separate-stderr unlocked doctor
	[ "$status" -ne 0 ]
	[[ $output == *"BAD "*"locked = strict, and only 0 of 8192 KiB"*"raise LimitMEMLOCK or ulimit -l"* ]]
	[[ $output == *"BAD "*"slot 0: its token cannot be read: "*"CKR_HOST_MEMORY (out of memory): locked = strict"* ]]
}

@test "doctor --config prints the sections of labels, and both say which no token has" {
	make_office
	export CHANCERY_CONF=$work/chancery.conf
	printf '[token]\nargon2_time = 3\n[token.office]\npin_max_failures = 5\n[token.gone]\ncompat = on\n' >"$CHANCERY_CONF"
	chmod 600 "$CHANCERY_CONF"
	value() { jq -r ".[] | select(.section == \"$1\" and .key == \"$2\") | .value" <<<"$output"; }
	run --separate-stderr chancery doctor --config --json
	[ "$status" -eq 0 ]
	[ "$(value token pin_max_failures)" = 10 ]
	[ "$(value token.office pin_max_failures)" = 5 ]
	[ "$(value token.office argon2_time)" = 3 ]
	[ "$(value token.gone compat)" = on ]
	[ "$stderr" = "chancery: warning: [token.gone]: no token has this label" ]
	run chancery doctor
	[ "$status" -eq 0 ]
	[[ $output == *"advice "*"[token.gone]: no token has this label"* && $output != *"[token.office]"* ]]
	head -c 5000 /dev/urandom >"$(find home -name token.db)"
	run --separate-stderr chancery doctor --config
	[ "$status" -eq 0 ]
	[[ $stderr == *"[token.office]: no token has this label, among those that can be read"* ]]
}

@test "doctor warns of compat, for all tokens and for one" {
	run chancery doctor
	[[ $output != *compat* ]]
	export CHANCERY_CONF=$BATS_TEST_TMPDIR/compat.conf
	printf '[token.old]\ncompat = on\n' >"$CHANCERY_CONF"
	chmod 600 "$CHANCERY_CONF"
	run chancery doctor
	[[ $output == *'compat = on for the token "old"'* ]]
	printf '[token]\ncompat = on\n' >"$CHANCERY_CONF"
	run chancery doctor
	[[ $output == *'compat = on for tokens'* ]]
}

# doctor_says TEXT: one finding, besides that a token cannot be read for it, and the command in it mends that: what follows
# "run ", or a path "on it".
doctor_says()
{
	local line command
	run chancery doctor
	[ "$status" -ne 0 ] || { echo "nothing found for $1: $output"; return 1; }
	line=$(grep "^BAD .*$1" <<<"$output")
	[ "$(wc -l <<<"$line")" = 1 ] && [ "$(grep ^BAD <<<"$output" | grep -vc "cannot be read")" = 1 ] || { echo "$output"; return 1; }
	command=${line##*run }
	[[ $command != *" on it" ]] || command="${command% on it} $2"
	bash -c "$command"
	run chancery doctor
	[ "$status" -eq 0 ] || { echo "not mended by $command: $output"; return 1; }
}

# Seen to fail with each look_at_ function of store/survey.c emptied, and without dir_check there.
@test "doctor names what hides a token or stops a new one, and its command mends it" {
	make_office
	tokens=$work/home/tokens
	chmod 777 "$tokens/0"
	run --separate-stderr chancery token list --json
	[ "$status" -ne 0 ]
	[ "$(jq length <<<"$output")" = 0 ]
	doctor_says "others than its owner can write" "$tokens/0"
	chmod 666 "$tokens/0/token.db"
	doctor_says "others than its owner can write" "$tokens/0/token.db"
	chmod 750 "$tokens"
	doctor_says "its group can look into" "$tokens"
	chmod 777 "$tokens"
	doctor_says "others can change what is in" "$tokens"
	[ "$(chancery token list --json | jq -r '.[0].label')" = office ]
	for damage in 'echo x >next-slot' 'echo 99999999999999999999 >next-slot' 'echo 2147483648 >next-slot' 'rm next-slot; mkfifo next-slot' \
		'rm next-slot; ln -s 0 next-slot' 'rm next-slot; mkdir next-slot'; do
		(cd "$tokens" && eval "$damage")
		doctor_says next-slot
		[ "$(cat "$tokens/next-slot")" = 1 ]
	done
	mkdir keep
	touch keep/it
	for damage in 'ln -s ../../keep .new-1-a' 'mkdir -p .old-1-b/sub' 'touch .new-2-c' 'mkdir next-slot.d.tmp'; do
		(cd "$tokens" && eval "$damage")
		run chancery token init --label new --make-pins keep
		[ "$status" -ne 0 ] || { echo "$damage stops nothing"; return 1; }
		rm -f keep/*.pin
		doctor_says "keeps tokens from being made" "$(ls -d "$tokens"/.new-* "$tokens"/.old-* "$tokens"/next-slot.* 2>/dev/null)"
	done
	[ -e keep/it ]
	chancery token init --quiet --label new --make-pins keep
	for damage in 'ln -s 0 7' 'touch 7' 'mkdir 7'; do
		(cd "$tokens" && eval "$damage")
		run chancery doctor
		[ "$status" -ne 0 ]
		[[ $output == *"$tokens/7 "*": "* ]]
		rm -r "$tokens/7"
	done
	# what a killed process left goes by itself, and is no finding
	mkdir "$tokens/.new-9-x"
	touch "$tokens/.new-9-x/token.db" "$tokens/next-slot.1.tmp"
	chancery doctor
	echo 2147483647 >"$tokens/next-slot"
	rm keep/*.pin
	chancery token init --quiet --label last --make-pins keep
	run chancery doctor
	[ "$status" -ne 0 ]
	[[ $output == *"leaves no slot id; nor do the tokens: "* ]]
}

@test "doctor names rows that others put in or hid, and a listing does not pass over them" {
	make_office
	make_key ec-p256 seal
	db=$(find home -name token.db)
	sqlite3 "$db" "INSERT INTO objects SELECT (SELECT next_id FROM token), 1, changed, sight, cls, label_ix, id_ix, x'', blob
		FROM objects WHERE sight = 0 LIMIT 1"
	run chancery doctor --pin-source "$user" pkcs11:token=office
	[ "$status" -ne 0 ]
	[[ $output == *"has no seal, and public_write is off"* ]]
	sqlite3 "$db" "DELETE FROM objects WHERE tag = x''; UPDATE objects SET sight = 9 WHERE sight = 2"
	run chancery key list --pin-source "$user" pkcs11:token=office
	[ "$status" -ne 0 ]
	run chancery doctor --pin-source "$user" pkcs11:token=office
	[ "$status" -ne 0 ]
	[[ $output == *"is damaged or was altered"* ]]
}

@test "a wrong configuration is named by file and line" {
	printf '[module]\nnonsense = 1\n' >chancery.conf
	chmod 600 chancery.conf
	CHANCERY_CONF=$work/chancery.conf run chancery doctor --config
	failed_with 78 "chancery.conf:2"
	CHANCERY_CONF=$work/chancery.conf run chancery token list
	failed_with 78 "chancery.conf:2"
}

@test "a limit of the file's size is an error, and nothing is lost" {
	make_office
	make_key ec-p256 seal
	limited() { (ulimit -f 8 && chancery "$@"); }
	run limited key generate --type ec-p256 --label more --pin-source "$user" pkcs11:token=office
	failed_with 74 CKR_DEVICE_MEMORY
	run chancery key list --pin-source "$user" pkcs11:token=office
	[ "$status" -eq 0 ]
	[[ $output == *seal* && $output != *more* ]]
	make_key ec-p256 more
}

@test "self-tests" {
	run chancery selftest
	[ "$status" -eq 0 ]
	[ "$(chancery selftest --json | jq '[.[] | select(.state != "ok")] | length')" = 0 ]
}

@test "an output that cannot be written is an error" {
	[ -c /dev/full ] || skip "no /dev/full"
	run bash -c '"$CHANCERY" mech list >/dev/full'
	[ "$status" -ne 0 ]
}
