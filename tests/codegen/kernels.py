"""A kernel yaml for schemas: the default, kernels for certain tensors, both, and kernels that leave something open,
in turn."""

import json
import re

ALIASES = {"T0": ["Float", "Half"], "T1": ["BFloat16", "Long"]}
DIM_ORDERS = {"D0": [[0], [0, 1]], "D1": [[0, 2, 3, 1]]}
ARGUMENT = re.compile(r"Tensor(?:\([^)]*\))?((?:\[\d*\]|\?)*) (\w+)")

DEFAULT, BOTH, SPECIALISED, WILDCARD, OTHER_NAMES = FORMS = range(5)


def arguments_of(schema):
    """The names of its tensors, and of those the ones that may be absent."""
    inside = schema[schema.index("(") + 1:schema.rindex(" -> ")]
    found = ARGUMENT.findall(inside)
    return [name for _, name in found], {name for form, name in found if form.endswith("?")}


def metas(schema, choice, wildcards):
    """arg_meta of each kernel, None for the default. A tensor that is not named may be any."""
    tensors, optional = arguments_of(schema)
    if not tensors or choice == DEFAULT:
        return [None]
    given = {name: ["T0", "D0"] for name in tensors}
    others = {name: ["T1", "D1"] for name in tensors if name not in optional or not wildcards}
    special = [given, others if others else {name: ["T1", "D1"] for name in tensors}]
    if choice == WILDCARD:
        return [*special, {name: ["T0", "*"] for name in tensors}, {name: ["*", "D1"] for name in tensors}, None]
    return special if choice == SPECIALISED else [None, *special]


def entry(schema, number, wildcards):
    choice = number % len(FORMS)
    if choice == WILDCARD and not wildcards:
        choice = BOTH
    names = {OTHER_NAMES: f"op{number}"}.get(choice, f"lib{number % 3}::deep::op{number}")
    rows = metas(schema, choice, wildcards)
    lines = [f"- func: {json.dumps(schema)}"]
    if any(row is not None for row in rows):
        lines += [f"  type_alias: {json.dumps(ALIASES)}", f"  dim_order_alias: {json.dumps(DIM_ORDERS)}"]
    lines.append("  kernels:")
    for i, row in enumerate(rows):
        lines += [f"    - arg_meta: {json.dumps(row)}", f"      kernel_name: {names}_{i if i < 2 else 'more'}"]
    return "\n".join(lines) + "\n"


def kernel_yaml(schemas, wildcards=True):
    return "\n".join(entry(schema, i, wildcards) for i, schema in enumerate(schemas))
