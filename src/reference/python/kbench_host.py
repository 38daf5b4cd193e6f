"""kbench-torch --python: the process of an environment's own interpreter that references and candidates are forked from.

kbench-torch starts it as `python3 -I -B kbench_host.py LIBRARY TORCH [WORD…]`: its library for the torch package in the
folder TORCH, and the words that it was called with itself. With `--cuda` among them torch has CUDA's libraries and
computes on a GPU. The library has no interface of Python's: it is called by ctypes, finds functions of the stable ABI in
the interpreter, and goes on as in kbench-torch.
"""
import ctypes
import importlib.util
import os
import signal
import sys

OLDEST = (3, 10)


def enter(library, torch_folder, *words):
    # Signals end it, as any program that is no interpreter.
    for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    if sys.version_info < OLDEST:
        raise ImportError(f"it is Python {sys.version.split()[0]}, and 3.10 is the oldest that kbench runs")
    stand_ins = "" if "--cuda" in words else os.path.join(os.path.dirname(library), "without-cuda")
    load_torch(library, torch_folder, stand_ins)
    glue = load_glue()
    glue.stand_ins = stand_ins
    sys.argv[:] = [""]
    names = [b"kbench-torch", *(os.fsencode(word) for word in words if word != "--cuda")]
    # PyDLL keeps the interpreter's lock held during the call.
    main = ctypes.PyDLL(library).kbench_torch_main
    os._exit(main(len(names), (ctypes.c_char_p * len(names))(*names), ctypes.py_object(glue)))


def load_torch(library, torch_folder, stand_ins):
    """On a GPU where there are no stand-ins."""
    if stand_ins:
        load_stand_ins(stand_ins)
    if importlib.util.find_spec("torch") is None:
        sys.path.append(os.path.dirname(torch_folder))
    import torch

    wanted = os.path.basename(os.path.dirname(library)).removeprefix("torch-")
    if ".".join(torch.__version__.split(".")[:2]) != wanted:
        raise ImportError(f"its torch is {torch.__version__}, and LibTorch is {wanted}: {torch_folder}")
    # Extension modules of solutions, and kbench-torch's library, are linked to none of torch's libraries.
    ctypes.CDLL(os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_python.so"), ctypes.RTLD_GLOBAL)

    if not stand_ins and (why := cuda_problem(torch)):
        raise ImportError(f"its torch {torch.__version__} does not work on the GPU: {why}")


def cuda_problem(torch):
    """Why nothing can be computed there, "" where it can. In a fork: what is to be forked may not begin with CUDA."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            (torch.ones(1, device="cuda") + 1).item()
        except Exception as error:
            os.write(writer, f"{type(error).__name__}: {error}"[:1000].encode())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as said:
        why = said.read().decode("utf-8", "replace")
    _, status = os.waitpid(child, 0)
    return why or (f"its process ended with status {status}" if status else "")


def load_stand_ins(folder):
    """Torch is linked to all of CUDA's libraries and needs none of them on a CPU: libraries without content take their
    places, so that gigabytes need be neither installed nor loaded. They have no functions, so none may be looked for
    before it is called."""
    if not os.path.isdir(folder):
        return
    for name in os.listdir(folder):
        ctypes.CDLL(os.path.join(folder, name), ctypes.RTLD_GLOBAL)
    sys.setdlopenflags(os.RTLD_LAZY)


def load_glue():
    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kbench_glue.py")
    spec = importlib.util.spec_from_file_location("kbench_glue", place)
    glue = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(glue)
    return glue


if __name__ == "__main__":
    try:
        enter(*sys.argv[1:])
    except Exception as error:
        why = " ".join(str(error).split())  # the judge says the last line
        sys.exit(f"{sys.executable} cannot run references: {type(error).__name__}: {why}")
