"""Draws the figures with gnuplot, as SVG."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from scenarios import SYSTEMS

COLOURS = {"zklock": "#1b9e77", "zklock_cached": "#66a61e", "curator": "#d95f02",
           "kazoo": "#7570b3", "redis_poll": "#e7298a", "redis_pubsub": "#a6761d",
           "bare": "#666666"}
LOCAL = {"hot_local": "zklock, local", "processes_handoffs": "zklock, local"}


@dataclass(frozen=True)
class Plot:
    file: str
    title: str
    # The source of the lines, and the columns of both axes.
    scenarios: tuple
    across: str
    across_label: str
    up: str
    up_label: str
    log_across: bool = True
    scale: float = 1


LINES = (
    Plot("rate_over_waiters.svg", "One lock, many waiters in one process", ("queue", "hot_local"),
         "waiters", "waiters", "cycles_per_second", "cycles a second"),
    Plot("memory_over_waiters.svg", "Memory of that process", ("queue",), "waiters", "waiters",
         "peak_rss_kib", "peak MiB", scale=1 / 1024),
    Plot("rate_over_processes.svg", "One lock, processes of 25 waiters each",
         ("processes", "processes_handoffs"), "processes", "processes", "cycles_per_second",
         "cycles a second", log_across=False),
)
# The curves: title, scenario, system, waiters.
DISTRIBUTIONS = (
    ("zklock, kept", "cached", "zklock_cached", 1), ("zklock, free", "free_lock", "zklock", 1),
    ("zklock, 100 waiters", "queue", "zklock", 100), ("Curator, free", "free_lock", "curator", 1),
    ("Curator, 100 waiters", "queue", "curator", 100),
    ("Redis, free", "free_lock", "redis_poll", 1),
    ("Redis, 100 waiters", "queue", "redis_poll", 100))
DISTRIBUTION = ("latency_distribution.svg", "Until the lock is held")
LATENCY = ("latency.svg", "A free lock: acquire and release")


def head(file, title, label):
    return ["set terminal svg size 760,460 dynamic background '#ffffff'", f"set output '{file}'",
            f"set title '{title}'", f"set ylabel '{label}'", "set grid ytics", "set logscale y",
            "set format y '%g'"]


def line_script(results, plot):
    series = {}
    for scenario in plot.scenarios:
        for row in results.of(scenario):
            name = (row["system"] if scenario not in LOCAL else LOCAL[scenario])
            if row[plot.up] > 0:
                series.setdefault((name, row["system"]), []).append(
                    (row[plot.across], row[plot.up] * plot.scale))
    if len({x for values in series.values() for x, _ in values}) < 2:
        return None
    script = head(plot.file, plot.title, plot.up_label)
    script += [f"set xlabel '{plot.across_label}'", "set key below"]
    if plot.log_across:
        script += ["set logscale x", "set format x '%.0f'"]
    return script + curves((name, system, name != system, sorted(values))
                           for (name, system), values in series.items())


def curves(series):
    """`series` has the title, the system, whether the line is dashed, and the points of each."""
    data, plots = [], []
    for index, (title, system, is_dashed, values) in enumerate(series):
        data += [f"$data{index} << END", *(f"{x} {y}" for x, y in values), "END"]
        plots.append(f"$data{index} with linespoints linewidth 2 pointtype 7 pointsize 0.6 "
                     f"{'dashtype 2 ' if is_dashed else ''}linecolor rgb '{COLOURS[system]}' "
                     f"title '{title}' noenhanced")
    return [*data, "plot " + ", ".join(plots)]


def distribution_script(results, file, title):
    """The axis across shows the slowest acquires at full length: 90 %, 99 %, 99.9 %."""
    series = []
    for name, scenario, system, waiters in DISTRIBUTIONS:
        row = results.find(scenario, system, waiters=waiters, locks=1)
        if row is not None:
            points = [(1 / (1 - float(share)), ms) for share, ms in row["acquire_ms"].items()
                      if ms > 0]
            series.append((name, system, waiters > 1, points))
    if not series:
        return None
    script = head(file, title, "ms")
    script += ["set xlabel 'share of the acquires that take at most this long'", "set key below",
               "set logscale x", "set xrange [1:10000]",
               "set xtics ('50 %%' 2, '90 %%' 10, '99 %%' 100, '99.9 %%' 1000, '99.99 %%' 10000)"]
    return script + curves(series)


def latency_script(results, file, title):
    rows = sorted(results.of("free_lock"), key=lambda row: SYSTEMS.index(row["system"]))
    if not rows:
        return None
    script = head(file, title, "ms")
    script += ["set style data histograms", "set style fill solid 0.8", "set boxwidth 0.9",
               "set key below", "$data << END"]
    script += [f"\"{row['system']}\" {row['p50_ms']} {row['p99_ms']} {row['max_ms']}"
               for row in rows]
    script += ["END", "set xtics noenhanced",
               "plot $data using 2:xtic(1) title 'p50' linecolor rgb '#1b9e77', "
               "$data using 3 title 'p99' linecolor rgb '#7570b3', "
               "$data using 4 title 'max' linecolor rgb '#d95f02'"]
    return script


def draw(results, directory):
    """Draws each plot that has figures. Returns (title, file) of each."""
    if shutil.which("gnuplot") is None:
        return []
    scripts = [(plot.title, plot.file, line_script(results, plot)) for plot in LINES]
    scripts += [(title, file, script(results, file, title)) for (file, title), script in
                ((LATENCY, latency_script), (DISTRIBUTION, distribution_script))]
    drawn = []
    for title, file, script in scripts:
        Path(directory, file).unlink(missing_ok=True)
        if script is not None:
            subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, cwd=directory,
                           check=True)
            drawn.append((title, file))
    return drawn
