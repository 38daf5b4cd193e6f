"""The shapes that the cases of one task of GPU MODE have, as a Definition's axes."""
from lengths import is_constant, relation_for
from running import NotMade

LENGTH = "A length of the task."


class Shapes:
    """A tensor of all cases: lengths[i] are those of its dimension i."""

    def __init__(self, name, dtype, rank):
        self.name, self.dtype, self.lengths = name, dtype, [[] for _ in range(rank)]

    def is_alike(self, other):
        return len(self.lengths) == len(other.lengths) and all(map(begins, other.lengths, self.lengths))


class Axis:
    """`python` is the length in terms of an input: "a.shape[0]", "" where none has it."""

    def __init__(self, name, lengths):
        self.name, self.lengths, self.python = name, lengths, ""


def begins(whole, part):
    return whole[:len(part)] == part


class ShapedTask:
    """Lengths that are equal in all cases are one axis: var where they differ from case to case, called as the argument of
    generate_input() that they are equal to. `cases` are described by inside/gpu_mode.py; `arguments` has one a case.

    definition: axes, inputs, outputs and constraints. lengths: of the var axes, one dict a case. data: Python for the
    argument of ref_kernel(), in terms of the inputs. Raises NotMade where the cases do not fit each other, or the shape of a
    buffer follows from no input.
    """

    def __init__(self, cases, arguments):
        self._cases, self._arguments = cases, arguments
        self._axes, self._in_place = [], []
        self.definition = {"axes": {}, "inputs": {}, "outputs": {}, "constraints": []}
        inputs, buffers, outputs = (self._shapes(part) for part in ("inputs", "buffers", "outputs"))
        for one in cases[0]["inputs"]:
            if "value" in one:
                self.definition["inputs"][one["name"]] = {"shape": None, "dtype": one["dtype"],
                                                          "description": "A number of data."}
        for one in inputs:
            self._add_tensor(one, "inputs", "A tensor of data.")
        for one in buffers:
            self._names_of(one, False)
        for one in outputs:
            self._add_output(one, buffers)
        self.data = self._data(inputs, buffers)
        self.lengths = self._lengths()
        self._drop_unused_constants()

    def _shapes(self, part):
        """The tensors of the first case, with the lengths that they have in all that have them."""
        found = {}
        for case in self._cases:
            for one in case[part]:
                if "value" in one:
                    continue
                if case is self._cases[0]:
                    found[one["name"]] = Shapes(one["name"], one["dtype"], len(one["shape"]))
                shapes = found.get(one["name"])
                if shapes is None or shapes.dtype != one["dtype"] or len(shapes.lengths) != len(one["shape"]):
                    raise NotMade(f"{one['name']} is not of one kind in all its tests")
                for lengths, length in zip(shapes.lengths, one["shape"]):
                    lengths.append(length)
        return list(found.values())

    def _name_for(self, lengths, tensor, i):
        taken = {axis.name for axis in self._axes}
        for name in self._arguments[0].integers:
            values = [one.integers[name] for one in self._arguments if name in one.integers]
            if name != "seed" and values == lengths and name not in taken:
                return name
        name = f"d{lengths[0]}" if is_constant(lengths) else f"{tensor}_{i}"
        while name in taken:
            name += "_"
        return name

    def _axis_for(self, lengths, tensor, i):
        for axis in self._axes:  # outputs are known in some cases alone, the first ones
            if begins(axis.lengths, lengths):
                return axis
        if len(lengths) < len(self._cases) and not is_constant(lengths):
            raise NotMade(f"the length {i} of {tensor} is that of no input")
        lengths = lengths + [lengths[0]] * (len(self._cases) - len(lengths))
        axis = Axis(self._name_for(lengths, tensor, i), lengths)
        self._axes.append(axis)
        kind = {"type": "const", "value": lengths[0]} if is_constant(lengths) else {"type": "var"}
        self.definition["axes"][axis.name] = {**kind, "description": LENGTH}
        return axis

    def _names_of(self, shapes, is_input):
        names = []
        for i, lengths in enumerate(shapes.lengths):
            axis = self._axis_for(lengths, shapes.name, i)
            if is_input and not axis.python:
                axis.python = f"{shapes.name}.shape[{i}]"
            names.append(axis.name)
        return names

    def _add_tensor(self, shapes, part, description):
        self.definition[part][shapes.name] = {"shape": self._names_of(shapes, part == "inputs"), "dtype": shapes.dtype,
                                              "description": description}

    def _add_output(self, shapes, buffers):
        """A result that is like a buffer has its axes."""
        alike = next((one for one in buffers if shapes.is_alike(one)), shapes)
        shapes.lengths = alike.lengths
        if shapes.name in self.definition["inputs"]:
            self._in_place.append(shapes.name)
            shapes.name += "_out"
        self._add_tensor(shapes, "outputs", "What ref_kernel() returns.")

    def _relation(self, lengths):
        return relation_for([(one.name, one.lengths, one.python) for one in self._axes], lengths)

    def _length_in_python(self, lengths, buffer):
        if is_constant(lengths):
            return str(lengths[0])
        relation = self._relation(lengths)
        if relation is None:
            raise NotMade(f"the shape of {buffer} follows from no input's")
        return relation[1]

    def _data(self, inputs, buffers):
        data = self._cases[0]["data"]
        for one in inputs:
            data = data.replace("{" + one.name + "}", one.name + (".clone()" if one.name in self._in_place else ""))
        for one in buffers:
            shape = ", ".join(self._length_in_python(lengths, one.name) for lengths in one.lengths)
            data = data.replace("{" + one.name + "}", f"torch.empty([{shape}], dtype=torch.{one.dtype})")
        return data.replace("{{", "{").replace("}}", "}")

    def _lengths(self):
        """Those of each case, and constraints where one follows from others."""
        varying = [axis for axis in self._axes if not is_constant(axis.lengths)]
        for axis in varying:
            relation = None if axis.python else self._relation(axis.lengths)
            if relation:
                self.definition["constraints"].append(f"{axis.name} == {relation[0]}")
        return [{axis.name: axis.lengths[i] for axis in varying} for i in range(len(self._cases))]

    def _drop_unused_constants(self):
        """Axes of buffers alone are none of the Definition's."""
        used = {name for part in ("inputs", "outputs") for spec in self.definition[part].values()
                for name in spec["shape"] or []}
        axes = self.definition["axes"]
        self.definition["axes"] = {name: axis for name, axis in axes.items() if axis["type"] == "var" or name in used}
