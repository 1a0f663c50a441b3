"""Candor under load, by its release build and that of the twin, or by the programs in the folder CANDOR_PROGRAMS:

    cargo build --release --locked --bin candor
    cargo build --release --locked --package discord-twin --features cli

    python3 benches/load count                 system calls and wake-ups of one command, with ceilings
    python3 benches/load grow [COUNT]          resident memory before and after, by default 100,000 commands
    python3 benches/load reload [COUNT]        reloads beside 100 commands a second: nothing lost, nothing left over
    python3 benches/load compare [REPETITIONS] against the bots that benches/peers/install installs, by default 5 times
"""

import sys

from compare import compare
from count import count
from grow import grow
from reload import reload

match sys.argv[1:]:
    case ["count"]:
        count()
    case ["grow", *number] if len(number) < 2:
        grow(int(number[0]) if number else 100_000)
    case ["reload", *number] if len(number) < 2:
        reload(int(number[0]) if number else 1_000)
    case ["compare", *number] if len(number) < 2:
        compare(int(number[0]) if number else 5)
    case _:
        sys.exit(__doc__)
