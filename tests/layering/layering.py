"""The rules of includes in src/: problems(source_folder, graph_text) returns a list of messages.

The graph is what CMake wrote from src/CMakeLists.txt: a line "module: module module" for each module and
what it sees directly. A module may include its own headers and those of every module it reaches. A module
may have rooms, "module/room: module/room", which see what it sees, and of its rooms those alone.
"""

import pathlib
import re

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
ADAPTER = re.compile(r"^kbench_torch\w*\.h$")  # what is compiled beside LibTorch
LIBTORCH = re.compile(r"^(torch|ATen|c10|caffe2)/")
OUT_OF_HEADERS = re.compile(r"^(nlohmann/|CLI/|yaml-cpp/|torch/|ATen/|c10/|caffe2/)")


def read_graph(text):
    lines = (line.split(":", 1) for line in text.splitlines() if line.strip())
    return {name.strip(): sees.split() for name, sees in lines}


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
    graph = read_graph(graph_text)
    found = []
    for module, sees in graph.items():
        found += [f"'{module}' sees '{name}', which is no module" for name in sees if name not in graph]
        if module in reachable(graph, module):
            found.append(f"'{module}' sees itself, through {' '.join(sees)}")
    source = pathlib.Path(source)
    for folder in sorted(path for path in source.iterdir() if path.is_dir()):
        if folder.name not in graph:
            found.append(f"src/{folder.name}: no such module in src/CMakeLists.txt")
            continue
        found += stray_rooms(source, folder, graph)
        for file in sorted(folder.rglob("*")):
            if file.suffix in (".cpp", ".hpp", ".h"):
                found += file_problems(source, file, folder.name, graph)
    return found


def stray_rooms(source, folder, graph):
    """Folders with code below a module's that src/CMakeLists.txt does not name."""
    with_code = {str(file.parent.relative_to(source)) for file in folder.rglob("*.?pp")}
    return [f"src/{name}: no such room in src/CMakeLists.txt" for name in sorted(with_code)
            if name not in graph]


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
    ours = bracket == '"' and (source / name).is_file()  # src/torch is ours, <torch/...> is LibTorch
    is_libtorch = not ours and LIBTORCH.match(name)
    if is_libtorch and module not in ("torch", "python"):
        return f"'{module}' includes LibTorch ({name}); only 'torch' and its plugin 'python' may"
    # Within the two, headers speak of LibTorch's values: nobody else sees them.
    if not ours and not is_libtorch and OUT_OF_HEADERS.match(name) and file.suffix != ".cpp":
        return f"{name} in a header; include it in a .cpp file"
    if bracket == "<":
        return None
    if not ours:
        return f'"{name}" is no file under src/; write includes from the src/ root, others in <>'
    other = name.split("/")[0]
    allowed = {module} | reachable(graph, module)
    if other not in allowed:
        return f"'{module}' may not include '{other}'"
    if other == module and room_problem(graph, file.relative_to(source), name):
        return room_problem(graph, file.relative_to(source), name)
    return None if name.endswith((".hpp", ".h")) else f'"{name}" is no header'
