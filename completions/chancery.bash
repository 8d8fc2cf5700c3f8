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
    "2 "*) words=" token key mech sign verify doctor selftest completion --help --version" ;;
    "3 token") words=" init list info pin unlock rename delete backup restore --help" ;;
    "3 key") words=" generate import list show delete public --help" ;;
    "3 mech") words=" list --help" ;;
    *)
      case $name in token|key|mech) name="$name ${w[2]}" ;; esac
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
      "key generate --type") words="rsa-2048 rsa-3072 rsa-4096 ec-p256 ec-p384 ec-p521 ec-secp256k1 ec-brainpoolp256r1 ec-brainpoolp384r1 ec-brainpoolp512r1 ed25519 ed448 x25519 x448 ml-dsa-44 ml-dsa-65 ml-dsa-87 aes-128 aes-192 aes-256 generic-256 generic-512" ;;
      "key generate --label") ;;
      "key generate --id") ;;
      "key generate --use") words="sign encrypt wrap derive" ;;
      "key generate --pin-source") words="file: credential: fd: env: prompt" ;;
      "key generate --module") files=-f ;;
      "key import --in") files=-f ;;
      "key import --raw") words="aes generic" ;;
      "key import --passphrase-source") words="file: credential: fd: env: prompt" ;;
      "key import --label") ;;
      "key import --id") ;;
      "key import --use") words="sign encrypt wrap derive" ;;
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
        "key generate") words="pkcs11: --type --label --id --use --extractable --pin-source --json --quiet --module --help" ;;
        "key import") words="pkcs11: --in --raw --passphrase-source --label --id --use --extractable --pin-source --json --quiet --module --help" ;;
        "key list") words="pkcs11: --pin-source --json --quiet --module --help" ;;
        "key show") words="pkcs11: --pin-source --json --quiet --module --help" ;;
        "key delete") words="pkcs11: --pair --pin-source --json --quiet --module --help" ;;
        "key public") words="pkcs11: --out --format --pin-source --json --quiet --module --help" ;;
        "mech list") words="pkcs11: --all --p11-kit --diff --timeout --json --quiet --module --help" files=-f ;;
        "sign") words="pkcs11: --in --out --algorithm --context --format --pin-source --json --quiet --module --help" ;;
        "verify") words="pkcs11: --in --signature --algorithm --context --format --pin-source --json --quiet --module --help" ;;
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
