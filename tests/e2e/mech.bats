#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What providers offer: one, all that are configured, and how two differ.
load office

bats_require_minimum_version 1.5.0

rough=$CHANCERY_BUILD_DIR/tests/e2e/rough_shim.so

# configure NAME TEXT: a module for p11-kit in the directory modules/
configure()
{
	mkdir -p modules
	printf "$2" >"modules/$1.module"
}

all()
{
	run --separate-stderr chancery mech list --all --p11-kit modules "$@"
}

# The value of a jq expression over the last `run`'s output, which is to be one JSON value.
is()
{
	[ "$(jq -s 'length' <<<"$output")" = 1 ] || { echo "no single value: $output"; return 1; }
	[ "$(jq -c "$1" <<<"$output")" = "$2" ] || { echo "$1: $(jq -c "$1" <<<"$output"), not $2"; return 1; }
}

@test "Chancery's own module: every slot, with flags, key sizes and where" {
	make_office
	run chancery mech list --json
	[ "$status" -eq 0 ]
	is '.[0].slots | map(.token)' '["office",""]'
	is '.[0].slots[0].mechanisms | map(select(.mechanism == "CKM_AES_CBC") | {keys, key_min, key_max, where}) | .[0]' \
		'{"keys":"16-32","key_min":16,"key_max":32,"where":"software"}'
	run chancery mech list
	[[ $output == *'token "office": '*CKM_ML_DSA*'the same as the slot before'* ]]
	run chancery mech list --json pkcs11:token=office
	is '.[0].slots | length' 1
	run chancery mech list pkcs11:token=none
	failed_with 69 "no token"
}

@test "hardware and software, two slots, and flags that are not uses" {
	run chancery mech list --json --module "$rough"
	[ "$status" -eq 0 ]
	is '.[0].slots | map([.slot, .token, (.mechanisms | length)])' '[[1,"one",2],[2,"two",3]]'
	is '.[0].slots[0].mechanisms[] | select(.mechanism == "CKM_AES_CBC") | [.where, .flags, .keys, .flag_bits]' \
		'["hardware",["encrypt","decrypt"],"16-32",769]'
	is '.[0].slots[1].mechanisms[] | select(.mechanism == "CKM_ECDSA") | [.where, .flags]' '["software",["sign","ec_f_p"]]'
	run chancery mech list --module "$rough" pkcs11:slot-id=2
	[[ $output == *CKM_ECDSA* && $output != *hardware* ]]
}

@test "every configured provider, in p11-kit's order, whatever fails" {
	configure later "module: $rough\n"
	configure first "# a comment\n\n  module :  $rough  \npriority: 5\n"
	configure broken 'module: /x.so\nnonsense\n'
	configure missing 'module: /nonexistent/libnone.so\n'
	configure relative 'module: libnone-such.so\n'
	configure nomodule "module: $(ls /usr/lib/*/libz.so.1 /lib/*/libz.so.1 2>/dev/null | head -n 1)\n"
	configure masked 'module:\n'
	configure far 'remote: |ssh somewhere p11-kit remote x.so\n'
	configure others "module: $rough\nenable-in: firefox, ssh\n"
	configure ours "module: $rough\nenable-in: firefox,chancery\ndisable-in: chancery\n"
	configure not-here "module: $rough\ndisable-in: ssh chancery\n"
	configure own "module: $CHANCERY_MODULE\n"
	echo 'module: /x.so' >modules/README
	all --json
	[ "$status" -eq 78 ]
	[[ $stderr == *"4 of 12 providers failed"* ]]
	is 'map(.provider)' \
		'["libchancery-pkcs11.so","first","broken","far","later","masked","missing","nomodule","not-here","others","ours","relative"]'
	is '.[] | select(.provider == "first") | [.module, (.slots | length)]' "[\"$rough\",2]"
	is '.[] | select(.provider == "broken") | .error' "\"modules/broken.module:2: a line without a colon\""
	is '.[] | select(.provider == "missing") | .error | test("cannot be loaded.*No such file")' true
	is '.[] | select(.provider == "nomodule") | .error | test("is no PKCS#11 module")' true
	is '.[] | select(.provider == "relative") | .module | test("^/.*/pkcs11/libnone-such.so$")' true
	is 'map(select(.left_out != null) | .provider)' '["far","masked","not-here","others"]'
	is '.[] | select(.provider == "ours") | .slots | length' 2
	all
	[ "$status" -eq 78 ]
	[[ $output == *"masked: modules/masked.module"*"left out: it names no module"* ]]
	[[ $output == *"FAILED: modules/broken.module:2"* ]]
}

@test "providers that offer none are named, and are no failure" {
	configure rough "module: $rough\n"
	ROUGH=none all
	[ "$status" -eq 0 ]
	[[ $output == *"rough: $rough"*'slot 1 (a slot), token "one": offers none'* ]]
	ROUGH=empty all
	[ "$status" -eq 0 ]
	[[ $output == *"rough: $rough"*"offers none: no token is there"* ]]
}

# What breaks it, in probe.c: no fork, no deadline, stdout left as it is, how the process ended not heeded.
@test "a module that crashes, exits, hangs or prints does not stop the others" {
	configure arough "module: $rough\n"
	configure zrelative 'module: libnone-such.so\n'
	ROUGH=crash all --json
	[ "$status" -eq 78 ]
	is '.[1].error' '"the module crashed: Aborted"'
	is '.[2].provider' '"zrelative"'
	ROUGH=exit all --json
	[ "$status" -eq 78 ]
	is '.[1].error' '"the module ended its process before it answered"'
	ROUGH=hang all --json --timeout 1
	[ "$status" -eq 78 ]
	is '.[1].error' '"the module took longer than 1 seconds"'
	ROUGH=noise all --json
	[[ $stderr == *"1 of 3 providers failed"* ]]
	is '.[1].slots | length' 2
	ROUGH=late all --json
	is '.[1] | [.error, (.slots | length)]' '["the module crashed: Aborted",2]'
	ROUGH=refuse all --json
	[[ $stderr == *"2 of 3 providers failed"* ]]
	is '.[1].slots | map(.error)' '[null,"C_GetMechanismList: CKR_DEVICE_ERROR (the token'"'"'s storage or its audit log failed)"]'
	ROUGH=crash run chancery mech list --module "$rough"
	failed_with 70 "crashed"
}

# Whether the process with the id in FILE ends soon, if it has not yet.
gone()
{
	local n
	[ -s "$1" ] || { echo "no process wrote $1"; return 1; }
	for n in $(seq 50); do
		! kill -0 "$(cat "$1")" 2>/dev/null || [[ $(ps -o stat= -p "$(cat "$1")") == Z* ]] || { sleep 0.1; continue; }
		return 0
	done
	echo "process $(cat "$1") is still there"
	return 1
}

# What breaks it, in probe.c: the watch ends with the pipe and not with the process; SIGTERM in place of SIGKILL; the
# process killed and not its group; no group of its own; no kill at all after a good answer.
@test "the time that a module is given holds, whatever it does, and nothing of it stays" {
	export ROUGH_PID=$work/twin
	begin=$SECONDS
	ROUGH=deaf run chancery mech list --timeout 2 --module "$rough"
	failed_with 70 "longer than 2 seconds"
	[ $((SECONDS - begin)) -lt 15 ]
	ROUGH=hang-twins run chancery mech list --timeout 2 --module "$rough"
	failed_with 70 "longer than 2 seconds"
	gone twin
	ROUGH=twins run chancery mech list --timeout 20 --json --module "$rough"
	[ "$status" -eq 0 ]
	is '.[0].slots | length' 2
	gone twin
	[ $((SECONDS - begin)) -lt 30 ]
}

# What breaks it, in probe.c: no PR_SET_PDEATHSIG.
@test "a module's process ends with the command that asks it" {
	# Not by `run`, which waits for all that hold its output.
	! ROUGH=hang ROUGH_PID=$work/module timeout -s KILL 3 "$CHANCERY" mech list --module "$rough" >out 2>&1 3>&- || false
	gone module
}

# forged TEXT: a module's process that answers it is one that fails, and the others are listed.
forged()
{
	ROUGH=forge ROUGH_ANSWER=$1 all --json
	[ "$status" -eq 78 ] || { echo "$1: status $status: $output"; return 1; }
	is '.[1] | [.error, .slots]' '["the answer of the module'"'"'s process is damaged",[]]'
	is '.[2].provider' '"zrelative"'
	ROUGH=forge ROUGH_ANSWER=$1 all
	[ "$status" -eq 78 ] || { echo "$1: status $status: $output"; return 1; }
}

# Seen to fail with each part of answer_fits taken out: at first the tool died of them.
@test "an answer that a module wrote in our name is not believed" {
	configure arough "module: $rough\n"
	configure zrelative 'module: libnone-such.so\n'
	slot='"slot":1,"description":"d","token":"t"'
	mechanism='"mechanism":"m","number":1,"keys":"-","key_min":0,"key_max":0,"where":"w","flags":["f"],"flag_bits":0'
	for text in "[" 7 null '[]' '{}' '{"slots":[],"err":0}' '{"slots":[],"err":0,"why":"","more":1}' \
		'{"slots":{},"err":0,"why":""}' '{"slots":[],"err":99999,"why":""}' '{"slots":[],"err":-1,"why":""}' \
		'{"slots":[],"err":"0","why":""}' '{"slots":[],"err":1,"why":7}' '{"slots":[],"err":1,"why":"\u001b[2J"}' \
		'{"slots":[],"slots":[],"err":0,"why":""}' '{"slots":[],"err":0,"why":""} {}'; do
		forged "$text"
	done
	for text in 7 null '{}' "{$slot}" '{"slot":1,"mechanisms":[]}' "{$slot,\"error\":7}" "{$slot,\"mechanisms\":{}}" \
		"{$slot,\"mechanisms\":[],\"error\":\"e\"}" '{"slot":"1","description":"d","token":"t","mechanisms":[]}' \
		'{"slot":1,"description":5,"token":"t","mechanisms":[]}' '{"slot":1,"description":"d","token":[],"mechanisms":[]}' \
		'{"slot":1,"description":"d","token":"\u009b31m","mechanisms":[]}' \
		'{"slot":1,"description":"\u202e","token":"t","mechanisms":[]}' "{$slot,\"mechanisms\":[7]}" \
		"{$slot,\"mechanisms\":[{}]}" "{$slot,\"mechanisms\":[{${mechanism/\"number\":1/\"number\":\"1\"}}]}" \
		"{$slot,\"mechanisms\":[{${mechanism/\"f\"/7}}]}" "{$slot,\"mechanisms\":[{${mechanism/\[\"f\"\]/7}}]}" \
		"{$slot,\"mechanisms\":[{$mechanism,\"more\":1}]}"; do
		forged "{\"slots\":[$text],\"err\":0,\"why\":\"\"}"
	done
	ROUGH=forge ROUGH_ANSWER="{\"slots\":[{$slot,\"mechanisms\":[{$mechanism}]}],\"err\":0,\"why\":\"\"}" all --json
	is '.[1].slots | length' 1
	ROUGH=forge ROUGH_ANSWER='{"slots":[7],"err":0,"why":""}' run chancery mech list --diff "$rough" "$rough"
	failed_with 70 "damaged"
}

# Seen to fail: with what utf8_shown refuses printed as it is, and without JSON_ENSURE_ASCII.
@test "names that steer a terminal are shown as what they are" {
	for format in "" --json; do
		ROUGH=steer run chancery mech list --module "$rough" $format
		[ "$status" -eq 0 ]
		[[ $output == *'x9b31m'*'xe2'*'x80'*'xaetols'* && $output == *'xe2'*'x81'*'xa6'*'xd8'*'x9c'* ]]
		run ! grep -qP '[\x{80}-\x{9f}\x{61c}\x{202a}-\x{202e}\x{2066}-\x{2069}]' <<<"$output"
		ROUGH=steer run chancery token list --module "$rough" $format
		run ! grep -qP '[\x{80}-\x{9f}\x{61c}\x{202a}-\x{202e}\x{2066}-\x{2069}]' <<<"$output"
	done
	make_office
	make_key ec-p256 k
	run chancery key public --json --out $'\u009b31m\u202e.pem' "$(uri k)"
	[ "$status" -eq 0 ]
	[[ $output == *'\u009B31m\u202E.pem'* ]]
	run chancery key public --out $'\u009b31m\u202e.pem' "$(uri k)"
	[[ $output == *'is in ??31m???.pem'* ]]
	run chancery key generate --type ec-p256 --label $'\u009b31m' --pin-source "$user" pkcs11:token=office
	[ "$status" -eq 0 ]
	[[ $output == *'"??31m"'* ]]
}

liar_says()
{
	LIAR=$1 run --separate-stderr chancery "${@:2}"
	[ "$status" -eq 70 ] || { echo "$1: status $status: $output $stderr"; return 1; }
	[[ $output$stderr == *"$1: the module says it wrote "*" where there was room for "* ]] ||
		{ echo "$1: $output $stderr"; return 1; }
}

# Seen to fail with each call of module_wrote taken out.
@test "a module that says it wrote more than fits is not believed" {
	liar=$CHANCERY_BUILD_DIR/tests/e2e/liar_shim.so
	make_office
	make_key ec-p256 k
	head -c 300000 /dev/zero >long
	LIAR= run chancery mech list --module "$liar" --json
	[ "$status" -eq 0 ]
	liar_says C_GetSlotList mech list --module "$liar"
	liar_says C_GetSlotList token list --module "$liar"
	LIAR=C_GetMechanismList run chancery mech list --module "$liar" --json pkcs11:token=office
	[[ $output == *"C_GetMechanismList: the module says it wrote"* ]]
	liar_says C_FindObjects key list --module "$liar" --pin-source "$user" pkcs11:token=office
	liar_says C_Sign sign --module "$liar" --in pins/user.pin --out sig "$(uri k)"
	liar_says C_SignFinal sign --module "$liar" --in long --out sig "$(uri k)"
	liar_says C_DigestFinal sign --module "$liar" --in long --out sig "$(uri k)"
	LIAR=C_GetAttributeValue run chancery key list --module "$liar" --json --pin-source "$user" pkcs11:token=office
	[ "$status" -eq 0 ]
	[ "${#output}" -lt 10000 ]
}

@test "p11-kit's directories: the user's, which root's is not, before the system's" {
	mkdir -p config/pkcs11/modules
	printf 'module: %s\n' "$rough" >config/pkcs11/modules/chancery-rough.module
	export XDG_CONFIG_HOME=$work/config
	run --separate-stderr chancery mech list --all --json
	if [ "$(id -u)" = 0 ]; then
		is 'map(select(.provider == "chancery-rough")) | length' 0
	else
		is 'map(select(.provider == "chancery-rough")) | length' 1
	fi
	run chancery mech list --all --p11-kit nowhere --json
	failed_with 78 "nowhere cannot be read"
}

@test "the difference of two slots" {
	run chancery mech list --diff --json --module "$rough" 1 2
	[ "$status" -eq 0 ]
	is '[.only_a, .only_b | map(.mechanism)]' '[[],["CKM_ECDSA"]]'
	is .same 1
	is '.differ[0] | [.mechanism, .keys_a, .keys_b, .flags_only_a, .flags_only_b]' \
		'["CKM_AES_CBC","16-32","16",["hw","decrypt"],["wrap"]]'
	run chancery mech list --diff "pkcs11:token=two?module-path=$rough" "pkcs11:token=one?module-path=$rough"
	[ "$status" -eq 0 ]
	[[ $output == *"Only A: 1"*CKM_ECDSA*"In both, not the same: 1"* && $output != *"Only B"* ]]
	run chancery mech list --diff "$rough" "$CHANCERY_MODULE"
	failed_with 64 "do not offer the same"
	run chancery mech list --diff "$CHANCERY_MODULE" "pkcs11:slot-id=9?module-path=$rough"
	failed_with 69 "no slot"
	run chancery mech list --diff "$CHANCERY_MODULE" /nonexistent.so
	failed_with 78 "cannot be loaded"
}

@test "with SoftHSM2: two modules by their files" {
	use_softhsm
	make_office
	run chancery mech list --diff --json "$soft" "$CHANCERY_MODULE"
	[ "$status" -eq 0 ]
	is '.only_b | map(.mechanism) | contains(["CKM_ML_DSA"])' true
	is '.only_a | map(.mechanism) | contains(["CKM_MD5"])' true
	configure soft "module: $soft\n"
	all --json
	[ "$status" -eq 0 ]
	is '.[1].slots[0].mechanisms | length > 20' true
}

@test "what does not go together" {
	run chancery mech list --all --module "$rough"
	failed_with 64 "--all does not go with --module"
	run chancery mech list --all --diff a b
	failed_with 64 "--all does not go with --diff"
	run chancery mech list --all "pkcs11:?module-path=$rough"
	failed_with 64 "module-path"
	run chancery mech list --p11-kit modules
	failed_with 64 "goes with --all"
	run chancery mech list --diff a
	failed_with 64 "compares two"
	run chancery mech list one two
	failed_with 64 "too many"
	run chancery mech list --timeout 0
	failed_with 64 "number from 1"
	run chancery mech list 'pkcs11:?pin-value=12345678'
	failed_with 64 "pin-source"
}
