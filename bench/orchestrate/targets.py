"""The targets of zklock, and whether they are reached. A target without figures is left out."""

from dataclasses import dataclass
from statistics import median
from typing import Callable

from scenarios import MOST_OTHERS


class Missing(Exception):
    """A figure was not measured."""


@dataclass(frozen=True)
class Target:
    work: str
    wanted: str
    value: Callable
    unit: str
    reached: Callable
    # Why it is missed, where it is.
    reason: str

    def text(self, value):
        text = as_number(value)
        return text + unit_text(self.unit, 1 if text == "1" else value)


def figure(results, scenario, system, key="cycles_per_second", **sizes):
    row = results.find(scenario, system, **sizes)
    if row is None:
        raise Missing
    return row[key]


def times(scenario, other, beside=None, key="cycles_per_second", system="zklock", **sizes):
    """Compares zklock's figure with that of another system. `beside` is the other's scenario."""
    return lambda results: (figure(results, scenario, system, key, **sizes)
                            / figure(results, beside or scenario, other, key, **sizes))


def own(scenario, key="cycles_per_second", system="zklock", **sizes):
    return lambda results: figure(results, scenario, system, key, **sizes)


def at_least(work, bound, value, reason, unit="x"):
    return Target(work, f"at least {as_number(bound)}{unit_text(unit, bound)}", value, unit,
                  lambda v: v >= bound, reason)


def at_most(work, bound, value, reason, unit="x", slack=0.0):
    return Target(work, f"at most {as_number(bound)}{unit_text(unit, bound)}", value, unit,
                  lambda v: v <= bound + slack, reason)


def as_number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def unit_text(unit, number):
    if unit == "x":
        return unit
    return f" {unit.removesuffix('s')}" if number == 1 else f" {unit}"


def flatness(results):
    return (figure(results, "queue", "zklock", waiters=20_000)
            / figure(results, "queue", "zklock", waiters=100))


def growth(scenario, key, system, size, most, fewest=1, **further):
    """Compares the figure where there are most with that where there are fewest."""
    return lambda results: (figure(results, scenario, system, key, **{size: most}, **further)
                            / figure(results, scenario, system, key, **{size: fewest}, **further))


def two_clients(results):
    return (figure(results, "threads", clients=2, **CACHED)
            / figure(results, "threads", clients=1, contexts=1, context_threads=1, **CACHED))


def memory_of_a_waiter(results):
    many, few = 20_000, 100
    return (figure(results, "queue", "zklock", "peak_rss_kib", waiters=many)
            - figure(results, "queue", "zklock", "peak_rss_kib", waiters=few)) / (many - few)


def beyond_posts(scenario, posts, **sizes):
    """Compares the time of a cycle with that of Asio's posts, which a system call bounds: where
    only one coroutine is ready, Asio asks the kernel for events at each post."""
    return lambda results: (1e6 / figure(results, scenario, **sizes)
                            - 1e6 / figure(results, posts, "posts", **ONE))


def first_touch(results):
    def acquire(scenario, system, **sizes):
        return figure(results, scenario, system, "acquire_ms", **sizes)["0.5"]

    return (acquire("cached_first_touch", "zklock_cached", processes=2)
            / (acquire("free_lock", "bare") + figure(results, "handover", "bare", "p50_ms")))


# The slack covers a pause or a heartbeat now and then, which is no request of a cycle.
PER_CYCLE = {"unit": "requests", "slack": 0.15}
REQUESTS = "requests_per_cycle"
CACHED = {"system": "zklock_cached"}
SECURE = {"system": "zklock_tls"}
ONE = {"waiters": 1, "locks": 1}

# The reasons for which targets are missed.
AS_BARE = "the servers are the bound; they answer Curator's second round trip as fast"
QUORUM = ("both make two writes, which the servers pass on to each other; Curator's list takes one "
          "round trip of its client more, which is a fifth of the time")
NAMES = "entries are named for their client and hold data, and the coroutine is resumed"
TURNS = "each hand-over between processes is a write, and an event of its watch"
EACH_GRANT = "a coroutine that awaits both is resumed by two posts of Asio; see their row"
BOTH_POSTS = "the release that is awaited is a second post of Asio"
EACH_POST = "each grant resumes a coroutine by a post of Asio; see its row"
WHILE_READY = "only writes that are made while handlers are ready go together"
READS = ("each read is resumed by two posts of Asio, and eight readers share the cores with the "
         "servers")
CORES = "both threads share the two cores with the servers and the rest of the machine"
CONFLICT = ("two round trips of clients and servers that were idle for 10 ms, the first with the "
            "create of the directory; the bare create is one of a busy client")
ATTEMPTS = "each attempt to keep the lock costs the other process a round trip"
WRITES = ("of a slow write, most passes before the reply to its create: the servers share the cores "
          "with eight processes that never rest, and a plain create beside eight that only spin "
          "takes up to 28 ms")
RECORDS = "each message is a record, which both ends encrypt and decrypt"
HANDSHAKE = "both ends sign and verify in a full handshake, on the same cores"
TICKETS = ("once another client wants the lock, each acquisition in the line passes from the fast "
           "path to the queue")
USED = "the client also uses each of the 5,000 cached locks once a second, which counts, too"
UNKNOWN = "not known; measure again on a machine that does nothing else"


def lone(processes):
    work = f"{processes} processes with one waiter each"
    return (at_least(f"{work}, against Curator", 3, times("lone", "curator", processes=processes),
                     TURNS),
            at_most(work, 6, own("lone", REQUESTS, processes=processes),
                    "pings and checks of the sessions are counted, too", **PER_CYCLE))


def hot(waiters):
    work = f"{waiters:,} waiters, with local hand-overs"
    for name, scenario, reason, beyond in (
            (work, "hot_local", EACH_GRANT, BOTH_POSTS),
            (f"{work}, released in the background", "hot_local_background", EACH_POST, UNKNOWN)):
        yield at_least(name, 1_000_000, own(scenario, waiters=waiters), reason, "cycles/s")
        yield at_most("the same, beyond one post of Asio", 1,
                      beyond_posts(scenario, "cached_background", system="zklock",
                                   waiters=waiters), beyond, "microseconds")


def surrounded():
    for lock, system, kind in (
            ("free lock", "zklock", "held"), ("free lock", "zklock", "known"),
            ("free lock", "zklock", "cached"), ("cached lock", "zklock_cached", "cached"),
            ("lock handed over", "zklock", "starved")):
        most = MOST_OTHERS[kind]
        for name, key in (("p50", "p50_ms"), ("processor time", "cpu_us_per_cycle")):
            yield at_most(f"{lock} where {most:,} others are {kind}, against 1, {name}", 1.1,
                          growth("surrounded", key, system, kind, most),
                          USED if kind == "cached" else UNKNOWN)


def crowded():
    cpu, time = "cpu_us_per_cycle", "p50_ms"
    fewest, most = 1_000, 100_000
    work = f"{most:,} waiters that give up at once, against {fewest:,}, for each of them"
    p50 = growth("crowded", time, "zklock", "waiting", most, fewest)
    yield at_most(f"{work}, p50", 1.1, lambda results: p50(results) * fewest / most, UNKNOWN)
    yield at_most(f"{work}, processor time", 1.1,
                  growth("crowded", cpu, "zklock", "waiting", most, fewest), UNKNOWN)
    yield at_most(f"release requested of a lock with {most:,} in its line, against 100, p50", 1.1,
                  growth("crowded", time, "zklock_cached", "waiting", most, 100, processes=2),
                  TICKETS)
    for name, key in (("p50", time), ("processor time", cpu)):
        yield at_most(f"reader where 10,000 others hold, against 1, {name}", 1.1,
                      growth("crowded", key, "zklock", "readers", 10_000), UNKNOWN)


TARGETS = (
    at_least("free lock, against Curator", 1.9, times("free_lock", "curator"), AS_BARE),
    at_least("free lock by a network of 1 ms, against Curator", 1.9,
             times("network", "curator", **ONE), QUORUM),
    at_least("free lock, against bare create and delete", 0.95, times("free_lock", "bare"), NAMES),
    at_least("free lock released in the background, against Curator's released", 2.5,
             times("free_lock_background", "curator", beside="free_lock"), AS_BARE),
    at_least("the same, against bare create and delete", 0.95,
             times("free_lock_background", "bare"), NAMES),
    at_least("64 locks at once, against Curator", 1.5, times("many_locks", "curator", waiters=64),
             AS_BARE),
    at_least("64 locks at once, against bare create and delete", 0.95,
             times("many_locks", "bare", waiters=64), NAMES),
    at_least("1,000 locks at once, against bare create and delete", 2,
             times("many_locks", "bare", waiters=1_000), WHILE_READY),
    at_least("64 locks at once, with writes to the disk, against bare", 1.5,
             times("combined", "bare", waiters=64), WHILE_READY),
    at_least("1,000 locks at once, with writes to the disk, against bare", 2,
             times("combined", "bare", waiters=1_000), WHILE_READY),
    at_most("100 waiters in one process, with writes to the disk", 1.1,
            own("combined", "transactions_per_cycle", waiters=100), WHILE_READY, "transactions"),
    at_least("first use of a lock, against Curator", 2.4, times("first_use", "curator"), AS_BARE),
    at_most("first use of a lock", 4, own("first_use", REQUESTS), UNKNOWN, **PER_CYCLE),
    at_least("100 waiters in one process, against Curator", 9,
             times("queue", "curator", waiters=100), AS_BARE),
    at_least("2,000 waiters in one process, against Curator", 60,
             times("queue", "curator", waiters=2_000), AS_BARE),
    at_least("20,000 waiters, against 100", 0.9, flatness, UNKNOWN),
    at_most("memory of a waiter", 2, memory_of_a_waiter, UNKNOWN, "KiB"),
    *(each for waiters in (100, 2_000) for each in hot(waiters)),
    at_least("4 processes of 25 waiters, against Curator", 3,
             times("processes", "curator", processes=4), TURNS),
    at_least("the same with local_handoffs = 16, against Curator", 10,
             times("processes_handoffs", "curator", beside="processes", processes=4), TURNS),
    *(each for processes in (12, 32) for each in lone(processes)),
    at_most("hand-over between processes, against Curator", 0.6,
            times("handover", "curator", key="p50_ms"), UNKNOWN),
    at_most("hand-over between processes, against bare delete to watch event", 1.15,
            times("handover", "bare", key="p50_ms"), UNKNOWN),
    at_most("free lock", 2, own("free_lock", REQUESTS), UNKNOWN, **PER_CYCLE),
    at_most("100 waiters in one process", 2, own("queue", REQUESTS, waiters=100), UNKNOWN,
            **PER_CYCLE),
    at_least("own lock again, cached", 1_000_000, own("cached", **CACHED, **ONE), EACH_GRANT,
             "cycles/s"),
    at_most("the same, beyond two posts of Asio", 1,
            beyond_posts("cached", "cached", **CACHED, **ONE), UNKNOWN, "microseconds"),
    at_most("the same, p99", 0.005, own("cached", "p99_ms", **CACHED, **ONE), EACH_GRANT, "ms"),
    at_most("the same", 0.01, own("cached", REQUESTS, **CACHED, **ONE), UNKNOWN, "requests"),
    at_least("the same, released in the background", 1_000_000,
             own("cached_background", **CACHED, **ONE), EACH_POST, "cycles/s"),
    at_most("the same, beyond one post of Asio", 1,
            beyond_posts("cached_background", "cached_background", **CACHED, **ONE), UNKNOWN,
            "microseconds"),
    at_most("10,000,000 grants by an immediate executor in one loop", 64,
            own("immediate_background", "stack_kib", system="zklock_immediate"), UNKNOWN,
            "KiB of stack"),
    at_least("own lock again, cached, against Redis' poll lock", 30,
             times("cached", "redis_poll", **CACHED, **ONE), EACH_GRANT),
    at_least("the same, with writes to the disk, against Redis' poll lock", 30,
             times("cached_fsync", "redis_poll", **CACHED), EACH_GRANT),
    at_least("cached locks of two clients in two threads, against one in one", 1.9, two_clients,
             CORES),
    at_least("two processes that want a lock by turns, cache on against off", 0.95,
             times("cached_contended", "zklock", processes=2, **CACHED), ATTEMPTS),
    at_most("first acquire of a lock that another process keeps, p50, against bare create and "
            "hand-over", 1.3, first_touch, CONFLICT),
    at_least("8 processes that read, one write a second", 1_000_000,
             own("cached_readers", processes=9, **CACHED), READS, "reads/s"),
    at_most("the same, p99 of the writes", 10,
            own("cached_readers", "write_p99_ms", processes=9, **CACHED), WRITES, "ms"),
    *surrounded(),
    *crowded(),
    at_most("try of a busy lock", 1, own("try_busy", REQUESTS), UNKNOWN, **PER_CYCLE),
    at_least("TLS, one lock, against plain", 0.85, times("tls", "zklock", **SECURE, **ONE),
             RECORDS),
    at_least("TLS, 64 locks at once, against plain", 0.9,
             times("tls", "zklock", **SECURE, waiters=64, locks=64), RECORDS),
    at_most("a new client with TLS, until it has its session, p50", 8,
            own("tls_connect", "p50_ms", **SECURE, waiters=1), HANDSHAKE, "ms"),
    at_most("100 waiters in one process", 1, own("queue", "threads", waiters=100), UNKNOWN,
            "threads"),
)


def judged(results):
    """Yields (target, median, lowest, highest round) of each measured target."""
    for target in TARGETS:
        values = []
        for one in results.rounds:
            try:
                values.append(target.value(one))
            except (Missing, ZeroDivisionError):
                continue
        if values:
            yield target, median(values), min(values), max(values)
