#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What an auditor reads in a roll: records, sums, receipts.
load office
load rolls

bats_require_minimum_version 1.5.0

@test "the clock of the wall may fall, that of the machine does not" {
	local mono
	use plain
	rollmake rehash roll 8 20 '"ts":"2' '"ts":"1'
	verify
	sound
	rm -rf roll
	use plain
	mono=$(sed -n 20p roll/roll.000008 | grep -o '"mono":[0-9]*')
	rollmake rehash roll 8 20 "$mono" '"mono":1'
	verify
	finds roll.000008:20 reordered
	rm -rf roll
	# after the machine began anew it counts anew
	use plain
	rollmake rehash roll 8 20 "\"boot\":\"0b5e1f3a-6a1d-4d52-9a8f-1c2d3e4f5a6b\",$mono" '"boot":"another","mono":1'
	verify
	sound
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
	# Seen to fail: without on_the_clock in src/cli/rollfilter.c
	for time in 2026-13-01 2026-00-01 2026-01-32 2026-01-31T24 2026-01-31T23:60 2026-01-31T23:59:61; do
		run chancery audit show --dir roll --since $time
		failed_with 64 "a time in UTC"
	done
	chancery audit show --dir roll --until 2026-12-31T23:59:60.5 >/dev/null
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
	assert all(len(r) == 25 for r in rows)
	assert any("\\x1b" in r["label"] for r in rows)
	EOF
	rollmake rehash roll 8 20 '"exe":"/usr/bin/signer"' '"exe":"=cmd|x"'
	chancery audit export --dir roll --format csv | grep -q "\"'=cmd|x\""
	run chancery audit export --dir roll --format xml
	[ "$status" -eq 64 ]
}

@test "a batch: how many answers, and the root; any number a record says is a number" {
	local root=$(printf '0123456789abcdef%.0s' 1 2 3 4)
	use plain
	rollmake rehash roll 8 20 '"event":"sign"' '"event":"sign.batch"'
	rollmake rehash roll 8 20 '"rv":"CKR_OK"' '"count":1000,"root":"'$root'","rv":"CKR_OK"'
	[[ $(chancery audit show --dir roll --event sign.batch) == *"  1000 answers  root $root  CKR_OK"* ]]
	[ "$(chancery audit show --dir roll --event sign.batch --json | jq -r '.[0].root')" = "$root" ]
	[[ $(chancery audit export --dir roll --format csv --event sign.batch) == *",1000,$root,"* ]]
	[ "$(chancery audit stats --dir roll --json | jq .answers)" = 1000 ]
	[[ $(chancery audit stats --dir roll) == *"1000 answers in batches"* ]]
	rollmake rehash roll 8 20 '"count":1000' '"count":18446744073709551615'
	rollmake rehash roll 8 21 '"rv":"CKR_OK"' '"count":7,"rv":"CKR_OK"'
	[ "$(chancery audit stats --dir roll --json | jq -r '.answers | tostring')" = "$(jq -rn '9223372036854775807 | tostring')" ]
	[[ $(chancery audit show --dir roll --event sign.batch) == *"18446744073709551615 answers"* ]]
	rollmake rehash roll 8 20 "\"root\":\"$root\"" "\"root\":\"${root%f}\""
	run chancery audit show --dir roll
	[ "$status" -eq 1 ]
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
	# an error is a JSON value here, too. Seen to fail: with told set whatever went wrong
	run --separate-stderr chancery audit tail --dir roll --lines x --json
	[ "$(jq .error.status <<<"$output")" = 64 ]
	run --separate-stderr chancery audit tail --dir none --json
	[ "$(jq .error.status <<<"$output")" = 66 ]
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
