"""Tests marked with kbench(definition=…, solution=…, root=…) run once for each workload, and fail with the cause.

`solution` is a name, or a function or file as judge() takes them; other keywords are options of run(). The fixture
`kbench_result` is the Evaluation, and what passes goes on to the test's body.
"""
import os
from typing import Any

import pytest

from . import Evaluation, judge, load, run, show


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("kbench").addoption("--kbench-audit", action="store_true", help="judge as kbench run --audit does")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "kbench(definition, solution, root, **options): judge a solution on each workload")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if marker := metafunc.definition.get_closest_marker("kbench"):
        root = marker.kwargs.get("root")
        definition = show(marker.kwargs["definition"], root)["name"]
        workloads = [entry.raw for entry in load(root).workloads if entry.definition == definition]
        if "kbench_result" not in metafunc.fixturenames:
            metafunc.fixturenames.append("kbench_result")
        metafunc.parametrize("kbench_result", [one["workload"] for one in workloads], indirect=True,
                             ids=[f"{one['axes']}-{one['workload'][:8]}" for one in workloads])


@pytest.fixture
def kbench_result(request: pytest.FixtureRequest) -> Any:
    """The Evaluation of the marked solution on this test's workload."""
    options = {**request.node.get_closest_marker("kbench").kwargs, "workload": request.param}
    if request.config.getoption("--kbench-audit"):
        options["audit"] = True
    solution = options.pop("solution")
    if callable(solution) or os.path.isfile(solution):
        return judge(solution, **options)[0]
    return run(solution=solution, no_save_results=True, **options)[0]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Any:
    result = pyfuncitem.funcargs.get("kbench_result")
    if isinstance(result, Evaluation) and not result.passed:
        pytest.fail(f"{result.status} {result.solution} on {result.workload}: {result.cause}", pytrace=False)
    return (yield)
