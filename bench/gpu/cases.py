"""What bench/gpu measures: definitions, workloads and solutions, and the trace set that is written of them."""

import dataclasses
import json
import pathlib
import uuid

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MIB = 1 << 20
SMALL = 1 << 10  # rows and lengths where only the flow is tried
STEPS, LONGER_STEPS = 20_000, 20_400  # of chain.cu: 2 % apart


@dataclasses.dataclass(frozen=True)
class Case:
    """A solution on one workload."""

    label: str
    definition: str
    solution: str
    axes: dict = dataclasses.field(hash=False)

    @property
    def uuid(self):
        return str(uuid.uuid5(uuid.NAMESPACE_OID, json.dumps([self.definition, self.axes])))


def definition(name, axes, inputs, outputs, reference):
    tensor = lambda shape, dtype="float32": {"shape": shape, "dtype": dtype}  # noqa: E731
    return {"name": f"bench_{name}", "op_type": "bench",
            "axes": {axis: {"type": "var"} if value is None else {"type": "const", "value": value}
                     for axis, value in axes.items()},
            "inputs": {key: tensor(*value) for key, value in inputs.items()},
            "outputs": {key: tensor(*value) for key, value in outputs.items()},
            "reference": f"import torch\n\ndef run({', '.join(inputs)}):\n    return {reference}\n"}


DEFINITIONS = [
    definition("copy", {"n": None}, {"x": (["n"],)}, {"y": (["n"],)}, "x.clone()"),
    definition("chain", {"n": None}, {"x": (["n"],), "one": (None,)}, {"y": (["n"],)}, "x * one"),
    definition("highest", {"rows": None, "columns": 1024}, {"x": (["rows", "columns"],)}, {"y": (["rows"],)},
               "torch.amax(x, 1)"),
    definition("gemm", {"m": None, "n": None, "k": None}, {"a": (["m", "k"], "bfloat16"), "b": (["n", "k"], "bfloat16")},
               {"c": (["m", "n"], "bfloat16")},
               "torch.matmul(a.to(torch.float32), b.to(torch.float32).T).to(torch.bfloat16)"),
    definition("softmax", {"rows": None, "columns": 1024}, {"x": (["rows", "columns"],)}, {"y": (["rows", "columns"],)},
               "torch.softmax(x, 1)"),
]
SCALARS = {"one": 1.0}  # of inputs without a shape


def kernel_sources(name):
    """One of kernels/, and the headers that it may include."""
    files = [HERE / "kernels" / f"{name}.cu", *sorted((HERE / "kernels").glob("*.cuh")),
             ROOT / "include/kbench/kbench_cuda.h", ROOT / "include/kbench/kbench_ffi.h"]
    return [{"path": file.name, "content": file.read_text()} for file in files]


def solution(name, of, architecture, flags=(), sources=None, symbol="run"):
    sources = sources or kernel_sources(name)
    return {"name": f"bench_{name}{''.join(flags).lower().replace('-dchain_steps=', '_')}", "definition": f"bench_{of}",
            "author": "bench",
            "spec": {"language": "cuda", "target_hardware": [architecture], "entry_point": f"{sources[0]['path']}::{symbol}",
                     "dependencies": [], "destination_passing_style": True, "binding": "tvm-ffi",
                     "compile_flags": list(flags)},
            "sources": sources}


def shipped(path, of, architecture):
    """A solution of solutions/ under one of our definitions."""
    record = json.loads((ROOT / "solutions" / path).read_text())
    symbol = record["spec"]["entry_point"].split("::")[1]
    return solution(of, of, architecture, sources=record["sources"], symbol=symbol)


def solutions(architecture):
    """All of them, for "sm_90" and its like."""
    return [
        solution("copy", "copy", architecture),
        *(solution("chain", "chain", architecture, [f"-DCHAIN_STEPS={steps}"]) for steps in (STEPS, LONGER_STEPS)),
        *(solution(name, "highest", architecture) for name in READ_ONCE),
        shipped("kbench/gemm/gemm_bf16_n2048_k1024/kbench_cuda_gemm_bf16_n2048_k1024.json", "gemm", architecture),
        shipped("kbench/softmax/softmax_n1024/kbench_cuda_softmax_n1024.json", "softmax", architecture),
    ]


READ_ONCE = ("read_once", "read_once_persisting", "read_once_graph")


def timed(small=False):
    """H1, H2, H4, H5: the kernels that nvbench times, too."""
    if small:
        return [EMPTY, Case("copy 4 KiB", "bench_copy", "bench_copy", {"n": SMALL}), gemm(64), softmax(4)]
    copies = [Case(f"copy {size} MiB", "bench_copy", "bench_copy", {"n": size * MIB // 4}) for size in (1, 16, 256, 1024)]
    return [EMPTY, *copies, *map(gemm, (256, 1024, 4096)), softmax(32_768)]


def gemm(n):
    return Case(f"gemm {n}", "bench_gemm", "bench_gemm", {"m": n, "n": n, "k": n})


def softmax(rows):
    return Case(f"softmax {rows} x 1024", "bench_softmax", "bench_softmax", {"rows": rows})


EMPTY = Case("one number", "bench_copy", "bench_copy", {"n": 1})


def read_once(cache_bytes):
    """H3: [(part of the cache, case)] of each way to launch."""
    row = 4096  # bytes
    return [(part, Case(f"{name} L2/{part}", "bench_highest", f"bench_{name}", {"rows": max(cache_bytes // part // row, 1)}))
            for name in READ_ONCE for part in (4, 2, 1)]


def repeated(small=False):
    """H7."""
    return timed(small)[1:] if small else [Case("copy 64 MiB", "bench_copy", "bench_copy", {"n": 16 * MIB}), gemm(1024),
                                           softmax(32_768)]


def heated(small=False):
    """H6."""
    return gemm(64 if small else 4096)


def chains(small=False):
    """H8: as many threads as one wave has, (the quicker, the slower)."""
    axes = {"n": 8 if small else 16_384}
    return tuple(Case(f"chain {steps}", "bench_chain", f"bench_chain_{steps}", axes) for steps in (STEPS, LONGER_STEPS))


def of_each_definition():
    """{definition that ships: one of its solutions}, one in CUDA where there is one."""
    records = [json.loads(path.read_text()) for path in sorted((ROOT / "solutions").glob("*/*/*/*.json"))]
    records.sort(key=lambda record: record["spec"]["language"] == "cuda")
    return {record["definition"]: record["name"] for record in records}


def inputs_of(record):
    return {name: {"type": "random"} if value["shape"] is not None else {"type": "scalar", "value": SCALARS[name]}
            for name, value in record["inputs"].items()}


def arguments(case):
    """The arguments of a call, for peer.py: inputs, then outputs."""
    record = next(record for record in DEFINITIONS if record["name"] == case.definition)
    lengths = {name: axis.get("value", case.axes.get(name)) for name, axis in record["axes"].items()}
    return [{"value": SCALARS[name]} if tensor["shape"] is None else
            {"shape": [lengths[axis] for axis in tensor["shape"]], "dtype": tensor["dtype"]}
            for part in ("inputs", "outputs") for name, tensor in record[part].items()]


def write(folder, architecture, cases):
    """The trace set of these workloads, below `folder`."""
    folder = pathlib.Path(folder)

    def put(path, text):
        path = folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    for record in DEFINITIONS:
        put(f"definitions/bench/{record['name']}.json", json.dumps(record))
        workloads = {case.uuid: {"uuid": case.uuid, "axes": case.axes, "inputs": inputs_of(record)}
                     for case in cases if case.definition == record["name"]}
        lines = [json.dumps({"definition": record["name"], "workload": workload, "solution": None, "evaluation": None})
                 for workload in workloads.values()]
        if lines:
            put(f"workloads/bench/{record['name']}.jsonl", "\n".join(lines) + "\n")
    for record in solutions(architecture):
        put(f"solutions/bench/bench/{record['definition']}/{record['name']}.json", json.dumps(record))
