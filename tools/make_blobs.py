#!/usr/bin/env python3
"""Writes the index tensors that shipped workloads read from blob/ (safetensors, indices only).

Every workload line under workloads/ that names a safetensors input gets its file; the values follow
from the workload's axes and, where there is a choice, from its uuid. Running it twice changes nothing.
"""
import json
import math
import pathlib
import random
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FORMATS = {"int32": ("I32", "i"), "int64": ("I64", "q")}


def split(total, parts, draw):
    """`parts` positive integers that sum to `total`."""
    cuts = sorted(draw.sample(range(1, total), parts - 1))
    return [b - a for a, b in zip([0] + cuts, cuts + [total])]


def offsets(lengths):
    result = [0]
    for length in lengths:
        result.append(result[-1] + length)
    return result


def ragged(axes, draw):
    """Every sequence has at least as many keys as queries, as in chunked prefill."""
    sequences = axes["len_indptr"] - 1
    queries = split(axes["total_q"], sequences, draw)
    cached = axes["total_kv"] - axes["total_q"]
    keys = list(queries)
    for _ in range(cached):
        keys[draw.randrange(sequences)] += 1
    return {"qo_indptr": offsets(queries), "kv_indptr": offsets(keys)}


def paged(axes, draw):
    pages = split(axes["num_kv_indices"], axes["batch_size"], draw)
    return {
        "kv_indptr": offsets(pages),
        "kv_indices": draw.sample(range(axes["num_pages"]), axes["num_kv_indices"]),
        "kv_last_page_len": [draw.randint(1, 16) for _ in pages],
    }


def positions(axes, draw):
    """A decode batch: every token at its own place in a context of up to 8192."""
    return {"positions": [draw.randrange(8192) for _ in range(axes["num_tokens"])]}


def words(axes, draw):
    return {"indices": [draw.randrange(axes["vocabulary"]) for _ in range(axes["batch"] * axes["seq"])]}


RULES = {"gqa_ragged": ragged, "mla_ragged": ragged, "gqa_paged": paged, "mla_paged": paged, "rope": positions, "op": words}


def safetensors(tensors):
    """The file's bytes; `tensors` maps a key to (dtype, shape, values)."""
    header, data = {}, b""
    for key, (dtype, shape, values) in tensors.items():
        tag, code = FORMATS[dtype]
        packed = struct.pack(f"<{len(values)}{code}", *values)
        header[key] = {"dtype": tag, "shape": shape, "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def blobs_of(definition, workload):
    """Path and bytes of each file that the workload names."""
    axes = {name: axis.get("value") for name, axis in definition["axes"].items()} | workload["axes"]
    values = RULES[definition["op_type"]](axes, random.Random(workload["uuid"]))
    files = {}
    for name, source in workload["inputs"].items():
        if source["type"] == "safetensors":
            spec = definition["inputs"][name]
            shape = [axes[axis] for axis in spec["shape"]]
            assert math.prod(shape) == len(values[name]), (definition["name"], name)
            tensors = files.setdefault(source["path"], {})
            tensors[source["tensor_key"]] = (spec["dtype"], shape, values[name])
    return {path: safetensors(tensors) for path, tensors in files.items()}


def main():
    wrong = 0
    for listing in sorted((ROOT / "workloads").glob("*/*.jsonl")):
        path = ROOT / "definitions" / listing.parent.name / f"{listing.stem}.json"
        definition = json.loads(path.read_text())
        for line in listing.read_text().splitlines():
            workload = json.loads(line)["workload"]
            if not any(i["type"] == "safetensors" for i in workload["inputs"].values()):
                continue
            for name, content in blobs_of(definition, workload).items():
                target = ROOT / name
                if "--check" in sys.argv:
                    same = target.is_file() and target.read_bytes() == content
                    wrong += not same
                    if not same:
                        print(f"{name}: differs from what tools/make_blobs.py writes", file=sys.stderr)
                else:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(content)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
