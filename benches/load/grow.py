"""What stays in memory of commands that were answered."""

import sys

from bots import measure

# 32 MiB a million.
KIB_PER_COMMAND_MAX = 32 * 1024 / 1_000_000


def grow(count):
    """Fails if the bot grows by more than it may."""
    # Caches and the allocator's pools fill first.
    report = measure("candor", "--in-flight", "64", "--warm-up", "5000", "--count", str(count), "--users", "10000")
    before, after = (report["bot"][f"resident_{when}_kib"] / 1024 for when in ("before", "after"))
    most = count * KIB_PER_COMMAND_MAX / 1024
    print(f"{count} commands at {report['per_second']:.0f} a second: resident {before:.1f} to {after:.1f} MiB")
    print(f"grown by {after - before:.2f} MiB of at most {most:.2f}")
    if after - before > most:
        sys.exit("the bot grows by more than 32 MiB a million commands")
