"""Child programs that exchange lines with this program. None of them outlives it."""

import os
import select
import signal
import subprocess
import tempfile
import time


class Failure(Exception):
    """A child program has failed. The text is for the reader of the output."""


class Child:
    def __init__(self, name, command, **environment):
        self.name = name
        self.heard = b""
        # A file without a name: it is removed however this program ends.
        self.errors = tempfile.TemporaryFile()
        # A session of its own keeps Ctrl-C away: this program ends its children in order.
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *command], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.errors, start_new_session=True, bufsize=0,
            env=os.environ | environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def say(self, line):
        try:
            self.process.stdin.write(line.encode() + b"\n")
        except BrokenPipeError:
            self.fail("has closed its input")

    def hear(self, seconds):
        """Returns the next line of its output."""
        end = time.monotonic() + seconds
        output = self.process.stdout.fileno()
        while b"\n" not in self.heard:
            left = end - time.monotonic()
            if left <= 0 or not select.select([output], [], [], left)[0]:
                self.fail(f"has printed nothing for {seconds:.0f} s")
            piece = os.read(output, 1 << 20)
            if not piece:
                self.fail("has ended")
            self.heard += piece
        line, self.heard = self.heard.split(b"\n", 1)
        return line.decode()

    def expect(self, word, seconds):
        line = self.hear(seconds)
        if line != word:
            self.fail(f"printed '{line}' instead of '{word}'")

    def end_input(self):
        self.process.stdin.close()

    def wait(self, seconds):
        """Waits until the program ends by itself."""
        try:
            if self.process.wait(seconds) != 0:
                self.fail("has failed")
        except subprocess.TimeoutExpired:
            self.fail("does not end")

    def kill(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.errors):
            pipe.close()

    def fail(self, what):
        if self.process.poll() is None and what == "has ended":
            self.process.wait(5)
        self.errors.seek(0)
        said = self.errors.read().decode(errors="replace").strip().splitlines()[-12:]
        raise Failure("\n    ".join([f"{self.name} {what}", *said]))
