"""What kbench, nvbench and ncu write, as figures. Times are nanoseconds. Nothing here talks to a program."""

import csv
import dataclasses
import io
import statistics

HITS, SECTORS = "lts__t_sectors_lookup_hit.sum", "lts__t_sectors.sum"


@dataclasses.dataclass(frozen=True)
class Device:
    name: str
    architecture: str
    cache_bytes: int
    bytes_per_second: float  # of its memory, by its clock and width; 0: not known


@dataclasses.dataclass(frozen=True)
class Timed:
    """The figures of a record of kbench."""

    median: float
    p10: float
    interval: tuple  # of the median; empty where there were too few samples
    samples: int
    null: float
    stop: str
    activity: float | None  # median by CUPTI
    clocks: tuple  # MHz of the multiprocessors, before and after
    slowed_by: tuple


@dataclasses.dataclass(frozen=True)
class Peer:
    """The figures of nvbench."""

    cold: float | None  # median; its mean where it does not say the median
    batch: float | None  # mean
    seconds: float  # that measuring took


class Absent(str):
    """Why there is no figure."""


def first_absent(*found):
    return next((figure for figure in found if isinstance(figure, Absent)), None)


def device(listed):
    """The first of what kbench-worker-cuda --devices says, or why there is none."""
    if not isinstance(listed, list):
        return Absent(listed)
    if not listed:
        return Absent("no CUDA device")
    first = listed[0]
    # Two bits a clock and wire.
    peak = 2 * 1e3 * first["memory_clock_khz"] * first["memory_bus_bits"] / 8
    return Device(first["name"], f"sm_{first['major']}{first['minor']}", first["cache_bytes"], peak)


def timed(trace):
    """A trace of `kbench run --format json`, or why it has no time."""
    evaluation = trace["evaluation"]
    details = evaluation.get("kbench") or {}
    if evaluation["status"] != "PASSED":
        lines = evaluation.get("log", "").splitlines()
        return Absent(f"{evaluation['status']}: {details.get('cause') or (lines[0] if lines else 'no reason given')}")
    timing = details.get("timing")
    if not timing:
        return Absent("the record has no times")
    gpu = timing.get("gpu") or {}
    return Timed(timing["median_ns"], timing["p10_ns"], tuple(timing.get("interval_ns") or ()), len(timing["samples_ns"]),
                 timing.get("null_ns") or 0.0, timing.get("stop") or "", gpu.get("activity_ns"),
                 tuple(gpu.get("clock_mhz") or ()), tuple(gpu.get("slowed_by") or ()))


def by_case(traces):
    """{(solution, uuid of the workload): what timed() makes of the newest}"""
    return {(trace["solution"], trace["workload"]["uuid"]): timed(trace) for trace in traces}


def nvbench(document):
    """The figures of the one benchmark with one state in what `--json` wrote, or why there are none."""
    state = document["benchmarks"][0]["states"][0]
    if state["is_skipped"]:
        return Absent(f"nvbench skipped it: {state.get('skip_reason', 'no reason given')}")
    values = {summary["tag"]: entry["value"] for summary in state["summaries"]
              for entry in summary.get("data") or [] if entry["name"] == "value"}
    number = lambda tag: float(values[tag]) if tag in values else None  # noqa: E731
    nanoseconds = lambda tag: 1e9 * number(tag) if tag in values else None  # noqa: E731
    cold = nanoseconds("nv/cold/time/gpu/median") or nanoseconds("nv/cold/time/gpu/mean")
    return Peer(cold, nanoseconds("nv/batch/time/gpu/mean"),
                (number("nv/cold/walltime") or 0) + (number("nv/batch/walltime") or 0))


def hit_rates(text):
    """For each kernel that `ncu --csv` lists, in order: the share of the last cache's sectors that were found there."""
    lines = text.splitlines()
    header = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if header is None:
        said = [line for line in lines if line.startswith(("==ERROR==", "==WARNING=="))]
        return Absent(said[0].split("==", 2)[2].strip() if said else "ncu listed no kernel")
    launches = {}
    for row in csv.DictReader(io.StringIO("\n".join(lines[header:]))):
        try:
            value = float((row["Metric Value"] or "").replace(",", ""))
        except ValueError:  # "n/a": a counter that this device does not have
            continue
        launches.setdefault(row["ID"], {})[row["Metric Name"]] = value
    rates = [metrics[HITS] / metrics[SECTORS] for metrics in launches.values() if metrics.get(SECTORS) and HITS in metrics]
    return rates or Absent("ncu lists no sectors of the last cache")


def coldest(rates, count):
    """The rates of the `count` cold samples: kbench also calls the kernel to judge it, and for clocks other than the events,
    and sweeps the cache for none of these. What was not swept out is found, so they are the ones with the least."""
    if isinstance(rates, Absent):
        return rates
    return sorted(rates)[:count] if len(rates) > count else Absent(f"ncu lists {len(rates)} launches, fewer than were made")


@dataclasses.dataclass(frozen=True)
class Contest:
    """The result of `kbench compare --format json` on one workload."""

    answer: str  # "FASTER", "SLOWER", "SAME", "UNDECIDED"
    ratio: float
    seconds: float
    drift: float | None  # of the clocks in the two records, of the highest


def contest(document):
    if not document["workloads"]:
        return Absent("kbench compare compared nothing")
    only = document["workloads"][0]
    if only["answer"] is None:
        return first_absent(timed(only["a"]), timed(only["b"])) or Absent("kbench compare gave no answer")
    clocks = [mhz for side in ("a", "b") for mhz in clocks_of(only.get(side))]
    drift = (max(clocks) - min(clocks)) / max(clocks) if clocks else None
    return Contest(only["answer"], only["ratio"], only["seconds"], drift)


def clocks_of(trace):
    evaluation = (trace or {}).get("evaluation") or {}
    return (((evaluation.get("kbench") or {}).get("timing") or {}).get("gpu") or {}).get("clock_mhz") or []


@dataclasses.dataclass(frozen=True)
class Bound:
    """What a record says of the machine's own pace."""

    definition: str
    on_gpu: bool
    bytes: int
    bound: float | None
    least: float | None
    median: float


def bounds(traces):
    """The bounds of the records that passed and were timed."""
    found = []
    for trace in traces:
        details = trace["evaluation"].get("kbench") or {}
        timing, work = details.get("timing"), details.get("work")
        if trace["evaluation"]["status"] != "PASSED" or not timing or not work:
            continue
        roofline = timing.get("roofline") or {}
        found.append(Bound(trace["definition"], bool(details.get("gpu")), work["bytes"], roofline.get("bound_ns"),
                           roofline.get("least_ns"), timing["median_ns"]))
    return found


def variation(values):
    """Coefficient of variation."""
    return statistics.stdev(values) / statistics.mean(values)
