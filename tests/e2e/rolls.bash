# SPDX-License-Identifier: Apache-2.0
# Loaded by the tests of the auditor: rolls that tests/tools/rollmake.py wrote, whole, to be damaged. What the module writes is for other tests.
# shellcheck shell=bash

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
