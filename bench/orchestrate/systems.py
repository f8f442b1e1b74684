"""The command that starts the worker of each system."""

import shutil
import sys
from pathlib import Path

from results import SIZES

WORKERS = Path(__file__).resolve().parent.parent / "workers"


# The library with a newer release of Boost, where its headers can be had.
NEWER_BOOST = ("zklock_posted", "zklock_immediate")


def newer_boost(build):
    return Path(build, "newer_boost")


def is_installed(system, build):
    if system in NEWER_BOOST:
        return Path(newer_boost(build), "bench_zklock").exists()
    return system != "zklock_stunnel" or shutil.which("stunnel4") is not None


def program(system, build):
    if system in NEWER_BOOST:
        return [f"{newer_boost(build)}/bench_zklock", "--cache", "yes"]
    if system == "curator":
        return ["java", "-XX:-UsePerfData", f"@{build}/bench/bench_curator.arguments"]
    if system == "kazoo":
        return [sys.executable, "-B", str(WORKERS / "kazoo_worker.py")]
    if system.startswith("redis"):
        return [f"{build}/bench/bench_redis", system.removeprefix("redis_")]
    if system in ("posts", "zklock_tls", "zklock_stunnel"):
        return [f"{build}/bench/bench_zklock"]
    if system == "zklock_cached":
        return [f"{build}/bench/bench_zklock", "--cache", "yes"]
    return [f"{build}/bench/bench_{system}"]


def settings(point, address, path, warmup, window):
    """Returns the arguments that all workers share."""
    # Not all workers know all of them.
    sizes = [part for name, usual in SIZES.items() if getattr(point, name) != usual
             for part in (f"--{name.replace('_', '-')}", str(getattr(point, name)))]
    return ["--servers", address, "--path", path, "--mode", point.mode,
            "--waiters", str(point.waiters), *sizes,
            "--local-handoffs", str(point.local_handoffs),
            "--keep-ms", str(point.keep_ms), "--pause-ms", str(point.pause_ms),
            "--warmup", str(warmup), "--seconds", str(window),
            "--stamps", "yes" if point.stamps else "no"]
