# SPDX-License-Identifier: Apache-2.0
# Loaded by the tests of the command line: a home of its own per test, a token "office" on demand.
# shellcheck shell=bash

setup()
{
	work=$BATS_TEST_TMPDIR
	export CHANCERY_HOME=$work/home
	unset CHANCERY_CONF
	cd "$work" || return 1
}

chancery()
{
	"$CHANCERY" "$@"
}

teardown()
{
	[ -z "${ordinary_home:-}" ] || rm -rf "$ordinary_home"
}

# Defines ordinary COMMAND...: as a user whom limits and modes bind, in a directory and with a CHANCERY_HOME of that user's own.
use_ordinary()
{
	ordinary() { "$@"; }
	[ "$(id -u)" = 0 ] || return 0
	ordinary() { setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"; }
	ordinary test -r "$CHANCERY_MODULE" -a -x "$CHANCERY" || skip "an ordinary user cannot read the build"
	ordinary_home=$(mktemp -d)
	chown 65534:65534 "$ordinary_home"
	cd "$ordinary_home" || return 1
	export CHANCERY_HOME=$ordinary_home/home HOME=$ordinary_home
}

# A token with its PINs in pins/.
make_office()
{
	mkdir -m 700 pins
	chancery token init --quiet --label office --make-pins pins
	user=file:$work/pins/user.pin
	so=file:$work/pins/so.pin
}

# key KIND LABEL [OPTION...]
make_key()
{
	chancery key generate --quiet --type "$1" --label "$2" --pin-source "$user" "${@:3}" pkcs11:token=office
}

uri()
{
	printf 'pkcs11:token=office;object=%s?pin-source=%s' "$1" "$user"
}

# The status of the last `run` and a word of its output.
failed_with()
{
	[ "$status" -eq "$1" ] || { echo "status $status, not $1: $output"; return 1; }
	case $output in *"$2"*) ;; *) echo "no \"$2\" in: $output"; return 1 ;; esac
}

# Another module, $soft, with an empty directory of tokens; skips the test where there is none.
use_softhsm()
{
	local file
	soft=
	for file in /usr/lib/softhsm/libsofthsm2.so /usr/lib/*/softhsm/libsofthsm2.so; do
		[ ! -r "$file" ] || soft=$file
	done
	[ -n "$soft" ] || skip "SoftHSM2 is not installed"
	[ -z "${CHANCERY_SANITIZE:-}" ] || skip "SoftHSM2 has leaks of its own"
	mkdir tokens
	printf 'directories.tokendir = %s/tokens\n' "$work" >softhsm2.conf
	export SOFTHSM2_CONF=$work/softhsm2.conf
}
