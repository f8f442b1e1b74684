"""Every scenario, with its systems and sizes."""

from dataclasses import dataclass

from results import SIZES

# Those that most scenarios compare, and those that only some do.
COMMON = ("zklock", "curator", "kazoo", "redis_poll", "redis_pubsub", "bare")
SYSTEMS = (*COMMON, "zklock_cached", "posts", "zklock_posted", "zklock_immediate", "zklock_tls",
           "zklock_stunnel")

SCENARIOS = {
    "free_lock": "one client acquires and releases a free lock, again and again",
    "free_lock_fsync": "the same, with servers that write to the disk before they reply",
    "free_lock_background": "the same, without waiting for the release",
    "first_use": "one client uses each lock once: a new path under one parent",
    "many_locks": "one client uses 64 or 1,000 different locks at once",
    "combined": "writes of many locks and many waiters, with servers that write to the disk",
    "queue": "one lock and many waiters in one process",
    "hot_local": "the same, with up to 64 hand-overs inside the process for one entry",
    "hot_local_background": "the same, without waiting for the release",
    "processes": "one lock, several processes with 25 waiters each",
    "processes_handoffs": "the same, with up to 16 hand-overs inside a process for one entry",
    "lone": "one lock, many processes with one waiter each",
    "handover": "two processes that keep the lock for 5 ms: from release to held",
    "cached": "free locks of a client that keeps them: one, or 1,000 in turn; two posts of Asio",
    "cached_background": "the same, without waiting for the release; one post of Asio",
    "immediate": "a cached lock by the immediate executor of the handler, and posted",
    "immediate_background": "a cached lock as in immediate, without waiting for the release",
    "cached_new_object": "the same as cached, with a lock object that is made for each cycle",
    "cached_fsync": "the same, with servers that write to the disk before they reply",
    "cached_contended": "two processes that want the lock by turns, with a cache and without",
    "cached_first_touch": "locks that another process keeps, each acquired once",
    "cached_readers": "8 processes that read under one lock, and one that writes once a second",
    "try_busy": "tries of a lock that another process holds",
    "surrounded": "a lock while its client holds, knows, caches or waits for many others",
    "crowded": "a lock whose many waiters give up at once, whose release is requested, or that has "
               "many readers",
    "ensemble": "one waiter, and a queue of 100, with an ensemble of three servers",
    "network": "one waiter, and a queue of 100, with an ensemble by a network of 1 ms",
    "network_handover": "handover, with an ensemble by a network of 1 ms",
    "failover": "two processes take turns; from the death of the leader to the next hand-over",
    "cold_start": "new processes, one after the other, until each holds the lock",
    "threads": "several threads use one client by one context or by four, or a client each",
    "tls": "one client uses one lock, or 64 different locks at once, plain and by TLS",
    "tls_connect": "new clients, one after the other, until each has its session",
}

TLS = ("tls", "tls_connect")


@dataclass(frozen=True)
class Page:
    """A page of figures. A run writes it if it has measured a scenario of the page."""

    title: str
    # Below the folder of the run.
    folder: str
    # The page that explains the figures.
    guide: str
    scenarios: tuple


PAGES = (
    Page("Figures", ".", "README.md", tuple(name for name in SCENARIOS if name not in TLS)),
    Page("Figures of TLS", "tls", "../README.md", TLS),
)

REDIS = ("redis_poll", "redis_pubsub")

# The most other locks of a client in `surrounded`. The paths of the locks that are held, or cached,
# fill the budget of a client at its upper limit, or the half of it that the cache may have.
MOST_OTHERS = {"held": 10_000, "known": 20_000, "cached": 5_000, "starved": 20_000}


@dataclass(frozen=True)
class Point:
    """One system in one scenario at one size."""

    scenario: str
    system: str
    processes: int = 1
    waiters: int = 1
    locks: int = 1
    held: int = 0
    known: int = 0
    cached: int = 0
    starved: int = 0
    waiting: int = 0
    readers: int = 0
    clients: int = 1
    # The execution contexts of a process, and the threads of each.
    contexts: int = 1
    context_threads: int = 1
    mode: str = "cycle"
    local_handoffs: int = 0
    keep_ms: float = 0
    pause_ms: float = 0
    # Whether each hold is reported. Hand-overs are computed from that.
    stamps: bool = False
    # The kind of server: single, fsync, ensemble, network, failover or tls.
    servers: str = "single"
    # The additional seconds until all waiters of the queue have moved up once.
    settle: float = 0
    # How many times as long as others it is measured, and for how many seconds at least.
    windows: int = 1
    least_window: float = 0
    # Whether the point is part of a quick run.
    quick: bool = True

    def label(self):
        parts = [self.scenario, self.system]
        if self.processes > 1:
            parts.append(f"{self.processes} processes")
        if self.waiters > 1:
            parts.append(f"{self.waiters} waiters")
        parts += [f"{getattr(self, name)} {name.replace('_', ' ')}" for name, usual in SIZES.items()
                  if getattr(self, name) != usual]
        return " ".join(parts)


def simple(scenario, systems, **settings):
    return [Point(scenario, system, **settings) for system in systems]


def many_locks():
    yield from simple("many_locks", ("zklock", "curator", "bare"), waiters=64, locks=64)
    # Until each lock was used twice.
    yield from simple("many_locks", ("zklock", "bare"), waiters=1_000, locks=1_000, settle=2)
    # Where the disk is the bound, transactions count.
    yield Point("combined", "zklock", waiters=100, servers="fsync")
    for locks in (64, 1_000):
        yield from simple("combined", ("zklock", "bare"), waiters=locks, locks=locks,
                          servers="fsync", settle=2 if locks == 1_000 else 0, quick=locks == 64)


def queue():
    most = {"zklock": 100_000, "curator": 2_000, "kazoo": 100, "redis_poll": 100,
            "redis_pubsub": 100}
    in_quick_runs = {10: ("zklock", "curator", "kazoo", "redis_pubsub"),
                     100: ("zklock", "curator"), 2_000: ("zklock", "curator"),
                     20_000: ("zklock",)}
    settle = {("curator", 500): 2, ("curator", 2_000): 8, ("zklock", 20_000): 2,
              ("zklock", 100_000): 9}
    for waiters in (2, 10, 100, 500, 2_000, 20_000, 100_000):
        for system, limit in most.items():
            if waiters <= limit:
                yield Point("queue", system, waiters=waiters,
                            settle=settle.get((system, waiters), 0),
                            quick=system in in_quick_runs.get(waiters, ()))


def processes():
    shared = {"waiters": 25, "pause_ms": 5, "stamps": True}
    for count in (1, 2, 4, 8):
        for system in ("zklock", "curator", "redis_pubsub"):
            yield Point("processes", system, processes=count,
                        quick=count == 4 and system != "redis_pubsub", **shared)
        yield Point("processes_handoffs", "zklock", processes=count, local_handoffs=16,
                    quick=count == 4, **shared)


def lone():
    for count in (4, 12, 32):
        # Each waiter gets in line again behind all others: they need time to do so once.
        yield from simple("lone", ("zklock", "curator"), processes=count, quick=count == 12,
                          settle=count / 16)


def handover(scenario, systems, **further):
    shared = {"processes": 2, "keep_ms": 5, "stamps": True, **further}
    # Redis' lock has no queue: without a pause, the releasing client mostly takes it again.
    yield from simple(scenario, systems, pause_ms=2, **shared)
    yield Point(scenario, "bare", mode="handover", **shared)


def cached():
    for waiters in (1, 100):
        for locks in (1, 1_000):
            # Each lock is used twice before it is kept.
            yield Point("cached", "zklock_cached", waiters=waiters, locks=locks,
                        settle=3 if locks > 1 else 0, quick=(waiters == 1) == (locks == 1))
        # What a coroutine costs that is resumed twice.
        yield Point("cached", "posts", waiters=waiters, mode="posts")
        yield Point("cached_background", "zklock_cached", waiters=waiters, mode="background")
    # What each hand-over costs that resumes one coroutine.
    yield Point("cached_background", "posts", mode="one_post")
    yield Point("cached_new_object", "zklock_cached", mode="new_object")
    yield Point("cached", "redis_poll")
    yield from simple("cached_fsync", ("zklock_cached", "redis_poll"), servers="fsync")


def immediate():
    for scenario, posted in (("immediate", "cycle"), ("immediate_background", "background")):
        yield from simple(scenario, ("zklock_cached", "zklock_posted"), mode=posted)
        # Before its window, the worker acquires a lock 10,000,000 times in a row.
        yield Point(scenario, "zklock_immediate", mode=scenario)


def cached_among_processes():
    yield from simple("cached_contended", ("zklock", "zklock_cached"), processes=2, pause_ms=1)
    yield Point("cached_first_touch", "zklock_cached", processes=2, mode="first_touch")
    yield Point("cached_readers", "zklock_cached", processes=9, mode="readers", windows=4)


def surrounded():
    for kind, most in MOST_OTHERS.items():
        for others in (1, 1_000, most):
            shared = {kind: others, "quick": others == 1}
            if kind == "starved":
                # Nobody is overtaken by a free lock, which would need room, too. A lock that two
                # coroutines hand over keeps its room.
                yield Point("surrounded", "zklock", waiters=2, local_handoffs=1_000_000, **shared)
            elif kind == "cached":
                yield Point("surrounded", "zklock", mode="uncached", **shared)
                yield Point("surrounded", "zklock_cached", **shared)
            else:
                yield Point("surrounded", "zklock", **shared)
    yield Point("surrounded", "curator", held=1_000, quick=False)


def crowded():
    for waiting in (1_000, 100_000):
        yield Point("crowded", "zklock", mode="give_up", waiting=waiting, quick=waiting == 1_000)
    for waiting in (100, 100_000):
        yield Point("crowded", "zklock_cached", processes=2, mode="first_touch", waiting=waiting,
                    windows=4, quick=waiting == 100)
    for readers in (1, 10_000):
        yield Point("crowded", "zklock", mode="read", readers=readers, quick=readers == 1)


def network():
    for waiters in (1, 100):
        yield from simple("network", COMMON, waiters=waiters, servers="network",
                          settle=1 if waiters > 1 else 0, quick=waiters == 1)
    yield from handover("network_handover", ("zklock", "curator", "kazoo", "redis_pubsub"),
                        servers="network")


def interrupted():
    for system in ("zklock", "curator", "kazoo"):
        yield Point("failover", system, processes=2, keep_ms=5, pause_ms=2, stamps=True,
                    servers="failover", least_window=10, quick=system == "zklock")
    yield from simple("cold_start", ("zklock", "curator", "kazoo", "bare"), mode="hold")


def threads():
    for system in ("zklock", "zklock_cached"):
        for sizes in ({}, {"context_threads": 2}, {"contexts": 4}):
            yield Point("threads", system, waiters=4, locks=4, **sizes)
        yield Point("threads", system, waiters=8, locks=8, clients=2, contexts=2)


def tls():
    systems = ("zklock", "zklock_tls", "zklock_stunnel")
    for locks in (1, 64):
        yield from simple("tls", systems, waiters=locks, locks=locks, servers="tls")
    # A JVM compiles its handshake after hundreds of them.
    yield from simple("tls_connect", systems, mode="connect", servers="tls", settle=2)


def all_points():
    yield from simple("free_lock", COMMON)
    yield from simple("free_lock_fsync", COMMON, servers="fsync")
    yield from simple("free_lock_background", ("zklock", "bare"), mode="background")
    yield from simple("first_use", ("zklock", "curator", "kazoo", "bare"), mode="first_use")
    yield from many_locks()
    yield from queue()
    for waiters in (100, 2_000):
        yield Point("hot_local", "zklock", waiters=waiters, local_handoffs=64)
        yield Point("hot_local_background", "zklock", waiters=waiters, local_handoffs=64,
                    mode="background")
    yield from processes()
    yield from lone()
    yield from handover("handover", ("zklock", "curator", "redis_pubsub"))
    yield from cached()
    yield from immediate()
    yield from cached_among_processes()
    yield from simple("try_busy", ("zklock", "curator", "kazoo"), mode="try_busy")
    yield from surrounded()
    yield from crowded()
    for waiters in (1, 100):
        yield from simple("ensemble", ("zklock", "curator", "bare"), waiters=waiters,
                          servers="ensemble", quick=waiters == 1)
    yield from threads()
    yield from network()
    yield from interrupted()
    yield from tls()


def chosen_points(names, quick):
    """Returns the points of the named scenarios and systems, or all points without names."""
    scenarios = [name for name in names if name in SCENARIOS]
    systems = [name for name in names if name in SYSTEMS]
    return [point for point in all_points()
            if (not scenarios or point.scenario in scenarios)
            and (not systems or point.system in systems)
            and (point.quick or not quick)]
