"""The pytest plugin, in a pytest of its own."""

import os
import subprocess
import sys

import sets

TESTS = """
import pytest

@pytest.mark.kbench(definition="scale_d64", solution="right", root=ROOT)
def test_right(kbench_result):
    assert kbench_result.latency_ns > 0

@pytest.mark.kbench(definition="scale_d64", solution="wrong", root=ROOT)
def test_wrong(kbench_result):
    raise RuntimeError("the body does not run")

def scaled(x, factor):
    return factor * x

@pytest.mark.kbench(definition="scale_d64", solution=scaled, root=ROOT)
def test_function():
    pass

@pytest.mark.kbench(definition="scale_d64", solution="right", root=ROOT)
def test_audit(kbench_result):
    assert kbench_result.raw["evaluation"]["kbench"]["trust"] == "audit"

def test_of_others():
    pass
"""


def _pytest(*words, tests=TESTS):
    """The output of pytest on some tests."""
    sets.needs("pytest")
    with sets.trace_set() as root:
        sets.write(root / "test_kernels.py", f"ROOT = {str(root)!r}\n{tests}")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        done = subprocess.run([sys.executable, "-B", "-m", "pytest", "-p", "kbench.pytest_plugin", "-p", "no:cacheprovider",
                               "-W", "error", *words, "test_kernels.py"], cwd=root, env=environment, capture_output=True, text=True)
        return done.stdout + done.stderr


def a_test_for_each_workload_fails_with_the_cause():
    said = _pytest("-k", "not audit")
    assert "2 failed, 5 passed" in said, said
    assert "test_wrong[batch=1-00000000]" in said and "body does not run" not in said, said
    assert 'INCORRECT_NUMERICAL wrong on 00000000-0000-0000-0000-000000000001: output "y": 1 of 64 elements' in said, said


def audits():
    said = _pytest("--kbench-audit", "-k", "test_audit")
    assert "2 passed" in said, said


def a_misspelt_definition_is_no_skip():
    said = _pytest(tests=TESTS.replace("scale_d64", "scale_d65"))
    assert "1 error" in said and "scale_d65" in said and "skipped" not in said, said
