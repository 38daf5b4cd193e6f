"""Programs about mixtures of experts, quantisation, top-k, segments, bags, running sums and integers."""

import itertools

TASKS = []
DTYPES = {"float32": 0, "bfloat16": 1, "float16": 2}
VAR = {"type": "var"}

ORDERS = {1: "forward", 2: "backward", 3: "pairwise", 4: "4 lanes", 5: "8 lanes", 6: "16 lanes", 7: "32 lanes",
          8: "tiles of 16", 9: "tiles of 64", 10: "Kahan", 11: "split in 3", 12: "shuffled", 13: "double",
          14: "fma", 15: "fma in 8 lanes", 16: "split in 5", 17: "tiles of 24", 18: "2 lanes"}
SUMS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16]  # orders of a sum; products have fma as well
DOTS = SUMS + [14, 15]
SUM_WRONG = {1: "the last term of each sum is missing", 2: "the partial tile of each sum is missing",
             3: "sums accumulate in bfloat16", 4: "sums accumulate in float16",
             5: "a race loses a quarter of one sum in 61", 6: "the first term counts twice",
             7: "terms at seams of tiles of 32 are missing", 8: "factors rounded to tf32", 9: "terms cut to bfloat16",
             10: "split sums kept in bfloat16", 11: "every eighth sum is overwritten by its second half",
             12: "the last term counts twice"}
OUT_WRONG = {20: "0.1 % too large", 21: "0.5 % too large", 22: "1 % too large", 23: "cut, not rounded, to 16 bits",
             24: "rounded to bfloat16 on the way", 25: "rounded to float16 on the way", 26: "rounded to tf32 on the way",
             27: "the last row repeats the one before", 28: "one element of 997 has the wrong sign",
             29: "the last column is zero", 30: "every eighth row is 2 % too large", 31: "neighbours swapped in row 3",
             32: "one tile is 3 % too small", 33: "one element of 499 is zero", 34: "some bits too few"}
# Which of these are plain mistakes for an output of the dtype, and not hidden in its own rounding.
SUM_FOR = {"float32": [1, 3, 4, 5, 6, 7, 8, 9, 10, 11], "bfloat16": [1, 3, 5, 6, 7, 9, 11, 12],
           "float16": [1, 3, 4, 5, 6, 7, 9, 10, 11]}
OUT_FOR = {"float32": [20, 24, 25, 26, 27, 28, 30, 31, 32, 34], "bfloat16": [21, 22, 23, 27, 28, 29, 30, 32, 33, 34],
           "float16": [20, 21, 23, 24, 27, 28, 29, 30, 31, 32]}


def flags(**switches):
    return [f"-D{name}={value}" for name, value in switches.items()]


def right_ways(orders, variants=None, main=0):
    """Each order of the way `main`, and a few orders of the others. `variants`: {number: words}."""
    variants = variants or {0: ""}
    found = []
    for number, words in variants.items():
        chosen = orders if number == main else orders[number % 3::max(1, len(orders) // 3)][:2 if len(variants) > 2 else 3]
        for order in chosen:
            name = ", ".join(w for w in (words, ORDERS[order]) if w)
            found.append((name, True, flags(ORDER=order, VARIANT=number)))
    return found


def wrong_ways(own, sums=(), outs=(), base=(1, 5, 9, 3), most=22):
    """The operation's own mistakes ({number: words}) and common ones, each on one of the orders of `base`."""
    common = [pair for both in itertools.zip_longest([(n, SUM_WRONG[n]) for n in sums], [(n, OUT_WRONG[n]) for n in outs])
              for pair in both if pair]
    named = [*own.items(), *common[:max(0, most - len(own))]]
    named = [pair for i, pair in enumerate(named) if (i + 1) * most // max(most, len(named)) > i * most // max(most, len(named))]
    return [(words, False, flags(ORDER=order, DEFECT=number))
            for (number, words), order in zip(named, itertools.cycle(base))]


def task(name, op_type, description, axes, inputs, outputs, reference, lengths, source, programs, given=None, switches=None,
         constraints=None):
    """`inputs` and `outputs`: {name: (shape, dtype)}."""
    tensors = lambda them: {n: {"shape": s, "dtype": d} for n, (s, d) in them.items()}
    definition = {"name": name, "op_type": op_type, "description": description,
                  "axes": {a: VAR if v is None else {"type": "const", "value": v} for a, v in axes.items()},
                  "inputs": tensors(inputs), "outputs": tensors(outputs), "reference": reference}
    if constraints:
        definition["constraints"] = constraints
    TASKS.append({"definition": definition, "axes": lengths, "inputs": given or {}, "source": source,
                  "flags": flags(**(switches or {})), "truth": flags(ORDER=0), "programs": programs})


def literal(value):
    return {"type": "scalar", "value": value}


def drawn(kind, **limits):
    return {"type": "random", "kind": kind, **limits}


# ---- gemms of groups of rows ----
for dtype in ("float32", "bfloat16", "float16"):
    own = {50: "the first row of a group has the expert before", 51: "the last row of each group is not computed",
           52: "the last expert uses the first one's weights", 53: "rows beyond a capacity of 10 are dropped",
           54: "tiles of 4 rows take the expert of their first row", 55: "one expert reads one row too far",
           56: "the second tile of a group reads the first one's rows", 57: "the partial tile of columns is off by one",
           58: "one expert loses the last vector of K", 59: "every 16th column is that of the tile's start"}
    task(f"moe_grouped_gemm_{dtype}", "moe", "Rows sorted by expert times the expert's weights",
         {"T": None, "E": 6, "len_indptr": 7, "N": 44, "K": 100},
         {"x": (["T", "K"], dtype), "w": (["E", "N", "K"], dtype), "expert_indptr": (["len_indptr"], "int32")},
         {"out": (["T", "N"], dtype)},
         "import torch\n\ndef run(x, w, expert_indptr):\n"
         "    out = torch.zeros(x.shape[0], w.shape[1], dtype=x.dtype)\n"
         "    for e in range(w.shape[0]):\n"
         "        first, end = int(expert_indptr[e]), int(expert_indptr[e + 1])\n"
         "        if end > first:\n"
         "            out[first:end] = (x[first:end].float() @ w[e].float().t()).to(x.dtype)\n"
         "    return out\n",
         {"T": 48}, "grouped_gemm.cpp", right_ways(DOTS) + [],
         {}, {"DT": DTYPES[dtype]}, ["T == expert_indptr[-1].item()"])
    TASKS[-1]["programs"] += wrong_ways(own, SUM_FOR[dtype] + [2], OUT_FOR[dtype][:8])

# ---- the combination of what experts give ----
for dtype in ("float32", "bfloat16", "float16"):
    own = {50: "slots read as if transposed", 51: "slots kept in 7 bits", 52: "the last slot is taken for the first",
           53: "one slot of 32 was never written", 54: "the weight of the choice before",
           56: "the weights' signs are lost", 57: "the last token has the weights of the one before",
           58: "the scaling is missing", 59: "the shared expert is not added", 60: "the scaling hits the shared expert too",
           61: "the second half of the shared expert's row is its first"}
    if dtype != "bfloat16":
        own |= {55: "weights rounded to bfloat16", 62: "scaling rounded to bfloat16"}
    task(f"moe_combine_{dtype}", "moe", "Weighted sum of the experts' rows of each token, beside the shared expert",
         {"T": None, "P": None, "topk": 6, "D": 48},
         {"expert_out": (["P", "D"], dtype), "slots": (["T", "topk"], "int32"), "weights": (["T", "topk"], "float32"),
          "shared": (["T", "D"], dtype), "scaling": (None, "float32")},
         {"out": (["T", "D"], dtype)},
         "import torch\n\ndef run(expert_out, slots, weights, shared, scaling):\n"
         "    picked = expert_out.float()[slots.long()]\n"
         "    routed = (picked * weights.unsqueeze(-1)).sum(1)\n"
         "    return (shared.float() + scaling * routed).to(shared.dtype)\n",
         {"T": 32, "P": 192}, "combine.cpp",
         right_ways([1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16, 18], {0: "", 1: "scaling in the weights", 2: "fma at the end"})
         + wrong_ways(own, [n for n in SUM_FOR[dtype] if n not in (7, 10)], OUT_FOR[dtype][:8]),
         {"slots": drawn("slot_ids"), "scaling": literal(2.446)}, {"DT": DTYPES[dtype]})

# ---- sums of segments ----
for mean, dtype in ((0, "float32"), (0, "bfloat16"), (1, "float16"), (1, "float32")):
    own = {50: "the very last row is missing", 51: "the first row of each segment is missing", 52: "one row too many",
           53: "only the first 8 rows are read", 54: "every fifth segment includes the one before",
           55: "the last two columns are those beside them", 56: "the accumulator is not always cleared"}
    if mean:
        own |= {60: "divided by n + 1", 61: "divided by n - 1", 62: "divided by the mean length",
                63: "0.01 added to the count", 64: "divided by the next power of two"}
    kind = "mean" if mean else "sum"
    task(f"segment_{kind}_{dtype}", "segment", f"The {kind} of each segment's rows",
         {"T": None, "len_indptr": None, "B": None, "D": 40},
         {"x": (["T", "D"], dtype), "seg_indptr": (["len_indptr"], "int32")},
         {"out": (["B", "D"], dtype)},
         "import torch\n\ndef run(x, seg_indptr):\n"
         "    B = seg_indptr.shape[0] - 1\n"
         "    out = torch.zeros(B, x.shape[1], dtype=x.dtype)\n"
         "    for b in range(B):\n"
         "        first, end = int(seg_indptr[b]), int(seg_indptr[b + 1])\n"
         "        if end > first:\n"
         f"            out[b] = x[first:end].float().{kind}(0).to(x.dtype)\n"
         "    return out\n",
         {"T": 500, "len_indptr": 17, "B": 16}, "segment_sum.cpp",
         right_ways([o for o in SUMS + [17, 18]], {0: "", 1: "times the reciprocal"} if mean else None)
         + wrong_ways(own, [n for n in SUM_FOR[dtype] + [2] if n != 9 or dtype != "bfloat16"], OUT_FOR[dtype][:8]),
         {}, {"DT": DTYPES[dtype], "MEAN": mean}, ["len_indptr == B + 1", "T == seg_indptr[-1].item()"])

# ---- bags of embeddings ----
for dtype in ("float32", "bfloat16", "float16"):
    own = {50: "the last bag lacks its last entry", 51: "one entry too many", 52: "at most six entries of a bag",
           53: "the table's last row is never used", 54: "index 0 is taken for padding",
           55: "indices kept in 6 bits", 57: "the fourth entry is a stale one", 58: "the last columns are of the row before",
           59: "weights ignored", 60: "weights counted from the bag's start", 61: "the weight of the next entry",
           63: "negative weights count as 0", 64: "the mean, not the sum"}
    if dtype != "bfloat16":
        own |= {62: "weights rounded to bfloat16"}
    task(f"embedding_bag_{dtype}", "embedding", "Weighted sums of rows of a table",
         {"V": 150, "D": 36, "L": None, "B": None, "len_indptr": None},
         {"table": (["V", "D"], dtype), "indices": (["L"], "int64"), "offsets": (["len_indptr"], "int32"),
          "sample_weights": (["L"], "float32")},
         {"out": (["B", "D"], dtype)},
         "import torch\n\ndef run(table, indices, offsets, sample_weights):\n"
         "    B = offsets.shape[0] - 1\n"
         "    out = torch.zeros(B, table.shape[1], dtype=table.dtype)\n"
         "    rows = table.float()[indices] * sample_weights.unsqueeze(1)\n"
         "    for b in range(B):\n"
         "        first, end = int(offsets[b]), int(offsets[b + 1])\n"
         "        out[b] = rows[first:end].sum(0).to(table.dtype)\n"
         "    return out\n",
         {"L": 260, "B": 24, "len_indptr": 25}, "embedding_bag.cpp",
         right_ways(DOTS + [17, 18])
         + wrong_ways(own, [n for n in SUM_FOR[dtype] if n != 7], OUT_FOR[dtype][:7]),
         {"indices": drawn("ids", low=0, high=149), "offsets": drawn("indptr", total=260)}, {"DT": DTYPES[dtype]},
         ["len_indptr == B + 1", "L == offsets[-1].item()"])

# ---- scattered additions ----
for dtype in ("float32", "float16"):
    own = {50: "the last row's additions go to the one before", 51: "row 0 gets nothing", 52: "the last source row is lost",
           53: "indices kept in 4 bits", 54: "every 32nd source row goes one row too far",
           55: "the last addition alone counts", 56: "neighbours of one target collide",
           57: "one addition a target in 16 source rows", 58: "column 7 adds column 6", 59: "alpha ignored",
           61: "alpha hits the base too", 62: "the base is forgotten where something is added",
           63: "in rows of many the first addition counts twice"}
    task(f"scatter_add_{dtype}", "scatter", "index_add on rows with a factor",
         {"R": None, "T": None, "D": 32},
         {"base": (["R", "D"], dtype), "index": (["T"], "int64"), "src": (["T", "D"], dtype), "alpha": (None, "float32")},
         {"out": (["R", "D"], dtype)},
         "import torch\n\ndef run(base, index, src, alpha):\n"
         "    out = base.float()\n"
         "    out = out.index_add(0, index, src.float() * alpha)\n"
         "    return out.to(base.dtype)\n",
         {"R": 28, "T": 200}, "scatter_add.cpp",
         right_ways(SUMS, {0: "", 1: "the base as a term", 2: "fma onto the base"})
         + wrong_ways(own, [n for n in SUM_FOR[dtype] if n not in (7, 8)], OUT_FOR[dtype][:7]),
         {"index": drawn("ids", low=0, high=27), "alpha": literal(0.7)}, {"DT": DTYPES[dtype]})

# ---- gemms of codes ----
for codes, dtype in (("int8", "bfloat16"), ("int8", "float32"), ("float8_e4m3fn", "bfloat16"), ("float8_e4m3fn", "float16")):
    eight = codes != "int8"
    own = {50: "the lowest code loses its sign", 51: "negative weights are off by one step", 52: "the last row reads the first",
           53: "every 16th column is the one before", 57: "the scale of the next column", 58: "one row scale for four rows",
           59: "the first row's scale for all", 61: "column scales ignored", 62: "no bias",
           63: "the bias is scaled too", 64: "the last tile's bias is that of the tile before",
           65: "no bias in every 16th row"}
    if dtype != "bfloat16":
        own |= {60: "row scales rounded to bfloat16", 56: "the sum kept in float16"}
    if not eight:
        own |= {54: "sums wrap at 16 bits", 55: "sums saturate at 16 bits", 66: "divided by 128 * 127", 67: "divided by 128 * 128"}
        del own[50]
    reference = ("import torch\n\ndef run(a, a_scale, b, b_scale, bias):\n"
                 "    acc = a.float() @ b.float().t()\n"
                 "    y = acc * (a_scale.unsqueeze(1) * b_scale.unsqueeze(0))")
    reference += "\n" if eight else " / (127.0 * 127.0)\n"
    reference += f"    return (y + bias.float()).to(torch.{dtype})\n"
    short = "fp8" if eight else "int8"
    variants = {0: "", 1: "scales multiplied first", 3: "scales multiplied first, each divided" if not eight else "scales first",
                4: "fma with the bias"} if not eight else {0: "", 1: "scales multiplied first", 4: "fma with the bias"}
    programs = right_ways(DOTS if eight else [1], variants)
    if not eight:
        programs = right_ways([1], variants) + [(f"summed as floats, {ORDERS[o]}", True, flags(ORDER=o, VARIANT=2)) for o in DOTS]
    task(f"gemm_{short}_scaled_{dtype}", "gemm", f"Product of {codes} codes with a scale for each row, and a bias",
         {"M": None, "N": 40, "K": 136},
         {"a": (["M", "K"], codes), "a_scale": (["M"], "float32"), "b": (["N", "K"], codes), "b_scale": (["N"], "float32"),
          "bias": (["N"], dtype)},
         {"out": (["M", "N"], dtype)}, reference, {"M": 32}, "gemm_scaled.cpp",
         programs + wrong_ways(own, [n for n in SUM_FOR[dtype] + [2] if n not in (8, 9)], OUT_FOR[dtype][:8]),
         {"a_scale": drawn("positive"), "b_scale": drawn("positive")}, {"DT": DTYPES[dtype], "FLOAT8": int(eight)})

for dtype in ("float32", "bfloat16"):
    own = {50: "the last block has the scale of the one before", 51: "the first block's scale for all blocks",
           52: "the last row has the first one's scales", 53: "one scale for two rows", 55: "the weights' scale one column too early",
           56: "the weights' first row of scales for all", 57: "the weights' rows of scales reversed",
           58: "the first columns of a block have the scale before", 59: "the weights' scale of the next block",
           60: "every 16th column is the one before", 61: "some columns lack the last block",
           63: "one block lacks its last element", 64: "the weights' scales ignored", 65: "blocks accumulate in bfloat16",
           66: "scales rounded up to powers of two", 67: "a block's scale hits all before it"}
    if dtype == "float32":
        own |= {54: "scales rounded to bfloat16", 62: "blocks' sums kept in float16"}
    task(f"gemm_fp8_blocks_{dtype}", "gemm", "Product of float8 codes with a scale for each 1 x 32 and 32 x 32 block",
         {"M": None, "N": 64, "K": 160, "N_blocks": 2, "K_blocks": 5},
         {"a": (["M", "K"], "float8_e4m3fn"), "a_scale": (["M", "K_blocks"], "float32"),
          "b": (["N", "K"], "float8_e4m3fn"), "b_scale": (["N_blocks", "K_blocks"], "float32")},
         {"out": (["M", "N"], dtype)},
         "import torch\n\ndef run(a, a_scale, b, b_scale):\n"
         "    x = a.float() * a_scale.repeat_interleave(32, dim=1)\n"
         "    w = b.float() * b_scale.repeat_interleave(32, dim=0).repeat_interleave(32, dim=1)\n"
         f"    return (x @ w.t()).to(torch.{dtype})\n",
         {"M": 20}, "block_gemm.cpp",
         right_ways(DOTS[:-3] + [14], {0: "blocks summed", 1: "codes scaled first", 2: "fma over blocks", 3: "one scale after the other"},
                    main=1)  # a block's codes sum without rounding, so that their order shows only after the scales
         + wrong_ways(own, [n for n in SUM_FOR[dtype] if n in (3, 5, 7, 9, 11)], OUT_FOR[dtype][:6]),
         {"a_scale": drawn("positive"), "b_scale": drawn("positive")}, {"DT": DTYPES[dtype]})

# ---- routing ----
ROUTE_WRONG = {58: "the last expert is out of bounds", 59: "expert 0 is skipped in every eighth token",
               66: "the last choice is one too far", 67: "two choices swapped now and then", 68: "choices in the order of their ids",
               74: "the last weight is zero", 75: "one token in 32 keeps the weights before it", 76: "an increment is lost now and then",
               77: "the last choice is not counted", 78: "counters of three bits", 79: "counts are running sums",
               20: "weights 0.1 % too large", 21: "weights 0.5 % too large", 24: "weights rounded to bfloat16",
               25: "weights rounded to float16"}
for dtype in ("float32", "float16"):
    own = {50: "a temperature of 0.98", 51: "log2 e forgotten", 69: "renormalised over the chosen", **ROUTE_WRONG}
    if dtype == "float32":
        own |= {57: "chosen by scores rounded to bfloat16"}
    task(f"moe_route_softmax_{dtype}", "moe", "The k likeliest experts of each token, and how many pairs each expert has",
         {"T": None, "E": 56, "topk": 6},
         {"logits": (["T", "E"], dtype)},
         {"weights": (["T", "topk"], "float32"), "ids": (["T", "topk"], "int32"), "counts": (["E"], "int32")},
         "import torch\n\ndef run(logits):\n"
         "    p = torch.softmax(logits.float(), dim=-1)\n"
         "    weights, ids = torch.topk(p, 6, dim=-1)\n"
         "    counts = torch.bincount(ids.flatten(), minlength=logits.shape[1])\n"
         "    return weights, ids.to(torch.int32), counts.to(torch.int32)\n",
         {"T": 128}, "route.cpp",
         right_ways([1, 2, 3, 4, 5, 6, 8, 10, 13], {0: "", 1: "exp2", 2: "online", 3: "times the reciprocal", 5: "ties the other way"})
         + wrong_ways(own, [1, 2, 3, 4, 5, 7, 10, 11]),
         {}, {"DT": DTYPES[dtype]})
for groups, dtype in ((1, "bfloat16"), (4, "float32"), (1, "float32")):
    own = {53: "the hard sigmoid", 54: "the bias is not used", 55: "the bias of the next expert",
           56: "the bias weighs too", 69: "not renormalised", 70: "the last score is missing in the sum",
           71: "0.01 added to the sum", 72: "normalised over all experts", 73: "the scaling is missing", **ROUTE_WRONG}
    if dtype == "float32":
        own |= {52: "the sigmoid saturates early", 57: "chosen by scores rounded to bfloat16"}
    if groups > 1:
        own |= {60: "groups by their best alone", 61: "groups by their best three", 62: "one group too few", 63: "all groups",
                64: "one group too many", 65: "other groups count as 0"}
        del own[78], own[21]
    choice = "    c = s + bias\n"
    if groups > 1:
        choice += (f"    g = c.view(c.shape[0], {groups}, -1)\n"
                   "    best = torch.topk(g, 2, dim=-1)[0].sum(-1)\n"
                   "    chosen = torch.topk(best, 2, dim=-1)[1]\n"
                   "    open = torch.zeros_like(best).scatter(1, chosen, 1.0)\n"
                   "    c = g.masked_fill(open.unsqueeze(-1) == 0, float('-inf')).reshape(c.shape)\n")
    task(f"moe_route_sigmoid_{'groups_' if groups > 1 else ''}{dtype}", "moe",
         "Experts by sigmoid and bias, weights renormalised and scaled",
         {"T": None, "E": 48, "topk": 5},
         {"logits": (["T", "E"], dtype), "bias": (["E"], "float32"), "scaling": (None, "float32")},
         {"weights": (["T", "topk"], "float32"), "ids": (["T", "topk"], "int32"), "counts": (["E"], "int32")},
         "import torch\n\ndef run(logits, bias, scaling):\n"
         "    s = torch.sigmoid(logits.float())\n" + choice +
         "    ids = torch.topk(c, 5, dim=-1)[1]\n"
         "    w = s.gather(1, ids)\n"
         "    weights = w / w.sum(-1, keepdim=True) * scaling\n"
         "    counts = torch.bincount(ids.flatten(), minlength=logits.shape[1])\n"
         "    return weights, ids.to(torch.int32), counts.to(torch.int32)\n",
         {"T": 120}, "route.cpp",
         right_ways([1, 2, 3, 4, 5, 10, 11, 12, 13, 18], {0: "", 1: "scaling by the sum first", 3: "sigmoid by tanh", 4: "sigmoid in two branches",
                                          5: "ties the other way"})
         + wrong_ways(own, [12]),
         {"scaling": literal(2.5)}, {"DT": DTYPES[dtype], "SIGMOID": 1, "GROUPS": groups})

# ---- quantisation ----
INT8_WRONG = {50: "codes cut", 51: "codes rounded down", 52: "0.5 added and cut", 53: "codes end at 100", 54: "codes rounded up",
              55: "the highest code wraps"}
FP8_WRONG = {50: "codes cut", 51: "codes rounded twice, by bfloat16", 52: "small codes flushed to zero", 53: "codes end at 240",
             54: "negative codes 3 % too large", 55: "the largest codes become NaN"}
QUANT_WRONG = {56: "the first element is not looked at", 57: "the last tile is not looked at", 58: "seams are not looked at",
               59: "the largest, not the largest magnitude", 60: "the maximum before is not cleared", 61: "the first row's scale for all",
               62: "the magnitude is at least 3", 64: "divided by the wrong largest code", 66: "scales rounded up to powers of two",
               67: "the reciprocal of the scale is returned", 68: "the magnitude is returned", 69: "the returned scale is 0.5 % too large",
               70: "the last scale is that of the row before", 73: "codes 1 % too small", 75: "the last code is zero",
               76: "half of the pairs repeat an element", 77: "the last tile is scaled otherwise", 78: "one sign in 997 is wrong"}
for codes, dtype in (("int8", "float32"), ("int8", "bfloat16"), ("float8_e4m3fn", "float16"), ("float8_e4m3fn", "float32")):
    eight = codes != "int8"
    own = {**(FP8_WRONG if eight else INT8_WRONG), **QUANT_WRONG}
    if dtype == "float32":
        own |= {63: "the magnitude kept in bfloat16", 65: "scales rounded to float16", 71: "returned scales rounded to bfloat16",
                74: "quotients rounded to bfloat16"}
    if dtype == "float16" or not eight:
        del own[66]
    code = ("(x / scale).clamp(-448.0, 448.0).to(torch.float8_e4m3fn)" if eight
            else "torch.round(x / scale).clamp(-128.0, 127.0).to(torch.int8)")
    task(f"quantize_{'fp8' if eight else 'int8'}_{dtype}", "quantize", f"{codes} codes with one scale a row",
         {"T": None, "D": 112},
         {"x": (["T", "D"], dtype)}, {"q": (["T", "D"], codes), "scale": (["T"], "float32")},
         "import torch\n\ndef run(x):\n"
         "    x = x.float()\n"
         f"    scale = x.abs().amax(dim=-1, keepdim=True).clamp(min=1e-8) / {448.0 if eight else 127.0}\n"
         f"    q = {code}\n"
         "    return q, scale.squeeze(-1)\n",
         {"T": 40}, "quantize.cpp",
         [(f"{words}{more}", True, flags(ORDER=order, VARIANT=variant))
          for order, more in ((1, ""), (13, ", in double"))
          for variant, words in ((0, "by division"), (1, "times the reciprocal of the scale"), (4, "scale by a multiplication"),
                                 (5, "times the largest code over the magnitude"), (6, "by division, rounded by an added number"),
                                 (7, "times the reciprocal, rounded by an added number"))
          if variant < 6 or not eight]
         + wrong_ways(own, base=(1,)),
         {}, {"DT": DTYPES[dtype], "FLOAT8": int(eight)})
for codes, dtype in (("int8", "float16"), ("float8_e4m3fn", "bfloat16"), ("int8", "float32")):
    eight = codes != "int8"
    own = {**(FP8_WRONG if eight else INT8_WRONG), **{n: w for n, w in QUANT_WRONG.items() if n not in (61, 62, 66, 68, 76, 77)},
           80: "variance over n - 1", 81: "eps 0.01", 82: "no square root", 83: "every eighth row is not normalised",
           84: "the last weight is the one before", 85: "weights plus one", 86: "no weights in the last tile"}
    code = ("(y / scale).clamp(-448.0, 448.0).to(torch.float8_e4m3fn)" if eight
            else "torch.round(y / scale).clamp(-128.0, 127.0).to(torch.int8)")
    task(f"rmsnorm_quantize_{'fp8' if eight else 'int8'}_{dtype}", "rmsnorm", f"RMSNorm, then {codes} codes with one scale a row",
         {"T": None, "D": 136},
         {"x": (["T", "D"], dtype), "weight": (["D"], dtype)}, {"q": (["T", "D"], codes), "scale": (["T"], "float32")},
         "import torch\n\ndef run(x, weight):\n"
         "    f = x.float()\n"
         "    f = f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-5)\n"
         f"    y = (f * weight.float()).to(torch.{dtype}).float()\n"
         f"    scale = y.abs().amax(dim=-1, keepdim=True).clamp(min=1e-8) / {448.0 if eight else 127.0}\n"
         f"    q = {code}\n"
         "    return q, scale.squeeze(-1)\n",
         {"T": 32}, "quantize.cpp",
         right_ways(DOTS[:-2] + [14], {0: "", 1: "by the standard deviation, times the reciprocal",
                                                        2: "weight and factor first", 3: "root of the reciprocal"})
         + wrong_ways(own, [2, 7] if dtype != "float32" else [1, 2, 7, 10]),
         {}, {"DT": DTYPES[dtype], "FLOAT8": int(eight), "NORM": 1})
for dtype in ("bfloat16", "float32"):
    own = {50: "the next block's scale one column early", 51: "the block's first column has the scale before", 52: "the first scale for the row",
           53: "the last row has the scales before it", 54: "the last block has the scale before", 55: "the first zero point for the row",
           56: "the zero point of the next block", 57: "the table of scales read as if transposed", 58: "codes taken for unsigned",
           59: "no zero point", 60: "zero points off by one", 63: "zero points added", 65: "the difference wraps at 8 bits",
           66: "the difference saturates at 8 bits", 67: "the zero point subtracted after the scale", 68: "one scale for two rows"}
    if dtype == "float32":
        own |= {61: "scales rounded to bfloat16", 62: "scales rounded to float16"}
    task(f"dequantize_blocks_{dtype}", "dequantize", "int8 codes with a scale and a zero point for each block of 32",
         {"N": None, "K": 96, "G": 3},
         {"q": (["N", "K"], "int8"), "scale": (["N", "G"], "float32"), "zero": (["N", "G"], "int8")},
         {"out": (["N", "K"], dtype)},
         "import torch\n\ndef run(q, scale, zero):\n"
         "    s = scale.repeat_interleave(32, dim=1)\n"
         "    z = zero.float().repeat_interleave(32, dim=1)\n"
         f"    return ((q.float() - z) * s).to(torch.{dtype})\n",
         {"N": 36}, "dequantize.cpp",
         [(f"{words}{more}", True, flags(ORDER=order, VARIANT=v)) for order, more in ((1, ""), (13, ", in double"))
          for v, words in ((0, "difference times scale"), (1, "fma"), (2, "two products"))]
         + wrong_ways(own, (), OUT_FOR[dtype], base=(1,)),
         {"scale": drawn("positive")}, {"DT": DTYPES[dtype]})

# ---- the whole mixture ----
for dtype in ("float32", "bfloat16"):
    own = {50: "gelu for silu", 51: "the hard silu", 53: "log2 e forgotten", 54: "sigmoid for silu",
           56: "a capacity of 8 tokens", 57: "the last expert is never used", 58: "a stale row in a tile",
           59: "gate and up swapped", 60: "gate and up interleaved", 61: "the last up row is the one before",
           63: "silu of the product", 64: "one lane lost in one token of four",
           66: "weights of the choices reversed", 67: "weights ignored", 68: "weights applied twice",
           69: "one token of eight lacks its last choice", 70: "averaged over the choices"}
    if dtype == "float32":
        own |= {52: "sigmoid 2 % too steep", 62: "gates rounded to bfloat16", 65: "activations rounded to bfloat16"}
    middle = "" if dtype == "float32" else ".to(x.dtype).float()"
    variants = {0: "", 1: "times the reciprocal", 2: "silu by tanh", 3: "exp2"}
    if dtype == "bfloat16":
        variants |= {5: "activations in bfloat16", 4: "each step in bfloat16"}
    task(f"moe_mlp_{dtype}", "moe", "Mixture of gated experts for given choices and weights",
         {"T": None, "H": 40, "E": 6, "I": 24, "I2": 48, "topk": 2},
         {"x": (["T", "H"], dtype), "w1": (["E", "I2", "H"], dtype), "w2": (["E", "H", "I"], dtype),
          "topk_ids": (["T", "topk"], "int32"), "topk_weights": (["T", "topk"], "float32")},
         {"out": (["T", "H"], dtype)},
         "import torch\n\ndef run(x, w1, w2, topk_ids, topk_weights):\n"
         "    out = torch.zeros(x.shape[0], x.shape[1])\n"
         "    ids = topk_ids.long()\n"
         "    f = x.float()\n"
         "    for j in range(ids.shape[1]):\n"
         "        h = torch.einsum('tih,th->ti', w1.float()[ids[:, j]], f)\n"
         "        g, u = h.chunk(2, dim=-1)\n"
         "        a = torch.nn.functional.silu(g) * u\n"
         "        y = torch.einsum('thi,ti->th', w2.float()[ids[:, j]], a)\n"
         "        out = out + y * topk_weights[:, j].unsqueeze(1)\n"
         "    return out.to(x.dtype)\n",
         {"T": 24}, "moe_mlp.cpp",
         right_ways([1, 2, 3, 4, 5, 8, 10, 13, 14], variants)
         + wrong_ways(own, [n for n in SUM_FOR[dtype] if n in (1, 3, 5, 8, 11)], OUT_FOR[dtype][:6]),
         {"topk_weights": drawn("fraction")}, {"DT": DTYPES[dtype]})

# ---- top-k, argmax, argsort ----
for dtype in ("float32", "float16"):
    own = {50: "the last element is not looked at", 51: "the first element is not looked at", 52: "the partial tile is not looked at",
           54: "by magnitude", 55: "the smallest", 57: "seams are not looked at",
           58: "every eighth row looks at its first half", 59: "a lane keeps two at most", 60: "the last is one too far",
           61: "the best is left out", 62: "the last two swapped in one row of four", 63: "in the order of places", 64: "rising",
           65: "a repeated choice now and then", 66: "the last row repeats the one before", 67: "places count from 1",
           68: "places kept in 8 bits", 69: "places count in the whole tensor", 70: "the last place of a block is clamped",
           71: "places count in the block", 72: "the last value is the one before", 75: "places counted from the end now and then"}
    if dtype == "float32":
        own |= {53: "compared in bfloat16", 56: "large values compared in few bits", 73: "values rounded to bfloat16", 74: "values 0.1 % too large"}
    task(f"topk_{dtype}", "topk", "The eight largest of each row and their places",
         {"T": None, "V": 500, "k": 8},
         {"x": (["T", "V"], dtype)}, {"values": (["T", "k"], dtype), "indices": (["T", "k"], "int64")},
         "import torch\n\ndef run(x):\n"
         "    values, indices = torch.topk(x, 8, dim=-1)\n"
         "    return values, indices\n",
         {"T": 72}, "topk.cpp",
         [(words, True, flags(VARIANT=v)) for v, words in enumerate(
             ["stable sort", "the last of equal ones first", "partial sort", "nth element", "a heap", "blocks of 64", "blocks of 100",
              "k passes", "insertion", "blocks of 32", "blocks of 128", "blocks of 250"])] + wrong_ways(own, base=(1,)),
         {}, {"DT": DTYPES[dtype]})
own = {50: "the maximum starts at 2", 51: "the first element is not looked at", 52: "the last element is not looked at",
       53: "the partial tile is not looked at", 54: "by magnitude", 55: "compared in bfloat16", 56: "every 16th row looks at 32 elements",
       57: "compared as whole numbers", 58: "seams are not looked at", 59: "places counted from the end", 60: "the second best now and then",
       61: "places count from 1", 62: "places kept in 6 bits", 63: "values at least 2.5", 64: "one place of 32 is stale",
       65: "the place of the vector", 66: "places count in the tensor", 67: "values rounded to bfloat16", 68: "the last row is not computed"}
task("argmax_float32", "argmax", "The largest of each row and its place",
     {"T": None, "V": 90}, {"x": (["T", "V"], "float32")}, {"index": (["T"], "int64"), "value": (["T"], "float32")},
     "import torch\n\ndef run(x):\n"
     "    value, index = torch.max(x, dim=-1)\n"
     "    return index, value\n",
     {"T": 520}, "argmax.cpp",
     [(words, True, flags(VARIANT=v)) for v, words in enumerate(
         ["forward", "backward", "max_element", "4 lanes", "8 lanes", "16 lanes", "32 lanes", "32 stretches"])] + wrong_ways(own, base=(1,)))
own = {50: "keys kept in 8 bits", 51: "by magnitude", 52: "keys taken for unsigned", 53: "the lowest bits are not sorted",
       54: "keys rounded to bfloat16", 55: "falling", 56: "the last element stays", 57: "the partial tile stays",
       58: "the first element stays", 59: "equal keys the other way round", 60: "some neighbours swapped", 61: "reversed",
       62: "the inverse permutation", 63: "the last row stays", 64: "every eighth row stays", 65: "places count from 1",
       66: "places kept in 6 bits", 67: "the last place repeats", 68: "places count in the tensor", 69: "a place repeats at seams",
       70: "the lowest bit is not sorted"}
task("argsort_int32", "sort", "Stable order of each row",
     {"T": None, "V": 150}, {"keys": (["T", "V"], "int32")}, {"order": (["T", "V"], "int64")},
     "import torch\n\ndef run(keys):\n"
     "    return torch.argsort(keys, dim=-1, stable=True)\n",
     {"T": 24}, "argsort.cpp",
     [(words, True, flags(VARIANT=v)) for v, words in enumerate(
         ["stable sort", "sort by key and place", "insertion", "ranks", "radix 16", "radix 256", "merged halves", "packed keys"])]
     + wrong_ways(own, base=(1,)))

# ---- running sums ----
CUMSUM_WAYS = ["forward", None, "tiles of 8", "tiles of 32", "tiles of 64", "Hillis and Steele", "each prefix pairwise", "Kahan",
               "tiles of 50", "totals of tiles first"]
CUMSUM_WRONG = {50: "elements at seams are missing", 51: "the first element is missing", 52: "the carry is one element",
                53: "one carry in eight rows came late", 54: "the partial tile starts anew", 55: "without the element itself",
                56: "the seam's element counts twice", 57: "reversed", 58: "from the end", 59: "the last row's second half is not summed",
                60: "the last sum repeats", 61: "every eighth row counts its first element twice"}
for dtype in ("float32", "bfloat16"):
    own = dict(CUMSUM_WRONG)
    sums = [3, 4] if dtype == "float32" else [3]
    task(f"cumsum_{dtype}", "cumsum", "Running sums of each row",
         {"T": None, "V": 150}, {"x": (["T", "V"], dtype)}, {"out": (["T", "V"], dtype)},
         "import torch\n\ndef run(x):\n"
         "    return torch.cumsum(x.float(), dim=-1).to(x.dtype)\n",
         {"T": 20}, "cumsum.cpp",
         [(words, True, flags(ORDER=1, VARIANT=v)) for v, words in enumerate(CUMSUM_WAYS) if words]
         + [(f"{CUMSUM_WAYS[v]}, in double", True, flags(ORDER=13, VARIANT=v)) for v in (0, 2, 3, 4, 5, 8, 9)]
         + wrong_ways(own, sums, OUT_FOR[dtype], base=(1,)),
         {}, {"DT": DTYPES[dtype]})
own = {**CUMSUM_WRONG, 3: "sums wrap at 16 bits", 4: "sums saturate at 16 bits", 20: "through float16", 21: "through bfloat16",
       22: "signs lost", 23: "a sum repeats at seams", 24: "sums taken for unsigned", 25: "off by one in one tile of some rows",
       26: "the lowest bit is lost", 27: "the last row repeats the one before", 28: "one sign in 997 is wrong", 29: "the last column is zero"}
task("cumsum_int32", "cumsum", "Running sums of whole numbers",
     {"T": None, "V": 150}, {"x": (["T", "V"], "int32")}, {"out": (["T", "V"], "int64")},
     "import torch\n\ndef run(x):\n"
     "    return torch.cumsum(x, dim=-1)\n",
     {"T": 20}, "cumsum.cpp",
     [(words, True, flags(ORDER=1, VARIANT=v)) for v, words in enumerate(CUMSUM_WAYS) if words]
     + wrong_ways(own, base=(1,)), {}, {"INTEGER": 1})

# ---- whole numbers ----
own = {50: "the last expert is counted with the one before", 51: "ids read as if transposed", 52: "the last pair is not counted",
       53: "counts are lost in collisions", 54: "a capacity of 24", 55: "counters of four bits", 56: "counts padded to tiles",
       57: "the last expert's count is zero", 58: "first choices alone are counted", 59: "offsets are inclusive", 60: "offsets kept in 8 bits",
       61: "the last offset repeats", 62: "the carry at expert 8 is lost", 63: "experts in falling order", 64: "some pairs of an expert swapped",
       65: "pairs of an expert in falling order", 66: "tokens for pairs", 67: "pairs wrap at the number of tokens",
       68: "the last pair repeats", 69: "the inverse is the order itself", 70: "places within the expert", 71: "some counts are one too few",
       72: "pairs kept in 7 bits", 73: "one place of 32 repeats", 74: "the last expert's pairs are zero"}
task("moe_permute_int32", "moe", "Pairs of tokens and choices sorted by expert",
     {"T": None, "topk": 4, "P": None, "E": 16, "E1": 17},
     {"topk_ids": (["T", "topk"], "int32")},
     {"counts": (["E"], "int32"), "offsets": (["E1"], "int64"), "sorted_pairs": (["P"], "int64"), "inverse": (["P"], "int64")},
     "import torch\n\ndef run(topk_ids):\n"
     "    flat = topk_ids.flatten().long()\n"
     "    counts = torch.bincount(flat, minlength=16)\n"
     "    offsets = torch.zeros(17, dtype=torch.int64)\n"
     "    offsets[1:] = torch.cumsum(counts, dim=0)\n"
     "    sorted_pairs = torch.argsort(flat, stable=True)\n"
     "    inverse = torch.argsort(sorted_pairs)\n"
     "    return counts.to(torch.int32), offsets, sorted_pairs, inverse\n",
     {"T": 160, "P": 640}, "permute.cpp",
     [(words, True, flags(VARIANT=v)) for v, words in enumerate(
         ["stable sort", "blocks of 32", "blocks of 50", "blocks of 1", "each expert looks through all", "packed keys", "lists",
          "counting from the end", "blocks of 64", "blocks of 128", "blocks of 7"])] + wrong_ways(own, base=(1,)),
     {"topk_ids": drawn("expert_ids", low=0, high=15)}, None, ["P == T * topk"])
own = {50: "the first token belongs to the sequence before", 51: "tiles of 8 take the sequence of their first token",
       52: "the last token belongs to the first sequence", 53: "positions count from 1", 54: "without what is cached",
       55: "what the sequence before has cached", 56: "the sequence's start is not taken off", 57: "positions kept in 7 bits",
       58: "the last sequence without what is cached", 59: "the first token of each is at 0", 60: "the last token of each repeats a position",
       61: "sequences count from 1", 62: "the last sequence is the one before", 63: "slots as if interleaved", 64: "a stride of 255",
       65: "slots within 64", 66: "slots in too few bits", 67: "the last slot repeats", 68: "a token does not see itself",
       69: "a token sees the next", 70: "the window is one too wide", 71: "the window is one too narrow", 72: "other sequences are seen",
       73: "no window", 74: "the mask transposed", 75: "whole tiles on the diagonal", 77: "the last token sees nothing",
       78: "the first token of each is always seen", 79: "every 32nd token has no window"}
task("positions_int64", "positions", "Positions, sequences, slots and mask of packed tokens",
     {"T": None, "B": None, "len_indptr": None},
     {"cu_seqlens": (["len_indptr"], "int32"), "cached": (["B"], "int64"), "window": (None, "int32")},
     {"positions": (["T"], "int64"), "batch": (["T"], "int32"), "slots": (["T"], "int64"), "mask": (["T", "T"], "bool")},
     "import torch\n\ndef run(cu_seqlens, cached, window):\n"
     "    lens = (cu_seqlens[1:] - cu_seqlens[:-1]).long()\n"
     "    B = cached.shape[0]\n"
     "    batch = torch.repeat_interleave(torch.arange(B), lens)\n"
     "    row = torch.arange(batch.shape[0])\n"
     "    positions = row - cu_seqlens.long()[batch] + cached[batch]\n"
     "    slots = batch * 256 + positions\n"
     "    back = row.unsqueeze(1) - row.unsqueeze(0)\n"
     "    mask = (batch.unsqueeze(1) == batch.unsqueeze(0)) & (back >= 0) & (back < window)\n"
     "    return positions, batch.to(torch.int32), slots, mask\n",
     {"T": 120, "B": 10, "len_indptr": 11}, "positions.cpp",
     [(words, True, flags(VARIANT=v)) for v, words in enumerate(
         ["loops", "a search for each token", "marks and a running sum", "counted borders", "backwards", "from the token before",
          "the mask by borders"])] + wrong_ways(own, base=(1,)),
     {"cu_seqlens": drawn("indptr", total=120), "cached": drawn("ids", low=0, high=130), "window": literal(12)}, None,
     ["len_indptr == B + 1", "T == cu_seqlens[-1].item()"])

# ---- an indexer ----
for dtype in ("float32", "bfloat16"):
    own = {50: "a token does not see itself", 51: "one key too many", 52: "not causal", 53: "whole tiles on the diagonal",
           54: "what is before the tokens is forgotten", 55: "lengths one too small", 56: "lengths end at 48", 57: "the last length is one too small",
           58: "every 16th key is the one before", 59: "the last head is the one before", 60: "the last element of products is missing",
           61: "magnitudes for relu", 62: "no relu", 63: "silu for relu", 64: "leaky relu", 65: "products rounded to bfloat16",
           66: "weights of the token before", 67: "heads' weights reversed", 68: "one token of four lacks its last head", 69: "no scale",
           70: "1/sqrt(d + 1)", 20: "0.1 % too large", 22: "1 % too large", 24: "rounded to bfloat16", 25: "rounded to float16",
           71: "one score in 499 is zero", 72: "0 for -inf", 73: "-10000 for -inf", 74: "masked keys are kept", 75: "kept by magnitude",
           76: "the threshold is 5 % too high", 78: "the last key is never kept"}
    task(f"indexer_{dtype}", "indexer", "Scores by which sparse attention chooses its keys",
         {"T": None, "H": 4, "D": 36, "S": None},
         {"q": (["T", "H", "D"], dtype), "k": (["S", "D"], dtype), "weights": (["T", "H"], "float32"), "scale": (None, "float32"),
          "start": (None, "int32"), "least": (None, "float32")},
         {"scores": (["T", "S"], "float32"), "lengths": (["T"], "int32"), "kept": (["T", "S"], "bool")},
         "import torch\n\ndef run(q, k, weights, scale, start, least):\n"
         "    logits = torch.einsum('thd,sd->ths', q.float(), k.float())\n"
         "    scores = (torch.relu(logits) * weights.unsqueeze(-1)).sum(1) * scale\n"
         "    t = torch.arange(q.shape[0])\n"
         "    s = torch.arange(k.shape[0])\n"
         "    scores = scores.masked_fill(s.unsqueeze(0) > t.unsqueeze(1) + start, float('-inf'))\n"
         "    lengths = (t + start + 1).clamp(max=k.shape[0]).to(torch.int32)\n"
         "    return scores, lengths, scores > least\n",
         {"T": 32, "S": 64}, "indexer.cpp",
         right_ways(DOTS, {0: "", 1: "scale in the weights", 2: "heads split"}) + wrong_ways(own, [3, 4]),
         {"scale": literal(0.16666667), "start": literal(24), "least": literal(0.5)}, {"DT": DTYPES[dtype]})

# The set holds what has been checked (hidden.json); the loops above make a few more.
CHECKED = """moe_grouped_gemm_bfloat16 moe_route_softmax_float32 rmsnorm_quantize_fp8_bfloat16 gemm_int8_scaled_bfloat16
embedding_bag_float16 moe_mlp_bfloat16 topk_float32 segment_mean_float32 scatter_add_float32 indexer_bfloat16
moe_route_sigmoid_groups_float32 cumsum_float32 moe_permute_int32 quantize_int8_bfloat16 moe_combine_float16
gemm_fp8_scaled_float16 positions_int64 rmsnorm_quantize_int8_float16 segment_sum_bfloat16
moe_grouped_gemm_float32 gemm_fp8_blocks_float32 embedding_bag_float32 moe_mlp_float32 moe_combine_float32
indexer_float32 quantize_fp8_float32 argsort_int32 argmax_float32 dequantize_blocks_bfloat16
scatter_add_float16 gemm_int8_scaled_float32 moe_grouped_gemm_float16 moe_combine_bfloat16 segment_sum_float32
segment_mean_float16 embedding_bag_bfloat16 gemm_fp8_scaled_bfloat16 gemm_fp8_blocks_bfloat16
moe_route_softmax_float16""".split()
TASKS = [t for t in TASKS if t["definition"]["name"] in CHECKED]

# Taken out: what some would call right (the sum as float16, of which the result is one, before the scales), and what is the
# same program twice (the online softmax has one order).
OUT = {("gemm_fp8_scaled_float16", "the sum kept in float16"), ("moe_route_softmax_float32", "online, 16 lanes"),
       ("moe_route_softmax_float16", "online, 16 lanes")}
for each in TASKS:
    each["programs"] = [p for p in each["programs"] if (each["definition"]["name"], p[0]) not in OUT]
