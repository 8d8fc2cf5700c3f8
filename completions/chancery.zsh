#compdef chancery
# SPDX-License-Identifier: Apache-2.0
# Completion of chancery for zsh.
_chancery_source()
{
  if compset -P file:; then
    _files
  else
    compadd -S '' -- ${argv:#*[^:]}
    compadd -- ${argv:#*:}
  fi
}
_chancery_uri()
{
  compadd -S '' -- pkcs11:
}
_chancery_module()
{
  _chancery_uri
  _files
}
_chancery()
{
  local name=$words[2]
  if (( CURRENT == 2 )); then
    compadd -- token key mech audit sign verify stat doctor selftest completion --help --version
    return
  fi
  shift words
  (( CURRENT-- ))
  case $name in
    token)
      if (( CURRENT == 2 )); then
        compadd -- init list info pin unlock rename delete backup restore require-audit --help
        return
      fi
      name="$name $words[2]"
      shift words
      (( CURRENT-- )) ;;
    key)
      if (( CURRENT == 2 )); then
        compadd -- generate import list show delete public --help
        return
      fi
      name="$name $words[2]"
      shift words
      (( CURRENT-- )) ;;
    mech)
      if (( CURRENT == 2 )); then
        compadd -- list --help
        return
      fi
      name="$name $words[2]"
      shift words
      (( CURRENT-- )) ;;
    audit)
      if (( CURRENT == 2 )); then
        compadd -- init verify show tail stats anchor receipt check-receipt rotate-key export reconcile --help
        return
      fi
      name="$name $words[2]"
      shift words
      (( CURRENT-- )) ;;
  esac
  case $name in
    'token init')
      _arguments \
      '--label=[the token'\''s name, at most 32 bytes]:TEXT: ' \
      '--so-pin-source=[the security officer'\''s PIN\: file\:PATH, credential\:NAME, fd\:N, env\:NAME, prompt]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--pin-source=[the user'\''s PIN, likewise]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--make-pins=[make both PINs at random and write them to DIR/so.pin and DIR/user.pin]:DIR:_files -/' \
      '--reinitialize[destroy everything in the token that the URI names, and begin anew]' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'token list')
      _arguments \
      '--all[also slots whose token is not initialised]' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'token info')
      _arguments \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'token pin')
      _arguments \
      '--pin-source=[the user'\''s PIN as it is now]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--new-pin-source=[the user'\''s new PIN]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--so-pin-source=[change the security officer'\''s PIN instead\: the one as it is now]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--new-so-pin-source=[the security officer'\''s new PIN]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'token unlock')
      _arguments \
      '--so-pin-source=[the security officer'\''s PIN]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--new-pin-source=[the user'\''s new PIN]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'token rename')
      _arguments \
      '--label=[the new name, at most 32 bytes]:TEXT: ' \
      '--so-pin-source=[the security officer'\''s PIN]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'token delete')
      _arguments \
      '--so-pin-source=[the security officer'\''s PIN]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'token backup')
      _arguments \
      '--out=[the backup; an existing file is never overwritten]:FILE:_files' \
      '--passphrase-source=[what the backup is sealed with\: file\:PATH, credential\:NAME, fd\:N, env\:NAME, prompt]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'token restore')
      _arguments \
      '--passphrase-source=[what the backup is sealed with]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_files' ;;
    'token require-audit')
      _arguments \
      '--so-pin-source=[the security officer'\''s PIN]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--off[let the keys work without the audit log again]' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'key generate')
      _arguments \
      '--type=[what key\: rsa-3072, ec-p256, ed25519, ml-dsa-65, aes-256, ...]:KIND:(rsa-2048 rsa-3072 rsa-4096 ec-p256 ec-p384 ec-p521 ec-secp256k1 ec-brainpoolp256r1 ec-brainpoolp384r1 ec-brainpoolp512r1 ed25519 ed448 x25519 x448 ml-dsa-44 ml-dsa-65 ml-dsa-87 aes-128 aes-192 aes-256 generic-256 generic-512)' \
      '--label=[the key'\''s name; one that is in use is refused]:TEXT: ' \
      '--id=[CKA_ID (default\: from the public key)]:HEX: ' \
      '--use=[the one thing it is for\: sign, encrypt, wrap or derive (default\: by the kind)]:USE:(sign encrypt wrap derive)' \
      '--extractable[allow it to be wrapped and taken out of the token]' \
      '--audit=[a record of each signature (default), or one for each batch of public answers]:WHAT:(each batch)' \
      '--pin-source=[the user'\''s PIN]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'key import')
      _arguments \
      '--in=[the key\: PKCS#8, PKCS#1, SEC 1 or SubjectPublicKeyInfo, in PEM or DER]:FILE:_files' \
      '--raw=[the file holds the bytes of a secret key of this type]:TYPE:(aes generic)' \
      '--passphrase-source=[opens an encrypted key file]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--label=[the key'\''s name; one that is in use is refused]:TEXT: ' \
      '--id=[CKA_ID (default\: from the public key)]:HEX: ' \
      '--use=[the one thing it is for\: sign, encrypt, wrap or derive (default\: by the kind)]:USE:(sign encrypt wrap derive)' \
      '--extractable[allow it to be wrapped and taken out of the token]' \
      '--audit=[a record of each signature (default), or one for each batch of public answers]:WHAT:(each batch)' \
      '--pin-source=[the user'\''s PIN]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'key list')
      _arguments \
      '--pin-source=[the user'\''s PIN\: without it, private keys stay unseen]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'key show')
      _arguments \
      '--pin-source=[the user'\''s PIN\: without it, private keys stay unseen]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'key delete')
      _arguments \
      '--pair[delete every object that fits (a key pair and its certificates), not just one]' \
      '--pin-source=[the user'\''s PIN]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'key public')
      _arguments \
      '--out=[where the key goes (default\: standard output)]:FILE:_files' \
      '--format=[pem (default) or der\: a SubjectPublicKeyInfo either way]:FORMAT:(pem der)' \
      '--pin-source=[the user'\''s PIN, when only the private key is there]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'mech list')
      _arguments \
      '--all[list Chancery'\''s own module and every module configured for p11-kit]' \
      '--p11-kit=[with --all\: read the *.module files of DIR, not p11-kit'\''s own]:DIR:_files -/' \
      '--diff[compare A and B\: module files, URIs, or numbers of slots]' \
      '--timeout=[give a module up after so long (default\: 30)]:SECONDS: ' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_module' ;;
    'audit init')
      _arguments \
      '--key-out=[the private keys; never overwritten (default\: shown once on the terminal)]:FILE:_files' \
      '--pub-out=[only make the keys, for a roll elsewhere\: the public ones go to FILE]:FILE:_files' \
      '--auditor-pub=[make no keys\: these public ones were made elsewhere]:FILE:_files' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' ;;
    'audit verify')
      _arguments \
      '--dir=[the directory of the roll (default\: where the configuration says)]:DIR:_files -/' \
      '--auditor-key=[check the MACs with the auditor'\''s private keys\: file\:PATH, fd\:N, prompt]:SOURCE:_chancery_source file\: fd\: prompt' \
      '--anchor=[hold the roll against what was published of it]:FILE:_files' \
      '--auditor-pub=[the auditor'\''s public keys]:FILE:_files' \
      '--jobs=[files to check at once (default\: one for each processor)]:N: ' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:([FILE])' ;;
    'audit show')
      _arguments \
      '--dir=[the directory of the roll (default\: where the configuration says)]:DIR:_files -/' \
      '--actor=[only of this uid, program (path or name) or on_behalf]:PATTERN: ' \
      '--key=[only with a key of this label or id]:PATTERN: ' \
      '--event=[only events of this name, such as '\''key.*'\'']:PATTERN: ' \
      '--since=[not before\: 2026-01-31 or 2026-01-31T12\:00, UTC]:TIME: ' \
      '--until=[only before]:TIME: ' \
      '--file=[only of this file]:N: ' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' ;;
    'audit tail')
      _arguments \
      '--dir=[the directory of the roll (default\: where the configuration says)]:DIR:_files -/' \
      '--lines=[how many records (default 10)]:N: ' \
      '--follow[wait for more, in new files too, until interrupted]' \
      '--actor=[only of this uid, program (path or name) or on_behalf]:PATTERN: ' \
      '--key=[only with a key of this label or id]:PATTERN: ' \
      '--event=[only events of this name, such as '\''key.*'\'']:PATTERN: ' \
      '--file=[only of this file]:N: ' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' ;;
    'audit stats')
      _arguments \
      '--dir=[the directory of the roll (default\: where the configuration says)]:DIR:_files -/' \
      '--actor=[only of this uid, program (path or name) or on_behalf]:PATTERN: ' \
      '--key=[only with a key of this label or id]:PATTERN: ' \
      '--event=[only events of this name, such as '\''key.*'\'']:PATTERN: ' \
      '--since=[not before\: 2026-01-31 or 2026-01-31T12\:00, UTC]:TIME: ' \
      '--until=[only before]:TIME: ' \
      '--file=[only of this file]:N: ' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' ;;
    'audit anchor')
      _arguments \
      '--dir=[the directory of the roll (default\: where the configuration says)]:DIR:_files -/' \
      '--auditor-key=[sign the anchor with the auditor'\''s private keys\: file\:PATH, fd\:N, prompt]:SOURCE:_chancery_source file\: fd\: prompt' \
      '--out=[the anchor (default\: standard output)]:FILE:_files' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' ;;
    'audit receipt')
      _arguments \
      '--dir=[the directory of the roll (default\: where the configuration says)]:DIR:_files -/' \
      '--auditor-key=[counter-sign the checkpoint with the auditor'\''s private keys\: file\:PATH, fd\:N, prompt]:SOURCE:_chancery_source file\: fd\: prompt' \
      '--out=[the receipt (default\: standard output)]:FILE:_files' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:(FILE:SEQ)' ;;
    'audit check-receipt')
      _arguments \
      '--auditor-pub=[the auditor'\''s public keys]:FILE:_files' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_files' ;;
    'audit rotate-key')
      _arguments \
      '--auditor-key=[the private keys of the auditor until now\: file\:PATH, fd\:N, prompt]:SOURCE:_chancery_source file\: fd\: prompt' \
      '--key-out=[the private keys; never overwritten (default\: shown once on the terminal)]:FILE:_files' \
      '--pub-out=[only make the keys, for a roll elsewhere\: the public ones go to FILE]:FILE:_files' \
      '--out=[the statement of the change (default\: standard output)]:FILE:_files' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' ;;
    'audit export')
      _arguments \
      '--dir=[the directory of the roll (default\: where the configuration says)]:DIR:_files -/' \
      '--format=[csv, or ndjson (default)\: the records as they are, with their file]:FORMAT:(csv ndjson)' \
      '--actor=[only of this uid, program (path or name) or on_behalf]:PATTERN: ' \
      '--key=[only with a key of this label or id]:PATTERN: ' \
      '--event=[only events of this name, such as '\''key.*'\'']:PATTERN: ' \
      '--since=[not before\: 2026-01-31 or 2026-01-31T12\:00, UTC]:TIME: ' \
      '--until=[only before]:TIME: ' \
      '--file=[only of this file]:N: ' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' ;;
    'audit reconcile')
      _arguments \
      '--dir=[the directory of the roll (default\: where the configuration says)]:DIR:_files -/' \
      '--pin-source=[the user'\''s PIN, which opens the counters]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--so-pin-source=[the security officer'\''s PIN, for the same]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'sign')
      _arguments \
      '--in=[what to sign (default\: standard input)]:FILE:_files' \
      '--out=[where the signature goes (default\: standard output)]:FILE:_files' \
      '--algorithm=[how to sign (default\: by the key)]:NAME:(rsa-pss-sha256 rsa-pss-sha384 rsa-pss-sha512 rsa-pkcs1-sha256 rsa-pkcs1-sha384 rsa-pkcs1-sha512 ecdsa-sha256 ecdsa-sha384 ecdsa-sha512 ecdsa-sha3-256 ecdsa-sha3-384 ecdsa-sha3-512 eddsa ml-dsa)' \
      '--context=[context string of EdDSA and ML-DSA]:TEXT: ' \
      '--format=[ECDSA signatures as der (X.509, OpenSSL; default) or raw (r and s)]:FORMAT:(der raw)' \
      '--pin-source=[the user'\''s PIN]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'verify')
      _arguments \
      '--in=[what was signed (default\: standard input)]:FILE:_files' \
      '--signature=[the signature]:FILE:_files' \
      '--algorithm=[how it was signed (default\: by the key)]:NAME:(rsa-pss-sha256 rsa-pss-sha384 rsa-pss-sha512 rsa-pkcs1-sha256 rsa-pkcs1-sha384 rsa-pkcs1-sha512 ecdsa-sha256 ecdsa-sha384 ecdsa-sha512 ecdsa-sha3-256 ecdsa-sha3-384 ecdsa-sha3-512 eddsa ml-dsa)' \
      '--context=[context string of EdDSA and ML-DSA]:TEXT: ' \
      '--format=[ECDSA signatures as der (default) or raw]:FORMAT:(der raw)' \
      '--pin-source=[the user'\''s PIN, for a key that is private to the user]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'stat')
      _arguments \
      '--watch[go on, and show how many operations there are in a second]' \
      '--interval=[with --watch\: how often (default\: 2)]:SECONDS: ' \
      '--prometheus[print the text format that Prometheus reads]' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'doctor')
      _arguments \
      '--config[only check the configuration and print every key with its value]' \
      '--pin-source=[the user'\''s PIN\: checks everything stored in the token that the URI names]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--so-pin-source=[the security officer'\''s PIN, for the same]:SOURCE:_chancery_source file\: credential\: fd\: env\: prompt' \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:_chancery_uri' ;;
    'selftest')
      _arguments \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' ;;
    'completion')
      _arguments \
      '--json[print the result as JSON]' \
      '--quiet[print nothing but errors and what was asked for]' \
      '--module=[the PKCS#11 module to use (default\: Chancery'\''s own)]:FILE:_files' \
      '--help[explain this command]' \
      '*:operand:(bash zsh fish)' ;;
  esac
}
if [ "$funcstack[1]" = _chancery ]; then
  _chancery "$@"
else
  compdef _chancery chancery
fi
