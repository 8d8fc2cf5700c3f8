#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# p11-kit: the module registered, listed and used; quiet and quick for a user who has nothing.
if [ "$(id -u)" = 0 ]; then
	# p11-kit takes no configuration of a user who is root
	setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$CHANCERY_MODULE" -a -r "$0" || {
		echo "the build is not readable for others, and p11-kit needs another user: skipped"
		exit 77
	}
	exec setpriv --reuid=65534 --regid=65534 --clear-groups bash "$0"
fi
. "$(dirname "$0")/common.bash"
need p11-kit p11tool
unset XDG_CONFIG_HOME
mkdir -p .config/pkcs11/modules
printf 'user-config: only\n' >.config/pkcs11/pkcs11.conf
printf 'module: %s\n' "$CHANCERY_MODULE" >.config/pkcs11/modules/chancery.module

step "listed"
p11-kit list-modules >modules 2>errors
grep -q 'Chancery software HSM' modules || { cat modules errors; fail "not listed"; }
grep -q 'token: office' modules || fail "its token is not listed"

step "used by its URI, without naming the module"
make_key ec-p256 ec
GNUTLS_PIN=$pin p11tool --batch --login --test-sign 'pkcs11:token=office;object=ec;type=private'

step "a user with nothing: no token, no word, no file"
CHANCERY_HOME=$work/nothing p11-kit list-modules >modules 2>errors
grep -q 'Chancery software HSM' modules || fail "not listed"
[ ! -s errors ] || { cat errors; fail "it is not silent"; }
[ ! -e nothing ] || fail "it made files"
