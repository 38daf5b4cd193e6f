"""The trace set of candidates.py as files, and what judges it without a GPU."""

import hashlib
import json
import pathlib

import candidates

ROOT = pathlib.Path(__file__).resolve().parents[2]


def write(folder, solutions):
    """The definition with its workload, and records of solutions for it; what is there already stays."""
    name = candidates.DEFINITION["name"]
    line = {"definition": name, "workload": candidates.WORKLOAD, "solution": None, "evaluation": None}
    files = {f"definitions/gpu/{name}.json": json.dumps(candidates.DEFINITION),
             f"workloads/gpu/{name}.jsonl": json.dumps(line) + "\n",
             **{f"solutions/test/gpu/{one['name']}.json": json.dumps(one) for one in solutions}}
    for path, text in files.items():
        file = pathlib.Path(folder) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def stand_ins(build):
    """The environment that has kbench take stand-ins of nvcc, NVRTC, driver and CUPTI. What these have built is kept
    as long as none of the emulator's files is another."""
    driver = str(build / "fake_cuda/libcuda.so.1")
    emulation = ROOT / "tests/cuda/emulator"
    text = b"".join(path.read_bytes() for path in sorted(emulation.rglob("*")) if path.is_file())
    return {"CUDACXX": str(emulation / "bin/nvcc"), "KBENCH_NVRTC": str(build / "fake_cuda/lib/libnvrtc.so.13"),
            "KBENCH_CUDA_DRIVER": driver, "KBENCH_CUPTI": driver,
            "KBENCH_CACHE": str(build / "test-cache/gpu-emulated" / hashlib.sha256(text).hexdigest()[:16])}
