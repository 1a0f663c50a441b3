"""Runs a command as on a kernel without Landlock, seccomp or namespaces: that system call is answered as if it did not
exist.

usage: without_call.py landlock|seccomp|unshare COMMAND [ARGUMENT ...]
"""

import ctypes
import os
import struct
import sys

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO, ENOSYS = 0x7FFF0000, 0x00050000, 38
CALLS = {
    "landlock": 444,  # landlock_create_ruleset: the same on every processor.
    "seccomp": 317 if os.uname().machine == "x86_64" else 277,
    "unshare": 272 if os.uname().machine == "x86_64" else 97,
}


def step(code, value, if_true=0, if_false=0):
    return struct.pack("HBBI", code, if_true, if_false, value)


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


steps = [
    step(LOAD, 0),  # The number of the system call.
    step(JUMP_IF_EQUAL, CALLS[sys.argv[1]], 0, 1),
    step(RETURN, ERRNO | ENOSYS),
    step(RETURN, ALLOW),
]
program = Program(len(steps), b"".join(steps))
libc = ctypes.CDLL(None, use_errno=True)
for arguments in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0)):
    if libc.prctl(*arguments) != 0:
        sys.exit(f"prctl: {os.strerror(ctypes.get_errno())}")
os.execv(sys.argv[2], sys.argv[2:])
