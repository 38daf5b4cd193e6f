"""A kernel's TTIR as a Python function over numpy arrays, which computes one program of the grid.

Blocks are arrays, scalars are numpy's; pointers are addresses (memory.py), floats narrower than float32 are float32
values (numbers.py). The functions that the text calls are those of operations.py and of the memory.
"""
import re

import numpy as np

from .elements import NotEmulated
from .expressions import EXPRESSIONS, constant
from .ir_text import NAME, arguments_of


class Translation:
    """`text` defines one function for each of the module's; `places` are the locations that it names by number."""

    def __init__(self, reader):
        self.reader, self.lines, self.constants, self.places = reader, [], {}, []
        self.names, self.depth = {}, 0
        self.synchronises = self.waits = False
        for function in reader.functions.values():
            self.function(function)

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    # Parts of lines

    def line(self, text):
        self.lines.append("    " * self.depth + text)

    def identifier(self, name):
        return self.names.setdefault(name, f"v{len(self.names)}")

    def identifiers(self, names):
        return ", ".join(self.identifier(name) for name in names)

    def assign(self, names, values):
        """Values are identifiers, one for each of the names."""
        if names:
            self.line(f"{self.identifiers(names)} = {', '.join(values)}")

    def kept(self, value):
        name = f"c{len(self.constants)}"
        self.constants[name] = value
        return name

    def place(self, operation):
        self.places.append(operation.place)
        return len(self.places) - 1

    def refuse(self, operation, what=""):
        raise NotEmulated(what or operation.name, operation.place)

    # Structure

    def function(self, function):
        self.depth = 0
        arguments = self.identifiers(name for name, _ in function.arguments)
        self.line(f"def {python_name(function.name)}(pid, grid, {arguments}):")
        self.depth = 1
        if len(function.blocks) == 1:
            self.operations(function.blocks[0].operations, None)
        else:
            self.graph(function.blocks)

    def graph(self, blocks):
        """Blocks that jump to one another."""
        self.labels = {block.label: (i, block) for i, block in enumerate(blocks)}
        self.line("block = 0")
        self.line("while True:")
        for i, block in enumerate(blocks):
            self.depth = 2
            self.line(f"if block == {i}:")
            self.depth = 3
            self.operations(block.operations, None)
        self.depth = 1

    def jump(self, target):
        label, _, values = target.partition("(")
        i, block = self.labels[label.strip().lstrip("^")]
        self.assign([name for name, _ in block.arguments], [self.identifier(v) for v in NAME.findall(values)])
        self.line(f"block = {i}")

    def operations(self, operations, targets):
        """`targets`: the names that scf.yield gives values to."""
        start = len(self.lines)
        for operation in operations:
            self.operation(operation, targets)
        if len(self.lines) == start:
            self.line("pass")

    def nested(self, blocks, targets):
        self.depth += 1
        if len(blocks) > 1:
            raise NotEmulated("jumps inside a region", "")
        self.operations(blocks[0].operations if blocks else [], targets)
        self.depth -= 1

    def operation(self, operation, targets):
        method = STRUCTURE.get(operation.name)
        if method:
            method(self, operation, targets)
            return
        make = EXPRESSIONS.get(operation.name)
        if make is None:
            self.refuse(operation)
        text = make(self, operation, [self.identifier(name) for name in operation.operands])
        results = self.identifiers(operation.results)
        self.line(f"{results} = {text}" if results else text)

    def constant(self, operation, _):
        value = constant(operation)
        self.constants[self.identifier(operation.results[0])] = value
        self.names[operation.results[0]] = self.kept(value)

    def yielded(self, operation, targets):
        self.assign(targets, [self.identifier(name) for name in operation.operands])

    def conditional(self, operation, _):
        self.line(f"if {self.identifier(operation.operands[0])}:")
        self.nested(operation.regions[0], operation.results)
        if len(operation.regions) > 1:
            self.line("else:")
            self.nested(operation.regions[1], operation.results)

    def loop(self, operation, _):
        index, first, last, step = NAME.findall(operation.text)[:4]
        passed = re.search(r"iter_args\((.*?)\)", operation.text)
        pairs = re.findall(rf"({NAME.pattern}) = ({NAME.pattern})", passed[1]) if passed else []
        carried = [name for name, _ in pairs]
        self.assign(carried, [self.identifier(value) for _, value in pairs])
        kind = "int64" if "i64" in operation.types else "int32"
        unsigned = "unsigned " in operation.text
        self.line(f"for {self.identifier(index)} in steps({self.identifiers([first, last, step])}, {kind}, {unsigned}):")
        self.nested(operation.regions[0], carried)
        self.assign(operation.results, [self.identifier(name) for name in carried])

    def while_loop(self, operation, _):
        before, after = operation.regions
        passed = re.match(r"\((.*?)\)", operation.text)
        pairs = re.findall(rf"({NAME.pattern}) = ({NAME.pattern})", passed[1]) if passed else []
        carried = [name for name, _ in pairs]
        inner = [name for name, _ in after[0].arguments]
        waits = any(looks_again(inside) for inside in walk(operation.regions))
        self.waits |= waits
        self.assign(carried, [self.identifier(value) for _, value in pairs])
        self.line(f"for _ in {'tries' if waits else 'forever'}():")
        self.depth += 1
        *work, condition = before[0].operations
        self.operations(work, None)
        first, *values = [self.identifier(name) for name in condition.operands]
        self.assign(operation.results, values)
        self.line(f"if not {first}: break")
        self.assign(inner, values)
        self.depth -= 1
        self.nested(after, carried)

    def combination(self, operation, _):
        """A reduction or a scan, with a region that combines two elements."""
        block = operation.regions[0][0]
        name = f"combine{len(self.lines)}"
        self.line(f"def {name}({self.identifiers(argument for argument, _ in block.arguments)}):")
        self.nested(operation.regions[0], None)
        values = self.identifiers(operation.operands)
        reverse = operation.attribute("reverse") == "true"
        call = "reduce" if operation.name == "tt.reduce" else "scan"
        axis = operation.attribute("axis")
        self.line(f"{self.identifiers(operation.results)}, = {call}({name}, {axis}, ({values},), {reverse})")

    def end_of_combination(self, operation, _):
        self.line(f"return ({self.identifiers(operation.operands)},)")

    def returned(self, operation, _):
        values = self.identifiers(operation.operands)
        self.line(f"return {values}")

    def called(self, operation, _):
        name = re.match(r"\s*@([\w$.\-\"]+)", operation.text)[1]
        results = self.identifiers(operation.results)
        self.line(f"{results + ' = ' if results else ''}{python_name(name)}(pid, grid, "
                  f"{self.identifiers(operation.operands)})")

    def branch(self, operation, _):
        self.jump(operation.text)
        self.line("continue")

    def conditional_branch(self, operation, _):
        condition = NAME.match(operation.text)
        first, second = re.split(r", (?=\^)", operation.text[condition.end():].lstrip(", "))
        self.line(f"if {self.identifier(condition[0])}:")
        self.depth += 1
        self.jump(first)
        self.line("continue")
        self.depth -= 1
        self.jump(second)
        self.line("continue")

    def ignored(self, operation, _):
        """It says something to the compiler."""


STRUCTURE = {
    "arith.constant": Translation.constant, "scf.yield": Translation.yielded, "scf.if": Translation.conditional,
    "scf.for": Translation.loop, "scf.while": Translation.while_loop, "tt.reduce": Translation.combination,
    "tt.scan": Translation.combination, "tt.reduce.return": Translation.end_of_combination,
    "tt.scan.return": Translation.end_of_combination, "tt.return": Translation.returned, "tt.call": Translation.called,
    "cf.br": Translation.branch, "cf.cond_br": Translation.conditional_branch, "llvm.intr.assume": Translation.ignored,
    "gpu.barrier": Translation.ignored, "ttg.barrier": Translation.ignored,
}


def python_name(name):
    return "f_" + re.sub(r"\W", "_", name)


def looks_again(operation):
    """In a loop it may wait for what another program writes."""
    return operation.name.startswith("tt.atomic") or operation.attribute("isVolatile") == "true"


def walk(regions):
    for blocks in regions:
        for block in blocks:
            for operation in block.operations:
                yield operation
                yield from walk(operation.regions)
