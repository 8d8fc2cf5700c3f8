#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A disk that fails or is full: each write, barrier, change of length and name fails once, or from there on. What was
# acknowledged is there, what was refused is not, and the process lives.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
. "$here/power.bash"

EIO=5
ENOSPC=28
failed=0

# sweep CALL ERRNO FIRST LAST STEP
sweep()
{
	local n refused=0

	for ((n = $3; n <= $4; n += $5)); do
		if ! work POWERCUT_FAIL="$1:$n:$2" >"$place/out" 2>&1 ||
			! "$store" check "$place/root" "$place/acks" >>"$place/out" 2>&1; then
			echo "$1:$n:$2 failed:"
			cat "$place/out"
			failed=1
		fi
		refused=$((refused + $(grep -c '^not' "$place/acks" || :)))
	done
	echo "$1, errno $2, calls $3 to $4: $refused changes refused"
	# that the calls failed at all: an error that nobody is told of would pass for success
	if [ "$refused" -eq 0 ]; then
		echo "none was refused: the failures do not reach the store"
		failed=1
	fi
}

# Not 5: so many barriers has a transaction.
step=${BADDISK_STEP:-7}

sweep sync "$EIO" 1 200 "$step"
sweep write "$EIO" 1 400 "$((2 * step))"
sweep write "$ENOSPC" 2 400 "$((2 * step))"
sweep truncate "$EIO" 1 40 "$step"
sweep name "$ENOSPC" 1 12 1
sweep sync "$EIO+" 1 120 "$((2 * step))"
sweep write "$ENOSPC+" 1 400 "$((4 * step))"
sweep truncate "$EIO+" 1 40 "$step"
exit "$failed"
