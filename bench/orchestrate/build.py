"""Builds the workers."""

import os
import signal
import subprocess

from children import Failure
from systems import NEWER_BOOST, newer_boost

# The most memory that the compilation of one file takes.
KIB_PER_JOB = 800 * 1024


def run_to_end(command, log):
    """Runs a program. Ends it and its children if this program is interrupted."""
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


def build_with_newer_boost(folder, root, log):
    headers, own = folder / "libboost1.88-dev", newer_boost(folder)
    try:
        run_to_end([str(root / "test/support/debian_packages"), "fetch", "libboost1.88-dev",
                    str(headers)], log)
    except Failure:
        # There is no way to Debian's packages.
        return
    run_to_end(["cmake", "-G", "Ninja", "-S", str(root / "bench/newer_boost"), "-B", str(own),
                "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={headers}/usr"], log)
    run_to_end(["cmake", "--build", str(own), "--target", "bench_zklock", "-j",
                str(jobs_at_once())], log)


def build(folder, root, systems):
    print(f"building in {folder}", flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "bench.log"
    log.unlink(missing_ok=True)
    run_to_end(["cmake", "--preset", "demo", "-S", str(root), "-B", str(folder)], log)
    targets = ["bench", "bench_curator"] if "curator" in systems else ["bench"]
    run_to_end(["cmake", "--build", str(folder), "--target", *targets, "-j", str(jobs_at_once())],
               log)
    if not systems.isdisjoint(NEWER_BOOST):
        build_with_newer_boost(folder, root, log)
