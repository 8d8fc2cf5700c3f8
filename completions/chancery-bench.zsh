#compdef chancery-bench
# SPDX-License-Identifier: Apache-2.0
# Completion of chancery-bench for zsh.
_arguments \
  '--module=[the PKCS#11 module to measure (default\: Chancery'\''s own)]:FILE:_files' \
  '--peer=[another module, to be measured beside it]:FILE:_files' \
  '--dir=[where the temporary directory is made]:DIR:_files -/' \
  '--rounds=[how many times to measure]:N:' \
  '--time=[milliseconds of each measurement]:MS:' \
  '--objects=[the most token objects that store makes]:N:' \
  '--records=[records of the audit log that roll verifies]:N:' \
  '--files=[closed files of the audit log that roll makes]:N:' \
  '--json=[write machine, rows and samples to this file]:FILE:_files' \
  '--help[explain the program]' \
  '*:suite:(sign digest attr session process memory store roll)'
