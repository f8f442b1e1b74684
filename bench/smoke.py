"""Runs a small part of the benchmarks, and checks the files that they write.

    smoke.py BUILD
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ORCHESTRATE = Path(__file__).resolve().parent / "orchestrate"
sys.path.insert(0, str(ORCHESTRATE))

from results import KEYS  # noqa: E402

AMONG_PROCESSES = ("cached_contended", "cached_first_touch", "cached_readers")


def run(build, out, names, waiters, window=0.2):
    subprocess.run([sys.executable, "-B", str(ORCHESTRATE), "--build", build, "--out", out,
                    "--rounds", "1", "--window", str(window), "--quick",
                    "--waiters", str(waiters), *names], check=True)
    return json.loads(Path(out, "latest.json").read_text(encoding="utf-8"))


def main():
    build = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="zklock-smoke-") as out:
        rows = (run(build, out, ("free_lock", "zklock", "bare"), 1)
                + run(build, out, ("queue", "zklock"), 10)
                + run(build, out, ("cached", "zklock_cached"), 1)
                + run(build, out, ("combined", "zklock"), 100)
                + run(build, out, ("many_locks", "zklock"), 1_000, window=1)
                + run(build, out, ("lone", "zklock"), 1)
                # Long enough for a write, one a second.
                + run(build, out, AMONG_PROCESSES, 1, window=0.5))
    measured = [(row["scenario"], row["system"], row["waiters"]) for row in rows]
    assert measured == [("free_lock", "zklock", 1), ("free_lock", "bare", 1),
                        ("queue", "zklock", 10),
                        *[("cached", "zklock_cached", 1)] * 2,
                        ("combined", "zklock", 100), ("many_locks", "zklock", 1_000),
                        ("lone", "zklock", 1), ("cached_contended", "zklock", 1),
                        *[(name, "zklock_cached", 1) for name in AMONG_PROCESSES]], measured
    for row in rows:
        missing = [key for key in KEYS if key not in row]
        assert not missing, f"{row['scenario']} has no {missing}"
        assert row["cycles_per_second"] > 0, row
        # A lock that is kept may have none.
        assert "cached" in row["scenario"] or row["transactions_per_cycle"] > 0, row
    assert any("write_p99_ms" in row for row in rows), rows
    one_lock = next(row for row in rows if row["scenario"] == "cached")
    assert one_lock["requests_per_cycle"] < 1, one_lock


main()
