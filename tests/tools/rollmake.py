#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Writes rolls by docs/AUDIT.md, independently of the module, and damages them: for tests of the auditor.

  rollmake.py init DIR [--auditor FILE] [--id HEX]
  rollmake.py add DIR [--records N] [--end close|open|left|torn|void|unlisted] [--checkpoint N]
  rollmake.py rehash DIR NUMBER LINE OLD NEW     replaces a text in a line and recomputes all later hashes

What the module keeps in `state` is kept there as JSON; `rehash` works on its rolls, too. With an auditor the program in $ROLLSEAL seals.
"""
import argparse
import base64
import hashlib
import hmac
import json
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import ed25519  # noqa: E402

BOOT = "0b5e1f3a-6a1d-4d52-9a8f-1c2d3e4f5a6b"
NOW = 1790000000 * 1000000  # microseconds


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def hkdf(secret, salt, info):
    prk = hmac.digest(salt, secret, "sha256")
    return hmac.digest(prk, info.encode() + b"\x01", "sha256")


def tree_root(leaves):
    """RFC 6962, 2.1, as it is defined there."""
    if not leaves:
        return sha()
    if len(leaves) == 1:
        return sha(b"\x00", leaves[0])
    k = 1 << (len(leaves) - 1).bit_length() - 1
    return sha(b"\x01", tree_root(leaves[:k]), tree_root(leaves[k:]))


def b64(data):
    return base64.b64encode(data).decode()


def text(value):
    """A JSON string as the format has it: ASCII, lower-case escapes and no short ones."""
    out = ""
    for unit in value:
        c = ord(unit)
        if unit in '"\\':
            out += "\\" + unit
        elif 0x20 <= c <= 0x7E:
            out += unit
        elif c > 0xFFFF:
            c -= 0x10000
            out += "\\u%04x\\u%04x" % (0xD800 + (c >> 10), 0xDC00 + (c & 0x3FF))
        else:
            out += "\\u%04x" % c
    return '"' + out + '"'


def when(us):
    days, rest = divmod(us, 86400 * 1000000)
    seconds, micro = divmod(rest, 1000000)
    z = days + 719468
    era, doe = divmod(z, 146097)
    yoe = (doe - doe // 1460 + doe // 36524 - doe // 146096) // 365
    doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
    mp = (5 * doy + 2) // 153
    month = mp + 3 if mp < 10 else mp - 9
    year = yoe + era * 400 + (month <= 2)
    return "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ" % (
        year, month, doy - (153 * mp + 2) // 5 + 1,
        seconds // 3600, seconds // 60 % 60, seconds % 60, micro)


class Roll:
    def __init__(self, path):
        self.path = pathlib.Path(path)

    def load(self):
        state = json.loads((self.path / "state").read_text())
        self.id = bytes.fromhex(state["id"])
        self.next, self.clock, self.open = state["next"], state["clock"], state["open"]
        self.s = bytes.fromhex(state["s"])
        return self

    def store(self):
        state = {"id": self.id.hex(), "next": self.next, "clock": self.clock,
                 "open": self.open, "s": self.s.hex()}
        (self.path / "state").write_text(json.dumps(state))

    def index(self):
        path = self.path / "index"
        return path.read_bytes().split(b"\n")[:-1] if path.exists() else []

    def enter(self, line):
        with open(self.path / "index", "ab") as f:
            f.write(line.encode() + b"\n")

    def auditor(self):
        path = self.path / "auditor.pub"
        return sha(path.read_bytes()).hex()[:32] if path.exists() else None

    def seal(self, aad, plain):
        return subprocess.run(
            [os.environ["ROLLSEAL"], self.path / "auditor.pub", aad.hex(), plain.hex()],
            check=True, capture_output=True, text=True).stdout.strip()

    def init(self, auditor, ident):
        self.path.mkdir(parents=True, exist_ok=True)
        if not (self.path / "state").exists():
            self.id, self.next, self.clock, self.open = ident, 1, NOW, []
        else:
            self.load()
        if auditor:
            (self.path / "auditor.pub").write_bytes(pathlib.Path(auditor).read_bytes())
        self.s = os.urandom(32)
        if auditor:
            sealed = self.seal(b"init" + self.id, self.s)
            self.enter('{"op":"init","auditor":"%s","sealed":"%s"}' % (self.auditor(), sealed))
        else:
            self.enter('{"op":"init","auditor":null,"sealed":null}')
        self.store()

    def number(self):
        """Gives a number out: itself, its first key, its seed as the index has it."""
        n, r = self.next, os.urandom(32)
        seed = "null"
        if self.auditor():
            seed = '"%s"' % self.seal(b"seed" + self.id + n.to_bytes(8, "little"), r)
        key = hkdf(self.s, r, "chancery roll key 1")
        self.s = hkdf(self.s, r, "chancery roll next 1")
        self.next += 1
        return n, key, seed

    def add(self, records, end, every):
        n, key, seed = self.number()
        if end == "void":
            self.enter('{"op":"void","file":%d,"seed":%s}' % (n, seed))
            self.store()
            return
        f = File(self, n, key)
        f.start()
        if end != "unlisted":
            self.enter('{"op":"open","file":%d,"first":"%s","seed":%s}' % (n, f.h.hex(), seed))
        for i in range(records):
            if f.seq % every == 0:
                f.checkpoint()
            f.use(i)
        if end == "close":
            f.close()
            self.enter('{"op":"close","file":%d,"seq":%d,"head":"%s"}' % (n, f.seq - 1, f.h.hex()))
        elif end == "left":
            self.enter('{"op":"left","file":%d,"seq":%d,"head":"%s"}' % (n, f.seq - 1, f.h.hex()))
        else:
            self.open.append(n)
        data = b"".join(f.lines)
        (self.path / ("roll.%06d" % n)).write_bytes(data + (b'{"seq":%d,"ts":"20' % f.seq
                                                           if end == "torn" else b""))
        self.store()


class File:
    def __init__(self, roll, number, key):
        self.roll, self.number, self.key = roll, number, key
        self.seed = sha(b"key of a test", roll.id, number.to_bytes(8, "little"))
        self.h = sha(b"chancery roll 1\n", roll.id, number.to_bytes(8, "little"))
        self.seq, self.lines, self.leaves = 0, [], []

    def append(self, members):
        self.roll.clock += 1500
        body = ('{"seq":%d,"ts":"%s","boot":"%s","mono":%d,"uid":%d,"pid":%d,"exe":%s%s'
                ',"prev":"%s"' % (self.seq, when(self.roll.clock), BOOT, self.roll.clock - NOW,
                                  1000 + self.number % 3, 4000 + self.number,
                                  text("/usr/bin/signer"), members, self.h.hex())).encode()
        self.h = sha(self.h, body)
        mac = hmac.digest(self.key, self.h, "sha256")
        self.key = sha(b"rat", self.key)
        self.lines.append(body + b',"mac":"%s"}\n' % mac.hex().encode())
        self.leaves.append(self.h)
        self.seq += 1

    def start(self):
        index = self.roll.index()
        auditor = self.roll.auditor()
        roll = ('{"format":1,"id":"%s","file":%d,"build":"1.0.0","host":"desk","durable":true,'
                '"index":{"size":%d,"root":"%s"},"open":[%s],"ed25519":"%s"%s}' % (
                    self.roll.id.hex(), self.number, len(index), tree_root(index).hex(),
                    ",".join(map(str, self.roll.open)), b64(ed25519.public(self.seed)),
                    ',"auditor":"%s"' % auditor if auditor else ""))
        self.append(',"event":"module.start","rv":"CKR_OK","roll":' + roll)

    def use(self, i):
        key = ["mail", "web \u00fc \U0001f511", 'line\nbreak "quoted"\x1b[31m'][i % 3]
        event, mech = [("sign", "CKM_ECDSA"), ("decrypt", "CKM_RSA_PKCS_OAEP")][i % 2]
        behalf = ',"on_behalf":%s' % text("CN=user %d" % (i % 5)) if i % 4 == 0 else ""
        self.append('%s,"event":"%s","token":"office","serial":"0123456789abcdef","key":{"class":'
                    '"private","label":%s,"id":"%02x"},"mech":"%s","bytes":%d,"rv":"%s"' % (
                        behalf, event, text(key), i % 3, mech, 32 + i % 7,
                        "CKR_OK" if i % 10 else "CKR_USER_NOT_LOGGED_IN"))

    def note(self):
        origin = "chancery-roll/%s/%d" % (self.roll.id.hex(), self.number)
        body = "%s\n%d\n%s\n" % (origin, self.seq, b64(tree_root(self.leaves)))
        name = (origin + "\n").encode() + b"\x01" + ed25519.public(self.seed)
        signature = sha(name)[:4] + ed25519.sign(self.seed, body.encode())
        return text("%s\n\u2014 %s %s\n" % (body, origin, b64(signature)))

    def checkpoint(self):
        self.append(',"event":"checkpoint","rv":"CKR_OK","note":' + self.note())

    def close(self):
        self.append(',"event":"module.stop","rv":"CKR_OK","note":' + self.note())


def rehash(directory, number, line, old, new):
    """What somebody without the keys can do: the hashes are right again, MACs and checkpoints are as they were."""
    path = pathlib.Path(directory) / ("roll.%06d" % number)
    lines = path.read_bytes().split(b"\n")[:-1]
    assert old.encode() in lines[line - 1], "the text is not in the line"
    lines[line - 1] = lines[line - 1].replace(old.encode(), new.encode(), 1)
    ident = bytes.fromhex(json.loads(lines[0])["roll"]["id"])
    h = sha(b"chancery roll 1\n", ident, number.to_bytes(8, "little"))
    for i, record in enumerate(lines):
        record = re.sub(rb',"prev":"[0-9a-f]{64}"', b',"prev":"%s"' % h.hex().encode(), record)
        h = sha(h, record[:record.rindex(b',"mac":"')])
        lines[i] = record
    path.write_bytes(b"".join(x + b"\n" for x in lines))
    return h


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("init", "add", "rehash"):
        commands.add_parser(name).add_argument("dir")
    commands.choices["init"].add_argument("--auditor")
    commands.choices["init"].add_argument("--id", type=bytes.fromhex, default=bytes(range(16)))
    commands.choices["add"].add_argument("--records", type=int, default=20)
    commands.choices["add"].add_argument("--checkpoint", type=int, default=8)
    commands.choices["add"].add_argument(
        "--end", default="close",
        choices=["close", "open", "left", "torn", "void", "unlisted"])
    commands.choices["rehash"].add_argument("number", type=int)
    commands.choices["rehash"].add_argument("line", type=int)
    commands.choices["rehash"].add_argument("old")
    commands.choices["rehash"].add_argument("new")
    a = parser.parse_args()
    roll = Roll(a.dir)
    if a.command == "init":
        roll.init(a.auditor, a.id)
    elif a.command == "add":
        roll.load().add(a.records, a.end, a.checkpoint)
    else:
        print(rehash(a.dir, a.number, a.line, a.old, a.new).hex())


if __name__ == "__main__":
    main()
