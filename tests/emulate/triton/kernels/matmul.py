import torch
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, M, N, K, a_row, a_column, b_row, b_column, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           GROUP: tl.constexpr):
    number = tl.program_id(0)
    down, across = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = number // (GROUP * across)
    first = group * GROUP
    size = min(down - first, GROUP)
    i = first + (number % (GROUP * across)) % size
    j = (number % (GROUP * across)) // size
    m = (i * BM + tl.arange(0, BM)) % M
    n = (j * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a_at = a + m[:, None] * a_row + k[None, :] * a_column
    b_at = b + k[:, None] * b_row + n[None, :] * b_column
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        x = tl.load(a_at, mask=k[None, :] < K - step * BK, other=0.0)
        y = tl.load(b_at, mask=k[:, None] < K - step * BK, other=0.0)
        total = tl.dot(x, y, total, input_precision="ieee")
        a_at += BK * a_column
        b_at += BK * b_row
    m = i * BM + tl.arange(0, BM)
    n = j * BN + tl.arange(0, BN)
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c + m[:, None] * N + n[None, :], total.to(c.dtype.element_ty), mask=inside)


def run(a, b):
    M, K = a.shape
    N = b.shape[0]
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    grid = lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]),)
    b = b.T
    kernel[grid](a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1), BM=32, BN=32, BK=32, GROUP=2)
    return c
