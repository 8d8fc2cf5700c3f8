#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Twenty thousand power cuts, in five runs.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)

for seed in 1 2 3 4 5; do
	POWERCUT_IMAGES=4000 POWERCUT_SEED=$((seed * 1000003 + RANDOM)) bash "$here/powercut.sh"
done
