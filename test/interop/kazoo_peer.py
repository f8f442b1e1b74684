"""Uses kazoo's locks, as commands on its standard input say:

    kazoo_peer.py SERVERS SESSION_TIMEOUT_IN_MS

    ready                                  the client is connected

    lock NAME PATH TIMEOUT_IN_MS           kazoo's lock with names that all know
    read NAME PATH TIMEOUT_IN_MS           the same, for reading and for writing
    write NAME PATH TIMEOUT_IN_MS
    stock_lock NAME PATH TIMEOUT_IN_MS     kazoo's lock, not configured
    told_lock NAME PATH TIMEOUT_IN_MS      kazoo's lock that knows other names
      NAME held NODE                       the path of its entry
      NAME timeout
    unlock NAME                            releases what NAME holds
      NAME released
    work NAME PATH WORKERS TURNS FILE      counts in a file that only the lock protects
      NAME done                            FILE.order has the numbers of the entries that held it
    participants NAME PATH                 the identities in the entries, in order
      NAME participants IDENTITY...        "-" for an empty one

A command that fails is answered by "NAME failed REASON". Commands run side by side. Entries carry
the name as their identity. The program ends when its standard input does.
"""

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from kazoo.client import KazooClient
from kazoo.exceptions import LockTimeout
from kazoo.recipe.lock import Lock
from kazoo.retry import ForceRetryError


class SharedLock(Lock):
    """A lock whose entries are named as Curator, go-zookeeper and zklock name theirs."""

    _NODE_NAME = "-lock-"
    _EXCLUDE_NAMES = ["-lock-"]


class SharedReadLock(Lock):
    """The lock for reading, named as in Curator's InterProcessReadWriteLock."""

    _NODE_NAME = "__READ__"
    _EXCLUDE_NAMES = ["__WRIT__"]

    def _get_predecessor(self, node):
        """Not needed from kazoo 2.9 on: before, readers wait for later writers (kazoo#649)."""
        children = self.client.get_children(self.path)
        if node not in children:
            raise ForceRetryError()
        writers = [each for each in children
                   if each[:-10].endswith("__WRIT__") and each[-10:] < node[-10:]]
        return max(writers, key=lambda each: each[-10:], default=None)


class SharedWriteLock(Lock):
    """The lock for writing, named in the same way."""

    _NODE_NAME = "__WRIT__"
    _EXCLUDE_NAMES = ["__WRIT__", "__READ__"]


KINDS = {
    "lock": SharedLock,
    "read": SharedReadLock,
    "write": SharedWriteLock,
    "stock_lock": Lock,
    "told_lock": partial(Lock, extra_lock_patterns=["-lock-"]),
}


class Peer:
    def __init__(self, client):
        self.client = client
        self.held = {}

    def take(self, kind, name, path, timeout):
        lock = KINDS[kind](self.client, path, name)
        try:
            if not lock.acquire(timeout=int(timeout) / 1000):
                return "timeout"
        except LockTimeout:
            return "timeout"
        self.held[name] = lock
        return f"held {path}/{lock.node}"

    def unlock(self, name):
        self.held.pop(name).release()
        return "released"

    def participants(self, _, path):
        contenders = SharedLock(self.client, path).contenders()
        return " ".join(["participants", *(each or "-" for each in contenders)])

    def work(self, _, path, workers, turns, file):
        with ThreadPoolExecutor(int(workers)) as threads:
            for each in [threads.submit(self.count, path, int(turns), file)
                         for _ in range(int(workers))]:
                each.result()
        return "done"

    def count(self, path, turns, file):
        lock = SharedLock(self.client, path)
        counter = Path(file)
        for _ in range(turns):
            with lock:
                number = int(counter.read_text(encoding="ascii"))
                counter.write_text(str(number + 1), encoding="ascii")
                with open(file + ".order", "a", encoding="ascii") as order:
                    order.write(lock.node[-10:] + "\n")

    def obey(self, verb, name, *arguments):
        try:
            if verb in KINDS:
                answer = self.take(verb, name, *arguments)
            else:
                commands = {"unlock": self.unlock, "participants": self.participants,
                            "work": self.work}
                answer = commands[verb](name, *arguments)
        except Exception as failure:  # each command needs an answer
            answer = "failed " + repr(failure)
        say(f"{name} {answer}")


def say(line):
    # In one write, since other threads print, too.
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main():
    client = KazooClient(hosts=sys.argv[1], timeout=int(sys.argv[2]) / 1000)
    client.start()
    peer = Peer(client)
    say("ready")
    for line in sys.stdin:
        threading.Thread(target=peer.obey, args=line.split(), daemon=True).start()
    client.stop()
    # Some threads may still wait.
    os._exit(0)


if __name__ == "__main__":
    main()
