"""Judges a kernel's text in a process of its own, which the package's emulation may end."""
import importlib.util
import os
import pathlib
import tempfile

import torch

MARK = "\nthe verdict: "


def judge(text, inputs, reference, seeds=(0, 1, 2)):
    """PASSED, WRONG, UNWRITTEN or ERROR with what is wrong, or the line of the fault."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.dup2(writer, 2)
        os.dup2(writer, 1)
        try:
            said = verdict(text, inputs, reference, seeds)
        except Exception as error:
            said = f"ERROR {type(error).__name__}: {error}"
        os.write(writer, f"{MARK}{said}".encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, errors="replace") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    faults = [line.removeprefix("kbench-emulation: ") for line in said.splitlines()
              if line.startswith("kbench-emulation: ") and " NOTE " not in line]
    return faults[0] if faults else said.partition(MARK)[2] or f"DIED {said}"


def verdict(text, inputs, reference, seeds):
    from kbench_triton import launch, posing
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "main.py")
        pathlib.Path(path).write_text(text)
        emulation = launch.Emulation(folder)
        launch.install(emulation)
        host = posing.Host(emulation, [f"input {i}" for i in range(len(inputs))])
        spec = importlib.util.spec_from_file_location("main", path)
        module = importlib.util.module_from_spec(spec)
        with host.loading():
            spec.loader.exec_module(module)
        right = tuple_of(reference(*[x.double() if x.is_floating_point() else x for x in inputs]))
        for seed in seeds:
            host.begin(seed)
            said = compare(tuple_of(host.calling(module.run)(*inputs)), right)
            if said != "PASSED":
                return said
    return "PASSED"


def tuple_of(value):
    return value if isinstance(value, tuple) else (value,)


def compare(found, right):
    for output, answer in zip(found, right, strict=True):
        if output.shape != answer.shape:
            return f"WRONG shape {tuple(output.shape)}"
        values, scale = output.double(), answer.abs().max()
        if output.dtype.is_floating_point and (output.view(torch.uint8) == 0xFF).reshape(*output.shape, -1).all(-1).any():
            return "UNWRITTEN elements"
        unit = torch.finfo(output.dtype).eps if output.dtype.is_floating_point else 0
        if output.dtype.itemsize > 1:
            allowed = unit * answer.abs() + 2e-5 * scale
            narrow = unit > 1e-4
            allowed = allowed + (unit * scale * 0.5 if narrow else 0)
        else:
            allowed = 0 * answer
        wrong = ~((values - answer).abs() <= allowed)
        if wrong.any():
            at = int(wrong.flatten().nonzero()[0])
            return (f"WRONG {int(wrong.sum())} elements, the first has {values.flatten()[at]:.6g} "
                    f"for {answer.flatten()[at]:.6g}")
    return "PASSED"

