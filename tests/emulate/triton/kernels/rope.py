import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def kernel(x, out, heads, D: tl.constexpr, HALF: tl.constexpr):
    token, head = tl.program_id(0), tl.program_id(1)
    i = tl.arange(0, HALF)
    angle = token * libdevice.pow(10000.0, -2.0 * i.to(tl.float32) / D)
    at = (token * heads + head) * D + i
    a = tl.load(x + at).to(tl.float32)
    b = tl.load(x + at + HALF).to(tl.float32)
    tl.store(out + at, (a * tl.cos(angle) - b * tl.sin(angle)).to(out.dtype.element_ty))
    tl.store(out + at + HALF, (b * tl.cos(angle) + a * tl.sin(angle)).to(out.dtype.element_ty))


def run(x):
    out = torch.empty_like(x)
    tokens, heads, d = x.shape
    kernel[(tokens, heads)](x, out, heads, D=d, HALF=d // 2)
    return out
