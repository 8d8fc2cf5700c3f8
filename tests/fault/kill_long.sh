#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A thousand kills of processes at work (tests/p11/test_p11_kill.c). A kill leaves what was written, so memory serves as the disk.
set -euo pipefail

[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
exec env KILLS="${KILLS:-1000}" "$CHANCERY_BUILD_DIR/tests/p11/p11_test_p11_kill"
