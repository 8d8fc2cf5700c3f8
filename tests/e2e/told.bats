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

# Seen to fail: with output.c as it was, which wrote the bare bytes.
@test "sign and key public give their result in JSON" {
	make_office
	make_key ec-p256 seal
	make_key ml-dsa-87 long
	echo paper >paper
	for key in seal long; do
		chancery sign --json --in paper "$(uri $key)" >told
		jq -r .signature told | base64 -d >sig
		[ "$(jq .bytes told)" = "$(stat -c %s sig)" ]
		chancery verify --quiet --in paper --signature sig "$(jq -r .key told | sed 's/type=private/type=public/')"
	done
	chancery sign --json --in paper "$(uri seal)" >told
	[ "$(jq -r '.algorithm + " " + .mechanism + " " + .format' told)" = "ecdsa-sha256 CKM_ECDSA_SHA256 der" ]
	chancery sign --json --format raw --in paper --out sig "$(uri seal)" >told
	[ "$(jq -r '.file + " " + .format + " " + (.bytes | tostring) + " " + (has("signature") | tostring)' told)" = "sig raw 64 false" ]
	chancery key public --json "$(uri seal)" >told
	jq -r .public_key told | openssl pkey -pubin -outform der -out told.der
	chancery key public --json --format der --out /dev/stdout "$(uri seal)" | jq -r .public_key | base64 -d | cmp - told.der
	chancery key public --json --out "$(printf 'a\377b')" "$(uri seal)" >told
	[ "$(jq '.file == "a\\xffb" and .format == "pem"' told)" = true ]
}

# told_json STATUS WORD COMMAND...: the only thing on standard output is the error, with the exit status
told_json()
{
	local want=$1 word=$2 got=0
	shift 2
	chancery "$@" >told 2>said || got=$?
	# jq -e is content with nothing at all
	[ "$(jq --argjson status "$want" --arg word "$word" '.error.status == $status and (.error.text | contains($word))' told)" = true ] || {
		echo "chancery $*: $(cat told)"
		return 1
	}
	[ "$got" = "$want" ]
	grep -qF -- "$word" said
}

# Seen to fail: without command_asks_json.
@test "wrong usage is told in JSON, wherever --json stands" {
	told_json 64 '--bogus is no option' token list --json --bogus
	told_json 64 '--bogus is no option' token list --bogus --json
	told_json 64 '-x is no option' token list -x --json
	told_json 64 '--quiet takes no value' token list --quiet=1 --json
	told_json 64 'one word too many' token list pkcs11: more --json
	told_json 64 'is given twice' token init --label a --label b --json
	told_json 64 '--label needs a value' token init --json --label
	told_json 64 '--label TEXT is missing' token init --json
	told_json 64 "the key's URI is missing" sign --json
	told_json 64 '"token bogus" is no command' token bogus --json
	told_json 64 '"token" is no command' token --json
	told_json 64 '"bogus" is no command' bogus --json
	told_json 65 'not a PKCS#11 URI' key list --json office
	run chancery token list --bogus -- --json
	failed_with 64 'chancery token list: --bogus is no option of this command'
	[ "${#lines[@]}" -eq 1 ]
}

@test "a group alone is explained" {
	run chancery token
	failed_with 64 'token restore'
	run chancery token --help
	failed_with 0 'token restore'
	[[ $output != *'key list'* ]]
}

# Seen to fail: with a list of all algorithms.
@test "an algorithm that does not fit is refused with those that do, and these work" {
	make_office
	echo paper >paper
	for kind in rsa-2048 ec-p256 ed25519 ml-dsa-44; do
		make_key $kind $kind
		run chancery sign --algorithm none --in paper "$(uri $kind)"
		failed_with 64 '"none" is no algorithm for this key; these are: '
		for algorithm in ${output##*: }; do
			chancery sign --quiet --algorithm "$algorithm" --in paper --out sig "$(uri $kind)"
		done
	done
	run chancery sign --algorithm eddsa --in paper "$(uri ec-p256)"
	[[ $output == *ecdsa-sha3-512 && $output != *rsa* && $output != *'these are:'*eddsa* ]]
	make_key x25519 agree
	run chancery sign --algorithm eddsa --in paper "$(uri agree)"
	failed_with 64 'keys of this type do not sign'
}

# Rows of chancery(1), but for 70, 71 and 75: unit test_err has those. Seen to fail: without vendor_rows (err.c), without file_not_created.
@test "exit statuses are those of the manual page" {
	make_office
	make_key ec-p256 seal
	echo paper >paper
	printf 'a long passphrase' >phrase
	printf 'wrong-wrong' >wrong
	chmod 600 phrase wrong
	key='pkcs11:token=office;object=seal'
	office=pkcs11:token=office
	backup="token backup --passphrase-source file:phrase $office --out"
	chancery $backup copy
	told_json 64 'is no JSON value' completion bash --json
	told_json 64 'of this name already' token init --json --label office --make-pins pins
	told_json 65 'is not a backup' token restore --json --passphrase-source file:phrase phrase
	chancery sign --quiet --in paper --out sig "$(uri seal)"
	told_json 65 'does NOT match' verify --json --in phrase --signature sig "$key"
	told_json 66 'cannot open none: No such file' token restore --json --passphrase-source file:phrase none
	told_json 66 'cannot open none: No such file' token restore --json --passphrase-source file:none copy
	told_json 66 'none cannot be opened: No such file' sign --json --in none "$(uri seal)"
	told_json 66 'none cannot be opened: No such file' verify --json --in none --signature sig "$key"
	told_json 66 'cannot open none: No such file' verify --json --in paper --signature none "$key"
	told_json 66 'cannot open none: No such file' key import --json --in none --label new --pin-source "$user" $office
	told_json 66 'no such variable' key list --json --pin-source env:NO_SUCH_PIN $office
	told_json 69 'no token' token info --json pkcs11:token=none
	told_json 69 'no such object' key show --json "$(uri none)"
	told_json 73 'copy exists already' $backup copy --json
	told_json 73 'delete it first' token restore --json --passphrase-source file:phrase copy
	told_json 73 'cannot create no/copy: No such' $backup no/copy --json
	told_json 73 'cannot create no/sig: No such' sign --json --in paper --out no/sig "$(uri seal)"
	told_json 73 'cannot create no/pub: No such' key public --json --out no/pub "$key"
	told_json 73 'cannot create pins: Is a dir' key public --json --out pins "$key"
	told_json 73 'the directory no: No such' token init --json --label new --make-pins no
	told_json 73 'cannot create pins/so.pin: File exists' token init --json --label new --make-pins pins
	told_json 74 'cannot write /dev/full' key public --json --out /dev/full "$key"
	told_json 77 'CKR_PIN_INCORRECT' key list --json --pin-source file:wrong $office
	told_json 77 'give the user' key generate --json --type ec-p256 --label new $office
	chmod 644 wrong
	told_json 77 'others can read' key list --json --pin-source file:wrong $office
	told_json 78 'cannot be loaded' token list --json --module no.so
	run chancery completion none
	failed_with 64 'no completion for'
	chmod 777 home
	run chancery doctor
	failed_with 65 'checks failed'
	chmod 700 home
	printf 'rubbish\n' >chancery.conf
	chmod 600 chancery.conf
	CHANCERY_CONF=$work/chancery.conf told_json 78 'chancery.conf' token list --json
	[ -z "$(find . -name '*.tmp')" ]
}
