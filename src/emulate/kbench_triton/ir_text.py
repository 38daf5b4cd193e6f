"""Triton's intermediate representation (TTIR), from the text that its front end prints to operations.

The text has one operation a line, and regions in braces. What is not understood is an error of the operation that
needs it, not of this reader.
"""
import re
from dataclasses import dataclass, field

NAME = re.compile(r"%[\w$.\-]+(?:#\d+)?")
TYPE = re.compile(r"tensor<(?P<shape>(?:\d+x)*)(?P<element>!tt\.ptr<[^<>]*(?:<[^<>]*>)?[^<>]*>|[^<>,]+)[^<>]*>"
                  r"|(?P<scalar>!tt\.ptr<[^<>]*(?:<[^<>]*>)?[^<>]*>|![\w.]+(?:<[^<>]*>)?|\b(?:bf16|f\d\w*|i\d+|index)\b)")


@dataclass(frozen=True)
class Type:
    """A block's shape and element; shape is None of a scalar. The element of pointers is "ptr"."""
    shape: tuple
    element: str
    pointee: str = ""


@dataclass
class Operation:
    name: str
    results: list
    text: str  # text between the name and the types
    types: str  # text after the last colon outside of brackets
    place: str  # alias of its location, or the location itself
    regions: list = field(default_factory=list)

    @property
    def operands(self):
        return NAME.findall(self.text)

    @property
    def operand_types(self):
        return types_of(re.split(r"->| to ", self.types)[0])

    @property
    def result_types(self):
        """Where the text has one type, the result has it too."""
        return types_of(re.split(r"->| to ", self.types)[-1])

    def attribute(self, name, pattern=r"-?\w+"):
        found = re.search(rf"\b{name} = ({pattern})", self.text)
        return found[1] if found else None


@dataclass
class Block:
    label: str
    arguments: list  # (name, Type)
    operations: list = field(default_factory=list)


@dataclass
class Function:
    name: str
    arguments: list
    blocks: list
    place: str


def types_of(text):
    return [type_of(found) for found in TYPE.finditer(text)]


def type_of(found):
    element = found["element"] or found["scalar"]
    shape = tuple(int(n) for n in found["shape"].split("x") if n) if found["element"] else None
    if element.startswith("!tt.ptr<"):
        return Type(shape, "ptr", element[8:-1].split(",")[0].strip())
    return Type(shape, element)


def arguments_of(text):
    """The names and types of `(%a: f32 loc(…), %b: …)`."""
    found = []
    for name in re.finditer(r"(%[\w$.\-]+): ", text):
        found.append((name[1], type_of(TYPE.match(text, name.end()))))
    return found


def split_at_type(text):
    """The text before and after the last " : " that is outside of brackets and quotation marks."""
    depth, at, quoted = 0, None, False
    for i, letter in enumerate(text):
        if letter == '"' and text[i - 1] != "\\":
            quoted = not quoted
        if quoted:
            continue
        if letter in "([{<":
            depth += 1
        elif letter in ")]}" or (letter == ">" and text[i - 1] != "-"):
            depth -= 1
        elif depth == 0 and text.startswith(" : ", i):
            at = i
    return (text, "") if at is None else (text[:at], text[at + 3:])


LOCATION = re.compile(r" loc\((#loc\d*|.*)\)$")


def without_location(line):
    found = LOCATION.search(line)
    return (line[:found.start()], found[1]) if found else (line, "")


class Reader:
    """Reads a module's text."""

    def __init__(self, text):
        lines = [line.strip() for line in text.splitlines()]
        self.places = dict(re.match(r"(#loc\d*) = loc\((.*)\)$", line).groups()
                           for line in lines if re.match(r"#loc\d* = loc", line))
        self.lines, self.at = lines, 0
        self.functions = {}
        for self.at, line in enumerate(lines):
            if line.startswith("tt.func "):
                function = self.read_function()
                self.functions[function.name] = function

    def read_function(self):
        head = self.lines[self.at]
        name = re.search(r"@([\w$.\-\"]+)\(", head)
        self.at += 1
        blocks = []
        place = self.read_region(blocks)
        return Function(name[1], arguments_of(head[name.end():]), blocks, without_location(place)[1])

    def read_region(self, blocks):
        """Fills `blocks`, and returns the line that ends the region: "}" and what follows it."""
        blocks.append(Block("", []))
        while not self.lines[self.at].startswith("}"):
            line = self.lines[self.at]
            self.at += 1
            label = re.match(r"\^(\w+)", line)
            if label:
                blocks.append(Block(label[1], arguments_of(line)))
            elif line:
                blocks[-1].operations.append(self.read_operation(line))
        if not blocks[0].operations and len(blocks) > 1:
            del blocks[0]
        end = self.lines[self.at]
        self.at += 1
        return end

    def read_operation(self, line):
        results, rest = [], line
        assigned = re.match(r"(%[\w$.\-]+)(?::(\d+))? = ", line)
        if assigned:
            many = assigned[2] and int(assigned[2])
            results = [f"{assigned[1]}#{i}" for i in range(many)] if many else [assigned[1]]
            rest = line[assigned.end():]
        name = re.match(r'"?([\w.]+)"?', rest)
        rest = rest[name.end():]
        regions, types = [], ""
        if rest.endswith("{"):
            rest, types, regions, end = self.read_regions(rest)
            _, place = without_location(end)
        else:
            rest, place = without_location(rest)
            rest, types = split_at_type(rest)
        return Operation(name[1], results, rest.strip(), types, place, regions)

    def read_regions(self, head):
        """Of an operation whose line ends with a brace."""
        text, types = split_at_type(head[:-1].rstrip("( "))
        regions = []
        while True:
            blocks = []
            end = self.read_region(blocks)
            regions.append(blocks)
            if not end.endswith("{"):
                break
        after, _ = without_location(end)
        return text, split_at_type(after)[1] or types, regions, end

    def line_of(self, place, is_ours):
        """("main.py", 12) of a place, the innermost one in a file that is_ours(name); (None, 0) without."""
        text, seen = place, 0
        while "#loc" in text and seen < 50:
            text, seen = re.sub(r"#loc\d*", lambda m: self.places.get(m[0], ""), text), seen + 1
        for file, line in re.findall(r'"([^"]*)":(\d+):\d+', text):
            if is_ours(file):
                return file, int(line)
        return None, 0
