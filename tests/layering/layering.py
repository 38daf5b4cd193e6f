"""The rules of includes in src/: problems(source_folder, graph_text) returns a list of messages.

The graph is what CMake wrote from src/CMakeLists.txt: a line "folder: module module" for each module and
what it sees directly. A module may include its own headers and those of every module it reaches. A module
may have rooms, in an indented line "folder/room: folder/room", which see what it sees, and of its rooms those alone.
"""

import pathlib
import re

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
ADAPTER = re.compile(r"^kbench_torch\w*\.h$")  # what is compiled beside LibTorch
LIBTORCH = re.compile(r"^(torch|ATen|c10|caffe2)/")
OUT_OF_HEADERS = re.compile(r"^(nlohmann/|CLI/|yaml-cpp/|torch/|ATen/|c10/|caffe2/)")


class Graph(dict):
    """{folder of a module or room: folders that it sees}"""

    def __init__(self, text):
        lines = [line.split(":", 1) for line in text.splitlines() if line.strip()]
        self.modules = {name for name, _ in lines if not name.startswith(" ")}
        folders = {module.split("/")[-1]: module for module in self.modules}
        super().__init__({name.strip(): [folders.get(one, one) for one in sees.split()] for name, sees in lines})

    def module_of(self, path):
        """The module in whose folder a file lies, or None."""
        folders = map(str, pathlib.PurePath(path).parents)
        return next((folder for folder in folders if folder in self.modules), None)


def reachable(graph, module):
    """Every module that `module` sees, and the modules on a way from it back to itself, if any."""
    seen, todo = set(), list(graph[module])
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += graph.get(name, [])
    return seen


def problems(source, graph_text):
    graph = Graph(graph_text)
    found = []
    for module, sees in graph.items():
        found += [f"'{module}' sees '{name}', which is no module" for name in sees if name not in graph]
        if module in reachable(graph, module):
            found.append(f"'{module}' sees itself, through {' '.join(sees)}")
    source = pathlib.Path(source)
    files = [path for path in sorted(source.rglob("*")) if path.suffix in (".cpp", ".hpp", ".h")]
    for folder in sorted({str(file.parent.relative_to(source)) for file in files} - {"."} - set(graph)):
        found.append(f"src/{folder}: no such module or room in src/CMakeLists.txt")
    for file in files:
        module = graph.module_of(file.relative_to(source))
        if module:
            found += file_problems(source, file, module, graph)
    return found


def room_problem(graph, file, name):
    """What is wrong with a header of another room of the same module, or None. Both are below src/."""
    room, other = str(pathlib.PurePath(file).parent), str(pathlib.PurePath(name).parent)
    if "/" not in room or room == other or other in reachable(graph, room):
        return None
    return f"'{room}' may not include '{other}'"


def shipped_problems(folder):
    """The headers that candidates include: they include each other alone, and LibTorch's in its adapters."""
    found = []
    folder = pathlib.Path(folder)
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        text = file.read_text()
        for match in INCLUDE.finditer(text):
            place = f"include/kbench/{file.relative_to(folder)}:{text.count(chr(10), 0, match.start()) + 1}"
            bracket, name = match.groups()
            if bracket == '"' and not (folder / name).is_file():
                found.append(f'{place}: "{name}" is not beside it')
            is_adapter = ADAPTER.match(file.name) or "torch" in file.relative_to(folder).parts
            if LIBTORCH.match(name) and not is_adapter:
                found.append(f"{place}: <{name}> is LibTorch's; only kbench_torch*.h may include it")
    return found


def own_header_problem(source, file, text):
    """A source includes the header of its name first: so that header is compiled by itself."""
    header = file.with_suffix(".hpp")
    if file.suffix != ".cpp" or not header.exists():
        return None
    own = str(header.relative_to(source))
    first = INCLUDE.search(text)
    if first and first[2] == own:
        return None
    line = text.count("\n", 0, first.start()) + 1 if first else 1
    return f'{file.relative_to(source.parent)}:{line}: "{own}" is not its first include'


def file_problems(source, file, module, graph):
    text = file.read_text()
    own_header = own_header_problem(source, file, text)
    if own_header:
        yield own_header
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        message = include_problem(source, file, module, graph, match[1], match[2])
        if message:
            yield f"{file.relative_to(source.parent)}:{line}: {message}"


def include_problem(source, file, module, graph, bracket, name):
    """What is wrong with #include <name> or "name" in `file`, or None."""
    ours = bracket == '"' and (source / name).is_file()
    is_libtorch = not ours and LIBTORCH.match(name)
    if is_libtorch and module != "reference/torch":
        return f"'{module}' includes LibTorch ({name}); only 'reference/torch' may"
    # Within it, headers speak of LibTorch's values: nobody else sees them.
    if not ours and not is_libtorch and OUT_OF_HEADERS.match(name) and file.suffix != ".cpp":
        return f"{name} in a header; include it in a .cpp file"
    if bracket == "<":
        return None
    if not ours:
        return f'"{name}" is no file under src/; write includes from the src/ root, others in <>'
    other = graph.module_of(name)
    allowed = {module} | reachable(graph, module)
    if other not in allowed:
        return f"'{module}' may not include '{other}'"
    if other == module and room_problem(graph, file.relative_to(source), name):
        return room_problem(graph, file.relative_to(source), name)
    return None if name.endswith((".hpp", ".h")) else f'"{name}" is no header'
