"""judge SET…: how often `kbench run` accepts wrong programs of the sets and refuses right ones.

Every program is judged as a user's solution would be, by kbench's rule on each seed of check.py and by the
three other rules on the first one. What is visible was written before by `check` (SET/hidden.json). Programs
that their author held for right and that have a fault are counted as neither (SET/faults.json, with the fault).
--keep writes to SET/found.json what kbench's rule gets wrong, which calibration/run compares with.
"""

import argparse
import collections
import itertools
import json
import math
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from programs import SEEDS, kbench, load, programs, solution_name, traces, write_trace_set

OTHER_RULES = ["flashinfer-bench", "kernelbench", "robust-kbench"]
RULES = ["kbench", *OTHER_RULES]


def upper_bound(errors, count):
    """The largest rate at which so few errors have a probability of 5 % (Clopper and Pearson, one-sided)."""
    if errors == count:
        return 1.0
    low, high = errors / count, 1.0
    for _ in range(60):
        rate = (low + high) / 2
        seen = sum(math.exp(math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1)
                            + k * math.log(rate) + (count - k) * math.log1p(-rate)) for k in range(errors + 1))
        low, high = (rate, high) if seen > 0.05 else (low, rate)
    return high


class Counts:
    def __init__(self):
        self.wrong = self.accepted = self.right = self.refused = 0

    def add(self, is_right, passed):
        if is_right:
            self.right += 1
            self.refused += not passed
        else:
            self.wrong += 1
            self.accepted += passed


def share(errors, count):
    if count == 0:
        return "– | –"
    return f"{errors} of {count} ({100 * errors / count:.2f} %) | {100 * upper_bound(errors, count):.2f} %"


def row(name, counts):
    return f"| {name} | {share(counts.accepted, counts.wrong)} | {share(counts.refused, counts.right)} |"


def table(title, rows):
    head = f"| {title} | wrong accepted | at most (95 %) | right refused | at most (95 %) |\n|---|---|---|---|---|"
    return "\n".join([head, *(row(name, counts) for name, counts in rows)])


def judge(root, rule, seed):
    """{solution: trace} of one rule and one seed."""
    out = root / f"{rule}-{seed}"
    kbench(root, "run", "-q", "--seed", seed, "--rule", rule, "--out", out, "--budget", 0.0001,
           "--no-profile-baseline")
    return {trace["solution"]: trace["evaluation"] for trace in traces(out)}


class Tally:
    """What the verdicts come to, by rule, op type and dtype."""

    def __init__(self):
        self.all, self.visible = (collections.defaultdict(Counts) for _ in range(2))
        self.by_op, self.by_dtype = (collections.defaultdict(Counts) for _ in range(2))
        self.accepted, self.refused, self.unseen = (collections.defaultdict(list) for _ in range(3))

    def add(self, task, name, is_right, is_visible, rule, seed, evaluation):
        passed = evaluation["status"] == "PASSED"
        self.all[rule].add(is_right, passed)
        if is_right or is_visible:
            self.visible[rule].add(is_right, passed)
        if rule != "kbench":
            return
        where = f"{task['definition']['name']}: {name}"
        if is_right and not passed:
            self.refused[where].append((seed, evaluation["kbench"]["cause"] or evaluation["status"]))
        if not is_right and passed:
            (self.accepted if is_visible else self.unseen)[where].append(seed)
        if is_right or is_visible:
            self.by_op[task["definition"]["op_type"]].add(is_right, passed)
            for spec in task["definition"]["outputs"].values():
                self.by_dtype[spec["dtype"]].add(is_right, passed)

    def found(self):
        """The seeds of what is not as it should be."""
        wheres = sorted({*self.accepted, *self.unseen})
        accepted = {where: sorted(self.accepted.get(where, []) + self.unseen.get(where, [])) for where in wheres}
        return {"accepted": accepted,
                "refused": {where: [seed for seed, _ in self.refused[where]] for where in sorted(self.refused)}}

    def text(self):
        lines = [table("rule, all programs as written", self.all.items()), "",
                 table("rule, wrong ones that are visible", self.visible.items()), "",
                 table("op type", sorted(self.by_op.items())), "", table("dtype of an output", sorted(self.by_dtype.items())), ""]
        lines += [f"accepted: {where}: seeds {' '.join(map(str, seeds))}" for where, seeds in self.accepted.items()]
        lines += [f"accepted, not visible: {where}: seeds {' '.join(map(str, seeds))}"
                  for where, seeds in self.unseen.items()]
        lines += [f"refused: {where}: seeds {' '.join(str(seed) for seed, _ in found)}: {found[0][1]}"
                  for where, found in self.refused.items()]
        return "\n".join(lines)


def count_task(task, hidden, faults, tally, rule, seed, found):
    for name, is_right, _ in programs(task):
        if name in faults:
            continue
        is_visible = seed not in hidden.get(name, [])
        tally.add(task, name, is_right, is_visible, rule, seed, found[solution_name(task, name)])


def count_set(folder, tallies, rules, seeds, only):
    tasks = [task for task in load(folder) if not only or task["definition"]["name"] in only]
    hidden = json.loads((folder / "hidden.json").read_text())
    path = folder / "faults.json"
    faults = json.loads(path.read_text()) if path.exists() else {}
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary)
        write_trace_set(folder, tasks, root)
        for rule in rules:
            for seed in seeds if rule == "kbench" else seeds[:1]:
                found = judge(root, rule, seed)
                for tally, task in itertools.product(tallies, tasks):
                    definition = task["definition"]["name"]
                    count_task(task, hidden.get(definition, {}), faults.get(definition, {}), tally, rule, seed, found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+", type=pathlib.Path)
    parser.add_argument("--definitions", "-d", nargs="*", default=[])
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="how many of check.py's")
    parser.add_argument("--rules", nargs="*", default=RULES)
    parser.add_argument("--keep", action="store_true", help="write SET/found.json")
    arguments = parser.parse_args()
    tally = Tally()
    for folder in arguments.sets:
        one = Tally()
        count_set(folder.resolve(), [tally, one], arguments.rules, SEEDS[:arguments.seeds], arguments.definitions)
        if arguments.keep:
            found = {"seeds": SEEDS[:arguments.seeds], **one.found()}
            (folder / "found.json").write_text(json.dumps(found, indent=1) + "\n")
    print(tally.text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
