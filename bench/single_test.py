#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the jobs authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that bench_single has the rows of bench_compare: single_test.py BENCH_COMPARE BENCH_SINGLE

Compares both lists; then measures one row in ns and one in another unit, and reads the JSON.
"""
import json
import re
import subprocess
import sys

ROW = re.compile(r"(\S+) +W(\d+) (.{12}) (.{10}) ")
NAME = re.compile(r"([^/]+)/([^/]+)/W:(\d+)/iterations:1/(manual|real)_time")
ONE_THREAD = {"jobs@1", "serial"}
MEASURED = {"mutex": "ns", "blocked_100k_memory": "KiB"}  # short ones


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def rows_of(compare):
    """(workload, W, peer, unit) of each row."""
    rows = []
    for line in run(compare, "--list").splitlines():
        workload, workers, peer, unit = ROW.match(line).groups()
        rows.append((workload, int(workers), peer.strip(), unit.strip()))
    return rows


def benchmarks_of(single):
    """{(workload, runtime, W): clock}"""
    found = {}
    for name in run(single, "--benchmark_list_tests").splitlines():
        workload, runtime, workers, clock = NAME.fullmatch(name).groups()
        key = (workload, runtime, int(workers))
        assert key not in found, f"bench_single has two benchmarks for {key}"
        found[key] = clock
    return found


def check_lists(compare, single):
    rows = rows_of(compare)
    peers = {}
    expected = {}
    for workload, workers, peer, unit in rows:
        key = (workload, peer, 1 if peer in ONE_THREAD else workers)
        assert key not in peers, f"bench_single cannot tell these rows apart: {peers[key]}, {(workload, workers, peer)}"
        peers[key] = (workload, workers, peer)
        expected[key] = expected[workload, "jobs", workers] = "manual" if unit == "ns" else "real"
    found = benchmarks_of(single)
    workloads = {row[0] for row in rows}
    sides = {key: clock for key, clock in found.items() if key in expected or key[1] != "serial"}
    assert sides == expected, f"differing: {sorted(set(sides.items()) ^ set(expected.items()))}"
    for workload, runtime, workers in found:
        assert workload in workloads and (runtime != "serial" or workers == 1), f"no row has {workload}/{runtime}"
    print(f"{len(rows)} rows, {len(found)} benchmarks")


def check_figures(single):
    report = json.loads(run(single, "--benchmark_format=json", f"--benchmark_filter=^({'|'.join(MEASURED)})/"))
    assert all(report["context"].get(key) for key in ("machine", "compiler", "peers")), report["context"]
    seen = set()
    for benchmark in report["benchmarks"]:
        workload, runtime, _, _ = NAME.fullmatch(benchmark["name"]).groups()
        unit = MEASURED[workload]
        assert benchmark["time_unit"] == "ns" and "error_occurred" not in benchmark, benchmark
        figure = benchmark["real_time" if unit == "ns" else unit]
        assert figure > 0, benchmark
        assert (unit in benchmark) == (unit != "ns"), benchmark
        print(f"{workload}, {runtime}: {figure:.3g} {unit}")
        seen.add((workload, runtime))
    assert seen == {("mutex", "jobs"), ("mutex", "std"), ("blocked_100k_memory", "jobs"),
                    ("blocked_100k_memory", "Boost.Fiber")}, seen


compare, single = sys.argv[1:]
check_lists(compare, single)
check_figures(single)
