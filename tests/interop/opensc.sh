#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# OpenSC's pkcs11-tool: its own tests, keys made by either side, signatures checked by OpenSSL.
. "$(dirname "$0")/common.bash"
need pkcs11-tool openssl jq

tool()
{
	PIN=$pin pkcs11-tool --module "$CHANCERY_MODULE" --token-label office --login --pin env:PIN "$@"
}

step "its own test, with every kind of key there"
for kind in rsa-2048 ec-p256 ec-p384 ec-p521 ed25519 ml-dsa-44 aes-256; do
	make_key $kind $kind
done
tool --test | tee test.out
grep -q '^No errors' test.out || fail "pkcs11-tool --test"

step "it lists what is there, with and without the PIN"
tool --list-objects >objects
grep -q 'label: *ec-p256' objects || fail "the private key is not listed"
pkcs11-tool --module "$CHANCERY_MODULE" --token-label office --list-objects >public
grep -q 'Public Key Object' public || fail "no public key without login"
! grep -q 'Private Key Object' public || fail "a private key is seen without login"

step "it signs, OpenSSL verifies"
# pkcs11-tool takes the first key that it finds unless it is told an id.
sign()
{
	id=$("$CHANCERY" key show --json "pkcs11:token=office;object=$1;type=public" | jq -r .id)
	tool --sign --id "$id" --mechanism "$2" --input-file document --output-file sig "${@:3}" >/dev/null
	public_key "$1" pub.pem
}
sign rsa-2048 SHA256-RSA-PKCS
openssl dgst -sha256 -verify pub.pem -signature sig document
sign rsa-2048 SHA384-RSA-PKCS-PSS --salt-len 48
openssl dgst -sha384 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:48 -verify pub.pem -signature sig document
for bits in 256:SHA256 384:SHA384 521:SHA512; do
	hash=${bits#*:}
	sign "ec-p${bits%:*}" "ECDSA-$hash" --signature-format openssl
	openssl dgst "-${hash,,}" -verify pub.pem -signature sig document
done

step "it makes keys and we use them"
tool --keypairgen --key-type EC:prime256v1 --label made --id 4d --usage-sign >/dev/null
"$CHANCERY" sign --quiet --in document --out sig --pin-source file:pins/user.pin 'pkcs11:token=office;object=made'
public_key made pub.pem
openssl dgst -sha256 -verify pub.pem -signature sig document

step "it writes and reads data and certificates, and deletes"
openssl req -x509 -newkey rsa:2048 -nodes -keyout /dev/null -subj /CN=there -outform der -out there.der 2>/dev/null
tool --write-object there.der --type cert --label there --id 55 >/dev/null
tool --read-object --type cert --label there --output-file back.der >/dev/null
cmp there.der back.der
tool --write-object document --type data --label paper >/dev/null
tool --read-object --type data --label paper --output-file back >/dev/null
cmp document back
tool --delete-object --type cert --label there >/dev/null
refused tool --read-object --type cert --label there --output-file back.der

step "it changes the PIN; the old one is refused"
PIN=$pin NEW=87654321 pkcs11-tool --module "$CHANCERY_MODULE" --token-label office --login --pin env:PIN \
	--change-pin --new-pin env:NEW >/dev/null
refused tool --list-objects
pin=87654321
tool --list-objects >/dev/null
