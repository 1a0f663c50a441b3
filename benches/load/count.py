"""System calls and wake-ups of Candor for one command. They hardly depend on the machine, so they have ceilings."""

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from bots import measure

CEILINGS = Path(__file__).with_name("ceilings.txt")
# Two runs of different length: what starting and ending cost is in both, and falls out of the difference.
SHORT, LONG = 200, 1200


def count():
    """Fails if a command takes more than it may."""
    if shutil.which("strace") is None:
        return skip("there is no strace")
    # On two processors, whatever the machine has: the runtime starts as many threads. What is started from here, the
    # twin and the bot, inherits them.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    commands = ceilings()
    counts = {command: per_command(command) for command in commands}
    if not all(counts.values()):
        return skip("strace counted nothing: may this user trace processes?")
    is_over = False
    for command, at_most in commands.items():
        print(f"\n{command:<24} {'counted':>9} {'at most':>9}")
        for name, ceiling in at_most.items():
            n = counts[command].get(name, 0)
            is_over |= n > ceiling
            print(f"{name:<24} {n:>9.2f} {ceiling:>9.2f}{'  TOO MANY' if n > ceiling else ''}")
    if is_over:
        sys.exit("a command takes more than benches/load/ceilings.txt allows")


def ceilings():
    """What each command may take at most, by the command and the name of what is counted."""
    commands = {}
    for line in CEILINGS.read_text().splitlines():
        if line.startswith("/"):
            at_most = commands.setdefault(line, {})
        elif line and not line.startswith("#"):
            name, ceiling = line.split()
            at_most[name] = float(ceiling)
    return commands


def per_command(command):
    """What one command takes by now. Nothing if strace could not count."""
    short, long = system_calls(command, SHORT), system_calls(command, LONG)
    if not short or not long:
        return {}
    counted = {name: (n - short.get(name, 0)) / (LONG - SHORT) for name, n in long.items()}
    counted["wake-ups"] = measure("candor", "--count", "2000", command=command)["bot"]["wake_ups"]
    return counted


def system_calls(command, n):
    """How often each system call is made by a bot that is started, answers `n` commands, and ends."""
    with tempfile.TemporaryDirectory() as folder:
        summary = Path(folder, "summary")
        # -D: the bot is the process that is started, and strace a grandchild of its parent, which ends after it.
        trace = f"strace -D -f -c -o {summary}"
        measure("candor", "--warm-up", "0", "--count", str(n), trace=trace, command=command)
        for _ in range(100):
            lines = summary.read_text().splitlines() if summary.exists() else []
            if lines and lines[-1].endswith(" total"):
                rows = [line.split() for line in lines[2:]]
                return {row[-1]: int(row[3]) for row in rows if row[0][0].isdigit()}
            time.sleep(0.1)
    return {}


def skip(why):
    """Says aloud that nothing was counted. Under CI, that is a failure."""
    print(f"SKIPPED the count of system calls: {why}", file=sys.stderr)
    if os.environ.get("CI"):
        sys.exit(1)
