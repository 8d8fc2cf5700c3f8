#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# chancery token init where it fails halfway, is asked at a terminal, or is given a slot.
load office

liar=$CHANCERY_BUILD_DIR/tests/e2e/liar_shim.so

# No file grows beyond a kilobyte: the PINs fit, a token does not.
init_fails()
{
	run bash -c 'ulimit -f 1; exec "$CHANCERY" token init --label office --make-pins pins'
	[ "$status" -ne 0 ]
	[[ $output == *C_InitToken* ]]
}

# Seen to fail: without newpins_withdraw.
@test "a failed init removes the PIN files it made" {
	mkdir -m 700 pins
	echo mine >pins/other
	init_fails
	[ "$(ls pins)" = other ]
	chancery token init --quiet --label office --make-pins pins
	[ "$(ls pins | wc -l)" -eq 3 ]
}

# Seen to fail: with newpins_withdraw that removes DIR/so.pin and DIR/user.pin, whoever made them.
@test "PIN files that were there are neither overwritten nor removed" {
	for name in so user; do
		rm -rf pins
		mkdir -m 700 pins
		echo mine >pins/$name.pin
		run chancery token init --label office --make-pins pins
		failed_with 73 "cannot create pins/$name.pin: File exists"
		[ "$(ls pins)" = $name.pin ]
		[ "$(cat pins/$name.pin)" = mine ]
	done
	[ "$(chancery token list --json | jq length)" = 0 ]
}

# Seen to fail: with *begun only where C_InitToken succeeded.
@test "PIN files stay where the token may have the PIN" {
	mkdir -m 700 pins
	LIAR=C_InitToken run chancery token init --module "$liar" --label office --make-pins pins
	failed_with 74 C_InitToken
	chancery token unlock --so-pin-source file:pins/so.pin --new-pin-source file:pins/user.pin pkcs11:token=office
	mkdir -m 700 more
	LIAR=C_InitPIN run chancery token init --module "$liar" --label two --make-pins more
	failed_with 74 "has its SO PIN, but no user PIN: C_InitPIN: CKR_DEVICE_ERROR"
	chancery token unlock --so-pin-source file:more/so.pin --new-pin-source file:more/user.pin pkcs11:token=two
	chancery key list --pin-source file:more/user.pin pkcs11:token=two
}

@test "reinitialize makes no PINs: the token has its SO PIN" {
	make_office
	mkdir -m 700 more
	run chancery token init --reinitialize --label office --make-pins more pkcs11:token=office
	failed_with 64 "--make-pins cannot make"
	[ -z "$(ls more)" ]
	[ "$(chancery token info --json pkcs11:token=office | jq -r .so_pin)" = ready ]
}

# type_at N LINE: once N prompts are in the log
type_at()
{
	local i
	for i in {1..200}; do
		[ "$(grep -ao '": \|again: \|[0-9]: ' log | wc -l)" -lt "$1" ] || break
		sleep 0.05
	done
	printf '%s\r' "$2"
}

# at_terminal COMMAND LINE...: runs it on a terminal of its own, and types a line at each prompt
at_terminal()
{
	local command=$1 n=0 line
	shift
	rm -f log
	: >log
	for line; do
		n=$((n + 1))
		type_at $n "$line"
	done | script -qfec "$command" log >/dev/null
	tr -d '\r' <log >shown
}

# Seen to fail: with the label of the blank token, which is empty.
@test "prompts name the token to be, and the PIN that is new" {
	at_terminal "$CHANCERY token init --label office --so-pin-source prompt --pin-source prompt" so-so-so so-so-so user-user user-user
	grep -F 'new SO PIN of token "office": ' shown
	grep -F 'new SO PIN of token "office" again: ' shown
	grep -F 'new user PIN of token "office" again: ' shown
	! grep -F 'token ""' shown || return 1
	at_terminal "$CHANCERY token init --reinitialize --label bureau --so-pin-source prompt --pin-source prompt pkcs11:token=office" so-so-so user-user user-user
	grep '^SO PIN of token "office": ' shown
	grep -F 'new user PIN of token "bureau": ' shown
	at_terminal "$CHANCERY token pin --pin-source prompt --new-pin-source prompt pkcs11:token=bureau" user-user next-next next-next
	grep '^user PIN of token "bureau": ' shown
	grep -F 'new user PIN of token "bureau" again: ' shown
	PIN=next-next chancery key list --pin-source env:PIN pkcs11:token=bureau
}

# Seen to fail: with token= and serial= alone, which fit every blank slot.
@test "a blank slot has a URI that init takes" {
	make_office
	blank=$(chancery token list --all --json | jq -r '.[] | select(.state == "blank") | .uri')
	[[ $blank =~ ^pkcs11:slot-id=[0-9]+$ ]]
	mkdir -m 700 more
	chancery token init --label two --make-pins more "$blank"
	[ "pkcs11:slot-id=$(chancery token list --json pkcs11:token=two | jq .[].slot)" = "$blank" ]
	run chancery token init --label three --make-pins more "$blank"
	failed_with 69 "no token"
}
