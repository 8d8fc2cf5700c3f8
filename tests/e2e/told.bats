#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What chancery tells when something is wrong: messages that say what to do, exit statuses, JSON.
load office

forms='file:PATH, credential:NAME, fd:N, env:NAME or prompt'

# Seen to fail: without office_advise.
@test "a command that lacks the PIN says how to give it" {
	make_office
	make_key ec-p256 seal
	echo paper >paper
	openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ec.pem 2>/dev/null
	run chancery key generate --type ec-p256 --label other pkcs11:token=office
	failed_with 77 "give the user's PIN with --pin-source $forms"
	run chancery key import --in ec.pem --label other pkcs11:token=office
	failed_with 77 "give the user's PIN with --pin-source $forms"
	run chancery key delete --pair 'pkcs11:token=office;object=seal'
	failed_with 77 "give the user's PIN with --pin-source $forms"
	run chancery sign --in paper 'pkcs11:token=office;object=seal'
	failed_with 69 "to see private ones, give the user's PIN with --pin-source $forms"
	run chancery token unlock --new-pin-source "$user" pkcs11:token=office
	failed_with 64 "--so-pin-source is missing: $forms"
	run chancery sign --in paper "$(uri other)"
	failed_with 69 "no such object"
	[[ $output != *"give the user's PIN"* ]]
}

@test "an error about a PIN source lists those that are possible there" {
	make_office
	run chancery key list --pin-source 1234 pkcs11:token=office
	failed_with 64 "it is written $forms"
	run chancery key list --pin-source 'command:/bin/echo 1234' pkcs11:token=office
	failed_with 64 "not possible here: write $forms"
	printf '[token]\npin_source = prompt\n' >chancery.conf
	chmod 600 chancery.conf
	CHANCERY_CONF=$work/chancery.conf run chancery doctor --config
	failed_with 78 "file:PATH, credential:NAME or command:PATH"
}
