# SPDX-License-Identifier: Apache-2.0
"""Presses keys in a shell on a terminal of its own: press.py KEYS SHELL [ARGUMENT...]

KEYS may have the escapes of Python. They are typed as they are, and the shell ends with them or is killed. What it shows
is thrown away: what is to be known, it has to write to a file.
"""
import codecs
import os
import pty
import signal
import sys

keys, command = codecs.decode(sys.argv[1], "unicode_escape").encode(), sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    os.environ["TERM"] = "dumb"
    os.execvp(command[0], command)
signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
signal.alarm(60)
os.write(terminal, keys)
try:
    while os.read(terminal, 4096):
        pass
except OSError:  # the other end is closed
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0)
