#!/usr/bin/env python3
"""What counting and timing add to an acquire: the same bench, with metrics and without, turn by turn.

    bench/metrics_cost.py [build/speed] [ROUNDS]

Prints nanoseconds of acquire and give back, the median of the rounds, and their ratio.
"""
import json
import statistics
import subprocess
import sys

ROWS = ["threads:1", "threads:8"]
FILTER = "forebay_acquire/connections:32/real_time/({})$"


def run(program):
    """Nanoseconds by row."""
    out = subprocess.run(
        [program, "--benchmark_filter=" + FILTER.format("|".join(ROWS)), "--benchmark_format=json",
         "--benchmark_min_time=0.5"],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return {each["name"].rsplit("/", 1)[1]: each["real_time"] for each in json.loads(out)["benchmarks"]}


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "build/speed"
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    times = {name: {row: [] for row in ROWS} for name in ("acquire_bench", "acquire_unmetered_bench")}
    for _ in range(rounds):
        for name, rows in times.items():
            for row, nanoseconds in run(f"{folder}/bench/{name}").items():
                rows[row].append(nanoseconds)
    for row in ROWS:
        with_metrics, without = (statistics.median(rows[row]) for rows in times.values())
        print(f"{row}: {with_metrics:.1f} ns with metrics, {without:.1f} ns without: {with_metrics / without:.2f}")


if __name__ == "__main__":
    main()
