"""Quantisation, indices and integers: tasks with right and wrong programs. Each section is one C++ source."""

TASKS = []
DTYPE = {"float32": 0, "float16": 1, "bfloat16": 2}
SHORT = {"float32": "f32", "float16": "f16", "bfloat16": "bf16"}

# Orders of a sum, all right (sums.h).
ORDERS = {0: "in order", 1: "backwards", 2: "pairwise", 3: "4 lanes", 4: "8 lanes", 5: "16 lanes", 6: "32 lanes",
          7: "3 parts", 8: "7 parts", 9: "Kahan", 10: "tiles of 16", 11: "tiles of 64", 12: "shuffled like atomics",
          13: "summed in double", 14: "fused multiply-add", 15: "2 parts"}
# Mistakes of a sum (sums.h).
SUMS = {1: "the last element is missing", 2: "the first element is missing", 3: "the last partial tile of 8 is lost",
        4: "accumulates in bfloat16", 5: "accumulates in float16", 6: "the last element is added twice",
        7: "lane 5 of 16 is lost", 8: "a race loses one element in a hundred",
        9: "terms are rounded to bfloat16", 10: "a race in one sum of fifty", 11: "terms are rounded to float16"}
# Mistakes on the way out (numbers.h).
OUTS = {1: "cut off instead of rounded", 2: "through bfloat16 on its way", 3: "through float16 on its way",
        4: "through tf32 on its way", 5: "0.1 % too large", 6: "0.5 % too large", 7: "1 % too large",
        8: "one element in 509 stays zero", 9: "the last row stays zero", 10: "the last column stays zero",
        11: "one element in 257 is doubled", 12: "every eighth row 2 % too large",
        13: "half of one tile of one row", 14: "one lane of 32 is 3 % too small", 15: "the sign is wrong",
        16: "the sign of one element in 600 is wrong", 17: "through float8 on its way"}


def axes(**lengths):
    """Axes: a number is const, None is var."""
    return {name: {"type": "var"} if n is None else {"type": "const", "value": n} for name, n in lengths.items()}


def tensors(**specs):
    """name="dtype a b": a tensor of these axes; "dtype" alone a scalar where `shape` is null."""
    return {name: {"shape": None if len(s.split()) == 1 else s.split()[1:], "dtype": s.split()[0]}
            for name, s in specs.items()}


def orders(*numbers, ways=None, start=""):
    """Right programs: orders of a sum, and for each of `ways` {number: name} the orders in turn."""
    out = [(f"{start}{ORDERS[n]}", True, [f"-DORDER={n}"]) for n in numbers]
    for k, (way, name) in enumerate((ways or {}).items()):
        n = numbers[(3 * k + 1) % len(numbers)]
        m = numbers[(5 * k + 2) % len(numbers)]
        out.append((f"{name}, {ORDERS[n]}", True, [f"-DWAY={way}", f"-DORDER={n}"]))
        if m != n and len(numbers) > 3:
            out.append((f"{name}, {ORDERS[m]}", True, [f"-DWAY={way}", f"-DORDER={m}"]))
    return out


def ways(names):
    return [(name, True, [f"-DWAY={n}"]) for n, name in names.items()]


def defects(names):
    return [(name, False, [f"-DDEFECT={n}"]) for n, name in names.items()]


def sums(*numbers):
    return [(f"sum: {SUMS[n]}", False, [f"-DSUM={n}"]) for n in numbers]


def outs(*numbers):
    return [(f"result: {OUTS[n]}", False, [f"-DOUT={n}"]) for n in numbers]


def task(name, op_type, what, source, flags, definition_axes, inputs, outputs, reference, var, programs, given=None):
    TASKS.append({
        "definition": {"name": name, "op_type": op_type, "description": what, "axes": definition_axes,
                       "inputs": inputs, "outputs": outputs, "reference": reference},
        "axes": var, "inputs": given or {}, "source": source, "flags": ["-O1", *flags], "truth": ["-DTRUTH=1"],
        "programs": programs})


POSITIVE = {"type": "random", "kind": "positive"}


def scalar(value):
    return {"type": "scalar", "value": value}


# ---- quantize.cpp: rows to 8-bit codes -------------------------------------------------------------------------
CODES = {0: ("int8", "torch.round(y / scale).clamp(-128, 127).to(torch.int8)", "127.0"),
         1: ("float8_e4m3fn", "(y / scale).clamp(-448.0, 448.0).to(torch.float8_e4m3fn)", "448.0"),
         2: ("float8_e5m2", "(y / scale).clamp(-57344.0, 57344.0).to(torch.float8_e5m2)", "57344.0")}
SYMMETRIC = {1: "the largest code of another format", 2: "codes cut off", 3: "codes rounded the wrong way",
             4: "the maximum misses one lane of 8", 5: "the maximum misses a partial tile",
             6: "the maximum is not of absolute values", 7: "a stale scale in every eighth row",
             8: "the inverse scale is stored", 9: "saturates too early", 10: "wraps instead of saturating",
             11: "the inverse scale in bfloat16", 26: "the maximum in bfloat16",
             27: "one lane of 8 cuts off", 16: "a running maximum over rows", 34: "the maximum begins at 1"}
NORMED = {12: "n - 1 in the mean", 13: "the weight is missing", 14: "the weight is one column off", 15: "1 + weight",
          18: "sum instead of mean", 32: "the first weight is never used"}
GATED = {19: "quick gelu", 20: "halves swapped", 21: "silu of the product", 22: "hard silu", 28: "tanh gelu",
         29: "relu", 33: "silu of both", 35: "2^-x in silu", 17: "the first column of a group has the group's before",
         31: "subnormal codes flushed"}

for code, dtype, name in ((0, "bfloat16", "rmsnorm_quant_int8_bf16"), (1, "float16", "rmsnorm_quant_e4m3_f16")):
    kind, convert, top = CODES[code]
    task(name, "quantize", "RMSNorm, then codes and a scale of each token", "quantize.cpp",
         ["-DPRE=1", f"-DCODE={code}", f"-DDTYPE={DTYPE[dtype]}"], axes(tokens=None, hidden=200),
         tensors(x=f"{dtype} tokens hidden", weight=f"{dtype} hidden"),
         tensors(codes=f"{kind} tokens hidden", scales="float32 tokens"), f"""import torch

def run(x, weight):
    y = x.float()
    y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-5) * weight.float()
    scale = y.abs().amax(-1, keepdim=True).clamp(min=1e-8) / {top}
    codes = {convert}
    return codes, scale.squeeze(-1)
""", {"tokens": 24},
         orders(0, 1, 2, 4, 5, 6, 7, 11, 12, 14, ways={1: "by the reciprocal", 2: "by top / maximum",
                                                       3: "scale by a reciprocal", 10: "rsqrt in double",
                                                       20: "factor times weight first"})
         + defects(SYMMETRIC | NORMED) + sums(1, 4, 7) + outs(8, 9, 12))

for code, dtype, name in ((1, "bfloat16", "silu_mul_quant_e4m3_bf16"), (0, "float16", "silu_mul_quant_int8_f16")):
    kind, convert, top = CODES[code]
    task(name, "quantize", "silu(gate) * up, then codes and a scale of each block of 32", "quantize.cpp",
         ["-DPRE=2", "-DGROUP=32", f"-DCODE={code}", f"-DDTYPE={DTYPE[dtype]}"],
         axes(tokens=None, double=384, inner=192, groups=6), tensors(x=f"{dtype} tokens double"),
         tensors(codes=f"{kind} tokens inner", scales="float32 tokens groups"), f"""import torch
import torch.nn.functional as F

def run(x):
    d = x.shape[1] // 2
    y = F.silu(x[:, :d].float()) * x[:, d:].float()
    y = y.view(x.shape[0], d // 32, 32)
    scale = y.abs().amax(-1, keepdim=True).clamp(min=1e-8) / {top}
    codes = {convert}
    return codes.view(x.shape[0], d), scale.squeeze(-1)
""", {"tokens": 24},
         orders(0, 1) + ways({t * 10 + k: f"{silu}, {div}" for t, silu in
                              enumerate(["x / (1 + exp)", "x times sigmoid", "exp2", "exp of -|x|"])
                              for k, div in enumerate(["division", "by the reciprocal", "by top / maximum"]) if t + k})
         + defects({k: v for k, v in (SYMMETRIC | GATED).items() if k not in (31, 33, 22)}) + outs(8, 11, 14))

task("quant_e5m2_f32", "quantize", "codes and a scale of each block of 32", "quantize.cpp",
     ["-DGROUP=32", "-DCODE=2", "-DDTYPE=0"], axes(tokens=None, hidden=160, groups=5),
     tensors(x="float32 tokens hidden"), tensors(codes="float8_e5m2 tokens hidden", scales="float32 tokens groups"),
     f"""import torch

def run(x):
    y = x.view(x.shape[0], x.shape[1] // 32, 32)
    scale = y.abs().amax(-1, keepdim=True).clamp(min=1e-8) / {CODES[2][2]}
    codes = {CODES[2][1]}
    return codes.view(x.shape[0], x.shape[1]), scale.squeeze(-1)
""", {"tokens": 32},
     orders(0, 1) + [(f"{name}{', backwards' if back else ''}", True, [f"-DWAY={way}", f"-DORDER={back}"] + more)
                     for way, name, more in ((1, "by the reciprocal", []), (2, "by top / maximum", []),
                                             (3, "scale by a reciprocal", []), (0, "in double", ["-DDOUBLE"]),
                                             (2, "by top / maximum in double", ["-DDOUBLE"])) for back in (0, 1)]
     + defects({k: v for k, v in SYMMETRIC.items() if k != 3} | {17: GATED[17]}) + outs(8, 9, 11, 12, 14, 16))

task("quant_asymmetric_int8_f32", "quantize", "int8 codes, scale and zero point of each row", "quantize.cpp",
     ["-DASYM=1", "-DCODE=0", "-DDTYPE=0"], axes(tokens=None, hidden=150), tensors(x="float32 tokens hidden"),
     tensors(codes="int8 tokens hidden", scales="float32 tokens", zeros="int32 tokens"), """import torch

def run(x):
    low = x.amin(-1, keepdim=True).clamp(max=0.0)
    high = x.amax(-1, keepdim=True).clamp(min=0.0)
    scale = (high - low).clamp(min=255e-8) / 255.0
    zero = torch.round(-128.0 - low / scale)
    codes = torch.round(x / scale + zero).clamp(-128, 127).to(torch.int8)
    return codes, scale.squeeze(-1), zero.squeeze(-1).to(torch.int32)
""", {"tokens": 40},
     orders(0, 1) + [(f"{name}{', backwards' if back else ''}", True, [f"-DWAY={way}", f"-DORDER={back}"] + more)
                     for way, name, more in ((1, "by the reciprocal", []), (2, "by 255 / range", []),
                                             (10, "rounded before the zero point", []), (0, "in double", ["-DDOUBLE"]),
                                             (11, "by the reciprocal, rounded before", []))
                     for back in (0, 1)]
     + defects({1: "256 steps", 36: "254 steps", 2: "codes cut off", 3: "codes by floor", 30: "codes by ceil",
                4: "range misses one lane of 8", 5: "range misses a partial tile",
                6: "range symmetric about zero", 7: "a stale scale in every eighth row", 8: "the inverse scale is stored",
                9: "saturates at 120", 10: "wraps instead of saturating", 26: "the minimum in bfloat16",
                11: "the inverse scale in bfloat16", 23: "zero point one too large", 24: "zero point cut off",
                25: "zero point not added", 27: "one lane of 8 by floor", 34: "range begins at 1",
                37: "zero point by floor", 38: "zero point with the other sign", 39: "positive zero points lost"})
     + outs(8, 9, 11, 14, 16))

# ---- gemm.cpp: quantised matrix products -----------------------------------------------------------------------
SCALED = {1: "the row scale of the row beside it", 3: "the column scale is missing", 15: "the row scale is missing",
          9: "columns of one tile swapped in pairs", 11: "the first column scale for all",
          13: "every sixteenth column has the tile's first scale", 14: "every eighth row has the tile's first scale",
          19: "the last row is a copy", 20: "the column scale in bfloat16", 23: "the sum in 16 bits before the scales"}
SIXTEEN = {"float32": [2, 3, 4, 5], "float16": [1, 5, 6], "bfloat16": [1, 6, 7]}
for dtype in ("float16", "bfloat16"):
    task(f"gemm_int8_{SHORT[dtype]}", "gemm", "int8 matrices, row and column scales, a bias", "gemm.cpp",
         ["-DKIND=0", f"-DDTYPE={DTYPE[dtype]}"], axes(m=None, n=80, k=100),
         tensors(a="int8 m k", b="int8 n k", row_max="float32 m", column_max="float32 n", bias=f"{dtype} n"),
         tensors(out=f"{dtype} m n"), f"""import torch

def run(a, b, row_max, column_max, bias):
    sums = a.float() @ b.float().t()
    return (sums * (row_max[:, None] / 127) * (column_max[None, :] / 127) + bias.float()).to(torch.{dtype})
""", {"m": 24},
         orders(0, 1, 2, 3, 4, 6, 7, 10, 12, 14, ways={1: "both scales multiplied first", 2: "column scale first"})
         + defects(SCALED | {2: "the next column's scale", 6: "sums of 4 saturate as int16", 7: "a taken as unsigned",
                             21: "the bias before the scales", 8: "128 for 127",
                             22: "the bias twice", 5: "the bias of the column before", 24: "the column scale by row",
                             25: "-128 becomes -127"})
         + sums(1, 4, 8) + outs(*SIXTEEN[dtype], 8, 12),
         {"row_max": POSITIVE, "column_max": POSITIVE})

INTEGER = {1: "the zero point of the row beside it", 2: "the zero point by column", 3: "no zero point",
           4: "the zero point with the other sign", 5: "the zero point one too large", 7: "a taken as unsigned",
           8: "b taken as unsigned", 9: "columns of one tile swapped in pairs", 14: "a tile's first zero point in some rows",
           16: "the sum through bfloat16", 17: "the sum through float16", 18: "the sum saturates as int16",
           19: "the sum through tf32", 20: "the zero point in 8 bits", 25: "-128 in b becomes -127",
           26: "-128 in a becomes 127", 27: "the difference wraps in 8 bits", 28: "products wrap in 16 bits"}
task("gemm_int8_int32", "gemm", "int8 matrices, a zero point of each row, int32 sums", "gemm.cpp",
     ["-DKIND=1", "-DDTYPE=0"], axes(m=None, n=80, k=100),
     tensors(a="int8 m k", b="int8 n k", zeros="int32 m"), tensors(out="int32 m n"), """import torch

def run(a, b, zeros):
    x = a.to(torch.int32) - zeros[:, None]
    return (x.double() @ b.double().t()).to(torch.int32)
""", {"m": 24},
     [(f"{ORDERS[n]} in {kind}", True, [f"-DORDER={n}", f"-DSUM_TYPE={kind}"])
      for n, kind in ((0, "int32_t"), (1, "int32_t"), (2, "int64_t"), (3, "int32_t"), (4, "double"), (6, "int32_t"),
                      (7, "int64_t"), (10, "int32_t"), (11, "double"), (12, "int32_t"))]
     + [(f"the zero point taken out, {kind}", True, ["-DWAY=1", f"-DSUM_TYPE={kind}"])
        for kind in ("int32_t", "int64_t", "double")]
     + defects(INTEGER) + sums(1, 3, 7, 8) + outs(9, 11)
     + [(name, False, ["-DWAY=1", f"-DDEFECT={n}"]) for n, name in
        ((29, "the weights' sum misses the last"), (30, "the correction twice"), (31, "the correction added"))],
     {"zeros": {"type": "random", "kind": "ids", "low": -300, "high": 300}})

task("gemm_e4m3_bf16", "gemm", "e4m3 matrices, row and column scales", "gemm.cpp", ["-DKIND=2", "-DDTYPE=2"],
     axes(m=None, n=80, k=108),
     tensors(a="float8_e4m3fn m k", b="float8_e4m3fn n k", row_scales="float32 m", column_scales="float32 n"),
     tensors(out="bfloat16 m n"), """import torch

def run(a, b, row_scales, column_scales):
    sums = a.float() @ b.float().t()
    return (sums * row_scales[:, None] * column_scales[None, :]).to(torch.bfloat16)
""", {"m": 24},
     orders(0, 1, 2, 3, 4, 5, 7, 9, 12, 14, ways={1: "both scales multiplied first", 2: "column scale first"})
     + defects(SCALED | {2: "the next column's scale", 17: "a taken as e5m2", 18: "small codes flushed"})
     + sums(1, 3, 4, 7, 8) + outs(1, 6, 7, 8, 11, 13, 14, 17), {"row_scales": POSITIVE, "column_scales": POSITIVE})

if True:
    task("gemm_e4m3_blocks_f32", "gemm", "e4m3 matrices, scales of 32 and of 32 x 32", "gemm.cpp",
         ["-DKIND=3", "-DDTYPE=0"], axes(m=None, n=96, k=128, blocks_k=4, blocks_n=3),
         tensors(a="float8_e4m3fn m k", b="float8_e4m3fn n k", a_scales="float32 m blocks_k",
                 b_scales="float32 blocks_n blocks_k"), tensors(out="float32 m n"), """import torch

def run(a, b, a_scales, b_scales):
    x = a.float() * a_scales.repeat_interleave(32, dim=1)
    w = b.float() * b_scales.repeat_interleave(32, dim=0).repeat_interleave(32, dim=1)
    return x @ w.t()
""", {"m": 24},
         orders(0, 1, 2, 3, 4, 6, 7, 9, 11, 13, 14, ways={1: "scaled after each block"})
         + [(f"scaled after each block, {ORDERS[n]}", True, ["-DWAY=1", f"-DORDER={n}"]) for n in (0, 3, 14)]
         + defects({1: "the scale of the row beside it", 3: "scales of b missing", 15: "scales of a missing",
                    9: "columns of one tile swapped in pairs", 10: "scales of b transposed",
                    11: "the first block's scales for all", 12: "blocks begin one early", 13: "columns' blocks begin one early",
                    14: "a tile's first scale in some rows", 16: "the last block's scales for all",
                    17: "a taken as e5m2", 18: "small codes flushed", 19: "the last row is a copy",
                    20: "scales of b in bfloat16"})
         + sums(1, 4, 5, 7, 8, 10) + outs(2, 3, 4, 5, 8, 11, 14), {"a_scales": POSITIVE, "b_scales": POSITIVE})

for dtype in ("float32", "float16", "bfloat16"):
    rights = orders(0, 1, 2, 3, 4, 5, 6, 7, 11, 14, ways={1: "summed by groups"}
                    | ({2: "zero point by fma", 3: "weights in 16 bits"} if dtype != "float32" else {}))
    task(f"gemm_int4_{SHORT[dtype]}", "gemm", "weights of 4 bits, scales and zero points of groups of 32", "gemm.cpp",
         ["-DKIND=4", f"-DDTYPE={DTYPE[dtype]}"], axes(m=None, n=64, k=128, half_k=64, groups=4, half_groups=2),
         tensors(a=f"{dtype} m k", b="int8 n half_k", scales=f"{dtype} n groups", zeros="int8 n half_groups"),
         tensors(out=f"{dtype} m n"), f"""import torch

def nibbles(packed):
    byte = packed.to(torch.int32) & 255
    return torch.stack((byte & 15, byte >> 4), dim=-1).flatten(-2)

def run(a, b, scales, zeros):
    q = nibbles(b) - nibbles(zeros).repeat_interleave(32, dim=1)
    w = q.float() * scales.float().repeat_interleave(32, dim=1)
    return (a.float() @ w.t()).to(torch.{dtype})
""", {"m": 24},
         rights + defects({13: "nibbles swapped", 14: "nibbles taken as signed", 15: "zero point one too large",
                           16: "zero points' nibbles swapped", 12: "groups begin one early", 11: "the first group for all",
                           10: "scales and zero points transposed", 27: "a zero point of 8 for all",
                           28: "the row's first scale in every sixteenth row", 29: "no zero point",
                           30: "the zero point is not scaled", 26: "the high nibble is shifted with its sign",
                           9: "columns of one tile swapped in pairs", 19: "the last row is a copy"})
         + sums(1, 4, 5, 8, 10) + outs(*SIXTEEN[dtype], 9, 14), {"scales": POSITIVE})

# ---- segment.cpp: ragged segments ------------------------------------------------------------------------------
RANGES = {1: "the end is taken as inside", 2: "the first row is skipped", 3: "the last row is skipped",
          4: "only the first 16 rows", 5: "the last segment is the first", 6: "the row before is inside",
          7: "the last partial tile of rows", 8: "a stale range in every eighth segment"}
for dtype in ("float32", "float16", "bfloat16"):
    task(f"segment_mean_max_{SHORT[dtype]}", "segment", "mean and maximum of each segment of rows", "segment.cpp",
         ["-DKIND=0", f"-DDTYPE={DTYPE[dtype]}"], axes(nnz=None, points=None, segments=None, d=72),
         tensors(x=f"{dtype} nnz d", indptr="int32 points"),
         tensors(mean=f"{dtype} segments d", top=f"{dtype} segments d"), """import torch

def run(x, indptr):
    n = indptr.shape[0] - 1
    mean = torch.zeros(n, x.shape[1], dtype=x.dtype)
    top = torch.zeros(n, x.shape[1], dtype=x.dtype)
    for i in range(n):
        begin, end = int(indptr[i]), int(indptr[i + 1])
        if begin == end:
            continue
        rows = x[begin:end]
        mean[i] = rows.float().mean(0).to(x.dtype)
        top[i] = rows.amax(0)
    return mean, top
""", {"nnz": 420, "points": 25, "segments": 24},
         orders(0, 1, 2, 3, 4, 5, 7, 9, 10, 12, 13, ways={1: "times the reciprocal"})
         + [("running mean", True, ["-DWAY=2"])]
         + defects(RANGES | {10: "n + 1 in the mean", 11: "n - 1 in the mean", 12: "sum instead of mean",
                             13: "the average length in the mean", 14: "the column before in one lane",
                             15: "the reciprocal in bfloat16", 16: "the maximum begins at 0",
                             17: "the maximum of absolute values", 18: "the maximum skips rows", 19: "minimum",
                             20: "the maximum is not reset", 21: "the last for the largest"})
         + sums(4, 7, 10) + outs(*[n for n in SIXTEEN[dtype] if n != 5], 8))

for dtype in ("float32", "bfloat16"):
    task(f"segment_softmax_{SHORT[dtype]}", "segment", "softmax of each head over segments, and log-sum-exp", "segment.cpp",
         ["-DKIND=1", f"-DDTYPE={DTYPE[dtype]}"], axes(nnz=None, points=None, segments=None, heads=12),
         tensors(x=f"{dtype} nnz heads", indptr="int32 points", scale="float32"),
         tensors(out=f"{dtype} nnz heads", lse="float32 segments heads"), """import torch

def run(x, indptr, scale):
    n = indptr.shape[0] - 1
    out = torch.zeros_like(x)
    lse = torch.full((n, x.shape[1]), float("-inf"), dtype=torch.float32)
    for i in range(n):
        begin, end = int(indptr[i]), int(indptr[i + 1])
        if begin == end:
            continue
        logits = x[begin:end].float() * scale
        out[begin:end] = torch.softmax(logits, dim=0).to(x.dtype)
        lse[i] = torch.logsumexp(logits, dim=0)
    return out, lse
""", {"nnz": 500, "points": 25, "segments": 24},
         orders(0, 1, 2, 3, 4, 6, 7, 9, 10, ways={1: "exp2 and the reciprocal"})
         + ways({2: "online", 3: "tiles of 8", 4: "online with exp2", 5: "exp of the difference to lse"})
         + defects(RANGES | {30: "log2(e) is missing", 31: "the scale 1 % too large", 32: "no scale", 33: "divided by the scale",
                             34: "logits in bfloat16", 35: "logits cut at -2", 37: "one added to the sum",
                             38: "the sum in bfloat16", 39: "lse in base 2", 40: "lse without the maximum",
                             41: "lse without the logarithm", 42: "rows that are not divided", 43: "small ones become zero"})
         + [("tiles of 8 without rescaling", False, ["-DWAY=3", "-DDEFECT=36"])]
         + sums(1, 8) + outs(*SIXTEEN[dtype][:2], 8), {"scale": scalar(1.75)})

for dtype in ("float32", "float16"):
    task(f"embedding_bag_{SHORT[dtype]}", "embedding", "weighted sums of a table's rows", "segment.cpp",
         ["-DKIND=2", f"-DDTYPE={DTYPE[dtype]}"], axes(nnz=None, points=None, bags=None, vocab=200, d=64),
         tensors(table=f"{dtype} vocab d", ids="int64 nnz", indptr="int32 points", weights="float32 nnz"),
         tensors(out=f"{dtype} bags d"), """import torch

def run(table, ids, indptr, weights):
    n = indptr.shape[0] - 1
    out = torch.zeros(n, table.shape[1], dtype=table.dtype)
    for i in range(n):
        begin, end = int(indptr[i]), int(indptr[i + 1])
        rows = table[ids[begin:end]].float() * weights[begin:end, None]
        out[i] = rows.sum(0).to(table.dtype)
    return out
""", {"nnz": 600, "points": 33, "bags": 32},
         orders(0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 13, 14)
         + defects({k: v for k, v in RANGES.items() if k != 5}
                   | {20: "ids one too small", 21: "ids one too large", 22: "ids of 6 bits", 23: "the last row is never read",
                      24: "id 0 is padding", 25: "the next id", 26: "an id counts once", 27: "columns swapped in pairs",
                      28: "no weights", 29: "weights from the beginning", 30: "weights in bfloat16",
                      31: "weights without sign", 32: "the next weight", 33: "mean for sum", 34: "not cleared in some bags"})
         + sums(4, 8, 10) + outs(*SIXTEEN[dtype][:2], 8))

# ---- combine.cpp: the end of a mixture of experts --------------------------------------------------------------
for dtype in ("float32", "float16", "bfloat16"):
    task(f"moe_combine_{SHORT[dtype]}", "moe", "weighted sum of the experts' rows and a shared one", "combine.cpp",
         [f"-DDTYPE={DTYPE[dtype]}"], axes(tokens=None, top=8, places=None, d=96),
         tensors(y=f"{dtype} places d", slots="int32 tokens top", weights="float32 tokens top",
                 shared=f"{dtype} tokens d"), tensors(out=f"{dtype} tokens d"), """import torch

def run(y, slots, weights, shared):
    kept = slots >= 0
    rows = y[slots.clamp(min=0).long()].float()
    w = torch.where(kept, weights, torch.zeros_like(weights))
    return ((rows * w[:, :, None]).sum(1) + shared.float()).to(y.dtype)
""", {"tokens": 28, "places": 150},
         orders(0, 1, 2, 3, 4, 7, 9, 12, 13, 14, 15)
         + ways({2: "begins with the shared row", 3: "backwards from the shared row", 4: "dropped slots skipped"}
                | ({1: "weighted rows in 16 bits"} if dtype != "float32" else {}))
         + defects({1: "another token's slots", 2: "dropped slots wrap to the last row", 3: "dropped slots clamped to the first row",
                    4: "the next slot", 5: "capacity too small", 6: "slot 0 taken as dropped", 7: "slots of 7 bits",
                    8: "the last place is never read", 9: "columns of the last tile are off by one",
                    10: "another token's weights", 11: "the next weight", 12: "weights in bfloat16", 13: "no weights",
                    14: "weights twice", 15: "weights normalised", 16: "weights of dropped slots given to others",
                    17: "the shared row twice", 18: "the shared row is missing", 19: "the next token's shared row",
                    20: "times the shared row", 21: "the last partial tile of tokens", 23: "a dropped first slot ends the token"})
         + sums(1, 4) + outs(*SIXTEEN[dtype]),
         {"slots": {"type": "random", "kind": "ids", "low": -24, "high": 149}, "weights": {"type": "random", "kind": "fraction"}})

# ---- routing.cpp: which experts --------------------------------------------------------------------------------
ROUTED = {1: "the seventh best for the sixth", 2: "not normalised", 3: "ids from 1", 4: "the last expert is never seen",
          5: "the first expert is never seen", 7: "0.01 added to the sum", 9: "weights in bfloat16",
          10: "ids of the two best swapped in some rows", 11: "log2(e) is missing", 12: "an expert taken twice in some rows",
          21: "logits 1 % too large", 24: "the last token is a copy", 25: "logits in float8", 26: "some rows are not normalised",
          34: "the last weight is 0", 36: "ids of 5 bits"}
for dtype in ("float32", "bfloat16"):
    task(f"route_softmax_{SHORT[dtype]}", "moe", "softmax, the best six of 48 experts, normalised", "routing.cpp",
         ["-DKIND=0", f"-DDTYPE={DTYPE[dtype]}"], axes(tokens=None, experts=48, top=6),
         tensors(logits=f"{dtype} tokens experts"), tensors(weights="float32 tokens top", ids="int32 tokens top"),
         """import torch

def run(logits):
    probs = torch.softmax(logits.float(), dim=-1)
    weights, ids = torch.topk(probs, 6, dim=-1)
    weights = weights / weights.sum(-1, keepdim=True)
    return weights, ids.to(torch.int32)
""", {"tokens": 120},
         orders(0, 1, 2, 4, 6, 9, 12, ways={2: "ties to the higher", 4: "exp2"})
         + ways({3: "chosen by the logits", 5: "times the reciprocal", 6: "softmax of the chosen", 7: "normalised by the reciprocal"})
         + defects(ROUTED | {8: "the worst six", 20: "sigmoid"} | ({28: "logits in bfloat16"} if dtype == "float32" else {}))
         + sums(1) + outs(2, 3, 5, 8))
for dtype in ("float32", "float16"):
    task(f"route_grouped_{SHORT[dtype]}", "moe", "sigmoid and bias, three of six groups, the best six", "routing.cpp",
         ["-DKIND=1", f"-DDTYPE={DTYPE[dtype]}"], axes(tokens=None, experts=48, top=6),
         tensors(logits=f"{dtype} tokens experts", bias="float32 experts"),
         tensors(weights="float32 tokens top", ids="int32 tokens top"), """import torch

def run(logits, bias):
    tokens = logits.shape[0]
    scores = torch.sigmoid(logits.float())
    biased = scores + bias
    groups = biased.view(tokens, 6, 8)
    of_group = torch.topk(groups, 2, dim=-1)[0].sum(-1)
    used = torch.topk(of_group, 3, dim=-1)[1]
    mask = torch.zeros_like(of_group).scatter_(1, used, 1.0)
    mask = mask[:, :, None].expand(tokens, 6, 8).reshape(tokens, 48)
    ids = torch.topk(biased.masked_fill(mask == 0, float("-inf")), 6, dim=-1)[1]
    weights = scores.gather(1, ids)
    weights = weights / weights.sum(-1, keepdim=True) * 2.5
    return weights, ids.to(torch.int32)
""", {"tokens": 120},
         orders(0, 1, 2, 7, 9, 12, ways={1: "sigmoid both ways", 2: "ties to the higher", 4: "exp2",
                                         7: "normalised by the reciprocal"})
         + defects({k: v for k, v in ROUTED.items() if k != 5}
                   | {13: "biased scores as weights", 14: "no bias", 15: "the best of a group counts alone", 16: "two groups",
                      17: "groups interleaved", 18: "no factor", 27: "four groups", 29: "bias taken off",
                      30: "a neighbour's bias in one lane", 31: "no groups", 32: "a group's last expert does not count",
                      20: "softmax"}) + outs(5))

# ---- layout.cpp: tokens in the order of their experts ----------------------------------------------------------
for pad, kind in ((1, "int32"), (8, "int64")):
    length = "total" if pad == 1 else "padded"
    task(f"expert_layout_{kind}", "moe", "counts, offsets and a stable permutation by expert", "layout.cpp", [f"-DPAD={pad}"],
         axes(tokens=None, top=4, experts=24, points=25, **({"total": None} if pad == 1 else {"padded": None})),
         tensors(topk_ids="int32 tokens top"),
         tensors(counts=f"{kind} experts", offsets=f"{kind} points", order=f"{kind} {length}", places=f"{kind} tokens top"),
         f"""import torch

def run(topk_ids):
    flat = topk_ids.reshape(-1).long()
    n = flat.numel()
    counts = torch.bincount(flat, minlength=24)
    padded = (counts + {pad - 1}) // {pad} * {pad}
    offsets = torch.cat((torch.zeros(1, dtype=torch.int64), torch.cumsum(padded, 0)))
    by_expert = torch.argsort(flat, stable=True)
    before = torch.cumsum(counts, 0) - counts
    places = torch.empty(n, dtype=torch.int64)
    places[by_expert] = torch.arange(n) - before[flat[by_expert]] + offsets[flat[by_expert]]
    order = torch.full((n + {24 * 8 if pad > 1 else 0},), n, dtype=torch.int64)
    order[places] = torch.arange(n)
    return counts.to(torch.{kind}), offsets.to(torch.{kind}), order.to(torch.{kind}), places.view(topk_ids.shape).to(torch.{kind})
""", {"tokens": 130} | ({"total": 520} if pad == 1 else {"padded": 520 + 192}),
         ways({0: "counting sort", 1: "counted expert by expert", 3: "offsets by comparison", 4: "ranks by counting",
               5: "from the end", 6: "insertion sort", 7: "packed keys", 8: "an expert at a time"})
         + [(f"{name} of {size}", True, [f"-DWAY={way}", f"-DBLOCK={size}"]) for way, name in
            ((2, "histograms of blocks"), (9, "blocks")) for size in (32, 64, 128)]
         + defects({1: "equal experts backwards", 2: "equal experts shuffled", 3: "the last token is not counted",
                    4: "the last partial tile is not counted", 5: "a race in the counts", 6: "two lanes count at once",
                    7: "the last expert clamped", 8: "expert 0 is not counted", 9: "expert ids of 4 bits", 10: "a capacity",
                    14: "filled from the end", 15: "one place in a hundred is one too far", 16: "an expert too early now and then",
                    17: "begins anew in each block", 18: "counters of 4 bits", 19: "tokens for flat indices",
                    20: "descending experts", 22: "the permutation's inverse", 25: "offsets for counts", 26: "inclusive offsets",
                    27: "the last offset is one too small"}
                   | ({11: "padded down", 12: "padded though full", 13: "not padded", 21: "padding is 0"} if pad > 1 else {})))

# ---- decode.cpp: attention over a paged cache ------------------------------------------------------------------
for dtype, cache in (("float32", 0), ("float16", 0), ("bfloat16", 0), ("bfloat16", 1)):
    stored = "float8_e4m3fn" if cache else dtype
    scales = {"k_scale": "float32", "v_scale": "float32"} if cache else {}
    task(f"paged_decode_{'e4m3_' if cache else ''}{SHORT[dtype]}", "gqa_paged", "attention of one query each over pages", "decode.cpp",
         [f"-DDTYPE={DTYPE[dtype]}", f"-DCACHE={cache}"],
         axes(batch=None, heads=8, d=48, num_pages=None, page_size=8, kv_heads=2, max_pages=6),
         tensors(q=f"{dtype} batch heads d", k_cache=f"{stored} num_pages page_size kv_heads d",
                 v_cache=f"{stored} num_pages page_size kv_heads d", block_tables="int32 batch max_pages",
                 seq_lens="int32 batch", sm_scale="float32", **scales),
         tensors(out=f"{dtype} batch heads d", lse="float32 batch heads"), f"""import torch

def run(q, k_cache, v_cache, block_tables, seq_lens, sm_scale{", k_scale, v_scale" if cache else ""}):
    batch, heads, d = q.shape
    page_size, kv_heads = k_cache.shape[1], k_cache.shape[2]
    out = torch.zeros_like(q)
    lse = torch.full((batch, heads), float("-inf"), dtype=torch.float32)
    for b in range(batch):
        n = int(seq_lens[b])
        if n == 0:
            continue
        pages = block_tables[b, : (n + page_size - 1) // page_size].long()
        k = k_cache[pages].float().reshape(-1, kv_heads, d)[:n]{" * k_scale" if cache else ""}
        v = v_cache[pages].float().reshape(-1, kv_heads, d)[:n]{" * v_scale" if cache else ""}
        k = k.repeat_interleave(heads // kv_heads, dim=1)
        v = v.repeat_interleave(heads // kv_heads, dim=1)
        logits = torch.einsum("hd,nhd->hn", q[b].float(), k) * sm_scale
        lse[b] = torch.logsumexp(logits, dim=-1)
        out[b] = torch.einsum("hn,nhd->hd", torch.softmax(logits, dim=-1), v).to(q.dtype)
    return out, lse
""", {"batch": 10, "num_pages": 70},
         orders(0, 1, 2, 4, 6, 9, 14) + ways({1: "exp2 and the reciprocal", 2: "online"})
         + [(f"tiles of {t}", True, ["-DWAY=3", f"-DTILE={t}"]) for t in (4, 16)]
         + [(f"{p} parts merged", True, [f"-DPARTS={p}"]) for p in (2, 3)]
         + [("online, 4 parts merged", True, ["-DWAY=2", "-DPARTS=4"])]
         + ([("probabilities in 16 bits", True, ["-DWAY=5"]), ("probabilities in 16 bits, tiles of 16", True, ["-DWAY=4"])]
            if dtype != "float32" else [])
         + defects({1: "log2(e) is missing", 3: "the scale of d + 1", 4: "the scale 2 % too large", 5: "heads interleaved",
                    6: "the last head reads the first keys", 7: "the last token is missing", 8: "one token too many",
                    9: "the first token is missing", 10: "a window of 16", 11: "the partial page is lost", 12: "no more than 32 tokens",
                    13: "another sequence's length", 15: "a page too early", 17: "another sequence's fourth page",
                    18: "the last page is never used", 21: "rows of a page rotated", 23: "logits in bfloat16",
                    25: "keys for values", 26: "probabilities in float8", 30: "lse in base 2", 33: "heads swapped"}
                   | ({40: "no cache scales", 41: "the keys' scale for values"} if cache else {29: "the sum in bfloat16"}))
         + [("parts merged without rescaling", False, ["-DPARTS=3", "-DDEFECT=2"])]
         + sums(4, 8) + outs(*SIXTEEN[dtype][:2]),
         {"sm_scale": scalar(0.25)} | ({"k_scale": scalar(0.8), "v_scale": scalar(1.3)} if cache else {}))

# ---- sampling.cpp: filters of a sampler ------------------------------------------------------------------------
for dtype in ("float32", "float16"):
    task(f"sampling_top_p_{SHORT[dtype]}", "top_p", "repetition penalty, temperature, softmax and top-p", "sampling.cpp",
         [f"-DDTYPE={DTYPE[dtype]}"], axes(batch=None, vocab=150),
         tensors(logits=f"{dtype} batch vocab", seen="bool batch vocab", temperatures="float32 batch", penalty="float32",
                 top_p="float32"), tensors(kept="bool batch vocab", probs="float32 batch vocab"), """import torch

def run(logits, seen, temperatures, penalty, top_p):
    x = logits.float()
    x = torch.where(seen, torch.where(x > 0, x / penalty, x * penalty), x)
    probs = torch.softmax(x / temperatures[:, None], dim=-1)
    ordered, index = torch.sort(probs, dim=-1, descending=True, stable=True)
    before = torch.cumsum(ordered, dim=-1) - ordered
    kept = torch.zeros_like(seen).scatter_(1, index, before < top_p)
    probs = torch.where(kept, probs, torch.zeros_like(probs))
    return kept, probs / probs.sum(-1, keepdim=True)
""", {"batch": 40},
         orders(0, 1, 2, 4, 6, 7, 9, 12, ways={1: "exp2", 2: "by reciprocals before", 3: "by reciprocals after"})
         + ways({5: "sums of the more likely anew"})
         + defects({1: "log2(e) is missing", 2: "another row's seen tokens", 3: "the next token's mark", 4: "the unseen are penalised",
                    6: "no penalty", 7: "always divided by the penalty", 8: "always times the penalty", 9: "penalty taken off",
                    10: "penalty the wrong way round", 11: "another row's temperature", 12: "no temperature",
                    13: "times the temperature", 14: "temperatures below 1 ignored", 15: "temperatures in bfloat16",
                    17: "ascending", 18: "1 - top_p", 20: "one token too few", 21: "one token too many", 22: "no more than 32 tokens",
                    23: "min-p for top-p", 24: "the running sum in bfloat16", 27: "not normalised", 28: "mask inverted",
                    29: "the others keep their probability"})
         + outs(2, 5, 8), {"temperatures": POSITIVE, "penalty": scalar(1.25), "top_p": scalar(0.85)})

# ---- cache.cpp: rotated keys into a quantised cache ------------------------------------------------------------
for code, dtype in ((0, "bfloat16"), (1, "float32")):
    kind, top = CODES[code][0], CODES[code][2]
    convert = CODES[code][1].replace("y / scale", "y / scale[:, None]")
    task(f"rope_cache_write_{kind}", "kv_cache", "keys rotated, quantised and written to their slots", "cache.cpp",
         [f"-DCODE={code}", f"-DDTYPE={DTYPE[dtype]}"], axes(tokens=None, heads=4, d=32, half=16, slots=None),
         tensors(k=f"{dtype} tokens heads d", cos="float32 tokens half", sin="float32 tokens half",
                 cache=f"{kind} slots heads d", scales="float32 slots heads", slot_mapping="int64 tokens"),
         tensors(new_cache=f"{kind} slots heads d", new_scales="float32 slots heads"), f"""import torch

def run(k, cos, sin, cache, scales, slot_mapping):
    new_cache = cache.clone()
    new_scales = scales.clone()
    for t in range(k.shape[0]):
        slot = int(slot_mapping[t])
        if slot < 0:
            continue
        a, b = k[t].float().chunk(2, dim=-1)
        y = torch.cat((a * cos[t] - b * sin[t], b * cos[t] + a * sin[t]), dim=-1)
        scale = y.abs().amax(-1).clamp(min=1e-8) / {top}
        new_cache[slot] = {convert}
        new_scales[slot] = scale
    return new_cache, new_scales
""", {"tokens": 48, "slots": 64},
         ways({100 * back + 10 * div + rot: f"{rotation}, {division}{', backwards' if back else ''}"
               for rot, rotation in enumerate(["plain", "fused", "fused the other way"])
               for div, division in enumerate(["division", "reciprocal", "top / maximum"])
               for back in (0, 1) if not back or rot != 2})
         + defects({1: "the largest code of another format", 2: "codes cut off", 3: "the cache is cleared", 4: "the last token is lost",
                    5: "-1 wraps to the last slot", 6: "-1 clamped to the first slot", 7: "slot 0 is never written", 8: "the next slot",
                    9: "slots of 5 bits", 10: "slots of a page backwards", 11: "the last slot is never written",
                    12: "another token's angle", 13: "the angle by head", 14: "rotates neighbours",
                    16: "sine and cosine swapped", 17: "rotates half of the pairs", 18: "angles in bfloat16",
                    19: "the sign of one half", 20: "the second half is not rotated", 21: "the first half overwritten too early",
                    22: "the maximum of one half", 23: "the maximum misses one lane of 8", 24: "the maximum is not of absolute values",
                    25: "the maximum before rotation", 26: "the maximum in bfloat16", 27: "a stale scale in the last head",
                    29: "heads swapped", 31: "the last column is lost"}),
         {"slot_mapping": {"type": "random", "kind": "slot_ids", "padding": True}, "scales": POSITIVE})

# ---- masks.cpp: bools and bits ---------------------------------------------------------------------------------
task("packed_mask", "mask", "a mask of packed sequences with a window, as bools, bits and counts", "masks.cpp", [],
     axes(n=96, words=3), tensors(sequence_ids="int32 n", positions="int32 n"),
     tensors(allowed="bool n n", packed="int32 n words", counts="int32 n"), """import torch

def run(sequence_ids, positions):
    apart = positions[:, None] - positions[None, :]
    allowed = (sequence_ids[:, None] == sequence_ids[None, :]) & (apart >= 0) & (apart < 24)
    bits = allowed.view(96, 3, 32).to(torch.int64) << torch.arange(32)
    words = bits.sum(-1)
    words = torch.where(words >= 2 ** 31, words - 2 ** 32, words)
    return allowed, words.to(torch.int32), allowed.sum(-1).to(torch.int32)
""", {},
     ways({4 * pack + test: f"{comparison}, {packing}" for pack, packing in
           enumerate(["bits set", "shifted in", "added", "bytes first"])
           for test, comparison in enumerate(["compared", "negated", "unsigned difference", "at most 23"])})
     + defects({1: "window one too small", 2: "window one too large", 3: "other sequences are seen", 4: "later ones are seen",
                5: "no window", 6: "not itself", 7: "by index, not by position", 8: "the transpose", 9: "later sequences are seen",
                10: "or for and", 11: "window by index", 12: "sequence 0 is padding", 13: "one sequence sees all",
                14: "the first four positions see nothing", 15: "one row of 32 is one position early", 16: "the first column of each word",
                17: "the last row", 18: "the last bit of each word", 19: "highest bit first", 20: "highest bit of each byte first",
                21: "bytes backwards", 22: "bits inverted", 23: "words backwards", 24: "counts miss the last", 25: "counters of 3 bits",
                26: "window of whole tiles", 27: "the neighbour's sequence", 28: "counts of the others"}),
     {"sequence_ids": {"type": "random", "kind": "ids", "low": 0, "high": 3},
      "positions": {"type": "random", "kind": "positions", "low": 0, "high": 60}})

# ---- ranks.cpp: the largest of rows ----------------------------------------------------------------------------
for whole, kind, count, call in ((0, "float32", 24, "torch.topk(x, 24, dim=-1)"),
                                 (1, "int32", 110, "torch.sort(x, dim=-1, descending=True, stable=True)")):
    task(f"{'sort' if whole else 'topk'}_{kind}", "sort" if whole else "topk", "the largest of each row and where they are",
         "ranks.cpp", [f"-DWHOLE={whole}"], axes(rows=None, columns=110, top=count), tensors(x=f"{kind} rows columns"),
         tensors(values=f"{kind} rows top", ids="int64 rows top"), f"""import torch

def run(x):
    values, ids = {call}
    return values, ids
""", {"rows": 40},
         ways({0: "insertion", 1: "selection", 2: "merging", 3: "ranks by counting", 4: "gaps", 5: "a heap",
               6: "odd and even neighbours", 7: "bubbles"})
         + [(f"the best of blocks of {size}", True, [f"-DBLOCK={size}"]) for size in (8, 16, 32, 50)]
         + defects({1: "ascending", 3: "by absolute values", 4: "compared in 8 bits" if whole else "compared in bfloat16",
                    5: "negative ones above", 6: "compared without the lowest bit" if whole else "compared in float16",
                    7: "the last row is a copy", 8: "the last element is never seen", 9: "the last partial tile is never seen",
                    10: "the first element is never seen", 11: "two swapped in some rows", 12: "one of 16 repeated",
                    13: "one rank too far", 14: "the last value is 0", 15: "ids of 6 bits", 16: "ids from 1",
                    18: "one value in a hundred is another", 21: "ranks for ids",
                    22: "ids into the whole tensor", 24: "ids from the end"}
                   | ({2: "equal ones backwards", 17: "negative values become 0", 19: "values through bfloat16",
                       23: "no signs in every eighth row"} if whole else {19: "values through bfloat16", 20: "values through float16"})))

# ---- what was not checked on all seeds in time: left out, but can be taken in again ------------------------------
NOT_CHECKED = {"gemm_int4_f16", "segment_mean_max_f16", "moe_combine_f16", "route_grouped_f16", "paged_decode_f16", "topk_float32", "sort_int32"}
TASKS = [one for one in TASKS if one["definition"]["name"] not in NOT_CHECKED]
SEEDS_UNKNOWN = {'rmsnorm_quant_int8_bf16': ['the maximum misses one lane of 8', 'the maximum misses a partial tile'], 'rmsnorm_quant_e4m3_f16': ['the maximum misses one lane of 8', 'the maximum misses a partial tile', 'result: one element in 509 stays zero'], 'quant_e5m2_f32': ['the inverse scale in bfloat16', 'result: one lane of 32 is 3 % too small'], 'quant_asymmetric_int8_f32': ['range begins at 1']}  # visible on some seeds only
for one in TASKS:
    one["programs"] = [p for p in one["programs"] if p[0] not in SEEDS_UNKNOWN.get(one["definition"]["name"], [])]
