"""Sources of functions, definitions that are drafted, and calls that are captured."""

import json
import math
import sys
from math import sqrt

import kbench
import kbench.judging
import sets

FACTOR = 3


def _captured_calls(capture, function, *calls):
    captured = capture(function)
    return [captured(*args, **keywords) for args, keywords in calls]


def sources_stand_alone():
    def root_of(x, power: int = 2) -> float:
        """Doc."""
        return sqrt(x) + math.pow(x, power) + sum(json.loads("[1]") for _ in range(0))

    text = kbench.judging.standalone(root_of, "run")
    assert text.startswith("import json\nimport math\nfrom math import sqrt as sqrt\n\n\ndef run(x, power: int = 2)"), text
    there = {}
    exec(text, there)
    assert there["run"](4.0) == 18


def what_a_function_needs_besides_imports_is_named():
    local = 4

    def needs_much(x):
        return [_captured_calls(x + FACTOR, y, local) for y in x]

    error = str(sets.raised(ValueError, kbench.judging.standalone, needs_much))
    assert "needs_much needs FACTOR, _captured_calls, local from around it" in error, error
    assert "def" in str(sets.raised(ValueError, kbench.judging.standalone, lambda x: x))


def drafts_a_definition_that_runs():
    torch = sets.needs("torch")

    def rmsnorm(x: torch.Tensor, weight: torch.Tensor, eps: float):
        y = x.float()
        return (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + eps) * weight).to(x.dtype)

    x, weight = torch.randn(6, 32, dtype=torch.bfloat16), torch.randn(32)
    drafted = kbench.define(rmsnorm, x, weight, 1e-6)
    assert drafted["name"] == "rmsnorm_d32" and drafted["inputs"]["eps"] == {"shape": None, "dtype": "float32"}
    assert drafted["axes"] == {"batch_size": {"type": "var"}, "d32": {"type": "const", "value": 32}}
    assert drafted["inputs"]["x"] == {"shape": ["batch_size", "d32"], "dtype": "bfloat16"} == drafted["outputs"]["output"]
    with sets.folder() as root:
        drafted.save(root)
        found = kbench.validate(root)
        assert found.status == 0, found
        assert kbench.judge(rmsnorm, definition="rmsnorm_d32", root=root).passed
        named = kbench.define(rmsnorm, x, weight, 1e-6, name="norm", op_type="norm", axes={"M": 6, "N": 32}, var=["N"])
        assert named["axes"] == {"M": {"type": "const", "value": 6}, "N": {"type": "var"}} and named["name"] == "norm"


def several_outputs_have_names():
    numpy = sets.needs("numpy")
    x = numpy.zeros((2, 3), numpy.float32)
    two = kbench.define(_two, x)
    assert list(two["outputs"]) == ["output", "output1"] and two["outputs"]["output1"]["shape"] == ["d3", "batch_size"]


def _two(x):
    return x, x.T


def captures_what_validates():
    numpy = sets.needs("numpy")
    with sets.trace_set() as root, sets.folder() as out:
        capture = kbench.capture("scale_d64", every=10, out=out, root=root)
        scaled = capture(_scaled)
        rows = [numpy.full((1 + i % 3, 64), i // 20, numpy.float32) for i in range(40)]
        assert all((scaled(x, factor=2.0) == 2 * x).all() for x in rows)
        assert (capture.calls, capture.kept, capture.skipped) == (40, 4, {})
        assert kbench.validate(out).status == 0, kbench.validate(out)
        work = [json.loads(line)["workload"] for line in (out / "workloads/scale/scale_d64.jsonl").read_text().splitlines()]
        assert sorted((one["axes"]["batch"], one["inputs"]["x"]["type"]) for one in work) == [
            (1, "random"), (1, "safetensors"), (1, "safetensors"), (2, "random"), (2, "safetensors"), (3, "random"),
            (3, "safetensors")], work
        first = next(one["uuid"] for one in work if one["inputs"]["x"]["type"] == "safetensors")
        judged = kbench.judge(_scaled, definition="scale_d64", root=out, workload=first)
        assert judged.passed and (judged.dump()["inputs"]["x"] == 0).all()
        again = kbench.capture("scale_d64", every=10, out=out, root=root)
        for x in rows:
            again(_scaled)(x, 2.0)
        assert again.bytes == 0 and len((out / "workloads/scale/scale_d64.jsonl").read_text().splitlines()) == len(work)


def _scaled(x, factor):
    return x * factor


def captures_no_more_than_its_limit():
    numpy = sets.needs("numpy")
    with sets.folder() as out:
        capture = kbench.capture(sets.DEFINITION, every=1, limit_bytes=1000, out=out)
        scaled = capture(_scaled)
        for i in range(8):
            scaled(numpy.full((1, 64), i, numpy.float32), 2.0)
        stored = [path.stat().st_size for path in out.rglob("*.safetensors")]
        assert sum(stored) == capture.bytes <= 1000 and len(stored) == capture.kept == 2, stored
        assert kbench.validate(out).status == 0


def nothing_is_written_through_a_link():
    numpy = sets.needs("numpy")
    x, file = numpy.ones((2, 64), numpy.float32), "scale/scale_d64.json"
    for link, target in (("definitions", ""), ("workloads", ""), ("blob", ""), (f"workloads/{file}l", "file"),
                         (f"workloads/{file}l", "new"), (f"definitions/{file}", "file"), (f"definitions/{file}", "new"),
                         ("data", ""), ("workloads", None)):
        with sets.folder() as place:
            sets.write(place / "away/file", "precious")
            (at := place / "set" / link).parent.mkdir(parents=True)
            (place / "set/own").mkdir()
            at.symlink_to(place / "set/own" if target is None else place / "away" / target)
            drafted = kbench.define(_scaled, x, 2.0, name="scale_d64", op_type="scale")
            capture = kbench.capture(drafted, every=1, out=place / "set")
            capture(_scaled)(x, 2.0)
            if stays := link == "data" or target is None:
                drafted.save(place / "set")
            elif link != "blob":
                sets.raised(OSError, drafted.save, place / "set")
            assert bool(capture.skipped) != stays and capture.kept == stays, (link, capture.skipped)
            assert [(one.name, one.read_text()) for one in (place / "away").iterdir()] == [("file", "precious")], link


def a_capture_disturbs_nobody():
    numpy = sets.needs("numpy")
    with sets.folder() as out:
        capture = kbench.capture(sets.DEFINITION, out=out)
        scaled = capture(_scaled)
        assert scaled(3, 4) == 12 and scaled([1], factor=2) == [1, 1]
        scaled(numpy.zeros((2, 63), numpy.float32), 1.0)
        scaled(numpy.zeros((2, 64)), 1.0)
        assert sum(capture.skipped.values()) == 4, capture.skipped
        assert any("axis d of x is 63, not 64" in reason for reason in capture.skipped), capture.skipped
        assert any("x is float64[2, 64]" in reason for reason in capture.skipped), capture.skipped


def a_capture_goes_by_names_else_by_places():
    numpy = sets.needs("numpy")
    x = numpy.ones((3, 64), numpy.float32)
    with sets.folder() as out:
        capture = kbench.capture(sets.DEFINITION, every=1, out=out)
        capture(lambda factor, x: None)(1.5, x)
        capture(lambda factor, x=x: None)(2.5)
        capture(lambda a, b: None)(x, 3.5)
        capture(lambda x, factor, y: None)(x, 4.5, x)
        lines = (out / "workloads/scale/scale_d64.jsonl").read_text()
        assert not capture.skipped and all(f'"value": {n}.5' in lines for n in range(1, 5)), capture.skipped


def a_capture_takes_a_functions_place():
    numpy = sets.needs("numpy")
    before, this = _scaled, sys.modules[__name__]
    with sets.folder() as out:
        with kbench.capture(sets.DEFINITION, f"{__name__}:_scaled", out=out) as capture:
            assert this._scaled is not before
            this._scaled(numpy.ones((5, 64), numpy.float32), 1.5)
        assert this._scaled is before and (capture.calls, capture.kept) == (1, 1)
        assert '"value": 1.5' in (out / "workloads/scale/scale_d64.jsonl").read_text()
        assert "target" in str(sets.raised(TypeError, kbench.capture(sets.DEFINITION, out=out).__enter__))
        assert "every" in str(sets.raised(ValueError, lambda: kbench.capture(sets.DEFINITION, every=0, out=out)))


def captures_torch_tensors():
    torch = sets.needs("torch")
    drafted = kbench.define(_double, torch.ones(2, 8, dtype=torch.bfloat16))
    with sets.folder() as out:
        kept = _captured_calls(kbench.capture(drafted, out=out), _double, ((torch.arange(16).reshape(2, 8).bfloat16(),), {}))
        stored = next(out.rglob("*.safetensors")).read_bytes()
        assert torch.equal(kbench.tensors.decode(stored, "torch")["x"] * 2, kept[0])
        assert kbench.validate(out).status == 0, kbench.validate(out)


def _double(x):
    return x + x
