"""The results: one row for each point, with medians over the rounds."""

import json
from statistics import median

KEYS = ("scenario", "system", "processes", "waiters", "cycles_per_second", "p50_ms", "p99_ms",
        "max_ms", "requests_per_cycle", "bytes_per_cycle", "cpu_seconds", "peak_rss_kib",
        "threads", "rounds", "rate_min", "rate_max")
WHOLE = ("peak_rss_kib", "threads")


def row_of(point, rounds):
    row = {"scenario": point.scenario, "system": point.system, "processes": point.processes,
           "waiters": point.waiters}
    row |= {name: getattr(point, name) for name in ("held", "known") if getattr(point, name)}
    for key in rounds[0]:
        value = median(one[key] for one in rounds)
        row[key] = round(value) if key in WHOLE else round(value, 4)
    rates = [one["cycles_per_second"] for one in rounds]
    row |= {"rounds": len(rounds), "rate_min": round(min(rates), 4),
            "rate_max": round(max(rates), 4)}
    return row


class Results:
    def __init__(self, rows):
        self.rows = rows

    def find(self, scenario, system, **sizes):
        """Returns the row of a point, or None if the point was not measured."""
        sizes.setdefault("processes", 2 if scenario == "handover" else 1)
        for row in self.rows:
            if row["scenario"] == scenario and row["system"] == system and all(
                    row.get(name) == value for name, value in sizes.items()):
                return row
        return None

    def of(self, scenario):
        return [row for row in self.rows if row["scenario"] == scenario]

    def write(self, path):
        lines = ",\n  ".join(json.dumps(row) for row in self.rows)
        path.write_text(f"[\n  {lines}\n]\n", encoding="utf-8")
