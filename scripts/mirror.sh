# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts beside it: the package mirror that this machine already uses, and an apt
# of our own beside it, so that nothing is added to the system's apt configuration.
# shellcheck shell=sh

# Which release carries the newer sources, per distribution: suites of the main archive, suite of
# the security archive, keyring that signs them.
mirror_newer_release()
{
	distribution=$(. /etc/os-release && printf '%s' "$ID")
	case $distribution in
	debian)
		newer_suites='trixie trixie-updates'
		newer_security='trixie-security'
		newer_keyring=/usr/share/keyrings/debian-archive-keyring.gpg
		;;
	ubuntu)
		newer_suites='resolute resolute-updates'
		newer_security='resolute-security'
		newer_keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg
		;;
	*)
		return 1
		;;
	esac
	[ -r "$newer_keyring" ]
}

# Prints "SUITE ADDRESS" for each archive with packages that apt is configured to use.
mirror_targets()
{
	# The address alone may hold user information or spaces escaped as %20: no parsing of it.
	# shellcheck disable=SC2016 # the $() are apt's, not the shell's
	apt-get indextargets --format '$(CREATED_BY) $(RELEASE) $(REPO_URI)' 2>/dev/null |
		sed -n 's/^Packages //p' | sort -u
}

# The main archive is the one that has this release itself; the security archive its -security.
mirror_main()
{
	codename=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
	mirror_targets | awk -v r="$codename" '$1 == r { print $2; exit }'
}

mirror_security()
{
	codename=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
	mirror_targets | awk -v r="$codename-security" '$1 == r { print $2; exit }'
}

# Writes one-line sources of TYPE (deb or deb-src) for the newer release to standard output.
mirror_newer_sources()
{
	type=$1
	main=$(mirror_main)
	[ -n "$main" ] || return 1
	for suite in $newer_suites; do
		printf '%s [signed-by=%s] %s %s main\n' "$type" "$newer_keyring" "$main" "$suite"
	done
	security=$(mirror_security)
	[ -z "$security" ] || printf '%s [signed-by=%s] %s %s main\n' \
		"$type" "$newer_keyring" "$security" "$newer_security"
}

# private_apt DIR COMMAND...: an apt command on the sources in DIR/sources.list alone.
private_apt()
{
	private=$1 command=$2
	shift 2
	"$command" -o Dir::State::Lists="$private/lists" -o Dir::Etc::sourcelist="$private/sources.list" \
		-o Dir::Etc::sourceparts="$private/parts" -o Dir::Cache="$private/cache" \
		-o Dir::Log="$private/log" -o APT::Sandbox::User="$(id -un)" \
		-o APT::Get::List-Cleanup=true -o Acquire::Languages=none "$@"
}

# Makes DIR ready for private_apt, with deb-src lines of the newer release, and fetches the lists.
private_apt_sources()
{
	mkdir -p "$1/lists/partial" "$1/parts" "$1/cache/archives/partial" "$1/log" || return 1
	mirror_newer_sources deb-src >"$1/sources.list" || return 1
	private_apt "$1" apt-get -qq update
}
