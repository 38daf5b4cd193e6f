"""Programs of serving: attention over caches, norms, quantisation, products, experts, logits, states."""

TASKS = []


def flags(options):
    return [f"-D{key}={value}" for key, value in options.items()]


def r(name, **options):
    return (name, True, flags(options))


def w(name, **options):
    return (name, False, flags(options))


SHORT = {"f4": "float32", "f2": "float16", "b2": "bfloat16", "f1": "float8_e4m3fn", "i1": "int8", "i4": "int32",
         "i8": "int64", "b1": "bool"}


def tensors(text):
    """"x b2 rows,d; y f4 rows" as the inputs or outputs of a Definition."""
    found = {}
    for part in text.split(";"):
        name, dtype, *shape = part.split()
        found[name] = {"shape": shape[0].split(",") if shape else None, "dtype": SHORT[dtype]}
    return found


def task(name, op, description, source, kernel, var, const, inputs, outputs, reference, programs, given=None):
    axes = {key: {"type": "var"} for key in var} | {key: {"type": "const", "value": n} for key, n in const.items()}
    header = "import math\nimport torch\nimport torch.nn.functional as F\n\n"
    definition = {"name": name, "description": description, "op_type": op, "axes": axes, "inputs": tensors(inputs),
                  "outputs": tensors(outputs), "reference": header + reference.strip("\n") + "\n"}
    random = {key: {"type": "random"} | kind if "type" not in kind else kind for key, kind in (given or {}).items()}
    names = [p[0] for p in programs]
    assert len(set(names)) == len(names), (name, [n for n in names if names.count(n) > 1])
    TASKS.append({"definition": definition, "axes": var, "inputs": random, "source": source,
                  "flags": flags({"K": kernel}), "truth": flags({"REAL": "ldouble"}), "programs": programs})


def numbered(*names, start=1, key="BUG", **options):
    """Mistakes that are numbered in the source, in their order; None stands for one that is not taken."""
    return [w(name, **{key: start + i}, **options) for i, name in enumerate(names) if name]


def sums(*which):
    """Right ways to sum."""
    ways = {"forwards": {}, "backwards": {"SUM": 1}, "pairs": {"SUM": 2}, "lanes": {"SUM": 3}, "tiles": {"SUM": 4},
            "kahan": {"SUM": 5}, "parts": {"SUM": 6}, "double sums": {"SUM": 7}, "warp": {"SUM": 8},
            "even and odd": {"SUM": 9}, "fma": {"SUM": 10}, "fma in lanes": {"SUM": 11}, "double": {"REAL": "double"}}
    names = {"forwards": "sums forwards in float32", "backwards": "sums backwards", "pairs": "sums in pairs",
             "lanes": "sums in eight lanes", "tiles": "sums in tiles of 64", "kahan": "sums by Kahan",
             "parts": "sums in four parts", "double sums": "accumulates in double", "warp": "sums as a warp does",
             "even and odd": "sums even and odd ones apart", "fma": "fused multiply-add",
             "fma in lanes": "fused multiply-add in four lanes", "double": "double throughout"}
    return [r(names[key], **ways[key]) for key in which or ways]


BAD_SUMS = {
    "bf16 sum": ("accumulates in bfloat16", {"SUM": 20}), "f16 sum": ("accumulates in float16", {"SUM": 21}),
    "last": ("loses the last term of a sum", {"SUM": 22}), "last tile": ("loses the last tile of a sum", {"SUM": 23}),
    "twice": ("counts the last term twice", {"SUM": 24}), "first": ("loses the first term", {"SUM": 25}),
    "race": ("a race loses a lane now and then", {"SUM": 26}), "bf16 parts": ("partial sums in bfloat16", {"SUM": 27}),
    "overlap": ("parts of a sum overlap by one", {"SUM": 28}), "bf16 terms": ("terms of a sum in bfloat16", {"SUM": 29}),
    "tail 8": ("no tail after eight lanes", {"SUM": 30}), "tail 4": ("no tail after unrolling by four", {"SUM": 31}),
    "butterfly": ("a butterfly without its last step", {"SUM": 32}),
    "tf32": ("factors cut to tf32", {"CUTIN": 1}), "bf16 cut": ("factors cut to bfloat16", {"CUTIN": 2}),
    "bf16 in": ("factors rounded to bfloat16", {"CUTIN": 3}), "f8 in": ("factors rounded to float8", {"CUTIN": 4}),
    "cut": ("cuts the result instead of rounding", {"PUT": 1}), "by bf16": ("stores by way of bfloat16", {"PUT": 2}),
    "by f16": ("stores by way of float16", {"PUT": 3}), "by f8": ("stores by way of float8", {"PUT": 4}),
    "by tf32": ("stores with the bits of tf32", {"PUT": 5}),
    "last row": ("the last row is not written", {"ROWS": 10}), "rest rows": ("rows after whole blocks of 16 are lost", {"ROWS": 11}),
    "first row": ("the first row is skipped", {"ROWS": 12}), "lost row": ("a row is lost now and then", {"ROWS": 13}),
    "0.1 %": ("a factor 0.1 % too large", {"FACTOR": "1.001"}), "0.5 %": ("a factor 0.5 % too small", {"FACTOR": "0.995"}),
    "1 %": ("a factor 1 % too large", {"FACTOR": "1.01"}), "sign": ("the sign is lost", {"FACTOR": "-1"}),
}


def bad(*which):
    return [w(BAD_SUMS[key][0], **BAD_SUMS[key][1]) for key in which]


ROUNDS = [r("rows backwards", ROWS=1), r("two interleaved threads", ROWS=2), r("blocks of 16 rows, last first", ROWS=3)]
SOFT = [r("weights normalised before the product", V=1), r("online softmax by key", V=2),
        r("online softmax in tiles of 32", V=3), r("exp2 with log2(e) folded in", V=4),
        r("three splits merged by their sums", V=5), r("keys backwards", V=7)]
SOFT16 = [r("weights in 16 bits", V=6), r("tiles of 32, weights in 16 bits, fused multiply-add", V=8, SUM=10)]
MIXED = [r("online tiles, sums in lanes", V=3, SUM=3), r("three splits in double", V=5, REAL="double"),
         r("exp2, fused multiply-add in lanes", V=4, SUM=11)]
BAD_SOFT = {
    2: w("the sum is not rescaled online", SB=2, V=3), 3: w("the accumulator is not rescaled online", SB=3, V=3),
    4: w("the last key is missing in the sum", SB=4), 5: w("exp2 without log2(e)", SB=5), 6: w("log2(e) is 1.44", SB=6),
    7: w("splits averaged without their sums", SB=7, V=5), 8: w("weights in float8", SB=8),
    9: w("logarithm in base 2 of the sum", SB=9), 10: w("exp by bits of the exponent", SB=10),
    11: w("the last split is not merged", SB=11, V=5), 12: w("accumulator in 16 bits, by key", SB=12, V=2),
    13: w("splits merged without their maxima", SB=13, V=5), 14: w("lse is the maximum", SB=14)}


def soft(*which):
    return [BAD_SOFT[k] for k in which]



task("gqa_paged_decode_h8_kv2_d64_ps8", "gqa_paged", "Decode over a paged cache, grouped heads.", "attention.cpp", 1,
     {"batch": 9, "pages": 70, "len_indptr": 10, "num_kv_indices": 58}, {"heads": 8, "kv_heads": 2, "d": 64, "page_size": 8},
     "q b2 batch,heads,d; k_cache b2 pages,page_size,kv_heads,d; v_cache b2 pages,page_size,kv_heads,d; "
     "kv_indptr i4 len_indptr; kv_indices i4 num_kv_indices; kv_last_page_len i4 batch",
     "o b2 batch,heads,d; lse f4 batch,heads", """
def run(q, k_cache, v_cache, kv_indptr, kv_indices, kv_last_page_len):
    batch, heads, d = q.shape
    page_size, kv_heads = k_cache.shape[1], k_cache.shape[2]
    group = heads // kv_heads
    o = torch.zeros_like(q)
    lse = torch.zeros((batch, heads), dtype=torch.float32)
    for b in range(batch):
        first, end = int(kv_indptr[b]), int(kv_indptr[b + 1])
        n = (end - first - 1) * page_size + int(kv_last_page_len[b])
        pages = kv_indices[first:end].long()
        k = k_cache[pages].reshape(-1, kv_heads, d)[:n].float().repeat_interleave(group, dim=1)
        v = v_cache[pages].reshape(-1, kv_heads, d)[:n].float().repeat_interleave(group, dim=1)
        s = torch.einsum("hd,nhd->hn", q[b].float(), k) / math.sqrt(d)
        lse[b] = torch.logsumexp(s, dim=-1)
        o[b] = torch.einsum("hn,nhd->hd", torch.softmax(s, dim=-1), v).to(q.dtype)
    return o, lse
""", sums("forwards", "pairs", "lanes", "kahan", "fma", "double") + SOFT + SOFT16 + MIXED[:2] + ROUNDS[:1] +
     numbered("the last page counts as full", "one token of the last page is lost", "heads mapped by modulo",
              "pages of one place before", "scale forgotten", "scale 1 % too large", "values read from the key cache",
              "the last page is the one before", "the last key has the value before it", "cache read in the layout HND",
              "lse 0.5 % too small", "eight elements of a head lost in the scores", "a full last page is lost",
              "slots of a page from the end", "last head of a group reads the next group's cache", "scores in float8") +
     soft(3, 4, 6, 7, 8, 9) + bad("race", "cut", "by f8", "rest rows"))

task("gqa_ragged_causal_softcap_h6_kv3_d64", "gqa_ragged", "Causal prefill over ragged sequences, scores capped at 5.",
     "attention.cpp", 2, {"total_q": 90, "total_kv": 140, "len_indptr": 6}, {"heads": 6, "kv_heads": 3, "d": 64},
     "q f2 total_q,heads,d; k f2 total_kv,kv_heads,d; v f2 total_kv,kv_heads,d; qo_indptr i4 len_indptr; kv_indptr i4 len_indptr",
     "o f2 total_q,heads,d", """
def run(q, k, v, qo_indptr, kv_indptr):
    heads, d = q.shape[1], q.shape[2]
    group = heads // k.shape[1]
    o = torch.zeros_like(q)
    for b in range(qo_indptr.shape[0] - 1):
        q0, q1 = int(qo_indptr[b]), int(qo_indptr[b + 1])
        k0, k1 = int(kv_indptr[b]), int(kv_indptr[b + 1])
        nq, nk = q1 - q0, k1 - k0
        kb = k[k0:k1].float().repeat_interleave(group, dim=1)
        vb = v[k0:k1].float().repeat_interleave(group, dim=1)
        s = torch.einsum("qhd,khd->hqk", q[q0:q1].float(), kb) / math.sqrt(d)
        s = 5.0 * torch.tanh(s / 5.0)
        seen = torch.arange(nk)[None, :] <= torch.arange(nq)[:, None] + (nk - nq)
        s = s.masked_fill(~seen, float("-inf"))
        o[q0:q1] = torch.einsum("hqk,khd->qhd", torch.softmax(s, dim=-1), vb).to(q.dtype)
    return o
""", sums("forwards", "backwards", "pairs", "tiles", "fma", "double") + SOFT + SOFT16 + [MIXED[0], MIXED[2]] +
     [r("tanh by exp", V=9)] + ROUNDS[1:2] +
     numbered("a token does not see itself", "a token sees the next one", "causal mask aligned at the start",
              "heads mapped by modulo", "no soft cap", "soft cap before the scale", "cap 6 for 5", "no causal mask",
              "first token of a sequence takes the sequence before", "keys found by the queries' indptr",
              "keys up to the end of a tile of 16", "masked scores are 0", "masked scores are -5",
              "half of the last tile is lost", "scale 1 / d", "cap by clamping", "last head reads the first cache head",
              "tanh by a rational approximation", "tanh in bfloat16", "values of even keys only") +
     soft(2, 6, 8, 11) + bad("f16 sum", "overlap", "last row", "0.5 %"))

task("gqa_window_sink_h8_kv2_d32_w48", "gqa_window", "Causal window of 48 keys with a learned sink for each head.",
     "attention.cpp", 3, {"tokens": 75}, {"heads": 8, "kv_heads": 2, "d": 32},
     "q b2 tokens,heads,d; k b2 tokens,kv_heads,d; v b2 tokens,kv_heads,d; sinks b2 heads", "o b2 tokens,heads,d", """
def run(q, k, v, sinks):
    tokens, heads, d = q.shape
    group = heads // k.shape[1]
    kk = k.float().repeat_interleave(group, dim=1)
    vv = v.float().repeat_interleave(group, dim=1)
    s = torch.einsum("qhd,khd->hqk", q.float(), kk) * (d ** -0.5)
    i = torch.arange(tokens)
    seen = (i[None, :] <= i[:, None]) & (i[:, None] - i[None, :] < 48)
    s = s.masked_fill(~seen, float("-inf"))
    sink = sinks.float()[:, None, None].expand(heads, tokens, 1)
    p = torch.softmax(torch.cat([s, sink], dim=-1), dim=-1)[:, :, :tokens]
    return torch.einsum("hqk,khd->qhd", p, vv).to(q.dtype)
""", sums("forwards", "lanes", "parts", "warp", "fma in lanes", "double") + SOFT + SOFT16 + MIXED[:2] + ROUNDS[2:] +
     numbered("window of 49", "window of 47", "no window", "sees the next key", "window from the start of a tile",
              "window from the next tile", "heads mapped by modulo", "sink of the group", "sink of the next head",
              "no sink", "sink scaled as a score", "sink counted in two tiles", "sink of 0", "the first key stays visible",
              "scale 0.1", "window of 32", "window around the token", "every 16th query without a sink", "sink negated") +
     soft(3, 5, 10, 12) + bad("bf16 sum", "cut", "race", "1 %"))

task("tree_verify_attention_h4_kv2_d96", "gqa_tree", "Attention of drafted tokens: all of the context, of the draft what the tree mask allows.",
     "attention.cpp", 4, {"drafted": 44, "keys": 117}, {"heads": 4, "kv_heads": 2, "d": 96},
     "q f4 drafted,heads,d; k f4 keys,kv_heads,d; v f4 keys,kv_heads,d; tree_mask b1 drafted,drafted", "o f4 drafted,heads,d", """
def run(q, k, v, tree_mask):
    drafted, heads, d = q.shape
    keys, kv_heads = k.shape[0], k.shape[1]
    kk = k.repeat_interleave(heads // kv_heads, dim=1)
    vv = v.repeat_interleave(heads // kv_heads, dim=1)
    s = torch.einsum("qhd,khd->hqk", q, kk) / math.sqrt(d)
    context = torch.ones((drafted, keys - drafted), dtype=torch.bool)
    seen = torch.cat([context, tree_mask], dim=1)
    s = s.masked_fill(~seen, float("-inf"))
    return torch.einsum("hqk,khd->qhd", torch.softmax(s, dim=-1), vv)
""", sums("forwards", "backwards", "pairs", "lanes", "tiles", "parts", "warp", "fma", "double") + SOFT + MIXED[:1] + ROUNDS[:1] +
     numbered("last key of the context is lost", "mask transposed", "tree mask ignored", "causal in place of the tree",
              "a token always sees itself", "tree mask and causal", "bits of the mask from the other end",
              "mask of the row before", "mask of 32 tokens only", "mask inverted", "mask shifted by one",
              "draft not visible at all", "every eighth drafted key visible", "scale 0.1018", "heads mapped by modulo",
              "first key of the context is lost", "masked scores are -4") +
     soft(2, 4, 6, 10) + bad("tf32", "bf16 in", "bf16 terms", "by tf32", "race", "rest rows"),
     {"tree_mask": {"kind": "mask"}})

task("mla_paged_decode_h12_ckv128_kpe32_ps16", "mla_paged", "Latent decode: keys are the latent and a rotary part, values the latent; scale 1 / sqrt(96).",
     "attention.cpp", 5, {"batch": 5, "pages": 40, "max_pages": 7}, {"heads": 12, "rank": 128, "rope": 32, "page_size": 16},
     "q_nope b2 batch,heads,rank; q_pe b2 batch,heads,rope; ckv_cache b2 pages,page_size,rank; kpe_cache b2 pages,page_size,rope; "
     "page_table i4 batch,max_pages; seq_lens i4 batch", "o b2 batch,heads,rank; lse f4 batch,heads", """
def run(q_nope, q_pe, ckv_cache, kpe_cache, page_table, seq_lens):
    batch, heads, rank = q_nope.shape
    o = torch.zeros_like(q_nope)
    lse = torch.zeros((batch, heads), dtype=torch.float32)
    for b in range(batch):
        n = int(seq_lens[b])
        ckv = ckv_cache[page_table[b].long()].reshape(-1, rank)[:n].float()
        kpe = kpe_cache[page_table[b].long()].reshape(-1, kpe_cache.shape[2])[:n].float()
        s = (q_nope[b].float() @ ckv.T + q_pe[b].float() @ kpe.T) / math.sqrt(96.0)
        lse[b] = torch.logsumexp(s, dim=-1)
        o[b] = (torch.softmax(s, dim=-1) @ ckv).to(o.dtype)
    return o, lse
""", sums("forwards", "backwards", "pairs", "lanes", "fma", "double") + SOFT + SOFT16 + [MIXED[2]] +
     [r("both parts scaled apart", V=9)] + ROUNDS[1:2] +
     numbered("scale of the latent's width", "scale of 64", "scale 0.1", "a token lost", "a token too many",
              "the last page counts as full", "the last page is the one before", "page table of the next sequence",
              "always the first page", "slots of a page shifted by one", "rotary query shared by four heads",
              "rotary key of the first token", "rotary key of the token before", "no rotary part", "halves of the rotary query swapped",
              "last values read from the rotary cache", "a last page that is not full is lost", "rotary part not scaled",
              "lse off by a hundredth of the scale's logarithm") +
     soft(3, 7, 9, 8) + bad("bf16 sum", "twice", "0.5 %"),
     {"page_table": {"kind": "page_ids", "low": 0, "high": 39}, "seq_lens": {"kind": "seq_lens", "low": 1, "high": 112}})

task("merge_states_h6_d80", "merge_states", "Merges two partial attention states by their log-sum-exps.", "attention.cpp", 6,
     {"tokens": 93}, {"heads": 6, "d": 80},
     "v_a f4 tokens,heads,d; s_a f4 tokens,heads; v_b f4 tokens,heads,d; s_b f4 tokens,heads",
     "v f4 tokens,heads,d; s f4 tokens,heads", """
def run(v_a, s_a, v_b, s_b):
    s_max = torch.maximum(s_a, s_b)
    a = torch.exp(s_a - s_max)
    b = torch.exp(s_b - s_max)
    v = (v_a * a[..., None] + v_b * b[..., None]) / (a + b)[..., None]
    return v, s_max + torch.log(a + b)
""", sums("forwards", "double") + [r("exp2 and log2", V=4), r("expm1", V=5), r("times a reciprocal", V=6), r("sigmoid of the difference, log1p", V=7),
     r("exp2 and a reciprocal", V=8), r("second value and a part of the difference", V=9), r("fused multiply-add", V=10),
     r("divides last", V=11), r("double, divides last", V=11, REAL="double"), r("double, exp2", V=4, REAL="double"),
     r("sigmoid, rows backwards", V=7, ROWS=1)] + ROUNDS +
     numbered("other state of the next head", "lse of the first head", "lse read as heads by tokens", "lse in float16",
              "lse in bfloat16", "exp2 of natural logarithms", "log2(e) is 1.44", "plain average", "weights swapped",
              "not divided by the sum", "weights in bfloat16", "second weight is 1", "weights are the logarithms",
              "a tail of the row before", "lse without its maximum", "log2 in the lse", "lse is the maximum",
              "sum in place of its logarithm", "lse stored in bfloat16", "lse of the first state", "exp 0.4 % off",
              "eps of 0.01 in the divisor", "small second states dropped") +
     bad("tf32", "by bf16", "by tf32", "last row", "0.1 %"))

task("rope_interleaved_partial_h5_d80_r48", "rope", "Rotary embedding of neighbouring pairs in the first 48 of 80 elements.", "norms.cpp", 1,
     {"tokens": 61}, {"heads": 5, "d": 80}, "x f2 tokens,heads,d; positions i8 tokens", "y f2 tokens,heads,d", """
def run(x, positions):
    inv = 10000.0 ** (-torch.arange(0, 48, 2, dtype=torch.float32) / 48)
    angle = positions.float()[:, None] * inv
    cos, sin = torch.cos(angle)[:, None], torch.sin(angle)[:, None]
    a = x[..., :48].float()
    even, odd = a[..., 0::2], a[..., 1::2]
    turned = torch.stack([even * cos - odd * sin, odd * cos + even * sin], dim=-1).flatten(-2)
    return torch.cat([turned.to(x.dtype), x[..., 48:]], dim=-1)
""", [r("powf in float32"), r("double throughout", REAL="double"), r("frequency by exp in double", V=1), r("reciprocal of the power", V=2),
     r("frequency by exp2 in double", V=3), r("sine and cosine in double", V=4), r("table in float16", V=5), r("angle reduced in double", V=6),
     r("fused multiply-add", V=7), r("products rounded to float16", V=8), r("fused multiply-add, rows backwards", V=7, ROWS=1),
     r("double, reciprocal of the power", V=2, REAL="double")] + ROUNDS +
     numbered("all 80 elements turned", "only 32 elements turned", "position of the first token", "row number for the position",
              "position off by one", "what is not turned is zeroed", "halves in place of pairs", "frequencies by the head's width",
              "frequencies from the second on", "exponents half as large", "base 9900", "base 500000", "frequencies in bfloat16",
              "angles in float16", "sine and cosine in bfloat16", "turned the other way", "position shared by four tokens",
              "reduction by 6.283", "sine and cosine swapped", "second element from the first's result", "last pair not turned",
              "sign of the second element", "last head not turned") + bad("last row", "rest rows", "by bf16", "0.5 %"),
     {"positions": {"kind": "positions", "low": 0, "high": 700}})

task("rope_llama3_scaled_h4_kv2_d128", "rope", "Rotary embedding by halves, frequencies scaled by wavelength (factor 8, low 1, high 4, 512 old positions).",
     "norms.cpp", 2, {"tokens": 45}, {"heads": 4, "kv_heads": 2, "d": 128},
     "q b2 tokens,heads,d; k b2 tokens,kv_heads,d; positions i8 tokens", "q_out b2 tokens,heads,d; k_out b2 tokens,kv_heads,d", """
def turn(x, cos, sin):
    a, b = x.float().chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1).to(x.dtype)

def run(q, k, positions):
    inv = 1.0 / (500000.0 ** (torch.arange(0, 128, 2, dtype=torch.float32) / 128))
    wave = 2 * math.pi / inv
    smooth = ((512.0 / wave - 1.0) / (4.0 - 1.0)).clamp(0.0, 1.0)
    inv = (1 - smooth) * inv / 8.0 + smooth * inv
    angle = positions.float()[:, None] * inv
    cos, sin = torch.cos(angle)[:, None], torch.sin(angle)[:, None]
    return turn(q, cos, sin), turn(k, cos, sin)
""", [r("powf in float32"), r("double throughout", REAL="double"), r("frequency by exp in double", V=1), r("reciprocal of the power", V=2),
     r("interpolates from the scaled one", V=3), r("sine and cosine in double", V=4), r("table in bfloat16", V=5),
     r("fused multiply-add", V=6), r("products rounded to bfloat16", V=7), r("fused multiply-add, rows backwards", V=6, ROWS=1),
     r("double, reciprocal of the power", V=2, REAL="double"), r("double, interpolates from the scaled one", V=3, REAL="double")] + ROUNDS +
     numbered("base 10000", "factor 4", "high frequency factor 2", "1024 old positions", "smoothing the other way round",
              "a step in place of smoothing", "smoothing not clamped", "no scaling", "every frequency scaled", "harmonic interpolation",
              "frequencies in bfloat16", "position of the token before", "positions wrap at 256", "keys at position 0",
              "angles in bfloat16", "table in float8", "pairs in place of halves", "turned the other way", "last key head not turned",
              "second half from the first's result", "base 495000", "second half of the pairs not turned") + bad("last row", "lost row", "1 %"),
     {"positions": {"kind": "positions", "low": 0, "high": 800}})

task("add_rmsnorm_h1003", "rmsnorm", "Residual addition, then RMSNorm of the sum (eps 0.01).", "norms.cpp", 3, {"tokens": 53}, {"d": 1003},
     "x f2 tokens,d; residual f2 tokens,d; weight f2 d", "y f2 tokens,d; residual_out f2 tokens,d", """
def run(x, residual, weight):
    h = x.float() + residual.float()
    scale = torch.rsqrt(h.pow(2).mean(dim=-1, keepdim=True) + 0.01)
    return (h * scale * weight.float()).to(x.dtype), h.to(x.dtype)
""", sums("forwards", "backwards", "pairs", "lanes", "kahan", "warp", "fma in lanes", "double") +
     [r("norm of the rounded sum", V=1), r("reciprocal of the root", V=2, SUM=2), r("root of the reciprocal", V=3), r("weight scaled first", V=4),
      r("normalised value rounded before the weight", V=5), r("mean by a reciprocal", V=6), r("rsqrt by Newton, four steps", V=7),
      r("divides by the root", V=8)] + ROUNDS[:1] +
     numbered("no eps", "eps 0.1", "residual of the row before", "half of the residual", "residual not added", "residual output is the input",
              "residual cut to bfloat16", "squares in bfloat16", "divided by d - 1", "divided by the padded width", "variance in place of the mean square",
              "rsqrt without a Newton step", "eps after the root", "sum in place of the mean", "scale in bfloat16", "stale scale in some rows",
              "weight of the next element", "weight + 1", "weight's sign is lost", "normalises the input alone", "tail not normalised") +
     bad("bf16 sum", "last tile", "race", "butterfly", "tail 4", "0.5 %", "by f8"))

task("rmsnorm_quant_fp8_token_h840", "rmsnorm_quant", "RMSNorm (eps 0.001), then float8 codes with a scale for each token.", "norms.cpp", 4,
     {"tokens": 57}, {"d": 840}, "x f2 tokens,d; weight f2 d", "codes f1 tokens,d; scales f4 tokens", """
def run(x, weight):
    a = x.float()
    y = a * torch.rsqrt(a.pow(2).mean(dim=-1, keepdim=True) + 0.001) * weight.float()
    scales = y.abs().amax(dim=-1, keepdim=True).clamp(min=1e-10) / 448.0
    codes = (y / scales).clamp(-448.0, 448.0).to(torch.float8_e4m3fn)
    return codes, scales.squeeze(-1)
""", sums("forwards", "backwards", "pairs", "lanes", "kahan", "parts", "warp", "fma", "double") +
     [r("root of the reciprocal", V=1), r("weight scaled first", V=2), r("divides by the root", V=3),
      r("scale by a reciprocal", V=5), r("codes by a reciprocal", V=6), r("codes by a reciprocal, in pairs", V=6, SUM=2)] + ROUNDS[:1] +
     numbered("divided by d - 1", "no eps", "eps 0.05", "no root", "weight shared by eight", "weight not applied", "maximum without the tail",
              "maximum of the first half", "maximum without the sign", "maximum of the input", "440 for 448", "512 for 448", "240 for 448",
              "maximum not below 6", "scale of the whole tensor", "scale a power of two", "scale of the token before", "scale in bfloat16",
              "reciprocal of the scale returned", "scale for a shorter row", "codes are whole numbers", "not divided by the scale") +
     bad("f16 sum", "bf16 sum", "cut", "last row", "race", "twice"))

task("silu_mul_quant_fp8_group128_d512", "silu_mul_quant", "silu(gate) * up, then float8 codes with a scale for each group of 128.", "norms.cpp", 5,
     {"tokens": 47}, {"d2": 1024, "d": 512, "groups": 4}, "x b2 tokens,d2", "codes f1 tokens,d; scales f4 tokens,groups", """
def run(x):
    gate, up = x.float().chunk(2, dim=-1)
    y = (F.silu(gate) * up).reshape(x.shape[0], 4, 128)
    scales = y.abs().amax(dim=-1).clamp(min=1e-10) / 448.0
    codes = (y / scales[..., None]).clamp(-448.0, 448.0).reshape(x.shape[0], 512)
    return codes.to(torch.float8_e4m3fn), scales
""", [r("divides by 1 + exp"), r("double throughout", REAL="double"), r("times the sigmoid", V=1), r("sigmoid by tanh", V=2), r("sigmoid by exp2", V=3),
     r("sigmoid by exp of the magnitude", V=7), r("by reciprocals", V=6), r("codes by a reciprocal", V=8),
     r("double, sigmoid by tanh", V=2, REAL="double"), r("double, sigmoid by exp2", V=3, REAL="double"), r("double, by reciprocals", V=6, REAL="double"),
     r("exp2, rows backwards", V=3, ROWS=1)] + ROUNDS +
     numbered("gate and up swapped", "gate and up interleaved", "last of a group reads its neighbour's up", "erf gelu for silu", "quick gelu for silu",
              "hard swish for silu", "sigmoid for silu", "relu for silu", "up + 1", "up not applied", "maximum of the first 64", "maximum without the last",
              "maximum without the sign", "maximum kept from the group before", "240 for 448", "440 for 448", "scale a power of two", "scale in bfloat16",
              "scale not below 0.01", "scales stored by groups first", "reciprocal of the scale returned", "codes clamped at 127") +
     bad("cut", "last row", "by bf16", "0.5 %"))

task("layernorm_quant_int8_static_h300", "layernorm_quant", "LayerNorm (eps 1e-5), then int8 codes with a static scale and the zero point 3.", "norms.cpp", 6,
     {"tokens": 66}, {"d": 300}, "x f2 tokens,d; weight f2 d; bias f2 d; scale f4", "codes i1 tokens,d; mean f4 tokens", """
def run(x, weight, bias, scale: float):
    a = x.float()
    mean = a.mean(dim=-1, keepdim=True)
    var = (a - mean).pow(2).mean(dim=-1, keepdim=True)
    y = (a - mean) * torch.rsqrt(var + 1e-5) * weight.float() + bias.float()
    codes = (torch.round(y / scale) + 3).clamp(-128, 127).to(torch.int8)
    return codes, mean.squeeze(-1)
""", sums("forwards", "backwards", "pairs", "lanes", "tiles", "kahan", "parts", "warp", "even and odd", "double") +
     [r("Welford", V=1), r("root of the reciprocal", V=2), r("fused multiply-add", V=3), r("one factor and one addend", V=4), r("times 1 / scale", V=5),
      r("rounds by adding a large number", V=6)] + ROUNDS[:1] +
     numbered("divided by d - 1", "squares in float16, not centred", "mean without the last three", "mean over 256", "no root", "eps 0.1", "mean in float16",
              "weight of the next element", "no bias", "mean not taken off", "no weight", "bfloat16 before the codes", "times the scale", "cut to whole numbers",
              "rounds down", None, "no zero point", "clamped at 126", "clamped at -127", "clamped at 0", "wraps in place of clamping",
              "zero point added after the clamp, wraps") + bad("bf16 sum", "last", "last tile", "butterfly", "lost row", "tail 8", "f16 sum"),
     {"scale": {"type": "scalar", "value": 0.03}})

task("gelu_tanh_mul_d330", "gelu_mul", "gelu(gate) * up with tanh, in float16 as models do.", "norms.cpp", 7, {"tokens": 58}, {"d2": 660, "d": 330},
     "x f2 tokens,d2", "y f2 tokens,d", """
def run(x):
    gate, up = x.chunk(2, dim=-1)
    return F.gelu(gate, approximate="tanh") * up
""", [r("rounds the activation"), r("does not round the activation", V=8), r("double throughout", REAL="double", V=8), r("factored polynomial", V=1),
     r("fused multiply-add", V=2), r("tanh by exp", V=3), r("tanh by sigmoid", V=4), r("times a sigmoid", V=5), r("exp2 with log2(e)", V=6),
     r("halves added", V=7), r("double, rounds the activation", REAL="double"), r("double, times a sigmoid", REAL="double", V=5),
     r("fused multiply-add, rows backwards", V=2, ROWS=1)] + ROUNDS +
     numbered("gate and up swapped", "gate and up interleaved", "up of the next element", "tail reads the tile before", "sqrt(2 / pi) is 0.8",
              "sqrt(2 / pi) is 0.78", "0.04715 for 0.044715", "0.04 for 0.044715", "no cubic term", "tanh by a rational approximation", "erf gelu",
              "quick gelu", "silu", "zero below -3", "half forgotten", "tanh in bfloat16", "activation in float8", "activation without sign", "up added",
              "up + 1", "up without sign", "last of 64 without up") + bad("by bf16", "last row", "rest rows", "1 %"))

task("gemm_w4a16_group64_n72_k512", "gemm_int4", "float16 by int4 with zero points and float16 scales for groups of 64.", "products.cpp", 1, {"m": 19},
     {"n": 72, "k": 512, "k2": 256, "groups": 8}, "x f2 m,k; w_packed i1 n,k2; scales f2 n,groups; zeros i1 n,groups", "y f2 m,n", """
def run(x, w_packed, scales, zeros):
    n, groups = scales.shape
    p = w_packed.to(torch.int32)
    codes = torch.stack([p & 15, (p >> 4) & 15], dim=-1).reshape(n, groups, 64)
    w = (codes - zeros.to(torch.int32)[..., None]).float() * scales.float()[..., None]
    return (x.float() @ w.reshape(n, -1).T).to(x.dtype)
""", sums() + [r("zero points scaled apart", V=1), r("weights rounded to float16", V=2), r("scales after the group's sum", V=3),
              r("split along k, weights in float16", V=4), r("split along k", V=5), r("split along k, fused multiply-add", V=5, SUM=10)] +
     numbered("group border one early", "groups of 128", "scale of the next group", "zero point of the first group", "nibbles swapped", "nibbles are signed",
              "high nibble with its sign", "nibbles in the interleaved order", "zero point one too large", "zero point 8", "no zero point",
              "zero points of another row", "scale shared by two rows", "scales in float8", "weights in float8", "code 15 becomes 14",
              "no zero point in the last group", "last 32 of x read from before", "weights without sign", "scale shared by two groups",
              "differences below -8 cut") + bad("f16 sum", "bf16 in", "last tile", "race", "overlap", "rest rows"),
     {"zeros": {"kind": "ids", "low": 0, "high": 15}, "scales": {"kind": "positive"}})

task("gemm_w8a8_azp_n60_k300", "gemm_int8", "int8 by int8, scales for tokens and channels, zero points of tokens, bias.", "products.cpp", 2, {"m": 37},
     {"n": 60, "k": 300}, "a i1 m,k; a_scale f4 m; a_zero i4 m; b i1 n,k; b_scale f4 n; bias f4 n; alpha f4", "y b2 m,n", """
def run(a, a_scale, a_zero, b, b_scale, bias, alpha: float):
    shifted = a.float() - a_zero.float()[:, None]
    product = shifted @ b.float().T
    return (product * (alpha * a_scale)[:, None] * b_scale[None, :] + bias).to(torch.bfloat16)
""", sums("forwards", "backwards", "pairs", "lanes", "tiles", "fma", "double") +
     [r("int32 accumulator", V=1), r("zero point taken off first", V=2), r("four int32 accumulators", V=3), r("scales multiplied first", V=4),
      r("bias by fused multiply-add", V=5), r("int32 tiles", V=6), r("scale of the channel first", V=7), r("scales multiplied first, double", V=4, REAL="double")] +
     ROUNDS[1:] +
     numbered("column sums without the tail", "zero point of the first token", "pairs saturate at 16 bits", "16-bit partial sums wrap", "-128 becomes -127",
              "a is unsigned", "zero points ignored", "zero points added", "column sum of the next channel", None, "accumulator saturates at 16 bits",
              "accumulator in float8", "scale of the first token", "scale shared by eight tokens", "scale of the first channel", "scale of the next channel",
              None, "no bias", "bias scaled", "no channel scale", "lowest bit of a lost", "bias shared by eight channels") +
     bad("bf16 sum", "f16 sum", "bf16 terms", "last", "last tile", "butterfly", "tail 8", "0.5 %", "last row"),
     {"a_scale": {"kind": "positive"}, "b_scale": {"kind": "positive"}, "a_zero": {"kind": "ids", "low": 0, "high": 20}, "alpha": {"type": "scalar", "value": 0.00003}})

task("gemm_fp8_block128_n150_k512", "gemm_fp8", "float8 by float8: scales for 128 of a row of a, for 128 by 128 of b.", "products.cpp", 3, {"m": 23},
     {"n": 150, "k": 512, "groups": 4, "blocks": 2}, "a f1 m,k; a_scale f4 m,groups; b f1 n,k; b_scale f4 blocks,groups", "y b2 m,n", """
def run(a, a_scale, b, b_scale):
    x = a.float() * a_scale.repeat_interleave(128, dim=1)
    s = b_scale.repeat_interleave(128, dim=0)[:b.shape[0]].repeat_interleave(128, dim=1)
    return (x @ (b.float() * s).T).to(torch.bfloat16)
""", sums() + [r("scales the factors", V=1), r("fused multiply-add of blocks", V=2), r("one scale after the other", V=3),
              r("scale of b first", V=4), r("scales the factors, in pairs", V=1, SUM=2)] +
     numbered("small codes of a flushed to 0", "a without sign", "one bit of b's codes lost", "largest codes of b too small", "a's scale of the first group",
              "a's scale of the next group", "a's scales read by groups first", "a's scale shared by four rows", "a's scale rounded up to a power of two",
              "blocks of b are 64 wide", "border of b's block one early", "always b's first block", "b's scales transposed", "last block of k is lost", None,
              "only the last scale counts", "scaled after the first block only", None, "scales of the step before", "b's scale of the group before",
              "b's scale forgotten", "sum cut to bfloat16 after each block") +
     bad("bf16 sum", "last", "last tile", "race", "twice", "1 %", "rest rows"),
     {"a_scale": {"kind": "positive"}, "b_scale": {"kind": "positive"}})

task("lora_bgmv_l4_r12_h640_o136", "lora", "base + scale * (x A^T) B^T with an adapter for each token, -1 for none.", "products.cpp", 4, {"tokens": 43},
     {"adapters": 4, "rank": 12, "h": 640, "o": 136},
     "x b2 tokens,h; lora_a b2 adapters,rank,h; lora_b b2 adapters,o,rank; scale f4 adapters; adapter i4 tokens; base b2 tokens,o", "y b2 tokens,o", """
def run(x, lora_a, lora_b, scale, adapter, base):
    y = base.float()
    for t in range(x.shape[0]):
        l = int(adapter[t])
        if l >= 0:
            h = lora_a[l].float() @ x[t].float()
            y[t] += scale[l] * (lora_b[l].float() @ h)
    return y.to(x.dtype)
""", sums("forwards", "backwards", "pairs", "lanes", "tiles", "parts", "warp", "fma", "double") +
     [r("shrunk values in bfloat16", V=1), r("scaled after the shrink", V=2), r("product rounded before the addition", V=3),
      r("shrunk values in bfloat16, base last", V=4), r("shrink split in two", V=5)] + ROUNDS[:2] +
     numbered("adapter shared by eight tokens", "adapter of the token before", "no adapter means the first", "no adapter means the last",
              "last adapter replaced by the one before", "last rank keeps the row before", "ranks shifted by one", "pairs of ranks share a row of A", None,
              "shrunk values in float8", "relu between", "B of the adapter before", "last four ranks lost", "B read transposed", "next row of B",
              "scale of the first adapter", "no scale", "scale twice", "scale divided by another rank", "base of the first column", "base not added",
              "adapter 0 means none", "base negated without an adapter", "tail of the outputs not expanded") +
     bad("bf16 sum", "last tile", "butterfly", "by f8", "race", "lost row"),
     {"adapter": {"kind": "ids", "low": -1, "high": 3}, "scale": {"kind": "positive"}})

task("moe_topk_softmax_e60_k6", "moe_routing", "The six best of 60 experts, softmax weights that sum to 1.", "decisions.cpp", 1, {"tokens": 150}, {"experts": 60, "k": 6},
     "logits f4 tokens,experts", "weights f4 tokens,k; ids i4 tokens,k", """
def run(logits):
    p = torch.softmax(logits, dim=-1)
    w, ids = torch.topk(p, 6, dim=-1)
    return w / w.sum(dim=-1, keepdim=True), ids.to(torch.int32)
""", sums("forwards", "backwards", "pairs", "lanes", "warp", "kahan", "double") +
     [r("exp2 with log2(e)", V=1), r("exp2, maximum scaled too", V=2), r("times a reciprocal", V=3), r("best of the logits", V=4),
      r("k rounds of the maximum", V=5), r("softmax of the best only", V=6), r("normalises by a reciprocal", V=7)] + ROUNDS +
     numbered("last expert not seen", "only 32 experts seen", "exp2 without log2(e)", "log2(e) is 1.44", "sigmoid for softmax", "probabilities in float16",
              "probabilities in bfloat16", "best by magnitude", "best of logits in bfloat16", "best of logits in float8", "order of the choice reversed",
              "the seventh for the sixth", "the best one twice", "sum without the last", "not normalised", "0.01 added to the sum", "sum in bfloat16",
              "weight of the best for all", "root of the weights", "ids from 1", "the best one is skipped", "logits cut at 2", "ids modulo 32",
              "ids sorted without their weights") + bad("by tf32", "last row", "0.1 %"))

task("moe_group_sigmoid_bias_e64_g8_k6", "moe_routing", "Sigmoid scores, groups and experts chosen with a bias, weights without it, times 2.5.", "decisions.cpp", 2,
     {"tokens": 110}, {"experts": 64, "k": 6}, "logits f4 tokens,experts; bias f4 experts", "weights f4 tokens,k; ids i8 tokens,k", """
def run(logits, bias):
    scores = torch.sigmoid(logits)
    choice = scores + bias
    groups = choice.reshape(-1, 8, 8).topk(2, dim=-1)[0].sum(dim=-1)
    best = groups.topk(4, dim=-1)[1]
    seen = torch.zeros_like(groups).scatter_(1, best, 1.0).bool()
    seen = seen[:, :, None].expand(-1, 8, 8).reshape(-1, 64)
    ids = choice.masked_fill(~seen, float("-inf")).topk(6, dim=-1)[1]
    w = scores.gather(1, ids)
    return w / w.sum(dim=-1, keepdim=True) * 2.5, ids
""", sums("forwards", "backwards", "pairs", "kahan", "double sums", "double") +
     [r("sigmoid by exp2", V=1), r("sigmoid by tanh", V=2), r("sigmoid by sign", V=3), r("rounds of the maximum", V=4), r("factor divided first", V=5),
      r("factor first", V=6), r("times a reciprocal", V=7)] + ROUNDS +
     numbered("exp for the sigmoid", "scores in bfloat16", "bias of the next expert", "bias of the group", "no bias in the choice", "bias inside the sigmoid",
              "bias taken off", "bias as a factor", "choice in float8", "last expert of a group not seen", "group by its best only", "group by twice its best",
              "group by its sum", "three groups", "five groups", "all groups", "groups shifted by one", "experts striped over groups",
              "masked experts have score 0", "weights with the bias", "sum without the last", "not normalised", "0.01 added to the sum", "factor 1", "factor 2",
              "ids within the group") + bad("0.1 %", "rest rows"))

task("logits_penalties_minp_v700", "sampling", "Repetition, frequency and presence penalties, temperature, softmax, min-p.", "decisions.cpp", 3, {"batch": 21}, {"vocab": 700},
     "logits f4 batch,vocab; in_prompt b1 batch,vocab; counts i4 batch,vocab; repetition f4 batch; frequency f4 batch; presence f4 batch; temperature f4 batch; min_p f4 batch",
     "p f4 batch,vocab", """
def run(logits, in_prompt, counts, repetition, frequency, presence, temperature, min_p):
    seen = in_prompt | (counts > 0)
    rep = repetition[:, None]
    x = torch.where(seen, torch.where(logits > 0, logits / rep, logits * rep), logits)
    x = x - frequency[:, None] * counts
    x = x - presence[:, None] * (counts > 0).float()
    q = torch.softmax(x / temperature[:, None], dim=-1)
    q = torch.where(q < min_p[:, None] * q.amax(dim=-1, keepdim=True), torch.zeros_like(q), q)
    return q / q.sum(dim=-1, keepdim=True)
""", sums("forwards", "backwards", "pairs", "lanes", "tiles", "kahan", "warp", "double") +
     [r("times 1 / repetition", V=1), r("times 1 / temperature", V=2), r("exp2 with log2(e)", V=3), r("online softmax", V=4), r("normalised before min-p", V=5),
      r("normalised by a reciprocal", V=7)] + ROUNDS +
     numbered("repetition of the first row", "counts of the next token", "output not seen by repetition", "prompt not seen by repetition", "divides negative logits too",
              "repetition the other way round", "repetition as a difference", "no frequency penalty", "frequency as presence", "frequency counts the prompt",
              "no presence penalty", "presence times count", "presence for the prompt too", "temperature before the penalties", "times the temperature", "no temperature",
              "logits in float8", "log2(e) is 1.44", "maximum of the first half", "min-p of the next row", "half of min-p", "min-p of the sum", "no min-p",
              "not normalised again", "0.5 % added to the sum") + bad("race", "0.1 %"),
     {"counts": {"kind": "ids", "low": 0, "high": 2}, "repetition": {"kind": "positive"}, "temperature": {"kind": "positive"}, "min_p": {"kind": "fraction"},
      "frequency": {"kind": "fraction"}, "presence": {"kind": "fraction"}})

task("greedy_verify_s6", "speculative", "Accepts drafted tokens up to the first that is not the target's, and gives the target's next.", "decisions.cpp", 4, {"batch": 220},
     {"drafted": 6, "targets": 7}, "draft i8 batch,drafted; target i8 batch,targets; lens i4 batch; start i4 batch",
     "accepted i4 batch; tokens i8 batch,targets; valid b1 batch,targets; next_start i4 batch", """
def run(draft, target, lens, start):
    same = (draft == target[:, :6]) & (torch.arange(6)[None, :] < lens[:, None])
    accepted = same.long().cumprod(dim=1).sum(dim=1)
    valid = torch.arange(7)[None, :] <= accepted[:, None]
    tokens = torch.where(valid, target, torch.full_like(target, -1))
    return accepted.to(torch.int32), tokens, valid, (start + accepted + 1).to(torch.int32)
""", [r("a loop until the first miss"), r("running product", V=1), r("backwards", V=2), r("bits and trailing zeros", V=3), r("endless loop with breaks", V=4),
     r("minimum of misses", V=5), r("drafted tokens, then the target's", V=6), r("marks what lies after", V=7)] + ROUNDS +
     [r("running product, rows backwards", V=1, ROWS=1), r("bits, interleaved threads", V=3, ROWS=2), r("backwards, blocks of rows", V=2, ROWS=3)] +
     numbered("length of the first row", "lengths ignored", "last drafted token not seen", "compares with the target's next", "compares with the target before",
              "compares the lowest bit", "counts all matches", "up to the last match", "never accepts all", "counts the bonus token", "the miss is kept",
              "no bonus token", "padding 0", "no padding", "bonus is the last target", "tokens shifted by one", "bonus is not valid", "valid up to the length",
              "start of the next row", "next start one too small", "one more than the length", "at most three", "bonus of the token before", "only the bonus is valid") +
     bad("last row", "rest rows", "lost row"),
     {"draft": {"kind": "ids", "low": 0, "high": 2}, "target": {"kind": "ids", "low": 0, "high": 2}, "lens": {"kind": "seq_lens", "low": 0, "high": 6},
      "start": {"kind": "ids", "low": 0, "high": 900}})

task("mamba_state_update_d72_n16", "mamba", "A decode step of a selective state space with slots of states and a gate.", "decisions.cpp", 5, {"batch": 17, "slots": 24}, {"d": 72, "n": 16},
     "state f4 slots,d,n; x b2 batch,d; dt b2 batch,d; dt_bias f4 d; a_log f4 d,n; b b2 batch,n; c b2 batch,n; skip f4 d; z b2 batch,d; slot i4 batch",
     "new_state f4 batch,d,n; y b2 batch,d", """
def run(state, x, dt, dt_bias, a_log, b, c, skip, z, slot):
    h = state[slot.long()]
    step = F.softplus(dt.float() + dt_bias)
    decay = torch.exp(step[..., None] * -torch.exp(a_log))
    h = h * decay + (step * x.float())[..., None] * b.float()[:, None]
    y = (h * c.float()[:, None]).sum(dim=-1) + skip * x.float()
    return h, (y * F.silu(z.float())).to(x.dtype)
""", sums("forwards", "backwards", "pairs", "lanes", "warp", "fma", "double") +
     [r("softplus by the magnitude", V=1), r("exp2 of the decay", V=3), r("step times (b x)", V=4), r("step times b first", V=5),
      r("fused multiply-add of the state", V=6), r("silu by exp2", V=7), r("gates a rounded value", V=8)] + ROUNDS +
     numbered("row number for the slot", "slot before", "no bias of the step", "bias shared by eight", "no softplus", "exp for softplus", "relu for softplus",
              "step at most 1", "step in bfloat16", "decays of the first channel", "A not negated nor exponentiated", "half of A", "state read in bfloat16",
              "decay to first order", "decay by backward Euler", "b of the first sequence", "input not times the step", "b without sign", "y of the old state",
              "last two states lost in y", "state stored in bfloat16", "state stored with the bits of tf32", "last state not updated", "no skip", "skip of the first channel",
              "sigmoid for silu", "no gate") + bad("lost row"),
     {"slot": {"kind": "slot_ids", "low": 0, "high": 23}})

task("kv_append_fp8_ps8_h3_d72", "kv_append", "Quantises new keys by the heads' scales and writes them to slots of a paged cache; positions beside them.", "decisions.cpp", 6,
     {"pages": 12, "tokens": 50}, {"page_size": 8, "heads": 3, "d": 72},
     "cache f1 pages,page_size,heads,d; cached_pos i4 pages,page_size; key b2 tokens,heads,d; slot_mapping i8 tokens; positions i4 tokens; scale f4 heads",
     "new_cache f1 pages,page_size,heads,d; new_pos i4 pages,page_size", """
def run(cache, cached_pos, key, slot_mapping, positions, scale):
    new = cache.float().reshape(-1, 3, 72)
    pos = cached_pos.clone().reshape(-1)
    for t in range(key.shape[0]):
        s = int(slot_mapping[t])
        if s >= 0:
            new[s] = (key[t].float() / scale[:, None]).clamp(-448.0, 448.0)
            pos[s] = positions[t]
    return new.reshape(-1, 8, 3, 72).to(torch.float8_e4m3fn), pos.reshape(-1, 8)
""", [r("divides"), r("times a reciprocal", V=1), r("double throughout", REAL="double"), r("double, times a reciprocal", REAL="double", V=1)] + ROUNDS +
     [r("reciprocal, rows backwards", V=1, ROWS=1), r("reciprocal, interleaved threads", V=1, ROWS=2), r("reciprocal, blocks", V=1, ROWS=3),
      r("double, rows backwards", REAL="double", ROWS=1), r("double, interleaved threads", REAL="double", ROWS=2), r("double, blocks", REAL="double", ROWS=3),
      r("double, reciprocal, blocks", REAL="double", V=1, ROWS=3)] +
     numbered("the rest of the cache is cleared", "slot of the next token", "padding goes to slot 0", "padding goes to the last slot", "slot 0 is skipped",
              "slots of a page from the end", "slot off by one", "pages and slots swapped", "position off by one", "row number for the position", "position not written",
              "scale of the first head", "scales from the last head", "last head not written", "tail of a head not written", "next head's key", "elements from the end",
              "times the scale", "not scaled", "codes cut", "sign is lost", "small values flushed to 0", "fixed point for float8", "clamped at 2", "every other code cut",
              "half as large") + bad("rest rows", "lost row"),
     {"slot_mapping": {"kind": "slot_ids", "low": 0, "high": 95, "padding": True}, "positions": {"kind": "ids", "low": 0, "high": 500}, "scale": {"kind": "positive"}})

task("token_logprobs_shards_v1500", "sampling", "Log-probability and rank of a chosen token and the best token; the vocabulary lies in four padded shards.", "decisions.cpp", 7,
     {"batch": 140}, {"padded": 1536, "vocab": 1500}, "logits f2 batch,padded; tokens i8 batch", "logprob f4 batch; best i8 batch; rank i4 batch", """
def run(logits, tokens):
    x = logits[:, :1500].float()
    chosen = x.gather(1, tokens[:, None])
    logprob = torch.log_softmax(x, dim=-1).gather(1, tokens[:, None]).squeeze(1)
    return logprob, x.argmax(dim=-1), (x >= chosen).sum(dim=-1).to(torch.int32)
""", sums("forwards", "backwards", "pairs", "lanes", "tiles", "kahan", "parts", "warp", "double") +
     [r("exp2 with log2(e)", V=1), r("online softmax", V=2), r("one maximum for all shards", V=3), r("shards merged by their log-sum-exps", V=4),
      r("takes off the log-sum-exp", V=5), r("log2 times ln(2)", V=6)] + ROUNDS[:1] +
     numbered("padding counts", "three shards only", "last token not seen", "token of the row before", "ties go to the last", "ids within the shard", "shards are 375 wide",
              "log2(e) is 1.44", "exp2 without log2(e)", "later shards win when close", "last shard always wins", "shard of another rank", "last shard not summed",
              "sums not rescaled", "logit of the next token", "token within the first shard", "probability itself", "maximum not taken off", "stored by way of bfloat16",
              "logarithm in base 2", "rank counts from 0", "rank from the other end", "rank within the shard", "small terms dropped", "log-probability of the best token") +
     bad("last tile", "tail 8", "rest rows"),
     {"tokens": {"kind": "ids", "low": 0, "high": 1499}})
