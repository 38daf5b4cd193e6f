import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, w, b, out, mean_out, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < n
    v = tl.load(x + row * n + column, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(v, 0) / n
    centred = tl.where(inside, v - mean, 0.0)
    variance = tl.sum(centred * centred, 0) / n
    y = centred / tl.sqrt(variance + eps)
    y = y * tl.load(w + column, mask=inside).to(tl.float32) + tl.load(b + column, mask=inside).to(tl.float32)
    tl.store(out + row * n + column, y, mask=inside)
    tl.store(mean_out + row, mean)


def run(x, w, b):
    n = x.shape[-1]
    out = torch.empty_like(x)
    mean = torch.empty(x.shape[0], device="cuda", dtype=torch.float32)
    kernel[(x.shape[0],)](x, w, b, out, mean, n, 1e-5, BLOCK=triton.next_power_of_2(n))
    return out, mean
