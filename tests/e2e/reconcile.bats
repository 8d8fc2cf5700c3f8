#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# `chancery audit reconcile`: what a token counted shows what is missing in a roll that looks sound.
load office

bats_require_minimum_version 1.5.0

# Three processes have signed, once each: files 3 to 5; `sign_once` adds one more.
make_uses()
{
	make_office
	make_key ec-p256 signer
	echo "to be signed" >data
	sign_once
	sign_once
	sign_once
	roll=$CHANCERY_HOME/roll
}

sign_once()
{
	chancery sign --quiet --in data --out signature "$(uri signer)"
}

reconcile()
{
	run chancery audit reconcile --pin-source "$user" "$@" pkcs11:token=office
}

# The roll as somebody would leave it who wants the last use gone, and the roll to look as if its process had been killed before:
# newest FILE, cut before its first `sign`, with an index that says that it was left there.
cut_tail()
{
	python3 - "$1" <<-'END'
		import hashlib, json, pathlib, re, sys
		roll = pathlib.Path(sys.argv[1])
		path = sorted(roll.glob("roll.0*"))[-1]
		lines = path.read_text().splitlines(keepends=True)
		at = next(i for i, l in enumerate(lines) if '"event":"sign"' in l)
		path.write_text("".join(lines[:at]))
		last = json.loads(lines[at - 1])
		body = lines[at - 1][: lines[at - 1].index(',"mac":"')].encode()
		head = hashlib.sha256(bytes.fromhex(last["prev"]) + body).hexdigest()
		number = int(path.name[5:])
		index = roll / "index"
		old = index.read_text()
		new = re.sub(r'\{"op":"close","file":%d,.*\n' % number,
		             '{"op":"left","file":%d,"seq":%d,"head":"%s"}\n' % (number, last["seq"], head), old)
		assert new != old
		index.write_text(new)
	END
}

@test "a sound roll and the counts of its token agree; what that does not prove is said" {
	make_uses
	reconcile
	[ "$status" -eq 0 ]
	grep -q '3 recorded, 3 counted, of which 3 sealed' <<<"$output"
	grep -q '^reconciled   yes' <<<"$output"
	grep -q 'a key that was stolen' <<<"$output"
	reconcile --json
	[ "$(jq -c '[.reconciled, .uses, .counted, .sealed, .damage, .uncounted]' <<<"$output")" = '[true,3,3,3,[],[]]' ]
	run chancery audit reconcile --so-pin-source "$so" pkcs11:token=office
	[ "$status" -eq 0 ]
	run chancery audit reconcile pkcs11:token=office
	failed_with 64 "pin-source"
	run chancery audit reconcile --pin-source "$user" --so-pin-source "$so" pkcs11:token=office
	failed_with 64 "one PIN is enough"
	echo wrong >wrong && chmod 600 wrong
	run chancery audit reconcile --pin-source file:wrong pkcs11:token=office
	[ "$status" -gt 1 ]
	[ -z "$(ls "$roll/uses")" ]
}

@test "a tail that was cut off, in a roll that verifies" {
	make_uses
	cp -a "$roll" copy
	cut_tail copy
	run chancery audit verify --dir copy
	[ "$status" -eq 0 ] || { echo "$output"; return 1; }
	reconcile --dir copy
	[ "$status" -eq 1 ]
	grep -q '^roll.000005: lost records: 1 uses of the key .* were counted, and 0 are recorded' <<<"$output"
	[ "$(grep -c '^roll' <<<"$output")" -eq 1 ]
	reconcile --dir copy --json
	[ "$(jq -c '[.reconciled, .damage_total, .damage[0].kind, .damage[0].file]' <<<"$output")" = '[false,1,"lost records","roll.000005"]' ]
}

@test "a newest file that was removed, with and without its lines of the index" {
	make_uses
	cp -a "$roll" copy
	rm copy/roll.000005
	reconcile --dir copy
	[ "$status" -eq 1 ]
	grep -q '^roll.000005: missing file: 1 uses' <<<"$output"
	sed -i '/"file":5,/d' copy/index
	run chancery audit verify --dir copy
	[ "$status" -eq 0 ] || { echo "$output"; return 1; }
	reconcile --dir copy
	[ "$status" -eq 1 ]
	grep -q '^roll.000005: lost records: .*the index does not have it' <<<"$output"
}

# Somebody who lives on the machine can write the file, but not what is sealed in it.
sql()
{
	python3 - "$CHANCERY_HOME/tokens/0/token.db" "$1" <<-'END'
		import sqlite3, sys
		db = sqlite3.connect(sys.argv[1])
		db.executescript(sys.argv[2])
		db.commit()
	END
}

@test "counts that were altered, removed or set back are no counts" {
	make_uses
	cp "$CHANCERY_HOME/tokens/0/token.db" good
	for change in "UPDATE uses SET blob = zeroblob(length(blob)) WHERE file = 4" \
		"DELETE FROM uses WHERE file = 5" "UPDATE uses SET file = 6 WHERE file = 5"; do
		sql "$change"
		reconcile
		failed_with 65 "the counts of uses in the token were altered"
		run chancery doctor --pin-source "$user" pkcs11:token=office
		[[ $output == *"the counts of uses were altered"* ]]
		cp good "$CHANCERY_HOME/tokens/0/token.db"
	done
	reconcile
	[ "$status" -eq 0 ]
}

@test "a token from a backup has older counts, which is told and no damage" {
	make_uses
	echo "a passphrase" >pass && chmod 600 pass
	chancery token backup --quiet --passphrase-source file:pass --out token.backup pkcs11:token=office
	sign_once
	chancery token delete --quiet --so-pin-source "$so" pkcs11:token=office
	chancery token restore --quiet --passphrase-source file:pass token.backup
	reconcile
	[ "$status" -eq 0 ]
	grep -q 'put back from a backup' <<<"$output"
	grep -q 'closed): .*: 1 recorded, 0 counted' <<<"$output"
	grep -q '4 recorded, 3 counted' <<<"$output"
}

@test "a file of counts that cannot be read again is left alone, one of a killed process is sealed" {
	make_uses
	mkdir -p "$roll/uses"
	echo rubbish >"$roll/uses/000003-0000000000000001"
	echo rubbish >"$roll/uses/other"
	reconcile
	[ "$status" -eq 0 ]
	[ -e "$roll/uses/other" ]
}
