#compdef chancery
# Completion of chancery for zsh.
autoload -U +X bashcompinit && bashcompinit
# SPDX-License-Identifier: Apache-2.0
# Completion of chancery for bash.
_chancery() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= name=
  COMPREPLY=()
  case "${COMP_WORDS[1]}" in
    token) name="${COMP_WORDS[1]} ${COMP_WORDS[2]}" ;;
    key) name="${COMP_WORDS[1]} ${COMP_WORDS[2]}" ;;
    mech) name="${COMP_WORDS[1]} ${COMP_WORDS[2]}" ;;
    audit) name="${COMP_WORDS[1]} ${COMP_WORDS[2]}" ;;
    *) name=${COMP_WORDS[1]} ;;
  esac
  case "$name $prev" in
    "token init --so-pin-source") words="file: credential: fd: env: prompt" ;;
    "token init --pin-source") words="file: credential: fd: env: prompt" ;;
    "token pin --pin-source") words="file: credential: fd: env: prompt" ;;
    "token pin --new-pin-source") words="file: credential: fd: env: prompt" ;;
    "token pin --so-pin-source") words="file: credential: fd: env: prompt" ;;
    "token pin --new-so-pin-source") words="file: credential: fd: env: prompt" ;;
    "token unlock --so-pin-source") words="file: credential: fd: env: prompt" ;;
    "token unlock --new-pin-source") words="file: credential: fd: env: prompt" ;;
    "token rename --so-pin-source") words="file: credential: fd: env: prompt" ;;
    "token delete --so-pin-source") words="file: credential: fd: env: prompt" ;;
    "token backup --passphrase-source") words="file: credential: fd: env: prompt" ;;
    "token restore --passphrase-source") words="file: credential: fd: env: prompt" ;;
    "key generate --type") words="rsa-2048 rsa-3072 rsa-4096 ec-p256 ec-p384 ec-p521 ec-secp256k1 ec-brainpoolp256r1 ec-brainpoolp384r1 ec-brainpoolp512r1 ed25519 ed448 x25519 x448 ml-dsa-44 ml-dsa-65 ml-dsa-87 aes-128 aes-192 aes-256 generic-256 generic-512" ;;
    "key generate --use") words="sign encrypt wrap derive" ;;
    "key generate --pin-source") words="file: credential: fd: env: prompt" ;;
    "key import --raw") words="aes generic" ;;
    "key import --passphrase-source") words="file: credential: fd: env: prompt" ;;
    "key import --use") words="sign encrypt wrap derive" ;;
    "key import --pin-source") words="file: credential: fd: env: prompt" ;;
    "key list --pin-source") words="file: credential: fd: env: prompt" ;;
    "key show --pin-source") words="file: credential: fd: env: prompt" ;;
    "key delete --pin-source") words="file: credential: fd: env: prompt" ;;
    "key public --format") words="pem der" ;;
    "key public --pin-source") words="file: credential: fd: env: prompt" ;;
    "audit verify --auditor-key") words="file: fd: prompt" ;;
    "audit anchor --auditor-key") words="file: fd: prompt" ;;
    "audit receipt --auditor-key") words="file: fd: prompt" ;;
    "audit rotate-key --auditor-key") words="file: fd: prompt" ;;
    "audit export --format") words="csv ndjson" ;;
    "sign --algorithm") words="rsa-pss-sha256 rsa-pss-sha384 rsa-pss-sha512 rsa-pkcs1-sha256 rsa-pkcs1-sha384 rsa-pkcs1-sha512 ecdsa-sha256 ecdsa-sha384 ecdsa-sha512 ecdsa-sha3-256 ecdsa-sha3-384 ecdsa-sha3-512 eddsa ml-dsa" ;;
    "sign --format") words="der raw" ;;
    "sign --pin-source") words="file: credential: fd: env: prompt" ;;
    "verify --algorithm") words="rsa-pss-sha256 rsa-pss-sha384 rsa-pss-sha512 rsa-pkcs1-sha256 rsa-pkcs1-sha384 rsa-pkcs1-sha512 ecdsa-sha256 ecdsa-sha384 ecdsa-sha512 ecdsa-sha3-256 ecdsa-sha3-384 ecdsa-sha3-512 eddsa ml-dsa" ;;
    "verify --format") words="der raw" ;;
    "verify --pin-source") words="file: credential: fd: env: prompt" ;;
    "doctor --pin-source") words="file: credential: fd: env: prompt" ;;
    "doctor --so-pin-source") words="file: credential: fd: env: prompt" ;;
  esac
  if [ -z "$words" ]; then
    if [ "$COMP_CWORD" = 1 ]; then words="token key mech audit sign verify stat doctor selftest completion"
    else
      case "$name" in
        "token init") words=" --label --so-pin-source --pin-source --make-pins --reinitialize --json --quiet --module --help" ;;
        "token list") words=" --all --json --quiet --module --help" ;;
        "token info") words=" --json --quiet --module --help" ;;
        "token pin") words=" --pin-source --new-pin-source --so-pin-source --new-so-pin-source --json --quiet --module --help" ;;
        "token unlock") words=" --so-pin-source --new-pin-source --json --quiet --module --help" ;;
        "token rename") words=" --label --so-pin-source --json --quiet --module --help" ;;
        "token delete") words=" --so-pin-source --json --quiet --module --help" ;;
        "token backup") words=" --out --passphrase-source --json --quiet --module --help" ;;
        "token restore") words=" --passphrase-source --json --quiet --module --help" ;;
        "key generate") words=" --type --label --id --use --extractable --pin-source --json --quiet --module --help" ;;
        "key import") words=" --in --raw --passphrase-source --label --id --use --extractable --pin-source --json --quiet --module --help" ;;
        "key list") words=" --pin-source --json --quiet --module --help" ;;
        "key show") words=" --pin-source --json --quiet --module --help" ;;
        "key delete") words=" --pair --pin-source --json --quiet --module --help" ;;
        "key public") words=" --out --format --pin-source --json --quiet --module --help" ;;
        "mech list") words=" --all --p11-kit --diff --timeout --json --quiet --module --help" ;;
        "audit init") words=" --key-out --pub-out --auditor-pub --json --quiet --module --help" ;;
        "audit verify") words=" --dir --auditor-key --anchor --auditor-pub --jobs --json --quiet --module --help" ;;
        "audit show") words=" --dir --actor --key --event --since --until --file --json --quiet --module --help" ;;
        "audit tail") words=" --dir --lines --follow --actor --key --event --file --json --quiet --module --help" ;;
        "audit stats") words=" --dir --actor --key --event --since --until --file --json --quiet --module --help" ;;
        "audit anchor") words=" --dir --auditor-key --out --json --quiet --module --help" ;;
        "audit receipt") words=" --dir --auditor-key --out --json --quiet --module --help" ;;
        "audit check-receipt") words=" --auditor-pub --json --quiet --module --help" ;;
        "audit rotate-key") words=" --auditor-key --key-out --pub-out --out --json --quiet --module --help" ;;
        "audit export") words=" --dir --format --actor --key --event --since --until --file --json --quiet --module --help" ;;
        "sign") words=" --in --out --algorithm --context --format --pin-source --json --quiet --module --help" ;;
        "verify") words=" --in --signature --algorithm --context --format --pin-source --json --quiet --module --help" ;;
        "stat") words=" --watch --interval --prometheus --json --quiet --module --help" ;;
        "doctor") words=" --config --pin-source --so-pin-source --json --quiet --module --help" ;;
        "selftest") words=" --json --quiet --module --help" ;;
        "completion") words=" --json --quiet --module --help" ;;
        "token "*) words="init list info pin unlock rename delete backup restore " ;;
        "key "*) words="generate import list show delete public " ;;
        "mech "*) words="list " ;;
        "audit "*) words="init verify show tail stats anchor receipt check-receipt rotate-key export " ;;
      esac
    fi
  fi
  case "$cur" in
    --*|"") COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$cur") $(compgen -f -- "$cur")) ;;
  esac
}
complete -o filenames -F _chancery chancery
