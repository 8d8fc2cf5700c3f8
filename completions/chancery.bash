# SPDX-License-Identifier: Apache-2.0
# Completion of chancery for bash.
_chancery()
{
  local line=${COMP_LINE:0:COMP_POINT} words= files= before= found= IFS=$' \t\n'
  local -a w
  read -a w <<<"$line"
  case $line in *\\[[:blank:]]) ;; *[[:blank:]]) w+=("") ;; esac
  local n=${#w[@]}
  local cur=${w[n-1]} prev=${w[n-2]} name=${w[1]}
  case $cur in --*=*) prev=${cur%%=*} cur=${cur#*=} ;; esac
  case "$n $name" in
    "2 "*) words=" token key mech audit sign verify stat doctor selftest completion --help --version" ;;
    "3 token") words=" init list info pin unlock rename delete backup restore require-audit --help" ;;
    "3 key") words=" generate import list show delete public --help" ;;
    "3 mech") words=" list --help" ;;
    "3 audit") words=" init verify show tail stats anchor receipt check-receipt rotate-key export reconcile --help" ;;
    *)
      case $name in token|key|mech|audit) name="$name ${w[2]}" ;; esac
      case "$name $prev" in
      "token init --label") ;;
      "token init --so-pin-source") words="file: credential: fd: env: prompt" ;;
      "token init --pin-source") words="file: credential: fd: env: prompt" ;;
      "token init --make-pins") files=-d ;;
      "token init --module") files=-f ;;
      "token list --module") files=-f ;;
      "token info --module") files=-f ;;
      "token pin --pin-source") words="file: credential: fd: env: prompt" ;;
      "token pin --new-pin-source") words="file: credential: fd: env: prompt" ;;
      "token pin --so-pin-source") words="file: credential: fd: env: prompt" ;;
      "token pin --new-so-pin-source") words="file: credential: fd: env: prompt" ;;
      "token pin --module") files=-f ;;
      "token unlock --so-pin-source") words="file: credential: fd: env: prompt" ;;
      "token unlock --new-pin-source") words="file: credential: fd: env: prompt" ;;
      "token unlock --module") files=-f ;;
      "token rename --label") ;;
      "token rename --so-pin-source") words="file: credential: fd: env: prompt" ;;
      "token rename --module") files=-f ;;
      "token delete --so-pin-source") words="file: credential: fd: env: prompt" ;;
      "token delete --module") files=-f ;;
      "token backup --out") files=-f ;;
      "token backup --passphrase-source") words="file: credential: fd: env: prompt" ;;
      "token backup --module") files=-f ;;
      "token restore --passphrase-source") words="file: credential: fd: env: prompt" ;;
      "token restore --module") files=-f ;;
      "token require-audit --so-pin-source") words="file: credential: fd: env: prompt" ;;
      "token require-audit --module") files=-f ;;
      "key generate --type") words="rsa-2048 rsa-3072 rsa-4096 ec-p256 ec-p384 ec-p521 ec-secp256k1 ec-brainpoolp256r1 ec-brainpoolp384r1 ec-brainpoolp512r1 ed25519 ed448 x25519 x448 ml-dsa-44 ml-dsa-65 ml-dsa-87 aes-128 aes-192 aes-256 generic-256 generic-512" ;;
      "key generate --label") ;;
      "key generate --id") ;;
      "key generate --use") words="sign encrypt wrap derive" ;;
      "key generate --audit") words="each batch" ;;
      "key generate --pin-source") words="file: credential: fd: env: prompt" ;;
      "key generate --module") files=-f ;;
      "key import --in") files=-f ;;
      "key import --raw") words="aes generic" ;;
      "key import --passphrase-source") words="file: credential: fd: env: prompt" ;;
      "key import --label") ;;
      "key import --id") ;;
      "key import --use") words="sign encrypt wrap derive" ;;
      "key import --audit") words="each batch" ;;
      "key import --pin-source") words="file: credential: fd: env: prompt" ;;
      "key import --module") files=-f ;;
      "key list --pin-source") words="file: credential: fd: env: prompt" ;;
      "key list --module") files=-f ;;
      "key show --pin-source") words="file: credential: fd: env: prompt" ;;
      "key show --module") files=-f ;;
      "key delete --pin-source") words="file: credential: fd: env: prompt" ;;
      "key delete --module") files=-f ;;
      "key public --out") files=-f ;;
      "key public --format") words="pem der" ;;
      "key public --pin-source") words="file: credential: fd: env: prompt" ;;
      "key public --module") files=-f ;;
      "mech list --p11-kit") files=-d ;;
      "mech list --timeout") ;;
      "mech list --module") files=-f ;;
      "audit init --key-out") files=-f ;;
      "audit init --pub-out") files=-f ;;
      "audit init --auditor-pub") files=-f ;;
      "audit init --module") files=-f ;;
      "audit verify --dir") files=-d ;;
      "audit verify --auditor-key") words="file: fd: prompt" ;;
      "audit verify --anchor") files=-f ;;
      "audit verify --auditor-pub") files=-f ;;
      "audit verify --jobs") ;;
      "audit verify --module") files=-f ;;
      "audit show --dir") files=-d ;;
      "audit show --actor") ;;
      "audit show --key") ;;
      "audit show --event") ;;
      "audit show --since") ;;
      "audit show --until") ;;
      "audit show --file") ;;
      "audit show --module") files=-f ;;
      "audit tail --dir") files=-d ;;
      "audit tail --lines") ;;
      "audit tail --actor") ;;
      "audit tail --key") ;;
      "audit tail --event") ;;
      "audit tail --file") ;;
      "audit tail --module") files=-f ;;
      "audit stats --dir") files=-d ;;
      "audit stats --actor") ;;
      "audit stats --key") ;;
      "audit stats --event") ;;
      "audit stats --since") ;;
      "audit stats --until") ;;
      "audit stats --file") ;;
      "audit stats --module") files=-f ;;
      "audit anchor --dir") files=-d ;;
      "audit anchor --auditor-key") words="file: fd: prompt" ;;
      "audit anchor --out") files=-f ;;
      "audit anchor --module") files=-f ;;
      "audit receipt --dir") files=-d ;;
      "audit receipt --auditor-key") words="file: fd: prompt" ;;
      "audit receipt --out") files=-f ;;
      "audit receipt --module") files=-f ;;
      "audit check-receipt --auditor-pub") files=-f ;;
      "audit check-receipt --module") files=-f ;;
      "audit rotate-key --auditor-key") words="file: fd: prompt" ;;
      "audit rotate-key --key-out") files=-f ;;
      "audit rotate-key --pub-out") files=-f ;;
      "audit rotate-key --out") files=-f ;;
      "audit rotate-key --module") files=-f ;;
      "audit export --dir") files=-d ;;
      "audit export --format") words="csv ndjson" ;;
      "audit export --actor") ;;
      "audit export --key") ;;
      "audit export --event") ;;
      "audit export --since") ;;
      "audit export --until") ;;
      "audit export --file") ;;
      "audit export --module") files=-f ;;
      "audit reconcile --dir") files=-d ;;
      "audit reconcile --pin-source") words="file: credential: fd: env: prompt" ;;
      "audit reconcile --so-pin-source") words="file: credential: fd: env: prompt" ;;
      "audit reconcile --module") files=-f ;;
      "sign --in") files=-f ;;
      "sign --out") files=-f ;;
      "sign --algorithm") words="rsa-pss-sha256 rsa-pss-sha384 rsa-pss-sha512 rsa-pkcs1-sha256 rsa-pkcs1-sha384 rsa-pkcs1-sha512 ecdsa-sha256 ecdsa-sha384 ecdsa-sha512 ecdsa-sha3-256 ecdsa-sha3-384 ecdsa-sha3-512 eddsa ml-dsa" ;;
      "sign --context") ;;
      "sign --format") words="der raw" ;;
      "sign --pin-source") words="file: credential: fd: env: prompt" ;;
      "sign --module") files=-f ;;
      "verify --in") files=-f ;;
      "verify --signature") files=-f ;;
      "verify --algorithm") words="rsa-pss-sha256 rsa-pss-sha384 rsa-pss-sha512 rsa-pkcs1-sha256 rsa-pkcs1-sha384 rsa-pkcs1-sha512 ecdsa-sha256 ecdsa-sha384 ecdsa-sha512 ecdsa-sha3-256 ecdsa-sha3-384 ecdsa-sha3-512 eddsa ml-dsa" ;;
      "verify --context") ;;
      "verify --format") words="der raw" ;;
      "verify --pin-source") words="file: credential: fd: env: prompt" ;;
      "verify --module") files=-f ;;
      "stat --interval") ;;
      "stat --module") files=-f ;;
      "doctor --pin-source") words="file: credential: fd: env: prompt" ;;
      "doctor --so-pin-source") words="file: credential: fd: env: prompt" ;;
      "doctor --module") files=-f ;;
      "selftest --module") files=-f ;;
      "completion --module") files=-f ;;
      *) case $name in
        "token init") words="pkcs11: --label --so-pin-source --pin-source --make-pins --reinitialize --json --quiet --module --help" ;;
        "token list") words="pkcs11: --all --json --quiet --module --help" ;;
        "token info") words="pkcs11: --json --quiet --module --help" ;;
        "token pin") words="pkcs11: --pin-source --new-pin-source --so-pin-source --new-so-pin-source --json --quiet --module --help" ;;
        "token unlock") words="pkcs11: --so-pin-source --new-pin-source --json --quiet --module --help" ;;
        "token rename") words="pkcs11: --label --so-pin-source --json --quiet --module --help" ;;
        "token delete") words="pkcs11: --so-pin-source --json --quiet --module --help" ;;
        "token backup") words="pkcs11: --out --passphrase-source --json --quiet --module --help" ;;
        "token restore") words=" --passphrase-source --json --quiet --module --help" files=-f ;;
        "token require-audit") words="pkcs11: --so-pin-source --off --json --quiet --module --help" ;;
        "key generate") words="pkcs11: --type --label --id --use --extractable --audit --pin-source --json --quiet --module --help" ;;
        "key import") words="pkcs11: --in --raw --passphrase-source --label --id --use --extractable --audit --pin-source --json --quiet --module --help" ;;
        "key list") words="pkcs11: --pin-source --json --quiet --module --help" ;;
        "key show") words="pkcs11: --pin-source --json --quiet --module --help" ;;
        "key delete") words="pkcs11: --pair --pin-source --json --quiet --module --help" ;;
        "key public") words="pkcs11: --out --format --pin-source --json --quiet --module --help" ;;
        "mech list") words="pkcs11: --all --p11-kit --diff --timeout --json --quiet --module --help" files=-f ;;
        "audit init") words=" --key-out --pub-out --auditor-pub --json --quiet --module --help" ;;
        "audit verify") words="[FILE] --dir --auditor-key --anchor --auditor-pub --jobs --json --quiet --module --help" ;;
        "audit show") words=" --dir --actor --key --event --since --until --file --json --quiet --module --help" ;;
        "audit tail") words=" --dir --lines --follow --actor --key --event --file --json --quiet --module --help" ;;
        "audit stats") words=" --dir --actor --key --event --since --until --file --json --quiet --module --help" ;;
        "audit anchor") words=" --dir --auditor-key --out --json --quiet --module --help" ;;
        "audit receipt") words="FILE:SEQ --dir --auditor-key --out --json --quiet --module --help" ;;
        "audit check-receipt") words=" --auditor-pub --json --quiet --module --help" files=-f ;;
        "audit rotate-key") words=" --auditor-key --key-out --pub-out --out --json --quiet --module --help" ;;
        "audit export") words=" --dir --format --actor --key --event --since --until --file --json --quiet --module --help" ;;
        "audit reconcile") words="pkcs11: --dir --pin-source --so-pin-source --json --quiet --module --help" ;;
        "sign") words="pkcs11: --in --out --algorithm --context --format --pin-source --json --quiet --module --help" ;;
        "verify") words="pkcs11: --in --signature --algorithm --context --format --pin-source --json --quiet --module --help" ;;
        "stat") words="pkcs11: --watch --interval --prometheus --json --quiet --module --help" ;;
        "doctor") words="pkcs11: --config --pin-source --so-pin-source --json --quiet --module --help" ;;
        "selftest") words=" --json --quiet --module --help" ;;
        "completion") words="bash zsh fish --json --quiet --module --help" ;;
        esac ;;
      esac ;;
  esac
  case $cur in
    file:*) case $words in *file:*) files=-f cur=${cur#file:} before=file: ;; esac ;;
    *:*) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
  esac
  case $COMP_WORDBREAKS in *:*) before= ;; esac
  if [ -n "$files" ]; then
    while IFS= read -r found; do
      case $before in file:) [ ! -d "$found" ] || found+=/ ;; esac
      COMPREPLY+=("$before$found")
    done < <(compgen $files -- "$cur")
    compopt -o filenames 2>/dev/null
  fi
  case ${COMPREPLY[*]} in *[:/]) compopt -o nospace 2>/dev/null ;; esac
}
complete -F _chancery chancery
