"""Transformers, recurrences and vision. A program's name says in the words of its flags what it does: see `common.h`."""

TASKS = []
DTYPES = {"float32": 0, "float16": 1, "bfloat16": 2}
ORDERS = ["forward", "backward", "pairwise", "lanes4", "lanes8", "lanes16", "lanes32", "tiles16", "tiles24", "split2",
          "split3", "split7", "kahan", "shuffled"]

# Bugs that every source has.
ROWS = ["last_row_is_the_one_before", "rows_two_and_three_swapped", "last_column_of_a_row_is_its_neighbour",
        "one_element_in_a_thousand_is_stale", "one_tile_not_accumulated"]
SUMS = ["last_element_of_sums_missing", "partial_tile_of_sums_lost", "now_and_then_a_part_of_a_sum_is_lost",
        "first_element_of_sums_twice", "accumulation_in_bf16", "accumulation_in_fp16"]
FORMATS = {"float32": ["output_by_way_of_bf16", "output_by_way_of_fp16", "output_by_way_of_tf32", "inputs_in_tf32"],
           "float16": ["cut_off_instead_of_rounded", "output_by_way_of_bf16", "inputs_in_bf16"],
           "bfloat16": ["cut_off_instead_of_rounded"]}
SIZES = ["result_too_large_by_a_little", "result_too_small_by_a_percent"]


def words(name):
    return name.replace("_", " ")


def right_programs(orders, ways, fused=2):
    """Every order with the plain formula, some with fused multiply-add or in double, and every way in some order."""
    made = [(words(f"in order {order}"), True, [f"-DORDER={order}"]) for order in orders]
    made += [(words(f"in order {order} with fma"), True, [f"-DORDER={order}", "-DFMA"]) for order in orders[:fused]]
    made += [("in double", True, ["-DIN_DOUBLE"])]
    for i, way in enumerate(ways):
        order = orders[(2 * i + 1) % len(orders)]
        made.append((words(f"{way} in order {order}"), True, [f"-DWAY={way}", f"-DORDER={order}"]))
    return made


def some_of(turn, own, sums, without, dtype):
    """Up to 26 bugs: of many of the source's own the third of them that is another dtype's turn is left out."""
    own = [bug for bug in dict.fromkeys(own) if bug not in without]
    if len(own) > 17:
        own = [bug for i, bug in enumerate(own) if i % 3 != turn]
    general = [*FORMATS[dtype], *sums, *ROWS, *SIZES]
    # Sums in float16 do not show in a bfloat16 result.
    general = [bug for bug in general if bug not in without and not (dtype == "bfloat16" and bug == "accumulation_in_fp16")]
    while len(own) + len(general) > 26 and len(general) > 6:
        del general[(5 * len(general) + 3 * turn) % len(general)]
    return own + general


# Mistakes that are common practice where they would stand: left out after the choice.
ARGUABLE = {("qk_norm_rope_bfloat16", "table_in_bf16"), ("pixel_shuffle_bilinear_bfloat16", "first_pass_rounded_to_bf16")}


def imports_of(reference):
    lines = ["import math"] * ("math." in reference) + ["import torch"]
    return "\n".join(lines + ["import torch.nn.functional as F"] * ("F." in reference)) + "\n"


def task(name, op_type, dtype, description, axes, tensors, outputs, reference, source, orders, ways, bugs, var=None,
         inputs=None, flags=(), fused=2, sums=SUMS, without=()):
    """Adds a task. `tensors` and `outputs`: {name: (shape or None, dtype)}, "T" for the main dtype; axes in `var` vary."""
    def spec(entries):
        return {key: {"shape": shape, "dtype": dtype if kind == "T" else kind} for key, (shape, kind) in entries.items()}
    axes = {axis: {"type": "const", "value": value} for axis, value in axes.items()}
    axes |= {axis: {"type": "var"} for axis in var}
    wrong = [(words(bug), False, [f"-DBUG={bug}"]) for bug in some_of(DTYPES[dtype], bugs, sums, without, dtype)
             if (f"{name}_{dtype}", bug) not in ARGUABLE]
    TASKS.append({
        "definition": {"name": f"{name}_{dtype}", "op_type": op_type, "description": description, "axes": axes,
                       "inputs": spec(tensors), "outputs": spec(outputs), "reference": imports_of(reference) + reference},
        "axes": var, "inputs": inputs or {}, "source": source,
        "flags": ["-O1", f"-DDTYPE={DTYPES[dtype]}", *flags], "truth": ["-DTRUTH"],
        "programs": right_programs(orders, ways, fused) + wrong})


# ---- attention
SOFTMAX_WAYS = ["online", "flash_tiles_of_16", "flash_tiles_of_24", "keys_split_in_3", "exp2", "query_scaled_first",
                "times_reciprocal_of_sum"]
SOFTMAX_BUGS = ["log2e_missing", "old_values_not_rescaled", "old_sum_not_rescaled", "partial_key_tile_lost",
                "second_tile_of_keys_reads_the_values_of_the_first", "scale_of_d_plus_one", "scale_of_the_group",
                "sum_starts_a_little_above_zero", "values_of_the_other_kv_head_in_the_last_query"]


def softmax_ways(dtype, ways=()):
    return [*SOFTMAX_WAYS, *ways] + ([] if dtype == "float32" else ["probabilities_in_16_bits"])


def softmax_bugs(dtype, *bugs):
    own = {"float32": ["probabilities_in_bf16", "scores_in_bf16", "scores_in_fp16"], "float16": ["probabilities_in_bf16", "scores_in_bf16"],
           "bfloat16": []}[dtype]
    return [*bugs, *SOFTMAX_BUGS, *own]


for dtype, d in (("float32", 40), ("float16", 40), ("bfloat16", 36)):
    task("gqa_window_softcap_sink", "attention", dtype,
         "causal attention in a sliding window of 19, scores capped at 4, a sink for each head; the log-sum-exp counts the sink",
         {"heads": 6, "kv_heads": 2, "head_dim": d},
         {"q": (["num_q", "heads", "head_dim"], "T"), "k": (["num_kv", "kv_heads", "head_dim"], "T"),
          "v": (["num_kv", "kv_heads", "head_dim"], "T"), "sinks": (["heads"], "float32"), "sm_scale": (None, "float32")},
         {"out": (["num_q", "heads", "head_dim"], "T"), "lse": (["num_q", "heads"], "float32")},
         """
def run(q, k, v, sinks, sm_scale):
    num_q, heads, d = q.shape
    num_kv, kv_heads = k.shape[0], k.shape[1]
    group = heads // kv_heads
    keys = k.float().repeat_interleave(group, dim=1)
    values = v.float().repeat_interleave(group, dim=1)
    scores = torch.einsum("qhd,khd->hqk", q.float(), keys) * sm_scale
    scores = 4.0 * torch.tanh(scores / 4.0)
    past = (torch.arange(num_q)[:, None] + (num_kv - num_q)) - torch.arange(num_kv)[None, :]
    scores = scores.masked_fill((past < 0) | (past >= 19), float("-inf"))
    sink = sinks.float()[:, None, None].expand(heads, num_q, 1)
    lse = torch.logsumexp(torch.cat([scores, sink], dim=-1), dim=-1)
    p = torch.exp(scores - lse[:, :, None])
    out = torch.einsum("hqk,khd->qhd", p, values)
    return out.to(q.dtype), lse.transpose(0, 1).contiguous()
""", "attention.cpp", ORDERS[:4] + ["kahan", "shuffled"], softmax_ways(dtype, ["tanh_by_exp"]),
         softmax_bugs(dtype, "causal_sees_one_too_many", "causal_misses_itself", "window_one_too_many", "window_one_too_few",
                      "causal_from_the_first_key", "soft_cap_missing", "soft_cap_before_the_scale", "soft_cap_five_percent_larger",
                      "soft_cap_clamps", "sink_missing", "sink_of_the_next_head", "one_sink_for_all_heads", "sink_not_in_lse",
                      "sink_not_in_the_sum_but_in_lse", "kv_head_by_modulo", "lse_in_base_2", "lse_without_maximum",
                      "lse_by_way_of_bf16", "lse_by_way_of_fp16"),
         var={"num_q": 20, "num_kv": 53}, inputs={"sm_scale": {"type": "scalar", "value": d ** -0.5}}, flags=["-DWINDOWED"],
         without=SUMS[3:4] + SIZES[1:] + ROWS[4:] + ["scale_of_the_group", "causal_misses_itself"])

for dtype in ("float32", "float16", "bfloat16"):
    task("cross_attention_relative_bias", "attention", dtype,
         "attention to padded keys of which the first seq_lens count, with a bias by the distance, clamped to 6 both ways",
         {"heads": 4, "head_dim": 24, "distances": 13},
         {"q": (["batch", "num_q", "heads", "head_dim"], "T"), "k": (["batch", "num_kv", "heads", "head_dim"], "T"),
          "v": (["batch", "num_kv", "heads", "head_dim"], "T"), "bias": (["distances", "heads"], "float32"),
          "seq_lens": (["batch"], "int32"), "sm_scale": (None, "float32")},
         {"out": (["batch", "num_q", "heads", "head_dim"], "T")},
         """
def run(q, k, v, bias, seq_lens, sm_scale):
    num_q, num_kv = q.shape[1], k.shape[1]
    scores = torch.einsum("bqhd,bkhd->bhqk", q.float(), k.float()) * sm_scale
    distance = torch.arange(num_kv)[None, :] - torch.arange(num_q)[:, None]
    index = distance.clamp(-6, 6) + 6
    scores = scores + bias.float()[index].permute(2, 0, 1)[None]
    seen = torch.arange(num_kv)[None, :] < seq_lens[:, None]
    scores = scores.masked_fill(~seen[:, None, None, :], float("-inf"))
    p = torch.softmax(scores, dim=-1)
    return torch.einsum("bhqk,bkhd->bqhd", p, v.float()).to(q.dtype)
""", "attention.cpp", ["forward", "backward", "lanes8", "split2", "pairwise", "tiles16"], softmax_ways(dtype),
         softmax_bugs(dtype, "length_ignored", "length_of_the_next_sequence", "length_one_too_many", "length_one_too_few",
                      "length_rounded_up_to_the_tile", "longest_sequences_lose_their_last_tile", "bias_of_the_negative_distance",
                      "bias_wrapped_instead_of_clamped", "bias_clamped_one_early", "bias_one_off", "bias_of_the_next_head",
                      "bias_missing", "bias_added_before_the_scale", "bias_in_base_2", "last_head_reads_the_first_keys"),
         var={"batch": 8, "num_q": 7, "num_kv": 45}, inputs={"sm_scale": {"type": "scalar", "value": 24 ** -0.5}}, flags=["-DCROSS"])

for dtype in ("float16", "bfloat16"):
    task("tree_attention", "attention", dtype,
         "speculative decoding: every draft token sees the context and, by the mask, draft tokens",
         {"heads": 6, "kv_heads": 3, "head_dim": 40},
         {"q": (["num_draft", "heads", "head_dim"], "T"), "k": (["num_kv", "kv_heads", "head_dim"], "T"),
          "v": (["num_kv", "kv_heads", "head_dim"], "T"), "tree_mask": (["num_draft", "num_draft"], "bool"), "sm_scale": (None, "float32")},
         {"out": (["num_draft", "heads", "head_dim"], "T"), "lse": (["num_draft", "heads"], "float32")},
         """
def run(q, k, v, tree_mask, sm_scale):
    num_draft, heads, d = q.shape
    num_kv, kv_heads = k.shape[0], k.shape[1]
    keys = k.float().repeat_interleave(heads // kv_heads, dim=1)
    values = v.float().repeat_interleave(heads // kv_heads, dim=1)
    scores = torch.einsum("qhd,khd->qhk", q.float(), keys) * sm_scale
    context = torch.ones(num_draft, num_kv - num_draft, dtype=torch.bool)
    seen = torch.cat([context, tree_mask], dim=1)
    scores = scores.masked_fill(~seen[:, None, :], float("-inf"))
    lse = torch.logsumexp(scores, dim=-1)
    p = torch.softmax(scores, dim=-1)
    return torch.einsum("qhk,khd->qhd", p, values).to(q.dtype), lse
""", "attention.cpp", ["forward", "backward", "lanes4", "split3", "pairwise", "tiles24"], softmax_ways(dtype),
         softmax_bugs(dtype, "context_one_too_short", "first_key_never_seen", "mask_ignored", "mask_taken_as_causal", "mask_inverted",
                      "mask_transposed", "mask_of_the_previous_row", "mask_shifted_by_one_column", "last_column_of_the_mask_always_seen",
                      "mask_cut_after_16_columns", "node_always_sees_itself", "mask_and_causal", "kv_head_by_modulo",
                      "lse_in_base_2", "lse_by_way_of_bf16"),
         var={"num_draft": 21, "num_kv": 58}, inputs={"sm_scale": {"type": "scalar", "value": 40 ** -0.5}}, flags=["-DTREE"],
         without=["scale_of_the_group", SUMS[3], ROWS[4]])

for dtype in ("float16", "bfloat16"):
    task("mla_decode", "mla", dtype, "one query a sequence attends to the compressed cache, which is also the value",
         {"heads": 6, "compressed": 56, "rope": 16},
         {"q_nope": (["batch", "heads", "compressed"], "T"), "q_pe": (["batch", "heads", "rope"], "T"),
          "ckv": (["batch", "num_kv", "compressed"], "T"), "kpe": (["batch", "num_kv", "rope"], "T"),
          "seq_lens": (["batch"], "int32"), "sm_scale": (None, "float32")},
         {"out": (["batch", "heads", "compressed"], "T"), "lse": (["batch", "heads"], "float32")},
         """
def run(q_nope, q_pe, ckv, kpe, seq_lens, sm_scale):
    num_kv = ckv.shape[1]
    scores = torch.einsum("bhc,bkc->bhk", q_nope.float(), ckv.float())
    scores = (scores + torch.einsum("bhr,bkr->bhk", q_pe.float(), kpe.float())) * sm_scale
    seen = torch.arange(num_kv)[None, :] < seq_lens[:, None]
    scores = scores.masked_fill(~seen[:, None, :], float("-inf"))
    lse = torch.logsumexp(scores, dim=-1)
    p = torch.softmax(scores, dim=-1)
    return torch.einsum("bhk,bkc->bhc", p, ckv.float()).to(q_nope.dtype), lse
""", "attention.cpp", ["forward", "backward", "lanes16", "split3", "pairwise", "kahan"],
         [way for way in softmax_ways(dtype) if way != "query_scaled_first"] + ["both_parts_in_one_sum", "rope_part_first"],
         ["length_of_the_next_sequence", "length_one_too_many", "length_one_too_few", "length_cut_at_48", "full_sequences_lose_a_page",
          "rope_part_of_the_previous_key", "rope_part_of_the_first_sequence", "rope_part_of_the_next_head", "rope_part_missing",
          "rope_part_not_scaled", "scale_of_the_compressed_width", "scale_half_a_percent_large", "first_column_of_values_from_the_rope_part",
          "log2e_missing", "old_values_not_rescaled", "old_sum_not_rescaled", "partial_key_tile_lost", "sum_starts_a_little_above_zero",
          "second_tile_of_keys_reads_the_values_of_the_first", "lse_in_base_2", "lse_without_maximum", "lse_by_way_of_bf16"],
         var={"batch": 12, "num_kv": 61}, inputs={"sm_scale": {"type": "scalar", "value": 0.125}}, flags=["-DMLA"],
         without=[SUMS[3], ROWS[4]])

# ---- gated multilayer perceptrons
for dtype, act, formula, bugs, ways in (
        ("float32", 0, "torch.relu(gate).square()", ["relu_without_square", "square_of_the_negative_too", "hidden_in_bf16", "hidden_in_tf32",
                                                    "activation_in_fp16"], ["scale_folded_into_down"]),
        ("float16", 1, "F.silu(gate)", ["gelu_for_silu", "hard_silu", "silu_of_1_702", "relu_for_the_activation", "activation_in_bf16",
                                        "negative_gates_cut_at_minus_two", "hidden_in_eight_bits"],
         ["scale_folded_into_down", "exp2", "sigmoid_both_ways", "sigmoid_by_tanh", "silu_by_division", "products_rounded", "hidden_rounded",
          "all_intermediates_rounded"]),
        ("bfloat16", 2, "F.gelu(gate)", ["silu_for_gelu", "relu_for_the_activation", "tanh_gelu_for_gelu", "hidden_in_eight_bits"],
         ["scale_folded_into_down", "gelu_by_erf", "products_rounded", "activation_rounded", "hidden_rounded", "all_intermediates_rounded"])):
    task("gated_mlp", "mlp", dtype, "activation of the gate times up, then down; products are scaled by 1/8",
         {"width": 74, "hidden_twice": 92, "hidden": 46, "out_width": 60},
         {"x": (["tokens", "width"], "T"), "w_gate_up": (["hidden_twice", "width"], "T"), "w_down": (["out_width", "hidden"], "T")},
         {"out": (["tokens", "out_width"], "T")},
         f"""
def run(x, w_gate_up, w_down):
    both = (x.float() @ w_gate_up.float().t()) * 0.125
    hidden = both.shape[1] // 2
    gate, up = both[:, :hidden], both[:, hidden:]
    return ((({formula} * up) @ w_down.float().t()) * 0.125).to(x.dtype)
""", "gated_mlp.cpp", ["forward", "backward", "pairwise", "lanes8", "lanes16", "tiles16", "split3", "kahan", "shuffled"] if dtype != "float32" else ORDERS,
         ways, [*bugs, "scale_of_the_gate_one_percent_large", "gate_of_the_previous_row_in_the_last_tile", "gate_and_up_swapped",
                "gate_and_up_interleaved", "up_one_column_off", "up_missing", "up_clamped_at_two", "activation_of_the_product",
                "activation_of_up_as_well", "last_hidden_read_for_the_last_but_one", "down_weights_shifted_in_the_last_column",
                "down_scale_missing"],
         var={"tokens": 23}, flags=[f"-DACT={act}"], without=["activation_of_the_product"] if act == 0 else [])

# ---- recurrences
STATE_BUGS = ["state_kept_in_bf16", "state_kept_in_fp16", "state_not_reset_between_heads", "initial_state_ignored",
              "initial_state_of_the_first_head", "gate_of_the_next_step", "gate_of_the_previous_step", "gate_missing_at_the_start_of_chunks",
              "gate_a_little_too_near_to_one", "gate_in_bf16", "queries_of_the_previous_step_in_the_last_step", "state_lost_between_chunks",
              "one_step_skipped", "last_step_not_in_the_state", "output_before_the_update", "update_is_decayed_too",
              "last_row_of_the_state_never_decays", "final_state_by_way_of_bf16", "final_state_by_way_of_fp16"]
STATE_ORDERS = ["forward", "backward", "pairwise", "lanes4", "lanes8", "lanes16", "split2", "split3", "kahan", "shuffled"]

for dtype in ("float32", "bfloat16"):
    task("mamba2_ssd", "mamba", dtype, "selective state space: a step is softplus(dt + bias) wide, the state decays by exp(-exp(a_log) width)",
         {"heads": 4, "head_dim": 18, "state": 22},
         {"x": (["steps", "heads", "head_dim"], "T"), "dt": (["steps", "heads"], "T"), "a_log": (["heads"], "float32"),
          "b": (["steps", "state"], "T"), "c": (["steps", "state"], "T"), "d": (["heads"], "float32"), "dt_bias": (["heads"], "float32"),
          "initial_state": (["heads", "head_dim", "state"], "float32")},
         {"y": (["steps", "heads", "head_dim"], "T"), "final_state": (["heads", "head_dim", "state"], "float32")},
         """
def run(x, dt, a_log, b, c, d, dt_bias, initial_state):
    width = F.softplus(dt.float() + dt_bias)
    decay = torch.exp(-torch.exp(a_log) * width)
    state = initial_state.clone()
    rows = []
    for t in range(x.shape[0]):
        update = (x[t].float() * width[t][:, None])[:, :, None] * b[t].float()[None, None, :]
        state = state * decay[t][:, None, None] + update
        rows.append(torch.einsum("hpn,n->hp", state, c[t].float()) + d[:, None] * x[t].float())
    return torch.stack(rows).to(x.dtype), state
""", "recurrence.cpp", STATE_ORDERS, ["exp2", "chunks_of_8", "chunks_of_16", "softplus_by_maximum"],
         [*STATE_BUGS, "dt_bias_missing", "dt_bias_of_the_first_head", "softplus_missing", "softplus_linear_from_one", "rate_of_the_next_head",
          "rate_not_exponentiated", "b_and_c_swapped", "dt_missing_in_the_input", "skip_missing", "skip_of_the_first_head"],
         var={"steps": 27}, flags=["-DSSD"])

for dtype in ("float32", "float16"):
    task("gated_linear_attention", "linear_attention", dtype, "the state's rows decay by sigmoid(gate) to the power of 1/4",
         {"heads": 3, "key_dim": 22, "value_dim": 26},
         {"q": (["steps", "heads", "key_dim"], "T"), "k": (["steps", "heads", "key_dim"], "T"), "v": (["steps", "heads", "value_dim"], "T"),
          "gate": (["steps", "heads", "key_dim"], "T"), "initial_state": (["heads", "key_dim", "value_dim"], "float32")},
         {"y": (["steps", "heads", "value_dim"], "T"), "final_state": (["heads", "key_dim", "value_dim"], "float32")},
         """
def run(q, k, v, gate, initial_state):
    scale = 1.0 / math.sqrt(q.shape[2])
    decay = torch.exp(F.logsigmoid(gate.float()) / 4.0)
    state = initial_state.clone()
    rows = []
    for t in range(q.shape[0]):
        state = state * decay[t][:, :, None] + k[t].float()[:, :, None] * v[t].float()[:, None, :]
        rows.append(torch.einsum("hk,hkv->hv", q[t].float() * scale, state))
    return torch.stack(rows).to(q.dtype), state
""", "recurrence.cpp", STATE_ORDERS, ["exp2", "chunks_of_8", "chunks_of_16", "softplus_by_maximum"],
         [*STATE_BUGS, "scale_of_n_plus_one", "gate_temperature_missing", "gate_temperature_eight", "gate_is_the_sigmoid_of_a_quarter",
          "one_gate_for_a_head", "scale_missing", "queries_and_keys_swapped", "values_of_the_next_head"],
         var={"steps": 27}, flags=["-DGLA"])

for dtype in ("float32", "float16", "bfloat16"):
    task("gated_delta_rule", "linear_attention", dtype, "keys and queries normalised; what the decayed state says of the key is replaced by beta",
         {"heads": 3, "key_dim": 22, "value_dim": 26},
         {"q": (["steps", "heads", "key_dim"], "T"), "k": (["steps", "heads", "key_dim"], "T"), "v": (["steps", "heads", "value_dim"], "T"),
          "gate": (["steps", "heads"], "T"), "beta": (["steps", "heads"], "T"), "initial_state": (["heads", "key_dim", "value_dim"], "float32")},
         {"y": (["steps", "heads", "value_dim"], "T"), "final_state": (["heads", "key_dim", "value_dim"], "float32")},
         """
def run(q, k, v, gate, beta, initial_state):
    qf, kf, vf = q.float(), k.float(), v.float()
    qn = qf * torch.rsqrt(qf.square().sum(-1, keepdim=True) + 1e-2)
    kn = kf * torch.rsqrt(kf.square().sum(-1, keepdim=True) + 1e-2)
    decay = torch.exp(-F.softplus(gate.float()))
    strength = torch.sigmoid(beta.float())
    state = initial_state.clone()
    rows = []
    for t in range(q.shape[0]):
        state = state * decay[t][:, None, None]
        said = torch.einsum("hk,hkv->hv", kn[t], state)
        written = (vf[t] - said) * strength[t][:, None]
        state = state + kn[t][:, :, None] * written[:, None, :]
        rows.append(torch.einsum("hk,hkv->hv", qn[t], state))
    return torch.stack(rows).to(q.dtype), state
""", "recurrence.cpp", STATE_ORDERS, ["exp2", "gate_after_the_sum", "softplus_by_maximum", "sigmoid_both_ways", "sigmoid_by_tanh"],
         [*STATE_BUGS, "eps_missing", "eps_outside_of_the_root", "norm_of_the_mean", "keys_not_normalised", "queries_not_normalised",
          "gate_by_natural_sigmoid", "beta_of_the_previous_step", "beta_up_to_two", "hard_sigmoid_beta", "correction_missing",
          "correction_in_bf16", "beta_only_on_the_value", "correction_by_the_state_before_its_gate"],
         var={"steps": 25}, flags=["-DDELTA"], without=["gate_by_natural_sigmoid"] + (["correction_in_bf16"] if dtype == "bfloat16" else []))

for dtype in ("float16", "bfloat16"):
    task("rwkv6", "rwkv", dtype, "the state is read before a step, which itself counts with a bonus; rows decay by exp(-exp(w))",
         {"heads": 3, "key_dim": 24, "value_dim": 20},
         {"r": (["steps", "heads", "key_dim"], "T"), "k": (["steps", "heads", "key_dim"], "T"), "v": (["steps", "heads", "value_dim"], "T"),
          "w": (["steps", "heads", "key_dim"], "T"), "bonus": (["heads", "key_dim"], "float32"),
          "initial_state": (["heads", "key_dim", "value_dim"], "float32")},
         {"y": (["steps", "heads", "value_dim"], "T"), "final_state": (["heads", "key_dim", "value_dim"], "float32")},
         """
def run(r, k, v, w, bonus, initial_state):
    decay = torch.exp(-torch.exp(w.float()))
    state = initial_state.clone()
    rows = []
    for t in range(r.shape[0]):
        step = k[t].float()[:, :, None] * v[t].float()[:, None, :]
        rows.append(torch.einsum("hk,hkv->hv", r[t].float(), state + bonus[:, :, None] * step))
        state = state * decay[t][:, :, None] + step
    return torch.stack(rows).to(r.dtype), state
""", "recurrence.cpp", STATE_ORDERS, ["exp2", "chunks_of_8", "chunks_of_16"],
         [*STATE_BUGS, "decay_of_one_exponential", "decay_cut_at_a_tenth", "bonus_missing", "bonus_of_the_next_head", "bonus_one",
          "bonus_without_its_last_row", "state_after_the_step_is_read"],
         var={"steps": 26}, flags=["-DRWKV"], without=["output_before_the_update"])

# ---- normalisation, rotary positions
EPS_BUGS = ["eps_missing", "eps_ten_times_smaller", "eps_outside_of_the_root", "inverse_root_by_one_newton_step", "mean_over_n_minus_one",
            "mean_over_the_padded_length"]
EPS_WAYS = ["root_of_the_inverse", "inverse_root_by_three_newton_steps"]
NORM_ORDERS = ["forward", "backward", "pairwise", "lanes4", "lanes32", "tiles16", "split3", "kahan", "shuffled"]


def norm_ways(dtype, *narrow):
    return [*EPS_WAYS, *([] if dtype == "float32" else narrow)]


for dtype, interleaved, rotated in (("float32", 1, 24), ("float16", 0, 24), ("bfloat16", 0, 40)):
    split = "a, b = part[..., 0::2], part[..., 1::2]" if interleaved else "a, b = part[..., :half], part[..., half:]"
    join = "torch.stack([a * c - b * s, b * c + a * s], dim=-1).flatten(-2)" if interleaved else "torch.cat([a * c - b * s, b * c + a * s], dim=-1)"
    task("qk_norm_rope", "rope", dtype, f"RMSNorm of each head, then its first {rotated} numbers are turned by the table's row of the position",
         {"heads": 5, "kv_heads": 2, "head_dim": 40, "rotated": rotated},
         {"q": (["tokens", "heads", "head_dim"], "T"), "k": (["tokens", "kv_heads", "head_dim"], "T"), "wq": (["head_dim"], "T"), "wk": (["head_dim"], "T"),
          "cos_sin": (["max_position", "rotated"], "float32"), "positions": (["tokens"], "int64"), "eps": (None, "float32")},
         {"q_out": (["tokens", "heads", "head_dim"], "T"), "k_out": (["tokens", "kv_heads", "head_dim"], "T")},
         f"""
def turned(x, w, cos_sin, positions, eps):
    xf = x.float()
    y = xf * torch.rsqrt(xf.square().mean(-1, keepdim=True) + eps) * w.float()
    rotated = cos_sin.shape[1]
    half = rotated // 2
    rows = cos_sin[positions]
    c, s = rows[:, None, :half], rows[:, None, half:]
    part = y[..., :rotated]
    {split}
    return torch.cat([{join}, y[..., rotated:]], dim=-1).to(x.dtype)

def run(q, k, wq, wk, cos_sin, positions, eps):
    return turned(q, wq, cos_sin, positions, eps), turned(k, wk, cos_sin, positions, eps)
""", "norm_rope.cpp", ["forward", "backward", "pairwise", "lanes8", "split2", "tiles16"],
         norm_ways(dtype, "normalised_rounded_before_the_weight", "norm_rounded_before_the_turn") + ["mean_by_reciprocal", "weight_times_factor_first", "turn_by_fma"],
         [*EPS_BUGS, "position_of_the_previous_token_in_the_last_tile", "position_is_the_index", "position_one_too_large", "last_position_never_used",
          "positions_wrap_at_16", "norm_over_the_rotated_part", "keys_not_normalised", "weights_of_the_neighbour", "weight_missing", "weight_plus_one",
          "last_pair_not_turned", "other_style_of_pairs", "partner_from_the_whole_head", "sine_and_cosine_swapped", "turned_the_other_way",
          "sine_of_the_neighbouring_pair", "table_in_bf16", "table_in_fp16", "second_half_with_the_sign_of_the_first",
          "second_of_a_pair_from_the_turned_first", "weights_of_queries_for_keys"],
         var={"tokens": 21, "max_position": 19}, inputs={"eps": {"type": "scalar", "value": 0.03}}, flags=["-DQK", f"-DINTERLEAVED={interleaved}"],
         without=(["table_in_fp16"] if dtype != "float32" else []) + (["eps_missing"] if dtype == "bfloat16" else []) + (["partner_from_the_whole_head"] if rotated != 24 or interleaved else [])
                 + (["norm_over_the_rotated_part"] if rotated == 40 else []))

for dtype in ("float32", "bfloat16"):
    task("fused_add_rmsnorm", "rmsnorm", dtype, "the sum with the residual is kept in the main dtype, and what is kept is normalised",
         {"hidden": 136},
         {"x": (["rows", "hidden"], "T"), "residual": (["rows", "hidden"], "T"), "weight": (["hidden"], "T"), "eps": (None, "float32")},
         {"out": (["rows", "hidden"], "T"), "new_residual": (["rows", "hidden"], "T")},
         """
def run(x, residual, weight, eps):
    kept = (x.float() + residual.float()).to(x.dtype)
    h = kept.float()
    y = h * torch.rsqrt(h.square().mean(-1, keepdim=True) + eps)
    return (y * weight.float()).to(x.dtype), kept
""", "norm_rope.cpp", NORM_ORDERS, norm_ways(dtype, "normalised_rounded_before_the_weight") + ["mean_by_reciprocal", "weight_times_factor_first"],
         [*EPS_BUGS, "root_missing", "residual_of_the_previous_row_in_the_last", "residual_missing_in_the_last_tile", "residual_subtracted",
          "new_residual_is_the_old_one", "new_residual_in_bf16", "new_residual_not_added_in_the_last_row", "norm_of_the_branch_alone",
          "mean_is_taken_off", "factor_of_the_previous_row", "factor_in_bf16", "factor_in_fp16", "weights_of_the_neighbour", "weight_missing",
          "weight_plus_one", "weights_of_the_first_tile_again", "normalised_in_bf16_before_the_weight"],
         var={"rows": 18}, inputs={"eps": {"type": "scalar", "value": 0.05}}, flags=["-DADD", "-DRACE_PERIOD=11"],
         without=["mean_over_n_minus_one", "inverse_root_by_one_newton_step", "factor_in_fp16", "new_residual_in_bf16", "normalised_in_bf16_before_the_weight", "factor_in_bf16"] if dtype == "bfloat16" else [])

for dtype in ("float32", "float16"):
    task("layernorm_scale_residual", "layernorm", dtype, "residual + gamma * layernorm(x), with mean and reciprocal deviation of each row",
         {"hidden": 108},
         {"x": (["rows", "hidden"], "T"), "residual": (["rows", "hidden"], "T"), "weight": (["hidden"], "T"), "bias": (["hidden"], "T"),
          "gamma": (["hidden"], "T"), "eps": (None, "float32")},
         {"out": (["rows", "hidden"], "T"), "mean": (["rows"], "float32"), "rstd": (["rows"], "float32")},
         """
def run(x, residual, weight, bias, gamma, eps):
    xf = x.float()
    mean = xf.mean(-1, keepdim=True)
    rstd = torch.rsqrt((xf - mean).square().mean(-1, keepdim=True) + eps)
    y = (xf - mean) * rstd * weight.float() + bias.float()
    return (residual.float() + gamma.float() * y).to(x.dtype), mean[:, 0], rstd[:, 0]
""", "norm_rope.cpp", NORM_ORDERS, norm_ways(dtype, "norm_rounded", "branch_rounded") + ["welford", "statistics_merged_in_tiles_of_32", "factor_and_shift_folded"],
         [*EPS_BUGS, "mean_missing_in_the_variance", "tiles_variances_without_the_merge_term", "mean_of_the_previous_row_in_row_nine",
          "weight_and_gamma_swapped", "bias_of_the_neighbour", "bias_missing", "gamma_missing", "bias_missing_in_the_last_tile",
          "bias_not_scaled_by_gamma", "weight_plus_one", "residual_missing", "residual_of_the_previous_row_in_the_last", "mean_not_taken_off",
          "branch_in_bf16", "statistics_by_way_of_fp16", "deviation_instead_of_its_reciprocal", "variance_instead_of_the_reciprocal_deviation"],
         var={"rows": 19}, inputs={"eps": {"type": "scalar", "value": 0.05}}, flags=["-DLAYER", "-DRACE_PERIOD=11"])

# ---- vision
for dtype, stride, pad, dilation, groups in (("float32", 2, 1, 1, 2), ("float16", 1, 2, 2, 1)):
    task("conv2d_bias_relu", "conv", dtype, f"3 by 3, stride {stride}, padding {pad}, dilation {dilation}, {groups} groups",
         {"channels": 6, "group_channels": 6 // groups, "outs": 8, "taps": 3, "height": 15, "width": 17, "out_height": 8 if stride == 2 else 15,
          "out_width": 9 if stride == 2 else 17},
         {"x": (["batch", "channels", "height", "width"], "T"), "w": (["outs", "group_channels", "taps", "taps"], "T"), "bias": (["outs"], "T")},
         {"out": (["batch", "outs", "out_height", "out_width"], "T")},
         f"""
def run(x, w, bias):
    y = F.conv2d(x.float(), w.float(), bias.float(), stride={stride}, padding={pad}, dilation={dilation}, groups={groups})
    return torch.relu(y).to(x.dtype)
""", "vision.cpp", ["forward", "backward", "pairwise", "lanes4", "lanes8", "tiles16", "split2", "split3", "kahan", "shuffled"],
         ["taps_outside", "channels_last_in_one_sum"] + (["product_rounded_before_the_bias"] if dtype != "float32" else []),
         ["padding_one_less", "padding_one_less_in_the_columns", "border_repeated_instead_of_zero", "columns_wrap_to_the_next_row",
          "last_row_of_the_image_never_read", "first_column_of_the_image_never_read", "image_of_the_previous_batch_in_the_last_channel",
          "kernel_flipped", "kernel_transposed", "weights_of_the_next_channel_in_the_last_tile", "last_input_channel_missing", "bias_of_the_neighbour",
          "bias_missing", "bias_missing_in_the_last_column", "bias_twice_for_the_first_image", "bias_after_the_relu", "leaky_relu",
          "relu_capped_at_six", "relu_missing"] + (["group_by_modulo", "last_group_reads_the_first"] if groups > 1 else ["dilation_one_in_the_rows"]),
         var={"batch": 3}, flags=["-DCONV2D", f"-DSTRIDE={stride}", f"-DPAD={pad}", f"-DDILATION={dilation}", f"-DGROUPS={groups}"])

for dtype in ("float32", "bfloat16"):
    task("causal_conv1d_silu", "conv", dtype, "depthwise causal convolution of 4 taps with SiLU; the state holds the last 3 steps",
         {"channels": 24, "taps": 4, "kept": 3},
         {"x": (["batch", "channels", "steps"], "T"), "w": (["channels", "taps"], "T"), "bias": (["channels"], "T"), "conv_state": (["batch", "channels", "kept"], "T")},
         {"out": (["batch", "channels", "steps"], "T"), "new_state": (["batch", "channels", "kept"], "T")},
         """
def run(x, w, bias, conv_state):
    steps, channels = x.shape[2], x.shape[1]
    whole = torch.cat([conv_state, x], dim=2)
    y = F.conv1d(whole.float(), w.float()[:, None, :], bias.float(), groups=channels)
    return F.silu(y).to(x.dtype), whole[:, :, steps:].contiguous()
""", "vision.cpp", ["forward", "backward", "pairwise", "lanes4", "split2", "kahan"],
         ["exp2", "sigmoid_both_ways", "silu_by_division", "bias_first"]
         + (["product_rounded_before_the_bias", "sum_rounded_before_the_activation"] if dtype != "float32" else []),
         ["future_sees_one_step", "state_ignored", "state_of_the_previous_channel", "state_backwards", "state_one_step_old", "kernel_flipped",
          "weights_of_the_next_channel_in_the_last_tile", "border_of_tiles_of_8_not_read", "newest_tap_missing", "bias_of_the_neighbour", "bias_missing",
          "gelu_for_silu", "silu_of_1_702", "hard_silu", "activation_missing", "activation_missing_in_the_last_step", "new_state_one_step_early",
          "new_state_is_the_first_steps", "new_state_keeps_its_oldest_step"],
         var={"batch": 3, "steps": 29}, flags=["-DCONV1D"], without=["partial_tile_of_sums_lost", SUMS[0]])

task("pool_max_and_mean", "pooling", "float16", "windows of 3 by 3, stride 2, padding 1; the mean is of what lies inside of the image",
     {"channels": 8, "height": 15, "width": 17, "out_height": 8, "out_width": 9},
     {"x": (["batch", "channels", "height", "width"], "T")},
     {"best": (["batch", "channels", "out_height", "out_width"], "T"), "indices": (["batch", "channels", "out_height", "out_width"], "int64"),
      "mean": (["batch", "channels", "out_height", "out_width"], "T")},
     """
def run(x):
    best, indices = F.max_pool2d(x.float(), 3, stride=2, padding=1, return_indices=True)
    mean = F.avg_pool2d(x.float(), 3, stride=2, padding=1, count_include_pad=False)
    return best.to(x.dtype), indices, mean.to(x.dtype)
""", "vision.cpp", ["forward", "backward", "pairwise", "lanes4", "split2", "split3", "kahan"],
     ["maximum_backwards", "maximum_by_halves", "mean_by_reciprocal", "mean_of_row_sums"],
     ["last_row_of_windows_missing", "last_column_of_windows_missing", "windows_one_wider", "padding_missing", "first_row_of_the_image_never_read",
      "maximum_starts_at_zero", "padding_counts_as_zero_in_the_maximum", "maximum_of_magnitudes", "index_inside_of_the_window", "index_of_the_whole_batch",
      "index_column_first", "index_with_the_padding", "index_in_eight_bits", "index_one_too_large", "index_of_the_second_best_now_and_then",
      "index_of_the_last_maximum_of_a_row_of_the_window", "padding_counts_in_the_mean", "count_of_the_corner_for_all_borders", "mean_divided_by_ten",
      "two_columns_of_indices_swapped"],
     var={"batch": 3}, flags=["-DPOOL"], fused=0, without=["partial_tile_of_sums_lost"])

for dtype in ("float32", "bfloat16"):
    task("pixel_shuffle_bilinear", "resize", dtype, "pixel shuffle by 2, then bilinear from 14 by 18 to 23 by 31, corners not aligned",
         {"channels_in": 12, "channels": 3, "height": 7, "width": 9, "out_height": 23, "out_width": 31},
         {"x": (["batch", "channels_in", "height", "width"], "T")}, {"out": (["batch", "channels", "out_height", "out_width"], "T")},
         """
def run(x):
    y = F.pixel_shuffle(x.float(), 2)
    return F.interpolate(y, size=(23, 31), mode="bilinear", align_corners=False).to(x.dtype)
""", "vision.cpp", ["forward"],
         ["place_by_whole_numbers", "lerp_of_lerps", "lerp_by_fma", "rows_mixed_first", "four_weights", "four_weights_backwards", "four_weights_by_fma"],
         ["shuffle_transposed", "shuffle_channels_outermost", "corners_aligned", "half_pixel_missing", "half_pixel_missing_in_the_columns",
          "ratio_half_a_percent_large", "ratio_of_the_rows_for_the_columns", "negative_places_not_clamped", "place_in_bf16", "place_in_fp16",
          "right_border_is_the_pixel_before", "last_pixel_wraps_to_the_first", "share_swapped", "share_swapped_in_the_columns", "nearest_instead",
          "share_in_steps_of_a_sixteenth", "share_in_eight_bits_cut_off", "smooth_share", "image_of_the_previous_batch_in_the_last_channel",
          "fourth_corner_is_the_third", "rows_not_mixed", "first_pass_rounded_to_bf16", "clamped_at_two"],
         var={"batch": 2}, flags=["-DRESIZE"], fused=0, sums=[], without=["place_in_fp16", "share_in_eight_bits_cut_off"] if dtype == "bfloat16" else [])

# ---- contractions, cells, merging
MANY = ["forward", "backward", "pairwise", "lanes4", "lanes8", "tiles16", "split2", "split3", "kahan", "shuffled"]

for dtype in ("float32", "bfloat16"):
    task("triangle_multiplication", "einsum", dtype, "outgoing triangle update: mean over k of a[i,k] b[j,k], pairs by the mask, gated",
         {"channels": 20}, {"a": (["n", "n", "channels"], "T"), "b": (["n", "n", "channels"], "T"), "gate": (["n", "n", "channels"], "T"), "pair_mask": (["n", "n"], "bool")},
         {"out": (["n", "n", "channels"], "T")},
         """
def run(a, b, gate, pair_mask):
    left = a.float() * pair_mask[:, :, None].float()
    right = b.float() * pair_mask[:, :, None].float()
    mean = torch.einsum("ikc,jkc->ijc", left, right) / a.shape[0]
    return (mean * torch.sigmoid(gate.float())).to(a.dtype)
""", "contraction.cpp", MANY, ["mean_by_reciprocal", "exp2", "sigmoid_both_ways"] + (["sum_rounded", "gate_rounded"] if dtype != "float32" else []),
         ["incoming_edges", "right_side_incoming", "mask_transposed", "mask_missing", "mask_missing_in_the_last_row", "mask_inverted", "right_side_not_masked",
          "channel_of_the_neighbour_in_the_last", "diagonal_left_out", "mean_over_n_minus_one", "mean_over_the_padded_length", "root_of_n_for_n",
          "gate_transposed", "gate_of_the_previous_row_in_the_last", "hard_sigmoid", "gate_not_squashed", "sigmoid_of_1_02", "gate_missing"]
         + (["sum_in_fp16", "sum_in_bf16"] if dtype == "float32" else []),
         var={"n": 21}, flags=["-DTRIANGLE"])

task("outer_product_mean", "einsum", "float16", "mean of outer products over the sequences in which both columns are there",
     {"c1": 6, "c2": 10}, {"a": (["depth", "n", "c1"], "T"), "b": (["depth", "n", "c2"], "T"), "present_mask": (["depth", "n"], "bool"), "eps": (None, "float32")},
     {"out": (["n", "n", "c1", "c2"], "T")},
     """
def run(a, b, present_mask, eps):
    there = present_mask.float()
    total = torch.einsum("sic,sje->ijce", a.float() * there[:, :, None], b.float() * there[:, :, None])
    norm = torch.einsum("si,sj->ij", there, there)
    return (total / (norm[:, :, None, None] + eps)).to(a.dtype)
""", "contraction.cpp", MANY, ["mean_by_reciprocal", "sum_rounded"],
     ["eps_missing", "eps_ten_times_smaller", "norm_of_one_side", "norm_is_the_depth", "norm_of_the_sides_product", "norm_at_most_seven", "norm_at_least_one",
      "last_sequence_not_counted", "left_side_not_masked", "left_channels_reversed", "right_column_of_the_left_in_the_last", "right_side_not_masked",
      "sum_ends_at_depth_32", "division_missing_in_the_last_column", "eps_on_the_quotient", "rows_and_columns_transposed", "sum_in_bf16"],
     var={"n": 10, "depth": 37}, inputs={"eps": {"type": "scalar", "value": 0.1}}, flags=["-DOUTER"], fused=3)

for dtype in ("float32", "bfloat16"):
    task("grouped_gemm_bias_gelu", "grouped_gemm", dtype, "rows of each group by its weights, scaled by 1/8, with bias and tanh-GELU",
         {"groups": 5, "starts": 6, "width": 70, "outs": 42},
         {"x": (["rows", "width"], "T"), "w": (["groups", "outs", "width"], "T"), "bias": (["groups", "outs"], "T"), "group_indptr": (["starts"], "int32")},
         {"out": (["rows", "outs"], "T")},
         """
def run(x, w, bias, group_indptr):
    out = torch.zeros(x.shape[0], w.shape[1], dtype=torch.float32)
    for g in range(w.shape[0]):
        start = int(group_indptr[g])
        end = int(group_indptr[g + 1])
        y = (x[start:end].float() @ w[g].float().t()) * 0.125 + bias[g].float()
        out[start:end] = F.gelu(y, approximate="tanh")
    return out.to(x.dtype)
""", "contraction.cpp", MANY, ["cubic_by_factors", "gelu_by_sigmoid"] + (["product_rounded_before_the_bias", "sum_rounded_before_the_activation"] if dtype != "float32" else []),
         ["first_row_of_a_group_by_the_previous_weights", "last_row_of_a_group_by_the_next_weights", "last_group_never_used", "groups_of_equal_size",
          "group_of_the_tiles_first_row", "row_numbered_in_its_group", "capacity_of_nine_rows", "last_row_of_odd_groups_repeats", "weights_transposed",
          "weights_of_the_next_column_in_the_last", "bias_of_the_first_group", "bias_missing", "bias_scaled_as_the_product", "cubic_term_missing",
          "cubic_of_0_0447", "erf_gelu", "quick_gelu", "silu_for_gelu", "relu_for_gelu", "activation_before_the_bias"]
         + (["sum_in_bf16_before_the_activation"] if dtype == "float32" else []),
         var={"rows": 43}, flags=["-DGROUPED"], without=["cubic_of_0_0447", "erf_gelu"] if dtype == "bfloat16" else [])

CELL_BUGS = ["hard_sigmoid", "hard_tanh", "tanh_by_a_short_fraction", "input_bias_missing", "input_of_the_previous_row_in_the_last", "hidden_bias_missing",
             "hidden_state_ignored", "hidden_state_of_the_first_row", "gates_interleaved", "candidate_by_sigmoid"]
CELL_AXES = {"inputs": 50, "hidden": 44}
task("lstm_cell", "lstm", "float32", "a step of an LSTM, products scaled by 1/8; the cell is float32", CELL_AXES | {"gates": 176},
     {"x": (["batch", "inputs"], "T"), "h": (["batch", "hidden"], "T"), "c": (["batch", "hidden"], "float32"), "w_x": (["gates", "inputs"], "T"),
      "w_h": (["gates", "hidden"], "T"), "b_x": (["gates"], "T"), "b_h": (["gates"], "T")},
     {"h_out": (["batch", "hidden"], "T"), "c_out": (["batch", "hidden"], "float32")},
     """
def run(x, h, c, w_x, w_h, b_x, b_h):
    n = h.shape[1]
    gates = (x.float() @ w_x.float().t()) * 0.125 + b_x.float() + (h.float() @ w_h.float().t()) * 0.125 + b_h.float()
    i, f, g, o = gates[:, :n], gates[:, n:2 * n], gates[:, 2 * n:3 * n], gates[:, 3 * n:]
    cell = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return (torch.sigmoid(o) * torch.tanh(cell)).to(x.dtype), cell
""", "contraction.cpp", MANY, ["tanh_by_exp", "tanh_by_expm1", "sigmoid_both_ways", "exp2"],
     [*CELL_BUGS, "input_and_forget_gates_swapped", "candidate_and_output_swapped", "forget_gate_with_one_added", "cell_of_the_neighbour_in_the_last_column",
      "cell_in_bf16", "cell_in_fp16", "cell_clipped_at_two", "cell_rounded_before_the_output", "output_of_the_old_cell", "tanh_of_the_cell_missing",
      "new_cell_by_way_of_bf16", "new_cell_by_way_of_fp16", "projections_in_bf16"], var={"batch": 14}, flags=["-DLSTM", "-DSTALE_FROM=350"])
task("gru_cell", "gru", "float16", "a step of a GRU, products scaled by 1/8", CELL_AXES | {"gates": 132},
     {"x": (["batch", "inputs"], "T"), "h": (["batch", "hidden"], "T"), "w_x": (["gates", "inputs"], "T"), "w_h": (["gates", "hidden"], "T"),
      "b_x": (["gates"], "T"), "b_h": (["gates"], "T")},
     {"h_out": (["batch", "hidden"], "T")},
     """
def run(x, h, w_x, w_h, b_x, b_h):
    n = h.shape[1]
    gx = (x.float() @ w_x.float().t()) * 0.125 + b_x.float()
    gh = (h.float() @ w_h.float().t()) * 0.125 + b_h.float()
    r = torch.sigmoid(gx[:, :n] + gh[:, :n])
    z = torch.sigmoid(gx[:, n:2 * n] + gh[:, n:2 * n])
    new = torch.tanh(gx[:, 2 * n:] + r * gh[:, 2 * n:])
    return ((1 - z) * new + z * h.float()).to(x.dtype)
""", "contraction.cpp", MANY, ["tanh_by_exp", "tanh_by_expm1", "sigmoid_both_ways", "mixed_by_difference", "projections_rounded"],
     [*CELL_BUGS, "reset_and_update_swapped", "reset_gate_without_the_bias", "reset_gate_missing", "reset_gate_on_the_input_too",
      "old_state_of_the_neighbour_in_the_last_column", "update_gate_inverted", "update_gate_in_eight_bits", "update_gate_snaps_to_zero_and_one",
      "candidate_in_bf16", "projections_in_bf16"], var={"batch": 14}, flags=["-DGRU", "-DSTALE_FROM=350"])

for dtype in ("float32", "float16"):
    task("merge_attention_states", "merge_state", dtype, "results of attention to 6 parts of the keys, merged by their log-sum-exps",
         {"parts": 6, "head_dim": 44}, {"v": (["parts", "rows", "head_dim"], "T"), "s": (["parts", "rows"], "float32")},
         {"out": (["rows", "head_dim"], "T"), "lse": (["rows"], "float32")},
         """
def run(v, s):
    lse = torch.logsumexp(s, dim=0)
    weights = torch.exp(s - lse[None])
    return (weights[:, :, None] * v.float()).sum(0).to(v.dtype), lse
""", "contraction.cpp", ["forward", "backward", "pairwise", "lanes4", "split2", "split3", "kahan"],
         ["exp2", "weights_normalised_first", "times_reciprocal_of_sum", "pair_by_pair", "log1p_of_the_others"],
         ["last_part_missing", "weights_of_the_next_row_in_the_last_part", "base_two_for_e", "base_e_of_base_two_numbers", "first_part_always_the_largest",
          "parts_weigh_the_same", "weights_squared", "small_weights_dropped", "sum_without_the_last_part", "eps_of_a_hundredth_in_the_sum",
          "weights_in_bf16", "weights_in_fp16", "weights_in_eight_bits", "last_tile_of_the_first_part_shifted", "merged_to_bf16_after_each_part",
          "lse_is_the_maximum", "lse_in_base_2", "lse_without_maximum", "lse_by_way_of_bf16", "lse_by_way_of_fp16", "lse_of_the_mean"],
         var={"rows": 26}, flags=["-DMERGE"], without=["partial_tile_of_sums_lost", *SUMS[4:], *(["weights_in_fp16"] if dtype == "float16" else [])])
