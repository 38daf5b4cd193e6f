"""Tasks of linear.cpp, gated.cpp, cross_entropy.cpp and norm_quantised.cpp."""

from helpers import LOSSES, WRITES, make_task, output_mistakes, pick, right_programs, spread, wrong_programs

TASKS = []

# ---- linear
for number, dtype in enumerate(("float32", "bfloat16")):
    ways = {"plain": [], "tiles of 40 on top of the bias": ["-DWAY=bias_first"]}
    mine = {"no bias": "bias_missing", "the bias of the next column": "bias_of_next", "every 16th column has its bias twice": "bias_twice",
            "odd rows have no bias": "bias_missing_in_odd_rows", "the last weight row repeats": "last_weight_row_repeats",
            "the weight's last elements are one off": "weight_off_by_one", "one input row is shifted": "input_row_shifted",
            "column 3 has a tile twice": "tile_twice", "a tile is of the row before at times": "tile_of_previous_row",
            "the bias is 2 % too large": "bias_scaled", "the first input element is of the row before": "first_column_of_x_stale",
            "the bias has lost its sign": "negative_bias"}
    if dtype == "float32":
        mine |= {"inputs in bf16": "inputs_in_bf16", "inputs in tf32": "inputs_in_tf32", "weight in fp16": "weight_in_f16",
                 "parts of split-K went through bf16": "parts_rounded_to_bf16"}
    else:
        ways["the product is rounded before the bias"] = ["-DWAY=product_rounded"]
    TASKS.append(make_task(
        "linear_bias", "gemm", dtype, "out = x W^T + bias", {"batch": None, "n": 40, "k": 200},
        {"x": (["batch", "k"], None), "weight": (["n", "k"], None), "bias": (["n"], None)}, {"out": (["batch", "n"], None)},
        "import torch\n\ndef run(x, weight, bias):\n    return (x.float() @ weight.float().T + bias.float()).to(x.dtype)\n",
        {"batch": 19}, "linear.cpp", [],
        right_programs(ways, 18, number * 5) + wrong_programs(dtype, mine, 4, 3, number * 3, most=24)))

# ---- gated activations: no sums, so the right ones differ by formula and by the order of products
FORMULAS = {"silu": {"exp": "usual", "tanh": "by_tanh", "exp2": "by_exp2", "stable on both sides": "stable_both_ways"},
            "gelu": {"erf": "usual", "erfc": "by_erfc", "fused half": "with_fma", "erf and erfc": "stable_both_ways", "divided by the root of 2": "by_exp2"}}
for number, (kind, dtype) in enumerate((("silu", "bfloat16"), ("gelu", "float32"))):
    products = {"activation first": "activation_first", "gate times up first": "up_first", "factor times up first": "reciprocal"}
    if dtype != "float32":
        products["activation rounded"] = "activation_rounded"
    right = [(f"{name}, {order}", True, [f"-DFORMULA={formula}", f"-DPRODUCT={product}"])
             for name, formula in FORMULAS[kind].items() for order, product in products.items()]
    right += [(f"{name} in double", True, [f"-DFORMULA={formula}", "-DREAL=double"])
              for name, formula in FORMULAS[kind].items() if formula != "by_exp2"]
    mine = {"halves are swapped": "halves_swapped", "gate and up are interleaved": "interleaved", "tanh gelu": "gelu_tanh",
            "quick gelu": "gelu_quick", "the other activation": "silu_instead", "relu": "relu", "the hard variant": "hard",
            "the gate is missing outside of the activation": "sigmoid_alone", "up is missing": "up_missing", "up + 1": "up_plus_one",
            "one row has its gate squared": "gate_squared", "the half is missing": "half_missing",
            "gates below -2 give 0": "negative_is_zero", "gates in fewer bits": "gate_in_f16", "up of the next column": "up_of_next_column",
            "column 63 has the gate of the row before": "gate_of_previous_row_at_times", "up in fewer bits": "up_in_bf16",
            "gates above 2 pass": "large_gate_is_linear", "beta 1.01": "beta_one_percent", "every fourth row activates up": "activation_on_up",
            "the last row has no activation": "last_row_ungated", "large negative up lose their sign": "up_absolute"}
    if kind == "gelu":
        del mine["tanh gelu"]
        mine |= {"no root of 2": "root_missing", "tanh gelu's formula": "gelu_tanh", "a short series": "erf_short_series", "the factor in fp16": "probability_in_f16"}
    TASKS.append(make_task(
        f"{kind}_and_mul", f"{kind}_and_mul", dtype, f"{kind} of the first half of a row, times its second half", {"tokens": None, "two_d": 280, "d": 140},
        {"x": (["tokens", "two_d"], None)}, {"out": (["tokens", "d"], None)},
        f"import torch\nimport torch.nn.functional as F\n\ndef run(x):\n    gate, up = x.float().chunk(2, dim=-1)\n    return (F.{kind}(gate) * up).to(x.dtype)\n",
        {"tokens": 23}, "gated.cpp", [f"-DKIND={kind}"],
        right + spread([(name, False, [f"-DDEFECT={defect}"]) for name, defect in mine.items()] + output_mistakes(dtype)
                       + [(name, False, [f"-DWRITE={write}"]) for name, write in pick(WRITES, 3 + number * 4, 5)], 28)))

# ---- cross entropy
mine = {"the target is one too late": "target_one_late", "the target of the previous row": "target_of_previous_row",
        "the last row takes the first target": "target_of_first_row", "the loss has the other sign": "loss_positive",
        "the loss is in base 2": "loss_in_base_two", "the loss went through bf16": "loss_in_bf16",
        "the loss has no maximum": "maximum_missing_in_loss", "the sum is without the target": "sum_without_target",
        "the result is in base 2": "log2_result", "sums are not rescaled": "no_rescale",
        "the last row is no logarithm": "softmax_instead", "the last class is not in the sum": "last_class_unseen",
        "padding is in the sum": "classes_padded", "1e-3 is added in the logarithm": "log_of_sum_plus_eps",
        "every sixth row has the sum of the one before": "previous_row_sum", "the loss is divided by the rows": "loss_of_mean",
        "the loss is smoothed by 0.001": "smoothing", "logits in fp16": "logits_in_f16", "the maximum counts twice": "maximum_counts_twice",
        "probabilities went through fp16": "probability_rounded_first"}
for number, dtype in enumerate(("float32", "bfloat16")):
    if dtype == "bfloat16":  # has these bits and fewer
        del mine["logits in fp16"], mine["probabilities went through fp16"]
    TASKS.append(make_task(
        "cross_entropy", "cross_entropy", dtype, "log-softmax of each row and the loss at its target", {"rows": None, "classes": 190},
        {"logits": (["rows", "classes"], None), "targets": (["rows"], "int64")},
        {"loss": (["rows"], "float32"), "log_probs": (["rows", "classes"], None)},
        "import torch\n\ndef run(logits, targets):\n    log_probs = torch.log_softmax(logits.float(), dim=-1)\n"
        "    loss = -log_probs.gather(1, targets.long()[:, None]).squeeze(1)\n    return loss, log_probs.to(logits.dtype)\n",
        {"rows": 21}, "cross_entropy.cpp", [],
        right_programs({"two passes": [], "blocks of 16": ["-DWAY=blocks16"], "online": ["-DWAY=online"], "blocks of 64": ["-DWAY=blocks64"],
                        "base 2": ["-DWAY=base_two"], "two halves merged": ["-DWAY=merged_halves"], "maximum, then logarithm": ["-DWAY=subtract_twice"]}, 17, 3 + number * 5)
        + wrong_programs(dtype, mine, 3, 2, 4, most=26)))

    # no logarithm here is that small
    TASKS[-1]["programs"] = [program for program in TASKS[-1]["programs"] if program[0] != "small results are zero"]

# ---- normalised and quantised
for kind, code_dtype, dtype in (("to_int8", "int8", "bfloat16"), ("to_f8", "float8_e4m3fn", "float16")):
    limit = 127 if kind == "to_int8" else 448
    mine = {"codes are cut off": "codes_cut", "codes are rounded down": "codes_rounded_down", "the limit is a bit smaller": "limit_smaller",
            "the maximum is taken without sign": "maximum_without_sign", "the maximum is that of the input": "maximum_of_input",
            "every fifth row has the maximum of the one before": "maximum_of_row_before", "the scale is its inverse": "scale_is_inverse",
            "no weight": "weight_missing", "the weight of the next column": "weight_of_next", "no root": "root_missing",
            "the mean is subtracted": "mean_subtracted", "the last code of a row repeats": "last_codes_stale",
            "the negative range is shorter": "negative_limit_lost", "the scale is 2 % too large": "scale_two_percent", "the scale in fp16": "scale_in_f16",
            "the scale in bf16": "scale_in_bf16", "values in bf16": "value_in_bf16", "the last row has no signs": "sign_lost_in_last_row",
            "the maximum is of the last 128": "scale_of_block_of_64", "one row is halved": "double_scaled_row", "small codes are 0": "small_codes_zero",
            "the last tile is not in the maximum": "tail_not_in_maximum", "magnitudes are a bit too large": "codes_half_up_of_magnitude"}
    if kind == "to_int8":
        mine |= {"128 codes, the largest wraps": "limit_one_more", "large codes are one too large": "codes_plus_one"}
    else:
        del mine["codes are rounded down"]
    quantise = ("    codes = (y / scale).round().clamp(-128, 127).to(torch.int8)\n" if kind == "to_int8"
                else "    codes = (y / scale).clamp(-448, 448).to(torch.float8_e4m3fn)\n")
    made = [(name, False, [f"-DDEFECT={defect}"]) for name, defect in mine.items()]
    made += [(name, False, [f"-DLOSS={loss}"]) for name, loss in pick(LOSSES, 2, 3)] + [("sums in bf16", False, ["-DSUM=sum_in_bf16"])]
    TASKS.append(make_task(
        f"rmsnorm_quantised_{code_dtype}", "rmsnorm", dtype, "RMS normalisation, then codes with one scale a row", {"rows": None, "hidden": 232},
        {"x": (["rows", "hidden"], None), "weight": (["hidden"], None)},
        {"codes": (["rows", "hidden"], code_dtype), "scales": (["rows"], "float32")},
        "import torch\n\ndef run(x, weight):\n    h = x.float()\n    y = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-5) * weight.float()\n"
        f"    scale = (y.abs().amax(dim=-1, keepdim=True) / {limit}.0).clamp(min=1e-10)\n" + quantise + "    return codes, scale.squeeze(1)\n",
        {"rows": 20}, "norm_quantised.cpp", [f"-DKIND={kind}"],
        right_programs({"divided": [], "times the reciprocal": ["-DWAY=times_reciprocal"], "weight in the scale": ["-DWAY=weight_into_scale"],
                        "divided by the root": ["-DWAY=root_divided"]}, 17, 6) + made))
