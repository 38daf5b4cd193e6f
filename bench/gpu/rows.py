"""From figures to the rows of H1 to H9: what was measured, the limit, held or not. Pure functions."""

import dataclasses
import statistics

from figures import Absent, first_absent, variation

US = 1000.0  # nanoseconds
MS = 1e6
HELD, NOT_HELD, OPEN = "held", "NOT HELD", "not measured"


@dataclasses.dataclass(frozen=True)
class Row:
    goal: str
    what: str
    measured: str
    limit: str
    verdict: str


def row(goal, what, measured, limit, is_held):
    return Row(goal, what, measured, limit, HELD if is_held else NOT_HELD)


def absent(goal, what, limit, why):
    return Row(goal, what, str(why), limit, OPEN)


def duration(ns):
    return f"{ns / MS:.3f} ms" if ns >= MS else f"{ns / US:.2f} us"


def compared(ours, peer, theirs):
    return f"kbench {duration(ours)}, {peer} {duration(theirs)}: {100 * (ours / theirs - 1):+.2f} %"


def cold_agreement(label, ours, peer):
    """H1."""
    limit = "1 % from 20 us, max(3 %, 0.3 us) from 2 us"
    if why := first_absent(ours, peer):
        return absent("H1", label, limit, why)
    if peer.cold is None:
        return absent("H1", label, limit, "nvbench gave no cold time")
    text = compared(ours.median, "nvbench", peer.cold)
    if peer.cold < 2 * US:
        return absent("H1", label, limit, f"{text}; no limit below 2 us")
    allowed = 0.01 * peer.cold if peer.cold >= 20 * US else max(0.03 * peer.cold, 0.3 * US)
    return row("H1", label, text, limit, abs(ours.median - peer.cold) <= allowed)


def activity_agreement(label, ours):
    """H2."""
    limit = "1 % or 0.2 us"
    if why := first_absent(ours):
        return absent("H2", label, limit, why)
    if ours.activity is None:
        return absent("H2", label, limit, "no CUPTI: the record has no activity_ns")
    text = f"{compared(ours.median, 'CUPTI', ours.activity)}; empty pair {duration(ours.null)}, subtracted"
    return row("H2", label, text, limit, abs(ours.median - ours.activity) <= max(0.01 * ours.activity, 0.2 * US))


def bandwidth(label, ours, read_bytes, device):
    """H3, what the time says: nothing comes faster from memory than its wires carry."""
    limit = "at most 100 % of the memory's bandwidth"
    if why := first_absent(ours):
        return absent("H3", label, limit, why)
    if not device.bytes_per_second:
        return absent("H3", label, limit, "the driver does not say the memory's clock and width")
    share = read_bytes / (ours.median * 1e-9) / device.bytes_per_second
    return row("H3", label, f"{duration(ours.median)}, {100 * share:.1f} % of {device.bytes_per_second / 1e9:.0f} GB/s", limit,
               share <= 1)


def hits(label, rates):
    """H3, what the counters say."""
    limit = "hit rate at most 3 %"
    if isinstance(rates, Absent):
        return absent("H3", label, limit, rates)
    return row("H3", label, f"hit rate {100 * max(rates):.2f} % at most in {len(rates)} samples", limit, max(rates) <= 0.03)


def warm_agreement(label, ours, peer):
    """H4."""
    limit = "1 %"
    if why := first_absent(ours, peer):
        return absent("H4", label, limit, why)
    if peer.batch is None:
        return absent("H4", label, limit, "nvbench gave no batch time")
    # What calls a kernel from Python every few microseconds measures Python.
    text = compared(ours.median, "nvbench", peer.batch)
    if peer.batch < 20 * US:
        return absent("H4", label, limit, f"{text}; nvbench's calls come from Python here, no limit below 20 us")
    return row("H4", label, text, limit, abs(ours.median - peer.batch) <= 0.01 * peer.batch)


def cost(label, ours, seconds, peer):
    """H5. `seconds`: of a run that stops at the width, less those of one that takes a few samples."""
    limit = "0.25 s to a half-width of 0.5 %"
    if why := first_absent(ours):
        return absent("H5", label, limit, why)
    if not ours.interval:
        return absent("H5", label, limit, f"{ours.samples} samples have no interval")
    half = (ours.interval[1] - ours.interval[0]) / 2 / ours.median
    theirs = f"nvbench {peer.seconds:.2f} s" if not isinstance(peer, Absent) else f"nvbench: {peer}"
    text = f"{seconds:.3f} s, half-width {100 * half:.2f} %, {ours.samples} samples, stopped by {ours.stop}; {theirs}"
    return row("H5", label, text, limit, seconds <= 0.25 and half <= 0.005)


def throttled(found, ours):
    """H6: A against A after 3 s of load, and the samples of a run right after it."""
    what, limit = "A/A after 3 s of gemm", "SAME, drift said, samples there"
    if why := first_absent(found, ours):
        return absent("H6", what, limit, why)
    drift = "clocks not read" if found.drift is None else f"clocks {100 * found.drift:.1f} % apart"
    slowed = f", slowed by {', '.join(ours.slowed_by)}" if ours.slowed_by else ""
    text = f"{found.answer}, ratio {found.ratio:.4f}, {drift}{slowed}, {ours.samples} samples"
    return row("H6", what, text, limit, found.answer == "SAME" and found.drift is not None and ours.samples > 0)


def process_variation(label, runs):
    """H7. `runs`: of ten processes. Cycles: the time by the mean of the clocks before and after."""
    limit = "cycles 0.5 %, time 1 %"
    if why := first_absent(*runs):
        return absent("H7", label, limit, why)
    times = [run.p10 for run in runs]
    of_times = variation(times)
    if not all(run.clocks for run in runs):
        text = f"time {100 * of_times:.2f} % over {len(runs)} processes; the clocks were not read, so no cycles"
        return absent("H7", label, limit, text) if of_times <= 0.01 else row("H7", label, text, limit, False)
    of_cycles = variation([run.p10 * statistics.mean(run.clocks) for run in runs])
    text = f"cycles {100 * of_cycles:.2f} %, time {100 * of_times:.2f} % over {len(runs)} processes"
    return row("H7", label, text, limit, of_cycles <= 0.005 and of_times <= 0.01)


def decisions(label, contests, wanted, limit="100 ms, at most 1 % wrong"):
    """H8. The page's hundred milliseconds are of the median, and of kernels up to 100 us."""
    if why := first_absent(*contests):
        return absent("H8", label, limit, why)
    seconds = [contest.seconds for contest in contests]
    right = sum(contest.answer == wanted for contest in contests)
    undecided = sum(contest.answer == "UNDECIDED" for contest in contests)
    wrong = len(contests) - right - undecided
    text = (f"{right} of {len(contests)} {wanted}, {wrong} wrong, {undecided} undecided; "
            f"ms median {1000 * statistics.median(seconds):.0f}, worst {1000 * max(seconds):.0f}")
    return row("H8", label, text, limit, statistics.median(seconds) <= 0.1 and wrong <= 0.01 * len(contests) and not undecided)


def speed_of_light(names, bounds):
    """H9: of these definitions, those of which a record has a bound; and nothing that passed is quicker than it may be."""
    on_gpu = {bound.definition for bound in bounds if bound.on_gpu}
    bounded = {bound.definition for bound in bounds if bound.on_gpu and bound.bound}
    counted = {bound.definition for bound in bounds if bound.bytes > 0}
    too_fast = sorted({bound.definition for bound in bounds if bound.least is not None and bound.median < bound.least})
    missing = sorted(set(names) - counted)
    below = [bound for bound in bounds if bound.on_gpu and bound.bound and bound.median < bound.bound]
    rows = [row("H9", "bytes of a call known", f"{len(counted & set(names))} of {len(names)} definitions"
                + (f"; not {', '.join(missing)}" if missing else ""), "all definitions", not missing)]
    if on_gpu:
        rows.append(row("H9", "bound on the GPU", f"{len(bounded)} of {len(on_gpu)} definitions that ran on it", "all of these",
                        bounded == on_gpu))
    else:
        rows.append(absent("H9", "bound on the GPU", "all of these", "no record is of the GPU"))
    rows.append(row("H9", "too fast and passed", f"{', '.join(too_fast) or 'none'}; quicker than the bound: {len(below)} records",
                    "none below least_ns", not too_fast))
    return rows


def heading():
    return ["| goal | what | measured | limit | |", "|---|---|---|---|---|"]


def line(r):
    """As the tables of docs pages have it."""
    return f"| {r.goal} | {r.what} | {str(r.measured).replace('|', '/')} | {r.limit} | {r.verdict} |"
