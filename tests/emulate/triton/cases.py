"""Kernels of the kinds that people write: their definitions, and spoilt copies of them.

A spoilt copy is a text and what stands in its place; the last word says how it must be noticed: WRONG for a wrong
answer, else the kind of fault (of two, the order of programs
says which comes first), or ERROR of the front end.
"""

DTYPES = ("float32", "float16", "bfloat16")


class Case:
    """Inputs and outputs are names with axes, as "x: rows n", the first axis varies; a dtype that is not the case's
    follows, as "scales: rows float32". `reference` is the body of run()."""

    def __init__(self, file, axes, inputs, outputs, reference, *spoilt):
        self.file, self.axes, self.inputs, self.outputs = file, axes, inputs, outputs
        self.reference, self.spoilt = reference, spoilt


ROPE = """
    tokens, _, d = x.shape
    i = torch.arange(d // 2)
    angle = torch.arange(tokens)[:, None, None] * 10000.0 ** (-2.0 * i / d)
    a, b = x[..., :d // 2].float(), x[..., d // 2:].float()
    return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1).to(x.dtype)"""
ATTENTION = """
    n = q.shape[1]
    scores = q.float() @ k.float().transpose(1, 2) * q.shape[2] ** -0.5
    hidden = torch.ones(n, n).triu(1).bool()
    return (scores.masked_fill(hidden, -torch.inf).softmax(-1) @ v.float()).to(q.dtype)"""
QUANTISE = """
    scales = x.float().abs().amax(-1).clamp(min=1e-12) / 448.0
    return (x.float() / scales[:, None]).to(torch.float8_e4m3fn), scales"""
TOPK = """
    values, indices = x.float().topk(4)
    return values.to(x.dtype), indices.int()"""
CROSS_ENTROPY = """
    labels = numbers.remainder(logits.shape[1])
    used = torch.arange(len(labels)) != 1
    losses = torch.nn.functional.cross_entropy(logits.float(), labels, reduction="none") * used
    chosen = torch.nn.functional.one_hot(labels, logits.shape[1])
    return losses, ((logits.float().softmax(-1) - chosen) * used[:, None]).to(logits.dtype)"""
RMSNORM = """
    v = x.float()
    return (v * torch.rsqrt(v.pow(2).mean(-1, keepdim=True) + 1e-6) * w.float()).to(x.dtype)"""
LAYERNORM = """
    v = x.float()
    return torch.nn.functional.layer_norm(v, v.shape[-1:], w.float(), b.float(), 1e-5).to(x.dtype), v.mean(-1)"""
MATMUL = """
    return (a.float() @ b.float().T).to(a.dtype)"""

CASES = (
    Case("rmsnorm", dict(rows=5, n=300), "x: rows n, w: n", "out: rows n", RMSNORM,
         ("tl.sum(total) / n", "tl.sum(total.to(tl.bfloat16)).to(tl.float32) / n", "WRONG"),
         ("y.to(out.dtype.element_ty), mask=inside", "y.to(out.dtype.element_ty)", "RACE|OUT_OF_BOUNDS"),
         ("tl.store(out + row * stride", "tl.store(out + row * n + 1", "OUT_OF_BOUNDS"),
         ("tl.sum(total) / n", "tl.sum(total) / BLOCK", "WRONG"),
         ("total = tl.zeros((BLOCK,), tl.float32)", "total = tl.zeros((BLOCK,), tl.bfloat16)", "ERROR"),
         ("x.stride(0)", "x.stride(1)", "RACE")),
    Case("layernorm", dict(rows=4, n=200), "x: rows n, w: n, b: n", "out: rows n, mean: rows float32", LAYERNORM,
         ("variance = tl.sum(centred * centred, 0) / n", "variance = tl.sum(centred * centred, 0) / (n - 1)", "WRONG"),
         ("tl.where(inside, v - mean, 0.0)", "v - mean", "WRONG"),
         ("x + row * n + column, mask=inside, other=0.0", "x + row * n + column", "OUT_OF_BOUNDS"),
         ("mean_out + row, mean", "mean_out, mean", "RACE")),
    Case("softmax", dict(rows=9, n=200), "x: rows n", "out: rows n", "\n    return x.float().softmax(-1).to(x.dtype)",
         ("e / tl.sum(e, axis=0)", "e / tl.sum(e.to(tl.bfloat16), axis=0).to(tl.float32)", "WRONG"),
         ('other=-float("inf")', "other=0.0", "WRONG"),
         ("tl.exp(v - tl.max(v, axis=0))", "tl.exp((v - tl.max(v, axis=0)) * 1.02)", "WRONG"),
         ("tl.range(first, rows, tl.num_programs(0))", "tl.range(first, rows - 1, tl.num_programs(0))", "UNWRITTEN"),
         ("tl.range(first, rows, tl.num_programs(0))", "tl.range(first, rows + 1, tl.num_programs(0))", "OUT_OF_BOUNDS")),
    Case("matmul", dict(m=70, n=50, k=100), "a: m k, b: n k", "out: m n", MATMUL,
         ("mask=k[None, :] < K - step * BK, other=0.0", "mask=k[None, :] < K, other=0.0", "OUT_OF_BOUNDS"),
         ("b.stride(0), b.stride(1)", "b.stride(1), b.stride(0)", "OUT_OF_BOUNDS"),
         ("tl.zeros((BM, BN), dtype=tl.float32)", "tl.zeros((BM, BN), dtype=tl.float16)", "ERROR"),
         ("tl.cdiv(K, BK)", "K // BK", "WRONG"),
         ("mask=inside", "mask=m[:, None] < M", "RACE|OUT_OF_BOUNDS"),
         ("size = min(down - first, GROUP)", "size = GROUP", "UNWRITTEN")),
    Case("descriptor_matmul", dict(m=70, n=48, k=96), "a: m k, b: n k", "out: m n", MATMUL,
         ("tl.cdiv(K, BK)", "tl.cdiv(K, BK) - 1", "WRONG"),
         ("shape=[M, N], strides=[N, 1]", "shape=[M, N + 8], strides=[N, 1]", "RACE|OUT_OF_BOUNDS"),
         ("x, y.T", "x, x", "WRONG"),
         ("[i * BM, j * BN], total", "[j * BM, i * BN], total", "UNWRITTEN")),
    Case("attention", dict(heads=2, n=40, d=32), "q: heads n d, k: heads n d, v: heads n d", "out: heads n d", ATTENTION,
         ("columns[None, :] <= rows[:, None]", "columns[None, :] < rows[:, None]", "WRONG"),
         ("total = total * fade", "total = total", "WRONG"),
         ("head = tl.program_id(1) * n * D", "head = tl.program_id(1) * (n + 1) * D", "OUT_OF_BOUNDS"),
         ("scale * 1.4426950408889634", "scale", "WRONG"),
         ("tl.load(q + head + rows[:, None] * D + d[None, :], mask=rows[:, None] < n, other=0.0)",
          "tl.load(q + head + rows[:, None] * D + d[None, :])", "OUT_OF_BOUNDS")),
    Case("quantise", dict(rows=6, n=100), "x: rows n", "codes: rows n float8_e4m3fn, scales: rows float32", QUANTISE,
         ("LARGEST=448.0", "LARGEST=240.0", "WRONG"),
         ("v / scale", "v * scale", "WRONG"),
         ("codes + row * n + column", "codes + row * BLOCK + column", "OUT_OF_BOUNDS"),
         ("tl.max(tl.abs(v))", "tl.max(v)", "WRONG"),
         ("scales + row, scale", "scales + row + 1, scale", "OUT_OF_BOUNDS")),
    Case("topk", dict(rows=4, n=120, k=4), "x: rows n", "values: rows k, indices: rows k int32", TOPK,
         ("column == at", "column == at + 1", "WRONG"),
         ('other=-float("inf")', "other=200.0", "WRONG"),
         ("indices + row * K + i", "indices + row * K + i + 1", "OUT_OF_BOUNDS"),
         ("x + row * n", "x + row * BLOCK", "OUT_OF_BOUNDS")),
    Case("split_sum", dict(rows=3, n=300), "x: rows n", "sums: rows", "\n    return x.float().sum(-1).to(x.dtype)",
         ("tl.atomic_add(sums + row, tl.sum(v))", "tl.store(sums + row, tl.load(sums + row) + tl.sum(v))", "RACE"),
         ("torch.zeros(x.shape[0]", "torch.empty(x.shape[0]", "UNINITIALISED"),
         ("triton.cdiv(x.shape[1], 64)", "x.shape[1] // 64", "WRONG"),
         ("sums + row", "sums + row * 2", "OUT_OF_BOUNDS")),
    Case("rope", dict(tokens=6, heads=3, d=64), "x: tokens heads d", "out: tokens heads d", ROPE,
         ("b * tl.cos(angle) + a", "b * tl.cos(angle) - a", "WRONG"),
         ("(token * heads + head) * D + i", "(token * heads + head) * D + i * 2", "RACE|OUT_OF_BOUNDS"),
         ("tl.program_id(0), tl.program_id(1)", "tl.program_id(1), tl.program_id(0)", "RACE"),
         ("out + at + HALF, (b", "out + at, (b", "UNWRITTEN")),
    Case("cross_entropy", dict(rows=5, n=300), "logits: rows n, numbers: rows int64", "losses: rows float32, gradients: rows n",
         CROSS_ENTROPY,
         ("if label == -100:", "if label == -1:", "WRONG"),
         ("total = total * tl.exp(m - new)", "total = total", "WRONG"),
         ("p = tl.where(label == -100, 0.0, p)", "p = p", "WRONG"),
         ("torch.empty_like(logits)", "torch.empty_like(logits[:, 1:])", "OUT_OF_BOUNDS")),
)
