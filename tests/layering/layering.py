"""The rules of includes in src/: problems(source_folder, graph_text) returns a list of messages.

The graph is what CMake wrote from src/CMakeLists.txt: a line "module: module module" for each module and
what it sees directly. A module may include its own headers and those of every module it reaches.
"""

import pathlib
import re

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
FREE_STANDING = "candidate"  # headers shipped to candidates: not a module, and they include each other alone
ADAPTER = re.compile(r"^kbench_torch\w*\.h$")  # of those, what is compiled beside LibTorch
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
        if folder.name not in graph and folder.name != FREE_STANDING:
            found.append(f"src/{folder.name}: no such module in src/CMakeLists.txt")
            continue
        for file in sorted(folder.rglob("*")):
            if file.suffix in (".cpp", ".hpp", ".h"):
                found += file_problems(source, file, folder.name, graph)
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
    is_adapter = module == FREE_STANDING and ADAPTER.match(file.name)
    if is_libtorch and module not in ("torch", "python") and not is_adapter:
        return f"'{module}' includes LibTorch ({name}); only 'torch' and its plugin 'python' may"
    # Within the two, headers speak of LibTorch's values: nobody else sees them.
    if not ours and not is_libtorch and OUT_OF_HEADERS.match(name) and file.suffix != ".cpp":
        return f"{name} in a header; include it in a .cpp file"
    if bracket == "<" or (module == FREE_STANDING and (file.parent / name).is_file()):
        return None
    if not ours:
        return f'"{name}" is no file under src/; write includes from the src/ root, others in <>'
    other = name.split("/")[0]
    allowed = {module} | (reachable(graph, module) if module in graph else set())
    if other not in allowed:
        return f"'{module}' may not include '{other}'"
    return None if name.endswith((".hpp", ".h")) else f'"{name}" is no header'
