"""pytest: a test marked with kbench runs once for each workload of a definition, and fails with the cause.

    @pytest.mark.kbench(definition="rmsnorm_h128", solution="mine", root="set")
    def test_it(kbench_result): ...

`solution` may also be a function or a source file, as kbench.judge() takes them; other keywords are options of
kbench.run(). `kbench_result` is the Evaluation. The body runs where it passed.
"""
from __future__ import annotations

import functools
import os
from typing import Any

import pytest

from . import Evaluation, judge, load, run


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("kbench").addoption("--kbench-audit", action="store_true", help="judge as kbench run --audit does")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "kbench(definition, solution, root, **options): judge a solution on each workload")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker("kbench")
    if marker is None:
        return
    if "kbench_result" not in metafunc.fixturenames:
        metafunc.fixturenames.append("kbench_result")
    name = marker.kwargs["definition"]
    entries = [entry.raw for entry in load(marker.kwargs.get("root")).workloads if entry.definition == name]
    metafunc.parametrize("kbench_result", [entry["workload"] for entry in entries], indirect=True,
                         ids=[f"{entry['axes']}-{entry['workload'][:8]}" for entry in entries])


@pytest.fixture
def kbench_result(request: pytest.FixtureRequest) -> Evaluation:
    """The evaluation of the marked solution on this test's workload."""
    marker = request.node.get_closest_marker("kbench")
    options = {"workload": request.param, **marker.kwargs}
    if request.config.getoption("--kbench-audit"):
        options["audit"] = True
    solution = options.pop("solution")
    if callable(solution) or os.path.isfile(solution):
        return judge(solution, **options)[0]
    return run(solution=solution, save_results=False, **options)[0]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Any:
    result = pyfuncitem.funcargs.get("kbench_result")
    if isinstance(result, Evaluation) and not result.passed:
        pytest.fail(f"{result.status} {result.solution} on {result.workload}: {result.cause}", pytrace=False)
    return (yield)
