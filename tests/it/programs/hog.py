#!/usr/bin/env python3
"""Uses more than a call may: memory that it shares, or processes. Or what no call may."""

import errno
import json
import mmap
import os
import socket
import sys
import time

what = json.loads(sys.stdin.readline())["options"]["what"]
if what == "memory":
    shared = mmap.mmap(-1, 600 << 20)
    for page in range(0, len(shared), mmap.PAGESIZE):
        shared[page] = 1
    time.sleep(60)
elif what == "processes":
    for started in range(300):
        try:
            if os.fork() == 0:
                time.sleep(60)
                os._exit(0)
        except OSError as problem:
            print(f"fork {errno.errorcode[problem.errno]} after {started}")
            sys.exit(0)
    time.sleep(60)
elif what == "leave":
    # Whoever reads this pipe does not let the bot's end of it break.
    os.open("/proc/self/fd/2", os.O_RDONLY)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execlp("sleep", "sleep", "454545")
        os._exit(0)
    time.sleep(60)
elif what == "socket":
    socket.socket()
elif what == "path":
    open("/etc/shadow").close()
elif what == "mode":
    os.chmod(__file__, 0o777)
print("fine")
