"""The servers of the measured systems, and their counters of requests."""

import os
import socket
import time
from contextlib import ExitStack
from pathlib import Path

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


def wait_until(ready, child, failure):
    """Waits for a new server. Ends its process if it is not ready in time."""
    for _ in range(200):
        try:
            if ready():
                return
        except OSError:
            time.sleep(0.05)
    child.kill()
    raise Failure(failure)


def free_address():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


# The kinds of servers that are an ensemble of three.
ENSEMBLES = ("ensemble", "network", "failover")


class ZooKeeper:
    """One server or an ensemble."""

    # Of the workers.
    arguments = ()

    def __init__(self, build, directory, kind):
        size = 3 if kind in ENSEMBLES else 1
        self.child = Child("bench_servers", [f"{build}/bench/bench_servers", str(size), kind],
                           TMPDIR=directory)
        self.address = self.child.hear(180)
        # Of all servers, without the network between them and their clients.
        self.direct = self.child.hear(10) if kind == "network" else self.address

    def counters(self):
        """Returns the numbers of requests, bytes in both directions, and transactions."""
        requests = size = transactions = 0
        for address in self.direct.split(","):
            # The lower half of the last transaction's id counts those of the leader's term.
            last = int(fields(ask(address, "srvr"), ": ")["Zxid"], 16)
            transactions = max(transactions, last & 0xFFFFFFFF)
            values = fields(ask(address, "mntr"), "\t")
            requests += int(values["zk_packets_received"])
            size += int(values["zk_bytes_received_count"]) + int(values["zk_response_bytes"])
        return {"requests": requests, "bytes": size, "transactions": transactions}

    def kill_leader(self):
        """Returns the time of the kill, on the clock of the stamps."""
        self.child.say("kill")
        return int(self.child.hear(60))

    def start_again(self):
        self.child.say("start")
        self.child.expect("serving", 180)

    def close(self):
        self.child.end_input()
        try:
            self.child.wait(30)
        finally:
            self.child.kill()


class SecurePort:
    """The port for TLS of a ZooKeeper server that has one."""

    def __init__(self, zookeeper):
        self.zookeeper = zookeeper
        self.address, self.authority, self.certificate = (
            zookeeper.child.hear(10) for _ in range(3))
        self.arguments = ("--tls-ca", self.authority, "--tls-cert", self.certificate)

    def counters(self):
        return self.zookeeper.counters()


class Tunnel:
    """stunnel on the side of the clients, with the settings of examples/tls/clients.conf."""

    arguments = ()

    def __init__(self, directory, port):
        self.port = port
        self.address = free_address()
        settings = Path(directory, "stunnel.conf")
        settings.write_text("\n".join((
            "foreground = yes", "debug = err", "pid =", "client = yes", "sslVersionMin = TLSv1.3",
            f"CAfile = {port.authority}", "verifyChain = yes", f"cert = {port.certificate}",
            "delay = yes", "TIMEOUTclose = 1", "[zookeeper]", f"accept = {self.address}",
            f"connect = {port.address}", "checkIP = 127.0.0.1", "")), encoding="utf-8")
        self.child = Child("stunnel", ["stunnel4", str(settings)])
        wait_until(self.listens, self.child, "stunnel does not listen")

    def listens(self):
        host, port = self.address.split(":")
        socket.create_connection((host, int(port)), timeout=10).close()
        return True

    def counters(self):
        """Also returns the processor time of stunnel, in microseconds."""
        # Its name, in parentheses, may have any character.
        stat = Path(f"/proc/{self.child.process.pid}/stat").read_text(encoding="ascii")
        user, system = stat.rpartition(")")[2].split()[11:13]
        used = (int(user) + int(system)) * 1_000_000 / os.sysconf("SC_CLK_TCK")
        return self.port.counters() | {"stunnel_us": used}

    def close(self):
        self.child.kill()


class Redis:
    """A Redis server of this program. A server of the machine is left alone."""

    arguments = ()

    def __init__(self, directory, fsync):
        # The address for workers may lead through a network.
        self.direct = self.address = free_address()
        port = self.direct.split(":")[1]
        durable = ["--appendonly", "yes", "--appendfsync", "always"]
        self.child = Child("redis-server", [
            "redis-server", "--port", port, "--bind", "127.0.0.1", "--dir", directory,
            "--save", "", *(durable if fsync else ["--appendonly", "no"])])
        wait_until(self.answers, self.child, "redis-server does not answer")

    def answers(self):
        return "PONG" in ask(self.direct, "PING\r\n", b"\r\n")

    def counters(self):
        stats = fields(ask(self.direct, "INFO stats\r\n", b"\r\n\r\n"), ":")
        calls = fields(ask(self.direct, "INFO commandstats\r\n", b"\r\n\r\n"), ":")
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
        self.zookeeper = self.secure = self.tunnel = self.redis = None
        if any(not system.startswith("redis") for system in systems):
            self.zookeeper = ZooKeeper(build, directory, kind)
            self.stack.callback(self.zookeeper.close)
        if kind == "tls":
            self.secure = SecurePort(self.zookeeper)
        if "zklock_stunnel" in systems:
            self.tunnel = Tunnel(directory, self.secure)
            self.stack.callback(self.tunnel.close)
        if any(system.startswith("redis") for system in systems):
            self.redis = Redis(directory, kind == "fsync")
            self.stack.callback(self.redis.close)
            if kind == "network":
                network = Child("bench_servers",
                                [f"{build}/bench/bench_servers", "to", self.redis.direct])
                self.stack.callback(network.kill)
                self.redis.address = network.hear(10)

    def of(self, system):
        ways = {"zklock_tls": self.secure, "zklock_stunnel": self.tunnel}
        return self.redis if system.startswith("redis") else ways.get(system, self.zookeeper)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()
