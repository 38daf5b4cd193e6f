"""Verdicts, their records, and the tensors of those that failed."""

import contextlib
import functools
import os
import shutil
import sys
import types
import unittest.mock

import kbench
import sets


def judges_shipped_kernels():
    with sets.folder() as out:
        found = kbench.run(root=sets.ROOT, definition="rmsnorm_h128", workload="0ea9d291", out=out,
                           solution=["plain_rmsnorm_h128", "kbench_rmsnorm_h128"])
    assert found.passed and found.status == 0 and not found.failures and "2 passed, 0 failed" in found.log
    assert {one.solution for one in found} == {"plain_rmsnorm_h128", "kbench_rmsnorm_h128"}
    assert all(one.axes == {"batch_size": 1} and one.latency_interval_ns[0] <= one.latency_ns for one in found)
    assert found[0].raw["evaluation"]["kbench"]["digest"]


def a_wrong_kernel_is_a_result():
    with sets.trace_set() as root:
        found = kbench.run(root=root, solution=["right", "wrong"], no_save_results=True)
        assert not found.passed and found.status == 1 and not (root / "traces").exists()
        assert [one.solution for one in found.failures] == ["wrong", "wrong"]
        assert 'output "y": 1 of 64 elements' in found.failures[0].cause, found.failures[0]
        assert found.failures[0].latency_ns is None


def nothing_judged_is_no_pass():
    with sets.trace_set() as root:
        kbench.run(root=root, solution="right")
        found = kbench.run(root=root, solution="right", resume=True)
    assert found == [] and found.status == 4 and not found.passed and "nothing to do" in found.log, found.log


def tells_of_evaluations_as_they_come():
    for more in ({}, {"no_save_results": True}):
        seen = []
        with sets.trace_set() as root:
            kbench.run(root=root, solution="right", seed=1)
            before = (root / "traces/me/scale/scale_d64.jsonl").read_text()
            found = kbench.run(root=root, progress=seen.append, **more)
            after = (root / "traces/me/scale/scale_d64.jsonl").read_text()
        assert sorted(map(_key, seen)) == sorted(map(_key, found)) and len(seen) == 4, (seen, found)
        assert after == before if more else len(after) > len(before)


def _key(one):
    return one.workload, one.solution, one.status


def records_are_frozen_and_make_frames():
    with sets.trace_set() as root:
        found = kbench.run(root=root, solution="right", no_save_results=True)
    sets.raised(AttributeError, setattr, found[0], "status", "PASSED")
    fake = types.SimpleNamespace(DataFrame=list, __spec__=object())
    with unittest.mock.patch.dict(sys.modules, {"pandas": fake}):
        rows = found.frame()
    assert [row["batch"] for row in rows] == [1, 2] and "raw" not in rows[0] and rows[0]["latency_ns"] > 0, rows
    with unittest.mock.patch.dict(sys.modules, {"pandas": None, "polars": None}):
        assert "pandas or polars" in str(sets.raised(ImportError, found.frame))


def gives_the_tensors_of_a_failing_case():
    numpy = sets.needs("numpy")
    with sets.trace_set() as root:
        found = kbench.run(root=root, solution=["right", "wrong"])
        tensors = found.dump()
    x, y, right = tensors["inputs"]["x"], tensors["output"]["y"], tensors["reference"]["y"]
    assert y.dtype == numpy.float32 and y.shape == x.shape and tensors["exact"]["y"].dtype == numpy.float64
    assert y.flat[3] == 0 and right.flat[3] == x.flat[3] / 2 and (numpy.delete(y, 3) == numpy.delete(right, 3)).all()


def gives_bfloat16_to_numpy_and_torch():
    numpy, torch = sets.needs("numpy"), sets.needs("torch")
    with sets.folder() as out:
        found = kbench.run(root=sets.ROOT, definition="rmsnorm_h128", workload="0ea9d291", out=out,
                           solution="plain_rmsnorm_h128")
        wide, narrow = found.dump()["output"]["output"], found.dump("torch")["output"]["output"]
    assert wide.dtype == numpy.float32 and narrow.dtype == torch.bfloat16
    assert (torch.from_numpy(wide) == narrow.float()).all() and wide.any()


def judges_a_function():
    def scaled(x, factor):
        return x * factor

    def shifted(x, factor, y):  # writes its output
        y.copy_(x * factor + 1)

    with sets.trace_set() as root:
        assert kbench.judge(scaled, definition="scale_d64", root=root, limit=1).passed
        found = kbench.judge(shifted, definition="scale", root=root, limit=1)
        assert len(found) == 1 and "64 of 64 elements" in found[0].cause and found[0].solution == "shifted", found
        if "numpy" in sys.modules:
            tensors = found.dump()
            assert abs(tensors["output"]["y"] - tensors["reference"]["y"] - 1).max() < 1e-6
        assert not (root / "traces").exists() and kbench.load(root).solutions[-1].raw["solution"] == "wrong"


def decorates_a_function():
    with sets.trace_set() as root:
        @kbench.judge(definition="scale_d64", root=root)
        def halved(x, factor):
            return x / 2

        assert halved(4, 1) == 2
        found = halved.verdict(limit=1, seed=3)
        assert found.passed and len(found) == 1 and found[0].raw["evaluation"]["kbench"]["seed"] == "3"


def judges_a_file():
    with sets.trace_set() as root, sets.folder() as folder:
        sets.write(folder / "fast.cpp", sets.KERNEL.replace("#include", '#include "more.h"\n#include'))
        sets.write(folder / "more.h", "// nothing\n")
        sets.write(folder / "main.py", "def scaled(x, factor):\n    return factor * x\n")
        kernel = kbench.judge(folder / "fast.cpp", definition="scale_d64", root=root, limit=1, sources=[folder / "more.h"],
                              spec={"compile_flags": ["-O3"]})
        assert kernel.passed and kernel[0].solution == "fast" and "-O3" in str(kernel[0].raw), kernel.log
        assert kbench.judge(folder / "main.py", definition="scale_d64", root=root, limit=1,
                            spec={"entry_point": "main.py::scaled"}).passed
        broken = kbench.judge(folder / "fast.cpp", definition="scale_d64", root=root)
        assert broken[0].status == "COMPILE_ERROR" and "more.h" in broken[0].cause, broken[0]
        failed = sets.raised(kbench.Failed, kbench.judge, folder / "main.py", definition="scale_d64", root=root,
                             spec={"entry_pont": "main.py::scaled"})
        assert failed.status == 2 and 'spec.entry_pont: unknown key' in str(failed), failed
        assert 'did you mean "entry_point"?' in str(failed), failed
        sets.write(folder / "kernel.f90", "")
        failed = sets.raised(kbench.Failed, kbench.judge, folder / "kernel.f90", definition="scale_d64", root=root)
        assert 'unknown value ".f90"; known: python' in str(failed), failed


def a_file_is_read_where_it_is_named():
    with sets.trace_set(1) as root, sets.folder() as away, contextlib.chdir(root):
        sets.write(away / "kernel.cpp", sets.KERNEL)
        sets.write(root / "sub/kernel.cpp", sets.KERNEL)
        os.mkfifo("pipe.cpp")
        os.symlink(away / "kernel.cpp", "out.cpp")
        os.symlink(away, "folder")
        os.symlink("sub/kernel.cpp", "in.cpp")
        os.symlink(root / "sub/kernel.cpp", away / "back.cpp")
        for name in ("out.cpp", root / "out.cpp", "folder/kernel.cpp", f"../{away.name}/back.cpp", "pipe.cpp", "/dev/null"):
            for words in ([name], ["in.cpp", name]):
                sets.raised(OSError, kbench.judging._of_files, os.curdir, words)
        for name in ("in.cpp", "sub/kernel.cpp", away / "kernel.cpp", f"../{away.name}/kernel.cpp"):
            assert kbench.judging._of_files(os.curdir, [name])["sources"][0]["content"] == sets.KERNEL
        sets.raised(OSError, kbench.judge, "out.cpp", definition="scale_d64")
        assert kbench.judge("in.cpp", definition="scale_d64").passed
        assert kbench.judge("out.cpp", definition="scale_d64", allow_outside=True).passed


def a_set_is_read_where_it_lies():
    with sets.folder() as place, sets.trace_set(1) as root:
        sets.write(place / "secret", "scale_d64 kbench-secret")
        shutil.copytree(root, at := place / "cache/snapshots/0123")
        (place / "cache/blobs").mkdir()
        file = at / "definitions/scale/scale_d64.json"
        file.symlink_to(file.rename(place / "cache/blobs/f00"))
        sets.write(place / "right.cpp", sets.KERNEL)
        judge = functools.partial(kbench.judge, place / "right.cpp", definition="scale_d64", root=at)
        assert judge().passed
        for name in ("definitions/link.json", "workloads/link.jsonl"):
            (at / name).symlink_to(place / "secret")
            assert "kbench-secret" not in str(sets.raised(OSError, judge))
            (at / name).unlink()
