"""Kernel yaml of which ExecuTorch's codegen makes the right keys: arguments in the order of the schema, two
dimensions at least, one dim order an alias, and no dtypes but its eight."""

import json

EIGHT = ["Byte", "Char", "Short", "Int", "Long", "Float", "Double", "Bool"]
ADD = "add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)"
CAT = "cat.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)"
SPLIT = "split.out(Tensor x, *, Tensor(a!) low, Tensor(b!) high) -> (Tensor(a!), Tensor(b!))"


def entry(schema, kernels, types=None, orders=None):
    """kernels: (arg_meta or None, kernel_name)."""
    lines = [f"- func: {json.dumps(schema)}"]
    if types:
        lines += [f"  type_alias: {json.dumps(types)}", f"  dim_order_alias: {json.dumps(orders)}"]
    lines.append("  kernels:")
    lines += [f"    - {{arg_meta: {json.dumps(meta)}, kernel_name: {json.dumps(name)}}}" for meta, name in kernels]
    return "\n".join(lines) + "\n"


def meta(**arguments):
    return {name: words.split() for name, words in arguments.items()}


FILES = {
    "default": entry(ADD, [(None, "torch::executor::add_out")]),
    "namespaces": entry(ADD, [(None, "a::b::c::add_out")]) + entry(CAT, [(None, "cat_out")]),
    "specialised": entry(ADD, [(meta(self="T0 D0", other="T0 D0", out="T0 D0"), "a::f")], {"T0": ["Double"]},
                         {"D0": [0, 1, 2, 3]}),
    "nine_keys": entry(ADD, [(None, "a::f"), (meta(self="T0 D0", other="T1 D0", out="T0 D0"), "a::g"),
                             (meta(self="T1 D0", other="T1 D1", out="T0 D1"), "a::h")],
                       {"T0": ["Float", "Double"], "T1": ["Byte", "Int"]},
                       {"D0": [0, 1, 2, 3], "D1": [0, 3, 2, 1]}),
    "every_dtype": entry(ADD, [(meta(self="T0 D0", other="T1 D0", out="T0 D0"), "a::f")],
                         {"T0": EIGHT, "T1": EIGHT}, {"D0": [0, 1]}),
    "orders": entry(ADD, [(meta(self="T0 D0", other="T0 D1", out="T0 D2"), "a::f")], {"T0": ["Float"]},
                    {"D0": [0, 1, 2], "D1": [2, 1, 0], "D2": ["1", "0", "2"]}),
    "several_outs": entry(SPLIT, [(meta(x="T0 D0", low="T0 D0", high="T1 D1"), "a::f"), (None, "a::g")],
                          {"T0": ["Float", "Long"], "T1": ["Int"]}, {"D0": [0, 1], "D1": [1, 0]}),
    "lists": entry(CAT, [(meta(tensors="T0 D0", out="T0 D0"), "a::f")], {"T0": ["Float", "Bool"]}, {"D0": [1, 0]}),
    "unused_aliases": entry(ADD, [(None, "a::f")], {"T0": ["Float"], "T1": ["Int"]}, {"D0": [0, 1]}),
}

LIBRARY = entry(ADD, [(None, "a::add"), (meta(self="T0 D0", other="T0 D0", out="T0 D0"), "a::add_special")],
                {"T0": ["Float", "Int", "Half"]}, {"D0": [0, 1]}) + entry(CAT, [(None, "a::cat")]) + \
    entry("my::only.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)", [(meta(x="T0 D0", out="T0 D0"), "a::only")],
          {"T0": ["Float", "Double"]}, {"D0": [0, 1]})

FLOAT = "v1/6;0,1|6;0,1|6;0,1"
SELECTIONS = {
    "ops": ["--ops", "add.out,cat.out"],
    "key": ["--ops-dict", json.dumps({"aten::add.out": [FLOAT, FLOAT.replace("6;", "3;")], "aten::cat.out": []})],
    "key_and_default": ["--ops-dict", json.dumps({"aten::add.out": [FLOAT, "v1/11;0,1|11;0,1|11;0,1"]})],
    "without_default": ["--ops-dict", json.dumps({"my::only.out": ["v1/7;0,1|7;0,1"]})],
    "all": ["--all"],
}
