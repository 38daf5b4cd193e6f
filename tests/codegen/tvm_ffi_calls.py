"""Calls the functions of a library that tests/codegen/tvm_ffi_library made, and compares them with torch's operators."""

import sys

from shipped_calls import (BIG, LAYOUTS, OPERATORS, SHAPES, arguments, every_call, laid_out, quantize, raises, report,
                           same, tensor, torch)

import tvm_ffi

DEFAULTS = {"embedding.out": (-1, False, False)}  # of what torch's operator is called without
LIBRARY = tvm_ffi.load_module(sys.argv[1])


def function(name):
    return LIBRARY[name.replace("::", "_").replace(".", "_")]


def positional(name, tensors, rest):
    """All arguments of the schema but the outputs."""
    keywords = rest.values() if isinstance(rest, dict) else ()
    return [*arguments(name, tensors, rest), *keywords, *DEFAULTS.get(name, ())]


def equals_torch(name):
    """In outputs that are dense, that have gaps, and that lie the other way around."""
    count = 0
    for tensors, rest, wanted, what in every_call(name):
        before = [one.clone() for one in tensors]
        wanteds = [wanted] if isinstance(wanted, torch.Tensor) else wanted
        for layout in ("contiguous", "strided", "permuted"):
            outputs = [laid_out(torch.zeros_like(one), layout) for one in wanteds]
            given = positional(name, tensors, rest)
            assert function(name)(*given, *outputs) is None
            for out, right in zip(outputs, wanteds, strict=True):
                same(out, right, what)
                count += 1
        assert all(torch.equal(one, was) for one, was in zip(tensors, before)), f"{what}: an input changed"
    assert count >= 30, count


def quantizes():
    """With dtypes and Nones."""
    to_codes = function("quantized_decomposed::quantize_per_tensor.out")
    from_codes = function("quantized_decomposed::dequantize_per_tensor.out")
    for layout in LAYOUTS:
        for shape in SHAPES:
            x = tensor(shape, torch.float32, layout)
            codes = torch.empty(shape, dtype=torch.int8)
            limits = (0.05, 3, -128, 127, torch.int8)
            to_codes(x, *limits, codes)
            same(codes, quantize(x, *limits), f"quantize {layout} {shape}")
            for dtype in (None, torch.float32, torch.float16):
                back = torch.empty(shape, dtype=dtype or torch.float32)
                from_codes(codes, *limits, dtype, back)
                same(back, ((codes.float() - 3) * 0.05).to(back.dtype), f"dequantize {layout} {shape}")


def doubles(count):
    return torch.full((count,), -9.0, dtype=torch.float64)


def arguments_of_every_type():
    seven, no = torch.tensor([7.0], dtype=torch.float64), False
    lists, numbers, kinds, maybe = [function(f"own::{name}.out") for name in ("lists", "numbers", "kinds", "maybe")]
    for call, given, wanted in [
            (lists, ([seven, None], ["a", "longer than seven"], [True, 3, 0.5]), [7, -1, 1, 17, 1001, 2003, 0.5]),
            (lists, ([seven], (), [no]), [7, 1000]),
            (lists, ([], [], []), []),
            (lists, (tvm_ffi.convert([None]), tvm_ffi.convert(["ab"]), [2]), [-1, 2, 2002]),
            (numbers, ([True, no, True], [1.5, 2], 9), [1, 0, 1, 1.5, 2, 9]),
            (numbers, ([no, no, no], None, None), [0, 0, 0, -2]),
            (kinds, (tvm_ffi.device("cpu"), "channels_last", torch.bfloat16), [0, 0, 2, 15]),
            (kinds, (tvm_ffi.device("cuda:1"), "contiguous_format", tvm_ffi.dtype("float32")), [1, 1, 0, 6]),
            (maybe, (seven, "", no), [1, 0, 1000]),
            (maybe, (seven, "longer than seven", 0.25), [1, 17, 0.25]),
            (maybe, (None, None, None), [-1, -2, -3])]:
        out = doubles(len(wanted))
        call(*given, out)
        assert out.tolist() == wanted, f"{call} {given}: {out.tolist()} is not {wanted}"


def lists_of_lengths():
    """An int[] may be a list, a tuple or a shape."""
    x = tensor(BIG, torch.float32)
    for dims in ([3, 1, 0, 2], (3, 1, 0, 2), tvm_ffi.Shape((3, 1, 0, 2)), torch.Size((3, 1, 0, 2))):
        out = torch.empty(5, 3, 2, 4)
        function("permute_copy.out")(x, dims, out)
        assert torch.equal(out, x.permute(3, 1, 0, 2)), dims


def writes_in_place():
    base = torch.arange(6, dtype=torch.float64).view(2, 3)
    function("own::scale_")(base, 2.0)
    assert base.tolist() == [[0, 2, 4], [6, 8, 10]], base
    function("own::scale_")(base[:, ::2], 0.5)
    assert base.tolist() == [[0, 2, 2], [3, 8, 5]], base
    function("own::fill")(base[0], 3)
    assert base.tolist() == [[3, 3, 3], [3, 8, 5]], base
    outs = [doubles(1), doubles(4)[::4]]
    function("own::split.out")(base[1], outs)
    assert [one.tolist() for one in outs] == [[3], [8]], outs


def dim_orders():
    order, last = function("own::order.out"), torch.channels_last
    plain = torch.zeros(2, 3, 4, 5)
    for x, wanted in [
            (plain, [0, 1, 2, 3, 60, 20, 5, 1]),
            (plain.contiguous(memory_format=last), [0, 2, 3, 1, 60, 1, 15, 3]),
            (torch.zeros(2, 3, 4, 5, 6).contiguous(memory_format=torch.channels_last_3d),
             [0, 2, 3, 4, 1, 360, 1, 90, 18, 3]),
            (plain.permute(3, 1, 0, 2), [2, 1, 3, 0, 1, 20, 60, 5]),
            (plain[..., ::2], [0, 1, 2, 3, 36, 12, 3, 1]),
            (torch.zeros(1, 3).expand(2, 3), [0, 1, 3, 1]),
            (torch.zeros(0, 3), [0, 1, 3, 1]), (torch.zeros(()), [])]:
        out = doubles(len(wanted))
        order(x, out)
        assert out.tolist() == wanted, f"{x.shape} {x.stride()}: {out.tolist()}"


def the_key_chooses():
    """own::which.out writes the number of the kernel that serves."""
    which, out = function("own::which.out"), doubles(1)
    x = torch.zeros(2, 3)
    for given, kernel in [((x, None), 1), ((x.t(), None), 2), ((x.half(), None), 3), ((x.half().t(), None), 3),
                          ((x, x), 4), ((x, x[:, :0]), 4)]:
        which(*given, out)
        assert out.tolist() == [kernel], f"{given}: {out.tolist()}"
    miss = "own::which.out: no kernel for these tensors; there is one for Float[0,1], Float[0,1], Double[0] ("
    assert raises(miss, which, x.int(), None, out).startswith(miss)
    raises("called with self Int[0,1] (2, 3), out Double[0] (1)", which, x.int(), None, out)
    raises("called with self Float[0] (3), other Float[0] (3), out Double[0] (1)", which, x[0], x[0], out)
    raises("own::lists.out: as it was asked to; called with tensors [Float[0] (3), Half[0,1] (2, 3)], out",
           function("own::lists.out"), [x[0], None, x.half()], ["fail"], [], out)


def outputs_keep_their_sizes():
    add, x = function("add.out"), torch.randn(3, 4)
    for out in (torch.empty(0), torch.empty(4, 3), torch.empty(3, 5), torch.empty(3, 4, 1)):
        before = out.clone()
        raises("called with self Float[0,1] (3, 4), other Float[0,1] (3, 4), out Float[", add, x, x, 1, out)
        assert out.shape == before.shape


def kernels_say_no():
    add, x = function("add.out"), torch.randn(3, 4)
    raises("aten::add.out: self, other and out must have one element type; called with self Float[0,1] (3, 4), other "
           "Int[0,1] (3, 4), out Float[0] (0)", add, x, x.int(), 1, torch.empty(0))
    fail, out = function("own::fail.out"), doubles(3)
    raises("own::fail.out: as it was asked to; called with", fail, x, 0, out)
    raises("own::fail.out: the kernel failed with NotSupported; called with", fail, x, 1, out)
    raises("thrown by the kernel", fail, x, 2, out)


def adapter_says_no():
    add, relu, x = function("add.out"), function("relu.out"), torch.randn(3, 4)
    out = torch.empty(3, 4)
    for given, message in [
            ((), "aten::add.out: wrong number of arguments: 0, where it takes 4 (self, other, alpha, out)"),
            ((x, x, out), "wrong number of arguments: 3, where it takes 4 (self, other, alpha, out)"),
            ((x, x, 1, out, out), "wrong number of arguments: 5, where"),
            ((x, 3, 1, out), "other is an integer, where the kernels take a tensor"),
            ((x, None, 1, out), "other is nothing, where the kernels take a tensor"),
            ((x, [x], 1, out), "other is a list, where the kernels take a tensor"),
            ((x, x, "1", out), "alpha is a string, where the kernels take a number"),
            ((x, x, None, out), "alpha is nothing, where the kernels take a number"),
            ((x, x, torch.float32, out), "alpha is another dtype, where the kernels take a number")]:
        raises(message, add, *given, error=TypeError)
    raises("dims is a tensor, where the kernels take a list", function("permute_copy.out"), x, x, out, error=TypeError)
    raises("dims is a floating-point number, where the kernels take an integer", function("permute_copy.out"), x,
           [0, 1.5], out, error=TypeError)
    device, kinds = tvm_ffi.device("cpu"), function("own::kinds.out")
    for given, message in [
            (("cpu", "channels_last", torch.float32), "device is a string, where the kernels take a device, cpu or cuda"),
            ((torch.device("cpu"), "channels_last", torch.float32), "device is an object"),
            ((tvm_ffi.device("opencl"), "channels_last", torch.float32), "device is another device"),
            ((device, "strided", torch.float32), "format is a string, where the kernels take the name of a memory format"),
            ((device, "channels_last", "float32"), "type is a string, where the kernels take a dtype of theirs"),
            ((device, "channels_last", torch.float8_e8m0fnu), "type is another dtype")]:
        raises(message, kinds, *given, doubles(4), error=TypeError)
    raises("self has 17 dimensions; the kernels take 16", relu, torch.zeros([1] * 17), out, error=ValueError)
    strange = torch.zeros(3).to(torch.float8_e8m0fnu)
    raises("self has a dtype that the kernels do not know", relu, strange, strange, error=ValueError)
    raises("out is written to, and has elements that are one in memory", add, x, x, 1, torch.empty(1, 4).expand(3, 4),
           error=ValueError)


def only_those_are_there():
    for name in ("own_functional", "aten_add_out", "own_quantized_out"):
        assert not LIBRARY.implements_function(name), name


def main():
    cases = {function.__name__: (function,) for function in (
        quantizes, arguments_of_every_type, lists_of_lengths, writes_in_place, dim_orders, the_key_chooses,
        outputs_keep_their_sizes, kernels_say_no, adapter_says_no, only_those_are_there)}
    cases |= {f"equals_torch.{name}": (equals_torch, name) for name in OPERATORS}
    report(cases)


main()
