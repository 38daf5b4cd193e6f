"""Makes C++ for the emulator of CUDA's sources, where tests/cuda/fake stands in for NVIDIA's driver: understands what
the shipped solutions write, not all of CUDA. kbench run --emulate has another translator (src/emulate), for programs
that no stand-in of a driver runs."""

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
    macros = [option for option in options if option.startswith(("-D", "-I", "-isystem", "-std="))]
    linked = [option for option in options if option.startswith(("-L", "-ltvm_ffi", "-Wl,"))]
    return subprocess.call([compiler, "-shared", "-fPIC", *FLAGS, "-DKBENCH_EMULATION_DEVICE", f"-I{folder}", *macros,
                            *files, folder / "emulator.cpp", "-o", library, *linked])
