"""The program's commands as functions."""

import os
import pathlib
import pickle
import signal
import subprocess
import sys
import unittest.mock

import kbench
import sets


def finds_the_program():
    given = os.environ["KBENCH"]
    assert kbench.program() == given
    with sets.folder() as folder, unittest.mock.patch.dict(os.environ, {"PATH": str(folder / "path")}):
        del os.environ["KBENCH"]
        for place in (folder / "path/kbench", folder / "prefix/bin/kbench"):  # the second one goes first
            place.parent.mkdir(parents=True)
            place.symlink_to(given)
            with unittest.mock.patch.object(sys, "prefix", str(folder / "prefix")):
                assert kbench.program() == str(place)


def says_that_there_is_no_program():
    with unittest.mock.patch.dict(os.environ, {"PATH": "/nowhere"}):
        os.environ["KBENCH"] = "/nowhere/kbench"
        failed = sets.raised(kbench.Failed, kbench.run)
        assert "KBENCH=/nowhere/kbench" in str(failed) and failed.status == 3, failed
        del os.environ["KBENCH"]
        with unittest.mock.patch.object(sys, "prefix", "/nowhere"):
            assert "PATH" in str(sets.raised(kbench.Failed, kbench.program))


def fails_with_the_programs_own_text():
    command = [kbench.program(), "run", "--definition=nope", f"--root={sets.ROOT}"]
    said = subprocess.run(command, capture_output=True, text=True)
    failed = sets.raised(kbench.Failed, kbench.run, definition="nope", root=sets.ROOT)
    assert (str(failed), failed.status) == (said.stderr.strip(), said.returncode) and failed.status == 2, failed
    again = pickle.loads(pickle.dumps(failed))
    assert (str(again), again.status) == (str(failed), 2)


def an_unknown_keyword_is_an_error_that_names_the_nearest():
    for call, nearest in ((lambda: kbench.run(defintion="x"), "--definition"),
                          (lambda: kbench.validate(stric=True), "--strict"),
                          (lambda: kbench.compare("a", "b", sede=1), "--seed"),
                          (lambda: kbench.tune("x", no_cach=True), "--no-cache")):
        failed = sets.raised(kbench.Failed, call)
        assert failed.status == 2 and f'did you mean "{nearest}"?' in str(failed), failed


def keywords_become_options():
    options = kbench.command.arguments({"no_cache": True, "cold": False, "seed": None, "import_": "f", "definition": ["a", "b"],
                                        "rtol": 0.1})
    assert options == ["--no-cache", "--import=f", "--definition=a", "--definition=b", "--rtol=0.1"], options


def lists_a_trace_set():
    with sets.trace_set() as root:
        found = kbench.load(root)
        assert [entry.definition for entry in found.definitions] == ["scale_d64"]
        assert [entry.raw["solution"] for entry in found.solutions] == ["right", "wrong"]
        assert [entry.raw["axes"] for entry in found.workloads] == ["batch=1", "batch=2"] and not found.traces
        assert kbench.show("scale_d64", root)["reference"] == sets.DEFINITION["reference"]
    assert "/nowhere" in str(sets.raised(kbench.Failed, kbench.load, "/nowhere"))


def validates():
    with sets.trace_set() as root:
        found = kbench.validate(root)
        assert found.status == 0 and all(message.level == "warning" for message in found)
        path = root / "definitions/scale/scale_d64.json"
        path.write_text(path.read_text().replace('"op_type"', '"type"'))
        found = kbench.validate(path)
        assert found.status == 2 and (found[0].level, found[0].line) == ("error", 1), found
        assert found[0].message == 'missing key "op_type"' and "rename" in found[0].hint, found


def compares():
    with sets.trace_set() as root:
        same = kbench.compare("right", "right", root=root, budget=0.2)
        assert same.answer in ("SAME", "UNDECIDED", "FASTER", "SLOWER") and len(same.workloads) == 2
        assert same.interval[0] <= same.ratio <= same.interval[1] and same.workloads[0].ratio > 0
        incorrect = kbench.compare("right", "wrong", root=root)
        assert incorrect.answer is None and incorrect.workloads[0].answer is None


def tunes():
    with sets.folder() as cache, unittest.mock.patch.dict(os.environ, {"KBENCH_CACHE": str(cache)}):
        found = kbench.tune("gemm_bf16_n2048_k1024", solution="tunable_gemm_bf16_n2048_k1024", workload="debdc22b",
                            root=sets.ROOT, evaluations=2, contest=0.2)
    assert found[0].definition == "gemm_bf16_n2048_k1024" and len(found[0].raw["rows"]) == 2
    assert found[0].raw["rows"][found[0].winner]["status"] == "PASSED" and "configurations tried" in found.log


def reports():
    with sets.trace_set() as root, sets.folder() as out:
        assert kbench.report(root=root) == []
        kbench.run(root=root, out=out, solution="right")
        assert [one.status for one in kbench.report(out)] == ["PASSED", "PASSED"]
        assert kbench.report(out, format="csv").startswith("definition,workload,")
        assert kbench.report(out, output=out / "page.html") == ""
        assert (out / "page.html").read_text().startswith("<!doctype html>")


def interrupts():
    """^C as soon as the first record is there: the program ends after the record in hand, and all records are whole."""
    def interrupt(_):
        seen.append(_)
        os.kill(os.getpid(), signal.SIGINT)

    seen = []
    with sets.trace_set(workloads=15) as root:
        sets.raised(KeyboardInterrupt, kbench.run, root=root, progress=interrupt)
        written = kbench.report(root=root)
        assert len(seen) == 1 and 1 <= len(written) < 30, (len(seen), len(written))
        assert pathlib.Path(root, "traces/me/scale/scale_d64.jsonl").read_bytes().endswith(b"\n")


def an_interrupted_program_is_an_interrupt():
    with sets.folder() as folder:
        sets.write(folder / "kbench", "#!/bin/sh\nexit 130\n")
        (folder / "kbench").chmod(0o755)
        with unittest.mock.patch.dict(os.environ, {"KBENCH": str(folder / "kbench")}):
            sets.raised(KeyboardInterrupt, kbench.run)


def an_error_of_progress_ends_the_run():
    def fail(_):
        raise ValueError("enough")

    with sets.trace_set() as root:
        assert str(sets.raised(ValueError, kbench.run, root=root, progress=fail)) == "enough"
