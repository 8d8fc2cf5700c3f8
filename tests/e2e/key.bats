#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# chancery key, sign, verify.
load office

@test "a generated key is guarded and may do one thing" {
	make_office
	make_key ec-p256 seal
	run chancery key show --json "pkcs11:token=office;object=seal;type=private?pin-source=$user"
	[ "$status" -eq 0 ]
	[ "$(jq -c .uses <<<"$output")" = '["sign"]' ]
	[ "$(jq -c '.guarded | sort' <<<"$output")" = '["always-sensitive","never-extractable","private","sensitive"]' ]
}

@test "a key for public answers: one record for a batch, and only of a private key that signs" {
	private() { echo "pkcs11:token=office;object=$1;type=private?pin-source=$user"; }
	make_office
	chancery key generate --quiet --type ec-p256 --label ocsp --audit batch --pin-source "$user" pkcs11:token=office
	make_key ec-p256 seal
	[ "$(chancery key show --json "$(private ocsp)" | jq -r .audit)" = batch ]
	[ "$(chancery key show --json "$(private seal)" | jq -r .audit)" = each ]
	[[ $(chancery key show "$(private ocsp)") == *Recorded*batch* ]]
	openssl genpkey -algorithm ed25519 -out key.pem
	chancery key import --quiet --in key.pem --label in --audit batch --pin-source "$user" pkcs11:token=office
	[ "$(chancery key show --json "$(private in)" | jq -r .audit)" = batch ]
	run chancery key generate --type aes-256 --label other --audit batch --pin-source "$user" pkcs11:token=office
	failed_with 64 "private keys that sign"
	run chancery key generate --type rsa-2048 --use encrypt --label other --audit batch --pin-source "$user" pkcs11:token=office
	failed_with 64 "private keys that sign"
	run chancery key generate --type ec-p256 --label other --audit never --pin-source "$user" pkcs11:token=office
	failed_with 64 "each or batch"
}

@test "a label that is in use is refused" {
	make_office
	make_key ec-p256 seal
	run make_key rsa-2048 seal
	failed_with 64 "this label already"
	run make_key nonsense other
	failed_with 64 "no kind of key"
	run chancery key generate --type ec-p256 --label '' --pin-source "$user" pkcs11:token=office
	failed_with 64 ""
}

@test "every kind that signs: sign, verify, a changed file is refused" {
	make_office
	head -c 5000 /dev/urandom >paper
	head -c 4999 paper >other
	for kind in rsa-2048 ec-p256 ec-p384 ec-p521 ec-secp256k1 ec-brainpoolp256r1 ed25519 ed448 ml-dsa-44 ml-dsa-87; do
		make_key $kind $kind
		chancery sign --quiet --in paper --out sig "$(uri $kind)"
		chancery verify --quiet --in paper --signature sig "pkcs11:token=office;object=$kind"
		run chancery verify --in other --signature sig "pkcs11:token=office;object=$kind"
		failed_with 65 "does NOT match"
		head -c 20 sig >cut
		run chancery verify --in paper --signature cut "pkcs11:token=office;object=$kind"
		failed_with 65 ""
	done
}

@test "a large file, and standard input and output" {
	make_office
	make_key rsa-2048 seal
	head -c 3000000 /dev/urandom >paper
	chancery sign "$(uri seal)" <paper >sig
	chancery verify --quiet --signature sig --in paper "$(uri seal)"
	chancery key public "$(uri seal)" >pub.pem
	openssl dgst -sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:32 -verify pub.pem -signature sig paper
}

# Seen to fail: with file_write, and with a --out that is standard output opened anew.
@test "--out goes through links, into a FIFO, and is standard output when it names that" {
	make_office
	make_key ec-p256 k
	chancery key public "$(uri k)" >plain
	ln -s target link
	chancery key public --quiet --out link "$(uri k)"
	[ -L link ]
	cmp plain target
	mkfifo fifo
	cat fifo >got &
	chancery key public --quiet --out fifo "$(uri k)"
	wait $!
	[ -p fifo ]
	cmp plain got
	{ echo before; chancery key public --out /dev/stdout "$(uri k)"; echo after; } >mixed
	{ echo before; cat plain; echo after; } | cmp - mixed
	echo text >in
	mkfifo signatures
	cat signatures >sig &
	chancery sign --quiet --in in --out signatures "$(uri k)"
	wait $!
	[ -p signatures ]
	chancery verify --in in --signature sig "$(uri k)"
}

@test "contexts bind" {
	make_office
	make_key ml-dsa-44 seal
	echo paper >paper
	chancery sign --quiet --context a --in paper --out sig "$(uri seal)"
	chancery verify --quiet --context a --in paper --signature sig "$(uri seal)"
	run chancery verify --context b --in paper --signature sig "$(uri seal)"
	failed_with 65 ""
	make_key ec-p256 ec
	run chancery sign --context a --in paper --out sig "$(uri ec)"
	failed_with 64 "takes no context"
}

@test "keys from files, in every form" {
	make_office
	echo paper >paper
	openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ec.pem
	openssl pkcs8 -topk8 -in ec.pem -outform der -nocrypt -out ec.der
	openssl pkcs8 -topk8 -in ec.pem -passout pass:sesame -out ec.enc
	openssl genrsa -traditional -out rsa.pem 2048 2>/dev/null
	openssl genpkey -algorithm ed25519 -out ed.pem
	printf sesame >phrase
	chmod 600 phrase
	for file in ec.pem ec.der ec.enc rsa.pem ed.pem; do
		chancery key import --quiet --in $file --label $file --passphrase-source file:phrase --pin-source "$user" pkcs11:token=office
		chancery sign --quiet --in paper --out sig "$(uri $file)"
		chancery verify --quiet --in paper --signature sig "pkcs11:token=office;object=$file"
	done
	openssl pkey -in ec.pem -pubout -out pub.pem
	chancery sign --quiet --in paper --out sig "$(uri ec.pem)"
	openssl dgst -sha256 -verify pub.pem -signature sig paper
}

@test "files that are no keys, and wrong passphrases" {
	make_office
	openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 2>/dev/null |
		openssl pkcs8 -topk8 -passout pass:sesame -out ec.enc
	run chancery key import --in ec.enc --label x --pin-source "$user" pkcs11:token=office
	failed_with 77 "passphrase"
	head -c 500 /dev/urandom >noise
	run chancery key import --in noise --label x --pin-source "$user" pkcs11:token=office
	failed_with 65 "no key"
	run chancery key import --in absent --label x --pin-source "$user" pkcs11:token=office
	[ "$status" -ne 0 ]
	openssl dsaparam -out dsa.params 2048 2>/dev/null
	openssl genpkey -paramfile dsa.params -out dsa.pem
	run chancery key import --in dsa.pem --label x --pin-source "$user" pkcs11:token=office
	failed_with 64 "cannot be imported"
	[ "$(chancery key list --json --pin-source "$user" pkcs11:token=office | jq length)" = 0 ]
}

@test "delete takes what it is told and nothing else" {
	make_office
	make_key ec-p256 one
	make_key ec-p256 two
	run chancery key delete --pin-source "$user" 'pkcs11:token=office'
	failed_with 64 "names no key"
	run chancery key delete --pin-source "$user" 'pkcs11:token=office;object=one'
	failed_with 64 "2 objects"
	chancery key delete --pair --pin-source "$user" 'pkcs11:token=office;object=one'
	[ "$(chancery key list --json --pin-source "$user" pkcs11:token=office | jq length)" = 2 ]
}

@test "URIs that are wrong say so" {
	make_office
	run chancery key list 'pkcs11:token=office;token=two'
	failed_with 65 ""
	run chancery key list 'pkcs11:pin-value=1234'
	failed_with 65 ""
	run chancery key list 'http://office'
	failed_with 65 ""
}

@test "a PIN in a URI is one on a command line" {
	make_office
	run chancery key list 'pkcs11:token=office?pin-value=12345678'
	failed_with 64 "pin-source"
	[[ $output != *12345678* ]]
}

@test "the same with another module" {
	use_softhsm
	echo paper >paper
	printf 12345678 >pin
	chmod 600 pin
	chancery token init --module "$soft" --label soft --so-pin-source file:pin --pin-source file:pin
	chancery key generate --module "$soft" --type ec-p256 --label seal --pin-source file:pin pkcs11:token=soft
	chancery sign --module "$soft" --in paper --out sig --pin-source file:pin 'pkcs11:token=soft;object=seal'
	chancery verify --module "$soft" --in paper --signature sig 'pkcs11:token=soft;object=seal'
	chancery mech list --module "$soft" pkcs11:token=soft
	run chancery token rename --module "$soft" --label x --so-pin-source file:pin pkcs11:token=soft
	failed_with 69 "needs Chancery's own module"
}
