#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Java's SunPKCS11: keytool and jarsigner. Java names no use for the keys it makes or
# brings; its configuration does.
. "$(dirname "$0")/common.bash"
need keytool jarsigner jar
cat >java.cfg <<END
name = Chancery
library = $CHANCERY_MODULE
slotListIndex = 0
attributes(*, CKO_PRIVATE_KEY, *) = {
  CKA_SIGN = true
}
attributes(*, CKO_PUBLIC_KEY, *) = {
  CKA_VERIFY = true
}
END
java=(-storetype PKCS11 -keystore NONE -providerClass sun.security.pkcs11.SunPKCS11 -providerArg java.cfg
	-storepass:env PIN)
export PIN=$pin

step "keys with certificates"
keytool -genkeypair -alias ec -keyalg EC -groupname secp256r1 -dname CN=ec "${java[@]}"
keytool -genkeypair -alias rsa -keyalg RSA -keysize 2048 -dname CN=rsa "${java[@]}"
keytool -list "${java[@]}" | tee list
for alias in ec rsa; do
	grep -q "^$alias, PrivateKeyEntry" list || fail "no entry $alias"
done

step "jars signed with them"
echo paper >paper
for alias in ec rsa; do
	jar cf "$alias.jar" paper
	jarsigner "${java[@]}" "$alias.jar" "$alias" >/dev/null
	jarsigner -verify "$alias.jar" | tee verify
	grep -q 'jar verified' verify || fail "$alias.jar"
done

step "deleted"
keytool -delete -alias ec "${java[@]}"
keytool -list "${java[@]}" >list
! grep -q '^ec,' list || fail "ec is still there"
