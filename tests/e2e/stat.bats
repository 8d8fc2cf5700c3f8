#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What was done with which mechanism: chancery stat.
load office

bats_require_minimum_version 1.5.0

# A token on which a key signed three times, each in a process of its own, and verified twice, once what it did not sign.
make_work()
{
	make_office
	[ -e home/tokens/0/counters ] || skip "there are no counters on this file system (docs/OPERATIONS.md)"
	make_key ec-p256 key
	printf hello >text
	for i in 1 2 3; do
		chancery sign --quiet --in text --out signature "$(uri key)"
	done
	chancery verify --quiet --in text --signature signature "$(uri key)"
	printf other >other
	run chancery verify --quiet --in other --signature signature "$(uri key)"
	[ "$status" -ne 0 ]
}

# The value of a jq expression over the output of stat --json.
is()
{
	chancery stat --json >stat.json
	[ "$(jq -c "$1" stat.json)" = "$2" ] || { echo "$1: $(jq -c "$1" stat.json), not $2"; return 1; }
}

counts='map(select(.mechanism == "CKM_ECDSA_SHA256") | [.use, .operations, .done, .rejected, .failed, .bytes])'

@test "exactly what was done, by several processes, and a look counts for nothing" {
	make_work
	is "$counts" '[["sign",3,3,0,0,15],["verify",2,1,1,0,5]]'
	is 'map(select(.use == "generate") | [.mechanism, .done])' '[["CKM_EC_KEY_PAIR_GEN",1]]'
	chancery stat >/dev/null
	is "$counts" '[["sign",3,3,0,0,15],["verify",2,1,1,0,5]]'
	is 'map([.slot, .token]) | unique' '[[0,"office"]]'
	is 'map(.serial) | unique | .[0]' "$(chancery token list --json | jq -c '.[0].serial')"
	run chancery stat
	[[ $output == *OPERATIONS*REJECTED*FAILED*BYTES* && $output == *office*CKM_ECDSA_SHA256*sign*3* ]]
	run chancery stat pkcs11:token=none
	[[ $output == *"of a token that fits"* ]]
}

@test "no module is loaded, no PIN is needed, nothing is written" {
	make_work
	before=$(cksum home/tokens/0/*)
	CHANCERY_MODULE=/nonexistent run chancery stat --json
	[ "$status" -eq 0 ]
	[ "$(jq length <<<"$output")" -gt 0 ]
	[ "$(cksum home/tokens/0/*)" = "$before" ]
	if [ "$EUID" -eq 0 ]; then return; fi
	chmod 000 home/tokens/0/token.db
	run chancery stat
	[ "$status" -eq 0 ]
}

@test "the text of Prometheus, with labels that cannot break out" {
	make_work
	chancery token rename --quiet --label 'a"b\c' --so-pin-source "$so" pkcs11:token=office
	run --separate-stderr chancery stat --prometheus
	[ "$status" -eq 0 ]
	grep -qF 'chancery_operations_total{slot="0",token="a\"b\\c",serial="' <<<"$output"
	grep -q ',mechanism="CKM_ECDSA_SHA256",use="sign",result="ok"} 3$' <<<"$output"
	grep -q ',mechanism="CKM_ECDSA_SHA256",use="verify",result="rejected"} 1$' <<<"$output"
	grep -q '^chancery_operation_bytes_total{.*use="sign"} 15$' <<<"$output"
	# every line is a comment or a sample, and each metric is described once, before its samples
	run grep -vE '^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+\{([a-z]+="([^"\\]|\\[\\"n])*",?)*\} [0-9]+(\.[0-9]{9})?)$' <<<"$output"
	[ -z "$output" ]
	chancery stat --prometheus >text
	[ "$(grep -c '^# TYPE' text)" = "$(grep '^# TYPE' text | sort -u | wc -l)" ]
	if command -v promtool >/dev/null; then promtool check metrics <text; fi
}

@test "a label of control characters stays text" {
	make_work
	printf '\033[2J\n"x\\\001' | dd of=home/tokens/0/counters bs=1 seek="$((24 + 16))" conv=notrunc status=none
	run chancery stat
	[[ $output != *$'\033'* ]]
	run chancery stat --prometheus
	[ "$status" -eq 0 ]
	[[ $output != *$'\033'* && $output == *'\\x1b[2J\\x0a\"x\\\\x01'* ]]
}

@test "a file of another version is named and left out; others are shown" {
	make_work
	chancery token init --quiet --label second --pin-source "$user" --so-pin-source "$so"
	printf '\002' | dd of=home/tokens/1/counters bs=1 seek=8 conv=notrunc status=none
	run --separate-stderr chancery stat --json
	[ "$status" -eq 65 ]
	[[ $stderr == *home/tokens/1/counters*"version 2"* ]]
	[ "$(jq 'map(.token) | unique | .[0]' <<<"$output")" = '"office"' ]
	# the module counts nothing there, and works
	chancery token rename --quiet --label third --so-pin-source "$so" pkcs11:token=second
	printf nonsense >home/tokens/1/counters
	run --separate-stderr chancery stat
	failed_with 65 ""
	[[ $stderr == *"no counters"* ]]
}

@test "tokens by URI, and what does not go together" {
	make_work
	run chancery stat --json pkcs11:token=none
	[ "$output" = '[]' ]
	run chancery stat --json pkcs11:slot-id=0
	[ "$(jq length <<<"$output")" -gt 0 ]
	run chancery stat pkcs11:object=key
	failed_with 64 "token, serial and slot-id"
	run chancery stat --json --prometheus
	failed_with 64 "does not go"
	run chancery stat --watch --json
	failed_with 64 "does not go"
	run chancery stat --interval 3
	failed_with 64 "goes with --watch"
	run chancery stat --module /nonexistent
	failed_with 64 "loads no module"
}

@test "watched, it shows what is added" {
	make_work
	timeout 4 "$CHANCERY" stat --watch --interval 1 >watched &
	sleep 1.5
	chancery sign --quiet --in text --out signature "$(uri key)"
	wait || true
	grep -q 'CKM_ECDSA_SHA256 *sign *3 ' watched
	grep -q 'CKM_ECDSA_SHA256 *sign *4 ' watched
	grep -q 'PER SECOND' watched
}

@test "it goes with the token" {
	make_work
	chancery token delete --quiet --so-pin-source "$so" pkcs11:token=office
	run chancery stat
	[ "$status" -eq 0 ]
	[[ $output == "Nothing was counted yet"* ]]
	[ ! -e home/tokens/0 ]
}
