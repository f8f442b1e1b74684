"""The tables of other pages that a whole run writes: a table follows a comment with its name."""

import re
from math import floor, log10

from children import Failure
from tables import as_markdown

ONE_LOCK = {"processes": 1, "waiters": 1, "locks": 1}
LOCKS = {"processes": 1, "waiters": 64, "locks": 64}
HUNDRED = {"processes": 1, "waiters": 100}
FOUR_PROCESSES = {"processes": 4, "waiters": 25}


def rounded(value):
    """Returns a figure with two digits that count."""
    digits = 1 - floor(log10(value))
    return f"{round(value, digits):,.{max(digits, 0)}f}"


def cell(results, scenario, system, key="cycles_per_second", **sizes):
    row = results.find(scenario, system, **sizes)
    return rounded(row[key]) if row and row[key] else "-"


def compared(results):
    """zklock beside other libraries."""
    yield "cycles a second", "zklock", "Curator", "kazoo", "Redis"
    systems = ("zklock", "curator", "kazoo", "redis_pubsub")
    for work, scenario, sizes in (
            ("a free lock", "free_lock", ONE_LOCK),
            ("100 waiters in one process", "queue", HUNDRED),
            ("4 processes of 25 waiters", "processes", FOUR_PROCESSES),
            ("a free lock by a network of 1 ms", "network", ONE_LOCK)):
        yield work, *(cell(results, scenario, system, **sizes) for system in systems)
    yield ("a lock that the client keeps, `lock_cache`",
           cell(results, "cached", "zklock_cached", **ONE_LOCK), "-", "-", "-")
    yield ("hand-over between processes, median in ms",
           *(cell(results, "handover", system, "p50_ms") for system in systems))


def load(results):
    """What servers carry."""
    yield "work", "cycles a second", "median of a cycle in ms"
    for work, scenario, sizes in (
            ("a free lock, one client, one server", "free_lock", ONE_LOCK),
            ("a free lock, with servers that force their log to the disk", "free_lock_fsync",
             ONE_LOCK),
            ("64 locks at once, one client, one server", "many_locks", LOCKS),
            ("64 locks at once, with servers that force their log to the disk", "combined", LOCKS),
            ("one lock, 100 waiters in one process, one server", "queue", HUNDRED),
            ("one lock, 4 processes of 25 waiters, one server", "processes", FOUR_PROCESSES),
            ("one lock, 4 processes of 25 waiters, `local_handoffs = 16`", "processes_handoffs",
             FOUR_PROCESSES),
            ("a free lock, ensemble of three", "ensemble", ONE_LOCK),
            ("one lock, 100 waiters, ensemble of three", "ensemble", HUNDRED),
            ("a free lock, ensemble of three by a network of 1 ms", "network", ONE_LOCK),
            ("one lock, 100 waiters, ensemble of three by a network of 1 ms", "network", HUNDRED)):
        yield (work, *(cell(results, scenario, "zklock", key, **sizes)
                       for key in ("cycles_per_second", "p50_ms")))


def cached(results):
    """Locks that a client keeps."""
    keeps = {**ONE_LOCK, "system": "zklock_cached"}

    def get(scenario, key, **sizes):
        return cell(results, scenario, key=key, **sizes)

    yield "work", "measured"
    yield ("a cached lock, one coroutine, released in the background",
           f"{get('cached_background', 'cycles_per_second', **keeps)} cycles a second, median "
           f"{get('cached_background', 'p50_ms', **keeps)} ms")
    yield ("with an awaited release",
           f"{get('cached', 'cycles_per_second', **keeps)} cycles a second, p99 "
           f"{get('cached', 'p99_ms', **keeps)} ms")
    two = {"processes": 2, "waiters": 1}
    yield ("two processes by turns, with a cache",
           f"{get('cached_contended', 'cycles_per_second', system='zklock_cached', **two)} cycles "
           "a second")
    yield ("two processes by turns, without a cache",
           f"{get('cached_contended', 'cycles_per_second', system='zklock', **two)} cycles a second")
    yield ("the first acquire of a lock that another process keeps",
           f"median {get('cached_first_touch', 'p50_ms', system='zklock_cached', **two)} ms")
    readers = {"system": "zklock_cached", "processes": 9}
    yield ("8 processes that read, and one write a second",
           f"{get('cached_readers', 'cycles_per_second', **readers)} reads a second; p99 of the "
           f"writes {get('cached_readers', 'write_p99_ms', **readers)} ms")


# By the file, from the root of the project, and the name of the table.
EXCERPTS = {("README.md", "compared"): compared, ("doc/guide/running_zookeeper.md", "load"): load,
            ("doc/lock_cache.md", "cached"): cached}


def write_excerpts(results, root):
    for (file, name), table in EXCERPTS.items():
        page = root / file
        written, count = re.subn(
            rf"(<!-- {name}: written by bench/run -->\n\n)(?:\|.*\n)+",
            lambda match, table=table: f"{match[1]}{as_markdown(table(results))}\n",
            page.read_text(encoding="utf-8"))
        if count != 1:
            raise Failure(f"{page} has {count} tables {name}")
        page.write_text(written, encoding="utf-8")
