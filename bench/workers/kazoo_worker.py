"""The worker for kazoo: a thread for each waiter, one client."""

import argparse
import json
import math
import os
import random
import sys
import threading
import time
import traceback

from kazoo.client import KazooClient
from kazoo.recipe.lock import Lock


def read_settings():
    """The command line, the same as that of the workers of other systems."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--servers", required=True)
    parser.add_argument("--path", required=True)
    parser.add_argument("--mode", choices=("cycle", "first_use", "try_busy", "hold"),
                        default="cycle")
    for name in ("--waiters", "--locks"):
        parser.add_argument(name, type=int, default=1)
    for name in ("--index", "--held", "--local-handoffs"):
        parser.add_argument(name, type=int, default=0)
    for name in ("--keep-ms", "--pause-ms"):
        parser.add_argument(name, type=float, default=0)
    for name in ("--warmup", "--seconds"):
        parser.add_argument(name, type=float, default=1)
    parser.add_argument("--stamps", choices=("yes", "no"), default="no")
    return parser.parse_args()


class Worker:
    def __init__(self, settings, client):
        self.settings = settings
        self.client = client
        self.is_open = False
        self.has_stopped = False
        self.cycles = []  # (started, held, released, ended) in nanoseconds

    def path_of(self, waiter):
        return f"{self.settings.path}/{waiter % self.settings.locks}"

    def add(self, *cycle):
        """Adds a cycle if the window is open. A cycle that began before the window counts."""
        if self.is_open:
            self.cycles.append(cycle)

    def cycle(self, lock):
        started = time.monotonic_ns()
        lock.acquire()
        held = time.monotonic_ns()
        if self.settings.keep_ms > 0:
            time.sleep(self.settings.keep_ms / 1e3)
        released = time.monotonic_ns()
        lock.release()
        self.add(started, held, released, time.monotonic_ns())

    def keep_cycling(self, waiter):
        lock = Lock(self.client, self.path_of(waiter))
        while not self.has_stopped:
            if self.settings.pause_ms > 0:
                time.sleep(random.uniform(0, self.settings.pause_ms) / 1e3)
            self.cycle(lock)

    def use_each_once(self, waiter):
        turn = 0
        while not self.has_stopped:
            self.cycle(Lock(self.client, f"{self.settings.path}/{waiter}-{turn}"))
            turn += 1

    def keep_trying(self, waiter):
        lock = Lock(self.client, self.path_of(waiter))
        while not self.has_stopped:
            started = time.monotonic_ns()
            if lock.acquire(blocking=False):
                raise RuntimeError("a try acquired a lock that another process holds")
            ended = time.monotonic_ns()
            self.add(started, ended, ended, ended)

    def work_as(self, waiter):
        work = {"cycle": self.keep_cycling, "first_use": self.use_each_once,
                "try_busy": self.keep_trying}[self.settings.mode]
        try:
            work(waiter)
        except Exception:
            # Stopping the client ends waits with various errors.
            if not self.has_stopped:
                traceback.print_exc()
                sys.stderr.flush()
                os._exit(1)


def status(name):
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name + ":"))


def percentile(ordered, share):
    """Returns the smallest value that at least this share of the values does not exceed."""
    return ordered[max(math.ceil(share * len(ordered)), 1) - 1] if ordered else 0


def distribution(ordered):
    """Returns the times by the shares of the values that do not exceed them."""
    return {share: percentile(ordered, share)
            for share in (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9999)}


def measure(worker):
    settings = worker.settings
    time.sleep(settings.warmup)
    print("measuring", flush=True)
    cpu, opened = time.process_time(), time.monotonic()
    worker.is_open = True
    time.sleep(settings.seconds)
    worker.is_open = False
    seconds, cpu = time.monotonic() - opened, time.process_time() - cpu
    peak, threads = status("VmHWM"), status("Threads")
    print("measured", flush=True)
    worker.has_stopped = True

    cycles = list(worker.cycles)
    times = sorted((ended - started) / 1e6 for started, _, _, ended in cycles)
    acquires = sorted((held - started) / 1e6 for started, held, _, _ in cycles)
    holds = [[held, released] for _, held, released, _ in cycles]
    print(json.dumps({
        "cycles": len(times), "seconds": seconds, "p50_ms": percentile(times, 0.5),
        "p99_ms": percentile(times, 0.99), "max_ms": percentile(times, 1), "cpu_seconds": cpu,
        "peak_rss_kib": peak, "threads": threads,
        "acquire_ms": distribution(acquires), "holds": holds if settings.stamps == "yes" else []}), flush=True)


def main():
    settings = read_settings()
    client = KazooClient(hosts=settings.servers, timeout=30)
    client.start()
    worker = Worker(settings, client)
    if settings.mode == "hold":
        with Lock(client, worker.path_of(0)):
            print("ready", flush=True)
            sys.stdin.read()
        return client.stop()

    with Lock(client, settings.path + "/prepare"):
        others = [Lock(client, f"{settings.path}/held-{i}") for i in range(settings.held)]
    for other in others:
        other.acquire()
    print("ready", flush=True)
    if sys.stdin.readline() != "go\n":
        sys.exit("kazoo_worker.py: expected the line go")
    for waiter in range(settings.waiters):
        threading.Thread(target=worker.work_as, args=(waiter,), daemon=True).start()
    measure(worker)
    client.stop()
    # Waiter threads may still sleep.
    os._exit(0)


if __name__ == "__main__":
    main()
