#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each single call.
exec env BADDISK_STEP=1 bash "$(dirname "$0")/baddisk.sh"
