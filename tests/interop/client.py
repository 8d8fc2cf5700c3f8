# SPDX-License-Identifier: Apache-2.0
"""Signs and verifies with the keys of token "office" through whichever PKCS#11 binding is there; 77: none."""
import os
import sys

MODULE, PIN = os.environ["CHANCERY_MODULE"], os.environ["PIN"]
DATA = b"a document" * 100


def with_pykcs11():
    import PyKCS11 as p

    lib = p.PyKCS11Lib()
    lib.load(MODULE)
    slot = next(s for s in lib.getSlotList(tokenPresent=True) if lib.getTokenInfo(s).label.strip() == "office")
    session = lib.openSession(slot, p.CKF_SERIAL_SESSION | p.CKF_RW_SESSION)
    session.login(PIN)

    def key(cls, label):
        return session.findObjects([(p.CKA_CLASS, cls), (p.CKA_LABEL, label)])[0]

    for label, mech in (("ec", p.CKM_ECDSA_SHA256), ("rsa", p.CKM_SHA256_RSA_PKCS)):
        m = p.Mechanism(mech, None)
        sig = session.sign(key(p.CKO_PRIVATE_KEY, label), DATA, m)
        assert session.verify(key(p.CKO_PUBLIC_KEY, label), DATA, sig, m), label
        try:
            good = session.verify(key(p.CKO_PUBLIC_KEY, label), DATA + b"x", sig, m)
        except p.PyKCS11Error:
            good = False
        assert not good, label + ": a tampered text was taken"
    assert session.getAttributeValue(key(p.CKO_PRIVATE_KEY, "ec"), [p.CKA_VALUE]) == [None]
    session.logout()
    session.closeSession()


def with_python_pkcs11():
    import pkcs11

    token = pkcs11.lib(MODULE).get_token(token_label="office")
    with token.open(user_pin=PIN, rw=True) as session:
        for label, mech in (("ec", pkcs11.Mechanism.ECDSA_SHA256), ("rsa", pkcs11.Mechanism.SHA256_RSA_PKCS)):
            private = session.get_key(pkcs11.ObjectClass.PRIVATE_KEY, label=label)
            public = session.get_key(pkcs11.ObjectClass.PUBLIC_KEY, label=label)
            sig = private.sign(DATA, mechanism=mech)
            assert public.verify(DATA, sig, mechanism=mech), label
            assert not public.verify(DATA + b"x", sig, mechanism=mech), label


for attempt in (with_pykcs11, with_python_pkcs11):
    try:
        attempt()
    except ImportError as missing:
        print(missing)
        continue
    print("good:", attempt.__name__)
    sys.exit(0)
print("no PKCS#11 binding for Python: skipped")
sys.exit(77)
