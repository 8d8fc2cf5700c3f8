#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The whole of a build with CHANCERY_AUDIT_MANDATORY: it works with the roll, and not without.
set -euo pipefail

source=${CHANCERY_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

make_it()
{
	cmake -S "$source" -B "$work/build" -DCHANCERY_AUDIT_MANDATORY=ON -DBUILD_TESTING=OFF &&
		cmake --build "$work/build" --target chancery chancery-pkcs11 -j 2
}

if ! make_it >"$work/log" 2>&1; then
	tail -n 30 "$work/log"
	exit 1
fi
export CHANCERY_HOME=$work/home CHANCERY_MODULE=$work/build/libchancery-pkcs11.so
unset CHANCERY_CONF

# office AUDIT: a token and a signature, with this in the configuration.
office()
{
	rm -rf "${work:?}/home" "${work:?}/pins"
	mkdir -m 700 "$work/pins"
	printf '[module]\naudit = %s\n' "$1" >"$work/chancery.conf"
	chmod 600 "$work/chancery.conf"
	export CHANCERY_CONF=$work/chancery.conf
	cd "$work"
	"$work/build/chancery" token init --quiet --label office --make-pins pins &&
		"$work/build/chancery" key generate --quiet --type ec-p256 --label mail \
			--pin-source "file:$work/pins/user.pin" pkcs11:token=office &&
		"$work/build/chancery" sign --quiet --in chancery.conf --out signature \
			"pkcs11:token=office;object=mail?pin-source=file:$work/pins/user.pin"
}

# refused AUDIT REASON
refused()
{
	rm -f "$work/signature"
	if office "$1" >"$work/said" 2>&1 || [ -e "$work/signature" ] || ! grep -q "$2" "$work/said"; then
		cat "$work/said"
		printf 'audit = %s: was not refused as it must be\n' "$1"
		return 1
	fi
	printf 'audit = %s: refused\n' "$1"
}

mkfifo "$work/fifo"
refused off 'requires the audit log'
refused /dev/null 'no directory'
refused "$work/fifo" 'no directory'
office on
"$work/build/chancery" audit verify >/dev/null
grep -q '"event":"sign"' "$work/home/roll/"roll.*
echo "audit = on: signed, recorded and sound"
