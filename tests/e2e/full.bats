#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A disk that is full, and one that may only be read: real file systems, mounted where nobody else sees them. Breaking it:
# db.c without SQLITE_FULL, or without its look at errno, calls a full disk a broken one; a store that is opened for writing whatever
# place.c and SQLite find (store.c) lets a read-only one fail.

load office.bash

# Each test runs again in a mount namespace of its own; what it mounts goes with it.
alone()
{
	[ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || skip "needs root, to mount"
	mkdir -p "$work/home"
	export -f chancery make_office make_key uri alone_in "${1?}"
	export work CHANCERY
	unshare -m bash -euo pipefail -c "alone_in $1"
}

alone_in()
{
	mount --make-rprivate /
	mount -t tmpfs -o "size=${size:-400k},mode=700" tmpfs "$work/home"
	"$1"
}

# The token alone: no audit log, which has failures of its own, and no counters.
store_alone()
{
	printf '[module]\naudit = off\ncounters = off\n' >"$work/store.conf"
	chmod 600 "$work/store.conf"
	export CHANCERY_CONF=$work/store.conf
	alone "$1"
}

fill()
{
	dd if=/dev/zero of="$work/home/ballast" bs=4k 2>/dev/null || :
}

# leave BLOCKS: so many of the disk's are free
leave()
{
	rm -f "$work/home/ballast"
	fill
	truncate -s "-$(($1 * 4096))" "$work/home/ballast"
}

keys()
{
	chancery key list --json --pin-source "$user" pkcs11:token=office | jq -r '[.[].label] | sort | join(" ")'
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

# scarce FUNCTION CHECK COMMAND...: with more room each time until it is enough. Before, no room is what the command says,
# FUNCTION for one fails of it (a login needs less), and whenever something failed CHECK holds.
scarce()
{
	local function=$1 check=$2 out seen=
	shift 2
	for blocks in $(seq 0 40); do
		leave "$blocks"
		out=$("$@" 2>&1) && break
		rm "$work/home/ballast"
		seen+=$out
		case $out in *CKR_DEVICE_MEMORY*) ;; *) echo "$blocks blocks: $out"; return 1 ;; esac
		"$check" || { echo "$blocks blocks: $check does not hold"; return 1; }
	done
	rm "$work/home/ballast"
	case $seen in *"$function"*) ;; *) echo "no $function in: $seen"; return 1 ;; esac
}

all_there()
{
	[ "$(keys)" = "doomed doomed kept kept" ]
}

full_destroy()
{
	make_office
	make_key ec-p256 kept
	make_key ec-p256 doomed
	scarce C_DestroyObject all_there \
		chancery key delete --pair --pin-source "$user" 'pkcs11:token=office;object=doomed'
	[ "$(keys)" = "kept kept" ]
	chancery doctor --json >doctor || { cat doctor; return 1; }
}

# The old PIN is the PIN, and no failed try counts against it.
old_pin_only()
{
	keys | grep -q signer && [ "$(chancery token info --json pkcs11:token=office | jq -r .user_pin)" = ready ]
}

full_pin()
{
	make_office
	make_key ec-p256 signer
	printf 'another PIN' >new
	chmod 600 new
	scarce C_SetPIN old_pin_only \
		chancery token pin --pin-source "$user" --new-pin-source "file:$work/new" pkcs11:token=office
	refused CKR_PIN_INCORRECT keys
	user=file:$work/new
	old_pin_only
}

grow_on()
{
	for i in $(seq 20); do
		make_key ec-p256 "more-$i" || return
	done
}

# The process may write no larger files, as with RLIMIT_FSIZE in a service's unit.
limited()
{
	make_office
	make_key ec-p256 kept
	(
		trap '' XFSZ
		ulimit -f "$(($(stat -c %s "$work"/home/tokens/0/token.db) / 1024))"
		refused CKR_DEVICE_MEMORY grow_on
	)
	keys | grep -q "^kept kept"
	make_key ec-p256 after
	chancery doctor --json >doctor || { cat doctor; return 1; }
}

# A backup needs no room where the token is, and half a backup is none.
full_backup()
{
	make_office
	make_key ec-p256 signer
	printf 'a long passphrase' >phrase
	chmod 600 phrase
	fill
	backup="chancery token backup --passphrase-source file:phrase pkcs11:token=office --out"
	refused "No space left" $backup "$work/home/copy"
	[ "$(cd "$work/home" && echo *copy* .*copy*)" = '*copy* .*copy*' ]
	$backup "$work/copy"
	rm "$work/home/ballast"
	$backup "$work/home/copy"
	chancery token delete --so-pin-source "$so" pkcs11:token=office
	chancery token restore --passphrase-source file:phrase "$work/copy"
	keys | grep -q signer
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

# A container's volume: what is mounted for reading only is the folder, and another mount of it is written to. What a process of
# its own does with wrong PINs, case B036 of tests/p11 and unit test_store_folder show.
bound()
{
	make_office
	make_key ec-p256 signer
	printf 'not the PIN' >wrong
	chmod 600 wrong
	db=$(find "$work/home" -name token.db)
	cp "$db" before.db
	mkdir "$work/volume"
	mount --bind "$work/home" "$work/volume"
	mount -o remount,bind,ro "$work/volume"
	there=$CHANCERY_HOME
	CHANCERY_HOME=$work/volume
	echo text >text
	chancery token info --json pkcs11:token=office | grep -q '"write_protected"'
	[ "$(keys)" = "signer signer" ]
	chancery sign --in text --out sig "$(uri signer)"
	chancery verify --in text --signature sig "$(uri signer)"
	refused CKR_TOKEN_WRITE_PROTECTED make_key ec-p256 new
	refused CKR_TOKEN_WRITE_PROTECTED chancery key delete --pair --pin-source "$user" 'pkcs11:token=office;object=signer'
	refused CKR_TOKEN_WRITE_PROTECTED chancery token pin --pin-source "$user" --new-pin-source "$so" pkcs11:token=office
	for _ in $(seq 12); do
		refused CKR_PIN_INCORRECT chancery key list --pin-source "file:$work/wrong" pkcs11:token=office
	done
	[ "$(keys)" = "signer signer" ]
	cmp "$db" before.db
	CHANCERY_HOME=$there
	make_key ec-p256 later
	CHANCERY_HOME=$work/volume
	[ "$(keys)" = "later later signer signer" ]
}

@test "a full disk refuses changes, loses nothing, and is well again with room" {
	export -f fill refused
	store_alone full_disk
}

@test "what lacks room to be destroyed is there, and goes with room" {
	export -f fill leave keys scarce all_there
	store_alone full_destroy
}

@test "a PIN that lacks room to be changed is the old one" {
	export -f fill leave keys scarce refused old_pin_only
	store_alone full_pin
}

@test "a file that may not grow is a full disk" {
	export -f keys refused grow_on
	store_alone limited
}

@test "a full disk is backed up to another, and holds no half of a backup" {
	export -f fill keys refused
	store_alone full_backup
}

@test "a token in a volume that is mounted for reading only serves all that reads" {
	export -f keys refused
	store_alone bound
}

@test "a token that may only be read signs, and says that it is write-protected" {
	export -f refused
	store_alone read_only
}

# Without room for its record, nothing is signed; with room, all is well and the log is whole. The reserve lets a few pass. To read, check and export
# the log takes no room and leaves no record, so a full one can always be looked at and carried away (case B074).
# Seen to fail: without tell_audit in src/cli/office.c, and without check_room in src/cli/doctor.c.
full_roll()
{
	make_office
	make_key ec-p256 signer
	echo text >text
	fill
	for i in $(seq 40); do
		chancery sign --pin-source "$user" --in text --out "sig$i" "$(uri signer)" 2>err || break
	done
	grep -q 'CKR_DEVICE_.*the audit log cannot be written: .*No space left' err
	[ ! -e "sig$i" ]
	chancery audit show --event key.generate | grep -q signer
	chancery audit export >exported
	chancery audit anchor >anchor
	cp -r "$work/home/roll" elsewhere
	chancery audit verify --dir elsewhere --anchor anchor >verified || { cat verified; return 1; }
	if chancery doctor >told; then return 1; fi
	grep -q 'BAD .*audit log: the disk of .* is full' told
	rm "$work/home/ballast"
	chancery sign --pin-source "$user" --in text --out sig "$(uri signer)"
	chancery audit verify --json >verified || { cat verified; return 1; }
}

@test "a full disk lets nothing be signed without its record" {
	export -f fill
	size=4m
	export size
	alone full_roll
}
