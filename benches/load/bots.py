"""The bots that can be measured, and how one is put under load by `discord-twin load`."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
# The folder with `candor` and `discord-twin`.
PROGRAMS = Path(os.environ.get("CANDOR_PROGRAMS", TARGET / "release"))
PEERS = ROOT / "target/peers"
# What the bot says on its standard error, in the folder it runs in, and how many lines of it a failure shows.
LOG, LOG_LINES = "bot.log", 20

# The command of each bot, and how it is started. `exec` makes the process that is measured the bot's own. Candor has no
# command that answers with a fixed text: `/help` is native, changes nothing and reads nothing but the registry.
BOTS = {
    "candor": ("/help", f'DISCORD_PROXY="$TWIN_URL" DISCORD_TOKEN=load.token exec $TRACE "{PROGRAMS}/candor" run'),
    "poise": ("/ping", f'exec "{PEERS}/poise/release/peer-poise"'),
    "discord.js": ("/ping", f'exec node "{PEERS}/discord_js/ping.mjs"'),
    "discord.py": ("/ping", f'exec "{PEERS}/discord_py/bin/python" "{ROOT}/benches/peers/discord_py/ping.py"'),
}


def measure(bot, *flags, trace="", command=None):
    """The report of one load. The bot is started anew in an empty folder, which goes with its log."""
    usual, start = BOTS[bot]
    command = command or usual
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "config.toml").write_text('[admin]\nlisten = "off"\n')
        return report([command, *flags, "--", "sh", "-c", f"{start} 2>{LOG}"], folder, trace)


def measure_null(*flags):
    """The same of the null client: what the twin itself can do."""
    return report(["--null", *flags], ROOT)


def report(arguments, folder, trace=""):
    """What the twin reports. Only a report of a bot that answered everything counts."""
    program = [PROGRAMS / "discord-twin", "load", "--format", "json", "--patience", "30", *arguments]
    environment = {**os.environ, "TRACE": trace}
    ended = subprocess.run(program, cwd=folder, env=environment, stdout=subprocess.PIPE, check=False)
    if ended.returncode != 0:
        log = Path(folder, LOG)
        lines = log.read_text(errors="replace").splitlines()[-LOG_LINES:] if log.exists() else []
        told = "\n".join([ended.stdout.decode(), *lines])
        sys.exit(f"not every interaction was answered by the rules: {arguments}: {told}")
    return json.loads(ended.stdout)
