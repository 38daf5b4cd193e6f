import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, values, indices, n, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + column, mask=column < n, other=-float("inf")).to(tl.float32)
    for i in tl.static_range(K):
        best, at = tl.max(v, 0, return_indices=True)
        tl.store(values + row * K + i, best.to(values.dtype.element_ty))
        tl.store(indices + row * K + i, at)
        v = tl.where(column == at, -float("inf"), v)


def run(x):
    K = 4
    values = torch.empty((x.shape[0], K), dtype=x.dtype, device=x.device)
    indices = torch.empty((x.shape[0], K), dtype=torch.int32, device=x.device)
    kernel[(x.shape[0],)](x, values, indices, x.shape[1], K=K, BLOCK=triton.next_power_of_2(x.shape[1]))
    return values, indices
