"""The figures as tables: on the screen, and in the page figures.md."""

from statistics import median

from results import SIZES, TIMED
from scenarios import SCENARIOS
from targets import judged


def number(value):
    if value is None:
        return "-"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def size_of(row):
    parts = []
    if row["processes"] > 1:
        parts.append(f"{row['processes']} processes x {row['waiters']:,}")
    elif row["waiters"] > 1:
        parts.append(f"{row['waiters']:,} waiters")
    parts += [f"{row[name]:,} {name.replace('_', ' ')}" for name in SIZES if name in row]
    return ", ".join(parts) or "1 waiter"


def same_size(one, other):
    return all(one.get(key) == other.get(key) for key in ("processes", "waiters", *SIZES))


# A scenario without a row of the other system is compared with that of this scenario.
COMPARED_WITH = {"free_lock_background": "free_lock", "hot_local": "queue",
                 "hot_local_background": "queue", "cached_background": "free_lock",
                 "cached_new_object": "cached",
                 "processes_handoffs": "processes", "cached": "free_lock",
                 "cached_fsync": "free_lock_fsync"}


# The systems that a scenario is compared with, by the titles of their columns.
COMPARED = {"tls": {"x plain": "zklock"}, "tls_connect": {"x plain": "zklock"},
            "immediate": {"x posted": "zklock_posted"},
            "immediate_background": {"x posted": "zklock_posted"}}
USUALLY_COMPARED = {"x Curator": "curator", "x bare": "bare"}


def speed(row):
    """Returns the rate of a row. For hand-overs of a kept lock, that of the hand-overs alone, and
    for connects and starts without their ends."""
    if row["scenario"] in TIMED:
        return 1 / row["p50_ms"] if row["p50_ms"] else 0
    return row["cycles_per_second"]


def ratio_in_round(results, row, system):
    scenarios = [row["scenario"], COMPARED_WITH.get(row["scenario"])]
    for scenario in scenarios:
        for other in results.of(scenario):
            if other["system"] == system and same_size(row, other) and speed(other):
                return speed(row) / speed(other)
    return None


def ratio(results, row, system):
    """Returns how many times as fast as that system the row is: median, lowest, highest round."""
    ratios = [ratio_in_round(one, same, system) for one in results.rounds
              for same in one.of(row["scenario"])
              if same["system"] == row["system"] and same_size(row, same)]
    return with_spread([value for value in ratios if value is not None])


def with_spread(values):
    if not values:
        return "-"
    if len(values) == 1:
        return number(values[0])
    return f"{number(median(values))} ({number(min(values))} to {number(max(values))})"


COLUMNS = {"p50 ms": "p50_ms", "p99 ms": "p99_ms", "max ms": "max_ms",
           "requests": "requests_per_cycle", "bytes": "bytes_per_cycle",
           "transactions": "transactions_per_cycle", "system calls": "system_calls_per_cycle",
           "instructions": "instructions_per_cycle",
           "CPU us": "cpu_us_per_cycle", "stunnel's CPU us": "stunnel_us_per_cycle",
           "peak KiB": "peak_rss_kib", "threads": "threads",
           "stack KiB": "stack_kib", "write p99 ms": "write_p99_ms"}


def scenario_table(results, scenario):
    # Some are not measured by all scenarios, or on all machines.
    columns = {title: key for title, key in COLUMNS.items()
               if any(key in row for row in results.of(scenario))}
    compared = COMPARED.get(scenario, USUALLY_COMPARED)
    yield ("system", "size", "cycles/s", "lowest to highest round", *columns, *compared)
    for row in results.of(scenario):
        yield (row["system"], size_of(row), number(row["cycles_per_second"]),
               f"{number(row['rate_min'])} to {number(row['rate_max'])}",
               *(number(row.get(key)) for key in columns.values()),
               *(ratio(results, row, system) for system in compared.values()))


def ratio_table(results):
    yield "scenario", "system", "size", "cycles/s", "x Curator", "x bare"
    for row in results.rows:
        if row["system"].startswith("zklock") and row["scenario"] not in COMPARED:
            yield (row["scenario"], row["system"], size_of(row), number(row["cycles_per_second"]),
                   ratio(results, row, "curator"), ratio(results, row, "bare"))


def inside_table(results):
    yield "scenario", "system", "size", "share of hand-overs inside a process"
    for row in results.rows:
        if "inside_share" in row:
            yield row["scenario"], row["system"], size_of(row), f"{row['inside_share']:.2f}"


def target_table(results):
    yield "work", "target", "measured", "lowest to highest round", "reached"
    for target, value, lowest, highest in judged(results):
        reached = "yes" if target.reached(value) else f"NO: {target.reason}"
        yield (target.work, target.wanted, target.text(value),
               f"{number(lowest)} to {number(highest)}", reached)


def as_text(lines):
    lines = [tuple(map(str, line)) for line in lines]
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
                     for line in lines)


def as_markdown(lines):
    head, *body = [tuple(map(str, line)) for line in lines]
    lines = [head, tuple("---" for _ in head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def page_text(results, page, about, plots):
    """Returns the text of a page. `about` describes the run, `plots` are (title, file)."""
    parts = [f"# {page.title}", about, f"[README.md]({page.guide}) explains them.",
             "## Targets", as_markdown(target_table(results))]
    for scenario, description in SCENARIOS.items():
        if results.of(scenario):
            parts += [f"## {scenario}", description[0].upper() + description[1:] + ".",
                      as_markdown(scenario_table(results, scenario))]
    if any("inside_share" in row for row in results.rows):
        parts += ["## Hand-overs inside a process", as_markdown(inside_table(results))]
    if plots:
        parts += ["## Plots", *(f"![{title}]({name})" for title, name in plots)]
    return "\n\n".join(parts) + "\n"
