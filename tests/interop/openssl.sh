#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# OpenSSL through libp11's engine: a request, a certificate and a TLS server, with keys that stay in the token.
. "$(dirname "$0")/common.bash"
need openssl
compgen -G '/usr/lib/*/engines-3/pkcs11.so' >/dev/null || {
	echo "no pkcs11 engine for OpenSSL: skipped"
	exit 77
}
export PKCS11_MODULE_PATH=$CHANCERY_MODULE
make_key ec-p256 ca
make_key rsa-2048 www

key()
{
	printf 'pkcs11:token=office;object=%s;type=private?pin-source=file:%s/pins/user.pin' "$1" "$work"
}

step "a self-signed authority"
openssl req -new -x509 -engine pkcs11 -keyform engine -key "$(key ca)" -sha256 -subj '/CN=Office CA' -days 30 \
	-out ca.pem
openssl verify -CAfile ca.pem ca.pem

step "a request with one key, a certificate signed with another"
openssl req -new -engine pkcs11 -keyform engine -key "$(key www)" -sha256 -subj /CN=localhost -out www.csr
openssl req -in www.csr -noout -verify
printf 'subjectAltName=DNS:localhost\n' >www.ext
openssl x509 -req -in www.csr -CA ca.pem -CAkeyform engine -CAkey "$(key ca)" -engine pkcs11 -CAcreateserial \
	-sha256 -days 10 -extfile www.ext -out www.pem
openssl verify -CAfile ca.pem www.pem

step "a TLS server whose key is in the token"
for _ in 1 2 3 4 5; do
	port=$((20000 + RANDOM % 20000))
	openssl s_server -engine pkcs11 -keyform engine -key "$(key www)" -cert www.pem -accept "127.0.0.1:$port" \
		-www -quiet < <(sleep 60) >server.log 2>&1 &
	server=$!
	for _ in $(seq 50); do
		kill -0 "$server" 2>/dev/null || continue 2
		if openssl s_client -connect "127.0.0.1:$port" -CAfile ca.pem -verify_return_error -servername localhost \
			</dev/null >client.log 2>&1; then
			break 2
		fi
		sleep 0.1
	done
done
grep -q 'Verify return code: 0 (ok)' client.log || { cat server.log client.log; fail "no handshake"; }
for version in tls1_2 tls1_3; do
	openssl s_client -connect "127.0.0.1:$port" -CAfile ca.pem -verify_return_error "-$version" </dev/null >client.log 2>&1 ||
		fail "$version"
done
kill "$server" || { cat server.log; fail "the server ended by itself"; }
