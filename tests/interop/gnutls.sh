#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# GnuTLS' p11tool and certtool.
. "$(dirname "$0")/common.bash"
need p11tool certtool openssl
export GNUTLS_PIN=$pin GNUTLS_SO_PIN
GNUTLS_SO_PIN=$(cat pins/so.pin)

tool()
{
	p11tool --provider "$CHANCERY_MODULE" --batch "$@"
}

step "tokens and mechanisms"
tool --list-tokens >list
grep -q 'token=office' list || fail "the token is not listed"
tool --list-mechanisms pkcs11:token=office >list
grep -q CKM_ECDSA list || fail "no ECDSA"

step "it makes keys and tests them"
for bits in secp256r1 secp384r1; do
	tool --login --generate-privkey=ecdsa --curve=$bits --label "$bits" pkcs11:token=office >/dev/null
	tool --login --test-sign "pkcs11:token=office;object=$bits;type=private"
done
tool --login --generate-privkey=rsa --bits 2048 --label rsa pkcs11:token=office >/dev/null
tool --login --test-sign 'pkcs11:token=office;object=rsa;type=private'

step "a certificate authority with its key in the token"
cat >ca.cfg <<END
cn = "Office CA"
ca
cert_signing_key
expiration_days = 30
END
certtool --generate-self-signed --provider "$CHANCERY_MODULE" --template ca.cfg --outfile ca.pem \
	--load-privkey 'pkcs11:token=office;object=secp256r1;type=private' \
	--load-pubkey 'pkcs11:token=office;object=secp256r1;type=public' 2>/dev/null
openssl verify -CAfile ca.pem ca.pem

step "a certificate is written, marked as an authority, and seen without login; trusted only by the SO"
tool --login --write --load-certificate ca.pem --mark-ca --label ca pkcs11:token=office
tool --list-all-certs pkcs11:token=office >list
grep -q 'object=ca' list || fail "the certificate is not seen without login"
tool --so-login --write --load-certificate ca.pem --mark-ca --mark-trusted --label trusted pkcs11:token=office
tool --list-all-certs pkcs11:token=office >list
grep -q 'object=trusted' list || fail "the SO's certificate is not there"
refused tool --login --write --load-certificate ca.pem --mark-trusted --label wrong pkcs11:token=office
tool --export 'pkcs11:token=office;object=ca;type=cert' >back.pem
openssl x509 -in back.pem -outform der -out back.der
openssl x509 -in ca.pem -outform der -out ca.der
cmp ca.der back.der
