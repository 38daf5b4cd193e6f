"""A task of GPU MODE: what generate_input() makes and ref_kernel() returns.

A leaf is a tensor or number of `data`; its name is that by which ref_kernel() unpacks it. A buffer is a tensor of data that
ref_kernel() does not read.
"""
import ast
import re


def describe(module):
    leaves = {}
    template = Taker(leaves, unpacked_names(SETTINGS["reference"])).take(
        module.generate_input(**SETTINGS["arguments"]), "data")
    buffers, outputs = SETTINGS["buffers"], []
    if SETTINGS.get("wanted") == "buffers":
        buffers = unread(module, leaves, template)
    if SETTINGS.get("wanted") == "outputs":
        names, values = answer(module, leaves, template)
        outputs = [{"name": name, **said_of(value)} for name, value in zip(names, values)]
    found = {name: ("", value) for name, value in leaves.items() if name not in buffers}
    return {"buffers": [{"name": name, **said_of(leaves[name])} for name in buffers], "outputs": outputs,
            "data": template}, found


def unpacked_names(text):
    """The names that ref_kernel() gives to the parts of its argument; none where it does not unpack it."""
    for function in ast.parse(text).body:
        if isinstance(function, ast.FunctionDef) and function.name == "ref_kernel" and function.args.args:
            data = function.args.args[0].arg
            for node in ast.walk(function):
                if (isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id == data
                        and isinstance(node.targets[0], ast.Tuple)):
                    return [one.id if isinstance(one, ast.Name) else "" for one in node.targets[0].elts]
    return []


class Taker:
    """Fills `leaves`; take() returns Python that puts them together again, as a template of str.format()."""

    def __init__(self, leaves, names):
        self.leaves, self.names = leaves, names

    def take(self, value, name):
        if torch.is_tensor(value) or isinstance(value, (bool, int, float)):
            name = self.free(name)
            self.leaves[name] = value
            return "{" + name + "}" if torch.is_tensor(value) else name
        if isinstance(value, (tuple, list)):
            names = self.names if not self.leaves and len(self.names) == len(value) else [""] * len(value)
            parts = ", ".join(self.take(one, names[i] or f"{name}_{i}") for i, one in enumerate(value))
            return f"({parts},)" if isinstance(value, tuple) else f"[{parts}]"
        if isinstance(value, dict):
            return "{{" + ", ".join(f"{key!r}: {self.take(one, key)}" for key, one in value.items()) + "}}"
        if value is None or isinstance(value, (str, torch.dtype)):
            return repr(value).replace("{", "{{").replace("}", "}}")
        raise TypeError(f"its data holds a {type(value).__name__}, which cannot be an input")

    def free(self, name):
        name = re.sub(r"\W", "_", str(name)).strip("_") or "input"
        name = "_" + name if name[0].isdigit() else name
        while name in self.leaves or name in ("run", "torch"):
            name += "_"
        return name


def answer(module, leaves, template, changed=None):
    """The names and values of what ref_kernel() returns, for other values of the leaf `changed`."""
    values = {name: value.clone() if torch.is_tensor(value) else value for name, value in leaves.items()}
    if changed is not None:
        values[changed] = other_values(values[changed])
    data = eval(template.format(**{name: name for name in leaves}), {"torch": torch}, values)
    outputs = module.ref_kernel(data)
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    for one in outputs:
        if not torch.is_tensor(one):
            raise TypeError(f"ref_kernel() returns a {type(one).__name__}")
    names = []
    for i, one in enumerate(outputs):
        own = [name for name, value in values.items() if value is one]
        names.append(own[0] if own else "output" if len(outputs) == 1 else f"output_{i}")
    return names, [one.clone() for one in outputs]


def other_values(value):
    if value.is_floating_point():
        return (torch.rand(value.shape) + 0.1).to(value.dtype)
    other = torch.zeros_like(value)
    return other if bool((value != 0).any()) else torch.ones_like(value)


def unread(module, leaves, template):
    """Tensors that make no difference. One that cannot be changed, or fails then, does."""
    wanted, names = answer(module, leaves, template)[1], []
    for name, value in leaves.items():
        try:
            is_same = torch.is_tensor(value) and all(
                one.shape == other.shape and torch.equal(one.float().nan_to_num(), other.float().nan_to_num())
                for one, other in zip(wanted, answer(module, leaves, template, name)[1]))
        except Exception:
            is_same = False
        if is_same:
            names.append(name)
    return names
