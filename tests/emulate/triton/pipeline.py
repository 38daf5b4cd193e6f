"""`kbench run --emulate` on the kernels of cases.py: each in three dtypes, and its spoilt copies in one that shows it."""
import functools
import json
import os
import pathlib
import subprocess
import tempfile

import cases

KERNELS = pathlib.Path(__file__).parent / "kernels"


def _tensors(words, dtype):
    """"x: rows n, w: n" as a Definition has it."""
    found = {}
    for word in words.split(", "):
        name, shape = word.split(": ")
        axes = shape.split()
        own = axes.pop() if axes[-1][-1].isdigit() or axes[-1] == "float8_e4m3fn" else dtype
        found[name] = {"shape": axes, "dtype": own}
    return found


def _write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def _add(root, case, dtype, solutions):
    """A definition, its workload and its solutions."""
    name = f"{case.file}_{dtype}"
    first = next(iter(case.axes))
    axes = {axis: {"type": "var"} if axis == first else {"type": "const", "value": size}
            for axis, size in case.axes.items()}
    inputs = _tensors(case.inputs, dtype)
    reference = f"import torch\n\ndef run({', '.join(inputs)}):{case.reference}\n"
    _write(root / f"definitions/op/{name}.json", {
        "name": name, "op_type": "op", "axes": axes, "inputs": inputs, "outputs": _tensors(case.outputs, dtype),
        "reference": reference})
    _write(root / f"workloads/op/{name}.jsonl", {
        "definition": name, "solution": None, "evaluation": None, "workload": {
            "uuid": "00000000-0000-0000-0000-000000000001", "axes": {first: case.axes[first]},
            "inputs": {tensor: {"type": "random"} for tensor in inputs}}})
    for solution, text in solutions.items():
        _write(root / f"solutions/me/op/{name}/{solution}.json", {
            "name": solution, "definition": name, "author": "me", "sources": [{"path": "main.py", "content": text}],
            "spec": {"language": "triton", "target_hardware": ["NVIDIA"], "entry_point": "main.py::run",
                     "destination_passing_style": "def run(x, out)" in text}})


def _solutions(case, dtype):
    text = (KERNELS / f"{case.file}.py").read_text()
    found = {f"{case.file}_right_{dtype}": text}
    if case.file == "softmax":
        found[f"softmax_right_{dtype}_passed"] = _passing(text)
        found[f"softmax_spoilt_{dtype}_passed"] = _passing(text).replace("first, rows,", "first, rows - 1,")
    for number, (old, new, _) in enumerate(case.spoilt):
        assert old in text, f"no {old!r} in {case.file}.py"
        if cases.DTYPES[number % 3] == dtype:
            found[f"{case.file}_spoilt_{number + 1}"] = text.replace(old, new)
    return found


def _passing(text):
    """The kernel of softmax.py with its output passed."""
    return text.replace("def run(x):\n    out = torch.empty_like(x)", "def run(x, out):").replace("    return out\n", "")


@functools.cache
def verdicts():
    """Of each solution its status and cause."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for case in cases.CASES:
            for dtype in cases.DTYPES:
                _add(root, case, dtype, _solutions(case, dtype))
        run = [os.path.join(os.environ["KBENCH_BUILD"], "bin/kbench"), "run", "--emulate", "--root", root, "--out", root]
        done = subprocess.run(run, capture_output=True, text=True)
        found = {"": (done.returncode, done.stderr)}
        for file in root.glob("emulated/me/op/*.jsonl"):
            for line in file.read_text().splitlines():
                record = json.loads(line)
                verdict = record["emulation"]
                found[record["solution"]] = verdict["status"], verdict["kbench"].get("cause", "")
        return found


def _verdict(name):
    found = verdicts()
    assert name in found, f"{name} has no verdict: {found['']}"
    return found[name]


def right(name):
    status, cause = _verdict(name)
    assert status == "PASSED", f"{status} {cause}"


def spoilt(name, kind):
    status, cause = _verdict(name)
    if kind == "WRONG":
        assert status == "INCORRECT_NUMERICAL", f"{status} {cause}"
    elif kind == "ERROR":
        assert status == "RUNTIME_ERROR" and "CompilationError" in cause, f"{status} {cause}"
    else:
        found, _, rest = cause.partition(" ")
        assert status == "RUNTIME_ERROR" and found in kind.split("|"), f"{status} {cause}"
        assert found == "UNWRITTEN" or ", main.py:" in rest, f"{status} {cause}"


def outputs_that_are_passed():
    for dtype in cases.DTYPES:
        right(f"softmax_right_{dtype}_passed")
        status, cause = _verdict(f"softmax_spoilt_{dtype}_passed")
        assert status == "INCORRECT_NUMERICAL" and cause.startswith("UNWRITTEN"), f"{status} {cause}"


def all_cases():
    yield "outputs_that_are_passed", outputs_that_are_passed
    for case in cases.CASES:
        for dtype in cases.DTYPES:
            name = f"{case.file}_right_{dtype}"
            yield name, functools.partial(right, name)
        for number, (_, _, kind) in enumerate(case.spoilt):
            name = f"{case.file}_spoilt_{number + 1}"
            yield f"{name}_{kind.lower().replace('|', '_or_')}", functools.partial(spoilt, name, kind)
