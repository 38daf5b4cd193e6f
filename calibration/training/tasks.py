"""Losses, probabilities, norms, activations, optimisers, distances, scans and matrix products: training's numerics.

Right programs are ways (formulas) times orders of summation; wrong ones are bugs of sums, of stores and of softmax
statistics (numerics.h), and defects of their own (DEFECT in each source)."""

ORDERS = {
    "forward": [], "backward": ["-DORDER=1"], "pairwise": ["-DORDER=2"], "4 lanes": ["-DORDER=3", "-DLANES=4"],
    "8 lanes": ["-DORDER=3"], "16 lanes": ["-DORDER=3", "-DLANES=16"], "32 lanes": ["-DORDER=3", "-DLANES=32"],
    "tiles of 16": ["-DORDER=4", "-DTILE=16"], "tiles of 64": ["-DORDER=4"], "tiles of 128": ["-DORDER=4", "-DTILE=128"],
    "2 parts": ["-DORDER=5", "-DPARTS=2"], "7 parts": ["-DORDER=5", "-DPARTS=7"], "Kahan": ["-DORDER=6"],
    "shuffled": ["-DORDER=7"], "in double": ["-DPREC=2"]}
FMA = {"fma forward": ["-DFMA=1"], "fma 16 lanes": ["-DFMA=1", "-DORDER=3", "-DLANES=16"],
       "fma tiles of 64": ["-DFMA=1", "-DORDER=4"]}
SOFTMAX = {"online softmax": ["-DSOFTMAX=1"], "softmax in tiles": ["-DSOFTMAX=2"],
           "softmax of two halves": ["-DSOFTMAX=3"], "exp2": ["-DEXP2=1"],
           "online softmax with exp2": ["-DSOFTMAX=1", "-DEXP2=1"]}
SUMBUGS = {"loses the last element": 1, "loses the last partial tile": 2, "loses the first element": 3,
           "loses one lane of 32": 4, "loses a part in some rows": 5, "counts one element of a tile twice": 6,
           "is added up in bfloat16": 7, "is added up in float16": 8, "is kept in bfloat16": 9,
           "loses one part of one row": 10, "is not cleared for one row of 8": 11}
OUTBUGS = {"cut off": 1, "through bfloat16": 2, "through float16": 3, "through tf32": 4, "0.1 % too large": 5,
           "1 % too large": 6, "one lane stores its neighbour's": 7, "lost now and then": 8,
           "last partial tile is zero": 9, "last element is zero": 10, "one lane of 16 in cut bfloat16": 11,
           "through cut float16": 12}
SOFTBUGS = {"online sum not rescaled after 64": 1, "halves merged without a factor": 2,
            "log2(e) missing in the last tile": 3, "the maximum's term is missing": 4,
            "exponentials cut to bfloat16": 5}
DTYPES = {"float32": 0, "float16": 1, "bfloat16": 2}
TASKS = []


def rights(ways, orders=ORDERS, total=17):
    """The first way (usually {"": []}) in every order, the others in one order after the other, up to `total`."""
    first, *others = ways.items()
    names = list(orders)
    found = [(f"{first[0]} {o}".strip(), True, [*first[1], *orders[o]]) for o in names]
    keep = max(total - 2 * len(others), 6)
    found = found[:keep] if len(found) > keep else found
    for k, (name, flags) in enumerate(others):
        for step in (3 * k, 3 * k + 4):
            if len(found) < total or step == 3 * k:
                o = names[step % len(names)]
                found.append((f"{name} {o}", True, [*flags, *orders[o]]))
    return found


def softmax_rights(ways, total=17):
    return rights({"": []} | SOFTMAX | ways, total=total)


def sum_bugs(name, site, *which):
    return [(f"{name} {b}", False, [f"-DSUMBUG={SUMBUGS[b]}", f"-DSITE={site}"]) for b in which]


def out_bugs(name, site, *which):
    return [(f"{name}: {b}", False, [f"-DOUTBUG={OUTBUGS[b]}", f"-DOUTSITE={site}"]) for b in which]


def soft_bugs(*numbers):
    return [(b, False, [f"-DSOFTBUG={k}"]) for b, k in SOFTBUGS.items() if k in numbers]


def defects(**named):
    """d7="…": DEFECT 7."""
    return [(name, False, [f"-DDEFECT={key[1:]}"]) for key, name in named.items()]


def stores(name, site, dtype):
    """Bugs of stores that suit the dtype."""
    fine = {"float32": ("through bfloat16", "through float16", "through tf32", "0.1 % too large"),
            "float16": ("cut off", "through bfloat16", "1 % too large"), "bfloat16": ("cut off", "1 % too large")}
    return out_bugs(name, site, *fine[dtype], "one lane stores its neighbour's", "lost now and then",
                    "last partial tile is zero")


def thinned(found, most):
    """At most so many of them, evenly picked."""
    return found if len(found) <= most else [found[k * len(found) // most] for k in range(most)]


def task(name, dtype, op_type, description, axes, inputs, outputs, reference, source, programs, flags=(), given=None):
    """axes: {name: (kind, length)}; a tensor is (shape, dtype), where "x" as dtype means the task's."""
    def tensors(specs):
        return {k: {"shape": s, "dtype": dtype if t == "x" else t} for k, (s, t) in specs.items()}
    assert len({p[0] for p in programs}) == len(programs), name
    TASKS.append({
        "definition": {
            "name": f"{name}_{dtype}", "op_type": op_type, "description": description,
            "axes": {k: {"type": "var"} if kind == "var" else {"type": "const", "value": n}
                     for k, (kind, n) in axes.items()},
            "inputs": tensors(inputs), "outputs": tensors(outputs),
            "reference": "import torch\nimport torch.nn.functional as F\n\n" + reference.strip() + "\n"},
        "axes": {k: n for k, (kind, n) in axes.items() if kind == "var"}, "inputs": given or {},
        "source": source, "flags": [f"-DDT={DTYPES[dtype]}", *flags], "truth": ["-DPREC=0"],
        "programs": thinned([p for p in programs if p[1]], 17) + thinned([p for p in programs if not p[1]], 23)})


for dtype in ("float32", "bfloat16"):
    fine = dtype == "float32"        # beside the target's large element some effects are not to be seen in 16 bits
    task("smoothed_cross_entropy", dtype, "loss", "cross entropy with label smoothing over the kept rows, and its gradient",
         {"n": ("var", 24), "v": ("const", 331)},
         {"logits": (["n", "v"], "x"), "targets": (["n"], "int32"), "kept": (["n"], "bool"), "smoothing": (None, "float32")},
         {"loss": (["n"], "float32"), "lse": (["n"], "float32"), "grad": (["n", "v"], "x")}, """
def run(logits, targets, kept, smoothing):
    v = logits.shape[1]
    x = logits.float()
    index = targets.long()
    lse = torch.logsumexp(x, dim=-1)
    picked = x.gather(1, index[:, None])[:, 0]
    loss = lse - (1 - smoothing) * picked - smoothing * x.mean(dim=-1)
    loss = torch.where(kept, loss, torch.zeros_like(loss))
    one_hot = F.one_hot(index, v).float()
    grad = torch.exp(x - lse[:, None]) - (1 - smoothing) * one_hot - smoothing / v
    grad = grad / kept.sum().clamp(min=1)
    grad = torch.where(kept[:, None], grad, torch.zeros_like(grad))
    return loss, lse, grad.to(logits.dtype)
""", "cross_entropy.cpp",
         softmax_rights({"loss as two parts": ["-DWAY=1"], "probabilities by a reciprocal": ["-DWAY=2"],
                         "probabilities by division": ["-DWAY=3"], "divided by the count": ["-DWAY=4"]}, 20)
         + soft_bugs(1, 2, 3, 4, 5)
         + sum_bugs("sum of exponentials", 1, "loses the last element", "loses one lane of 32", "is added up in bfloat16")
         + sum_bugs("mean of the logits", 2, "loses the last partial tile", "is not cleared for one row of 8")
         + out_bugs("loss", 1, "through bfloat16", "last element is zero")
         + out_bugs("gradient", 3, *(("through bfloat16", "through float16", "through tf32", "0.1 % too large") if fine
                                     else ("1 % too large",)), "one lane stores its neighbour's")
         + defects(d1="ignored rows have a gradient", d2="ignored rows are counted",
                   d4="the target's weight is 1", d5="the label went through a byte", d7="mean of the logits divided twice",
                   d6="logarithm 0.1 % too small", d8="mean of the logits over v - 1", d10="ignored rows have a loss",
                   d14="one too many is counted", d16="no smoothing in the loss", d18="some rows lack the target")
         + (defects(d3="smoothing shared by v - 1", d9="normaliser of the row before", d11="smoothing twice at the target",
                    d13="smoothing missing in the gradient", d17="smoothing forgotten in one lane") if fine else []),
         given={"smoothing": {"type": "scalar", "value": 0.1},
                "targets": {"type": "random", "kind": "ids", "low": 0, "high": 330}})

for dtype in ("float32", "float16"):
    task("distillation_kl", dtype, "loss", "KL divergence at a temperature, the teacher's entropy, and the gradient",
         {"n": ("var", 20), "v": ("const", 331)},
         {"student": (["n", "v"], "x"), "teacher": (["n", "v"], "x"), "temperature": (None, "float32")},
         {"kl": (["n"], "float32"), "entropy": (["n"], "float32"), "grad": (["n", "v"], "x")}, """
def run(student, teacher, temperature):
    s = F.log_softmax(student.float() / temperature, dim=-1)
    t = F.log_softmax(teacher.float() / temperature, dim=-1)
    p = torch.exp(t)
    kl = (p * (t - s)).sum(dim=-1) * temperature * temperature
    entropy = -(p * t).sum(dim=-1)
    grad = (torch.exp(s) - p) * temperature
    return kl, entropy, grad.to(student.dtype)
""", "distill.cpp",
         softmax_rights({"reciprocal of the temperature": ["-DWAY=1"], "maximum taken off first": ["-DWAY=2"],
                         "probabilities by division": ["-DWAY=3"], "entropy by the log-sum-exp": ["-DWAY=4"]}, 20)
         + soft_bugs(1, 2, 3, 4, 5)
         + sum_bugs("the divergence's sum", 3, "loses the last element", "loses one lane of 32", "loses a part in some rows",
                    "is added up in float16", "loses the first element")
         + sum_bugs("the entropy's sum", 4, "loses the last partial tile", "counts one element of a tile twice")
         + out_bugs("divergence", 1, "through tf32", "0.1 % too large") + stores("gradient", 3, dtype)[:4]
         + defects(d1="reverse divergence", d2="square of the temperature missing", d3="the teacher has no temperature",
                   d4="gradient divided by the temperature", d5="sign of the last column", d6="cross entropy for divergence",
                   d7="negative terms dropped", d8="the teacher's row before", d9="gradient of another loss",
                   d10="small probabilities dropped", d11="divided by v", d12="1e-4 in the logarithm",
                   d14="entropy in bits", d15="probabilities in bfloat16", d16="the teacher's tile is stale"),
         given={"temperature": {"type": "scalar", "value": 2.5}})

for dtype in ("float32", "bfloat16"):
    task("softmax_backward", dtype, "softmax", "softmax of scaled scores over each row's length, and its backward pass",
         {"n": ("var", 32), "v": ("const", 150)},
         {"scores": (["n", "v"], "x"), "grad": (["n", "v"], "x"), "seq_lens": (["n"], "int32"), "scale": (None, "float32")},
         {"probs": (["n", "v"], "x"), "grad_in": (["n", "v"], "x")}, """
def run(scores, grad, seq_lens, scale):
    v = scores.shape[1]
    valid = torch.arange(v)[None, :] < seq_lens[:, None]
    s = (scores.float() * scale).masked_fill(~valid, float("-inf"))
    p = torch.softmax(s, dim=-1)
    p = torch.where(valid, p, torch.zeros_like(p))
    g = grad.float()
    inner = (p * g).sum(dim=-1, keepdim=True)
    grad_in = p * (g - inner) * scale
    return p.to(scores.dtype), grad_in.to(scores.dtype)
""", "softmax_backward.cpp",
         softmax_rights({"reciprocal": ["-DWAY=1"], "by the log-sum-exp": ["-DWAY=2"], "two products": ["-DWAY=4"]}
                        | ({} if dtype == "float32" else {"backward from stored probabilities": ["-DWAY=3"]}), 18)
         + [(k, True, f) for k, f in FMA.items()][1:]
         + soft_bugs(*((1, 2, 3, 4, 5) if dtype == "float32" else (1, 2, 3, 4)))
         + sum_bugs("sum of exponentials", 1, "loses the last element", "loses a part in some rows", "loses one part of one row")
         + sum_bugs("inner product", 2, "loses the last partial tile", "loses one lane of 32", "counts one element of a tile twice",
                    "is not cleared for one row of 8") + stores("probabilities", 1, dtype)[:3] + out_bugs("gradient", 2, "one lane stores its neighbour's", "lost now and then", "1 % too large")
         + defects(d1="scale missing in the gradient", d2="inner product missing", d3="one column too many",
                   d4="one column too few", d5="masked columns keep the gradient", d6="inner product of the first 64",
                   d7="lengths ignored", d8="length of the row before", d9="scale twice", d10="mean for inner product",
                   d11="sign of the inner product", d14="partial vector of 8 lost", d15="diagonal of the Jacobian only",
                   d18="one column of 64 without inner product"),
         given={"scale": {"type": "scalar", "value": 1.25}})

for dtype in ("float32", "bfloat16"):
    task("layer_norm_backward", dtype, "norm", "layer norm's backward pass",
         {"n": ("var", 27), "d": ("const", 200)},
         {"grad": (["n", "d"], "x"), "x": (["n", "d"], "x"), "weight": (["d"], "x")},
         {"grad_x": (["n", "d"], "x"), "grad_weight": (["d"], "float32"), "grad_bias": (["d"], "float32")}, """
def run(grad, x, weight):
    eps = 1e-5
    h = x.float()
    g = grad.float()
    mean = h.mean(dim=-1, keepdim=True)
    rstd = torch.rsqrt(h.var(dim=-1, keepdim=True, unbiased=False) + eps)
    hat = (h - mean) * rstd
    wg = g * weight.float()
    c1 = wg.mean(dim=-1, keepdim=True)
    c2 = (wg * hat).mean(dim=-1, keepdim=True)
    grad_x = rstd * (wg - c1 - hat * c2)
    return grad_x.to(x.dtype), (g * hat).sum(dim=0), g.sum(dim=0)
""", "norm_backward.cpp",
         rights({"": [], "Welford": ["-DWAY=1"], "merged blocks": ["-DWAY=2"], "root of the reciprocal": ["-DWAY=3"],
                 "one factor rstd / d": ["-DWAY=4"], "two products": ["-DWAY=5"]}, ORDERS | FMA, 20)
         + sum_bugs("mean", 1, "loses the last element", "is added up in bfloat16", "loses one part of one row")
         + sum_bugs("variance", 2, "loses the last partial tile", "loses one lane of 32")
         + sum_bugs("second inner product", 4, "is not cleared for one row of 8", "loses a part in some rows")
         + sum_bugs("gradient of the weight", 5, "is added up in float16", "loses the first element", "loses a part in some rows")
         + stores("gradient", 1, dtype)[:4] + out_bugs("gradient of the weight", 2, "through bfloat16", "last element is zero")
         + defects(d1="epsilon 1e-6", d2="n - 1 in the variance", d4="second term missing", d5="weight's gradient of raw x",
                   d6="last row missing in the weight's", d7="partial tile of rows missing in the bias's",
                   d8="one row lost in half of the weight's", d9="weight missing", d12="bias's gradient times the weight",
                   d11="rstd of the row before in the weight's", d13="epsilon outside of the root",
                   d14="rstd of the row before", d15="last weights clamped", d16="raw x in the second term"),
         flags=["-DRMS=0"])

for dtype in ("float16",):
    task("rms_norm_backward", dtype, "norm", "RMS norm's backward pass",
         {"n": ("var", 27), "d": ("const", 200)},
         {"grad": (["n", "d"], "x"), "x": (["n", "d"], "x"), "weight": (["d"], "x")},
         {"grad_x": (["n", "d"], "x"), "grad_weight": (["d"], "float32")}, """
def run(grad, x, weight):
    eps = 1e-5
    h = x.float()
    g = grad.float()
    rstd = torch.rsqrt(h.pow(2).mean(dim=-1, keepdim=True) + eps)
    hat = h * rstd
    wg = g * weight.float()
    c = (wg * hat).mean(dim=-1, keepdim=True)
    grad_x = rstd * (wg - hat * c)
    return grad_x.to(x.dtype), (g * hat).sum(dim=0)
""", "norm_backward.cpp",
         rights({"": [], "root of the reciprocal": ["-DWAY=3"], "one factor rstd / d": ["-DWAY=4"],
                 "two products": ["-DWAY=5"]}, ORDERS | FMA, 20)
         + sum_bugs("mean square", 2, "loses the last element", "is added up in bfloat16", "loses one part of one row",
                    "loses the last partial tile", "counts one element of a tile twice")
         + sum_bugs("inner product", 4, "is not cleared for one row of 8", "loses a part in some rows", "loses one lane of 32")
         + sum_bugs("gradient of the weight", 5, "is added up in float16", "loses the first element", "loses a part in some rows")
         + stores("gradient", 1, dtype)[:5] + out_bugs("gradient of the weight", 2, "through tf32", "last element is zero")
         + defects(d2="n - 1 in the mean square", d3="second term 1 % too small", d4="second term missing",
                   d5="weight's gradient of raw x", d6="last row missing in the weight's",
                   d8="one row lost in half of the weight's", d9="weight missing", d11="rstd of the row before in the weight's",
                   d14="rstd of the row before", d15="last weights clamped", d16="raw x in the second term",
                   d18="sign of the second term"),
         flags=["-DRMS=1"])

ACTIVATIONS = {   # ACT, the reference's lines, forms, name of the neighbour that defect 1 takes
    "gelu": (0, """
    cdf = 0.5 * (1 + torch.erf(x * 0.7071067811865476))
    y = x * cdf
    slope = cdf + x * 0.3989422804014327 * torch.exp(-0.5 * x * x)""", {"erfc": 1, "fma": 2}, "tanh form"),
    "gelu_tanh": (1, """
    t = torch.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))
    y = 0.5 * x * (1 + t)
    slope = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * x * x)""",
                  {"by a sigmoid": 1, "fma in the polynomial": 2}, "erf form"),
    "silu": (2, """
    s = torch.sigmoid(x)
    y = x * s
    slope = s * (1 + x * (1 - s))""", {"slope from the value": 1, "fma": 2, "division": 3}, "gelu"),
    "mish": (3, """
    t = torch.tanh(F.softplus(x))
    y = x * t
    slope = t + x * (1 - t * t) * torch.sigmoid(x)""", {"rational in exp(x)": 1, "softplus of both signs": 2}, "silu"),
    "elu": (4, """
    y = torch.where(x > 0, x, 1.5 * torch.expm1(x))
    slope = torch.where(x > 0, torch.ones_like(x), 1.5 * torch.exp(x))""", {"slope from the value": 2}, "alpha 1")}
for kind, dtype in (("gelu", "float32"), ("gelu_tanh", "float16"), ("silu", "bfloat16"), ("mish", "float32"), ("elu", "float16")):
    number, lines, forms, neighbour = ACTIVATIONS[kind]
    low = dtype != "float32"
    task(f"{kind}_gated_backward", dtype, "activation", f"{kind}(gate + bias) * up with its backward pass",
         {"n": ("var", 37), "d": ("const", 110)},
         {"gate": (["n", "d"], "x"), "up": (["n", "d"], "x"), "bias": (["d"], "x"), "grad": (["n", "d"], "x")},
         {"out": (["n", "d"], "x"), "grad_gate": (["n", "d"], "x"), "grad_up": (["n", "d"], "x"), "grad_bias": (["d"], "float32")},
         f"""
def run(gate, up, bias, grad):
    x = gate.float() + bias.float()
    u = up.float()
    g = grad.float(){lines}
    grad_gate = g * u * slope
    return (y * u).to(gate.dtype), grad_gate.to(gate.dtype), (g * y).to(gate.dtype), grad_gate.sum(dim=0)
""", "gated.cpp",
         rights({"": [], "products the other way": ["-DWAY=1"]} | {k: [f"-DFORM={f}"] for k, f in forms.items()}
                | ({"exp2": ["-DEXP2=1"]} if kind != "gelu_tanh" else {})
                | ({"sigmoid of both signs": ["-DSIG=1"]} if kind in ("silu", "mish") else {})
                | ({"activation rounded as eager does": ["-DROUND=1"]} if low else {}), total=20)
         + sum_bugs("gradient of the bias", 1, "loses the last element", "loses the last partial tile", "is added up in bfloat16",
                    "is added up in float16", "loses a part in some rows")
         + stores("out", 1, dtype)[:3] + stores("gradient of the gate", 2, dtype)[:5] + out_bugs("gradient of the bias", 4, "through tf32")
         + defects(d1=f"neighbour: {neighbour}", d3="0 below -2", d4="sign of the slope at negative numbers",
                   d5="second part of the slope missing", **({} if kind == "elu" else {"d6": "identity above 2"}), d8="bias missing", d9="last biases clamped",
                   d10="no bias in the last row", d11="slope without the bias", d13="up of the next at tile ends",
                   d14="up missing in the gate's gradient", d15="gradient of up without the activation",
                   d16="partial tile of rows missing in the bias's", d17="slopes in bfloat16 before the sum")
         + ([] if kind == "elu" else defects(d2="hard form" if kind == "silu" else "sigmoid form"))
         + ([] if dtype == "bfloat16" else defects(d7="activation 0.5 % too large", d12="activation in bfloat16")),
         flags=[f"-DACT={number}"])

for dtype in ("float32", "float16"):
    task("group_norm_silu", dtype, "norm", "group norm with SiLU, and the statistics",
         {"n": ("var", 9), "c": ("const", 12), "l": ("const", 27), "groups": ("const", 4)},
         {"x": (["n", "c", "l"], "x"), "weight": (["c"], "x"), "bias": (["c"], "x")},
         {"out": (["n", "c", "l"], "x"), "mean": (["n", "groups"], "float32"), "rstd": (["n", "groups"], "float32")}, """
def run(x, weight, bias):
    n, c, l = x.shape[0], x.shape[1], x.shape[2]
    h = x.float().reshape(n, 4, -1)
    mean = h.mean(dim=-1)
    rstd = torch.rsqrt(h.var(dim=-1, unbiased=False) + 1e-5)
    h = ((h - mean[:, :, None]) * rstd[:, :, None]).reshape(n, c, l)
    h = h * weight.float()[None, :, None] + bias.float()[None, :, None]
    return (h * torch.sigmoid(h)).to(x.dtype), mean, rstd
""", "channel_norm.cpp",
         rights({"": [], "Welford": ["-DWAY=1"], "merged blocks": ["-DWAY=2"], "root of the reciprocal": ["-DWAY=3"],
                 "one factor and one shift": ["-DWAY=4"], "fma with the bias": ["-DWAY=5"], "exp2": ["-DEXP2=1"],
                 "sigmoid of both signs": ["-DSIG=1"]}, ORDERS | FMA, 20)
         + sum_bugs("mean", 1, "loses the last element", "is added up in bfloat16", "loses one part of one row", "loses one lane of 32")
         + sum_bugs("variance", 2, "loses the last partial tile", "is added up in float16", "is not cleared for one row of 8",
                    "counts one element of a tile twice")
         + stores("out", 1, dtype)[:5] + out_bugs("rstd", 3, "through float16")
         + defects(d1="epsilon 1e-6", d2="n - 1 in the variance", d3="epsilon outside of the root", d4="last channel unseen",
                   d5="statistics of one channel", d6="statistics of the group before", d7="variance for rstd",
                   d8="weight of the group's number", d9="weight of the place in the group", d10="weight of the next channel",
                   d11="bias missing", d12="weight plus one", d13="bias before the weight", d14="mean not taken off",
                   d15="SiLU missing", d16="gelu for SiLU", d17="hard SiLU"),
         flags=["-DKIND=0"])

for dtype in ("float32", "bfloat16"):
    task("batch_norm_training", dtype, "norm", "batch norm in training, with saved and running statistics",
         {"n": ("var", 9), "c": ("const", 44), "l": ("const", 13)},
         {"x": (["n", "c", "l"], "x"), "weight": (["c"], "float32"), "bias": (["c"], "float32"),
          "running_mean": (["c"], "float32"), "running_var": (["c"], "float32")},
         {"out": (["n", "c", "l"], "x"), "save_mean": (["c"], "float32"), "save_rstd": (["c"], "float32"),
          "new_mean": (["c"], "float32"), "new_var": (["c"], "float32")}, """
def run(x, weight, bias, running_mean, running_var):
    n, c, l = x.shape[0], x.shape[1], x.shape[2]
    h = x.float()
    mean = h.mean(dim=[0, 2])
    var = h.var(dim=[0, 2], unbiased=False)
    rstd = torch.rsqrt(var + 1e-5)
    y = (h - mean[None, :, None]) * rstd[None, :, None] * weight[None, :, None] + bias[None, :, None]
    count = n * l
    new_mean = 0.9 * running_mean + 0.1 * mean
    new_var = 0.9 * running_var + 0.1 * (var * (count / (count - 1)))
    return y.to(x.dtype), mean, rstd, new_mean, new_var
""", "channel_norm.cpp",
         rights({"": [], "Welford": ["-DWAY=1"], "merged blocks": ["-DWAY=2"], "root of the reciprocal": ["-DWAY=3"],
                 "one factor and one shift": ["-DWAY=4"], "running statistics by differences": ["-DWAY=5"]}, ORDERS | FMA, 20)
         + sum_bugs("mean", 1, "loses the last element", "is added up in bfloat16", "loses one part of one row", "loses the first element")
         + sum_bugs("variance", 2, "loses the last partial tile", "is added up in float16", "loses one lane of 32", "loses a part in some rows")
         + stores("out", 1, dtype)[:5] + out_bugs("running variance", 5, "through bfloat16")
         + defects(d2="unbiased variance for the output", d4="momentum swapped", d5="momentum 0.01", d6="last sample unseen",
                   d7="last partial tile unseen", d8="epsilon 1e-3", d9="variance for rstd", d10="running mean is not updated",
                   d11="old running mean kept whole", d12="biased running variance", d13="deviation for variance",
                   d14="normalised by the running mean", d15="weight's index wraps at 32", d16="bias of channel 0 for the last",
                   d17="no bias in the last sample", d18="first of a row is the last of the one before"),
         flags=["-DKIND=1"])

for dtype in ("bfloat16",):
    task("adamw_clipped", dtype, "optimizer", "AdamW with gradients clipped by their global norm, float32 state",
         {"n": ("var", 45), "d": ("const", 110), "one": ("const", 1)},
         {"param": (["n", "d"], "float32"), "grad": (["n", "d"], "x"), "moment": (["n", "d"], "float32"),
          "square": (["n", "d"], "float32"), "lr": (None, "float32"), "step": (None, "int64")},
         {"new_param": (["n", "d"], "float32"), "new_moment": (["n", "d"], "float32"), "new_square": (["n", "d"], "float32"),
          "low": (["n", "d"], "bfloat16"), "grad_norm": (["one"], "float32")}, """
def run(param, grad, moment, square, lr, step):
    g = grad.float()
    norm = torch.sqrt((g * g).sum())
    g = g * torch.clamp(50.0 / (norm + 1e-6), max=1.0)
    m = 0.9 * moment + (1 - 0.9) * g
    v = 0.95 * square + (1 - 0.95) * g * g
    m_hat = m / (1 - 0.9 ** step)
    v_hat = v / (1 - 0.95 ** step)
    p = param * (1 - lr * 0.1) - lr * m_hat / (torch.sqrt(v_hat) + 1e-8)
    return p, m, v, p.to(torch.bfloat16), norm.reshape(1)
""", "adamw.cpp",
         rights({"": [], "differences with fma": ["-DWAY=1"], "roots of both": ["-DWAY=2"], "decay in the step": ["-DWAY=3"],
                 "divided by the norm": ["-DWAY=4"]}, ORDERS | FMA, 20)
         + sum_bugs("norm", 1, "loses the last partial tile", "is added up in bfloat16", "loses one lane of 32", "is added up in float16",
                    "counts one element of a tile twice", "loses one part of one row")
         + out_bugs("param", 1, "through bfloat16", "through float16", "through tf32", "lost now and then", "last partial tile is zero")
         + out_bugs("bfloat16 copy", 4, "cut off", "1 % too large")
         + defects(d1="betas swapped", d2="step one too small", d3="norm misses the last rows", d4="square of the norm", d5="no clipping",
                   d7="no correction of the first", d8="no correction of the second", d9="L2 for decay", d10="squares of unclipped",
                   d11="first moment in bfloat16", d12="second moment in bfloat16", d13="old first moment", d14="old second moment",
                   d15="root missing", d16="epsilon 1e-3", d17="half of the decay", d18="decay after the step", d19="no master copy",
                   d20="learning rate 1 % too large", d21="last partial block not updated", d22="sign of one in 1000", d23="copy of the old"),
         given={"lr": {"type": "scalar", "value": 0.01}, "step": {"type": "scalar", "value": 7},
                "square": {"type": "random", "kind": "positive"}})

task("lion", "float32", "optimizer", "Lion with decay, positive signs and mean magnitude of each row",
     {"n": ("var", 40), "d": ("const", 150)},
     {"param": (["n", "d"], "x"), "grad": (["n", "d"], "x"), "moment": (["n", "d"], "x"), "lr": (None, "float32")},
     {"new_param": (["n", "d"], "x"), "new_moment": (["n", "d"], "x"), "positive": (["n"], "int32"), "change": (["n"], "float32")}, """
def run(param, grad, moment, lr):
    c = 0.9 * moment + (1 - 0.9) * grad
    p = param * (1 - lr * 0.1) - lr * torch.sign(c)
    m = 0.99 * moment + (1 - 0.99) * grad
    return p, m, (c > 0).sum(dim=-1).to(torch.int32), c.abs().mean(dim=-1)
""", "small_optimisers.cpp",
     rights({"": [], "differences": ["-DWAY=1"], "fma": ["-DWAY=2"], "decay in the step": ["-DWAY=3"]}, total=20)
     + sum_bugs("magnitude", 1, "loses the last element", "loses the last partial tile", "is added up in bfloat16",
                "is not cleared for one row of 8")
     + stores("param", 1, "float32")[:5] + out_bugs("moment", 2, "through float16")
     + defects(d1="betas swapped", d2="sign of the new moment", d3="sign of the gradient", d4="sign of the old moment", d5="no sign",
               d6="small ones stay", d7="uphill", d8="last one is not counted", d9="counter of 6 bits", d10="negative ones of one lane counted",
               d11="no decay", d12="decay times lr twice", d13="param in bfloat16", d14="tail not updated", d15="moment by the first beta",
               d16="moment in bfloat16", d17="moment without 1 - beta", d18="last row without step"),
     flags=["-DKIND=0"], given={"lr": {"type": "scalar", "value": 0.03}})

for dtype in ("bfloat16",):
    task("nesterov_average", dtype, "optimizer", "SGD with Nesterov momentum, rows clipped by norm, moving average of the parameters",
         {"n": ("var", 40), "d": ("const", 150)},
         {"param": (["n", "d"], "x"), "grad": (["n", "d"], "x"), "buffer": (["n", "d"], "float32"), "average": (["n", "d"], "x"),
          "lr": (None, "float32")},
         {"new_param": (["n", "d"], "x"), "new_buffer": (["n", "d"], "float32"), "new_average": (["n", "d"], "x"), "clipped": (["n"], "bool")}, """
def run(param, grad, buffer, average, lr):
    p = param.float()
    g = grad.float()
    norm = torch.sqrt((g * g).sum(dim=-1, keepdim=True))
    over = norm > 12.0
    g = g * torch.where(over, 12.0 / norm, torch.ones_like(norm))
    g = g + 0.01 * p
    b = 0.9 * buffer + g
    p = p - lr * (g + 0.9 * b)
    a = 0.75 * average.float() + 0.25 * p
    return p.to(param.dtype), b, a.to(param.dtype), over[:, 0]
""", "small_optimisers.cpp",
         rights({"": [], "average by differences": ["-DWAY=1"], "fma in the momentum": ["-DWAY=2"], "divided by the norm": ["-DWAY=3"]},
                ORDERS | FMA, 20)
         + sum_bugs("norm", 1, "loses the last element", "loses the last partial tile", "is added up in bfloat16", "loses a part in some rows",
                    "is added up in float16")
         + stores("param", 1, dtype)[:4] + out_bugs("buffer", 2, "through tf32", "one lane stores its neighbour's")
         + defects(d1="decay 0.9 of the average", d2="square of the norm", d3="no clipping", d4="short rows are stretched", d5="factor of the row before",
                   d6="flags inverted", d7="no decay", d8="momentum with 1 - mu", d9="not Nesterov", d10="old buffer", d11="no momentum",
                   d12="2 % too far", d13="tail not updated", d14="buffer in bfloat16", d15="average of the old", d16="average's weights swapped",
                   d17="first row's average starts anew", d18="average of the wrong direction"),
         flags=["-DKIND=1"], given={"lr": {"type": "scalar", "value": 0.125}})

task("adafactor_step", "float32", "optimizer", "Adafactor-like step: row and column means of squares, clipped by its root mean square",
     {"n": ("var", 40), "d": ("const", 110), "one": ("const", 1)},
     {"param": (["n", "d"], "x"), "grad": (["n", "d"], "x"), "row_mean": (["n"], "x"), "column_mean": (["d"], "x"), "lr": (None, "float32")},
     {"new_param": (["n", "d"], "x"), "new_row": (["n"], "x"), "new_column": (["d"], "x"), "size": (["one"], "x")}, """
def run(param, grad, row_mean, column_mean, lr):
    sq = grad * grad + 1e-30
    row = 0.8 * row_mean + (1 - 0.8) * sq.mean(dim=1)
    column = 0.8 * column_mean + (1 - 0.8) * sq.mean(dim=0)
    u = grad / torch.sqrt(row / row.mean())[:, None] / torch.sqrt(column)[None, :]
    size = torch.sqrt((u * u).mean())
    factor = torch.clamp(0.5 / size, max=1.0)
    return param - lr * factor * u, row, column, size.reshape(1)
""", "small_optimisers.cpp",
     rights({"": [], "means by differences": ["-DWAY=1"], "one root": ["-DWAY=2"], "reciprocal roots": ["-DWAY=3"]}, ORDERS | FMA, 20)
     + sum_bugs("row mean", 1, "loses the last element", "loses one lane of 32", "is added up in bfloat16", "loses one part of one row")
     + sum_bugs("column mean", 2, "loses the last partial tile", "loses the first element", "is added up in float16", "is not cleared for one row of 8")
     + sum_bugs("size", 4, "loses the last partial tile", "loses one lane of 32") + stores("param", 1, "float32")[:4]
     + defects(d1="decay 0.9", d2="d - 1 in the mean", d3="root of the mean", d4="row means in bfloat16", d5="last row's mean is old",
               d6="last row unseen", d7="wrong stride in the columns", d8="column without 1 - beta", d9="rows' mean divided by d",
               d10="last columns clamped", d11="rows' mean forgotten", d12="row means unused", d13="old row means", d14="n d - d in the size",
               d15="square of the size", d16="no clipping", d17="threshold 1", d18="sign of one in 512", d19="step in bfloat16"),
     flags=["-DKIND=2"], given={"lr": {"type": "scalar", "value": 0.1}, "row_mean": {"type": "random", "kind": "positive"},
                                "column_mean": {"type": "random", "kind": "positive"}})

for dtype in ("float16",):
    task("cosine_and_distance", dtype, "similarity", "cosine similarity and distance of all pairs, most similar one",
         {"n": ("var", 36), "m": ("var", 36), "d": ("const", 75)},
         {"a": (["n", "d"], "x"), "b": (["m", "d"], "x")},
         {"similarity": (["n", "m"], "x"), "distance": (["n", "m"], "float32"), "best": (["n"], "int32")}, """
def run(a, b):
    x = a.float()
    y = b.float()
    nx = torch.sqrt((x * x).sum(dim=-1)).clamp(min=1e-8)
    ny = torch.sqrt((y * y).sum(dim=-1)).clamp(min=1e-8)
    similarity = (x @ y.T) / (nx[:, None] * ny[None, :])
    difference = x[:, None, :] - y[None, :, :]
    distance = torch.sqrt((difference * difference).sum(dim=-1))
    return similarity.to(a.dtype), distance, similarity.argmax(dim=-1).to(torch.int32)
""", "pairs.cpp",
         rights({"": [], "reciprocal lengths": ["-DWAY=1"], "normalised first": ["-DWAY=2"]}, ORDERS | FMA, 20)
         + sum_bugs("length", 1, "loses the last element", "is added up in bfloat16", "loses one part of one row")
         + sum_bugs("product", 2, "loses the last partial tile", "loses one lane of 32", "loses a part in some rows")
         + sum_bugs("distance", 3, "loses the first element", "is added up in float16", "counts one element of a tile twice")
         + stores("similarity", 1, dtype)[:3] + out_bugs("distance", 2, "through tf32")
         + defects(d2="length without its root", d3="0.1 under the root", d4="length of the row before", d5="b not normalised",
                   d6="last rows clamped", d7="magnitude of the similarity", d8="0.2 % too large", d9="wrong row in the distance",
                   d10="sum of magnitudes", d11="root missing", d12="1e-3 under the root", d13="one lane in float16",
                   d14="distance of the directions", d15="transposed", d16="one minus similarity", d17="the last is never the best",
                   d18="best of the first 32", d19="least similar", d20="the first is never the best"),
         flags=["-DKIND=0"])

for dtype in ("float32",):
    task("infonce", dtype, "loss", "InfoNCE in both directions, and how many negatives are more similar than the positive",
         {"n": ("var", 40), "d": ("const", 75)},
         {"a": (["n", "d"], "x"), "b": (["n", "d"], "x"), "temperature": (None, "float32")},
         {"logits": (["n", "n"], "float32"), "loss_a": (["n"], "float32"), "loss_b": (["n"], "float32"), "harder": (["n"], "int32")}, """
def run(a, b, temperature):
    x = a.float()
    y = b.float()
    x = x / torch.sqrt((x * x).sum(dim=-1, keepdim=True)).clamp(min=1e-8)
    y = y / torch.sqrt((y * y).sum(dim=-1, keepdim=True)).clamp(min=1e-8)
    logits = (x @ y.T) / temperature
    positive = torch.diagonal(logits)
    loss_a = torch.logsumexp(logits, dim=1) - positive
    loss_b = torch.logsumexp(logits, dim=0) - positive
    return logits, loss_a, loss_b, (logits > positive[:, None]).sum(dim=1).to(torch.int32)
""", "pairs.cpp",
         softmax_rights({"reciprocal lengths": ["-DWAY=1"], "normalised first": ["-DWAY=2"], "reciprocal temperature": ["-DWAY=3"],
                         "maximum taken off first": ["-DWAY=4"]}, 20)
         + soft_bugs(2, 3, 4, 5)
         + sum_bugs("length", 1, "loses the last element", "is added up in bfloat16")
         + sum_bugs("product", 2, "loses the last partial tile", "is added up in float16", "loses a part in some rows")
         + sum_bugs("sum of exponentials", 4, "loses the last element", "loses one lane of 32", "loses one part of one row")
         + out_bugs("logits", 1, "through bfloat16", "through tf32", "0.1 % too large")
         + defects(d3="0.1 under the root", d4="length of the row before", d5="b not normalised", d6="last rows clamped",
                   d9="times the temperature", d10="last negative is not counted", d11="the positive is counted", d12="counter of 4 bits",
                   d13="the positive missing in the sum", d15="positive of the next row", d16="rows in both directions", d17="other diagonal",
                   d18="half of the second loss"),
         flags=["-DKIND=1"], given={"temperature": {"type": "scalar", "value": 0.07}})


def scan_rights(kind):
    serial, blocks, double, totals, kahan, each = ([f"-DHOW={k}"] for k in (1, 2, 3, 5, 4, 0))
    found = {"serial": serial, "serial in double": [*serial, "-DPREC=2"], "doubling": double, "doubling in double": [*double, "-DPREC=2"]}
    for size in (8, 16, 32, 64, 128):
        found[f"blocks of {size}"] = [*blocks, f"-DTILE={size}"]
        found[f"totals of blocks of {size}"] = [*totals, f"-DTILE={size}"]
    if kind == 0:
        found["Kahan"] = kahan
        for order in ("backward", "pairwise", "8 lanes", "32 lanes", "shuffled"):
            found[f"each by itself, {order}"] = [*each, *ORDERS[order]]
    else:
        for name, flags in ((("fma", ["-DWAY=1"]),) if kind == 1 else (("exp2", ["-DEXP2=1"]), ("log1p", ["-DWAY=1"]))):
            found |= {f"{name} serial": [*serial, *flags], f"{name} blocks of 16": [*blocks, "-DTILE=16", *flags], f"{name} doubling": [*double, *flags]}
    return [(name, True, flags) for name, flags in found.items()]


for kind, name, dtype, line in ((0, "running_sum", "float32", "torch.cumsum(h, dim=1)"), (0, "running_sum", "bfloat16", "torch.cumsum(h, dim=1)"),
                                (1, "running_product", "float32", "torch.cumprod(1 + 0.1 * h, dim=1)"),
                                (2, "running_log_sum_exp", "float16", "torch.logcumsumexp(h, dim=1)")):
    task(name, dtype, "scan", "running values of each row, and the last one in float32",
         {"n": ("var", 33), "l": ("const", 150)}, {"x": (["n", "l"], "x")}, {"out": (["n", "l"], "x"), "total": (["n"], "float32")}, f"""
def run(x):
    h = x.float()
    y = {line}
    return y.to(x.dtype), y[:, -1]
""", "scan.cpp",
         scan_rights(kind)
         + stores("out", 1, dtype) + out_bugs("total", 2, "through bfloat16", "through float16", "through tf32", "0.1 % too large",
                                              "last element is zero")
         + defects(d1="carry of the row before", d2="no carry between blocks", d3="carry misses the block's last", d4="first one missing",
                   d5="carried in bfloat16", d6="carried in float16", d7="last one read wrong", d8="blocks overlap", d9="exclusive after the first",
                   d10="one block stale in some rows", d11="tail not scanned", d14="from the right", d15="last row not scanned",
                   d16="total is the last but one")
         + (defects(d12="factor 0.1005") if kind == 1 else defects(d12="not rescaled when the maximum grows", d13="binary logarithm") if kind == 2 else []),
         flags=[f"-DKIND={kind}"])

for dtype in ("float32", "float16"):
    task("linear_gelu_residual", dtype, "gemm", "gelu(x w^T + bias) + residual, and each row's largest magnitude",
         {"m": ("var", 35), "k": ("const", 90), "n": ("const", 70)},
         {"x": (["m", "k"], "x"), "weight": (["n", "k"], "x"), "bias": (["n"], "x"), "residual": (["m", "n"], "x")},
         {"out": (["m", "n"], "x"), "amax": (["m"], "float32")}, """
def run(x, weight, bias, residual):
    h = x.float() @ weight.float().T + bias.float()
    y = F.gelu(h) + residual.float()
    return y.to(x.dtype), y.abs().amax(dim=-1)
""", "product.cpp",
         rights({"": [], "erfc": ["-DFORM=1"], "fma": ["-DFMA=1"], "fma and erfc": ["-DFMA=1", "-DFORM=1"]}, total=19)
         + sum_bugs("product", 1, "loses the last element", "loses the last partial tile", "loses the first element", "loses one lane of 32",
                    "loses a part in some rows", "counts one element of a tile twice", "is added up in bfloat16", "is added up in float16",
                    "loses one part of one row", "is not cleared for one row of 8")
         + stores("out", 1, dtype) + out_bugs("largest", 2, "through bfloat16")
         + defects(d1="last rows of the weight clamped", d2="weight in bfloat16", d4="product in bfloat16", d5="bias of four", d6="bias wraps at 32",
                   d7="bias missing", d8="last bias missing", d9="tanh form of gelu", d10="sigmoid form of gelu", d11="relu", d12="silu",
                   d13="residual missing", d14="residual before the activation", d15="residual's column before", d16="residual of the row before",
                   d17="largest without magnitude", d18="largest misses the tail", d19="last load wraps around")
         + (defects(d3="weight in tf32") if dtype == "float32" else []),
         flags=["-DKIND=0"])

for dtype in ("float32", "bfloat16"):
    task("multi_adapter_linear", dtype, "gemm", "x w^T and a low-rank adapter that each row chooses; what is between its products has x's dtype",
         {"m": ("var", 35), "k": ("const", 90), "n": ("const", 70), "adapters": ("const", 5), "r": ("const", 8)},
         {"x": (["m", "k"], "x"), "weight": (["n", "k"], "x"), "lora_a": (["adapters", "r", "k"], "x"),
          "lora_b": (["adapters", "n", "r"], "x"), "adapter_ids": (["m"], "int32"), "scale": (None, "float32")},
         {"out": (["m", "n"], "x")}, """
def run(x, weight, lora_a, lora_b, adapter_ids, scale):
    h = x.float()
    ids = adapter_ids.long()
    down = torch.einsum("mk,mrk->mr", h, lora_a.float()[ids]).to(x.dtype)
    up = torch.einsum("mr,mnr->mn", down.float(), lora_b.float()[ids])
    return (h @ weight.float().T + scale * up).to(x.dtype)
""", "product.cpp",
         rights({"": [], "fma": ["-DFMA=1"], "fma of the scale": ["-DWAY=1"], "fma everywhere": ["-DFMA=1", "-DWAY=1"]}, total=19)
         + sum_bugs("first product", 1, "loses the last element", "loses one lane of 32", "is added up in bfloat16", "loses a part in some rows")
         + sum_bugs("large product", 2, "loses the last partial tile", "is added up in float16", "counts one element of a tile twice",
                    "is added up in bfloat16", "loses one part of one row", "is not cleared for one row of 8")
         + sum_bugs("second product", 3, "loses the last element", "loses the first element") + stores("out", 1, dtype)
         + defects(d1="scale divided by the rank", d2="scale 5 % too large", d3="adapter by the row's number", d4="adapter of the row before",
                   d5="second factor of adapter 0", d6="last adapter never used", d8="no adapter", d9="last rank missing", d10="second factor transposed",
                   d11="tail without adapter", d12="adapter's part clamped", d13="sign of the adapter", d14="scale times both", d15="last row without adapter",
                   d16="first product 2 % too large", d17="relu between", d18="no base"),
         flags=["-DKIND=1"],
         given={"scale": {"type": "scalar", "value": 0.5}, "adapter_ids": {"type": "random", "kind": "ids", "low": 0, "high": 4}})

for dtype in ("float32",):
    task("row_statistics", dtype, "reduction", "mean, variance, norm, log-sum-exp, mean of log(1 + |x|) and a count of each row",
         {"n": ("var", 120), "d": ("const", 203)}, {"x": (["n", "d"], "x")},
         {"mean": (["n"], "float32"), "variance": (["n"], "float32"), "norm": (["n"], "float32"), "lse": (["n"], "float32"),
          "log_mean": (["n"], "float32"), "above": (["n"], "int32")}, """
def run(x):
    h = x.float()
    norm = torch.sqrt((h * h).sum(dim=-1))
    return (h.mean(dim=-1), h.var(dim=-1, unbiased=True), norm, torch.logsumexp(h, dim=-1),
            torch.log1p(h.abs()).mean(dim=-1), (h > 1).sum(dim=-1).to(torch.int32))
""", "statistics.cpp",
         softmax_rights({"Welford": ["-DWAY=1"], "two halves merged": ["-DWAY=2"], "norm of the scaled": ["-DWAY=3"]}, 19)
         + soft_bugs(1, 2, 3, 4, 5)
         + sum_bugs("mean", 1, "loses the last element", "is added up in float16") + sum_bugs("variance", 2, "loses the last partial tile", "loses one lane of 32")
         + sum_bugs("norm", 3, "is added up in bfloat16", "loses a part in some rows", "loses one part of one row")
         + sum_bugs("mean logarithm", 5, "loses the first element", "is not cleared for one row of 8")
         + out_bugs("mean", 1, "through bfloat16") + out_bugs("norm", 3, "through tf32")
         + defects(d1="d - 1 in the mean", d2="mean not taken off", d3="mean of the row before", d4="biased variance", d5="deviation for variance",
                   d6="1e-5 added", d7="norm without root", d8="root mean square", d9="sum of magnitudes", d10="maximum not added back",
                   d11="binary logarithm", d12="negative ones without logarithm", d13="logarithm of the mean", d14="first one not counted",
                   d15="small ones counted", d16="counter of 5 bits", d17="0.01 under the root", d18="last one not counted"))

for dtype in ("float32",):
    task("preference_loss", dtype, "loss", "direct preference optimisation of pairs of rows (chosen, rejected)",
         {"rows": ("const", 16), "t": ("const", 33), "v": ("const", 45), "pairs": ("const", 8)},
         {"logits": (["rows", "t", "v"], "x"), "labels": (["rows", "t"], "int32"), "ref_logps": (["rows", "t"], "float32"),
          "seq_lens": (["rows"], "int32"), "beta": (None, "float32")},
         {"token_logps": (["rows", "t"], "float32"), "seq_logps": (["rows"], "float32"), "loss": (["pairs"], "float32"),
          "reward": (["pairs"], "float32"), "prefers": (["pairs"], "bool")}, """
def run(logits, labels, ref_logps, seq_lens, beta):
    t = logits.shape[1]
    logp = F.log_softmax(logits.float(), dim=-1)
    token = logp.gather(2, labels.long()[:, :, None])[:, :, 0]
    valid = torch.arange(t)[None, :] < seq_lens[:, None]
    token = torch.where(valid, token, torch.zeros_like(token))
    ref = torch.where(valid, ref_logps, torch.zeros_like(ref_logps)).sum(dim=-1)
    seq = token.sum(dim=-1)
    ratio = seq - ref
    z = beta * (ratio[0::2] - ratio[1::2])
    return token, seq, F.softplus(-z), z, z > 0
""", "dpo.cpp",
         softmax_rights({"maximum taken off first": ["-DWAY=1"], "margins the other way": ["-DWAY=3"]}, 19)
         + soft_bugs(2, 4, 5)
         + sum_bugs("sum of exponentials", 1, "loses the last element", "loses one lane of 32", "is added up in bfloat16")
         + sum_bugs("sequence", 2, "loses the last element", "is added up in float16", "loses the first element")
         + sum_bugs("reference's sequence", 3, "loses the last element", "loses a part in some rows")
         + out_bugs("tokens", 1, "through bfloat16", "through tf32", "one lane stores its neighbour's", "lost now and then")
         + defects(d1="one token too many", d2="one token too few", d3="lengths ignored", d4="length of the chosen one for both", d5="label of the next token",
                   d7="logits for log-probabilities", d8="in bits", d9="masked tokens kept", d10="reference not masked", d11="mean of the tokens",
                   d12="halves for pairs", d13="reference missing", d14="rejected for chosen", d15="beta missing", d16="hinge", d17="sigmoid for its logarithm",
                   d19="reward without beta", d20="preference without reference"),
         given={"beta": {"type": "scalar", "value": 0.1}, "labels": {"type": "random", "kind": "ids", "low": 0, "high": 44}})

for dtype in ("float32", "float16"):
    task("bce_and_focal", dtype, "loss", "binary cross entropy of logits with weights, focal loss, gradient, row means and counts",
         {"n": ("var", 36), "c": ("const", 101)},
         {"logits": (["n", "c"], "x"), "target": (["n", "c"], "bool"), "pos_weight": (["c"], "float32"), "alpha": (None, "float32")},
         {"bce": (["n", "c"], "x"), "focal": (["n", "c"], "x"), "grad": (["n", "c"], "x"), "row_mean": (["n"], "float32"), "positives": (["n"], "int32")}, """
def run(logits, target, pos_weight, alpha):
    x = logits.float()
    pos = F.softplus(-x)
    neg = F.softplus(x)
    bce = torch.where(target, pos_weight[None, :] * pos, neg)
    plain = torch.where(target, pos, neg)
    p = torch.sigmoid(x)
    q = torch.sigmoid(-x)
    miss = torch.where(target, q, p)
    weight = torch.where(target, torch.full_like(x, alpha), torch.full_like(x, 1 - alpha))
    focal = weight * miss * miss * plain
    grad = torch.where(target, -pos_weight[None, :] * q, p)
    return (bce.to(logits.dtype), focal.to(logits.dtype), grad.to(logits.dtype), bce.mean(dim=-1),
            target.sum(dim=-1).to(torch.int32))
""", "focal.cpp",
         rights({"": [], "softplus by sign": ["-DWAY=1"], "products the other way": ["-DWAY=3"], "exp2": ["-DEXP2=1"],
                 "sigmoid of both signs": ["-DSIG=1"]}, total=20)
         + sum_bugs("mean", 1, "loses the last element", "loses the last partial tile", "is added up in bfloat16", "is added up in float16",
                    "is not cleared for one row of 8")
         + stores("bce", 1, dtype)[:4] + stores("gradient", 3, dtype)[-3:]
         + defects(d1="alpha of the other class", d2="weights missing in the loss", d3="weight of the next column", d4="weight wraps at 64", d5="weight for negatives too",
                   d6="asymptotes beyond 2", d7="logits clamped", d8="probabilities in bfloat16", d9="alpha for both classes", d10="gamma 1",
                   d11="focal on the easy ones", d12="weighted focal loss", d13="easy ones dropped", d14="weights missing in the gradient", d15="sign of the positives",
                   d16="one lane ignores the target", d17="tail is not counted", d18="counter of 5 bits", d19="mean of the positives"),
         given={"alpha": {"type": "scalar", "value": 0.25}, "pos_weight": {"type": "random", "kind": "positive"}})
