"""kbench's side of what runs in Python: loads references and candidates, and describes what they raise.

kbench-torch's library, which kbench_host.py loads into this interpreter, makes a Reference or a Candidate and calls its
load() for the function and describe() for an exception (src/reference/torch/serving/python.cpp).
"""
import contextlib
import importlib.util
import inspect
import linecache
import os
import random
import re
import sys
import tempfile
import traceback
import types
from builtins import bool, dict, float, int, list, str, tuple
from types import NoneType

import torch
from torch import Tensor

try:
    tempfile.gettempdir()
except FileNotFoundError:  # parts of PyTorch ask for a folder when they are imported, and write nothing to it
    tempfile.tempdir = "/"
os.environ["TORCHINDUCTOR_CACHE_DIR"] = "/"  # exists, as torch._inductor demands of it: a box lets nobody make folders

torch_compile = torch.compile
OWN_FOLDER = os.path.dirname(os.path.abspath(__file__))


def import_for_forks(text):
    """Imports before a reference is forked what each fork would: torch's compiler is a thousand files, and seconds."""
    if re.search(r"torch\.(compiler|_dynamo|_inductor|_export)\b", text):
        with contextlib.suppress(Exception):
            importlib.import_module("torch._dynamo")


class Reference:
    """A Definition's reference; its `function` takes the arguments in the order of `names`.

    exact: in double precision. differentiable: torch.no_grad and its kin do nothing. records_limits:
    keeps what torch.finfo is asked for; an exact reference hears it again. keeps_float8: an exact one whose
    numbers are rounded to float8 where it converts to that.
    """

    FILE = "reference"  # name under which its text is known
    GRADIENTS = re.compile(r"requires_grad|backward|autograd")

    def __init__(self, text, names, exact=False, differentiable=False, records_limits=False, keeps_float8=False, function="run"):
        self.text, self.names, self.function = text, list(names), function
        self.keeps_float8 = keeps_float8
        self.exact, self.differentiable, self.records_limits = exact, differentiable, records_limits

    def load(self):
        random.seed(0)
        limits.begin(self.records_limits, self.exact)
        bind_dtypes(self.exact, self.keeps_float8)
        if self.differentiable:
            keep_gradients()
        linecache.cache[self.FILE] = (len(self.text), None, self.text.splitlines(True), self.FILE)
        module = types.ModuleType(self.FILE)
        module.__file__ = self.FILE
        sys.modules[self.FILE] = module
        torch.compile = eager
        # A mode costs microseconds for each operator, so it is there only where it may be needed.
        is_needed = self.exact or "cuda" in self.text
        meant = (lambda value: in_double(value, self.keeps_float8)) if self.exact else to_cpu
        devices = Meant(meant) if is_needed else contextlib.nullcontext()
        with devices:
            exec(compile(self.text, self.FILE, "exec", dont_inherit=True), module.__dict__)
        run = in_order(getattr(module, self.function), self.names)

        # Gradients cost only references that speak of them.
        gradients = torch.enable_grad() if self.GRADIENTS.search(self.text) else contextlib.nullcontext()

        def call(*arguments):
            limits.begin_call()
            before = bound
            own = (True, self.keeps_float8)
            if self.exact and before != own:  # another one was loaded meanwhile
                bind_dtypes(*own)
            try:
                with devices, gradients:
                    return run(*arguments)
            finally:
                if bound != before:
                    bind_dtypes(*before)

        return call

    def describe(self, error):
        """("ValueError: …", line of the text or 0); (None, 0): there was no memory"""
        if isinstance(error, MemoryError):
            return None, 0
        return one_line(error), last_line(error, lambda name: name == self.FILE)[1]


class Candidate:
    """A solution in Python: a function of a module, which may be an extension module. `emulated_seconds`: its
    kernels in Triton are emulated, and what a launch may take. `compiler`: it is a reference that torch.compile
    compiles, with this one for C++."""

    def __init__(self, folder, file, function, prepare, names, outputs=(), emulated_seconds=0, compiler=""):
        self.folder, self.file, self.function, self.names = folder, file, function, list(names)
        self.prepare = prepare  # its name, and once loaded the function
        self.outputs, self.emulated_seconds, self.compiler = list(outputs), emulated_seconds, compiler

    def load(self):
        if self.compiler:
            compile_with(self.compiler)
            return compiled_once(self.imported())
        refuse_compilers()
        if gpu_device == "cuda":
            torch.cuda.init()
        if self.emulated_seconds and self.file.endswith(".py"):
            host = start_emulation(self)
            with host.loading():
                return host.calling(self.imported())
        return self.imported()

    def imported(self):
        sys.path.insert(0, self.folder)
        path = os.path.join(self.folder, self.file)
        name = os.path.splitext(os.path.basename(self.file))[0]
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        if self.prepare:
            prepare = in_order(getattr(module, self.prepare), self.names)
            self.prepare = lambda *arguments: (prepare(*arguments), None)[1]
        found = module
        for part in self.function.split("."):
            found = getattr(found, part)
        if not callable(found):
            raise TypeError(f"{self.function} is no function, it is {found!r:.60}")
        return in_order(found, self.names)

    def describe(self, error):
        """("ValueError: … (main.py:3)", 0); (None, 0): there was no memory"""
        if isinstance(error, MemoryError):
            return None, 0
        file, line = last_line(error, lambda name: name.startswith(self.folder + os.sep))
        place = f" ({os.path.relpath(file, self.folder)}:{line})" if line else ""
        text = one_line(error) + place
        # A class of its own, or no message, says the same as the class does: exec/failure.cpp.
        if isinstance(error, NotImplementedError) and not text.startswith("NotImplementedError: "):
            text = "NotImplementedError: " + text
        return text, 0


def enter_worker(device, environment, scratch):
    """In a worker, before a GPU's driver is opened. `environment` has "NAME=value". `scratch`: a folder for what
    compilers write, "" where none may be started."""
    global gpu_device
    gpu_device = device
    os.environ.update(setting.split("=", 1) for setting in environment)
    if scratch:
        os.environ.update(TMPDIR=scratch, HOME=scratch, TRITON_CACHE_DIR=os.path.join(scratch, "triton"),
                          TORCHINDUCTOR_CACHE_DIR=os.path.join(scratch, "inductor"))
        os.environ.setdefault("PATH", os.defpath)
        if stand_ins:
            os.environ["LD_LIBRARY_PATH"] = stand_ins  # for interpreters that compilers start
        tempfile.tempdir = scratch


gpu_device = ""  # torch's name for the GPU of a worker on one
stand_ins = ""  # folder of libraries in the places of CUDA's; "": there are none


def start_emulation(candidate):
    """From now on kernels in Triton run here, and tensors of the CPU pose as a GPU's."""
    global emulated_host
    sys.path.append(OWN_FOLDER)  # kbench_triton is beside this file
    try:
        from kbench_triton import launch, posing
    except ImportError as error:
        print(f"kbench-emulation: NOT_EMULATED Triton's kernels need {error.name} beside torch", file=sys.stderr,
              flush=True)
        os._exit(86)
    emulation = launch.Emulation(candidate.folder, seconds=candidate.emulated_seconds)
    launch.install(emulation)
    emulated_host = posing.Host(emulation, candidate.names, candidate.outputs)
    return emulated_host


def begin_emulated_call(seed, read_only):
    emulated_host.begin(seed % 2**64, list(read_only))


def folders():
    """What modules are imported from, and the libraries that they are linked to."""
    own = [OWN_FOLDER, os.path.realpath(os.path.join(OWN_FOLDER, "kbench_triton"))]  # a link in a build folder
    return [folder for folder in sys.path if os.path.isabs(folder)] + own + [os.path.join(sys.base_prefix, "lib")]


def programs():
    """The interpreter, which compilers start, and its headers."""
    places = [os.path.dirname(sys.executable), os.path.join(sys.prefix, "pyvenv.cfg"),
              *(os.path.join(sys.base_prefix, folder) for folder in ("bin", "include"))]
    return [place for place in places if os.path.exists(place)]


def in_order(function, names):
    """`function` to be called with arguments in the order of `names`: by name, if it has those in another. Of `d_y` it may
    say `dy`. One parameter `residuals` takes all that stand before the names that it knows, as ejkernel passes them."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # an extension module's
        return function
    short = {"d" + name[2:]: name for name in names if name.startswith("d_")}
    by_place = [short.get(p.name, p.name) for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    own = {short.get(p.name, p.name): p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    if by_place[:len(names)] == names:
        return function
    has_residuals = by_place[:1] == ["residuals"] and "residuals" not in names
    kept = len(names) - len(own.keys() & set(names)) if has_residuals else 0
    if not own.keys() >= set(names[kept:]):
        return function

    def call(*arguments):
        by_name = {own[name]: value for name, value in zip(names[kept:], arguments[kept:])}
        return function(arguments[:kept], **by_name) if has_residuals else function(**by_name)

    return call


def eager(function=None, **_):
    """torch.compile: what it makes rounds otherwise, and it needs a compiler."""
    return eager if function is None else function


def compile_with(compiler):
    """How torch.compile compiles from now on: in this process, and without what is only for later ones."""
    import torch._inductor.config as settings

    settings.compile_threads = 1
    settings.cpp_cache_precompile_headers = False  # 150 MB
    settings.cpp.cxx = (compiler,)
    torch.compile = eager  # calls in the text do nothing: all of it is compiled


def compiled_once(function):
    """What torch.compile makes of it for the first call's shapes. That compiles; later calls may not."""
    import torch._dynamo as dynamo

    dynamo.config.disable = dynamo.config.suppress_errors = False  # overrides what its text has set
    whole, is_first = torch_compile(function, dynamic=False), True

    def call(*arguments):
        nonlocal is_first
        result = whole(*arguments)
        if is_first:
            if not dynamo.utils.counters["stats"]["unique_graphs"]:
                raise RuntimeError("torch.compile has compiled nothing of this reference")
            torch.compiler.set_stance("fail_on_recompile")
            is_first = False
        return result

    return call


def refuse_compilers():
    """What would start one while a candidate runs says so itself: it may start no processes."""

    def refuse(name, instead):
        def call(*_, **__):
            raise RuntimeError(f"{name} starts a compiler, and a candidate may start no processes: {instead}")

        return call

    torch.compile = refuse("torch.compile", "call the function as it is")
    extension = types.ModuleType("torch.utils.cpp_extension")
    for name in ("load", "load_inline"):
        setattr(extension, name, refuse(name, 'give its sources to the solution, with "binding": "torch"'))
    sys.modules[extension.__name__] = torch.utils.cpp_extension = extension


class Meant(torch.overrides.TorchFunctionMode):
    """A device that the reference names means the CPU: it is evaluated there. In double precision, a
    dtype that it got from somewhere means float64. `meant` says what a value means."""

    def __init__(self, meant):
        super().__init__()
        self.meant = meant

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = {name: self.meant(value) for name, value in (kwargs or {}).items()}
        if function is torch.Tensor.cuda:
            return args[0]
        if function is torch.device and str(args[0]).startswith("cuda"):
            return function("cpu")
        return function(*map(self.meant, args), **kwargs)


def to_cpu(value):
    return torch.device("cpu") if isinstance(value, (torch.device, str)) and str(value).startswith("cuda") else value


def in_double(value, keeps_float8=False):
    """What a dtype means in double precision, as in src/reference/torch/exact_arithmetic.cpp."""
    if not isinstance(value, torch.dtype):
        return to_cpu(value)
    if value.is_complex:
        return torch.complex128
    stored = value is getattr(torch, "float4_e2m1fn_x2", None) or keeps_float8 and value.itemsize == 1
    return torch.float64 if value.is_floating_point and not stored else value


NATIVE = {name: value for name, value in vars(torch).items()
          if isinstance(value, torch.dtype) or name in ("FloatTensor", "HalfTensor", "BFloat16Tensor")}


bound = (False, False)  # last arguments of bind_dtypes()


def bind_dtypes(exact, keeps_float8=False):
    """Binds torch's dtypes to what they mean, in double precision or natively, until the next reference is loaded: a
    native run comes between two exact ones, too."""
    global bound
    bound = (exact, keeps_float8)
    if exact:
        torch.set_default_dtype(torch.float64)
    for name, value in NATIVE.items():
        double = in_double(value, keeps_float8) if isinstance(value, torch.dtype) else torch.DoubleTensor
        setattr(torch, name, double if exact else value)


def keep_gradients():
    """For the rest of this process."""
    torch.no_grad = torch.enable_grad
    torch.inference_mode = lambda mode=True: mode if callable(mode) else torch.enable_grad()
    torch.set_grad_enabled = lambda mode: torch.enable_grad()


class Limits:
    """torch.finfo, which in double precision says what it says natively."""

    def __init__(self):
        self.finfo = torch.finfo
        self.dtypes, self.at, self.loaded = [], 0, 0

    def begin(self, records, exact):
        self.at = 0
        if records:
            self.dtypes, self.loaded = [], 0
        self.records = records
        torch.finfo = self if records or exact else self.finfo

    def begin_call(self):
        if self.records:
            self.loaded = len(self.dtypes)
        self.at = self.loaded

    def __call__(self, dtype=None):
        dtype = dtype or torch.get_default_dtype()
        if self.records:
            self.dtypes.append(dtype)
        elif self.at < len(self.dtypes):
            dtype = self.dtypes[self.at]
            self.at += 1
        return self.finfo(dtype)


limits = Limits()


def one_line(error):
    text = traceback.format_exception_only(type(error), error)[-1].strip()
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def last_line(error, is_ours):
    """The innermost (file, line) in a file that is_ours(name); ("", 0) where there is none."""
    found = "", 0
    for frame, number in traceback.walk_tb(error.__traceback__):
        if is_ours(frame.f_code.co_filename):
            found = frame.f_code.co_filename, number
    if isinstance(error, SyntaxError) and is_ours(error.filename or ""):
        found = error.filename, error.lineno or 0
    return found
