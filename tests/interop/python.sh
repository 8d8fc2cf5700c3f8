#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Python: PyKCS11, or python-pkcs11 where that is what the distribution has.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.bash"
make_key ec-p256 ec
make_key rsa-2048 rsa
make_key ed25519 ed
PIN=$pin /usr/bin/python3 "$here/client.py"
