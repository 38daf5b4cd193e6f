"""Recurrences, reductions, convolutions, losses, optimiser steps and gradients: TASKS as calibration/programs.py says."""

DTYPES = {"float32": 0, "float16": 1, "bfloat16": 2}
TASKS = []


# Orders of summation, in words and as flags of common.h.
ORDERS = {
    "forward": [], "backward": ["-DORDER=1"], "pairwise": ["-DORDER=2"],
    "4 lanes": ["-DORDER=3", "-DWIDTH=4"], "8 lanes": ["-DORDER=3", "-DWIDTH=8"], "16 lanes": ["-DORDER=3", "-DWIDTH=16"],
    "32 lanes": ["-DORDER=3", "-DWIDTH=32"], "tiles of 8": ["-DORDER=4", "-DWIDTH=8"],
    "tiles of 32": ["-DORDER=4", "-DWIDTH=32"], "2 parts": ["-DORDER=5", "-DWIDTH=2"], "5 parts": ["-DORDER=5", "-DWIDTH=5"],
    "Kahan": ["-DORDER=6"], "shuffled": ["-DORDER=7"], "shared memory": ["-DORDER=8"],
    "fma forward": ["-mfma"], "fma 8 lanes": ["-mfma", "-DORDER=3", "-DWIDTH=8"], "double": ["-DACC=2"],
}
FORMULAS = {
    "exp2": ["-DEXPWAY=1"], "exp in double": ["-DEXPWAY=2"], "sigmoid by tanh": ["-DSIGMOID=1"],
    "sigmoid by sign": ["-DSIGMOID=2"], "root of the inverse": ["-DROOT=1"], "root in double": ["-DROOT=2"],
    "reciprocal": ["-DRECIP=1"],
}
# Mistakes of common.h. Those that only a float32 output shows stand apart.
COMMON = {
    1: "the last element of each sum is missing", 2: "the first element of each sum is missing",
    3: "the last partial tile of 16 of each sum is lost", 4: "a race loses a lane of one sum in 13",
    5: "sums in bfloat16", 6: "sums in float16", 7: "the last element counts twice", 8: "terms in bfloat16",
    9: "terms in float16", 10: "outputs cut off", 11: "outputs through bfloat16", 12: "outputs through float16",
    13: "outputs through tf32", 14: "outputs 0.5 % too large", 15: "one output in 997 is its neighbour's",
    16: "outputs 1 % too large", 17: "one output in 512 is 10 % too small", 18: "outputs 0.1 % too small",
    19: "one output in 64 is zero", 20: "a clamped index in each fifth sum", 21: "half of one sum in 101 comes too late",
    22: "terms cut to tf32",
}


def task(name, op_type, code, axes, inputs, outputs, reference, file, right, own, common, values=None, more=(), given=None):
    """Adds a task. `right`: orders, or (order, formula) or (order, {name: flags}); `own`: {number: words} of the source's
    mistakes, or (words, further flags); `common`: numbers of COMMON; `values`: lengths of the var axes."""
    values = values or {}
    programs = []
    for item in right:
        order, formulas = (item, ()) if isinstance(item, str) else (item[0], item[1:])
        flags = list(ORDERS[order])
        words = [order]
        for formula in formulas:
            words.append(formula if isinstance(formula, str) else formula[0])
            flags += FORMULAS[formula] if isinstance(formula, str) else formula[1]
        programs.append((", ".join(words), True, flags))
    # Wrong ones sum in all orders too, but those whose size hangs on the order.
    orders = [[], ["-DORDER=3", "-DWIDTH=8"], ["-DORDER=4", "-DWIDTH=32"], ["-DORDER=2"], ["-DORDER=5", "-DWIDTH=2"]]
    for i, number in enumerate(common):
        order = [] if number in (5, 6) else orders[i % len(orders)]
        programs.append((COMMON[number], False, [f"-DDEFECT={number}", *order]))
    for i, (number, words) in enumerate(own.items()):
        words, flags = (words, orders[i % len(orders)]) if isinstance(words, str) else words
        programs.append((words, False, [f"-DDEFECT={int(number)}", *flags]))
    TASKS.append({
        "definition": {"name": name, "op_type": op_type, "description": file.split(".")[0].replace("_", " "),
                       "axes": {a: {"type": "var"} if a in values else {"type": "const", "value": n} for a, n in axes.items()},
                       "inputs": inputs, "outputs": outputs, "reference": reference},
        "axes": values, "inputs": given or {}, "source": file, "flags": [f"-DDTYPE={code}", *more],
        "truth": ["-DACC=0"], "programs": programs})


def tensor(shape, dtype):
    return {"shape": shape.split() if shape is not None else None, "dtype": dtype}


def alt(words, number):
    return (words, [f"-DALT={number}"])


def pick(own, leave):
    """The mistakes without those that this dtype does not show."""
    return {n: w for n, w in own.items() if n not in leave}


# ---- gated delta rule ----
GATED_DELTA = '''import math
import torch
import torch.nn.functional as F

def run(q, k, v, a, b, state):
    T, H, K = q.shape
    qf = q.float()
    kf = k.float()
    qf = qf * torch.rsqrt((qf * qf).sum(-1, keepdim=True) + 1e-6) / math.sqrt(K)
    kf = kf * torch.rsqrt((kf * kf).sum(-1, keepdim=True) + 1e-6)
    vf = v.float()
    decay = torch.exp(-0.25 * F.softplus(a.float()))
    beta = torch.sigmoid(b.float())
    s = state.clone()
    outs = []
    for t in range(T):
        s = s * decay[t][:, None, None]
        predicted = (kf[t][:, :, None] * s).sum(1)
        delta = (vf[t] - predicted) * beta[t][:, None]
        s = s + kf[t][:, :, None] * delta[:, None, :]
        outs.append((qf[t][:, :, None] * s).sum(1))
    return torch.stack(outs).to(q.dtype), s
'''
for dtype, code in DTYPES.items():
    task(f"gated_delta_rule_{dtype}", "linear_attention", code, {"t": 10, "h": 4, "dk": 24, "dv": 40},
         {"q": tensor("t h dk", dtype), "k": tensor("t h dk", dtype), "v": tensor("t h dv", dtype), "a": tensor("t h", dtype),
          "b": tensor("t h", dtype), "state": tensor("h dk dv", "float32")},
         {"out": tensor("t h dv", dtype), "new_state": tensor("h dk dv", "float32")}, GATED_DELTA, "gated_delta.cpp",
         ["forward", "backward", "pairwise", "4 lanes", "8 lanes", "tiles of 8", "2 parts", "Kahan", "shuffled", "fma forward",
          "double", ("8 lanes", "exp2"), ("forward", "sigmoid by tanh"), ("backward", "root of the inverse"),
          ("16 lanes", alt("scale at the end", 1)), ("fma 8 lanes", alt("decay as a power", 2)),
          ("forward", alt("decay and update in one", 3))],
         pick({30: "a hard sigmoid for beta", 31: "no decay at the first step", 32: "the next step's decay",
          33: "prediction before the decay", 34: "scale 1/sqrt(d+1)", 35: "state in bfloat16", 36: "state in float16",
          37: "the last step is skipped", 38: "q is not normalised", 39: "decay of the next head", 40: "states of two heads swapped",
          41: "output before the update", 42: "beta missing in one column in 32", 43: "state without the last update",
          44: "state in tf32", 45: "relu for softplus", 46: "the last step takes the value before",
          47: "the last column is never updated", 48: "scale 1/d", 49: "beta of the head before", 50: "delta in bfloat16"}, [50] if code else []),
         [4, 6, 15, 18] if code == 0 else [1, 4, 10, 17], {"t": 10})

# ---- selective scan ----
SELECTIVE_SCAN = '''import torch
import torch.nn.functional as F

def run(x, dt, dt_bias, A_log, B, C, D):
    N, L, d = x.shape
    A = -torch.exp(A_log)
    step = F.softplus(dt.float() + dt_bias)
    xf = x.float()
    Bf = B.float()
    Cf = C.float()
    h = torch.zeros(N, d, A.shape[1], dtype=torch.float32)
    outs = []
    for t in range(L):
        keep = torch.exp(step[:, t, :, None] * A)
        h = keep * h + step[:, t, :, None] * Bf[:, t, None, :] * xf[:, t, :, None]
        outs.append((h * Cf[:, t, None, :]).sum(-1) + D * xf[:, t])
    return torch.stack(outs, 1).to(x.dtype), h
'''
for dtype, code in DTYPES.items():
    task(f"selective_scan_{dtype}", "state_space", code, {"n": 2, "l": 20, "d": 44, "s": 16},
         {"x": tensor("n l d", dtype), "dt": tensor("n l d", dtype), "dt_bias": tensor("d", "float32"),
          "A_log": tensor("d s", "float32"), "B": tensor("n l s", dtype), "C": tensor("n l s", dtype), "D": tensor("d", "float32")},
         {"out": tensor("n l d", dtype), "last_state": tensor("n d s", "float32")}, SELECTIVE_SCAN, "selective_scan.cpp",
         ["forward", "backward", "pairwise", "4 lanes", "8 lanes", "tiles of 8", "2 parts", "Kahan", "shuffled", "shared memory",
          "fma forward", "double", ("8 lanes", "exp2"), ("forward", "sigmoid by sign"), ("backward", alt("dt times x first", 1)),
          ("16 lanes", alt("update by fma", 2))],
         {30: "a channel begins with the state of the one before", 31: "dt of the step before", 32: "no dt bias",
          33: "relu for softplus", 34: "dt clamped at 2", 35: "A squared for its exponential", 36: "bilinear discretisation",
          37: "B of the step before", 38: "B reversed", 39: "B without dt", 40: "zero-order hold for B", 41: "state in bfloat16",
          42: "state in float16", 43: "the last lane misses each eighth update", 44: "no D in the partial tile",
          45: "dt in bfloat16", 46: "decay in bfloat16", 47: "the state stops at the chunk's border",
          48: "output before the update", 49: "no D", 50: "D of the next channel", 51: "the last step gives only D",
          52: "last state without the last update"},
         [1, 4, 6] if code == 0 else [4, 10, 16], {"n": 2, "l": 20})

# ---- cross entropy ----
CROSS_ENTROPY = '''import torch

def run(logits, target):
    x = logits.float()
    lse = torch.logsumexp(x, -1)
    hit = x.gather(1, target[:, None]).squeeze(1)
    smooth = lse - x.mean(-1)
    loss = 0.9 * (lse - hit) + 0.1 * smooth
    return loss, lse
'''
for dtype, code in DTYPES.items():
    lse = [("online", ["-DLSE=1"]), ("tiles", ["-DLSE=2"]), ("base 2", ["-DLSE=3"])]
    task(f"cross_entropy_smoothed_{dtype}", "loss", code, {"n": 520, "v": 150},
         {"logits": tensor("n v", dtype), "target": tensor("n", "int64")},
         {"loss": tensor("n", "float32"), "lse": tensor("n", "float32")}, CROSS_ENTROPY, "cross_entropy.cpp",
         ["forward", "backward", "pairwise", "4 lanes", "16 lanes", "tiles of 32", "5 parts", "Kahan", "shuffled", "fma forward",
          "double", ("forward", lse[0]), ("8 lanes", lse[1]), ("pairwise", lse[2]), ("forward", "exp2", alt("expanded", 1)),
          ("32 lanes", "reciprocal"), ("8 lanes", lse[0], alt("mean of differences", 2))],
         {30: "the maximum is not added back", 31: "log2 for log", 32: "0.1 within the logarithm",
          33: ("online sums are not rescaled", ["-DLSE=1"]), 34: "smoothing 0.11", 35: "logits 0.5 % too large",
          36: "every second row lacks three columns", 37: "labels from 1", 38: "labels as int8", 39: "the last class counts nothing",
          40: "mean over v-1", 41: "smoothing over the other classes", 42: "no smoothing", 43: "smoothing without log-sum-exp",
          44: "smoothing the wrong way round", 46: "each 32nd loss is stale", 47: "loss in bits", 48: "the last row has no loss",
          49: "mean for sum in the log-sum-exp", 50: "log-sum-exp in bits"},
         [1, 3, 4, 5, 9, 11, 21, 13], {"n": 520})

# ---- gradient of softmax ----
SOFTMAX_BACKWARD = '''import torch

def run(x, dy):
    p = torch.softmax(x.float() * 0.25, dim=-1)
    g = dy.float()
    dot = (p * g).sum(-1, keepdim=True)
    dx = 0.25 * p * (g - dot)
    return dx.to(x.dtype), dot.squeeze(-1)
'''
for dtype, code in DTYPES.items():
    own = {30: "scale 0.26", 31: "the last row takes the gradient before", 32: "exp2 without log2(e)", 33: "softmax with one more in its sum",
           34: "probabilities in bfloat16", 35: "probabilities in float16", 36: "small probabilities flushed", 37: "mean for sum",
           38: "each 16th row lacks its dot", 39: "dot in bfloat16", 40: "the scale's part is missing", 41: "plus for minus",
           42: "dot not weighted", 43: "diagonal of the Jacobian alone", 44: "the partial tile lacks the dot", 45: "the first column is zero",
           46: "sign lost where the gradient is below -2", 47: "dot in float16"}
    task(f"softmax_backward_{dtype}", "softmax_backward", code, {"n": 64, "d": 150},
         {"x": tensor("n d", dtype), "dy": tensor("n d", dtype)}, {"dx": tensor("n d", dtype), "dot": tensor("n", "float32")},
         SOFTMAX_BACKWARD, "softmax_backward.cpp",
         ["forward", "backward", "pairwise", "4 lanes", "16 lanes", "tiles of 32", "5 parts", "Kahan", "shuffled", "fma forward",
          ("32 lanes", "reciprocal"), ("8 lanes", "exp2"), ("forward", alt("log-sum-exp", 1)), ("pairwise", alt("scaled first", 2)),
          ("8 lanes", alt("divided at the end", 3)), ("fma 8 lanes", alt("products apart", 4)), "double"],
         pick(own, [[], [35], [34]][code]), [1, 3, 4, 5, 9, 14, 15, 18] if code == 0 else [1, 3, 4, 6, 10, 17], {"n": 64})

# ---- gradient of RMSNorm ----
RMSNORM_BACKWARD = '''import torch

def run(x, weight, dy):
    xf = x.float()
    r = torch.rsqrt((xf * xf).mean(-1, keepdim=True) + 1e-2)
    g = dy.float() * weight.float()
    xh = xf * r
    c = (g * xh).mean(-1, keepdim=True)
    dx = r * (g - xh * c)
    dw = (dy.float() * xh).sum(0)
    return dx.to(x.dtype), dw.to(x.dtype), r.squeeze(-1)
'''
for dtype, code in DTYPES.items():
    own = {30: "no eps", 31: "eps ten times too large", 32: "the last row takes the gradient before", 33: "no weight in dx",
           34: "weight reversed", 35: "n-1 in the mean", 36: "eps outside of the root", 37: "inverse root in bfloat16",
           38: "sum for mean", 39: "each 16th row lacks its projection", 40: "r missing in dx", 41: "plus for minus",
           42: "the mean square counts as a constant", 43: "the partial tile lacks the projection", 44: "dw with r of the row before",
           45: "dw as a mean", 46: "dw lacks row 0 in one column in 32", 47: "inverse root in float16", 48: "projection in bfloat16",
           49: "x not normalised in dx", 50: "weight in dw"}
    task(f"rmsnorm_backward_{dtype}", "rmsnorm_backward", code, {"n": 48, "d": 104},
         {"x": tensor("n d", dtype), "weight": tensor("d", dtype), "dy": tensor("n d", dtype)},
         {"dx": tensor("n d", dtype), "dw": tensor("d", dtype), "r": tensor("n", "float32")}, RMSNORM_BACKWARD, "rmsnorm_backward.cpp",
         ["forward", "backward", "pairwise", "4 lanes", "16 lanes", "tiles of 32", "5 parts", "Kahan", "shuffled", "fma forward",
          ("32 lanes", "reciprocal"), ("8 lanes", "root of the inverse"), ("forward", "root in double"), ("pairwise", alt("normalised first", 1)),
          ("8 lanes", alt("fma in dx", 2)), ("fma 8 lanes", alt("products apart", 3)), "double"],
         pick(own, [48] if code else []), [1, 4, 5, 9, 15, 18] if code == 0 else [1, 3, 4, 10], {"n": 48})

# ---- 2-d convolution ----
CONV2D = '''import torch
import torch.nn.functional as F

def run(x, weight, bias):
    y = F.conv2d(x.float(), weight.float(), bias.float(), stride=2, padding=1)
    return torch.relu(y).to(x.dtype)
'''
for dtype, code in DTYPES.items():
    own = {30: "border repeated for zeros", 31: "wrapped at the border", 32: "no padding above", 33: "the picture's last column is never used",
           34: "a tap of the last column is missing", 35: "kernel flipped", 36: "kernel transposed", 37: "the last channel is the one before",
           38: "factors in bfloat16", 39: "factors in tf32", 40: "factors in float16", 41: "the last channel is missing",
           42: "bias of the channel before", 43: "no bias", 44: "no bias in the last channel", 45: "relu before the bias too",
           46: "leaky relu", 47: "relu6", 48: "the last line of the last picture is zero", 49: "no relu"}
    task(f"conv2d_relu_{dtype}", "conv2d", code, {"n": 2, "c": 7, "h": 17, "w": 31, "o": 10, "r": 3, "p": 9, "q": 16},
         {"x": tensor("n c h w", dtype), "weight": tensor("o c r r", dtype), "bias": tensor("o", dtype)},
         {"out": tensor("n o p q", dtype)}, CONV2D, "conv2d.cpp",
         ["forward", "backward", "pairwise", "4 lanes", "8 lanes", "16 lanes", "tiles of 8", "tiles of 32", "2 parts", "5 parts", "Kahan",
          "shuffled", "shared memory", "fma forward", "double", ("forward", alt("channels innermost", 1)),
          ("8 lanes", alt("bias first", 2))],
         pick(own, [] if code == 0 else [40, 39] if code == 1 else [38, 39, 40]),
         [1, 2, 4, 5, 6, 14, 15, 20, 21] if code == 0 else [1, 2, 3, 4, 5, 10, 15, 17] + [6] * (code == 1), {"n": 2})

# ---- statistics of rows ----
ROW_STATISTICS = '''import torch

def run(x):
    y = x.float()
    mean_square = (y * y).mean(-1)
    length = torch.linalg.vector_norm(y, dim=-1).to(x.dtype)
    variance = torch.var(y, dim=-1, unbiased=True)
    sizes = y.abs().sum(-1).to(x.dtype)
    low = x.amin(-1)
    high, place = x.max(-1)
    return mean_square, length, variance, sizes, low, high, place
'''
for dtype, code in DTYPES.items():
    own = {30: "mean of squares over n-1", 31: "eps within the root", 32: "length without root", 33: "root mean square for length",
           34: ("merged without the means' spread", ["-DALT=3"]), 35: "variance with the mean of the row before", 36: "variance without mean",
           37: "variance over n", 38: "variance over n-2", 39: "deviation for variance", 40: "size of the sum", 41: "mean size",
           43: "one lane in 32 never takes part", 44: "largest without the last", 45: "size of the smallest",
           46: "each 64th place off by one", 47: "places from 1", 48: "places as int8"}
    task(f"row_statistics_{dtype}", "reduction", code, {"n": 200, "d": 170}, {"x": tensor("n d", dtype)},
         {"mean_square": tensor("n", "float32"), "length": tensor("n", dtype), "variance": tensor("n", "float32"),
          "sizes": tensor("n", dtype), "low": tensor("n", dtype), "high": tensor("n", dtype), "place": tensor("n", "int64")},
         ROW_STATISTICS, "row_statistics.cpp",
         ["forward", "backward", "pairwise", "4 lanes", "16 lanes", "tiles of 32", "5 parts", "Kahan", "shuffled", "shared memory",
          "fma forward", "double", ("32 lanes", "reciprocal"), ("8 lanes", alt("length by inverse root", 1)), ("pairwise", alt("Welford", 2)),
          ("8 lanes", alt("merged blocks", 3)), ("fma 8 lanes", alt("first of equals", 4))],
         own, [1, 3, 4, 5, 6, 8, 20, 21], {"n": 200})

# ---- AdamW ----
ADAM = '''import torch

def run(p, g, m, v, step):
    w = p.float()
    d = g.float()
    a = 0.9 * m + 0.1 * d
    s = 0.99 * v + 0.01 * d * d
    c1 = 1 - 0.9 ** step
    c2 = 1 - 0.99 ** step
    move = (a / c1) / (torch.sqrt(s / c2) + 1e-3)
    w = w * (1 - 0.5 * 0.1) - 0.5 * move
    return w.to(p.dtype), a, s
'''
for dtype in ("float32", "bfloat16"):
    own = {30: "beta1 0.95", 31: "beta2 0.98", 32: "eps ten times too large", 33: "no eps", 34: "step counted from 0",
           35: "step counted twice", 36: "first moment not corrected", 37: "second moment not corrected", 38: "decay in the gradient",
           39: "gradients below -2.5 flipped", 40: "gradients clipped at 1.5", 41: "the neighbour's first moment",
           42: "size for square", 43: "amsgrad", 44: "first moment in bfloat16", 45: "second moment in bfloat16",
           46: "no dampening", 47: "eps within the root", 48: "decay ten times more", 49: "Nesterov", 50: "no decay", 51: "uphill",
           52: "decay after the step", 53: "the last tile keeps its weight", 54: "second moment in float16", 55: "move in bfloat16",
           56: "the moment of the step before"}
    task(f"adamw_{dtype}", "optimizer", DTYPES[dtype], {"n": 20, "d": 90},
         {"p": tensor("n d", dtype), "g": tensor("n d", dtype), "m": tensor("n d", "float32"), "v": tensor("n d", "float32"),
          "step": tensor(None, "int32")},
         {"new_p": tensor("n d", dtype), "new_m": tensor("n d", "float32"), "new_v": tensor("n d", "float32")}, ADAM, "adam.cpp",
         ["forward", "fma forward", "double", ("forward", "reciprocal"), ("fma forward", "reciprocal"), ("forward", alt("moments by lerp", 1)),
          ("forward", alt("root of the correction", 2)), ("forward", "root of the inverse", alt("root of the correction", 2)),
          ("forward", alt("step size first", 3)), ("fma forward", alt("step size first", 3)), ("forward", "reciprocal", alt("step size first", 3)),
          ("forward", alt("corrections by expm1", 4)), ("fma forward", alt("moments by lerp", 1))],
         pick(own, [55] if dtype == "bfloat16" else []), [14, 15, 17] if dtype == "float32" else [10, 17], {"n": 20},
         given={"step": {"type": "scalar", "value": 7}, "v": {"type": "random", "kind": "positive"}})

# ---- ragged sequences ----
RAGGED = '''import torch

def run(x, seq_lens):
    means = []
    highs = []
    lses = []
    for b in range(x.shape[0]):
        n = int(seq_lens[b].item())
        rows = x[b, :n].float()
        means.append(rows.mean(0))
        highs.append(rows.amax(0))
        lses.append(torch.logsumexp(rows, 0))
    return torch.stack(means).to(x.dtype), torch.stack(highs).to(x.dtype), torch.stack(lses)
'''
for dtype in ("bfloat16", "float16"):
    own = {30: "the length of the sequence before", 31: "one row too many", 32: "one row too few", 33: "long sequences are cut",
           34: "length rounded up to eight", 35: "a full sequence lacks its last row", 36: "padding counts", 37: "the last row of the next sequence",
           38: "mean over the padded length", 39: "mean over one more", 40: "sum for mean", 41: "largest begins at zero",
           42: "largest without the last row", 43: "size of the largest", 44: "padding as zeros in the log-sum-exp",
           45: "log-mean-exp", 46: "largest for log-sum-exp", 47: "the largest is not added back", 48: "log2 for log",
           49: "the last column is zero"}
    task(f"ragged_pooling_{dtype}", "ragged_reduction", DTYPES[dtype], {"b": 16, "s": 40, "d": 50},
         {"x": tensor("b s d", dtype), "seq_lens": tensor("b", "int32")},
         {"mean": tensor("b d", dtype), "high": tensor("b d", dtype), "lse": tensor("b d", "float32")}, RAGGED, "ragged.cpp",
         ["forward", "backward", "pairwise", "4 lanes", "16 lanes", "tiles of 8", "2 parts", "Kahan", "shared memory", "double",
          "fma forward", ("8 lanes", "reciprocal"), ("forward", "exp2"), ("forward", alt("running mean", 1)),
          ("8 lanes", alt("online", 2)), ("forward", "exp2", alt("online", 2)), ("pairwise", alt("log1p", 3))],
         own, [1, 4, 5, 10], {"b": 16})

# ---- distances ----
DISTANCE = '''import torch

def run(x, y):
    difference = x.float()[:, None, :] - y.float()[None, :, :]
    square = (difference * difference).sum(-1)
    return torch.sqrt(square).to(x.dtype), square.argmin(-1).to(torch.int32)
'''
for dtype in ("float32", "float16"):
    own = {30: "the last row is the one before", 31: "each 32nd row of y is the one before", 32: "x shifted by one", 33: "plus for minus",
           34: "differences in bfloat16", 35: "differences of sizes", 36: "city block", 37: "cubes for squares",
           38: ("product once for twice", ["-DALT=1"]), 39: "mean of squares", 40: "squares of at least 60", 41: "0.5 within the root",
           42: "no root", 43: "zero on the diagonal", 44: "above the diagonal other rows", 45: "a corner lost in each eighth row",
           46: "the last is never nearest", 47: "the first is never nearest", 48: "the second half always wins", 49: "columns swapped in pairs",
           50: "nearest from 1"}
    task(f"pairwise_distance_{dtype}", "distance", DTYPES[dtype], {"n": 40, "m": 36, "d": 50},
         {"x": tensor("n d", dtype), "y": tensor("m d", dtype)}, {"out": tensor("n m", dtype), "nearest": tensor("n", "int32")},
         DISTANCE, "distance.cpp",
         ["forward", "backward", "pairwise", "4 lanes", "8 lanes", "16 lanes", "tiles of 8", "tiles of 32", "2 parts", "5 parts", "Kahan",
          "shuffled", "shared memory", "fma forward", "double", ("8 lanes", alt("by the product", 1)), ("forward", alt("by inverse root", 2))],
         own, [1, 4, 6, 15, 20], {"n": 40})

# ---- short causal convolution ----
SHORT_CONV = '''import torch
import torch.nn.functional as F

def run(x, weight, bias, past):
    L = x.shape[1]
    K = weight.shape[1]
    seen = torch.cat([past, x.float().transpose(1, 2)], dim=2)
    y = bias.float()[None, :, None].expand(x.shape[0], x.shape[2], L)
    for k in range(K):
        y = y + weight.float()[None, :, k, None] * seen[:, :, k:k + L]
    return F.silu(y).transpose(1, 2).to(x.dtype), seen[:, :, L:]
'''
for dtype in ("bfloat16", "float32"):
    own = {30: "the first sequence's past for all", 31: "past reversed", 32: "zeros for the past", 33: "one step too late", 34: "looks ahead",
           35: "the past is lost at chunks", 36: "the oldest tap is missing", 37: "taps of the next channel", 38: "taps reversed",
           39: "no bias", 40: "one bias for eight channels", 41: "no activation", 42: "relu for silu", 43: "gelu for silu", 44: "hard swish",
           45: "sigmoid for silu", 46: "silu with 1.02", 47: "bias after the activation", 48: "the last step is zero",
           49: "the last channel is not activated", 50: "new past one step old", 51: "new past as a ring", 52: "past not renewed"}
    task(f"short_conv_silu_{dtype}", "causal_conv1d", DTYPES[dtype], {"n": 3, "l": 20, "d": 44, "k": 4, "j": 3},
         {"x": tensor("n l d", dtype), "weight": tensor("d k", dtype), "bias": tensor("d", dtype), "past": tensor("n d j", "float32")},
         {"out": tensor("n l d", dtype), "new_past": tensor("n d j", "float32")}, SHORT_CONV, "short_conv.cpp",
         ["forward", "backward", "pairwise", "4 lanes", "2 parts", "Kahan", "shuffled", "fma forward", "double", ("forward", "exp2"),
          ("forward", "sigmoid by tanh"), ("backward", "sigmoid by sign"), ("forward", alt("bias first", 1)),
          ("fma forward", alt("silu by division", 2)), ("backward", "reciprocal", alt("silu by division", 2))],
         own, [4, 14, 15] if dtype == "float32" else [4, 10, 15], {"n": 3})

# ---- gradient of a linear layer ----
LINEAR_BACKWARD = '''import torch

def run(x, weight, dy):
    g = dy.float()
    dx = g @ weight.float()
    dw = g.t() @ x.float()
    db = g.sum(0)
    return dx.to(x.dtype), dw.to(weight.dtype), db
'''
for dtype in ("float32", "bfloat16"):
    own = {30: "factors in tf32", 31: "factors in bfloat16", 32: "the last row takes the gradient before", 33: "weight's columns shifted",
           34: "one lane in 16 is lost in dx", 35: "weight's columns reversed", 36: "partial tile of dx lost in each eighth row",
           37: "dw lacks the last row", 38: "dw lacks the last eight rows", 39: "gradient of the next output", 40: "rows of x reversed",
           41: "dw as a mean", 42: "weight decay in dw", 43: "sign of the last row of dw", 44: "rows of dw swapped in pairs",
           45: "db as a mean", 46: "db lacks the last row", 47: "db of the last row alone", 48: "negative db lost"}
    task(f"linear_backward_{dtype}", "linear_backward", DTYPES[dtype], {"n": 50, "k": 44, "m": 36},
         {"x": tensor("n k", dtype), "weight": tensor("m k", dtype), "dy": tensor("n m", dtype)},
         {"dx": tensor("n k", dtype), "dw": tensor("m k", dtype), "db": tensor("m", "float32")}, LINEAR_BACKWARD, "linear_backward.cpp",
         ["forward", "backward", "pairwise", "4 lanes", "8 lanes", "16 lanes", "32 lanes", "tiles of 8", "tiles of 32", "2 parts", "5 parts",
          "Kahan", "shuffled", "shared memory", "fma forward", "fma 8 lanes", "double"],
         pick(own, [30, 31] if dtype == "bfloat16" else []), [1, 3, 4, 5, 6, 15, 21] if dtype == "float32" else [1, 4, 5, 10, 17, 20],
         {"n": 50})

# ---- RWKV-6 ----
RWKV = '''import torch

def run(r, k, v, w, u):
    T, H, D = r.shape
    decay = torch.exp(-torch.exp(w.float()))
    s = torch.zeros(H, D, D, dtype=torch.float32)
    outs = []
    for t in range(T):
        kv = k[t].float()[:, :, None] * v[t].float()[:, None, :]
        outs.append((r[t].float()[:, :, None] * (s + u[:, :, None] * kv)).sum(1))
        s = decay[t][:, :, None] * s + kv
    return torch.stack(outs).to(r.dtype), s
'''
for dtype in ("bfloat16", "float32"):
    own = {30: "a head begins with the state of the one before", 31: "the decay of the step before", 32: "the decay of the next head",
           33: "decay without its inner exponential", 34: "sigmoid for the decay", 35: "decay in bfloat16", 36: "decay of at least 0.05",
           37: "one decay for a head", 38: "decay along the value", 39: "what is new decays too", 40: "state in bfloat16", 41: "state in float16",
           42: "the last key's state is not kept", 43: "a lane misses each fourth update", 44: "bonus 1", 45: "no bonus",
           46: "the first head's bonus for all", 47: "output after the update", 48: "the last key's state is not read",
           49: "the last step is zero", 50: "state without the last update", 51: "state transposed"}
    task(f"rwkv6_{dtype}", "linear_attention", DTYPES[dtype], {"t": 12, "h": 3, "d": 32},
         {name: tensor("t h d", dtype) for name in "rkvw"} | {"u": tensor("h d", "float32")},
         {"out": tensor("t h d", dtype), "state": tensor("h d d", "float32")}, RWKV, "rwkv.cpp",
         ["forward", "backward", "pairwise", "4 lanes", "8 lanes", "16 lanes", "tiles of 8", "2 parts", "Kahan", "shuffled", "shared memory",
          "fma forward", "double", ("forward", "exp2"), ("8 lanes", alt("decay by division", 1)), ("pairwise", alt("decay by exp2", 2)),
          ("fma forward", alt("bonus apart", 3))],
         own, [1, 4, 15] if dtype == "float32" else [4, 10, 17], {"t": 12})

# ---- batch norm and activations ----
ACTIVATIONS = '''import torch
import torch.nn.functional as F

def run(x, running_mean, running_var, weight, bias):
    y = F.batch_norm(x.float(), running_mean, running_var, weight, bias, False, 0.1, 1e-3)
    return F.gelu(y).to(x.dtype), F.mish(y).to(x.dtype)
'''
for dtype, code in DTYPES.items():
    own = {30: "no eps", 31: "eps ten times too large", 32: "eps outside of the root", 33: "variance without root", 34: "inverse root in bfloat16",
           35: "mean of the channel before", 36: "no weight", 37: "no bias", 38: "the last channel takes the first bias", 39: "plus for minus",
           40: "mean not subtracted", 41: "gelu by tanh", 42: "gelu by 1.702", 43: "silu for gelu", 44: "gelu zero below -2",
           45: "gelu the identity above 2", 46: "erf without the root", 47: "mish without tanh", 48: "relu for softplus in mish",
           49: "sigmoid for tanh in mish", 50: "mish clamped above 3", 51: "the last place of mish not activated", 52: "tanh in bfloat16"}
    task(f"batch_norm_activations_{dtype}", "batch_norm", code, {"n": 6, "c": 20, "l": 33},
         {"x": tensor("n c l", dtype)} | {name: tensor("c", "float32") for name in ("running_mean", "running_var", "weight", "bias")},
         {"gelu": tensor("n c l", dtype), "mish": tensor("n c l", dtype)}, ACTIVATIONS, "activations.cpp",
         ["forward", "fma forward", "double", ("forward", "exp2"), ("forward", "sigmoid by sign"), ("forward", "root of the inverse"),
          ("forward", "root in double"), ("forward", alt("scale and shift", 1)), ("fma forward", alt("scale and shift", 1)),
          ("forward", alt("gelu by erfc", 2)), ("forward", alt("mish by a fraction", 3)), ("fma forward", "exp2", alt("mish by a fraction", 3)),
          ("forward", "exp in double", alt("gelu by erfc", 2))],
         pick(own, [] if code == 0 else [52] if code == 2 else []), [14, 15, 19] if code == 0 else [10, 17, 15], {"n": 6},
         given={"running_var": {"type": "random", "kind": "positive"}})

# ---- KL divergence ----
KL = '''import torch

def run(p, q):
    a = torch.log_softmax(p.float(), -1)
    b = torch.log_softmax(q.float() * 0.5, -1)
    weight = a.exp()
    kl = (weight * (a - b)).sum(-1)
    entropy = -(weight * a).sum(-1)
    above = (p > 0).sum(-1).to(torch.int32)
    return kl, entropy, above
'''
for dtype in ("float32", "float16"):
    own = {30: "the last row is compared with the one before", 31: "no temperature", 32: "temperature 1 % off", 33: "one normaliser for both",
           34: "probabilities in bfloat16", 35: "probabilities in float16", 36: "small probabilities flushed", 37: "the other direction",
           38: "mean for sum", 39: "sizes of the differences", 40: "differences cut at -2", 41: "in bits", 42: "normaliser subtracted twice",
           43: "each 50th row is zero", 44: "sign of the entropy", 45: "surprise of the first for entropy", 46: "0.001 within the logarithm",
           47: "entropy as a share of its largest", 48: "count without the first", 49: "count without the last two", 50: "count of even places",
           51: "count above 0.02"}
    task(f"kl_divergence_{dtype}", "loss", DTYPES[dtype], {"n": 300, "v": 110}, {"p": tensor("n v", dtype), "q": tensor("n v", dtype)},
         {"kl": tensor("n", "float32"), "entropy": tensor("n", "float32"), "above": tensor("n", "int32")}, KL, "kl_divergence.cpp",
         ["forward", "backward", "pairwise", "4 lanes", "16 lanes", "tiles of 32", "5 parts", "Kahan", "shuffled", "fma forward", "double",
          ("8 lanes", "exp2"), ("forward", "exp in double"), ("32 lanes", "reciprocal"), ("forward", alt("log-probabilities first", 1)),
          ("8 lanes", alt("normalisers apart", 2)), ("pairwise", "reciprocal", alt("normalisers apart", 2))],
         own, [1, 4, 5, 9, 11, 13], {"n": 300})

# ---- mean of masked int8 codes ----
MASKED_POOL = '''import torch

def run(codes, scale, mask):
    keep = mask.float()[:, :, None]
    count = keep.sum(1).clamp(min=1)
    mean = (codes.float() * keep).sum(1) * scale / count
    scaled = mean * 4
    out = torch.round(scaled).clamp(-128, 127).to(torch.int8)
    return mean, out, scaled.abs() > 127
'''
task("masked_pool_int8", "masked_reduction", 0, {"b": 24, "s": 40, "d": 54},
     {"codes": tensor("b s d", "int8"), "scale": tensor("d", "float32"), "mask": tensor("b s", "bool")},
     {"mean": tensor("b d", "float32"), "out": tensor("b d", "int8"), "limited": tensor("b d", "bool")}, MASKED_POOL, "masked_pool.cpp",
     ["forward", "backward", "8 lanes", "tiles of 8", "fma forward", "double", ("forward", "reciprocal"), ("forward", alt("whole numbers", 1)),
      ("forward", "reciprocal", alt("whole numbers", 1)), ("forward", alt("scaled first", 2)), ("backward", alt("scaled first", 2)),
      ("pairwise", alt("scaled first", 2)), ("8 lanes", alt("scaled first", 2)), ("shuffled", alt("scaled first", 2)), ("Kahan", alt("scaled first", 2))],
     {30: "the mask of the sequence before", 31: "mask inverted", 32: "mask shifted by one", 33: "mask without effect on the sum", 34: "mean over all rows",
      35: "mean over one more", 36: "codes without sign", 37: "code -128 as -127", 38: "scale of the column before", 39: ("sums as int8", ["-DALT=1"]),
      40: ("sums limited to ten bits", ["-DALT=1"]), 41: "mean without scale", 42: "the partial tile of each eighth row is zero", 43: "codes 1 % too large",
      44: "codes cut off", 45: "codes rounded down", 46: "codes rounded up", 47: "codes one too large", 48: "codes limited at 100",
      49: "codes wrap", 50: "limited from 110", 51: "limited stays on in a row", 52: "limited above alone"},
     [1, 2, 4, 5, 11, 15, 18], {"b": 24})

# ---- exponential moving average ----
MOVING_AVERAGE = '''import torch

def run(x, rate, first):
    a = torch.sigmoid(rate)
    s = first
    outs = []
    for t in range(x.shape[1]):
        s = a * x[:, t].float() + (1 - a) * s
        outs.append(s)
    return torch.stack(outs, 1).to(torch.float8_e4m3fn), s
'''
for dtype in ("float16", "bfloat16"):
    task(f"moving_average_float8_{dtype}", "scan", DTYPES[dtype], {"b": 8, "t": 30, "d": 50},
         {"x": tensor("b t d", dtype), "rate": tensor("d", "float32"), "first": tensor("b d", "float32")},
         {"out": tensor("b t d", "float8_e4m3fn"), "last": tensor("b d", "float32")}, MOVING_AVERAGE, "moving_average.cpp",
         ["forward", "fma forward", "double", ("forward", "exp2"), ("forward", "exp in double"), ("forward", "sigmoid by tanh"), ("forward", "sigmoid by sign"),
          ("forward", alt("by the difference", 1)), ("fma forward", alt("by the difference", 1)), ("forward", alt("two fma", 2)),
          ("forward", "sigmoid by tanh", alt("by the difference", 1)), ("fma forward", "exp2", alt("two fma", 2))],
         {30: "the next channel's rate", 31: "begins with zero", 32: "the first sequence's start for all", 33: "a hard sigmoid", 34: "rate and rest swapped",
          35: "rate in bfloat16", 36: "one step late", 37: "the second chunk begins anew", 39: "rate missing for what is new", 40: "rest 0.5 % too small",
          41: "average in bfloat16", 42: "average in float16", 43: "the last step is skipped", 44: "a lane misses each eighth step",
          45: "output before the update", 46: "outputs four times as large", 47: "outputs 2 % too large", 48: "outputs without subnormal numbers",
          49: "float8 cut off", 50: "float8 rounded to three digits", 51: "float8 without sign", 52: "the last channel is zero"},
         [11, 13, 14, 18], {"b": 8})

# ---- resizing and pooling ----
RESIZE = '''import torch
import torch.nn.functional as F

def run(x):
    y = x.float()
    up = F.interpolate(y, scale_factor=2.0, mode="bilinear", align_corners=False)
    pool = F.avg_pool2d(y, 3, stride=2, padding=1, count_include_pad=False)
    return up.to(x.dtype), pool.to(x.dtype)
'''
for dtype, code in DTYPES.items():
    own = {30: "the last plane is the one before", 31: "corners aligned", 32: "half a pixel off", 34: "nearest", 35: "smooth step for linear",
           36: "the last line is not reached", 37: "wrapped at the border", 38: "weights swapped", 39: "weights of rows and columns swapped",
           40: "lines in bfloat16", 41: "the last line is the one above", 42: "pooling without padding above", 43: "pooling without the last column",
           44: "padding counts", 45: "mean over eight", 46: "the middle is missing", 47: "largest for mean", 48: "padding counts on the right",
           49: "first line of each eighth plane zero"}
    task(f"resize_and_pool_{dtype}", "interpolate", code, {"n": 3, "c": 8, "h": 11, "w": 10, "h2": 22, "w2": 20, "p": 6, "q": 5},
         {"x": tensor("n c h w", dtype)}, {"up": tensor("n c h2 w2", dtype), "pool": tensor("n c p q", dtype)}, RESIZE, "resize.cpp",
         ["forward", "backward", "pairwise", "4 lanes", "Kahan", "shuffled", "fma forward", "double", ("forward", "reciprocal"),
          ("forward", alt("four weights", 1)), ("fma forward", alt("four weights", 1)), ("forward", alt("by differences", 2)),
          ("fma forward", alt("by differences", 2)), ("backward", alt("columns first", 3)), ("pairwise", "reciprocal", alt("columns first", 3))],
         pick(own, [40] if code == 2 else []), [1, 15, 18, 19] if code == 0 else [1, 10, 15, 16], {"n": 3})

# ---- spectral norm ----
SPECTRAL_NORM = '''import torch

def run(weight, u):
    w = weight.float()
    v = u
    for step in range(3):
        v = w.t() @ u
        v = v / torch.linalg.vector_norm(v).clamp(min=1e-6)
        u = w @ v
        u = u / torch.linalg.vector_norm(u).clamp(min=1e-6)
    sigma = torch.dot(u, w @ v)
    return (w / sigma).to(weight.dtype), u, v
'''
for dtype in ("float32", "bfloat16"):
    own = {30: "1 added to lengths", 31: "squares for lengths", 32: "sums of sizes for lengths", 33: "vectors in bfloat16", 34: "vectors in float16",
           35: "vectors in tf32", 36: "the last element of vectors is zero", 37: "the partial tile is not normalised", 38: "two steps", 39: "four steps",
           40: "v not normalised", 41: "v shifted", 42: "the last u is not normalised", 43: "the first of u is old", 44: "the last u is old",
           45: "root of sigma", 46: "sigma in bfloat16", 47: "a bound for sigma", 48: "sigma 0.2 % too large", 49: "the last row is not divided",
           50: "times sigma", 51: "weights below -2.5 lost", 52: "u with the other sign"}
    task(f"spectral_norm_{dtype}", "spectral_norm", DTYPES[dtype], {"m": 44, "n": 60},
         {"weight": tensor("m n", dtype), "u": tensor("m", "float32")},
         {"out": tensor("m n", dtype), "new_u": tensor("m", "float32"), "new_v": tensor("n", "float32")}, SPECTRAL_NORM, "spectral_norm.cpp",
         ["forward", "backward", "pairwise", "4 lanes", "8 lanes", "16 lanes", "tiles of 32", "2 parts", "5 parts", "Kahan", "shuffled",
          "shared memory", "fma forward", "double", ("8 lanes", "reciprocal"), ("forward", "root in double", alt("inverse root", 1)),
          ("8 lanes", alt("divided", 2)), ("pairwise", alt("sigma from the left", 3))],
         pick(own, [] if dtype == "float32" else [46]), [1, 4, 5, 6] if dtype == "float32" else [1, 4, 10, 17], {})
