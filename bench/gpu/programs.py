"""Talks to kbench, its peers and the device; what they say becomes figures in figures.py."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import cases
import figures
from figures import Absent

ROOT = cases.ROOT
BIN = pathlib.Path(os.environ.get("KBENCH_BUILD", ROOT / "build")).resolve() / "bin"
PYTHON = os.environ.get("KBENCH_NVBENCH_PYTHON", sys.executable)
DRIVER = os.environ.get("KBENCH_CUDA_DRIVER", "libcuda.so.1")
PATIENCE = 600  # seconds of one program
COUNTED = 20  # samples that ncu looks at


class Failed(Exception):
    """A program's own words."""


def said(done, about=""):
    """The line of what a program complains of: its first error, else its last line, as Python has it. `about`: must be in it."""
    lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip() and about in line]
    errors = [line for line in lines if "error" in line.lower() and not any(one.startswith("Traceback") for one in lines)]
    return (errors or lines[-1:] or [f"exit status {done.returncode}"])[0][:300]


def find_nvcc():
    """As kbench finds it."""
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return os.environ.get("CUDACXX") or shutil.which("nvcc") or shutil.which(f"{home}/bin/nvcc")


def start(words, **settings):
    words = [str(word) for word in words]
    try:
        return subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE, stdin=subprocess.DEVNULL,
                              **settings)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 124, "", f"error: {pathlib.Path(words[0]).name} took longer than {PATIENCE} s")


def device():
    """The first GPU, or why there is none."""
    worker = BIN / "kbench-worker-cuda"
    if not worker.exists():
        return Absent("kbench-worker-cuda is not built: cmake finds NVIDIA's headers, or docs/cuda.md says what to install")
    return figures.device(json.loads(start([worker, "--devices", DRIVER]).stdout))


class Kbench:
    """kbench on the trace set in `folder`, its caches and records there, too."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.environment = {**os.environ, "KBENCH_CACHE": os.environ.get("KBENCH_CACHE", str(self.folder / "cache"))}

    def start(self, *words, root=None):
        return start([BIN / "kbench", *words, "--root", root or self.folder, "--format", "json"], env=self.environment)

    def call(self, *words, root=None):
        """The JSON that it printed."""
        done = self.start(*words, root=root)
        document = json.loads(done.stdout) if done.stdout.strip() else []
        if not (document["workloads"] if isinstance(document, dict) else document):
            raise Failed(said(done))
        return document

    def run(self, measured, *options):
        return self.start("run", *self.chosen(measured), *options, "--out", self.folder / "out")

    @staticmethod
    def chosen(measured):
        """The verdict is not what is measured here: one input set, FlashInfer-Bench's rule."""
        return ["--definition", *sorted({case.definition for case in measured}),
                "--solution", *sorted({case.solution for case in measured}),
                "--workload", *sorted({case.uuid for case in measured}),
                "--num-trials", 1, "--rule", "flashinfer-bench", "--no-profile-baseline", "--memory", 16]

    def timed(self, measured, *options):
        """{case: figures.Timed or why there is none}"""
        done = self.run(measured, *options)
        found = figures.by_case(json.loads(done.stdout) if done.stdout.strip() else [])
        return {case: found.get((case.solution, case.uuid)) or Absent(f"kbench run: {said(done, case.solution)}")
                for case in measured}

    def seconds(self, case, *options):
        """The seconds of a whole run."""
        begin = time.monotonic()
        self.run([case], *options)
        return time.monotonic() - begin

    def contest(self, a, b, *options):
        """The contest of two cases on one workload."""
        try:
            return figures.contest(self.call("compare", a.solution, b.solution, "--workload", a.uuid, "--num-trials", 1,
                                             "--rule", "flashinfer-bench", "--memory", 16, *options))
        except Failed as failure:
            return Absent(f"kbench compare: {failure}")

    def hit_rates(self, case):
        """Under ncu, the caches and the clocks left as kbench leaves them."""
        ncu = shutil.which("ncu")
        if ncu is None:
            return Absent("no ncu in PATH")
        # A launch under ncu waits for its end, so nothing may hold ncu's files and sockets back: level C.
        done = start([ncu, "--csv", "--target-processes", "all", "--clock-control", "none", "--cache-control", "none",
                      "--kernel-name", "regex:read_once", "--print-units", "base",
                      "--metrics", f"{figures.HITS},{figures.SECTORS}",
                      BIN / "kbench", "run", "--root", self.folder, "--out", self.folder / "out", "--format", "json",
                      *self.chosen([case]), "--cold", "--iterations", COUNTED, "--isolation", "C"], env=self.environment)
        return figures.coldest(figures.hit_rates(done.stdout + done.stderr), COUNTED)


class Peers:
    """The sources as libraries of peer.py."""

    def __init__(self, folder, device, solutions):
        self.folder = pathlib.Path(folder) / "peers"
        self.solutions = {record["name"]: record for record in solutions}
        number = device.architecture.removeprefix("sm_")
        self.flags = ["-O2", "-std=c++17", "-lineinfo", f"-gencode=arch=compute_{number},code=sm_{number}"]  # as kbench has them
        self.built = {}

    def library(self, name):
        """The path, or why it could not be built."""
        if name not in self.built:
            self.built[name] = self.build(self.solutions[name], self.folder / name)
        return self.built[name]

    def build(self, record, folder):
        nvcc = find_nvcc()
        if nvcc is None:
            return Absent("no nvcc: set CUDACXX")
        (folder / "kept").mkdir(parents=True)
        entry, *headers = record["sources"]
        for source in [{**entry, "path": "source.cuh"}, *headers]:
            (folder / source["path"]).write_text(source["content"])
        (folder / "peer.cu").write_text((cases.HERE / "peer.cu").read_text())
        library = folder / "peer.so"
        done = start([nvcc, "-ccbin", os.environ.get("CXX", "c++"), "--keep", f"--keep-dir={folder / 'kept'}", "-shared",
                      "-Xcompiler", "-fPIC", *self.flags, *record["spec"]["compile_flags"], "-I", folder, "peer.cu", "-o", library],
                     cwd=folder)
        return library if done.returncode == 0 else Absent(f"nvcc: {said(done)}")

    def start(self, case, *words):
        """peer.py on a case, once it has ended well; or why not."""
        library = self.library(case.solution)
        if isinstance(library, Absent):
            return library
        record = self.solutions[case.solution]
        path = self.folder / f"{case.uuid}.case.json"
        path.write_text(json.dumps({"library": str(library), "symbol": record["spec"]["entry_point"].split("::")[1],
                                    "arguments": cases.arguments(case)}))
        done = start([PYTHON, cases.HERE / "peer.py", path, *words])
        return done if done.returncode == 0 else Absent(f"{pathlib.Path(PYTHON).name}: {said(done)}")

    def nvbench(self, case):
        """figures.Peer, or why there is none."""
        if start([PYTHON, "-c", "import cuda.bench"]).returncode != 0:
            return Absent("no cuda-bench: set KBENCH_NVBENCH_PYTHON to a python that has cuda-bench[cu13]")
        path = self.folder / f"{case.uuid}.nvbench.json"
        path.parent.mkdir(exist_ok=True)
        done = self.start(case, "nvbench", "--json", path)
        return done if isinstance(done, Absent) else figures.nvbench(json.loads(path.read_text()))

    def heat(self, case, seconds):
        """None when the device has worked for so long, or why not."""
        done = self.start(case, "heat", seconds)
        return done if isinstance(done, Absent) else None
