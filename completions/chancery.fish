# SPDX-License-Identifier: Apache-2.0
# Completion of chancery for fish.
function __chancery_at
  set -q argv[1]; or return 0
  set -l words (commandline -opc)
  set -l last (math 1 + (count $argv))
  test (count $words) -ge $last; and test "$words[2..$last]" = "$argv"
end
function __chancery_next
  test (count (commandline -opc)) = (math 1 + (count $argv)); and __chancery_at $argv
end
function __chancery_source
  set -l word (string replace -r '^--[^=]*=' '' -- (commandline -ct))
  if string match -q 'file:*' -- $word
    printf 'file:%s\n' (__fish_complete_path (string replace file: '' -- $word))
  else
    printf '%s\n' $argv
  end
end
complete -c chancery -f
complete -c chancery -n __chancery_next -l version -d 'print the version'
complete -c chancery -n __chancery_next -l help -d 'list the commands'
complete -c chancery -n '__chancery_next' -a token
complete -c chancery -n '__chancery_next token' -a init -d 'Make a token'
complete -c chancery -n '__chancery_at token init' -l label -d 'the token\'s name, at most 32 bytes' -x
complete -c chancery -n '__chancery_at token init' -l so-pin-source -d 'the security officer\'s PIN: file:PATH, credential:NAME, fd:N, env:NAME, prompt' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at token init' -l pin-source -d 'the user\'s PIN, likewise' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at token init' -l make-pins -d 'make both PINs at random and write them to DIR/so.pin and DIR/user.pin' -x -a '(__fish_complete_directories (commandline -ct))'
complete -c chancery -n '__chancery_at token init' -l reinitialize -d 'destroy everything in the token that the URI names, and begin anew'
complete -c chancery -n '__chancery_at token init' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at token init' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at token init' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at token init' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at token init' -a pkcs11:
complete -c chancery -n '__chancery_next token' -a list -d 'List tokens'
complete -c chancery -n '__chancery_at token list' -l all -d 'also slots whose token is not initialised'
complete -c chancery -n '__chancery_at token list' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at token list' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at token list' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at token list' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at token list' -a pkcs11:
complete -c chancery -n '__chancery_next token' -a info -d 'Show what a token says of itself'
complete -c chancery -n '__chancery_at token info' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at token info' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at token info' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at token info' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at token info' -a pkcs11:
complete -c chancery -n '__chancery_next token' -a pin -d 'Change a PIN'
complete -c chancery -n '__chancery_at token pin' -l pin-source -d 'the user\'s PIN as it is now' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at token pin' -l new-pin-source -d 'the user\'s new PIN' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at token pin' -l so-pin-source -d 'change the security officer\'s PIN instead: the one as it is now' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at token pin' -l new-so-pin-source -d 'the security officer\'s new PIN' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at token pin' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at token pin' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at token pin' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at token pin' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at token pin' -a pkcs11:
complete -c chancery -n '__chancery_next token' -a unlock -d 'Set the user\'s PIN as the security officer, and unlock it'
complete -c chancery -n '__chancery_at token unlock' -l so-pin-source -d 'the security officer\'s PIN' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at token unlock' -l new-pin-source -d 'the user\'s new PIN' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at token unlock' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at token unlock' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at token unlock' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at token unlock' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at token unlock' -a pkcs11:
complete -c chancery -n '__chancery_next token' -a rename -d 'Give a token another name'
complete -c chancery -n '__chancery_at token rename' -l label -d 'the new name, at most 32 bytes' -x
complete -c chancery -n '__chancery_at token rename' -l so-pin-source -d 'the security officer\'s PIN' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at token rename' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at token rename' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at token rename' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at token rename' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at token rename' -a pkcs11:
complete -c chancery -n '__chancery_next token' -a delete -d 'Delete a token and everything in it'
complete -c chancery -n '__chancery_at token delete' -l so-pin-source -d 'the security officer\'s PIN' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at token delete' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at token delete' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at token delete' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at token delete' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at token delete' -a pkcs11:
complete -c chancery -n '__chancery_next token' -a backup -d 'Write a sealed copy of a token to a file'
complete -c chancery -n '__chancery_at token backup' -l out -d 'the backup; an existing file is never overwritten' -r -F
complete -c chancery -n '__chancery_at token backup' -l passphrase-source -d 'what the backup is sealed with: file:PATH, credential:NAME, fd:N, env:NAME, prompt' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at token backup' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at token backup' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at token backup' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at token backup' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at token backup' -a pkcs11:
complete -c chancery -n '__chancery_next token' -a restore -d 'Make a token from a backup'
complete -c chancery -n '__chancery_at token restore' -l passphrase-source -d 'what the backup is sealed with' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at token restore' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at token restore' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at token restore' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at token restore' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at token restore' -F
complete -c chancery -n '__chancery_next token' -a require-audit -d 'Let a token\'s keys work only with the audit log'
complete -c chancery -n '__chancery_at token require-audit' -l so-pin-source -d 'the security officer\'s PIN' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at token require-audit' -l off -d 'let the keys work without the audit log again'
complete -c chancery -n '__chancery_at token require-audit' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at token require-audit' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at token require-audit' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at token require-audit' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at token require-audit' -a pkcs11:
complete -c chancery -n '__chancery_next' -a key
complete -c chancery -n '__chancery_next key' -a generate -d 'Make a key or a key pair on a token'
complete -c chancery -n '__chancery_at key generate' -l type -d 'what key: rsa-3072, ec-p256, ed25519, ml-dsa-65, aes-256, ...' -x -a 'rsa-2048 rsa-3072 rsa-4096 ec-p256 ec-p384 ec-p521 ec-secp256k1 ec-brainpoolp256r1 ec-brainpoolp384r1 ec-brainpoolp512r1 ed25519 ed448 x25519 x448 ml-dsa-44 ml-dsa-65 ml-dsa-87 aes-128 aes-192 aes-256 generic-256 generic-512'
complete -c chancery -n '__chancery_at key generate' -l label -d 'the key\'s name; one that is in use is refused' -x
complete -c chancery -n '__chancery_at key generate' -l id -d 'CKA_ID (default: from the public key)' -x
complete -c chancery -n '__chancery_at key generate' -l use -d 'the one thing it is for: sign, encrypt, wrap or derive (default: by the kind)' -x -a 'sign encrypt wrap derive'
complete -c chancery -n '__chancery_at key generate' -l extractable -d 'allow it to be wrapped and taken out of the token'
complete -c chancery -n '__chancery_at key generate' -l audit -d 'a record of each signature (default), or one for each batch of public answers' -x -a 'each batch'
complete -c chancery -n '__chancery_at key generate' -l pin-source -d 'the user\'s PIN' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at key generate' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at key generate' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at key generate' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at key generate' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at key generate' -a pkcs11:
complete -c chancery -n '__chancery_next key' -a import -d 'Take a key from a file into a token'
complete -c chancery -n '__chancery_at key import' -l in -d 'the key: PKCS#8, PKCS#1, SEC 1 or SubjectPublicKeyInfo, in PEM or DER' -r -F
complete -c chancery -n '__chancery_at key import' -l raw -d 'the file holds the bytes of a secret key of this type' -x -a 'aes generic'
complete -c chancery -n '__chancery_at key import' -l passphrase-source -d 'opens an encrypted key file' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at key import' -l label -d 'the key\'s name; one that is in use is refused' -x
complete -c chancery -n '__chancery_at key import' -l id -d 'CKA_ID (default: from the public key)' -x
complete -c chancery -n '__chancery_at key import' -l use -d 'the one thing it is for: sign, encrypt, wrap or derive (default: by the kind)' -x -a 'sign encrypt wrap derive'
complete -c chancery -n '__chancery_at key import' -l extractable -d 'allow it to be wrapped and taken out of the token'
complete -c chancery -n '__chancery_at key import' -l audit -d 'a record of each signature (default), or one for each batch of public answers' -x -a 'each batch'
complete -c chancery -n '__chancery_at key import' -l pin-source -d 'the user\'s PIN' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at key import' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at key import' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at key import' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at key import' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at key import' -a pkcs11:
complete -c chancery -n '__chancery_next key' -a list -d 'List keys and other objects of a token'
complete -c chancery -n '__chancery_at key list' -l pin-source -d 'the user\'s PIN: without it, private keys stay unseen' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at key list' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at key list' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at key list' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at key list' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at key list' -a pkcs11:
complete -c chancery -n '__chancery_next key' -a show -d 'Show one key'
complete -c chancery -n '__chancery_at key show' -l pin-source -d 'the user\'s PIN: without it, private keys stay unseen' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at key show' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at key show' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at key show' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at key show' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at key show' -a pkcs11:
complete -c chancery -n '__chancery_next key' -a delete -d 'Delete a key'
complete -c chancery -n '__chancery_at key delete' -l pair -d 'delete every object that fits (a key pair and its certificates), not just one'
complete -c chancery -n '__chancery_at key delete' -l pin-source -d 'the user\'s PIN' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at key delete' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at key delete' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at key delete' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at key delete' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at key delete' -a pkcs11:
complete -c chancery -n '__chancery_next key' -a public -d 'Write a public key to a file'
complete -c chancery -n '__chancery_at key public' -l out -d 'where the key goes (default: standard output)' -r -F
complete -c chancery -n '__chancery_at key public' -l format -d 'pem (default) or der: a SubjectPublicKeyInfo either way' -x -a 'pem der'
complete -c chancery -n '__chancery_at key public' -l pin-source -d 'the user\'s PIN, when only the private key is there' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at key public' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at key public' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at key public' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at key public' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at key public' -a pkcs11:
complete -c chancery -n '__chancery_next' -a mech
complete -c chancery -n '__chancery_next mech' -a list -d 'List the mechanisms of every slot with flags and key sizes, or compare two'
complete -c chancery -n '__chancery_at mech list' -l all -d 'list Chancery\'s own module and every module configured for p11-kit'
complete -c chancery -n '__chancery_at mech list' -l p11-kit -d 'with --all: read the *.module files of DIR, not p11-kit\'s own' -x -a '(__fish_complete_directories (commandline -ct))'
complete -c chancery -n '__chancery_at mech list' -l diff -d 'compare A and B: module files, URIs, or numbers of slots'
complete -c chancery -n '__chancery_at mech list' -l timeout -d 'give a module up after so long (default: 30)' -x
complete -c chancery -n '__chancery_at mech list' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at mech list' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at mech list' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at mech list' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at mech list' -F -a pkcs11:
complete -c chancery -n '__chancery_next' -a audit
complete -c chancery -n '__chancery_next audit' -a init -d 'Make the keys that the roll is sealed to'
complete -c chancery -n '__chancery_at audit init' -l key-out -d 'the private keys; never overwritten (default: shown once on the terminal)' -r -F
complete -c chancery -n '__chancery_at audit init' -l pub-out -d 'only make the keys, for a roll elsewhere: the public ones go to FILE' -r -F
complete -c chancery -n '__chancery_at audit init' -l auditor-pub -d 'make no keys: these public ones were made elsewhere' -r -F
complete -c chancery -n '__chancery_at audit init' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at audit init' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at audit init' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at audit init' -l help -d 'explain this command'
complete -c chancery -n '__chancery_next audit' -a verify -d 'Check the roll and say what that establishes'
complete -c chancery -n '__chancery_at audit verify' -l dir -d 'the directory of the roll (default: where the configuration says)' -x -a '(__fish_complete_directories (commandline -ct))'
complete -c chancery -n '__chancery_at audit verify' -l auditor-key -d 'check the MACs with the auditor\'s private keys: file:PATH, fd:N, prompt' -x -a '(__chancery_source file: fd: prompt)'
complete -c chancery -n '__chancery_at audit verify' -l anchor -d 'hold the roll against what was published of it' -r -F
complete -c chancery -n '__chancery_at audit verify' -l auditor-pub -d 'the auditor\'s public keys' -r -F
complete -c chancery -n '__chancery_at audit verify' -l jobs -d 'files to check at once (default: one for each processor)' -x
complete -c chancery -n '__chancery_at audit verify' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at audit verify' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at audit verify' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at audit verify' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at audit verify' -a '[FILE]'
complete -c chancery -n '__chancery_next audit' -a show -d 'Print records'
complete -c chancery -n '__chancery_at audit show' -l dir -d 'the directory of the roll (default: where the configuration says)' -x -a '(__fish_complete_directories (commandline -ct))'
complete -c chancery -n '__chancery_at audit show' -l actor -d 'only of this uid, program (path or name) or on_behalf' -x
complete -c chancery -n '__chancery_at audit show' -l key -d 'only with a key of this label or id' -x
complete -c chancery -n '__chancery_at audit show' -l event -d 'only events of this name, such as \'key.*\'' -x
complete -c chancery -n '__chancery_at audit show' -l since -d 'not before: 2026-01-31 or 2026-01-31T12:00, UTC' -x
complete -c chancery -n '__chancery_at audit show' -l until -d 'only before' -x
complete -c chancery -n '__chancery_at audit show' -l file -d 'only of this file' -x
complete -c chancery -n '__chancery_at audit show' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at audit show' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at audit show' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at audit show' -l help -d 'explain this command'
complete -c chancery -n '__chancery_next audit' -a tail -d 'Print the newest records'
complete -c chancery -n '__chancery_at audit tail' -l dir -d 'the directory of the roll (default: where the configuration says)' -x -a '(__fish_complete_directories (commandline -ct))'
complete -c chancery -n '__chancery_at audit tail' -l lines -d 'how many records (default 10)' -x
complete -c chancery -n '__chancery_at audit tail' -l follow -d 'wait for more, in new files too, until interrupted'
complete -c chancery -n '__chancery_at audit tail' -l actor -d 'only of this uid, program (path or name) or on_behalf' -x
complete -c chancery -n '__chancery_at audit tail' -l key -d 'only with a key of this label or id' -x
complete -c chancery -n '__chancery_at audit tail' -l event -d 'only events of this name, such as \'key.*\'' -x
complete -c chancery -n '__chancery_at audit tail' -l file -d 'only of this file' -x
complete -c chancery -n '__chancery_at audit tail' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at audit tail' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at audit tail' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at audit tail' -l help -d 'explain this command'
complete -c chancery -n '__chancery_next audit' -a stats -d 'Count the records by event, key, return value and day'
complete -c chancery -n '__chancery_at audit stats' -l dir -d 'the directory of the roll (default: where the configuration says)' -x -a '(__fish_complete_directories (commandline -ct))'
complete -c chancery -n '__chancery_at audit stats' -l actor -d 'only of this uid, program (path or name) or on_behalf' -x
complete -c chancery -n '__chancery_at audit stats' -l key -d 'only with a key of this label or id' -x
complete -c chancery -n '__chancery_at audit stats' -l event -d 'only events of this name, such as \'key.*\'' -x
complete -c chancery -n '__chancery_at audit stats' -l since -d 'not before: 2026-01-31 or 2026-01-31T12:00, UTC' -x
complete -c chancery -n '__chancery_at audit stats' -l until -d 'only before' -x
complete -c chancery -n '__chancery_at audit stats' -l file -d 'only of this file' -x
complete -c chancery -n '__chancery_at audit stats' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at audit stats' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at audit stats' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at audit stats' -l help -d 'explain this command'
complete -c chancery -n '__chancery_next audit' -a anchor -d 'Print what to publish, so that the roll can be held against it later'
complete -c chancery -n '__chancery_at audit anchor' -l dir -d 'the directory of the roll (default: where the configuration says)' -x -a '(__fish_complete_directories (commandline -ct))'
complete -c chancery -n '__chancery_at audit anchor' -l auditor-key -d 'sign the anchor with the auditor\'s private keys: file:PATH, fd:N, prompt' -x -a '(__chancery_source file: fd: prompt)'
complete -c chancery -n '__chancery_at audit anchor' -l out -d 'the anchor (default: standard output)' -r -F
complete -c chancery -n '__chancery_at audit anchor' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at audit anchor' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at audit anchor' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at audit anchor' -l help -d 'explain this command'
complete -c chancery -n '__chancery_next audit' -a receipt -d 'Write what proves a record without the roll'
complete -c chancery -n '__chancery_at audit receipt' -l dir -d 'the directory of the roll (default: where the configuration says)' -x -a '(__fish_complete_directories (commandline -ct))'
complete -c chancery -n '__chancery_at audit receipt' -l auditor-key -d 'counter-sign the checkpoint with the auditor\'s private keys: file:PATH, fd:N, prompt' -x -a '(__chancery_source file: fd: prompt)'
complete -c chancery -n '__chancery_at audit receipt' -l out -d 'the receipt (default: standard output)' -r -F
complete -c chancery -n '__chancery_at audit receipt' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at audit receipt' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at audit receipt' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at audit receipt' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at audit receipt' -a 'FILE:SEQ'
complete -c chancery -n '__chancery_next audit' -a check-receipt -d 'Check a receipt, without the roll'
complete -c chancery -n '__chancery_at audit check-receipt' -l auditor-pub -d 'the auditor\'s public keys' -r -F
complete -c chancery -n '__chancery_at audit check-receipt' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at audit check-receipt' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at audit check-receipt' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at audit check-receipt' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at audit check-receipt' -F
complete -c chancery -n '__chancery_next audit' -a rotate-key -d 'Let another auditor follow, signed by both'
complete -c chancery -n '__chancery_at audit rotate-key' -l auditor-key -d 'the private keys of the auditor until now: file:PATH, fd:N, prompt' -x -a '(__chancery_source file: fd: prompt)'
complete -c chancery -n '__chancery_at audit rotate-key' -l key-out -d 'the private keys; never overwritten (default: shown once on the terminal)' -r -F
complete -c chancery -n '__chancery_at audit rotate-key' -l pub-out -d 'only make the keys, for a roll elsewhere: the public ones go to FILE' -r -F
complete -c chancery -n '__chancery_at audit rotate-key' -l out -d 'the statement of the change (default: standard output)' -r -F
complete -c chancery -n '__chancery_at audit rotate-key' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at audit rotate-key' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at audit rotate-key' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at audit rotate-key' -l help -d 'explain this command'
complete -c chancery -n '__chancery_next audit' -a export -d 'Write all files as one, in the order of time'
complete -c chancery -n '__chancery_at audit export' -l dir -d 'the directory of the roll (default: where the configuration says)' -x -a '(__fish_complete_directories (commandline -ct))'
complete -c chancery -n '__chancery_at audit export' -l format -d 'csv, or ndjson (default): the records as they are, with their file' -x -a 'csv ndjson'
complete -c chancery -n '__chancery_at audit export' -l actor -d 'only of this uid, program (path or name) or on_behalf' -x
complete -c chancery -n '__chancery_at audit export' -l key -d 'only with a key of this label or id' -x
complete -c chancery -n '__chancery_at audit export' -l event -d 'only events of this name, such as \'key.*\'' -x
complete -c chancery -n '__chancery_at audit export' -l since -d 'not before: 2026-01-31 or 2026-01-31T12:00, UTC' -x
complete -c chancery -n '__chancery_at audit export' -l until -d 'only before' -x
complete -c chancery -n '__chancery_at audit export' -l file -d 'only of this file' -x
complete -c chancery -n '__chancery_at audit export' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at audit export' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at audit export' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at audit export' -l help -d 'explain this command'
complete -c chancery -n '__chancery_next audit' -a reconcile -d 'Hold the records against the uses that a token counted'
complete -c chancery -n '__chancery_at audit reconcile' -l dir -d 'the directory of the roll (default: where the configuration says)' -x -a '(__fish_complete_directories (commandline -ct))'
complete -c chancery -n '__chancery_at audit reconcile' -l pin-source -d 'the user\'s PIN, which opens the counters' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at audit reconcile' -l so-pin-source -d 'the security officer\'s PIN, for the same' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at audit reconcile' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at audit reconcile' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at audit reconcile' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at audit reconcile' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at audit reconcile' -a pkcs11:
complete -c chancery -n '__chancery_next' -a sign -d 'Sign a file'
complete -c chancery -n '__chancery_at sign' -l in -d 'what to sign (default: standard input)' -r -F
complete -c chancery -n '__chancery_at sign' -l out -d 'where the signature goes (default: standard output)' -r -F
complete -c chancery -n '__chancery_at sign' -l algorithm -d 'how to sign (default: by the key)' -x -a 'rsa-pss-sha256 rsa-pss-sha384 rsa-pss-sha512 rsa-pkcs1-sha256 rsa-pkcs1-sha384 rsa-pkcs1-sha512 ecdsa-sha256 ecdsa-sha384 ecdsa-sha512 ecdsa-sha3-256 ecdsa-sha3-384 ecdsa-sha3-512 eddsa ml-dsa'
complete -c chancery -n '__chancery_at sign' -l context -d 'context string of EdDSA and ML-DSA' -x
complete -c chancery -n '__chancery_at sign' -l format -d 'ECDSA signatures as der (X.509, OpenSSL; default) or raw (r and s)' -x -a 'der raw'
complete -c chancery -n '__chancery_at sign' -l pin-source -d 'the user\'s PIN' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at sign' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at sign' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at sign' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at sign' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at sign' -a pkcs11:
complete -c chancery -n '__chancery_next' -a verify -d 'Verify a file\'s signature'
complete -c chancery -n '__chancery_at verify' -l in -d 'what was signed (default: standard input)' -r -F
complete -c chancery -n '__chancery_at verify' -l signature -d 'the signature' -r -F
complete -c chancery -n '__chancery_at verify' -l algorithm -d 'how it was signed (default: by the key)' -x -a 'rsa-pss-sha256 rsa-pss-sha384 rsa-pss-sha512 rsa-pkcs1-sha256 rsa-pkcs1-sha384 rsa-pkcs1-sha512 ecdsa-sha256 ecdsa-sha384 ecdsa-sha512 ecdsa-sha3-256 ecdsa-sha3-384 ecdsa-sha3-512 eddsa ml-dsa'
complete -c chancery -n '__chancery_at verify' -l context -d 'context string of EdDSA and ML-DSA' -x
complete -c chancery -n '__chancery_at verify' -l format -d 'ECDSA signatures as der (default) or raw' -x -a 'der raw'
complete -c chancery -n '__chancery_at verify' -l pin-source -d 'the user\'s PIN, for a key that is private to the user' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at verify' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at verify' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at verify' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at verify' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at verify' -a pkcs11:
complete -c chancery -n '__chancery_next' -a stat -d 'Show what was done with which mechanism: operations, errors, bytes and times'
complete -c chancery -n '__chancery_at stat' -l watch -d 'go on, and show how many operations there are in a second'
complete -c chancery -n '__chancery_at stat' -l interval -d 'with --watch: how often (default: 2)' -x
complete -c chancery -n '__chancery_at stat' -l prometheus -d 'print the text format that Prometheus reads'
complete -c chancery -n '__chancery_at stat' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at stat' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at stat' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at stat' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at stat' -a pkcs11:
complete -c chancery -n '__chancery_next' -a doctor -d 'Look for what is wrong with the installation, and say how to mend it'
complete -c chancery -n '__chancery_at doctor' -l config -d 'only check the configuration and print every key with its value'
complete -c chancery -n '__chancery_at doctor' -l pin-source -d 'the user\'s PIN: checks everything stored in the token that the URI names' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at doctor' -l so-pin-source -d 'the security officer\'s PIN, for the same' -x -a '(__chancery_source file: credential: fd: env: prompt)'
complete -c chancery -n '__chancery_at doctor' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at doctor' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at doctor' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at doctor' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at doctor' -a pkcs11:
complete -c chancery -n '__chancery_next' -a selftest -d 'Run every known-answer test of the module'
complete -c chancery -n '__chancery_at selftest' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at selftest' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at selftest' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at selftest' -l help -d 'explain this command'
complete -c chancery -n '__chancery_next' -a completion -d 'Print a completion script for bash, zsh or fish'
complete -c chancery -n '__chancery_at completion' -l json -d 'print the result as JSON'
complete -c chancery -n '__chancery_at completion' -l quiet -d 'print nothing but errors and what was asked for'
complete -c chancery -n '__chancery_at completion' -l module -d 'the PKCS#11 module to use (default: Chancery\'s own)' -r -F
complete -c chancery -n '__chancery_at completion' -l help -d 'explain this command'
complete -c chancery -n '__chancery_at completion' -a 'bash zsh fish'
