"""A process with 50 waiters that use kazoo's lock on the mutexes of the C++ processes:

    kazoo_client.py SERVERS SESSION_TIMEOUT_IN_MS LOG FOLDER NAME SEED LOCK...

Its commands and its log are those of chaos_client. kazoo does not tell until when a lock is
certainly held: writes to the entry prove it, see `write_entry`. The fencing token is the czxid of
the entry, as in zklock.
"""

import os
import random
import socket
import sys
import threading
import time
from itertools import count
from pathlib import Path

from kazoo.client import KazooClient
from kazoo.exceptions import KazooException, NoNodeError
from kazoo.recipe.lock import Lock
from kazoo.retry import KazooRetry

WAITERS = 50

# The exit status after a fault of kazoo, see crew.cpp.
KAZOO_FAILED = 70


def boot_time():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class SharedLock(Lock):
    """A lock whose entries are named as Curator, go-zookeeper and zklock name theirs."""

    _NODE_NAME = "-lock-"
    _EXCLUDE_NAMES = ["-lock-"]


class Process:
    def __init__(self, servers, session_timeout, log, folder, name, seed, locks):
        self.folder = Path(folder)
        self.name = name
        self.seed = int(seed)
        self.locks = locks
        self.log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self.numbers = count(1)
        self.stopping = threading.Event()
        retry = KazooRetry(max_tries=-1, delay=0.1, backoff=1, max_delay=1)
        self.client = KazooClient(
            hosts=servers,
            timeout=int(session_timeout) / 1000,
            connection_retry=retry,
            command_retry=retry.copy(),
        )

    def write(self, what, operation, *values):
        # The time is taken first, and the line is written in one call.
        words = [what, boot_time(), operation, *values]
        os.write(self.log, (" ".join(map(str, words)) + "\n").encode())

    def ask_storage(self, *words):
        with socket.socket(socket.AF_UNIX) as storage:
            storage.connect(str(self.folder / "storage"))
            storage.sendall((" ".join(map(str, words)) + "\n").encode())
            reply = b""
            while not reply.endswith(b"\n"):
                part = storage.recv(65536)
                if not part:
                    raise ConnectionError("the storage is gone")
                reply += part
            return reply[:-1].decode()

    def remove_entries(self, lock):
        """Deletes what an acquire or a release that failed has left: kazoo gives up at once."""
        while True:
            try:
                self.client.sync(lock.path)
                for child in self.client.get_children(lock.path):
                    if child.startswith(lock.prefix):
                        self.client.delete(lock.path + "/" + child)
                return
            except NoNodeError:
                continue
            except KazooException:
                time.sleep(0.1)

    def write_entry(self, lock):
        """Writes to the entry what it has. Returns its czxid, and when the write was sent at the
        earliest; nothing where the entry is gone.

        The lock is certainly held from the return of the first write until the last one is sent,
        whatever is disturbed meanwhile:

        - A server replies to a write once a quorum has it, so a deposed leader does not. The write
          succeeds only if the entry exists. So it exists at a moment before the return, and at one
          after the write is sent.
        - Both replies have the same czxid: it is one znode, which exists all the time in between.
        - It is the first in line when acquire() returns. While it exists, so does the directory,
          whose next numbers are all higher. Others can hold the lock only after they have seen that
          it is gone.

        Without a reply the write may have failed: it proves nothing. To write again is harmless:
        each time is noted anew, and the return comes after all of them. Where kazoo keeps a request
        until it is connected, it is sent later than noted. Once the session has ended, or the entry
        is deleted by hand, no write finds it.

        Servers that lose what a quorum has would break this, as they would break the locks. See
        nemesis.cpp for what is done against that.
        """
        while True:
            sent = boot_time()
            try:
                return self.client.set(lock.path + "/" + lock.node, lock.data).czxid, sent
            except NoNodeError:
                return None
            except KazooException:
                time.sleep(0.1)

    def use(self, path, operation, token, stay):
        """Reads, waits and writes, as programs do that rely on the lock alone."""
        element = f"{self.name}.{operation}"
        index = path.rsplit("-", 1)[1]
        epoch = boot_time() // 10_000_000_000
        unfenced = f"set-{index}-{epoch}"
        fenced = "fenced-" + unfenced
        seen = self.ask_storage("read", fenced, token, 0)
        seen_unfenced = self.ask_storage("read", unfenced, -1, 0)
        self.stopping.wait(stay)
        if seen != "refused":
            seen = self.ask_storage("write", fenced, token, 0, seen[2:].strip(), element)
        if seen == "refused":
            self.write("X", operation)
        else:
            self.write("F", operation, fenced, element)
        self.ask_storage("write", unfenced, -1, 0, seen_unfenced[2:].strip(), element)
        self.write("U", operation, unfenced, element)

    def hold(self, path, stay):
        operation = next(self.numbers)
        lock = SharedLock(self.client, path, identifier=self.name)
        self.write("A", operation, path, "x", 1, -1)
        try:
            lock.acquire()
            written = self.write_entry(lock)
        except KazooException as error:
            self.write("E", operation, type(error).__name__)
            self.remove_entries(lock)
            return
        if written is None:
            self.write("E", operation, "gone")
            self.remove_entries(lock)
            return
        token = written[0]
        # Read once: it is None as soon as the connection is lost.
        client_id = self.client.client_id
        session = client_id[0] if client_id else 0
        self.write("G", operation, token, 0, "-", session, path + "/" + lock.node)
        self.use(path, operation, token, stay)
        written = self.write_entry(lock)
        if written is not None and written[0] == token:
            self.write("V", operation, written[1])
        self.write("R", operation, "-")
        try:
            lock.release()
        except KazooException:
            pass
        self.remove_entries(lock)
        self.write("D", operation, 0)

    def wait(self, index):
        numbers = random.Random(self.seed * 1000 + index)
        path = self.locks[index % len(self.locks)]
        while not self.stopping.is_set():
            stay = numbers.uniform(1, 3) if numbers.random() < 0.01 else numbers.uniform(0, 0.03)
            self.hold(path, stay)
            self.stopping.wait(numbers.uniform(0, 0.05))

    def run(self):
        # Not start(): it raises where the connection is lost again before it looks.
        if not self.client.start_async().wait(60):
            raise TimeoutError("no connection to any of the servers within 60 s")
        threads = [threading.Thread(target=self.wait, args=[i]) for i in range(WAITERS)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        try:
            self.client.stop()
            self.client.close()
        except KazooException as error:
            # kazoo does not wait for its own thread for longer than 10 s. The process ends here.
            print("kazoo does not stop:", error, file=sys.stderr)
        print("closed", flush=True)


def is_fault_of_kazoo(error):
    """Whether kazoo has given up its connection for good, and with it this client: seldom, around a
    reconnect, it expects the reply to a request whose reply does not come (python-zk/kazoo#254)."""
    return isinstance(error, RuntimeError) and "xids do not match" in str(error)


def end_with(args):
    """An exception in a waiter ends the process, so that it is noticed."""
    sys.__excepthook__(args.exc_type, args.exc_value, args.exc_traceback)
    os._exit(KAZOO_FAILED if is_fault_of_kazoo(args.exc_value) else 1)


def main():
    threading.excepthook = end_with
    process = Process(*sys.argv[1:7], sys.argv[7:])
    print("ready", flush=True)
    runner = None
    for line in sys.stdin:
        if line == "go\n":
            runner = threading.Thread(target=process.run)
            runner.start()
        if line == "stop\n":
            process.stopping.set()
    if not process.stopping.is_set():
        os._exit(1)
    runner.join()


main()
