"""Tasks of norm.cpp."""

from helpers import BITS16, make_task, right_programs, wrong_programs

TASKS = []


def ways(dtype, *names):
    table = {"plain": [], "variance times 1/n": ["-DWAY=reciprocal_product"], "divided by the root": ["-DWAY=sqrt_then_divide"],
             "scale times weight first": ["-DWAY=scale_folded"], "fused affine": ["-DWAY=fma_affine"],
             "statistics in double": ["-DWAY=double_statistics"], "Welford": ["-DWAY=welford"],
             "merged blocks": ["-DWAY=merged_blocks"]}
    found = {name: table[name] for name in names}
    if dtype in BITS16:
        found["normalised value rounded before the weight"] = ["-DWAY=normalised_rounded_first"]
    return found


COMMON = {"statistics of the previous row": "statistics_of_previous_row",
          "every eighth row has stale statistics": "statistics_stale_every_eighth_row",
          "the last element is not normalised": "last_element_unnormalised",
          "odd rows use their first half alone": "first_half_only",
          "the last square is taken twice": "square_of_last_twice",
          "n - 1 instead of n": "one_less_in_mean"}
WEIGHTS = {"no weight": "weight_missing", "the weight of the next column": "weight_of_next",
           "the first half of the weight twice": "weight_of_first_half_twice"}
EPS = {"eps ten times smaller": "eps_ten_times_smaller", "eps outside of the root": "eps_outside_root", "no eps": "eps_missing"}
ROOT = {"no root": "root_missing"}


def defects(dtype, *tables):
    made = {}
    for table in tables:
        made |= table
    if dtype == "float32":
        made |= {"the normalised value in bf16": "normalised_in_bf16"}
    return made


for number, dtype in enumerate(("float32", "float16", "bfloat16")):
    mine = {"no residual": "residual_missing", "the residual output is the input": "residual_out_is_input",
            "the norm is of the input alone": "norm_of_input_only", "the last row adds the residual twice": "residual_taken_twice",
            "1 + weight": "one_plus_added", "the mean is subtracted": "mean_subtracted"}
    right = ways(dtype, "plain", "variance times 1/n", "divided by the root", "scale times weight first", "statistics in double")
    if dtype in BITS16:
        right["the sum is rounded first"] = ["-DWAY=sum_rounded_first"]
    TASKS.append(make_task(
        "fused_add_rmsnorm", "rmsnorm", dtype, "h = x + residual; out = h / rms(h) * weight; h is the second output",
        {"batch": None, "hidden": 200},
        {"x": (["batch", "hidden"], None), "residual": (["batch", "hidden"], None), "weight": (["hidden"], None),
         "eps": (None, "float32")},
        {"out": (["batch", "hidden"], None), "new_residual": (["batch", "hidden"], None)},
        "import torch\n\ndef run(x, residual, weight, eps):\n"
        "    h = x.float() + residual.float()\n"
        "    scale = torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + eps)\n"
        "    return (h * scale * weight.float()).to(x.dtype), h.to(x.dtype)\n",
        {"batch": 17}, "norm.cpp", ["-DKIND=rms_residual"],
        right_programs(right, 14, number * 4)
        + wrong_programs(dtype, defects(dtype, COMMON, WEIGHTS, ROOT, EPS if dtype == "float32" else {}, mine), 4, 4, number * 3),
        {"eps": {"type": "scalar", "value": 1e-5}}))

for number, dtype in enumerate(("bfloat16",)):
    mine = {"weight without 1 +": "one_plus_missing", "the mean is subtracted": "mean_subtracted",
            "the last columns' weight without 1 +": "head_ignored_weight", "n + 1 instead of n": "one_more_in_mean"}
    TASKS.append(make_task(
        "gemma_rmsnorm", "rmsnorm", dtype, "out = x / rms(x) * (1 + weight)", {"batch": None, "hidden": 324},
        {"x": (["batch", "hidden"], None), "weight": (["hidden"], None)}, {"out": (["batch", "hidden"], None)},
        "import torch\n\ndef run(x, weight):\n    y = x.float()\n"
        "    y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)\n"
        "    return (y * (1.0 + weight.float())).to(x.dtype)\n",
        {"batch": 22}, "norm.cpp", ["-DKIND=rms_one_plus"],
        right_programs(ways("float32", "plain", "variance times 1/n", "divided by the root", "scale times weight first",
                            "statistics in double"), 14, number * 5 + 2)
        + wrong_programs(dtype, defects(dtype, COMMON, WEIGHTS, ROOT, mine), 4, 4, number * 4 + 1)))

for number, dtype in enumerate(("float32", "bfloat16")):
    mine = {"no bias": "bias_missing", "the bias of the next column": "bias_of_next", "weight and bias are swapped": "weights_swapped",
            "the mean is not subtracted at the end": "mean_not_subtracted"}
    TASKS.append(make_task(
        "layernorm", "layernorm", dtype, "Layer normalisation with weight and bias", {"batch": None, "hidden": 250},
        {"x": (["batch", "hidden"], None), "weight": (["hidden"], None), "bias": (["hidden"], None)},
        {"out": (["batch", "hidden"], None)},
        "import torch\nimport torch.nn.functional as F\n\ndef run(x, weight, bias):\n"
        "    y = F.layer_norm(x.float(), (x.shape[-1],), weight.float(), bias.float(), 1e-5)\n    return y.to(x.dtype)\n",
        {"batch": 24}, "norm.cpp", ["-DKIND=layer"],
        right_programs(ways(dtype, "plain", "Welford", "merged blocks", "variance times 1/n", "scale times weight first",
                            "fused affine", "statistics in double"), 14, number * 6 + 1)
        + wrong_programs(dtype, defects(dtype, COMMON, WEIGHTS, ROOT, EPS if dtype == "float32" else {}, mine), 4, 4, number * 3 + 2)))

for number, dtype in enumerate(("float32", "bfloat16")):
    mine = {"no bias": "bias_missing", "the bias of the next channel": "bias_of_next", "weight and bias are swapped": "weights_swapped",
            "channels of a group are interleaved": "group_interleaved", "the weight is that of the place in the group": "channel_from_position",
            "statistics of groups one channel late": "groups_one_channel_late"}
    TASKS.append(make_task(
        "groupnorm", "groupnorm", dtype, "Group normalisation in 4 groups", {"batch": None, "channels": 24, "length": 42},
        {"x": (["batch", "channels", "length"], None), "weight": (["channels"], None), "bias": (["channels"], None)},
        {"out": (["batch", "channels", "length"], None)},
        "import torch\nimport torch.nn.functional as F\n\ndef run(x, weight, bias):\n"
        "    return F.group_norm(x.float(), 4, weight.float(), bias.float(), 1e-5).to(x.dtype)\n",
        {"batch": 8}, "norm.cpp", ["-DKIND=group"],
        right_programs(ways(dtype, "plain", "Welford", "merged blocks", "variance times 1/n", "scale times weight first",
                            "fused affine", "statistics in double"), 16, number * 7 + 3)
        + wrong_programs(dtype, defects(dtype, COMMON, WEIGHTS, ROOT, mine), 3, 3, number * 5)))

for number, dtype in enumerate(("float16",)):
    mine = {"weights of q and k are swapped": "weights_swapped", "the last head has no weight": "head_ignored_weight",
            "the last head repeats the one before": "last_head_copied", "1 + weight": "one_plus_added", "the mean is subtracted": "mean_subtracted"}
    TASKS.append(make_task(
        "qk_rmsnorm", "rmsnorm", dtype, "RMS normalisation of each head of q and of k",
        {"tokens": None, "q_heads": 6, "k_heads": 2, "head_dim": 72},
        {"q": (["tokens", "q_heads", "head_dim"], None), "k": (["tokens", "k_heads", "head_dim"], None),
         "q_weight": (["head_dim"], None), "k_weight": (["head_dim"], None)},
        {"q_out": (["tokens", "q_heads", "head_dim"], None), "k_out": (["tokens", "k_heads", "head_dim"], None)},
        "import torch\n\ndef rms(x, weight):\n    y = x.float()\n    y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)\n"
        "    return (y * weight.float()).to(x.dtype)\n\ndef run(q, k, q_weight, k_weight):\n    return rms(q, q_weight), rms(k, k_weight)\n",
        {"tokens": 13}, "norm.cpp", ["-DKIND=qk"],
        right_programs(ways(dtype, "plain", "variance times 1/n", "divided by the root", "scale times weight first",
                            "statistics in double"), 16, number * 6 + 5)
        + wrong_programs(dtype, defects(dtype, COMMON, WEIGHTS, ROOT, mine), 4, 3, number * 5 + 4)))

for dtype in ("float32",):
    mine = {"mean of squares instead of their sum": "mean_missing", "absolute values are summed": "absolute_values",
            "the mean is subtracted": "mean_subtracted", "eps added to the norm": "eps_outside_root"}
    TASKS.append(make_task(
        "l2norm", "l2norm", dtype, "Rows divided by their Euclidean norm", {"rows": None, "width": 150},
        {"x": (["rows", "width"], None)}, {"out": (["rows", "width"], None)},
        "import torch\n\ndef run(x):\n    y = x.float()\n    norm = y.pow(2).sum(-1, keepdim=True).sqrt().clamp_min(1e-12)\n    return (y / norm).to(x.dtype)\n",
        {"rows": 33}, "norm.cpp", ["-DKIND=l2"],
        right_programs(ways(dtype, "plain", "divided by the root", "fused affine", "statistics in double"), 16, 7)
        + wrong_programs(dtype, defects(dtype, {k: v for k, v in COMMON.items() if k != "n - 1 instead of n"}, ROOT, mine), 5, 3, 2)))
