"""Candor and the bots of benches/peers in turn: A B C A B C …, so that what else the machine does hits all alike."""

from statistics import median

from bots import BOTS, measure, measure_null

TO = "poise"
NULL = "null client"
LOADS = {
    "one": ["--count", "3000"],
    "rate": ["--rate", "200", "--count", "2000", "--warm-up", "200"],
    "full": ["--in-flight", "64", "--count", "20000", "--warm-up", "2000"],
}
# What is shown: a name with its unit, the load, the place in its report, and the digits after the point.
ROWS = [
    ("one at a time, p50, ms", "one", ("answer", "p50_ms"), 2),
    ("one at a time, p99, ms", "one", ("answer", "p99_ms"), 2),
    ("200 a second, p50, ms", "rate", ("answer", "p50_ms"), 2),
    ("200 a second, p99, ms", "rate", ("answer", "p99_ms"), 2),
    ("64 in flight, answers a second", "full", ("per_second",), 0),
    ("64 in flight, CPU each, ms", "full", ("bot", "cpu_ms"), 3),
    ("64 in flight, wake-ups each", "full", ("bot", "wake_ups"), 2),
    ("resident before the first, KiB", "one", ("bot", "resident_idle_kib"), 0),
]


def compare(repetitions):
    """Prints the medians of all repetitions, and their ratios to the bare library."""
    bots = [NULL, *BOTS]
    reports = {(load, bot): [] for load in LOADS for bot in bots}
    for repetition in range(repetitions):
        for load, flags in LOADS.items():
            for bot in bots:
                print(f"{repetition + 1} of {repetitions}: {load}, {bot}", flush=True)
                report = measure_null(*flags) if bot == NULL else measure(bot, *flags)
                reports[load, bot].append(report)
    measured = {name: [middle(reports[load, bot], place) for bot in bots] for name, load, place, _ in ROWS}
    to = bots.index(TO)
    ratios = [[name, *(shown(value and value / values[to], 2) for value in values)] for name, values in measured.items()]
    figures = [[name, *(shown(value, digits) for value in measured[name])] for name, _, _, digits in ROWS]
    for title, rows in [(f"ratio to {TO}", ratios), ("measured", figures)]:
        print(f"\n| {title} | {' | '.join(bots)} |\n| --- |{' --- |' * len(bots)}")
        for row in rows:
            print(f"| {' | '.join(row)} |")


def middle(reports, place):
    """The median of a value over all repetitions. The null client has no process of its own, and so no costs."""
    values = reports
    for key in place:
        values = [value[key] for value in values if value[key] is not None]
    return median(values) if values else None


def shown(value, digits):
    return "" if value is None else f"{value:.{digits}f}"
