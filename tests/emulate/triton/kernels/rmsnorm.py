import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 128}), triton.Config({"BLOCK": 256}, num_warps=8)], key=["n"])
@triton.jit
def kernel(x, w, out, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        column = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * stride + column, mask=column < n, other=0.0).to(tl.float32)
        total += v * v
    scale = tl.rsqrt(tl.sum(total) / n + eps)
    for start in range(0, n, BLOCK):
        column = start + tl.arange(0, BLOCK)
        inside = column < n
        v = tl.load(x + row * stride + column, mask=inside, other=0.0).to(tl.float32)
        y = v * scale * tl.load(w + column, mask=inside, other=0.0)
        tl.store(out + row * stride + column, y.to(out.dtype.element_ty), mask=inside)


def run(x, w):
    assert x.is_cuda and x.device.type == "cuda"
    out = torch.empty_like(x)
    with torch.cuda.device(x.device):
        kernel[(x.shape[0],)](x, w, out, x.stride(0), x.shape[1], 1e-6)
    return out
