# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts beside it: a home of its own with a token "office", its PINs in files, and how a
# test says what it does. A program that is not installed is a skipped test (77), never a passed one.
# shellcheck shell=bash
set -euo pipefail

: "${CHANCERY_MODULE:?the module under test}" "${CHANCERY:?the chancery tool}"
case ${CHANCERY_SANITIZE:-} in
*address* | *thread*)
	echo "the programs here are not built with sanitizers: skipped"
	exit 77
	;;
esac

work=$(mktemp -d)
export CHANCERY_HOME=$work/home HOME=$work
unset CHANCERY_CONF
trap 'rm -rf "$work"; jobs -p | xargs -r kill 2>/dev/null || :' EXIT
cd "$work"

need()
{
	for program in "$@"; do
		command -v "$program" >/dev/null || {
			echo "$program is not installed: skipped"
			exit 77
		}
	done
}

step()
{
	printf -- '-- %s\n' "$*"
}

fail()
{
	printf 'FAILED: %s\n' "$*" >&2
	exit 1
}

# A command that must fail.
refused()
{
	if "$@" >refused.out 2>&1; then
		cat refused.out
		fail "succeeded, but must not: $*"
	fi
}

mkdir -m 700 pins
"$CHANCERY" token init --quiet --label office --make-pins pins
# shellcheck disable=SC2034 # for the scripts that source this
pin=$(cat pins/user.pin)

# make_key KIND LABEL
make_key()
{
	"$CHANCERY" key generate --quiet --type "$1" --label "$2" --pin-source file:pins/user.pin pkcs11:token=office
}

# public_key LABEL FILE
public_key()
{
	"$CHANCERY" key public --quiet --out "$2" "pkcs11:token=office;object=$1"
}

head -c 3000 /dev/urandom >document
