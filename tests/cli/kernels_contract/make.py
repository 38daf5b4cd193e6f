"""A kernel library of one operator a kernel, and a Definition of each."""
import json
import pathlib
import sys

KERNELS = ["good", "zeros", "past_end", "changes_input", "remembers", "ignores_order", "ignores_type", "aborts",
           "throws", "never_resizes", "returns_other", "refuses_none", "serves_none", "shares_state"]
root = pathlib.Path(sys.argv[1])
library = root / "solutions" / "bad"
for folder in [root / "definitions" / "op", root / "workloads" / "op", library]:
    folder.mkdir(parents=True)
(library / "bad.cpp").write_text((pathlib.Path(__file__).parent / "bad.cpp").read_text())
entries = []
for name in KERNELS:
    entries.append(f"- func: bad::{name}.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n"
                   f"  kernels:\n    - arg_meta: null\n      kernel_name: bad::{name}\n")
    definition = {"name": f"neg_{name}", "op_type": "op", "tags": [f"op:bad::{name}.out"],
                  "axes": {"rows": {"type": "var"}, "columns": {"type": "const", "value": 6}},
                  "inputs": {"self": {"shape": ["rows", "columns"], "dtype": "float32"}},
                  "outputs": {"out": {"shape": ["rows", "columns"], "dtype": "float32"}},
                  "reference": "import torch\n\ndef run(self):\n    return -self\n"}
    workload = {"definition": f"neg_{name}",
                "workload": {"uuid": f"w-{name}", "axes": {"rows": 4}, "inputs": {"self": {"type": "random"}}},
                "solution": None, "evaluation": None}
    (root / "definitions" / "op" / f"neg_{name}.json").write_text(json.dumps(definition, indent=2))
    (root / "workloads" / "op" / f"neg_{name}.jsonl").write_text(json.dumps(workload) + "\n")
(library / "kernels.yaml").write_text("\n".join(entries))
