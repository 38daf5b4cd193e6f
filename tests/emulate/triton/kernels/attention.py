import torch
import triton
import triton.language as tl


@triton.jit
def tile(q, k_at, v_at, m, total, acc, rows, columns, n, scale):
    k = tl.load(k_at, mask=columns[:, None] < n, other=0.0)
    scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    visible = (columns[None, :] <= rows[:, None]) & (columns[None, :] < n)
    scores = tl.where(visible, scores, -float("inf"))
    new = tl.maximum(m, tl.max(scores, 1))
    p = tl.exp2(scores - new[:, None])
    fade = tl.exp2(m - new)
    total = total * fade + tl.sum(p, 1)
    v = tl.load(v_at, mask=columns[:, None] < n, other=0.0)
    acc = tl.dot(p.to(v.dtype), v, acc * fade[:, None], input_precision="ieee")
    return new, total, acc


@triton.jit
def kernel(q, k, v, out, n, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1) * n * D
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    queries = tl.load(q + head + rows[:, None] * D + d[None, :], mask=rows[:, None] < n, other=0.0)
    m = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in range(0, tl.minimum((tl.program_id(0) + 1) * BM, n), BN):
        columns = start + tl.arange(0, BN)
        at = head + columns[:, None] * D + d[None, :]
        m, total, acc = tile(queries, k + at, v + at, m, total, acc, rows, columns, n, scale * 1.4426950408889634)
    tl.store(out + head + rows[:, None] * D + d[None, :], (acc / total[:, None]).to(out.dtype.element_ty),
             mask=rows[:, None] < n)


def run(q, k, v):
    heads, n, d = q.shape
    out = torch.empty_like(q)
    kernel[(triton.cdiv(n, 16), heads)](q, k, v, out, n, d ** -0.5, D=d, BM=16, BN=16)
    return out
