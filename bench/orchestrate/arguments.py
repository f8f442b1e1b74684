"""The command line."""

import argparse
from pathlib import Path

from measure import Times
from scenarios import SCENARIOS, SYSTEMS, chosen_points

ROOT = Path(__file__).resolve().parent.parent.parent

DESCRIPTION = """Measures zklock and its peers in one run: every published figure.

NAMEs of scenarios or systems run only those; --list names them. The figures of such a part, and
those of --quick, go to build/demo/bench/part, unless --out names another folder."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"bench/run: {message}; see --help\n")


def read_arguments():
    parser = Parser(prog="bench/run", description=DESCRIPTION, allow_abbrev=False,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a scenario or a system")
    parser.add_argument("--quick", action="store_true",
                        help="fewer sizes, shorter windows, 3 rounds: less than 15 minutes")
    parser.add_argument("--out", type=Path, metavar="DIR",
                        help="the folder for the figures; for a whole run doc/performance by "
                             "default")
    parser.add_argument("--list", action="store_true", help="list the scenarios and systems")
    # Used by bench/run and by the smoke test.
    parser.add_argument("--build-first", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--build", type=Path, default=ROOT / "build/demo",
                        help=argparse.SUPPRESS)
    parser.add_argument("--print-systems", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--window", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--waiters", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    for name in chosen.names:
        if name not in SCENARIOS and name not in SYSTEMS:
            parser.error(f"there is no scenario or system {name}")
    if not chosen.list and not points_of(chosen):
        parser.error(f"nothing to measure: no scenario matches {' and '.join(chosen.names)}")
    chosen.build = chosen.build.resolve()
    # Only the figures of a whole run are published.
    chosen.is_published = not (chosen.out or chosen.names or chosen.quick)
    if chosen.out is None:
        chosen.out = (ROOT / "doc/performance" if chosen.is_published
                      else chosen.build / "bench/part")
    if chosen.out.exists() and not chosen.out.is_dir():
        parser.error(f"{chosen.out} is not a folder")
    return chosen


def points_of(chosen):
    return [point for point in chosen_points(chosen.names, chosen.quick)
            if chosen.waiters in (None, point.waiters)]


def times_of(chosen):
    if chosen.window is not None:
        return Times(warmup=chosen.window, java_warmup=chosen.window, window=chosen.window)
    if chosen.quick:
        return Times(warmup=0.3, java_warmup=1.5, window=1, settling=0.5)
    return Times(warmup=0.7, java_warmup=2, window=2)


def rounds_of(chosen):
    return chosen.rounds or (3 if chosen.quick else 5)
