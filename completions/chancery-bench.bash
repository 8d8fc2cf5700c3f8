# SPDX-License-Identifier: Apache-2.0
# Completion of chancery-bench for bash.
_chancery_bench()
{
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  case $prev in
    --module|--peer|--json) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    --dir) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
    --rounds|--time|--objects|--records|--files) return ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "sign digest attr session process memory store roll --module --peer --dir --rounds --time --objects --records --files --json --help" -- "$cur")
}
complete -F _chancery_bench chancery-bench
