"""The servers of the measured systems, and their counters of requests."""

import socket
import time
from contextlib import ExitStack

from children import Child, Failure


def ask(address, words, end=None):
    """Sends a line and returns the reply: all of it, or up to a line that is `end`."""
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(words.encode())
        answer = b""
        while end is None or end not in answer:
            piece = connection.recv(1 << 16)
            if not piece:
                break
            answer += piece
    return answer.decode()


def fields(text, separator):
    pairs = (line.strip().partition(separator) for line in text.splitlines())
    return {name: value for name, _, value in pairs}


class ZooKeeper:
    """One server or an ensemble."""

    def __init__(self, build, directory, size, fsync):
        kind = ["fsync"] if fsync else []
        self.child = Child("bench_servers", [f"{build}/bench/bench_servers", str(size), *kind],
                           TMPDIR=directory)
        self.address = self.child.hear(180)

    def counters(self):
        """Returns the numbers of requests, bytes in both directions, and transactions."""
        requests = size = transactions = 0
        for address in self.address.split(","):
            # The lower half of the last transaction's id counts those of the leader's term.
            last = int(fields(ask(address, "srvr"), ": ")["Zxid"], 16)
            transactions = max(transactions, last & 0xFFFFFFFF)
            values = fields(ask(address, "mntr"), "\t")
            requests += int(values["zk_packets_received"])
            size += int(values["zk_bytes_received_count"]) + int(values["zk_response_bytes"])
        return {"requests": requests, "bytes": size, "transactions": transactions}

    def close(self):
        self.child.end_input()
        try:
            self.child.wait(30)
        finally:
            self.child.kill()


class Redis:
    """A Redis server of this program. A server of the machine is left alone."""

    def __init__(self, directory, fsync):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"127.0.0.1:{port}"
        durable = ["--appendonly", "yes", "--appendfsync", "always"]
        self.child = Child("redis-server", [
            "redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", directory,
            "--save", "", *(durable if fsync else ["--appendonly", "no"])])
        self.wait_until_it_answers()

    def wait_until_it_answers(self):
        for _ in range(200):
            try:
                if "PONG" in ask(self.address, "PING\r\n", b"\r\n"):
                    return
            except OSError:
                time.sleep(0.05)
        self.child.kill()
        raise Failure("redis-server does not answer")

    def counters(self):
        stats = fields(ask(self.address, "INFO stats\r\n", b"\r\n\r\n"), ":")
        calls = fields(ask(self.address, "INFO commandstats\r\n", b"\r\n\r\n"), ":")
        # Redis also counts the commands that scripts call, which are no requests.
        requests = sum(int(calls[name].split(",")[0].removeprefix("calls="))
                       for name in ("cmdstat_set", "cmdstat_evalsha") if name in calls)
        size = int(stats["total_net_input_bytes"]) + int(stats["total_net_output_bytes"])
        return {"requests": requests, "bytes": size}

    def close(self):
        self.child.kill()


class Servers:
    """The servers of one kind, for the duration of a with statement."""

    def __init__(self, kind, systems, build, directory):
        self.kind = kind
        self.stack = ExitStack()
        try:
            self.start(kind, systems, build, directory)
        except BaseException:
            self.stack.close()
            raise

    def start(self, kind, systems, build, directory):
        self.zookeeper = self.redis = None
        if any(not system.startswith("redis") for system in systems):
            self.zookeeper = ZooKeeper(build, directory, 3 if kind == "ensemble" else 1,
                                       kind == "fsync")
            self.stack.callback(self.zookeeper.close)
        if any(system.startswith("redis") for system in systems):
            self.redis = Redis(directory, kind == "fsync")
            self.stack.callback(self.redis.close)

    def of(self, system):
        return self.redis if system.startswith("redis") else self.zookeeper

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()
