#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the shells offer after TAB, in the shells themselves: each has a terminal and is typed to.
load office

setup_file()
{
	"$CHANCERY" --help | sed -n 's/^  \([a-z]\+\( [a-z]\+\)\?\)  .*/\1/p' >"$BATS_FILE_TMPDIR/commands"
}

# in_shell NAME: there are files to be found, and completed KEYS WANTED tries that shell; skips the test where it is not installed.
in_shell()
{
	command -v "$1" >/dev/null || skip "$1 is not installed"
	command -v python3 >/dev/null || skip "python3 is not installed"
	shell=$1
	PATH=${CHANCERY%/*}:$PATH
	mkdir pins "other pins"
	touch plain.txt pins/user.pin "trailing "
	"$CHANCERY" completion "$shell" >script
	# what was typed, as the shell understands it: each word between < and >
	printf '%s\n' 'show() { printf "<%s>" "$@" >typed; }' >start
	case $shell in
	bash) begin=(bash --noprofile --rcfile start -i) ;;
	zsh)
		begin=(zsh -f -i)
		printf '%s\n' 'autoload -U compinit && compinit -u -D' 'bindkey -e' 'unsetopt auto_remove_slash' >>start
		;;
	esac
	echo '. ./script' >>start
}

# completed KEYS WANTED: after these keys the line has these words, besides chancery.
completed()
{
	local keys="$1"'\x01show \rexit\r'
	[ "$shell" = bash ] || keys='. ./start\r'$keys
	rm -f typed
	python3 "$CHANCERY_SOURCE_DIR/tests/e2e/press.py" "$keys" "${begin[@]}" || :
	[ "$(cat typed)" = "<chancery>$2" ] || { echo "$1 became $(cat typed), not $2"; return 1; }
}

# What bash and zsh have in common.
complete_words_and_values()
{
	completed 'chancery comp\t' '<completion>'
	completed 'chancery completion z\t' '<completion><zsh>'
	completed 'chancery --v\t' '<--version>'
	completed 'chancery key gen\t' '<key><generate>'
	completed 'chancery key generate --lab\t' '<key><generate><--label>'
	completed 'chancery doctor --conf\t' '<doctor><--config>'
	completed 'chancery key generate --type ml-dsa-6\t' '<key><generate><--type><ml-dsa-65>'
	completed 'chancery key list pk\t' '<key><list><pkcs11:>'
	completed 'chancery sign --in pl\t' '<sign><--in><plain.txt>'
	completed 'chancery sign --in other\t' '<sign><--in><other pins/>'
	completed 'chancery sign --in trail\t' '<sign><--in><trailing >'
	completed 'chancery sign --in=pl\t' '<sign><--in=plain.txt>'
	completed 'chancery token restore pl\t' '<token><restore><plain.txt>'
	completed 'chancery token init --make-pins pin\t' '<token><init><--make-pins><pins/>'
	# a text is nobody's to guess
	completed 'chancery token init --label pl\t' '<token><init><--label><pl>'
}

complete_sources()
{
	completed 'chancery key list --pin-source cred\t' '<key><list><--pin-source><credential:>'
	completed 'chancery key list --pin-source fi\tpl\t' '<key><list><--pin-source><file:plain.txt>'
	completed 'chancery key list --pin-source file:pl\t' '<key><list><--pin-source><file:plain.txt>'
	completed 'chancery key list --pin-source file:pi\tus\t' '<key><list><--pin-source><file:pins/user.pin>'
	completed 'chancery key list --pin-source=file:pl\t' '<key><list><--pin-source=file:plain.txt>'
}

@test "completion scripts are those that are installed" {
	for shell in bash zsh fish; do
		"$CHANCERY" completion $shell | cmp - "$CHANCERY_SOURCE_DIR/completions/chancery.$shell"
	done
}

@test "bash completes words, values and files" {
	in_shell bash
	complete_words_and_values
	complete_sources
	# M-* puts in all there is to choose from
	completed 'chancery completion \x1b*' '<completion><--help><--json><--module><--quiet><bash><fish><zsh>'
	completed 'chancery completion --\x1b*' '<completion><--help><--json><--module><--quiet>'
	completed 'chancery sign --in other\\ \t' '<sign><--in><other pins/>'
}

@test "bash completes PIN sources also where words are not split at a colon" {
	in_shell bash
	# shellcheck disable=SC2016 # bash's own
	echo 'COMP_WORDBREAKS=${COMP_WORDBREAKS//:}' >>start
	complete_sources
}

# Asks the function itself: offered LINE.
offered()
{
	bash -c '. ./script; COMP_LINE=$1 COMP_POINT=${#1}; _chancery; echo "${COMPREPLY[*]}"' - "$1"
}

@test "bash is offered every option of every command, as the usage text has them" {
	"$CHANCERY" completion bash >script
	[ "$(offered "chancery ")" = "$(sed 's/ .*//' "$BATS_FILE_TMPDIR/commands" | uniq | xargs) --help --version" ]
	[ "$(wc -l <"$BATS_FILE_TMPDIR/commands")" -ge 15 ]
	while read -r words; do
		# shellcheck disable=SC2086
		options=$("$CHANCERY" $words --help | sed -n 's/^  \(--[a-z0-9-]\+\).*/\1/p' | xargs)
		[ -n "$options" ]
		[ "$(offered "chancery $words --")" = "$options" ] || { echo "$words: $(offered "chancery $words --"), not $options"; return 1; }
	done <"$BATS_FILE_TMPDIR/commands"
}

@test "zsh completes words, values and files" {
	in_shell zsh
	complete_words_and_values
	complete_sources
}

@test "zsh takes the script as the function that it finds by its name" {
	in_shell zsh
	mkdir functions
	mv script functions/_chancery
	sed -i -e '/script/d' -e '1i fpath=(./functions $fpath)' start
	completed 'chancery key generate --lab\t' '<key><generate><--label>'
	completed 'chancery key list --pin-source file:pl\t' '<key><list><--pin-source><file:plain.txt>'
}

# fish answers without a terminal.
@test "fish completes words, values and files" {
	in_shell fish
	offers() { fish --no-config -c '. ./script; complete -C $argv[1]' "$1" | cut -f 1 | sort | xargs; }
	[ "$(offers 'chancery ')" = "$(sed 's/ .*//' "$BATS_FILE_TMPDIR/commands" | sort -u | xargs)" ]
	[ "$(offers 'chancery completion ')" = "bash fish zsh" ]
	[ "$(offers 'chancery completion --')" = "--help --json --module --quiet" ]
	[ "$(offers 'chancery key gen')" = generate ]
	[ "$(offers 'chancery sign --format ')" = "der raw" ]
	[ "$(offers 'chancery sign --in pl')" = plain.txt ]
	[ "$(offers 'chancery token init --make-pins pin')" = pins/ ]
	[ "$(offers 'chancery key list ')" = pkcs11: ]
	[ "$(offers 'chancery key list --pin-source ')" = "credential: env: fd: file: prompt" ]
	[ "$(offers 'chancery key list --pin-source file:pl')" = file:plain.txt ]
	[ "$(offers 'chancery key list --pin-source=file:pl')" = --pin-source=file:plain.txt ]
}
