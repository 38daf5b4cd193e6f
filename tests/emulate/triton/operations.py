"""What single operations of kernels compute, and what is said of those that are not emulated."""
import torch

import judging

HEAD = """
import torch, triton, triton.language as tl
from triton.language.extra import libdevice

@triton.jit
def kernel({parameters}, n, B: tl.constexpr):
    i = tl.arange(0, B)
{body}

def run({inputs}):
    out = torch.empty({length}, dtype=torch.{dtype}, device="cuda")
    kernel[(1,)]({arguments}, {length}, B={length})
    return out
"""


def _judged(body, dtype, reference, *inputs, length=None):
    length = length or inputs[0].numel()
    names = [chr(ord("a") + i) for i in range(len(inputs))]
    text = HEAD.format(parameters=", ".join([*names, "out"]), inputs=", ".join(names), length=length, dtype=dtype,
                       arguments=", ".join([*names, "out"]), body="\n".join("    " + line for line in body.split("\n")))
    return judging.judge(text, inputs, reference)


def _elementwise(expression, dtype, reference, *inputs):
    loads = "\n".join(f"{name} = tl.load({name} + i)" for name, _ in zip("abc", inputs))
    said = _judged(f"{loads}\ntl.store(out + i, {expression})", dtype, reference, *inputs)
    assert said == "PASSED", f"{expression} as {dtype}: {said}"


def _same(function):
    """The answer itself, as torch computes it in its dtype: to the last bit."""
    return lambda *inputs: function(*inputs)


def sums_of_bfloat16_are_rounded_each():
    values = torch.full((256,), 1.0).bfloat16()
    values[0] = 256.0  # 256 + 1 is 256 in bfloat16, so a sum in float32 has another value
    said = _judged("tl.store(out + i, tl.load(a + i) + 1.0)", "bfloat16", lambda a: a + 1, values)
    assert said == "PASSED", said
    said = _judged("v = tl.load(a + i)\ntl.store(out + i, (v + v + v + v).to(tl.float32))", "float32",
                   lambda a: 4 * a, values)
    assert said == "PASSED", said
    said = _judged("v = tl.load(a + i)\ntl.store(out + i, (v + 1.0 - v).to(tl.float32))", "float32",
                   lambda a: torch.where(a > 200, 0.0, 1.0), values)
    assert said == "PASSED", said


def integers_wrap_and_divide_towards_zero():
    a = torch.tensor([7, -7, 2**31 - 1, -(2**31), 13, -13, 1, 0], dtype=torch.int32)
    b = torch.tensor([2, 2, 1, 3, -5, -5, 7, 9], dtype=torch.int32)
    whole = lambda a, b: torch.div(a, b, rounding_mode="trunc")
    _elementwise("a // b", "int32", whole, a, b)
    _elementwise("a % b", "int32", lambda a, b: torch.fmod(a, b), a, b)
    _elementwise("a + a", "int32", lambda a, b: a + a, a, b)
    _elementwise("a * b", "int32", lambda a, b: a * b, a, b)
    _elementwise("a >> 3", "int32", lambda a, b: a >> 3, a, b)
    _elementwise("a << b.to(tl.int32, bitcast=True) % 4", "int32", lambda a, b: a << torch.fmod(b, 4).clamp(min=0),
                 a, b.abs())
    _elementwise("a & b | a ^ b", "int32", lambda a, b: a & b | a ^ b, a, b)


def unsigned_integers_are_not_negative():
    a = torch.tensor([0, 1, 127, 128, 255, 200, 3, 250], dtype=torch.uint8)
    _elementwise("a.to(tl.int32)", "int32", lambda a: a.int(), a)
    _elementwise("a.to(tl.float32)", "float32", lambda a: a.float(), a)
    _elementwise("(a > 127).to(tl.int32)", "int32", lambda a: (a > 127).int(), a)
    _elementwise("(a // 3).to(tl.int32)", "int32", lambda a: (a // 3).int(), a)
    _elementwise("tl.maximum(a, 128).to(tl.int32)", "int32", lambda a: a.int().clamp(min=128), a)
    _elementwise("a.to(tl.int8).to(tl.int32)", "int32", lambda a: a.view(torch.int8).int(), a)


def floats_become_integers_towards_zero():
    a = torch.tensor([1.5, -1.5, 2.99, -2.99, 1e20, -1e20, float("nan"), 0.0])
    right = torch.tensor([1, -1, 2, -2, 2**31 - 1, -(2**31), 0, 0])
    _elementwise("a.to(tl.int32)", "int32", lambda a: right, a)


def comparisons_with_nan_are_false():
    a = torch.tensor([1.0, float("nan"), 2.0, float("nan")])
    b = torch.tensor([1.0, 1.0, float("nan"), float("nan")])
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        for sign in ("<", "<=", ">", ">=", "==", "!="):
            _elementwise(f"(a {sign} b).to(tl.int32)", "int32", eval(f"lambda a, b: (a {sign} b).int()"), a.to(dtype),
                         b.to(dtype))


def minimum_and_maximum_leave_nan_out():
    a = torch.tensor([1.0, float("nan"), 2.0, -3.0])
    b = torch.tensor([2.0, 1.0, float("nan"), -4.0])
    _elementwise("tl.maximum(a, b)", "float32", torch.fmax, a, b)
    _elementwise("tl.minimum(a, b)", "float32", torch.fmin, a, b)
    said = _judged("a = tl.load(a + i)\nb = tl.load(b + i)\n"
                   "m = tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)\ntl.store(out + i, (m == m).to(tl.int32))",
                   "int32", lambda a, b: (torch.maximum(a, b) == torch.maximum(a, b)).int(), a, b)
    assert said == "PASSED", said


def conversions_to_8_bits_stay_finite():
    a = torch.tensor([1.0, 17.0, 449.0, 1e9, -1e9, 0.001, 0.3, -0.0])
    right = lambda a: a.clamp(-448, 448).float().to(torch.float8_e4m3fn).float()
    _elementwise("a.to(tl.float8e4nv).to(tl.float32)", "float32", right, a)
    _elementwise("a.to(tl.float8e5).to(tl.float32)", "float32",
                 lambda a: a.clamp(-57344, 57344).float().to(torch.float8_e5m2).float(), a)
    _elementwise('a.to(tl.bfloat16, fp_downcast_rounding="rtz").to(tl.float32)', "float32",
                 lambda a: (a.float().view(torch.int32) & -65536).view(torch.float32), a)


def functions_agree_with_torch():
    a = torch.linspace(0.1, 3, 64)
    for name in ("exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "rsqrt", "floor", "ceil", "erf"):
        _elementwise(f"tl.{name}(a)", "float32", getattr(torch, name), a)
    _elementwise("tl.sigmoid(a)", "float32", torch.sigmoid, a)
    _elementwise("tl.abs(-a)", "float32", torch.abs, a)
    _elementwise("tl.fma(a, a, 1.0)", "float32", lambda a: a * a + 1, a)
    _elementwise("tl.clamp(a, 1.0, 2.0)", "float32", lambda a: a.clamp(1, 2), a)
    for name in ("tanh", "expm1", "log1p", "atan", "sinh", "cosh", "rint", "trunc", "cbrt"):
        right = (lambda a: a ** (1 / 3)) if name == "cbrt" else torch.round if name == "rint" else getattr(torch, name)
        _elementwise(f"libdevice.{name}(a)", "float32", right, a)
    _elementwise("libdevice.pow(a, 2.5)", "float32", lambda a: a ** 2.5, a)


def scans_and_sorts():
    a = torch.randn(64, generator=torch.Generator().manual_seed(1))
    _elementwise("tl.cumsum(a, 0)", "float32", lambda a: a.cumsum(0), a)
    _elementwise("tl.cumsum(a, 0, reverse=True)", "float32", lambda a: a.flip(0).cumsum(0).flip(0), a)
    _elementwise("tl.cumprod(a * 0.1 + 1, 0)", "float32", lambda a: (a * 0.1 + 1).cumprod(0), a)
    _elementwise("tl.sort(a)", "float32", lambda a: a.sort()[0], a)
    _elementwise("tl.flip(a, 0)", "float32", lambda a: a.flip(0), a)
    _elementwise("tl.full((B,), 0, tl.int32) + tl.argmin(a, 0)", "int32", lambda a: a.argmin().expand(64).int(), a)
    _elementwise("tl.gather(a, (i + 1) % B, 0)", "float32", lambda a: a.roll(-1), a)


def histograms_count():
    a = torch.randint(0, 64, (64,), dtype=torch.int32)
    _elementwise("tl.histogram(a, B)", "int32", lambda a: torch.bincount(a, minlength=64).int(), a)


def products_by_precision():
    body = """r = tl.arange(0, 16)
x = tl.load(a + r[:, None] * 16 + r[None, :])
y = tl.load(b + r[:, None] * 16 + r[None, :])
tl.store(out + r[:, None] * 16 + r[None, :], tl.dot(x, y, input_precision="{}"))"""
    a, b = torch.randn(2, 256, generator=torch.Generator().manual_seed(2))
    cut = lambda x: (x.float().view(torch.int32) & -8192).view(torch.float32).double()
    exact = lambda a, b: (a.view(16, 16) @ b.view(16, 16)).flatten()
    for precision, right in (("ieee", exact), ("tf32", lambda a, b: exact(cut(a), cut(b))), ("tf32x3", exact),
                             ("bf16x6", exact)):
        said = _judged(body.format(precision), "float32", right, a, b)
        assert said == "PASSED", f"{precision}: {said}"
    said = _judged(body.format("tf32"), "float32", exact, a, b)
    assert said.startswith("WRONG"), said


def atomics_meet_in_one_element():
    a = torch.ones(64)
    body = """tl.store(out + i, 0.0)
tl.debug_barrier()
old = tl.atomic_add(out + i * 0, tl.load(a + i))"""
    said = _judged(body, "float32", lambda a: torch.tensor([64.0] + [0.0] * 63), a)
    assert said == "PASSED", said


def unknown_operations_have_no_verdict():
    a = torch.ones(64)
    said = _judged('v = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [tl.load(a + i)], tl.float32, True, 1)\n'
                   "tl.store(out + i, v)", "float32", lambda a: a, a)
    assert said.startswith("NOT_EMULATED inline assembly mov.b32 $0, $1;, main.py:8, kernel kernel"), said
    said = _judged("x = tl.load(a + i).to(tl.float8e5)\ntl.store(out + i, (x + x).to(tl.float32))", "float32",
                   lambda a: a, a)
    assert said.startswith("NOT_EMULATED arith.addf of f8E5M2, which has no such operation"), said


def a_front_end_that_refuses_is_an_error_of_the_candidate():
    said = _judged("tl.store(out + i, tl.load(a + i) + tl.arange(0, 3))", "float32", lambda a: a, torch.ones(64))
    assert said.startswith("ERROR CompilationError: ") and said.endswith(", main.py:8, kernel kernel"), said
    assert "power of 2" in said, said


def _program(text, *inputs, reference=lambda a: a, seeds=(0, 1, 2)):
    return judging.judge("import torch, triton, triton.language as tl\n" + text, inputs, reference, seeds)


WAITING = """
@triton.jit
def kernel(a, out, flag, n):
    p = tl.program_id(0)
    if p > 0:
        while tl.atomic_add(flag + p - 1, 0) == 0:
            pass
    before = tl.load(out + p - 1, mask=p > 0, other=0.0)
    tl.store(out + p, before + tl.load(a + p))
    tl.atomic_xchg(flag + {written}, 1)

def run(a):
    out, flag = torch.empty_like(a), torch.zeros(8, dtype=torch.int32, device="cuda")
    kernel[(8,)](a, out, flag, 8)
    return out
"""


def programs_may_wait_for_those_before_them():
    said = _program(WAITING.format(written="p"), torch.ones(8), reference=lambda a: a.cumsum(0))
    assert said == "PASSED", said
    said = _program(WAITING.format(written="p * 0"), torch.ones(8))
    assert said.startswith("NOT_EMULATED a program that waits for another one"), said


TUNED = """
@triton.autotune([triton.Config({{"B": 16}}), triton.Config({{"B": 64}}), triton.Config({{"B": 128}})], key=[])
@triton.jit
def kernel(a, out, B: tl.constexpr):
    tl.static_assert(B > 16)
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(a + i))

def run(a):
    out = torch.empty_like(a)
    kernel[(1,)](a, out)
    assert kernel.best_config.kwargs["B"] == 64
    {more}
    return out
"""


def the_first_configuration_that_compiles_is_taken():
    said = _program(TUNED.format(more=""), torch.ones(64))
    assert said == "PASSED", said


def streams_and_events_of_the_host_are_not_emulated():
    for name in ("Stream", "Event", "CUDAGraph"):
        said = _program(TUNED.format(more=f"torch.cuda.{name}()"), torch.ones(64))
        assert said == f"NOT_EMULATED torch.cuda.{name}, in the candidate's host code", said


def host_code_finds_a_device():
    more = """assert torch.cuda.is_available() and torch.cuda.current_device() == 0 and a.get_device() == 0
    assert torch.cuda.get_device_capability() == (9, 0) and triton.runtime.driver.active.get_current_target().arch == 90
    b = torch.arange(64, device=a.device).to("cuda:0") + torch.zeros(64, device="cuda").cuda()
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.current_stream()):
        assert b.is_cuda and (b - torch.arange(64)).abs().max().item() == 0"""
    said = _program(TUNED.format(more=more), torch.ones(64))
    assert said == "PASSED", said
