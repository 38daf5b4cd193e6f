"""A kernel library of one operator a kernel, and a Definition of each."""
import json
import pathlib
import sys

UNARY = ["good", "zeros", "past_end", "changes_input", "remembers", "ignores_order", "ignores_type", "aborts",
         "throws", "never_resizes", "returns_other", "refuses_none", "serves_none",
         "shares_state", "writes_turned_input", "forgets_tail", "takes_as_many",
         "reads_any_input", "floats_in_doubles", "drops_nan", "shares_buffer", "clears_first", "forgets_scalars",
         "good_from_8_rows", "good_from_64_rows", "flat"]
BINARY = ["good_binary", "ignores_second_order", "ignores_second_sizes", "good_images", "bad_images", "any_order",
          "counts_elements", "mixes_images"]
ROWS = {"ignores_order": [1], "good_from_8_rows": [4, 8], "flat": [1], "shares_buffer": [128]}
IMAGE = ["n", "c", "h", "w"]
KEYS = {"good_images": "D0", "bad_images": "D0", "any_order": '"*"'}
ALIASES = "  type_alias: {T0: [Float]}\n  dim_order_alias: {D0: [0, 2, 3, 1]}\n"
root = pathlib.Path(sys.argv[1])
library = root / "solutions" / "bad"


def entry(name):
    inputs = ["self"] if name in UNARY else ["self", "other"]
    arguments = ", ".join(f"Tensor {one}" for one in inputs)
    meta = "null"
    if name in KEYS:
        meta = "{" + ", ".join(f"{one}: [T0, {KEYS[name]}]" for one in [*inputs, "out"]) + "}"
    kernel = "good" if name == "flat" else name
    return (f"- func: bad::{name}.out({arguments}, *, Tensor(a!) out) -> Tensor(a!)\n"
            + (ALIASES if name in KEYS else "")
            + f"  kernels:\n    - arg_meta: {meta}\n      kernel_name: bad::{kernel}\n")


def definition(name):
    tensor = {"shape": IMAGE if "images" in name else ["rows", "columns"], "dtype": "float32"}
    axes = {"rows": {"type": "var"}, "columns": {"type": "const", "value": 1 if name == "flat" else 6}}
    if "images" in name:
        axes = {axis: {"type": "const", "value": 2 + i} for i, axis in enumerate(IMAGE)} | {"n": {"type": "var"}}
    inputs = ["self"] if name in UNARY else ["self", "other"]
    result = "-self" if name in UNARY else "self - other"
    return {"name": f"neg_{name}", "op_type": "op", "tags": [f"op:bad::{name}.out"], "axes": axes,
            "inputs": {one: tensor for one in inputs}, "outputs": {"out": tensor},
            "reference": f"import torch\n\ndef run({', '.join(inputs)}):\n    return {result}\n"}


def workload(name, rows):
    inputs = ["self"] if name in UNARY else ["self", "other"]
    return {"definition": f"neg_{name}",
            "workload": {"uuid": f"w-{name}-{rows}", "axes": {"n" if "images" in name else "rows": rows},
                         "inputs": {one: {"type": "random"} for one in inputs}},
            "solution": None, "evaluation": None}


for folder in [root / "definitions" / "op", root / "workloads" / "op", library]:
    folder.mkdir(parents=True)
candidate = pathlib.Path(__file__).resolve().parents[2] / "data/kernels_contract.cpp"
(library / "bad.cpp").write_text(candidate.read_text())
for name in UNARY + BINARY:
    (root / "definitions" / "op" / f"neg_{name}.json").write_text(json.dumps(definition(name), indent=2))
    lines = [json.dumps(workload(name, rows)) + "\n" for rows in ROWS.get(name, [4])]
    (root / "workloads" / "op" / f"neg_{name}.jsonl").write_text("".join(lines))
(library / "kernels.yaml").write_text("\n".join(entry(name) for name in UNARY + BINARY))
(library / "kbench.yaml").write_text("""schema: kbench.kernel/1
kernels:
  - {kernel_name: "bad::good_from_8_rows", supports: {where: ["rows >= 8"]}}
  - {kernel_name: "bad::good_from_64_rows", supports: {where: ["rows >= 64"]}}
""")
