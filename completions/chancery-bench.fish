# SPDX-License-Identifier: Apache-2.0
# Completion of chancery-bench for fish.
complete -c chancery-bench -f -a 'sign digest attr session process memory store roll'
complete -c chancery-bench -l module -d 'the PKCS#11 module to measure (default: Chancery\'s own)' -r -F
complete -c chancery-bench -l peer -d 'another module, to be measured beside it' -r -F
complete -c chancery-bench -l dir -d 'where the temporary directory is made' -x -a '(__fish_complete_directories)'
complete -c chancery-bench -l rounds -d 'how many times to measure' -x
complete -c chancery-bench -l time -d 'milliseconds of each measurement' -x
complete -c chancery-bench -l objects -d 'the most token objects that store makes' -x
complete -c chancery-bench -l records -d 'records of the audit log that roll verifies' -x
complete -c chancery-bench -l files -d 'closed files of the audit log that roll makes' -x
complete -c chancery-bench -l json -d 'write machine, rows and samples to this file' -r -F
complete -c chancery-bench -l help -d 'explain the program'
