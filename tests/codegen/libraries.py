"""Libraries of generated code that torch loads, for torch_library and tvm_ffi_library: made of the shipped kernels and
of some that take arguments of every type, and called."""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import kbtest

BUILD = pathlib.Path(os.environ.get("KBENCH_BUILD", ROOT / "build"))
SHIPPED = ROOT / "solutions/kbench/kernels_cpu"
ARGUMENTS = ROOT / "tests/codegen/arguments"
PYTHON = ROOT / ".venv/bin/python"
TORCH = next(ROOT.glob(".venv/lib/python3*/site-packages/torch"), None)
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-DKBENCH_OWN_RUNTIME"]


def needs_torch():
    if TORCH is None or not (BUILD / "lib/kbench/without-cuda").is_dir():
        raise kbtest.Skip("no torch package in .venv")


def run(*command, status=0, **options):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, **options)
    assert done.returncode == status, f"{command}: {done.returncode}\n{done.stdout[-1000:]}\n{done.stderr[-3000:]}"
    return done


def codegen(target, folder, *words, status=0, root=ROOT):
    """What is said of it."""
    return run(BUILD / "bin/kbench", "kernels", "codegen", "--as", target, "--root", root, "-d", folder, *words,
               status=status).stderr


def refused(target, folder, message, *words):
    said = codegen(target, folder / "gen", *words, status=2)
    assert message in said, said
    assert not (folder / "gen").exists()


def build(folder, compile_words, link_words):
    """The library, of what is generated in `folder`/gen."""
    sources = [*(folder / "gen").glob("*.cpp"), *SHIPPED.glob("*.cpp"), *ARGUMENTS.glob("*.cpp")]
    objects = [folder / f"{source.parent.name}_{source.stem}.o" for source in sources]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda source, made: run("g++", *WARNINGS, "-O1", "-fPIC", *compile_words, "-c", source, "-o",
                                               made), sources, objects))
    library = folder / "libkernels.so"
    run("g++", "-shared", "-o", library, *objects, *link_words)
    return library


def call(program, library):
    """Runs a program of this folder on the library: {case: (failure, skipped)}."""
    # Libraries of CUDA that torch is linked to, and does not call here: src/reference/python.
    environment = {**os.environ, "LD_LIBRARY_PATH": str(BUILD / "lib/kbench/without-cuda")}
    done = run(PYTHON, "-B", ROOT / "tests/codegen" / program, library, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def report(result):
    failure, skipped = result
    if skipped:
        raise kbtest.Skip(skipped)
    assert not failure, failure


def suite_of_calls(suite, make):
    """A case for make(), which returns the results of calls, and one for each of these."""
    results = {}
    suite.case("builds_and_loads", lambda: results.update(make()))
    for name, result in results.items():
        suite.case(name, report, result)
