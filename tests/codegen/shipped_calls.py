"""Calls of the shipped kernels for torch_calls.py and tvm_ffi_calls.py: their arguments, and what torch's own operators
make of them."""

import json
import os
import sys
import traceback

sys.setdlopenflags(os.RTLD_LAZY)  # functions of CUDA that are not there are not called either
import torch

ALL = (torch.float32, torch.bfloat16, torch.int32)
FLOATS = ALL[:2]
LAYOUTS = ("contiguous", "permuted", "strided", "channels_last", "expanded")


def tensor(shape, dtype, layout="contiguous"):
    """Values that fit every dtype, which the same shape has in every layout."""
    generator = torch.Generator().manual_seed(sum(shape))
    values = torch.randn(shape, generator=generator) * 3
    values = values.round() if not dtype.is_floating_point else values
    return laid_out(values.to(dtype), layout)


def laid_out(values, layout):
    if layout == "permuted":
        order = list(reversed(range(values.dim())))
        return values.permute(order).contiguous().permute(order)
    if layout == "strided" and values.dim():
        larger = torch.zeros(*values.shape[:-1], 2 * values.shape[-1], dtype=values.dtype)
        larger[..., ::2] = values
        return larger[..., ::2]
    if layout == "channels_last" and values.dim() == 4:
        return values.contiguous(memory_format=torch.channels_last)
    if layout == "expanded" and values.dim():
        return values[:1].expand(values.shape)
    return values


def quantize(x, scale, zero, low, high, dtype):
    return torch.clamp(torch.round(x * (1.0 / scale)) + zero, low, high).to(dtype)


def layer_norm(x, *rest):
    return torch.native_layer_norm(x, [x.shape[-1]], *rest)


BIG = (2, 3, 4, 5)
SHAPES = (BIG, (), (0, 3), (1, 7))
# For each operator: its dtypes, the shapes of its tensors, other arguments, and what computes the same.
OPERATORS = {
    "add.out": (ALL, [(shape, shape) for shape in SHAPES] + [(BIG, (5,)), ((4, 1), (3,))], {"alpha": 2}, torch.add),
    "mul.out": (ALL, [(shape, shape) for shape in SHAPES] + [(BIG, (4, 1))], {}, torch.mul),
    "relu.out": (ALL, [(shape,) for shape in SHAPES], {}, torch.relu),
    "gelu.out": (FLOATS, [(shape,) for shape in SHAPES], {"approximate": "tanh"}, torch.nn.functional.gelu),
    "_softmax.out": (FLOATS, [(BIG,), ((3, 40),)], (1, False), torch._softmax),
    "native_layer_norm.out": (FLOATS, [((3, 4, 24), (24,), (24,))], (1e-5,), layer_norm),
    "mm.out": (FLOATS, [((5, 7), (7, 3)), ((64, 48), (48, 80)), ((0, 3), (3, 2))], {}, torch.mm),
    "bmm.out": (FLOATS, [((2, 5, 7), (2, 7, 3)), ((3, 16, 32), (3, 32, 16))], {}, torch.bmm),
    "embedding.out": (ALL, [((10, 6),)], (torch.tensor([[1, 0, 9], [3, 3, 5]]),), torch.embedding),
    "cat.out": (ALL, [((2, 3), (2, 5)), (BIG, BIG)], (1,), None),
    "permute_copy.out": (ALL, [(BIG,)], ([3, 1, 0, 2],), torch.permute_copy),
}


def arguments(name, tensors, rest):
    """As the operator has them."""
    positional = () if isinstance(rest, dict) else rest
    if name == "cat.out":
        return ([*tensors], *positional)
    if name == "native_layer_norm.out":
        return (tensors[0], [tensors[0].shape[-1]], *tensors[1:], *positional)
    return (*tensors, *positional)


def expected(name, tensors, rest, reference):
    if name == "cat.out":
        return torch.cat(list(tensors), *rest)
    return reference(*tensors, **rest) if isinstance(rest, dict) else reference(*tensors, *rest)


def same(actual, wanted, what):
    assert actual.dtype == wanted.dtype and actual.shape == wanted.shape, \
        f"{what}: {actual.dtype} {tuple(actual.shape)}, not {wanted.dtype} {tuple(wanted.shape)}"
    near = 2e-2 if wanted.dtype == torch.bfloat16 else 1e-5
    if not wanted.dtype.is_floating_point:
        near = 0
    assert torch.allclose(actual, wanted, rtol=near, atol=near), f"{what}: {actual} is not {wanted}"


def every_call(name):
    dtypes, shapes, rest, reference = OPERATORS[name]
    for dtype in dtypes:
        for layout in LAYOUTS:
            for shape in shapes:
                tensors = [tensor(one, dtype, layout) for one in shape]
                yield tensors, rest, expected(name, tensors, rest, reference), f"{name} {dtype} {layout} {shape}"


def raises(message, function, *positional, error=RuntimeError, **keywords):
    """What the error says."""
    try:
        function(*positional, **keywords)
    except error as raised:
        assert message in str(raised), f'"{message}" is not in: {raised}'
        return str(raised)
    raise AssertionError(f"nothing is raised: {message}")


def result_of(function, *positional):
    """(failure, why it was skipped)"""
    try:
        function(*positional)
    except ModuleNotFoundError as error:  # what torch imports to trace is not part of every environment
        return None, f"{error} (torch needs it to trace)"
    except Exception:
        return traceback.format_exc(), None
    return None, None


def report(cases):
    """Prints what became of each, {case: [failure, why it was skipped]}, as JSON."""
    torch.set_num_threads(1)
    print(json.dumps({name: result_of(*case) for name, case in cases.items()}))
