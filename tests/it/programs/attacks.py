#!/usr/bin/env python3
"""Tries what a contained program must not do, and a few things that it may. Says of each how it ended: `done`, or the
name of the error. `targets.json` beside it names what is attacked."""

import ctypes
import errno
import json
import os
import resource
import socket
import sys

libc = ctypes.CDLL(None, use_errno=True)
with open("targets.json") as file:
    target = json.load(file)
bot, file, open_port, port = target["process"], target["file"], target["open_port"], target["port"]
IS_X86 = os.uname().machine == "x86_64"
MSG_FASTOPEN, TCP_FASTOPEN_CONNECT, TCP_ULP, IPPROTO_MPTCP, AT_EMPTY_PATH = 0x20000000, 30, 31, 262, 0x1000


def call(function, *arguments):
    if getattr(libc, function)(*arguments) == -1:
        raise OSError(ctypes.get_errno(), function)


def stream(*kind):
    return socket.socket(*(kind or (socket.AF_INET, socket.SOCK_STREAM)))


def fast_open_option():
    connection = stream()
    connection.setsockopt(socket.IPPROTO_TCP, TCP_FASTOPEN_CONNECT, 1)
    connection.connect(("127.0.0.1", port))


def datagram_pair():
    left, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    left.sendto(b"x", target["datagrams"])


def stream_pair():
    left, right = socket.socketpair()
    left.sendall(b"x")
    assert right.recv(1) == b"x"


def scheduling():
    attributes = ctypes.create_string_buffer(48)
    ctypes.memmove(attributes, ctypes.byref(ctypes.c_uint32(48)), 4)
    call("syscall", 314 if IS_X86 else 274, bot, attributes, 0)


def by_descriptor(change):
    descriptor = os.open(file, os.O_PATH)
    change(descriptor)


def change_own():
    own = os.path.join(os.environ["HOME"], "own")
    with open(own, "w") as opened:
        os.fchmod(opened.fileno(), 0o640)


def chmod_own():
    own = os.path.join(os.environ["HOME"], "own2")
    with open(own, "w"):
        os.chmod(own, 0o640)


ATTACKS = {
    "tcp": lambda: stream().connect(("127.0.0.1", port)),
    "mptcp": lambda: stream(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP).connect(("127.0.0.1", port)),
    "fast-open": lambda: stream().sendto(b"x", MSG_FASTOPEN, ("127.0.0.1", port)),
    "fast-open-message": lambda: stream().sendmsg([b"x"], [], MSG_FASTOPEN, ("127.0.0.1", port)),
    "fast-open-option": fast_open_option,
    "tcp-layer": lambda: stream().setsockopt(socket.IPPROTO_TCP, TCP_ULP, b"smc"),
    "unix-path": lambda: stream(socket.AF_UNIX, socket.SOCK_STREAM).connect(target["unix"]),
    "unix-abstract": lambda: stream(socket.AF_UNIX, socket.SOCK_STREAM).connect("\0" + target["abstract"]),
    "unix-datagram": datagram_pair,
    "bind": lambda: stream().bind(("127.0.0.1", 0)),
    "listen": lambda: stream().listen(),
    "accept": lambda: socket.socketpair()[0].accept(),
    "raw": lambda: stream(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    "netlink": lambda: stream(socket.AF_NETLINK, socket.SOCK_RAW, 0),
    "packet": lambda: stream(socket.AF_PACKET, socket.SOCK_DGRAM, 0),
    "vsock": lambda: stream(40, socket.SOCK_STREAM, 0),
    "sctp": lambda: stream(socket.AF_INET, socket.SOCK_SEQPACKET, 0),
    "io-uring": lambda: call("syscall", 425, 1, 0),
    "limit-files": lambda: resource.prlimit(bot, resource.RLIMIT_FSIZE, (0, 0)),
    "limit-descriptors": lambda: resource.prlimit(bot, resource.RLIMIT_NOFILE, (0, 0)),
    "limit-processor": lambda: resource.prlimit(bot, resource.RLIMIT_CPU, (1, 1)),
    "priority": lambda: os.setpriority(os.PRIO_PROCESS, bot, 19),
    "affinity": lambda: os.sched_setaffinity(bot, {0}),
    "scheduler": lambda: os.sched_setscheduler(bot, os.SCHED_IDLE, os.sched_param(0)),
    "scheduling": scheduling,
    "io-priority": lambda: call("syscall", 251 if IS_X86 else 30, 1, bot, 3 << 13),
    "signal": lambda: os.kill(bot, 9),
    "ptrace": lambda: call("ptrace", 16, bot, None, None),
    "memory": lambda: call("syscall", 310 if IS_X86 else 270, bot, None, 0, None, 0, 0),
    "descriptor": lambda: call("syscall", 438, 0, 0, 0),
    "read": lambda: open(file).close(),
    "write": lambda: open(file, "a").close(),
    "chmod": lambda: os.chmod(file, 0o666),
    "chmod-of-link": lambda: by_descriptor(lambda opened: os.chmod(f"/proc/self/fd/{opened}", 0o666)),
    "chmod-of-path": lambda: by_descriptor(lambda opened: call("syscall", 452, opened, b"", 0o666, AT_EMPTY_PATH)),
    "chown": lambda: os.chown(file, os.getuid(), -1),
    "utime": lambda: os.utime(file, (1, 1)),
    "attribute": lambda: os.setxattr(file, "user.mine", b"1"),
    "unshare": lambda: call("unshare", 0x10000000),
    "clone": lambda: call("syscall", 56 if IS_X86 else 220, 0x10000000 | 17, 0, 0, 0, 0),
    "mount": lambda: call("mount", b"none", b"/tmp", b"tmpfs", 0, None),
    "memory-file": lambda: os.memfd_create("mine"),
    "shared-memory": lambda: call("shmget", 0, 4096, 0o1600),
    "x32": lambda: call("syscall", 0x40000000 + 41, socket.AF_UNIX, socket.SOCK_STREAM, 0),
    # What it may do.
    "localhost": lambda: socket.create_connection(("localhost", open_port), 5),
    "stream-pair": stream_pair,
    "own-affinity": lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)),
    "own-limit": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32)),
    "own-file": change_own,
    "own-path": chmod_own,
}


def tried(attack):
    try:
        attack()
        return "done"
    except socket.gaierror as problem:
        return f"gai {problem.errno}"
    except OSError as problem:
        return errno.errorcode.get(problem.errno, str(problem))


sys.stdin.read()
print(" ".join(f"{name}={tried(attack)};" for name, attack in ATTACKS.items()))
