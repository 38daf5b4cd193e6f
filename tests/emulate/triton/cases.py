"""Kernels of the kinds that people write: their inputs, what they compute in double precision, and spoilt copies.

A spoilt copy is a text and what stands in its place; the last word says how it must be noticed: WRONG for a wrong
answer, else the kind of fault.
"""
import torch

DTYPES = (torch.float32, torch.float16, torch.bfloat16)


class Case:
    def __init__(self, file, inputs, reference, *spoilt):
        self.file, self.inputs, self.reference, self.spoilt = file, inputs, reference, spoilt


def normal(*shape):
    return lambda dtype: torch.randn(shape).to(dtype)


def small(*shape):
    """Whose sums of products are of the order of 1."""
    return lambda dtype: (torch.randn(shape) / shape[-1] ** 0.5).to(dtype)


def large_mean(*shape):
    return lambda dtype: (torch.randn(shape) * 0.25 + 1).to(dtype)


def labels(rows, classes):
    def draw(dtype):
        drawn = torch.randint(0, classes, (rows,))
        drawn[1] = -100
        return drawn
    return draw


def rmsnorm(x, w):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w


def layernorm(x, w, b):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], w, b, 1e-5), x.mean(-1)


def attention(q, k, v):
    n = q.shape[1]
    scores = q @ k.transpose(1, 2) * q.shape[2] ** -0.5
    hidden = torch.ones(n, n).triu(1).bool()
    return scores.masked_fill(hidden, -torch.inf).softmax(-1) @ v


def quantise(x):
    """Codes are compared with what the device's conversion makes of the quotients."""
    scale = x.float().abs().amax(-1, keepdim=True).clamp(min=1e-12) / 448.0
    return (x.float() / scale).to(torch.float8_e4m3fn).double(), scale[:, 0].double()


def topk(x):
    values, indices = x.topk(4)
    return values, indices.double()


def rope(x):
    tokens, _, d = x.shape
    i = torch.arange(d // 2, dtype=torch.float64)
    angle = torch.arange(tokens, dtype=torch.float64)[:, None, None] * 10000.0 ** (-2 * i / d)
    a, b = x[..., :d // 2], x[..., d // 2:]
    return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)


def cross_entropy(logits, labels):
    used = labels != -100
    losses = torch.nn.functional.cross_entropy(logits, labels, reduction="none")
    chosen = torch.nn.functional.one_hot(labels.clamp(min=0), logits.shape[1])
    return losses, (logits.softmax(-1) - chosen) * used[:, None]


CASES = (
    Case("rmsnorm", (large_mean(5, 300), normal(300)), rmsnorm,
         ("tl.sum(total) / n", "tl.sum(total.to(tl.bfloat16)).to(tl.float32) / n", "WRONG"),
         ("y.to(out.dtype.element_ty), mask=inside", "y.to(out.dtype.element_ty)", "RACE"),
         ("tl.store(out + row * stride", "tl.store(out + row * n + 1", "OUT_OF_BOUNDS"),
         ("tl.sum(total) / n", "tl.sum(total) / BLOCK", "WRONG"),
         ("total = tl.zeros((BLOCK,), tl.float32)", "total = tl.zeros((BLOCK,), tl.bfloat16)", "ERROR"),
         ("x.stride(0)", "x.stride(1)", "RACE")),
    Case("layernorm", (large_mean(4, 200), normal(200), normal(200)), layernorm,
         ("variance = tl.sum(centred * centred, 0) / n", "variance = tl.sum(centred * centred, 0) / (n - 1)", "WRONG"),
         ("tl.where(inside, v - mean, 0.0)", "v - mean", "WRONG"),
         ("x + row * n + column, mask=inside, other=0.0", "x + row * n + column", "OUT_OF_BOUNDS"),
         ("mean_out + row, mean", "mean_out, mean", "RACE")),
    Case("softmax", (normal(9, 200),), lambda x: x.softmax(-1),
         ("e / tl.sum(e, axis=0)", "e / tl.sum(e.to(tl.bfloat16), axis=0).to(tl.float32)", "WRONG"),
         ('other=-float("inf")', "other=0.0", "WRONG"),
         ("tl.exp(v - tl.max(v, axis=0))", "tl.exp((v - tl.max(v, axis=0)) * 1.02)", "WRONG"),
         ("tl.range(first, rows, tl.num_programs(0))", "tl.range(first, rows - 1, tl.num_programs(0))", "UNWRITTEN"),
         ("tl.range(first, rows, tl.num_programs(0))", "tl.range(first, rows + 1, tl.num_programs(0))", "OUT_OF_BOUNDS")),
    Case("matmul", (small(70, 100), small(50, 100)), lambda a, b: a @ b.T,
         ("mask=k[None, :] < K - step * BK, other=0.0", "mask=k[None, :] < K, other=0.0", "OUT_OF_BOUNDS"),
         ("b.stride(0), b.stride(1)", "b.stride(1), b.stride(0)", "OUT_OF_BOUNDS"),
         ("tl.zeros((BM, BN), dtype=tl.float32)", "tl.zeros((BM, BN), dtype=tl.float16)", "ERROR"),
         ("tl.cdiv(K, BK)", "K // BK", "WRONG"),
         ("mask=inside", "mask=m[:, None] < M", "RACE"),
         ("size = min(down - first, GROUP)", "size = GROUP", "UNWRITTEN")),
    Case("descriptor_matmul", (small(70, 96), small(50, 96)), lambda a, b: a @ b.T,
         ("tl.cdiv(K, BK)", "tl.cdiv(K, BK) - 1", "WRONG"),
         ("shape=[M, N], strides=[N, 1]", "shape=[M, N + 8], strides=[N, 1]", "RACE"),
         ("x, y.T", "x, x", "WRONG"),
         ("[i * BM, j * BN], total", "[j * BM, i * BN], total", "UNWRITTEN")),
    Case("attention", (small(2, 40, 32), small(2, 40, 32), normal(2, 40, 32)), attention,
         ("columns[None, :] <= rows[:, None]", "columns[None, :] < rows[:, None]", "WRONG"),
         ("total = total * fade", "total = total", "WRONG"),
         ("head = tl.program_id(1) * n * D", "head = tl.program_id(1) * (n + 1) * D", "OUT_OF_BOUNDS"),
         ("scale * 1.4426950408889634", "scale", "WRONG"),
         ("tl.load(q + head + rows[:, None] * D + d[None, :], mask=rows[:, None] < n, other=0.0)",
          "tl.load(q + head + rows[:, None] * D + d[None, :])", "OUT_OF_BOUNDS")),
    Case("quantise", (normal(6, 100),), quantise,
         ("LARGEST=448.0", "LARGEST=240.0", "WRONG"),
         ("v / scale", "v * scale", "WRONG"),
         ("codes + row * n + column", "codes + row * BLOCK + column", "OUT_OF_BOUNDS"),
         ("tl.max(tl.abs(v))", "tl.max(v)", "WRONG"),
         ("scales + row, scale", "scales + row + 1, scale", "OUT_OF_BOUNDS")),
    Case("topk", (lambda dtype: torch.stack([torch.randperm(120) for _ in range(4)]).to(dtype),), topk,
         ("column == at", "column == at + 1", "WRONG"),
         ('other=-float("inf")', "other=200.0", "WRONG"),
         ("indices + row * K + i", "indices + row * K + i + 1", "OUT_OF_BOUNDS"),
         ("x + row * n", "x + row * BLOCK", "OUT_OF_BOUNDS")),
    Case("split_sum", (large_mean(3, 300),), lambda x: x.sum(-1),
         ("tl.atomic_add(sums + row, tl.sum(v))", "tl.store(sums + row, tl.load(sums + row) + tl.sum(v))", "RACE"),
         ("torch.zeros(x.shape[0]", "torch.empty(x.shape[0]", "UNINITIALISED"),
         ("triton.cdiv(x.shape[1], 64)", "x.shape[1] // 64", "WRONG"),
         ("sums + row", "sums + row * 2", "OUT_OF_BOUNDS")),
    Case("rope", (normal(6, 3, 64),), rope,
         ("b * tl.cos(angle) + a", "b * tl.cos(angle) - a", "WRONG"),
         ("(token * heads + head) * D + i", "(token * heads + head) * D + i * 2", "RACE"),
         ("tl.program_id(0), tl.program_id(1)", "tl.program_id(1), tl.program_id(0)", "RACE"),
         ("out + at + HALF, (b", "out + at, (b", "UNWRITTEN")),
    Case("cross_entropy", (normal(5, 300), labels(5, 300)), cross_entropy,
         ("if label == -100:", "if label == -1:", "WRONG"),
         ("total = total * tl.exp(m - new)", "total = total", "WRONG"),
         ("p = tl.where(label == -100, 0.0, p)", "p = p", "WRONG"),
         ("torch.empty_like(logits)", "torch.empty_like(logits[:, 1:])", "OUT_OF_BOUNDS")),
)
