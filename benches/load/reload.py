"""Reloads of the modules while commands run: none is lost, and no descriptor or process is left over."""

import ctypes
import os
import shutil
import signal
import sqlite3
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path

from bots import BOTS, LOG, ROOT, report

RATE, WARM_UP = 100, 50
# What the load sends before, to look at the answers.
CHECKED = 20
# A module of each kind that is not compiled in. Each is tried, and the server started, before a reload is in force. The
# server takes so many calls at once that a machine that is busy for a moment is no reason to refuse one.
RULES = """[module]
name = "rules"
summary = "The rules"
kind = "text"

[commands."/rules"]
description = "The rules"
reply = "Be kind, {n}."
"""
SAY = """[module]
name = "say"
summary = "Says something"
kind = "exec"

[run]
program = "say.sh"
{sandbox}
[commands."/say"]
description = "Say something"
writes = false
probe = {{}}
"""
TOOLS = """[module]
name = "tools"
summary = "Tools"
kind = "mcp"

[run]
program = "python3"
arguments = ["server.py"]
at_once = 32
{sandbox}
[commands."/echo"]
description = "Say it again"
handler = "echo"

[commands."/echo".options.text]
description = "What to say"
"""
# Reloads before what is open is counted, how long what was replaced may take to end, and how many descriptors more than
# before are no leak: connections that stay open for a while.
FIRST, END_WITHIN_S, DESCRIPTORS_MORE = 10, 10, 10
PATIENCE_S = 30


def reload(count):
    """Fails if a command is lost, or something is left over."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        write_modules(folder)
        reloads = Reloads(folder, count)
        reloads.start()
        start = f"echo $$ >pid; {BOTS['candor'][1]} 2>{LOG}"
        flags = ["--rate", str(RATE), "--warm-up", str(WARM_UP), "--count", "1000000", "--until", "done"]
        told = report(["/echo text: hello", *flags, "--", "sh", "-c", start], folder)
        reloads.join()
        if reloads.problem:
            sys.exit(reloads.problem)
        check_receipts(folder, told["count"] + WARM_UP + CHECKED)
        answer = told["answer"]
        print(f"{reloads.done} reloads in {reloads.seconds:.0f} s beside {told['count']} commands, {RATE} a second:")
        print(f"all answered, p50 {answer['p50_ms']:.1f} ms, p99 {answer['p99_ms']:.1f} ms, at most {answer['max_ms']:.0f} ms")
        for what, before, after in reloads.open:
            print(f"{what} {before} before, {after} after")
        before, after = (told["bot"][f"resident_{when}_kib"] / 1024 for when in ("before", "after"))
        print(f"resident {before:.1f} to {after:.1f} MiB")


def write_modules(folder):
    """A bot with a module of each kind."""
    sandbox = "" if can_confine() else 'sandbox = "off"\n'
    trusted = "".join(f"[modules.trusted.{name}]\n{sandbox}" for name in ("say", "tools"))
    (folder / "config.toml").write_text(f'[admin]\nlisten = "off"\n{trusted}')
    modules = folder / "modules"
    for name in ("rules", "say", "tools"):
        (modules / name).mkdir(parents=True)
    (modules / "rules/module.toml").write_text(RULES.format(n=0))
    (modules / "say/module.toml").write_text(SAY.format(sandbox=sandbox))
    (modules / "say/say.sh").write_text("#!/bin/sh\necho said\n")
    (modules / "say/say.sh").chmod(0o755)
    (modules / "tools/module.toml").write_text(TOOLS.format(sandbox=sandbox))
    shutil.copy(ROOT / "src/outside/tests/server.py", modules / "tools/server.py")


def check_receipts(folder, sent):
    """Each command that was sent ran once, and did what it does."""
    with closing(sqlite3.connect(folder / "data/candor.db")) as store:
        outcomes = dict(store.execute("SELECT outcome, count(*) FROM receipts GROUP BY outcome"))
    if outcomes != {"done": sent}:
        sys.exit(f"{sent} commands were sent, and their receipts are {outcomes}")


class Reloads(threading.Thread):
    """Has the bot reload again and again, then ends the load."""

    def __init__(self, folder, count):
        super().__init__(daemon=True)
        self.folder, self.count = folder, count
        self.done, self.seconds, self.open, self.problem = 0, 0, [], None

    def run(self):
        try:
            self.reload_all()
        except (OSError, TimeoutError, ValueError) as problem:
            self.problem = f"after {self.done} reloads: {problem}"
        finally:
            (self.folder / "done").touch()

    def reload_all(self):
        wait_for(lambda: (self.folder / LOG).exists() and (self.folder / "pid").stat().st_size, "the bot starts")
        pid = int((self.folder / "pid").read_text())
        with (self.folder / LOG).open(errors="replace") as log:
            wait_for(lambda: " ready" in log.read(), "the bot is ready")
            self.reload_until(FIRST, pid, log)
            before = most(pid)
            began = time.monotonic()
            self.reload_until(FIRST + self.count, pid, log)
            self.seconds = time.monotonic() - began
        more = (DESCRIPTORS_MORE, 0)
        is_over = lambda: all(now <= then + more for now, then, more in zip(counted(pid), before, more))
        try:
            wait_for(is_over, "what was replaced ends", END_WITHIN_S)
        finally:
            self.done -= FIRST
            self.open = list(zip(("descriptors", "processes"), before, counted(pid)))

    def reload_until(self, count, pid, log):
        """Writes a module anew and asks for a reload, until there were so many."""
        while self.done < count:
            text = self.folder / "rules.toml"
            text.write_text(RULES.format(n=self.done))
            text.replace(self.folder / "modules/rules/module.toml")
            os.kill(pid, signal.SIGHUP)
            told = wait_for(lambda: reloaded(log.read()), "a reload ends")
            self.done += told


def most(pid):
    """The most of one second: each call of a program has processes for a moment."""
    counts = []
    for _ in range(20):
        counts.append(counted(pid))
        time.sleep(0.05)
    return tuple(max(column) for column in zip(*counts))


def reloaded(lines):
    """How many reloads these lines of the log are of."""
    if "not reloaded" in lines:
        raise ValueError(f"a reload failed: {lines}")
    return lines.count("the modules are in force")


def counted(pid):
    """The open descriptors of a process, and the processes that it started, with those that these started."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            of = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if of[0] != "Z":
            parents[int(stat.parent.name)] = int(of[1])
    family = {pid}
    while more := {child for child, parent in parents.items() if parent in family} - family:
        family |= more
    return len(os.listdir(f"/proc/{pid}/fd")), len(family) - 1


def wait_for(look, what, seconds=PATIENCE_S):
    """What `look` finds, once it finds something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(0.005)
    raise TimeoutError(f"{what}: not within {seconds} s")


def can_confine():
    """Whether this kernel confines programs: it says which version of Landlock it has."""
    landlock_create_ruleset, only_version = 444, 1
    return ctypes.CDLL(None).syscall(landlock_create_ruleset, None, 0, only_version) > 0
