# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts beside it: how they speak, fail and gain privilege.
# shellcheck shell=sh

say()
{
	printf '==> %s\n' "$*"
}

note()
{
	printf '    %s\n' "$*"
}

die()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

have()
{
	command -v "$1" >/dev/null 2>&1
}

as_root()
{
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif have sudo; then
		sudo -- "$@"
	else
		die "'$1' needs root: run as root, or install sudo"
	fi
}

# Runs a long command with its output in a log, and says every few seconds how far it is.
# progress_run LOG PATTERN TOTAL COMMAND...: counts the lines of the log that match PATTERN.
progress_run()
{
	pr_log=$1 pr_pattern=$2 pr_total=$3
	shift 3
	pr_start=$(date +%s)
	"$@" >"$pr_log" 2>&1 &
	pr_pid=$!
	pr_ticks=0
	while kill -0 "$pr_pid" 2>/dev/null; do
		sleep 1
		pr_ticks=$((pr_ticks + 1))
		[ $((pr_ticks % 10)) -eq 0 ] || continue
		note "$(grep -c -- "$pr_pattern" "$pr_log") of about $pr_total, $(($(date +%s) - pr_start)) s"
	done
	wait "$pr_pid" && return 0
	tail -n 25 "$pr_log" >&2
	return 1
}
