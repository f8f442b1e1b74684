"""The results: one row for each point, with medians over the rounds."""

import json
from statistics import median

KEYS = ("scenario", "system", "processes", "waiters", "cycles_per_second", "p50_ms", "p99_ms",
        "max_ms", "requests_per_cycle", "bytes_per_cycle", "cpu_seconds", "cpu_us_per_cycle",
        "peak_rss_kib", "threads", "acquire_ms", "rounds", "rate_min", "rate_max")
WHOLE = ("peak_rss_kib", "threads")
# The rate of these scenarios is bounded by the time for which a lock is kept.
HANDOVERS = ("handover", "network_handover")
# The scenarios whose times say more than their rates.
TIMED = (*HANDOVERS, "failover", "cold_start", "tls_connect")
# Written where they are not those of most points.
SIZES = {"locks": 1, "held": 0, "known": 0, "cached": 0, "starved": 0, "waiting": 0,
         "readers": 0, "clients": 1, "contexts": 1, "context_threads": 1}


def median_of(values, digits=6):
    return round(median(values), digits or None)


def row_of(point, rounds):
    row = {"scenario": point.scenario, "system": point.system, "processes": point.processes,
           "waiters": point.waiters}
    row |= {name: getattr(point, name) for name, usual in SIZES.items()
            if getattr(point, name) != usual}
    for key, first in rounds[0].items():
        if isinstance(first, dict):
            row[key] = {part: median_of([one[key][part] for one in rounds]) for part in first}
        else:
            row[key] = median_of([one[key] for one in rounds], 0 if key in WHOLE else 6)
    rates = [one["cycles_per_second"] for one in rounds]
    row |= {"rounds": len(rounds), "rate_min": round(min(rates), 4),
            "rate_max": round(max(rates), 4)}
    return row


class Results:
    """The medians, and the results of each round alone: ratios are computed within a round."""

    def __init__(self, rows, rounds=()):
        self.rows = rows
        self.rounds = rounds

    def find(self, scenario, system, **sizes):
        """Returns the row of a point, or None if the point was not measured."""
        sizes.setdefault("processes", 2 if scenario in HANDOVERS else 1)
        for row in self.rows:
            if row["scenario"] == scenario and row["system"] == system and all(
                    row.get(name, SIZES.get(name)) == value for name, value in sizes.items()):
                return row
        return None

    def of(self, scenario):
        return [row for row in self.rows if row["scenario"] == scenario]

    def among(self, scenarios):
        return Results([row for row in self.rows if row["scenario"] in scenarios],
                       [one.among(scenarios) for one in self.rounds])

    def write(self, path):
        lines = ",\n  ".join(json.dumps(row) for row in self.rows)
        path.write_text(f"[\n  {lines}\n]\n", encoding="utf-8")


def results_of(seen):
    """`seen` has, for each point, what each round has measured, or None where that has failed."""
    def rows_of(chosen):
        rounds = {point: [one for one in chosen(all_rounds) if one is not None]
                  for point, all_rounds in seen.items()}
        return [row_of(point, some) for point, some in rounds.items() if some]

    turns = max(map(len, seen.values()), default=0)
    rounds = [Results(rows_of(lambda all_rounds, turn=turn: all_rounds[turn:turn + 1]))
              for turn in range(turns)]
    return Results(rows_of(lambda all_rounds: all_rounds), rounds)
