"""Shorthand for tasks.py."""

SUMS = [("forwards", []), ("backwards", ["-DORD=1"]), ("pairwise", ["-DORD=2"]), ("in 8 lanes", ["-DORD=3"]),
        ("in tiles of 64", ["-DORD=4"]), ("Kahan", ["-DORD=5"]), ("in four parts", ["-DORD=6"]),
        ("even terms, then odd ones", ["-DORD=7"]), ("in 16 lanes, a tree", ["-DORD=8"]),
        ("float terms summed in double", ["-DORD=9"]), ("tiles of 16, the last first", ["-DORD=10"]),
        ("all in double", ["-DDOUBLE"])]
FMA = ["-O3", "-mavx2", "-mfma"]
VECTOR = ["-O3", "-mavx2", "-mfma", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"]
REALS = [("", []), (", fused multiply-add", FMA), (", double", ["-DDOUBLE"])]

WRONG = {
    "last": ("loses the last term", ["-DORD=20"]),
    "tail": ("loses what lies beyond the last full tile of 32", ["-DORD=21"]),
    "tail4": ("loses the tail of a vector loop of 4", ["-DORD=36"]),
    "twice": ("counts the last term twice", ["-DORD=22"]),
    "first": ("starts at the second term", ["-DORD=23"]),
    "race": ("a race loses a lane in a row of eleven", ["-DORD=24"]),
    "double": ("a lane is added twice now and then", ["-DORD=35"]),
    "acc_bf16": ("adds up in bfloat16", ["-DORD=25"]),
    "acc_f16": ("adds up in float16", ["-DORD=26"]),
    "terms_cut": ("terms cut to bfloat16", ["-DORD=27"]),
    "tf32": ("terms in tf32", ["-DORD=28"]),
    "tile_twice": ("the first tile is added twice", ["-DORD=29"]),
    "tiles_bf16": ("running sum in bfloat16 between tiles", ["-DORD=30"]),
    "tiles_f16": ("running sum in float16 between tiles", ["-DORD=33"]),
    "lanes_f16": ("lanes add up in float16", ["-DORD=31"]),
    "lane": ("the eighth lane is left out", ["-DORD=32"]),
    "pad": ("the tail is padded with the last term", ["-DORD=34"]),
    "overlap": ("two tiles overlap by one term", ["-DORD=37"]),
    "via_bf16": ("result passes through bfloat16", ["-DVIA=1"]),
    "via_f16": ("result passes through float16", ["-DVIA=2"]),
    "via_tf32": ("result passes through tf32", ["-DVIA=3"]),
    "cut_bf16": ("result cut, not rounded, to bfloat16", ["-DVIA=4"]),
    "cut_f16": ("result cut, not rounded, to float16", ["-DVIA=5"]),
    "in_bf16": ("inputs rounded to bfloat16", ["-DLOADS=1"]),
    "in_tf32": ("inputs rounded to tf32", ["-DLOADS=2"]),
    "in_cut": ("inputs cut to bfloat16", ["-DLOADS=3"]),
    "f1001": ("0.1 % too large", ["-DFACTOR=1.001"]),
    "f0995": ("0.5 % too small", ["-DFACTOR=0.995"]),
    "f101": ("1 % too large", ["-DFACTOR=1.01"]),
}


def tensors(spec):
    """"x n,d float32; s - float32" as a Definition's inputs."""
    out = {}
    for item in spec.split(";"):
        name, shape, dtype = item.split()
        out[name] = {"shape": None if shape == "-" else [] if shape == "." else shape.split(","), "dtype": dtype}
    return out


def task(name, op_type, description, source, op, var, const, inputs, outputs, reference, right, wrong, given=None):
    axes = {k: {"type": "var"} for k in var} | {k: {"type": "const", "value": v} for k, v in const.items()}
    programs = [(n, True, f) for n, f in right] + [(n, False, f) for n, f in wrong]
    assert len({n for n, _, _ in programs}) == len(programs), name
    return {"definition": {"name": name, "description": description, "op_type": op_type, "axes": axes,
                           "inputs": tensors(inputs), "outputs": tensors(outputs), "reference": reference},
            "axes": var, "inputs": given or {}, "source": source, "flags": [f"-DOP={op}"], "truth": ["-DLONG"],
            "programs": programs}


def sums(forms=(), also=()):
    """Orders of summation, then FORM=1… in float, then other flags."""
    return [*SUMS, ("forwards, fused multiply-add", FMA), ("reassociated, vectorised", VECTOR),
            *((n, [f"-DFORM={i}"]) for i, n in enumerate(forms, 1)), *also]


def forms(*names):
    """FORM=0… each in float, with fused multiply-add and in double."""
    return [(n + m, [f"-DFORM={i}", *f]) for i, n in enumerate(names) for m, f in REALS]


def wrong(common, *own):
    """Keys of WRONG, then BUG=1…"""
    return [WRONG[k] for k in common.split()] + [(n, [f"-DBUG={i}"]) for i, n in enumerate(own, 1)]


def indptr(total):
    return {"type": "random", "kind": "indptr", "total": total}


def ids(high, low=0):
    return {"type": "random", "kind": "ids", "low": low, "high": high}
