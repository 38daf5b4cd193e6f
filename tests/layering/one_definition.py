"""A type has one definition in a namespace: problems(source_folder) returns a list of messages.

Two of one name, each in its own header, make a program that neither compiler nor linker complains about and that
crashes where one's functions are given the other's values. C++20, [basic.def.odr].
"""

import pathlib
import re

OPENS = re.compile(r"^(?:inline )?namespace(?: ([\w:]+))? \{$")
CLOSES = re.compile(r"^\}  // namespace")
TYPE = re.compile(r"^(?:struct|class|union|enum(?: class)?) (?:\[\[\w+\]\] )?(\w+)(?: final)?(?: : [^;]+| :)? ?\{")


def types_in(text):
    """(qualified name, line) of each type that other files could name; clang-format indents the others."""
    spaces = []
    for number, line in enumerate(text.splitlines(), 1):
        opened = OPENS.match(line)
        found = TYPE.match(line)
        if opened:
            spaces.append(opened[1])
        elif CLOSES.match(line) and spaces:
            spaces.pop()
        elif found and None not in spaces:
            yield "::".join([*spaces, found[1]]), number


def problems(source):
    source = pathlib.Path(source)
    seen, found = {}, []
    for file in sorted(source.rglob("*")):
        name = file.relative_to(source)
        if file.suffix not in (".cpp", ".hpp"):
            continue
        for type_name, line in types_in(file.read_text()):
            place = f"src/{name}:{line}"
            first = seen.setdefault(type_name, place)
            if first != place:
                found.append(f"{place}: {type_name} is defined in {first}, too")
    return found
