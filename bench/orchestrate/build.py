"""Builds the workers."""

import os
import signal
import subprocess
from pathlib import Path

from children import Failure
from systems import JARS, WORKERS

# Compiling one file takes up to this much memory.
KIB_PER_JOB = 800 * 1024


def run_to_end(command, log):
    """Runs a program; it and all that it has started are ended where we are."""
    with log.open("ab") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                   start_new_session=True)
        try:
            status = process.wait()
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
    if status != 0:
        last = log.read_text(errors="replace").splitlines()[-40:]
        raise Failure("\n".join([f"{' '.join(command[:3])} ... has failed:", *last]))


def jobs_at_once():
    with open("/proc/meminfo", encoding="ascii") as lines:
        free = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    return max(1, min(os.cpu_count(), free // KIB_PER_JOB))


def build(folder, root, systems):
    print(f"building in {folder}", flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "bench.log"
    log.unlink(missing_ok=True)
    run_to_end(["cmake", "--preset", "release", "-S", str(root), "-B", str(folder)], log)
    run_to_end(["cmake", "--build", str(folder), "--target", "bench", "-j", str(jobs_at_once())],
               log)
    if "curator" in systems:
        jars = ":".join(f"/usr/share/java/{name}.jar" for name in JARS)
        sources = [str(source) for source in sorted(Path(WORKERS, "curator").glob("*.java"))]
        run_to_end(["javac", "-Xlint:all,-path", "-Werror", "-cp", jars, "-d",
                    str(folder / "bench/curator"), *sources], log)
