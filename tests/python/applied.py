"""Functions in whose place solutions are called."""

import json
import sys

import kbench
import sets
from kbench.api import shown

HELPER = "def scaled(x, factor):\n    return x * factor\n"
MAIN = "from helper import scaled\n\ndef run(factor, x):\n    return {'y': scaled(x, factor)}\n"
EXTENSION = """#include <torch/extension.h>
void scale(at::Tensor x, double factor, at::Tensor y) { at::mul_out(y, x, torch::scalar_tensor(factor)); }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &scale); }
"""


def _scaled(x, factor=0.5):
    return x * factor


def _hash(name, root):
    try:
        return shown(name, root)["hash"]
    except kbench.Failed:  # nobody has it
        return ""


def _table(root, *entries):
    rows = [{"axes": {"batch": batch}, "solution": name, "solution_hash": _hash(name, root), "ns": 1} for batch, name in entries]
    return {"version": 1, "rule": "nearest", "definitions": {"scale_d64": {"axes": ["batch"], "entries": rows}}}


def _add(root, name, sources, **spec):
    record = sets.solution(name, "")
    record["sources"] = [{"path": path, "content": text} for path, text in sources.items()]
    record["spec"].update(spec)
    sets.write(root / f"solutions/me/scale/scale_d64/{name}.json", json.dumps(record))


def _calls(root, table, *values):
    stand_in = kbench.apply(table, "scale_d64", root=root)
    return stand_in, stand_in(_scaled)(*values)


def the_nearest_entry_is_called():
    torch = sets.needs("torch")
    with sets.trace_set() as root:
        kbench.run(root=root, solution="right", out=root / "results")
        table = kbench.apply_table(root / "results", root=root)
        assert [row["solution"] for row in table["definitions"]["scale_d64"]["entries"]] == ["right", "right"], table
        wrong = _table(root, (1, "right"), (64, "wrong"))
        stand_in = kbench.apply(wrong, "scale_d64", root=root)
        scale = stand_in(_scaled)
        for rows, sum_of_row in ((2, 64.0), (30, 63.0), (2, 64.0)):  # the wrong one leaves an element out
            assert scale(torch.full((rows, 64), 2.0), 0.5)[0].sum() == sum_of_row, rows
        assert stand_in.solutions == {"right": 2, "wrong": 1} and not stand_in.fallbacks
        path = root / "table.json"
        path.write_text(json.dumps(table))
        assert _calls(root, path, torch.ones(1, 64))[0].solutions == {"right": 1}


def calls_that_no_solution_can_take_go_to_the_function():
    torch = sets.needs("torch")
    x = torch.ones(3, 64)
    with sets.trace_set() as root:
        stand_in = kbench.apply(_table(root, (1, "right")), "scale_d64", root=root)
        scale = stand_in(lambda x, factor=0.5, out=None: x * factor)
        calls = {"x is not contiguous": (torch.ones(64, 3).t(),), "x requires a gradient": (x.clone().requires_grad_(),),
                 "x is float64": (x.double(),), "axis d of x is 32": (x[:, :32].contiguous(),),
                 "does not begin at": (torch.ones(65 * 64)[1:193].reshape(3, 64),), "out is no input": (x, 0.5, x),
                 "no plain tensor": ([1.0], 2)}
        for count, (reason, arguments) in enumerate(calls.items(), 1):
            scale(*arguments)
            assert any(reason in one for one in stand_in.fallbacks), (reason, stand_in.fallbacks)
            assert sum(stand_in.fallbacks.values()) == count and not stand_in.solutions
        with torch.no_grad():
            scale(factor=0.5, x=x.clone().requires_grad_())
        assert stand_in.solutions == {"right": 1}
        scale(x, torch.tensor(0.5))
        assert any("factor is a tensor" in one for one in stand_in.fallbacks), stand_in.fallbacks


def solutions_in_python_and_extensions_are_called():
    torch = sets.needs("torch")
    with sets.trace_set() as root:
        _add(root, "by_name", {"main.py": MAIN, "helper.py": HELPER}, language="python", entry_point="main.py::run",
             destination_passing_style=False)
        _add(root, "extension", {"main.cpp": EXTENSION}, entry_point="main.cpp::run", binding="torch")
        for name in ("by_name", "extension"):
            stand_in, y = _calls(root, _table(root, (1, name)), torch.full((2, 64), 3.0), 0.5)
            assert stand_in.solutions == {name: 1} and torch.equal(y, torch.full((2, 64), 1.5)), (name, y)
        assert "helper" not in sys.modules and "main" not in sys.modules
    stand_in = kbench.apply(json.loads(json.dumps(_shipped("baseline_rmsnorm_h128"))), "rmsnorm_h128", root=sets.ROOT)
    x = torch.ones(2, 128, dtype=torch.bfloat16)
    assert torch.equal(stand_in(lambda hidden_states, weight: None)(x, x[0].clone()), x)


def _shipped(solution):
    entry = {"axes": {"batch_size": 1}, "solution": solution, "solution_hash": _hash(solution, sets.ROOT), "ns": 1}
    return {"definitions": {"rmsnorm_h128": {"axes": ["batch_size"], "entries": [entry]}}}


def what_cannot_be_called_is_said():
    torch = sets.needs("torch")
    with sets.trace_set() as root:
        _add(root, "broken", {"main.cpp": "int"}, entry_point="main.cpp::run")
        error = sets.raised(kbench.Failed, lambda: _calls(root, _table(root, (1, "broken")), torch.ones(1, 64)))
        assert "broken is not built: BUILD_ERROR: main.cpp:1" in str(error), error
        error = sets.raised(kbench.Failed, lambda: _calls(root, _table(root, (1, "nobody")), torch.ones(1, 64)))
        assert "nobody" in str(error), error
        error = sets.raised(ValueError, lambda: kbench.apply({"definitions": {"a": {}}}, "scale_d64", root=root))
        assert "the table has no entry of scale_d64; it has a" in str(error), error
        for table in ({}, {"version": 7, "definitions": {}}, {"definitions": {"scale_d64": {"entries": []}}}):
            error = sets.raised(ValueError, lambda: kbench.apply(table, "scale_d64", root=root))
            assert "table" in str(error), error
        error = sets.raised(TypeError, lambda: kbench.apply(_table(root, (1, "right")), "scale_d64", _scaled, root=root))
        assert '"module:function"' in str(error), error


def what_was_not_judged_is_not_called():
    torch = sets.needs("torch")
    with sets.trace_set() as root:
        table = _table(root, (1, "right"))
        table["definitions"]["scale_d64"]["unserved"] = [{"batch": 7}]
        stand_in, _ = _calls(root, table, torch.ones(6, 64))
        assert list(stand_in.fallbacks) == ["no solution of the table passed at {'batch': 7}, which is nearest"], stand_in.fallbacks
        entry, = table["definitions"]["scale_d64"]["entries"]
        for said, why in ({"solution_hash": "0"}, "another one than when it was judged"), ({}, "not said to be the text that was"):
            del entry["solution_hash"]
            entry.update(said)
            error = sets.raised(kbench.Failed, lambda: _calls(root, table, torch.ones(1, 64)))
            assert why in str(error), error
        other = {**sets.DEFINITION, "axes": {"batch": {"type": "var"}, "d": {"type": "const", "value": 32}}}
        error = sets.raised(ValueError, lambda: kbench.apply(_table(root, (1, "right")), other, root=root))
        assert "has other axes" in str(error), error
        assert sets.raised(TypeError, lambda: kbench.apply(_table(root, (1, "right")), "scale_d64", root=root)(lambda a, x: None))


def calls_that_torch_transforms_go_to_the_function():
    torch = sets.needs("torch")

    class Marked(torch.Tensor):
        pass

    x = torch.ones(2, 64)
    with sets.trace_set() as root:
        stand_in = kbench.apply(_table(root, (1, "right")), "scale_d64", root=root)
        scale = stand_in(_scaled)
        traced = torch.jit.trace(lambda one: scale(one, 0.5), x, check_trace=False)
        assert traced(x).sum() == 64
        assert torch.func.vmap(lambda one: scale(one.expand(1, 64), 0.5))(x).shape == (2, 1, 64)
        assert type(scale(x.as_subclass(Marked), 0.5)) is Marked
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(x, x)
            assert torch.autograd.forward_ad.unpack_dual(scale(dual, 0.5)).tangent is not None
        assert (scale(torch._neg_view(x), 0.5) == -0.5).all() and not stand_in.solutions, stand_in.solutions
        scale(x, 0.5)
        assert stand_in.solutions == {"right": 1}


class _Kernels:
    @staticmethod
    def scaled(x, factor=0.5):
        return x * factor


def methods_and_modules_of_a_name_stay_apart():
    torch = sets.needs("torch")
    sys.modules["helper"] = users = type(sys)("helper")
    try:
        with sets.trace_set() as root:
            _add(root, "own_helper", {"main.py": MAIN, "helper.py": HELPER}, language="python", entry_point="main.py::run",
                 destination_passing_style=False)
            table = _table(root, (1, "own_helper"))
            with kbench.apply(table, "scale_d64", f"{__name__}:_Kernels.scaled", root=root) as outer:
                with outer:
                    assert (_Kernels().scaled(torch.ones(1, 64)) == 0.5).all()
            assert outer.solutions == {"own_helper": 1} and sys.modules["helper"] is users
            assert isinstance(vars(_Kernels)["scaled"], staticmethod) and (_Kernels().scaled(torch.ones(1)) == 0.5).all()
    finally:
        del sys.modules["helper"]


def it_takes_a_functions_place_while_a_block_runs():
    torch = sets.needs("torch")
    before, this = _scaled, sys.modules[__name__]
    with sets.trace_set() as root, kbench.apply(_table(root, (1, "right")), "scale_d64", f"{__name__}:_scaled", root=root) as stand_in:
        this._scaled(torch.ones(2, 64))
    assert this._scaled is before and stand_in.solutions == {"right": 1}
