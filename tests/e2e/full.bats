#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A disk that is full, and one that may only be read: real file systems, mounted where nobody else sees them. Breaking it:
# db.c without its look at errno calls a full disk a broken one.

load office.bash

# Each test runs again in a mount namespace of its own; what it mounts goes with it.
alone()
{
	[ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || skip "needs root, to mount"
	mkdir -p "$work/home"
	export -f chancery make_office make_key uri alone_in "${1?}"
	export work CHANCERY
	unshare -m bash -euc "alone_in $1"
}

alone_in()
{
	mount --make-rprivate /
	mount -t tmpfs -o size=400k,mode=700 tmpfs "$work/home"
	"$1"
}

fill()
{
	dd if=/dev/zero of="$work/home/ballast" bs=4k 2>/dev/null || :
}

# refused WORD COMMAND...
refused()
{
	local word=$1
	shift
	if out=$("$@" 2>&1); then
		echo "was not refused: $*"
		return 1
	fi
	case $out in *"$word"*) ;; *) echo "no \"$word\" in: $out"; return 1 ;; esac
}

full_disk()
{
	make_office
	make_key ec-p256 before
	fill
	refused CKR_DEVICE_MEMORY make_key ec-p256 during
	refused room chancery token rename --so-pin-source "$so" --label other pkcs11:token=office
	rm "$work/home/ballast"
	chancery key list --pin-source "$user" pkcs11:token=office | grep -q before
	if chancery key list --pin-source "$user" pkcs11:token=office | grep -q during; then
		echo "what was refused is there"
		return 1
	fi
	make_key ec-p256 after
}

read_only()
{
	make_office
	make_key ec-p256 signer
	mount -o remount,ro "$work/home"
	echo text >text
	chancery key list --pin-source "$user" pkcs11:token=office | grep -q signer
	chancery sign --in text --out sig "$(uri signer)"
	refused CKR_TOKEN_WRITE_PROTECTED make_key ec-p256 new
	refused CKR_TOKEN_WRITE_PROTECTED chancery token pin --pin-source "$user" --new-pin-source "$so" pkcs11:token=office
}

@test "a full disk refuses changes, loses nothing, and is well again with room" {
	export -f fill refused
	alone full_disk
}

@test "a token that may only be read signs, and says that it is write-protected" {
	export -f refused
	alone read_only
}
