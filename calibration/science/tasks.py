"""Graphs, sparse and scientific computing, recommenders, image and audio."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from science_lib import forms, ids, indptr, sums, task, wrong

ROWS = """import torch

def rows_of(indptr):
    p = indptr.long()
    return torch.repeat_interleave(torch.arange(p.shape[0] - 1), p[1:] - p[:-1])
"""

GRAPH = [
    task("spmm_csr_d72", "sparse", "Sparse matrix in CSR times a dense one, float32.", "graph.cpp", 1,
         {"n": 120, "m": 90, "nnz": 1900, "n1": 121}, {"d": 72},
         "indptr n1 int32; cols nnz int32; vals nnz float32; x m,d float32", "y n,d float32",
         ROWS + """
def run(indptr, cols, vals, x):
    n = indptr.shape[0] - 1
    y = torch.zeros(n, x.shape[1], dtype=torch.float32)
    return y.index_add(0, rows_of(indptr), vals[:, None] * x[cols.long()])
""",
         sums(["edge by edge into a row of accumulators", "merge path with carries"],
              [("merge path, double", ["-DFORM=2", "-DDOUBLE"])]),
         wrong("last acc_bf16 terms_cut tf32 race via_f16 tail4 f1001 pad in_cut",
               "the carry of a chunk is lost", "the carry goes to the next row", "the last row lacks its last edge",
               "edges beyond the sixteenth lost", "column 0 taken for padding", "repeated neighbouring columns merged",
               "values in float16", "every 64th edge has its neighbour's value", "every 128th edge has a stale column",
               "the last row of x is never read", "tail features lose every fourth edge",
               "a swizzle that one column in 64 does not undo", "features in bfloat16"),
         {"indptr": indptr(1900), "cols": ids(89)}),
    task("sddmm_csr_d203", "sparse", "Sampled dense-dense product at the places of a CSR matrix, bfloat16.",
         "graph.cpp", 2, {"n": 75, "m": 61, "nnz": 1100, "n1": 76}, {"d": 203},
         "indptr n1 int32; cols nnz int32; vals nnz bfloat16; a n,d bfloat16; b m,d bfloat16", "out nnz bfloat16",
         ROWS + """
def run(indptr, cols, vals, a, b):
    left = a.float()[rows_of(indptr)]
    right = b.float()[cols.long()]
    return (vals.float() * (left * right).sum(-1)).to(torch.bfloat16)
""",
         sums(["dot in bfloat16, then scaled", "scaled inside the sum"]),
         wrong("acc_bf16 acc_f16 tail last race tiles_bf16 cut_bf16 f101 tile_twice lane",
               "an edge at a row's beginning belongs to the row before", "the last row's features are the first's",
               "the last column's features are its neighbour's", "every 32nd edge has a stale column",
               "value of the edge before", "features beyond the last full 64 lost", "pairs swapped in the tail",
               "products rounded to bfloat16", "value added, not multiplied", "the value's sign is lost",
               "values in float8", "negative results clamped"),
         {"indptr": indptr(1100), "cols": ids(60)}),
    task("gat_edge_softmax_h4", "graph", "Edge softmax of a graph attention layer over the incoming edges, float32.",
         "graph.cpp", 3, {"n": 110, "m": 130, "nnz": 2100, "n1": 111}, {"h": 4},
         "indptr n1 int32; cols nnz int32; el m,h float32; er n,h float32", "alpha nnz,h float32",
         ROWS + """
def run(indptr, cols, el, er):
    rows = rows_of(indptr)
    n = er.shape[0]
    z = torch.nn.functional.leaky_relu(el[cols.long()] + er[rows], 0.2)
    at = rows[:, None].expand(-1, z.shape[1])
    m = torch.full((n, z.shape[1]), float("-inf")).scatter_reduce(0, at, z, "amax")
    p = torch.exp(z - m[rows])
    s = torch.zeros(n, z.shape[1]).index_add(0, rows, p)
    return p / s[rows]
""",
         sums(["online", "exp2 with log2 e", "leaky as a maximum", "times the reciprocal", "minus the log of the sum"]),
         wrong("last acc_bf16 race via_f16 cut_bf16 first double terms_cut f1001",
               "the last source reads its neighbour", "every 32nd node reads the next one's score",
               "scores of the next head", "slope 0.01", "slope 3/16 of a table of few bits",
               "leaky before the addition", "logits in bfloat16", "logits in float16", "no maximum",
               "chunks of eight not rescaled", "self loops left out of the sum", "eps 1e-3 in the sum",
               "padding counts with logit 0", "the twenty-fifth edge is left out of the sum",
               "weights in bfloat16 for the sum alone"),
         {"indptr": indptr(2100), "cols": ids(129)}),
    task("sage_mean_d100", "graph", "A node's features beside the mean of its neighbours', float16.",
         "graph.cpp", 4, {"n": 96, "nnz": 2300, "n1": 97}, {"d": 100, "d2": 200},
         "indptr n1 int32; cols nnz int32; x n,d float16", "y n,d2 float16",
         ROWS + """
def run(indptr, cols, x):
    rows = rows_of(indptr)
    n = x.shape[0]
    total = torch.zeros(n, x.shape[1]).index_add(0, rows, x.float()[cols.long()])
    count = (indptr[1:] - indptr[:-1]).clamp(min=1).float()
    return torch.cat([x, (total / count[:, None]).half()], 1)
""",
         sums(["each term times the reciprocal", "sum times the reciprocal"],
              [("sum times the reciprocal, double", ["-DFORM=2", "-DDOUBLE"])]),
         wrong("acc_f16 acc_bf16 last race cut_f16 via_bf16 pad f0995 lane",
               "at most 32 neighbours", "self loops left out of the sum", "every 16th neighbour is the one before",
               "the node itself is counted too", "one more in the divisor", "the divisor in three bits",
               "divides by the padded length", "the last row's divisor is one more",
               "sum and reciprocal in float16", "divides by the root of the degree",
               "tail features repeat their neighbour", "every 32nd node has the next one's own features",
               "each scaled term in float16", "the reciprocal from a table of seven bits"),
         {"indptr": indptr(2300), "cols": ids(95)}),
    task("neighbour_max_d64", "graph", "Maximum over neighbours, and the smallest column that has it.",
         "graph.cpp", 5, {"n": 100, "m": 150, "nnz": 1700, "n1": 101}, {"d": 64},
         "indptr n1 int32; cols nnz int32; x m,d bfloat16", "y n,d bfloat16; arg n,d int64",
         ROWS + """
def run(indptr, cols, x):
    n = indptr.shape[0] - 1
    m = x.shape[0]
    rows = rows_of(indptr)
    c = cols.long()
    z = x[c]
    at = rows[:, None].expand(-1, x.shape[1])
    y = torch.full((n, x.shape[1]), float("-inf")).scatter_reduce(0, at, z.float(), "amax")
    found = torch.where(z.float() == y[rows], c[:, None].expand(-1, x.shape[1]), m)
    arg = torch.full((n, x.shape[1]), m, dtype=torch.int64).scatter_reduce(0, at, found, "amin")
    empty = (indptr[1:] == indptr[:-1])[:, None]
    return torch.where(empty, 0.0, y).to(torch.bfloat16), arg
""",
         forms("forwards", "backwards", "the maximum first", "eight lanes", "ordered keys")
         + [("tiles of four", ["-DFORM=5"]), ("from both ends", ["-DFORM=6"]),
            ("from both ends, double", ["-DFORM=6", "-DDOUBLE"])],
         wrong("f101",
               "ties to the largest column", "ties to the first edge", "ties to the last edge",
               "compares absolute values", "compares in five bits", "the last edge is left out",
               "the first edge is left out", "edges beyond the sixteenth left out", "one edge of the next row too many",
               "starts from 0", "a race loses a lane now and then", "negative keys ordered the wrong way",
               "every 64th edge reads the features before", "the last column is taken for padding",
               "a row's beginning rounded down to even", "the maximum 0.4 % small", "columns in seven bits",
               "the last feature points at the next column"),
         {"indptr": indptr(1700), "cols": ids(149)}),
    task("graph_norm_d40", "graph", "Normalisation over the nodes of each graph with a learnt share of the mean, float32.",
         "graph.cpp", 6, {"n": 420, "g1": 9}, {"d": 40},
         "indptr g1 int32; x n,d float32; weight d float32; bias d float32; alpha d float32", "y n,d float32",
         ROWS + """
def run(indptr, x, weight, bias, alpha):
    rows = rows_of(indptr)
    g = indptr.shape[0] - 1
    count = (indptr[1:] - indptr[:-1]).clamp(min=1).float()[:, None]
    mean = torch.zeros(g, x.shape[1]).index_add(0, rows, x) / count
    c = x - alpha * mean[rows]
    var = torch.zeros(g, x.shape[1]).index_add(0, rows, c * c) / count
    return weight * c / torch.sqrt(var[rows] + 1e-5) + bias
""",
         sums(["Welford", "centred moment and the shift's square", "times the reciprocal root", "weight folded into the scale"]),
         wrong("last tail acc_bf16 tf32 race via_f16 tiles_bf16 in_bf16 pad",
               "the first node of the next graph counts too", "divides by the mean size of graphs",
               "alpha left out", "alpha of the neighbour", "variance around the mean", "variance over n - 1",
               "squares in bfloat16", "eps 1e-2", "no eps", "weight plus one", "eps outside the root",
               "bias inside the scale", "reciprocal root cut to ten bits", "every 32nd node lacks the bias",
               "the last node is not normalised"),
         {"indptr": indptr(420)}),
]

SIGNAL = [
    task("diffusion5_step", "stencil", "A step of diffusion with a variable coefficient, five points, float32; the border stays.",
         "signal.cpp", 1, {"h": 110, "w": 203}, {}, "u h,w float32; k h,w float32", "out h,w float32",
         """import torch

def run(u, k):
    c = u[1:-1, 1:-1]
    kc = k[1:-1, 1:-1]
    flow = (kc + k[:-2, 1:-1]) / 2 * (u[:-2, 1:-1] - c)
    flow = flow + (kc + k[2:, 1:-1]) / 2 * (u[2:, 1:-1] - c)
    flow = flow + (kc + k[1:-1, :-2]) / 2 * (u[1:-1, :-2] - c)
    flow = flow + (kc + k[1:-1, 2:]) / 2 * (u[1:-1, 2:] - c)
    out = u.clone()
    out[1:-1, 1:-1] = c + 0.1 * flow
    return out
""",
         forms("one sum", "fluxes", "weights of five points", "halves taken out", "four additions"),
         wrong("via_bf16 via_f16 via_tf32 in_bf16 in_tf32 f1001",
               "the last column's border is computed, with a neighbour of its own row's beginning", "the border is set to 0", "the columns beyond the last full 16 stay",
               "the last inner row stays", "a tile's left halo is missing", "a tile's lower halo is missing",
               "the coefficient of the neighbour", "harmonic means of coefficients", "the coefficient of the centre",
               "coefficients in bfloat16", "step 1/8", "step 0.1 % too large", "in place, new values where old ones are meant",
               "coefficients of left and upper exchanged", "the upper neighbour twice", "the flow in float16",
               "a row in 64 stays"),
         {"k": {"type": "random", "kind": "positive"}}),
    task("fir_k41", "audio", "Causal FIR filter, zeros before the beginning, bfloat16 signal.", "signal.cpp", 2,
         {"b": 12, "n": 500}, {"k": 41}, "x b,n bfloat16; taps k float32", "y b,n bfloat16",
         """import torch

def run(x, taps):
    k = taps.shape[0]
    z = torch.nn.functional.pad(x.float(), (k - 1, 0))
    y = torch.nn.functional.conv1d(z[:, None, :], taps.flip(0)[None, None, :])
    return y[:, 0, :].to(torch.bfloat16)
""",
         sums(["only taps that meet a sample", "two phases"], [("two phases, double", ["-DFORM=2", "-DDOUBLE"])]),
         wrong("acc_bf16 acc_f16 tail tail4 race cut_bf16 terms_cut double",
               "correlation instead of convolution", "one sample late", "the first sample repeated before the beginning",
               "circular", "a block of 128 has no history", "the last output lacks its newest sample",
               "takes the taps for symmetric", "every eighth tap is its neighbour", "the history is the row before",
               "every 64th output with its history one late", "taps in four bits", "taps in fixed point of five bits",
               "clamped at -4", "outputs beyond the last full 16 are the input", "odd outputs 1 % too large")),
    task("biquad_iir", "audio", "A recursive filter of second order along each row, float32.", "signal.cpp", 3,
         {"b": 20}, {"n": 300}, "x b,n float32", "y b,n float32",
         """import torch

def run(x):
    z = torch.nn.functional.pad(x, (2, 0))
    f = 0.2 * z[:, 2:] + 0.3 * z[:, 1:-1] + 0.15 * z[:, :-2]
    y1 = torch.zeros_like(x[:, 0])
    y2 = torch.zeros_like(x[:, 0])
    out = []
    for t in range(x.shape[1]):
        y = f[:, t] + 1.2 * y1 - 0.5 * y2
        out.append(y)
        y2 = y1
        y1 = y
    return torch.stack(out, 1)
""",
         forms("direct form I", "direct form II", "transposed form II", "feedforward first", "the impulse's answer"),
         wrong("via_f16 in_bf16 in_tf32 f1001",
               "b1 and b2 exchanged", "coefficients in bfloat16", "a2 2 % too small", "a1 0.1 % too small", "b2 forgotten",
               "the state of the row before", "blocks of 128 start without a state", "one of two states is lost between blocks",
               "states exchanged between blocks", "the newest sample is lost between blocks", "the older sample twice",
               "output clamped in the loop", "state in float16", "state in bfloat16", "state in tf32",
               "small states flushed to 0", "the last block is not filtered", "the first sample is not filtered",
               "a race clears a state now and then", "coefficients in float16")),
    task("overlap_add_n256", "audio", "Windowed frames added up at a hop of 64, divided by the windows' squares, float32.",
         "signal.cpp", 4, {"b": 3, "m": 40, "len": 2752}, {"n": 256}, "frames b,m,n float32", "y b,len float32",
         """import torch

def run(frames):
    b, m, n = frames.shape
    w = 0.5 - 0.5 * torch.cos(2 * math.pi * torch.arange(n, dtype=torch.float32) / n)
    y = torch.zeros(b, (m - 1) * 64 + n)
    env = torch.zeros((m - 1) * 64 + n)
    for q in range(m):
        y[:, q * 64:q * 64 + n] += frames[:, q] * w
        env[q * 64:q * 64 + n] += w * w
    return y / env.clamp(min=0.1)
""".replace("import torch", "import math\nimport torch"),
         forms("gathered", "window as a squared sine", "frame by frame", "frame by frame, the last first", "times the reciprocal"),
         wrong("via_bf16 f1001",
               "symmetric window", "Hamming's window", "window in bfloat16", "window in float16", "pi is 3.14",
               "divided by the sum of windows", "divided by four frames' sum everywhere", "the last hop is not divided",
               "sum of squares not below 1", "sum of squares not below 0.3", "the last frame is lost where others are",
               "the oldest frame is lost", "at most three frames", "a frame's last sample is lost",
               "every 64th sample of a frame is its neighbour", "a race loses half a hop now and then",
               "every 32nd frame is the one before", "frames without window", "adds up in bfloat16", "adds up in float16",
               "the sum of squares of the sample before", "divided by the root")),
    task("log_mel_m40", "audio", "Log mel spectrum, floored below the loudest and scaled, float16.", "signal.cpp", 5,
         {"n": 61}, {"k": 129, "m": 40}, "re n,k float32; im n,k float32; fb k,m float32", "y n,m float16",
         """import torch

def run(re, im, fb):
    mel = (re * re + im * im) @ fb
    z = torch.log10(mel.clamp(min=1e-10))
    z = torch.maximum(z, z.max() - 0.125)
    return ((z + 4.0) / 4.0).to(torch.float16)
""",
         sums(["power of the magnitude", "log2 times a constant", "ln times a constant", "a quarter and one"]),
         wrong("tail acc_bf16 acc_f16 race via_bf16 cut_f16",
               "the last bin is left out", "the first bin is left out", "every 32nd imaginary part is its neighbour",
               "magnitude, not power", "real parts only", "power in bfloat16", "the last filter is the one before",
               "filters in four bits", "1 added before the logarithm", "natural logarithm", "log10 2 as 0.3",
               "logarithm in bfloat16", "the loudest of full tiles of frames", "the loudest of each frame",
               "floor half as deep", "no floor", "scaled by 0.26", "mean, not sum, over bins",
               "filters beyond the last full 16 are not scaled", "saturates at 1.5"),
         {"fb": {"type": "random", "kind": "fraction"}}),
]

IMAGE = [
    task("nearest_d52", "geometry", "The nearest of m points and its distance, float32.", "image.cpp", 1,
         {"n": 90, "m": 260}, {"d": 52}, "x n,d float32; y m,d float32", "dist n float32; index n int64",
         """import torch

def run(x, y):
    d = x[:, None, :] - y[None, :, :]
    best, index = (d * d).sum(-1).min(1)
    return torch.sqrt(best), index
""",
         sums(["from the last candidate", "compares distances, not squares", "four blocks, fused multiply-add"]),
         wrong("last tail acc_bf16 tf32 via_f16 in_bf16 f1001 acc_f16",
               "the last candidate is left out", "candidates beyond the last full 32 are left out", "the first candidate is left out",
               "every 64th candidate is the one before", "features beyond the last full 16 are left out", "absolute differences",
               "differences in float16", "squares minus a product in tf32", "squares compared in bfloat16",
               "a race loses a candidate now and then", "a later one within 1 % wins", "a block forgets the best before it",
               "the index within its tile", "the last candidate's index is 0", "the second tile's indices are one too high",
               "no root", "0.1 under the root", "mean, not sum, of squares")),
    task("box_iou", "vision", "Intersection over union of boxes given by centre and extent, float16, and whether it is above 0.3.",
         "image.cpp", 2, {"n": 70, "m": 91}, {"four": 4}, "a n,four float32; b m,four float32", "iou n,m float16; hit n,m bool",
         """import torch

def run(a, b):
    a0, a1 = a[:, None, :2] - a[:, None, 2:] / 2, a[:, None, :2] + a[:, None, 2:] / 2
    b0, b1 = b[None, :, :2] - b[None, :, 2:] / 2, b[None, :, :2] + b[None, :, 2:] / 2
    wh = (torch.minimum(a1, b1) - torch.maximum(a0, b0)).clamp(min=0)
    inter = wh[..., 0] * wh[..., 1]
    union = (a[:, 2] * a[:, 3])[:, None] + (b[:, 2] * b[:, 3])[None, :] - inter
    iou = inter / union.clamp(min=1e-9)
    return iou.half(), iou > 0.3
""",
         forms("from corners", "from half extents", "the second area less the intersection", "times the reciprocal", "from the ratio to both areas"),
         wrong("via_bf16 cut_f16 f1001 f101",
               "the last box is the one before", "every 32nd box is the next one", "width and height exchanged",
               "centres taken for corners", "extents taken for half ones", "corners in float16", "corners in bfloat16",
               "negative extents not clamped", "extents 0.01 larger", "the intersection is not taken off", "over the smaller area",
               "eps 1e-3", "99 % of the intersection taken off", "the union in float16", "GIoU",
               "limit 0.25", "below the limit", "the last tile of hits is empty", "the diagonal never hits"),
         {"a": {"type": "random", "kind": "fraction"}, "b": {"type": "random", "kind": "fraction"}}),
    task("flow_warp_bilinear", "vision", "Bilinear warp of an image by a flow, zeros outside, bfloat16.", "image.cpp", 3,
         {"c": 3, "h": 50, "w": 70}, {"two": 2}, "img c,h,w bfloat16; flow two,h,w float32", "out c,h,w bfloat16",
         """import torch

def run(img, flow):
    c, h, w = img.shape
    px = torch.arange(w).float()[None, :] + 2.0 * flow[0]
    py = torch.arange(h).float()[:, None] + 2.0 * flow[1]
    x0 = torch.floor(px)
    y0 = torch.floor(py)
    out = torch.zeros(c, h, w)
    for dy in range(2):
        for dx in range(2):
            x = x0.long() + dx
            y = y0.long() + dy
            weight = (1.0 - (px - x0) if dx == 0 else px - x0) * (1.0 - (py - y0) if dy == 0 else py - y0)
            inside = (x >= 0) & (x < w) & (y >= 0) & (y < h)
            value = img.float()[:, y.clamp(0, h - 1), x.clamp(0, w - 1)]
            out = out + torch.where(inside, weight * value, 0.0)
    return out.to(torch.bfloat16)
""",
         forms("four weights", "differences, rows first", "columns first", "weights from their product", "rows first"),
         wrong("cut_bf16 f101",
               "x and y of the flow exchanged", "flow 1 % too small along x", "pixel centres at a half", "coordinates in float16",
               "coordinates clamped to the border", "truncated towards 0, not floored", "nearest pixel", "weights in four bits",
               "one weight in five bits", "smooth weights", "weights exchanged", "the last column is outside",
               "the last row is the one before", "beyond the right border the next row begins", "every 16th column of the last channel is another's",
               "weights of rows in four bits", "columns beyond the last full 16 are not warped", "zero where a corner lies before the border",
               "weights normalised at the border")),
    task("rgb_to_ycbcr601", "vision", "RGB of 8 bits to luma and chroma of BT.601 in fixed point.", "image.cpp", 4,
         {"n": 3001}, {"three": 3, "two": 2}, "rgb n,three int32", "luma n int32; chroma n,two int8",
         """import torch

def run(rgb):
    r, g, b = rgb[:, 0], rgb[:, 1], rgb[:, 2]
    y = ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16
    cb = (-38 * r - 74 * g + 112 * b + 128) >> 8
    cr = (112 * r - 94 * g - 18 * b + 128) >> 8
    return y, torch.stack([cb, cr], 1).to(torch.int8)
""",
         forms("integers", "floating point and floor", "an offset keeps it positive", "differences to green", "tables"),
         wrong("",
               "every 64th pixel is the one before", "blue and red exchanged", "red taken for a signed byte", "cut, not rounded",
               "rounding constant 127", "divides towards 0", "BT.709's luma", "full range luma", "red's weight one too small",
               "decimal weights rounded to nearest", "full range blue chroma", "chromas exchanged", "a sign wrong in red chroma",
               "weights of seven bits", "luma clamped to 219", "chromas clamped to 96", "the last tile has no chroma",
               "products overflow 16 bits", "no offset of luma", "blue chroma is not rounded", "luma in seven bits",
               "odd pixels have the chroma of even ones"),
         {"rgb": ids(255)}),
    task("histogram_equalise", "vision", "Histogram of 64 bins of each image and the table that equalises it.", "image.cpp", 5,
         {"b": 6, "n": 1801}, {"bins": 64}, "img b,n int32", "hist b,bins int64; table b,bins int32",
         """import torch

def run(img):
    b, n = img.shape
    hist = torch.zeros(b, 64, dtype=torch.int64).scatter_add(1, img.long() // 4, torch.ones_like(img).long())
    cdf = hist.cumsum(1)
    first = torch.where(cdf > 0, cdf, n).amin(1, keepdim=True)
    span = (n - first).clamp(min=1)
    table = (cdf - first).clamp(min=0) * 255 // span
    return hist, table.int()
""",
         forms("one pass", "sorted", "four histograms", "bin by bin", "from the end, in floating point"),
         wrong("",
               "not cleared between images", "pixels beyond the last full 32 lost", "the last pixel is lost", "bins moved by one level",
               "bins by 63/255", "the last bin lost", "two adds at once lose one", "the last pixel counts twice", "black pixels not counted",
               "the low bits are the bin", "counters of three bits", "one of four histograms is lost in some images",
               "the smallest count of bin 1", "the smallest count not taken off", "counts before the bin, not up to it",
               "scaled by 256", "rounded to nearest", "divided by all pixels", "the largest level is 254",
               "a scan's second block lacks a carry", "padding counts as black", "the factor in bfloat16"),
         {"img": ids(255)}),
]

HASH = [(n + m, [f"-DFORM={i}", *f]) for i, n in enumerate(
    ["unsigned words", "a table of salts, signed remainder", "products of 128 bits", "products by halves", "remainder by a reciprocal"])
    for m, f in [("", []), (", vectorised", ["-O3", "-mavx2"]), (", unrolled", ["-O3", "-funroll-loops"])]]

REC = [
    task("embedding_bag_weighted_d72", "recommender", "Weighted mean of rows of a table; row 0 is padding. bfloat16.",
         "rec.cpp", 1, {"b": 60, "len": 37}, {"v": 80, "d": 72},
         "table v,d bfloat16; ids b,len int64; weights b,len float32", "out b,d bfloat16",
         """import torch

def run(table, ids, weights):
    w = torch.where(ids != 0, weights, 0.0)
    total = w.sum(1, keepdim=True).clamp(min=1e-6)
    rows = table.float()[ids]
    return ((rows * w[:, :, None]).sum(1) / total).to(torch.bfloat16)
""",
         sums(["a row of the table at a time", "times the reciprocal", "weights divided first"]),
         wrong("acc_bf16 acc_f16 last tail4 race cut_bf16 f101",
               "padding counts", "padding has weight but no features", "weights taken for 1", "weights in four bits",
               "every 16th bag has the next one's weights", "weights shifted by one", "divided by the length",
               "one more in the divisor", "divided by the weights' norm", "divided by the number of rows",
               "at most 16 rows", "the table's last row is the one before", "ids that begin at 1", "repeated neighbours once",
               "repeats once", "first rows of the table's pages from the page before", "features in four bits",
               "features beyond the last full 16 are not divided", "reciprocal in five bits"),
         {"ids": ids(79), "weights": {"type": "random", "kind": "positive"}}),
    task("dcn_cross_d100", "recommender", "Two cross layers of DCN, float16.", "rec.cpp", 2,
         {"b": 50}, {"layers": 2, "d": 100}, "x b,d float16; w layers,d,d float16; bias layers,d float16", "out b,d float16",
         """import torch

def run(x, w, bias):
    x0 = x.float()
    z = x0
    for l in range(w.shape[0]):
        z = x0 * (0.1 * (z @ w[l].float().t()) + bias[l].float()) + z
    return z.half()
""",
         sums(["layers in float16", "products in float16", "scaled inside the sum", "bias apart"]),
         wrong("acc_bf16 last race tiles_bf16 via_bf16 tail cut_f16",
               "the first layer's weights everywhere", "the first layer's bias everywhere", "the last output repeats a row of weights",
               "weights transposed", "weights in four bits", "every 32nd feature is 0", "scale 0.5 % too small", "products in seven bits",
               "the features, not the first ones, as a factor", "every 16th row has the factor of the row before",
               "the first features in the residual", "no residual in the last layer", "bias outside the product", "no bias",
               "ReLU", "clamped at 4", "layers in six bits", "features overwritten while they are read",
               "features beyond the last full 32 pass unchanged")),
    task("rank_auc", "recommender", "Ranks of scores and the area under the ROC curve, ties a half.", "rec.cpp", 3,
         {"b": 12, "n": 203}, {}, "scores b,n bfloat16; labels b,n bool", "rank b,n int32; auc b float32",
         """import torch

def run(scores, labels):
    s = scores.float()
    above = s[:, :, None] > s[:, None, :]
    equal = s[:, :, None] == s[:, None, :]
    rank = above.sum(-1).int()
    pairs = (labels[:, :, None] & ~labels[:, None, :]).float()
    wins = ((above.float() + 0.5 * equal.float()) * pairs).sum((1, 2))
    return rank, wins / pairs.sum((1, 2)).clamp(min=1.0)
""",
         forms("all pairs", "searched in the sorted", "midranks of the positives", "twice the midranks", "twice the wins"),
         wrong("f1001 via_f16 via_bf16",
               "negative scores ordered the wrong way", "scores in five bits", "absolute scores", "ties count as won", "ties count as lost",
               "scores beyond the last full 64 not compared with", "the last score not compared with", "the first score of other tiles not seen",
               "labels of the neighbour", "ranks behind ties", "ranks from 1", "ranks by place among ties", "ranks from the highest",
               "ranks in 8 bits", "middle ranks of ties", "a race loses a row's positives now and then", "wins counted in float16",
               "divided by a quarter of all pairs", "64 more pairs", "negatives and positives exchanged", "ranks in six bits",
               "one negative fewer in the divisor")),
    task("feature_hash", "recommender", "Hashed bucket and sign of each key by its field, 64-bit arithmetic that wraps.", "rec.cpp", 4,
         {"b": 200}, {"f": 26}, "keys b,f int64", "bucket b,f int64; sign b,f int8",
         """import torch

def run(keys):
    field = torch.arange(keys.shape[1], dtype=torch.int64)
    h = (keys + field * 7919) * -7046029254386353131
    h = h ^ ((h >> 32) & 0xFFFFFFFF)
    h = h * -4417276706812531889
    h = h ^ ((h >> 29) & 0x7FFFFFFFF)
    bucket = ((h >> 1) & 0x7FFFFFFFFFFFFFFF) % 1009 + field * 1009
    sign = 1 - 2 * ((h >> 40) & 1)
    return bucket, sign.to(torch.int8)
""",
         HASH,
         wrong("",
               "remainder by 1008", "the last field has the key before", "every 64th row is the one before", "keys without sign",
               "keys in 8 bits", "keys in 32 bits without sign", "salt of the field before", "salted by exclusive or",
               "the first product in 32 bits", "arithmetic shift", "or, not exclusive or", "sum, not exclusive or", "shift by 33",
               "second constant 2 less", "shift by 28", "no last mixing", "the low half alone", "bucket by a mask",
               "remainder of a signed word", "remainder in double", "fields of 1024 buckets", "no offset of fields",
               "sign from bit 41", "sign the other way", "sign 0 or 1", "keys of 0 have no sign")),
]

SCI = [
    task("trsolve_lower_n53", "solver", "Forward substitution with lower triangular matrices, float32.", "sci.cpp", 1,
         {"b": 14}, {"n": 53, "m": 5}, "mat b,n,n float32; rhs b,n,m float32", "x b,n,m float32",
         """import torch

def run(mat, rhs):
    d = torch.diagonal(mat, dim1=-2, dim2=-1).abs() + 1.5
    lower = torch.tril(mat, -1) * 0.1 + torch.diag_embed(d)
    return torch.linalg.solve_triangular(lower, rhs, upper=False)
""",
         sums(["by columns", "blocks of 8", "times the reciprocal", "both divided"]),
         wrong("last race via_f16 tf32 acc_bf16 tail",
               "the upper triangle", "the matrix in bfloat16", "the matrix in tf32", "a column of each block does not reach the next block",
               "0.1 % more below the diagonal", "the diagonal of the row before", "negative diagonals 10 % small", "diagonal 1",
               "0.001 more on the diagonal", "every 32nd right side is the one before", "a block's update of the last rows is lost",
               "block updates in float16", "the nearest unknown is left out", "an unknown of the block is read before it is solved",
               "the first unknown is forgotten after 32 rows", "added, not subtracted", "reciprocals cut to ten bits",
               "the last unknown is not divided", "unknowns in float16", "small unknowns flushed to 0", "the last tile of rows is not solved")),
    task("inverse4_spd", "solver", "Inverse and determinant of x x^T + 1, 4 by 4, float32.", "sci.cpp", 2,
         {"b": 260}, {"four": 4}, "x b,four,four float32", "inverse b,four,four float32; det b float32",
         """import torch

def run(x):
    a = x @ x.transpose(1, 2) + torch.eye(4)
    return torch.linalg.inv(a), torch.linalg.det(a)
""",
         forms("Gauss-Jordan", "Cholesky", "adjugate in double", "blocks of 2 by 2", "Gauss-Jordan with pivots")
         + [("Cholesky, product backwards", ["-DFORM=1", "-DORD=1"]), ("Gauss-Jordan, product in pairs", ["-DORD=2"])],
         wrong("in_bf16 via_f16 f1001",
               "the last matrix is the one before", "every 32nd matrix is the one before", "the last product of the last element is lost",
               "x x, not x x^T", "half on the diagonal", "1.01 on the diagonal", "matrix in bfloat16", "matrix in tf32",
               "cofactors without signs", "one cofactor's sign is wrong", "determinant from the roots of pivots",
               "reciprocals cut to ten bits", "reciprocals in bfloat16", "the last elimination skips the first row",
               "the last elimination skips the last column", "determinant in float16", "determinant's sign is lost",
               "determinant of a part", "determinant of the inverse", "one triangle alone is written", "two columns exchanged",
               "the last column in float16")),
    task("logistic_gradient_d70", "solver", "Gradient and loss of logistic regression with decay, float32.", "sci.cpp", 3,
         {"n": 237}, {"d": 70}, "x n,d float32; y n bool; w d float32", "grad d float32; loss . float32",
         """import torch

def run(x, y, w):
    t = y.float()
    z = 0.2 * (x @ w)
    p = torch.sigmoid(z)
    grad = 0.2 * (x.t() @ (p - t)) / x.shape[0] + 0.01 * w
    loss = (torch.nn.functional.softplus(z) - z * t).mean()
    return grad, loss
""",
         sums(["tanh of half", "split by sign", "exp2 with log2 e", "divided first"]),
         wrong("last acc_bf16 tf32 race in_bf16 f1001",
               "a hard sigmoid", "sigmoid 1 % too steep", "features beyond the last full 16 are left out of the product", "the scale 0.2 is left out of the product",
               "probabilities in bfloat16", "probabilities in float16", "probabilities clamped at 5 %", "labels of 1 and -1",
               "labels of the sample before", "labels smoothed", "the last tile of samples has no gradient", "every 64th error is stale",
               "divided by n - 1", "divided by the padded number", "the scale 0.2 is left out of the chain", "no decay", "decay twice",
               "the other direction", "the last weight does not decay", "gradient clipped", "1 % inside the loss's logarithm",
               "the loss takes labels for a half", "the loss is a sum")),
    task("quantize_fp8_g50", "quantize", "Groups of 50 features to float8 with a scale each.", "sci.cpp", 4,
         {"n": 64}, {"d": 200, "g": 4}, "x n,d float32", "q n,d float8_e4m3fn; scale n,g float32",
         """import torch

def run(x):
    n = x.shape[0]
    z = x.reshape(n, 4, 50)
    scale = z.abs().amax(-1).clamp(min=1e-12) / 448.0
    q = (z / scale[:, :, None]).clamp(-448.0, 448.0).to(torch.float8_e4m3fn)
    return q.reshape(n, 200), scale
""",
         forms("divided by the scale", "times reciprocals", "times 448 over the largest", "largest in lanes", "least and largest"),
         wrong("f1001",
               "the largest of the group before lives on", "the largest of full 16s alone", "the last feature does not count for the largest",
               "a race loses a lane's largest now and then", "the largest without absolute values", "the largest in bfloat16",
               "the next group counts too", "a scale for the row", "the largest is at least 2", "scale for 240", "scale for 447",
               "scale a power of two", "scale in float16", "the scale's reciprocal is stored", "the scale of the group before",
               "the last feature of a group is its neighbour", "rounded twice", "the first feature of a group is not scaled", "clamped at 240", "sign of small ones lost",
               "subnormals flushed", "cut, not rounded", "divided by a scale of seven bits", "every 32nd code is the one before",
               "cut after 3 % more", "never the largest code")),
]

TASKS = GRAPH + SIGNAL + IMAGE + REC + SCI
