"""Tensors of the CPU that pose as a GPU's, for the host code of a candidate.

A candidate asks for device="cuda" and gets the CPU's tensors; it asks a tensor where it is and hears cuda:0. What only
a device has (streams, events, graphs) is "not emulated".
"""
import types

import torch

DEVICE = torch.device("cuda", 0)
FRESH = {torch.empty, torch.empty_like, torch.empty_strided, torch.empty_permuted, torch.Tensor.new_empty,
         torch.Tensor.new_empty_strided}


class Posing(torch.overrides.TorchFunctionMode):
    """While it is on, torch's functions see and say what the candidate is to believe."""

    def __init__(self, emulation):
        super().__init__()
        self.memory = emulation.memory
        self.answers = {
            torch.Tensor.is_cuda.__get__: lambda tensor, *_: True,
            torch.Tensor.is_cpu.__get__: lambda tensor, *_: False,
            torch.Tensor.device.__get__: lambda tensor, *_: DEVICE,
            torch.Tensor.get_device: lambda tensor: 0,
            torch.Tensor.cuda: lambda tensor, *_, **__: tensor,
            torch.Tensor.cpu: lambda tensor, *_, **__: tensor.clone(),
            torch.Tensor.pin_memory: lambda tensor, *_: tensor,
            torch.Tensor.record_stream: lambda tensor, *_: None,
            torch.Tensor.data_ptr: self.memory.address,
        }

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        answer = self.answers.get(function)
        if answer:
            return answer(*args, **kwargs)
        if function is torch.device:
            return function(*args, **kwargs)
        kwargs.pop("pin_memory", None)
        if function is torch.Tensor.to and len(args) > 1 and type(args[1]) is int:
            args = (args[0], DEVICE, *args[2:])
        result = function(*map(to_cpu, args), **{name: to_cpu(value) for name, value in kwargs.items()})
        if function in FRESH and result.numel() and not result.is_inference():
            self.memory.region(result).poison(result)
        return result


def to_cpu(value):
    is_device = isinstance(value, (torch.device, str)) and str(value).startswith("cuda")
    return torch.device("cpu") if is_device else value


PROPERTIES = types.SimpleNamespace(
    name="NVIDIA H100 80GB HBM3", major=9, minor=0, multi_processor_count=132, total_memory=80 << 30, warp_size=32,
    max_threads_per_multi_processor=2048, max_threads_per_block=1024, regs_per_multiprocessor=65536,
    shared_memory_per_block=49152, shared_memory_per_block_optin=232448, shared_memory_per_multiprocessor=233472,
    L2_cache_size=50 << 20, is_integrated=0, is_multi_gpu_board=0, gcnArchName="")


class OneDevice:
    """torch.cuda.device and its kin: there is one to choose."""

    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class OnlyStream:
    cuda_stream, device = 0, DEVICE

    def synchronize(self):
        pass

    def wait_stream(self, stream):
        pass


ANSWERS = {"is_available": True, "is_initialized": True, "device_count": 1, "current_device": 0,
           "get_device_name": PROPERTIES.name, "get_device_capability": (PROPERTIES.major, PROPERTIES.minor),
           "get_device_properties": PROPERTIES, "is_bf16_supported": True, "current_stream": OnlyStream(),
           "default_stream": OnlyStream(), "memory_allocated": 0, "max_memory_allocated": 0, "memory_reserved": 0,
           "mem_get_info": (PROPERTIES.total_memory,) * 2, "is_current_stream_capturing": False,
           **dict.fromkeys(("synchronize", "init", "set_device", "empty_cache", "reset_peak_memory_stats"))}
UNKNOWN = ("Stream", "ExternalStream", "Event", "CUDAGraph", "graph", "make_graphed_callables")


def pose(emulation):
    """torch.cuda has one device from now on. Each name has an object of its own, which torch's compiler asks for."""

    def answering(value):
        return lambda *_, **__: value

    def refusing(name):
        def refuse(*_, **__):
            emulation.stop("NOT_EMULATED", f"torch.cuda.{name}, in the candidate's host code")
        return type(name, (), {"__new__": refuse})

    for name, value in ANSWERS.items():
        setattr(torch.cuda, name, answering(value))
    for name in UNKNOWN:
        setattr(torch.cuda, name, refusing(name))
    for name in ("device", "device_of", "stream"):
        setattr(torch.cuda, name, type(name, (OneDevice,), {}))
    for name in ("manual_seed", "manual_seed_all"):
        setattr(torch.cuda, name, lambda seed: torch.manual_seed(seed))


class Host:
    """A candidate's calls. `names`: of its parameters, `outputs`: those of them that it has to write."""

    def __init__(self, emulation, names, outputs=()):
        self.emulation, self.names, self.outputs = emulation, names, set(outputs)
        self.posing = Posing(emulation)
        self.read_only = ()

    def loading(self):
        pose(self.emulation)
        return self.posing

    def begin(self, seed, read_only=()):
        """A call follows. The order of programs follows from the seed."""
        self.emulation.seed, self.emulation.launches, self.read_only = seed, 0, read_only

    def calling(self, function):
        """`function`, to be called as the judge does it."""

        def call(*arguments):
            for name, value in zip(self.names, arguments):
                if isinstance(value, torch.Tensor):
                    self.announce(name, value)
            try:
                with self.posing:
                    returned = function(*arguments)
                self.look_at(returned)
                return returned
            finally:
                self.emulation.memory.forget()

        return call

    def look_at(self, returned):
        """What is returned was written."""
        if isinstance(returned, dict):
            returned = list(returned.values())
        for number, tensor in enumerate(returned if isinstance(returned, (tuple, list)) else [returned]):
            if isinstance(tensor, torch.Tensor) and tensor.numel() and tensor.is_contiguous():
                begin = tensor.storage_offset() * tensor.element_size()
                region = self.emulation.memory.region(tensor)
                missing = region.never_written(begin, begin + tensor.numel() * tensor.element_size())
                if missing:
                    self.emulation.stop("UNWRITTEN", f"{missing} bytes of the tensor that was returned as output "
                                                     f"{number + 1}: no kernel stored them")

    def announce(self, name, tensor):
        region = self.emulation.memory.region(tensor, name, True)
        region.is_writable = name not in self.read_only
        if name in self.outputs:
            region.expect_writes(tensor)
