"""Makes a C++ solution for the CPU of a CUDA solution: what is no C++ in its sources is rewritten, and
the emulator's files are added. Understands what the shipped solutions write, not all of CUDA."""

import copy
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
FILES = ("emulator.h", "emulator.cpp", "entry.h", "cuda_runtime.h", "cuda_fp16.h", "cuda_bf16.h", "emulated_ptx.h")
# Automatic variables begin as nonsense. Fortified longjmp refuses to change stacks.
FLAGS = ["-O2", "-ftree-vectorize", "-std=c++17", "-I.", "-DKBENCH_EMULATION", "-ftrivial-auto-var-init=pattern",
         "-U_FORTIFY_SOURCE", "-ffp-contract=off"]

DYNAMIC = re.compile(r"extern __shared__ (?:__align__\(\d+\) )?(?P<type>\w+) (?P<name>\w+)\[\];")
STATIC = re.compile(r"__shared__ (?:__align__\((?P<align>\d+)\) )?(?P<type>[\w:]+(?:<[\w, ]+>)?) (?P<name>\w+)"
                    r"(?P<sizes>(?:\[[^\]]*\])*);")


def static_array(match):
    name, alignment = match["name"], match["align"] or f"alignof({match['type']})"
    return (f"typedef {match['type']} {name}_type{match['sizes']}; static char {name}_site; "
            f"auto& {name} = ::emulation::shared_at<{name}_type>(&{name}_site, {alignment});")


def closing(text, start, pair):
    """Where the bracket that opens at `start` is closed."""
    depth = 0
    for i in range(start, len(text)):
        depth += {pair[0]: 1, pair[1]: -1}.get(text[i], 0)
        if depth == 0:
            return i
    raise ValueError(f"no {pair[1]} for {text[start:start + 40]!r}")


def kernel_before(text, end):
    """Where the name of the kernel that ends at `end` begins: a name, or name<arguments>."""
    start = len(text[:end].rstrip())
    if text[start - 1] == ">":
        depth = 0
        while True:
            start -= 1
            depth += {">": 1, "<": -1}.get(text[start], 0)
            if depth == 0:
                break
    while re.match(r"[\w:]", text[start - 1]):
        start -= 1
    return start


def launches(text):
    """kernel<<<config>>>(arguments) becomes emulation::launch(Config(config), kernel, arguments)."""
    while "<<<" in text:
        config = text.index("<<<")
        begin, after = kernel_before(text, config), text.index(">>>", config)
        opened = text.index("(", after)
        closed = closing(text, opened, "()")
        arguments = text[opened + 1:closed].strip()
        call = (f"::emulation::launch(::emulation::Config({text[config + 3:after]}), {text[begin:config]}"
                f"{', ' if arguments else ''}{arguments})")
        text = text[:begin] + call + text[closed + 1:]
    return text


def as_cpp(text):
    text = DYNAMIC.sub(r"auto* \g<name> = static_cast<\g<type>*>(::emulation::dynamic_shared());", text)
    text = STATIC.sub(static_array, text)
    assert "__shared__" not in text, f"a __shared__ that is not understood: {text.split('__shared__')[1][:60]!r}"
    return launches(text)


def compile_for_device(compiler, folder, files, options, library):
    """What the stand-in driver runs, of C++ in the folder; of the options those about macros, headers and tvm-ffi's
    library count. The exit status of the compiler."""
    for name in FILES:
        (folder / name).write_text((HERE / name).read_text())
    macros = [option for option in options if option.startswith(("-D", "-I"))]
    linked = [option for option in options if option.startswith(("-L", "-ltvm_ffi", "-Wl,"))]
    return subprocess.call([compiler, "-shared", "-fPIC", *FLAGS, "-DKBENCH_EMULATION_DEVICE", f"-I{folder}", *macros,
                            *files, folder / "emulator.cpp", "-o", library, *linked])


SCALARS = {"float32": "float", "float64": "double", "int32": "int32_t", "int64": "int64_t", "bool": "bool"}


def length_of(axis, definition):
    """In C++, of the arguments that host() has."""
    if "value" in definition["axes"][axis]:
        return str(definition["axes"][axis]["value"])
    return next(f"{name}.size({spec['shape'].index(axis)})" for name, spec in definition["inputs"].items()
                if axis in (spec["shape"] or []))


def host(solution, definition):
    """What kbench does with a kernel by itself, in C++: the function launch_it."""
    launch = solution["spec"]["launch"]
    tensors = definition["inputs"] | definition["outputs"]
    kernel = solution["spec"]["entry_point"].split("::", 1)[1]
    lines, parameters = [], []
    for axis in definition["axes"]:
        lines.append(f"const int64_t {axis} = {length_of(axis, definition)};")
    for i, name in enumerate(launch.get("arguments", tensors)):
        spec = tensors.get(name)
        kind, value = (("int64_t", name) if spec is None else
                       (SCALARS[spec["dtype"]], f"static_cast<{SCALARS[spec['dtype']]}>({name})")
                       if spec["shape"] is None else ("void*", f"{name}.data<void>()"))
        lines.append(f"{kind} parameter_{i} = {value};")
        parameters.append(f"&parameter_{i}")
    sizes = [", ".join(f"static_cast<unsigned>({str(size).replace('//', '/')})" for size in launch[name])
             for name in ("grid", "block")]
    shared = str(launch.get("shared_bytes", 0)).replace("//", "/")
    lines += [f"void* const parameters[] = {{{', '.join(parameters)}}};",
              f"const dim3 grid({sizes[0]}), block({sizes[1]});",
              f"emulation::EntryOf<&{kernel}>::launch(&grid.x, &block.x, {shared}, nullptr, parameters);",
              "kbench::check_launch();"]
    signature = ", ".join(f"{'double' if spec['shape'] is None else 'kbench::Tensor'} {name}"
                          for name, spec in tensors.items())
    body = "\n  ".join(lines)
    return f"""
#include <algorithm>
#include "kbench_cuda.h"
using std::max, std::min;
void launch_it({signature}) {{
  {body}
}}
KBENCH_EXPORT(launch_it, launch_it)
"""


def emulated(solution, definition):
    """The record of the CUDA solution for this definition as one of language cpp."""
    record = {**copy.deepcopy(solution), "definition": definition["name"]}
    spec = record["spec"]
    spec["language"], spec["target_hardware"] = "cpp", ["cpu"]
    macros = [flag for flag in spec.get("compile_flags") or [] if flag.startswith("-D")]
    spec["compile_flags"] = FLAGS + macros
    spec["link_flags"] = []
    spec["entry_point"] = spec["entry_point"].replace(".cu::", ".cpp::")
    for source in record["sources"]:
        source["path"] = re.sub(r"\.cu$", ".cpp", source["path"])
        if not source["path"].endswith(".h"):
            source["content"] = as_cpp(source["content"])
    if spec.pop("launch", None):
        source = record["sources"][0]
        source["content"] = '#include "cuda_runtime.h"\n' + source["content"] + host(solution, definition)
        spec["entry_point"] = f"{source['path']}::launch_it"
    record["sources"] += [{"path": name, "content": (HERE / name).read_text()} for name in FILES]
    return record
