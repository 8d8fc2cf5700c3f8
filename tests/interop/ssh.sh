#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# OpenSSH: keys listed without a PIN, and used by the agent.
. "$(dirname "$0")/common.bash"
need ssh-keygen ssh-agent ssh-add
# Kinds that OpenSSH does not know must not hide those that it does. (secp256k1 is not here: ssh-pkcs11-helper hands it to
# the agent, which then refuses the whole token.)
for kind in rsa-2048 ec-p256 ec-p384 ec-p521 ed25519 ml-dsa-44 aes-256; do
	make_key $kind $kind
done

step "listed without a PIN"
ssh-keygen -D "$CHANCERY_MODULE" -e >keys 2>keys.err </dev/null
for type in ssh-rsa ecdsa-sha2-nistp256 ecdsa-sha2-nistp384 ecdsa-sha2-nistp521; do
	grep -q "^$type " keys || { cat keys keys.err; fail "no $type"; }
done

step "the agent signs with them"
eval "$(ssh-agent -s -P "$CHANCERY_MODULE")" >/dev/null
trap 'kill $SSH_AGENT_PID; rm -rf "$work"' EXIT
cat >askpass <<END
#!/bin/sh
cat $work/pins/user.pin
END
chmod 700 askpass
export SSH_ASKPASS=$work/askpass SSH_ASKPASS_REQUIRE=force DISPLAY=:0
ssh-add -s "$CHANCERY_MODULE" </dev/null
ssh-add -L >agent-keys
for type in ssh-rsa ecdsa-sha2-nistp256 ecdsa-sha2-nistp384; do
	grep -m 1 "^$type " agent-keys >key.pub
	rm -f document.sig
	ssh-keygen -Y sign -f key.pub -n file document </dev/null
	printf 'office %s\n' "$(cut -d' ' -f1,2 key.pub)" >allowed
	ssh-keygen -Y verify -f allowed -I office -n file -s document.sig <document
	head -c 2999 document >other
	refused ssh-keygen -Y verify -f allowed -I office -n file -s document.sig <other
done

step "added and removed again and again"
for _ in $(seq 20); do
	ssh-add -q -e "$CHANCERY_MODULE" </dev/null
	ssh-add -q -s "$CHANCERY_MODULE" </dev/null
done
ssh-add -L >agent-keys
grep -q ecdsa-sha2-nistp256 agent-keys || fail "the keys are gone"
