"""Measures one point once: starts its workers and combines their results."""

import json
import os
import resource
import time
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count, pairwise
from math import ceil
from pathlib import Path
from statistics import median

from children import Child, Failure
from results import HANDOVERS
from systems import program, settings

START_LIMIT = 90
END_LIMIT = 60

runs = count()


@dataclass(frozen=True)
class Times:
    """The measured window and the time before it, in seconds."""

    warmup: float
    java_warmup: float
    window: float
    settling: float = 1

    def warmup_of(self, point):
        base = self.java_warmup if point.system == "curator" else self.warmup
        return base + point.settle * self.settling


def percentile(ordered, share):
    return ordered[max(ceil(share * len(ordered)), 1) - 1]


def hand_overs(answers):
    """Returns pairs of consecutive holds, each hold as (held, released, process)."""
    holds = sorted((held, released, process) for process, answer in enumerate(answers)
                   for held, released in answer["holds"])
    return list(pairwise(holds))


def between_processes(pairs):
    """Returns the times of hand-overs between processes, in milliseconds."""
    times = sorted((later[0] - earlier[1]) / 1e6 for earlier, later in pairs
                   if earlier[2] != later[2])
    if not times:
        return {"p50_ms": 0, "p99_ms": 0, "max_ms": 0}
    return {"p50_ms": percentile(times, 0.5), "p99_ms": percentile(times, 0.99),
            "max_ms": times[-1]}


def after_kill(point, pairs, killed):
    """Returns the time until the first hand-over that began after the kill."""
    times = [(later[0] - killed) / 1e6 for earlier, later in pairs
             if earlier[2] != later[2] and earlier[1] >= killed]
    if not times:
        raise Failure(f"{point.label()}: no hand-over followed the kill")
    return {"p50_ms": times[0], "p99_ms": times[0], "max_ms": times[0]}


def combine(point, answers, before, after, killed):
    result = {}
    if point.mode == "readers":
        writer, *answers = answers
        if writer["cycles"] == 0:
            raise Failure(f"{point.label()}: nothing was written")
        result["write_p99_ms"] = writer["p99_ms"]
    cycles = sum(answer["cycles"] for answer in answers)
    cpu_seconds = sum(answer["cpu_seconds"] for answer in answers)
    # The process that keeps locks for another one has no cycles of its own.
    timed = [answer for answer in answers if answer["cycles"]] or answers
    result |= {
        "cycles_per_second": sum(answer["cycles"] / answer["seconds"] for answer in answers),
        # With several processes: those of the median process, and the worst.
        "p50_ms": median(answer["p50_ms"] for answer in timed),
        "p99_ms": max(answer["p99_ms"] for answer in answers),
        "max_ms": max(answer["max_ms"] for answer in answers),
        "cpu_seconds": cpu_seconds,
        "cpu_us_per_cycle": cpu_seconds * 1e6 / max(cycles, 1),
        "peak_rss_kib": max(answer["peak_rss_kib"] for answer in answers),
        "threads": max(answer["threads"] for answer in answers),
        "acquire_ms": {share: median(answer["acquire_ms"][share] for answer in timed)
                       for share in timed[0]["acquire_ms"]},
    }
    result |= {f"{name}_per_cycle": (after[name] - before[name]) / max(cycles, 1)
               for name in before}
    for name in ("system_calls", "instructions"):
        if all(name in answer for answer in answers):
            result[f"{name}_per_cycle"] = sum(answer[name] for answer in answers) / max(cycles, 1)
    if "stack_kib" in answers[0]:
        result["stack_kib"] = answers[0]["stack_kib"]
    if point.stamps:
        pairs = hand_overs(answers)
        if point.scenario in HANDOVERS:
            result |= between_processes(pairs)
        elif killed is not None:
            result |= after_kill(point, pairs, killed)
        else:
            inside = sum(earlier[2] == later[2] for earlier, later in pairs)
            result["inside_share"] = inside / max(len(pairs), 1)
    return result


def status(child):
    pairs = (line.split() for line in
             Path(f"/proc/{child.process.pid}/status").read_text(encoding="ascii").splitlines())
    return {words[0]: words[1] for words in pairs if len(words) > 1}


def cpu_of_ended_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def start_until(end, new_child):
    """Starts processes that hold the lock, one after the other, and each at least once. Returns
    what a worker reports."""
    starts, opened, cpu = [], time.monotonic(), cpu_of_ended_children()
    while not starts or time.monotonic() < end:
        started = time.monotonic()
        with new_child() as child:
            child.expect("ready", START_LIMIT)
            starts.append((time.monotonic() - started) * 1e3)
            seen = status(child)
            child.end_input()
            child.wait(END_LIMIT)
    seconds, cpu = time.monotonic() - opened, cpu_of_ended_children() - cpu
    starts.sort()
    return {"cycles": len(starts), "seconds": seconds, "cpu_seconds": cpu,
            "p50_ms": percentile(starts, 0.5), "p99_ms": percentile(starts, 0.99),
            "max_ms": starts[-1], "peak_rss_kib": int(seen["VmHWM:"]),
            "threads": int(seen["Threads:"]),
            "acquire_ms": {str(share): percentile(starts, share) for share in (0.5, 0.9, 0.99)}}


def measure(point, servers, times, build):
    server = servers.of(point.system)
    warmup = times.warmup_of(point)
    window = max(times.window * point.windows, point.least_window)
    # A path of its own: leftovers of earlier runs have no effect.
    path = f"/bench-{os.getpid()}-{next(runs)}"
    command = program(point.system, build)
    arguments = [*settings(point, server.address, path, warmup, window), *server.arguments]
    killed = None
    if point.scenario == "cold_start":
        def new_child():
            return Child(point.label(), [*command, *arguments])

        start_until(time.monotonic() + warmup, new_child)
        before = server.counters()
        answers = [start_until(time.monotonic() + window, new_child)]
        return combine(point, answers, before, server.counters(), killed)
    with ExitStack() as children:
        if point.mode in ("try_busy", "read"):
            holder = children.enter_context(
                Child(f"{point.label()} (holder)", [*command, *arguments, "--mode", "hold"]))
            holder.expect("ready", START_LIMIT)
        workers = [
            children.enter_context(
                Child(point.label(), [*command, *arguments, "--index", str(index)]))
            for index in range(point.processes)]
        for worker in workers:
            worker.expect("ready", START_LIMIT)
        for worker in workers:
            worker.say("go")
        for worker in workers:
            worker.expect("measuring", warmup + END_LIMIT)
        # A server that was killed has lost its counts.
        is_failover = point.scenario == "failover"
        before = {} if is_failover else server.counters()
        if is_failover:
            children.callback(server.start_again)
            killed = server.kill_leader()
        for worker in workers:
            worker.expect("measured", window + END_LIMIT)
        after = {} if is_failover else server.counters()
        answers = [json.loads(worker.hear(END_LIMIT)) for worker in workers]
        for worker in workers:
            worker.wait(END_LIMIT)
    return combine(point, answers, before, after, killed)
