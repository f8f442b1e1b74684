"""Measures the chosen points in rounds, and writes the results. Started by bench/run."""

import os
import platform
import signal
import sys
import tempfile
from datetime import datetime, timezone

from arguments import ROOT, points_of, read_arguments, rounds_of, times_of
from build import build
from children import Child, Failure
from excerpts import write_excerpts
from measure import measure
from plots import draw
from results import results_of
from scenarios import PAGES, SCENARIOS, SYSTEMS, Point
from servers import ENSEMBLES, Servers
from systems import is_installed
from tables import as_text, number, page_text, ratio_table, target_table


MOST_FAILURES = 5
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(BaseException):
    """A signal has requested the end."""


def stop(number, _):
    # Further signals must not interrupt the cleanup.
    for one in STOPPING:
        signal.signal(one, signal.SIG_IGN)
    raise Stopped(number)


def show_names():
    for title, names in (("scenarios", SCENARIOS), ("systems", dict.fromkeys(SYSTEMS, ""))):
        print(f"{title}:")
        for name, description in names.items():
            print(f"  {name:22}{description}".rstrip())


def warm_up(servers, times, build):
    """Puts load on new servers before the first measurement."""
    # Several JVMs share the processors, and take longer to compile their code.
    settle = times.window + (10 if servers.kind in ENSEMBLES else 0)
    systems = ("bare", "zklock_tls") if servers.kind == "tls" else ("bare",)
    for system in systems:
        load = Point("many_locks", system, waiters=64, locks=64, settle=settle)
        measure(load, servers, times, build)


def run_kind(points, servers, times, build, rounds, failures):
    """Measures round by round, so that a disturbance of the machine affects all systems."""
    if servers.zookeeper is not None:
        warm_up(servers, times, build)
    seen = {point: [] for point in points}
    for turn in range(rounds):
        for point in points:
            try:
                one = measure(point, servers, times, build)
            except Failure as failure:
                # One of hundreds of measurements: the others are still useful.
                failures.append(failure)
                seen[point].append(None)
                print(f"bench/run: round {turn + 1}: {failure}", file=sys.stderr, flush=True)
                if len(failures) > MOST_FAILURES:
                    raise Failure("too many measurements have failed") from failure
                continue
            seen[point].append(one)
            print(f"round {turn + 1}/{rounds}  {point.label():50}"
                  f"{number(one['cycles_per_second']):>9} cycles/s   "
                  f"p50 {number(one['p50_ms'])} ms   p99 {number(one['p99_ms'])} ms", flush=True)
    return seen


def run_all(points, chosen, failures):
    seen = {}
    for kind in ("single", "fsync", "ensemble", "network", "failover", "tls"):
        some = [point for point in points if point.servers == kind]
        if not some:
            continue
        # Not in /tmp, which may be in memory: some scenarios measure writes to a disk.
        with tempfile.TemporaryDirectory(prefix="data-", dir=chosen.build / "bench") as directory:
            systems = {point.system for point in some}
            with Servers(kind, systems, chosen.build, directory) as servers:
                seen |= run_kind(some, servers, times_of(chosen), chosen.build,
                                 rounds_of(chosen), failures)
    return results_of({point: seen[point] for point in points})


def machine(build):
    """Returns what the machine takes for the steps that bound a cached lock."""
    with Child("bench_machine", [f"{build}/bench/bench_machine"]) as child:
        post, epoll = child.hear(60), child.hear(60)
        child.wait(10)
    return f"a post of Asio takes {post} ns, an empty epoll_wait {epoll} ns"


def about(chosen, started, costs):
    minutes = (datetime.now(timezone.utc) - started).seconds // 60 + 1
    command = " ".join(["bench/run", *chosen.names, *(["--quick"] if chosen.quick else [])])
    release = ".".join(platform.release().split(".")[:2])
    return (f"Written by `{command}`: medians of {rounds_of(chosen)} rounds with windows of "
            f"{times_of(chosen).window:g} s, "
            f"measured on {started:%Y-%m-%d} within {minutes} minutes: {os.cpu_count()} cores, "
            f"{platform.system()} {release}, servers on the same machine. Before the first round, "
            f"{costs}.")


def write_page(results, page, about_run, chosen):
    folder = chosen.out / page.folder
    folder.mkdir(exist_ok=True)
    results.write(folder / "latest.json")
    plots = draw(results, folder)
    (folder / "figures.md").write_text(
        page_text(results, page, about_run, plots), encoding="utf-8")


def write(results, about_run, chosen):
    for page in PAGES:
        some = results.among(page.scenarios)
        if some.rows:
            write_page(some, page, about_run, chosen)
    if chosen.is_published:
        write_excerpts(results, ROOT)
    for title, table in (("zklock beside Curator and beside bare ZooKeeper", ratio_table),
                         ("Targets", target_table)):
        head, *body = table(results)
        if body:
            print(f"\n{title}:\n\n{as_text([head, *body])}")
    print(f"\nwritten to {chosen.out}", flush=True)


def run(chosen):
    points = points_of(chosen)
    systems = {point.system for point in points}
    if chosen.build_first:
        build(chosen.build, ROOT, systems)
    missing = {system for system in systems if not is_installed(system, chosen.build)}
    for system in sorted(missing):
        print(f"bench/run: {system} is not installed, and left out", file=sys.stderr)
    points = [point for point in points if point.system not in missing]
    started = datetime.now(timezone.utc)
    was_there = chosen.out.exists()
    chosen.out.mkdir(parents=True, exist_ok=True)
    costs = machine(chosen.build)
    failures = []
    try:
        results = run_all(points, chosen, failures)
        write(results, about(chosen, started, costs), chosen)
    finally:
        if not was_there and not any(chosen.out.iterdir()):
            chosen.out.rmdir()
    if failures:
        raise Failure(f"{len(failures)} measurements have failed")


def main():
    chosen = read_arguments()
    if chosen.list:
        return show_names()
    if chosen.print_systems:
        return print(*sorted({point.system for point in points_of(chosen)}))
    for one in STOPPING:
        signal.signal(one, stop)
    try:
        run(chosen)
    except (Failure, OSError) as failure:
        sys.exit(f"bench/run: {failure}")
    except Stopped as stopped:
        # The parent process sees the signal as the cause of the end.
        signal.signal(stopped.args[0], signal.SIG_DFL)
        os.kill(os.getpid(), stopped.args[0])


main()
