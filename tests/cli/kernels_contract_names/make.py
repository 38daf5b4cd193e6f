"""A library whose kernels differ in namespace and dtypes, and a Definition with a name that is taken."""
import json
import pathlib
import sys

root = pathlib.Path(sys.argv[1])
library = root / "solutions" / "mylib"
for folder in [root / "definitions" / "op", root / "workloads" / "op", library]:
    folder.mkdir(parents=True)
(library / "add.cpp").write_text((pathlib.Path(__file__).parent / "add.cpp").read_text())
(library / "kernels.yaml").write_text("""- func: m::add.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
  type_alias: {F: [Float], H: [Half]}
  dim_order_alias: {D: [0]}
  kernels:
    - {arg_meta: null, kernel_name: any::add_out}
    - {arg_meta: {self: [F, D], other: [F, D], out: [F, D]}, kernel_name: few::add_out}
    - {arg_meta: {self: [H, D], other: [H, D], out: [F, D]}, kernel_name: any::add_hhf}
    - {arg_meta: {self: [H, D], other: [F, D], out: [F, D]}, kernel_name: any::add_hff}
- func: m::sub.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
  kernels: [{arg_meta: null, kernel_name: any::subtract_out}]
""")
(library / "kbench.yaml").write_text("""schema: kbench.kernel/1
kernels: [{kernel_name: "few::add_out", supports: {where: ["n <= 8"]}}]
""")


def definition(name, tags, body):
    tensor = {"shape": ["n"], "dtype": "float32"}
    return {"name": name, "op_type": "op", "tags": tags, "axes": {"n": {"type": "var"}},
            "inputs": {"self": tensor, "other": tensor}, "outputs": {"out": tensor},
            "reference": f"import torch\n\ndef run(self, other):\n    return {body}\n"}


for one in [definition("d_add", ["op:m::add.out", "op:m::sub.out"], "self.float() + other.float()"),
            definition("d_add_float16", [], "self - other")]:
    (root / "definitions" / "op" / f"{one['name']}.json").write_text(json.dumps(one, indent=2))
lines = [{"definition": "d_add", "workload": {"uuid": f"w-{n}", "axes": {"n": n},
                                              "inputs": {one: {"type": "random"} for one in ["self", "other"]}},
          "solution": None, "evaluation": None} for n in [7, 17]]
(root / "workloads" / "op" / "d_add.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
