"""Calls the operators of a library that tests/codegen/torch_library made, and compares them with torch's own."""

import sys
import warnings

from shipped_calls import (BIG, LAYOUTS, OPERATORS, SHAPES, arguments, every_call, expected, laid_out, quantize, raises,
                           report, same, tensor, torch)

def outputs_of(wanted, make):
    """The keyword arguments for outputs, made from those that are wanted."""
    if isinstance(wanted, torch.Tensor):
        return {"out": make(wanted)}
    return {f"out{i}": make(one) for i, one in enumerate(wanted)}


def overload(name):
    base, _, out = name.partition(".")
    return getattr(getattr(torch.ops.kernels_cpu, base), out)


def called(name, tensors, rest, outputs):
    keywords = rest if isinstance(rest, dict) else {}
    return overload(name)(*arguments(name, tensors, rest), **keywords, **outputs)


def equals_torch(name):
    """Outputs that are as they should be, and some that must be given their sizes, or have gaps."""
    count = 0
    for tensors, rest, wanted, what in every_call(name):
        before = [one.clone() for one in tensors]
        for make in (torch.empty_like, lambda one: torch.empty(0, dtype=one.dtype),
                     lambda one: laid_out(torch.zeros_like(one), "strided")):
            outputs = outputs_of(wanted, make)
            result = called(name, tensors, rest, outputs)
            results = [result] if isinstance(result, torch.Tensor) else result
            wanteds = [wanted] if isinstance(wanted, torch.Tensor) else wanted
            for one, out, right in zip(results, outputs.values(), wanteds, strict=True):
                assert one is out, f"{what}: the result is another tensor than out"
                same(one, right, what)
                count += 1
        assert all(torch.equal(one, was) for one, was in zip(tensors, before)), f"{what}: an input changed"
    assert count >= 30, count


def meta_equals_real(name):
    """Sizes and strides without values are those that a call leaves."""
    for tensors, rest, wanted, what in every_call(name):
        for make in (torch.empty_like, lambda one: torch.empty(0, dtype=one.dtype),
                     lambda one: torch.empty([2] * one.dim(), dtype=one.dtype).transpose(0, -1) if one.dim() else one):
            outputs = outputs_of(wanted, make)
            metas = {key: value.to("meta") for key, value in outputs.items()}
            moved = tuple(one.to("meta") for one in rest) if name == "embedding.out" else rest
            called(name, [one.to("meta") for one in tensors], moved, metas)
            called(name, tensors, rest, outputs)
            for key, out in outputs.items():
                meta = metas[key]
                assert (meta.shape, meta.stride()) == (out.shape, out.stride()), \
                    f"{what}: {meta.shape} {meta.stride()}, where the call leaves {out.shape} {out.stride()}"


def opcheck(name):
    dtypes, shapes, rest, reference = OPERATORS[name]
    tensors = [tensor(one, torch.float32) for one in shapes[0]]
    keywords = rest if isinstance(rest, dict) else {}
    wanted = expected(name, tensors, rest, reference)
    for make in (torch.empty_like, lambda one: torch.empty(0)):
        torch.library.opcheck(overload(name), arguments(name, tensors, rest), {**keywords, **outputs_of(wanted, make)},
                              test_utils=("test_schema", "test_faketensor"))


def quantizes():
    ops = torch.ops.quantized_decomposed
    for layout in LAYOUTS:
        for shape in SHAPES:
            x = tensor(shape, torch.float32, layout)
            codes = torch.empty(0, dtype=torch.int8)
            limits = (0.05, 3, -128, 127, torch.int8)
            ops.quantize_per_tensor.out(x, *limits, out=codes)
            same(codes, quantize(x, *limits), f"quantize {layout} {shape}")
            for dtype in (None, torch.float32, torch.float16):
                back = torch.empty(0, dtype=dtype or torch.float32)
                ops.dequantize_per_tensor.out(codes, *limits, out_dtype=dtype, out=back)
                same(back, ((codes.float() - 3) * 0.05).to(back.dtype), f"dequantize {layout} {shape}")


def sizes_by_definition():
    """op_quantize_per_tensor_d256: out has the axes of input. And pad.json, with more axes."""
    quantize_out = torch.ops.quantized_decomposed.quantize_per_tensor.out
    limits = (0.05, 3, -128, 127, torch.int8)
    for shape in ((4, 256), (3, 7), (0, 5)):
        for out in (torch.empty(0, dtype=torch.int8, device="meta"), torch.empty(shape, dtype=torch.int8, device="meta")):
            assert quantize_out(torch.empty(shape, device="meta"), *limits, out=out) is out
            assert out.shape == shape, out.shape
    pad, a, b = torch.ops.own.pad.out, torch.zeros(2, 3), torch.zeros(3)
    for m in (7, 5):  # of a call, not of the Definition
        for shape, swaps in (((0,), False), ((4, 3), False), ((4, 3), True)):
            outs = [torch.empty(shape, device=device) for device in ("meta", "cpu")]
            outs = [out.t() if swaps else out for out in outs]
            pad(a.to("meta"), b.to("meta"), m, out=outs[0])
            pad(a, b, m, out=outs[1])
            assert outs[0].shape == (2, m) and outs[0].stride() == outs[1].stride(), (outs[0].stride(), outs[1].stride())
    unknown = "no Definition gives the sizes of its outputs for inputs of these sizes, with these arguments; "
    raises(f"own::pad.out: {unknown}there is pad", pad, a.to("meta"), torch.zeros(4, device="meta"), 7,
           out=torch.empty(0, device="meta"))
    # What pad.json gives to twice says which sizes out gets; the limits of quantize_per_tensor do not.
    raises(f"own::pad.out: {unknown}there is pad", pad, a.to("meta"), b.to("meta"), 7, True,
           out=torch.empty(0, device="meta"))
    raises(f"quantize_per_tensor.out: {unknown}there is op_quantize_per_tensor_d256", quantize_out,
           torch.empty(2, 3, 4, device="meta"), *limits, out=out)
    raises(f"own::order.out: {unknown}none is linked to it", torch.ops.own.order.out, torch.empty(2, device="meta"),
           out=torch.empty(2, device="meta"))


def kernels_say_no():
    add, x = overload("add.out"), torch.randn(3, 4)
    message = "kernels_cpu::add.out: self, other and out must have one element type"
    raises(f"{message}; called with self Float[0,1] (3, 4), other Int[0,1] (3, 4), out Float[0] (0)", add, x, x.int(),
           out=torch.empty(0))
    raises("self Float[1,0] (4, 3), other Int[0,1] (3, 2), out Float[] ()", add, x.t(), x.int()[:, ::2],
           out=torch.empty(()))
    raises(message, add, x, x, out=torch.empty(0, dtype=torch.float64))
    raises("kernels_cpu::add.out: self and other have sizes that do not fit together", add, x, torch.randn(3, 5),
           out=torch.empty(0))
    fail, out = torch.ops.own.fail.out, torch.zeros(2, 3, dtype=torch.float64)
    raises("own::fail.out: as it was asked to", fail, x, 0, out=out)
    had = "called with self Float[0,1] (3, 4), out Double[0,1] (2, 3)"
    raises(f"own::fail.out: the kernel failed with NotSupported; {had}", fail, x, 1, out=out)
    raises("thrown by the kernel", fail, x, 2, out=out)
    raises("own::fail.out: after it grew", fail, x, 3, out=out)
    assert out.shape == (2, 3) and out.stride() == (3, 1), "a call that failed left other sizes"


def adapter_says_no():
    add, relu, x = overload("add.out"), overload("relu.out"), torch.randn(3, 4)
    out = torch.empty(3, 4)
    raises("self requires a gradient", add, x.clone().requires_grad_(), x, out=out)
    with torch.no_grad():
        add(x.clone().requires_grad_(), x, out=out)
    raises("Could not run 'kernels_cpu::add.out' with arguments from the 'SparseCPU' backend", add, x.to_sparse(), x,
           out=out)
    meta, one_device = x.to("meta"), "all must be on one device"
    raises(f"other is on cpu, self on meta: {one_device}", add, meta, x, out=out.to("meta"))
    quantize_out, limits = torch.ops.quantized_decomposed.quantize_per_tensor.out, (0.05, 3, -128, 127, torch.int8)
    raises(f"out is on cpu, input on meta: {one_device}", quantize_out, meta, *limits, out=out.to(torch.int8))
    raises(f"out is on meta, input on cpu: {one_device}", quantize_out, x, *limits, out=meta.to(torch.int8))
    raises(f"out is on meta, self on cpu: {one_device}", torch.ops.own.split.out, x[0].double(),
           out=[meta[0].double(), x[1].double()])
    raises("self has 17 dimensions; the kernels take 16", relu, torch.zeros([1] * 17), out=torch.empty(0))
    strange = torch.zeros(3).to(torch.float8_e8m0fnu)
    raises("self has the dtype Float8_e8m0fnu, which the kernels do not know", relu, strange, out=strange)
    raises("more than one element of the written-to tensor refers to a single memory location", add, x, x,
           out=torch.empty(1, 4).expand(3, 4))
    row = torch.randn(4)
    raises("out shares memory with another argument, and cannot be made larger", add, row, x, out=row)
    foreign = torch.frombuffer(bytearray(8), dtype=torch.float32)
    raises("Trying to resize storage that is not resizable", add, x, x, out=foreign)
    raises("is a complex number, which the kernels do not know", add, x, x, alpha=1j, out=out)


def outputs_are_resized():
    add, x = overload("add.out"), torch.randn(3, 4)
    base = torch.zeros(40)
    out = base[:12].view(3, 4)
    address = out.data_ptr()
    add(x, x, out=out)
    assert out.data_ptr() == address and torch.equal(base[:12], (2 * x).flatten()), "the memory of out is not used"
    assert not base[12:].any(), "memory behind out is written"
    for before in (torch.zeros(2, 2), torch.zeros(20), torch.zeros(4, 3).t()[:2]):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            add(x, x, out=before)
        same(before, 2 * x, "resized")
        assert any("was resized since it had shape" in str(one.message) for one in said), "nothing warns"
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        add(x, x, out=torch.empty(0))
    assert not said, said[0].message
    version = out._version
    add(x, x, out=out)
    assert out._version > version, "autograd is not told that out changed"
    add(torch._neg_view(x), x, out=out)
    same(out, torch.zeros(3, 4), "a negative view")


def dim_orders():
    order = torch.ops.own.order.out
    plain = torch.zeros(2, 3, 4, 5)
    last, last_3d = torch.channels_last, torch.channels_last_3d
    for x, wanted in [
            (plain, [0, 1, 2, 3, 60, 20, 5, 1]),
            (plain.contiguous(memory_format=last), [0, 2, 3, 1, 60, 1, 15, 3]),
            (torch.zeros(2, 1, 4, 5).contiguous(memory_format=last), [0, 1, 2, 3, 20, 20, 5, 1]),
            (torch.zeros(60).as_strided((1, 3, 4, 5), (1, 1, 15, 3)), [0, 2, 3, 1, 60, 1, 15, 3]),
            (torch.zeros(2, 3, 4, 5, 6).contiguous(memory_format=last_3d), [0, 2, 3, 4, 1, 360, 1, 90, 18, 3]),
            (torch.zeros(360).as_strided((1, 3, 4, 5, 6), (1, 1, 90, 18, 3)), [0, 2, 3, 4, 1, 360, 1, 90, 18, 3]),
            (plain.permute(3, 1, 0, 2), [2, 1, 3, 0, 1, 20, 60, 5]),
            (plain[..., ::2], [0, 1, 2, 3, 36, 12, 3, 1]),
            (torch.zeros(0, 3), [0, 1, 3, 1]), (torch.zeros(()), [])]:
        out = order(x, out=torch.empty(0, dtype=torch.float64))
        assert out.tolist() == wanted, f"{x.shape} {x.stride()}: {out.tolist()}"


def arguments_of_every_type():
    own, seven = torch.ops.own, torch.tensor([7.0], dtype=torch.float64)
    no = False
    for operator, given, wanted in [
            (own.lists.out, ([seven, None], ["a", "bcd"], [True, 3, 0.5]), [7, -1, 1, 3, 1001, 2003, 0.5]),
            (own.lists.out, ([], [], []), []),
            (own.numbers.out, ([True, no, True], [1.5, 2.5], 9), [1, 0, 1, 1.5, 2.5, 9]),
            (own.numbers.out, ([no, no, no],), [0, 0, 0, -2]),
            (own.kinds.out, ("cpu", torch.channels_last, torch.bfloat16), [0, -1, 2, 15]),
            (own.kinds.out, ("cuda:1", torch.contiguous_format, torch.float32), [1, 1, 0, 6]),
            (own.maybe.out, (seven, "four", no), [1, 4, 1000]), (own.maybe.out, (), [-1, -2, -3])]:
        out = operator(*given, out=torch.empty(0, dtype=torch.float64))
        assert out.tolist() == wanted, f"{operator}: {out.tolist()} is not {wanted}"


def writes_in_place():
    own = torch.ops.own
    base = torch.arange(6, dtype=torch.float64).view(2, 3)
    version = base._version
    assert own.scale_(base, 2.0) is base and base.tolist() == [[0, 2, 4], [6, 8, 10]], base
    assert base._version > version
    own.scale_(base[:, ::2], 0.5)
    assert base.tolist() == [[0, 2, 2], [3, 8, 5]], base
    assert own.fill(base[0], 3.0) is None and base.tolist() == [[3, 3, 3], [3, 8, 5]], base
    outs = [torch.empty(0, dtype=torch.float64), torch.zeros(4, dtype=torch.float64)[::4]]
    assert own.split.out(base[1], out=outs) is None
    assert [one.tolist() for one in outs] == [[3], [8]], outs
    meta = base.to("meta")
    assert own.scale_(meta, 2.0) is meta and meta.shape == (2, 3)


def compiles():
    """Traced with fake tensors, and made functional, by PyTorch's compiler."""
    ops = torch.ops.kernels_cpu

    def block(x, y):
        total = torch.empty_like(x)
        ops.add.out(x, y, out=total)
        codes = torch.empty(x.shape, dtype=torch.int8)
        torch.ops.quantized_decomposed.quantize_per_tensor.out(total, 0.1, 0, -128, 127, torch.int8, out=codes)
        return ops.mm.out(total, y.t(), out=torch.empty(x.shape[0], y.shape[0])) + codes.sum()

    compiled = torch.compile(block, backend="aot_eager", fullgraph=True, dynamic=True)
    for rows in (3, 5):
        x, y = torch.randn(rows, 4), torch.randn(rows, 4)
        same(compiled(x, y), block(x, y), f"{rows} rows")
        same(block(x, y), (x + y) @ y.t() + quantize(x + y, 0.1, 0, -128, 127, torch.int8).sum(), "the block")


def main():
    torch.ops.load_library(sys.argv[1])
    cases = {function.__name__: (function,) for function in (
        quantizes, sizes_by_definition, kernels_say_no, adapter_says_no, outputs_are_resized, dim_orders,
        arguments_of_every_type, writes_in_place, compiles)}
    for name in OPERATORS:
        for function in (equals_torch, meta_equals_real, opcheck):
            cases[f"{function.__name__}.{name}"] = (function, name)
    warnings.simplefilter("ignore")
    report(cases)


main()
