"""Tasks of attention.cpp."""

from helpers import BITS16, make_task, right_programs, wrong_programs

TASKS = []


def ways(dtype):
    made = {"two passes": [], "online": ["-DWAY=online"], "tiles of 4 keys": ["-DWAY=keys4"], "tiles of 8 keys": ["-DWAY=keys8"],
            "tiles of 16 keys": ["-DWAY=keys16"], "two parts merged": ["-DWAY=parts2"], "four parts merged": ["-DWAY=parts4"],
            "exp2": ["-DWAY=exp2_two_pass"], "exp2 in tiles of 8 keys": ["-DWAY=exp2_keys8"],
            "normalised before the values": ["-DWAY=normalised_first"], "the query is scaled": ["-DWAY=query_scaled"],
            "the query is scaled by log2 e as well": ["-DWAY=query_scaled_log2e"]}
    if dtype in BITS16:
        made |= {"16-bit probabilities": ["-DWAY=probabilities_rounded"],
                 "16-bit probabilities, tiles of 8 keys": ["-DWAY=probabilities_rounded_keys8"],
                 "16-bit normalised probabilities": ["-DWAY=normalised_rounded"]}
    return made


SHARED = {"scale of d + 1": "scale_of_d_plus_one", "log2 e is missing": "log2e_missing",
          "the log-sum-exp is in base 2": "lse_base_two", "the log-sum-exp is without the maximum": "lse_without_max",
          "the log-sum-exp went through bf16": "lse_in_bf16", "every fifth log-sum-exp has a sum 0.2 % too large": "lse_of_scaled_sum",
          "the last key is missing": "last_key_missing", "the first key is missing": "first_key_missing",
          "the incomplete last tile of keys is missing": "incomplete_tile_missing",
          "the output is not rescaled": "no_rescale_of_output", "the sum is not rescaled": "no_rescale_of_sum",
          "the values are of the next key": "value_of_next_key", "the output is summed in bf16": "output_sum_in_bf16",
          "two query heads are swapped": "query_of_neighbour_head", "the first key is taken twice": "key_zero_twice",
          "long rows lose a tile": "one_tile_lost_in_long_rows", "no scale": "scale_one"}
GROUPS = {"key-value heads are interleaved": "heads_interleaved", "the last head takes the first key-value head": "last_head_takes_first",
          "later values of the other head": "keys_and_values_of_other_half"}
CAUSAL = {"one key too many": "one_key_too_many", "the mask is aligned top left": "mask_from_top_left"}
LENGTHS = {"lengths one too large": "length_one_more", "lengths one too small": "length_one_less",
           "lengths of the sequence before": "length_of_previous", "the keys after the last multiple of 4 have score 0": "padding_scores_zero"}


def add(name, dtype, op_type, kind, description, axes, inputs, outputs, reference, lengths, mine, start, wanted=18):
    TASKS.append(make_task(
        name, op_type, dtype, description, axes, inputs, outputs, reference, lengths, "attention.cpp", [f"-DKIND={kind}"],
        right_programs(ways(dtype), wanted - 1, start)
        + wrong_programs(dtype, mine | ({"probabilities went through bf16": "probabilities_in_bf16"} if dtype == "float32" else {}),
                         2, 2, start, most=23)))


def without(table, *names):
    return {key: value for key, value in table.items() if value not in names}


def causal(name, dtype, kind, score, mine, start):
    add(name, dtype, "attention", kind, "Causal attention, queries are the last of the keys; lse is the natural logarithm",
        {"tokens": None, "keys": None, "heads": 4, "kv_heads": 2, "head_dim": 36},
        {"q": (["tokens", "heads", "head_dim"], None), "k": (["keys", "kv_heads", "head_dim"], None),
         "v": (["keys", "kv_heads", "head_dim"], None)},
        {"out": (["tokens", "heads", "head_dim"], None), "lse": (["tokens", "heads"], "float32")},
        "import math\nimport torch\n\ndef run(q, k, v):\n"
        "    tokens, heads, d = q.shape\n    keys = k.shape[0]\n    group = heads // k.shape[1]\n"
        "    k32 = k.float().repeat_interleave(group, dim=1)\n    v32 = v.float().repeat_interleave(group, dim=1)\n"
        "    s = torch.einsum('qhd,khd->hqk', q.float(), k32) / math.sqrt(d)\n"
        "    i = torch.arange(tokens)[:, None] + (keys - tokens)\n    j = torch.arange(keys)[None, :]\n"
        "    hidden = j > i\n" + score +
        "    s = s.masked_fill(hidden, float('-inf'))\n"
        "    out = torch.einsum('hqk,khd->qhd', torch.softmax(s, dim=-1), v32)\n"
        "    return out.to(q.dtype), torch.logsumexp(s, dim=-1).transpose(0, 1).contiguous()\n",
        {"tokens": 34, "keys": 43}, mine, start)


for number, dtype in enumerate(("float32", "bfloat16")):
    causal("gqa_prefill", dtype, "prefill", "", SHARED | GROUPS | CAUSAL, number * 4)

for number, dtype in enumerate(("bfloat16",)):
    causal("sliding_window_softcap", dtype, "windowed",
           "    hidden = hidden | (j <= i - 12)\n    s = 3.0 * torch.tanh(s / 3.0)\n",
           without(SHARED, "one_tile_lost_in_long_rows", "incomplete_tile_missing", "no_rescale_of_output", "no_rescale_of_sum",
                   "scale_one") | CAUSAL
           | {"no cap": "cap_missing", "a hard clamp as cap": "cap_is_clamp", "the cap before the scale": "cap_before_scale",
              "the cap is 1 % too large": "cap_one_percent_off", "the window is one too wide": "window_wider",
              "the window is one too narrow": "window_narrower", "no window": "window_missing"}, number * 5 + 2)

causal("alibi_prefill", "float16", "alibi",
       "    slopes = torch.exp2(-8.0 * (torch.arange(heads) + 1).float() / heads)\n"
       "    s = s + slopes[:, None, None] * (j - i).float()\n",
       without(SHARED, "first_key_missing", "key_zero_twice", "one_tile_lost_in_long_rows") | CAUSAL
       | {"the slope has the other sign": "slope_sign", "the slope is of the next head": "slope_of_next_head",
          "slopes count heads from 0": "slope_per_zero_based_head", "distances are one more": "distance_one_more"}, 9)

for number, dtype in enumerate(("float16", "float32")):
    add("gqa_decode", dtype, "attention", "decode", "One query per sequence on a cache with lengths",
        {"batch": None, "room": None, "heads": 6, "kv_heads": 2, "head_dim": 40},
        {"q": (["batch", "heads", "head_dim"], None), "k_cache": (["batch", "room", "kv_heads", "head_dim"], None),
         "v_cache": (["batch", "room", "kv_heads", "head_dim"], None), "seq_lens": (["batch"], "int32")},
        {"out": (["batch", "heads", "head_dim"], None), "lse": (["batch", "heads"], "float32")},
        "import math\nimport torch\n\ndef run(q, k_cache, v_cache, seq_lens):\n"
        "    batch, heads, d = q.shape\n    group = heads // k_cache.shape[2]\n"
        "    out = torch.zeros_like(q)\n    lse = torch.full((batch, heads), float('-inf'), dtype=torch.float32)\n"
        "    for b in range(batch):\n        n = int(seq_lens[b].item())\n        if n <= 0:\n            continue\n"
        "        k = k_cache[b, :n].float().repeat_interleave(group, dim=1)\n"
        "        v = v_cache[b, :n].float().repeat_interleave(group, dim=1)\n"
        "        s = torch.einsum('hd,khd->hk', q[b].float(), k) / math.sqrt(d)\n"
        "        lse[b] = torch.logsumexp(s, dim=-1)\n"
        "        out[b] = torch.einsum('hk,khd->hd', torch.softmax(s, dim=-1), v).to(q.dtype)\n"
        "    return out, lse\n",
        {"batch": 14, "room": 61}, without(SHARED, "first_key_missing") | GROUPS | LENGTHS, number * 6 + 1)

add("cross_attention", "float32", "attention", "cross", "Attention to the first kv_lens keys of each sequence",
    {"batch": None, "tokens": None, "room": None, "heads": 3, "head_dim": 36},
    {"q": (["batch", "tokens", "heads", "head_dim"], None), "k": (["batch", "room", "heads", "head_dim"], None),
     "v": (["batch", "room", "heads", "head_dim"], None), "kv_lens": (["batch"], "int32")},
    {"out": (["batch", "tokens", "heads", "head_dim"], None), "lse": (["batch", "tokens", "heads"], "float32")},
    "import math\nimport torch\n\ndef run(q, k, v, kv_lens):\n"
    "    s = torch.einsum('bqhd,bkhd->bqhk', q.float(), k.float()) / math.sqrt(q.shape[-1])\n"
    "    seen = torch.arange(k.shape[1])[None, :] < kv_lens[:, None]\n"
    "    s = s.masked_fill(~seen[:, None, None, :], float('-inf'))\n"
    "    p = torch.softmax(s, dim=-1).masked_fill(~seen[:, None, None, :], 0.0)\n"
    "    out = torch.einsum('bqhk,bkhd->bqhd', p, v.float())\n"
    "    return out.to(q.dtype), torch.logsumexp(s, dim=-1)\n",
    {"batch": 5, "tokens": 11, "room": 38}, without(SHARED, "first_key_missing") | LENGTHS, 4)

add("paged_decode", "bfloat16", "attention", "paged", "One query per sequence on a paged cache",
    {"batch": None, "num_pages": None, "num_kv_indices": None, "len_indptr": None, "page_size": 8, "heads": 6, "kv_heads": 2, "head_dim": 40},
    {"q": (["batch", "heads", "head_dim"], None), "k_cache": (["num_pages", "page_size", "kv_heads", "head_dim"], None),
     "v_cache": (["num_pages", "page_size", "kv_heads", "head_dim"], None), "kv_indptr": (["len_indptr"], "int32"),
     "kv_indices": (["num_kv_indices"], "int32"), "kv_last_page_len": (["batch"], "int32")},
    {"out": (["batch", "heads", "head_dim"], None), "lse": (["batch", "heads"], "float32")},
    "import math\nimport torch\n\ndef run(q, k_cache, v_cache, kv_indptr, kv_indices, kv_last_page_len):\n"
    "    batch, heads, d = q.shape\n    page_size = k_cache.shape[1]\n    kv_heads = k_cache.shape[2]\n    group = heads // kv_heads\n"
    "    out = torch.zeros_like(q)\n    lse = torch.full((batch, heads), float('-inf'), dtype=torch.float32)\n"
    "    for b in range(batch):\n        start = int(kv_indptr[b].item())\n        end = int(kv_indptr[b + 1].item())\n"
    "        if end <= start:\n            continue\n"
    "        n = (end - start - 1) * page_size + int(kv_last_page_len[b].item())\n"
    "        pages = kv_indices[start:end].long()\n"
    "        k = k_cache[pages].float().reshape(-1, kv_heads, d)[:n].repeat_interleave(group, dim=1)\n"
    "        v = v_cache[pages].float().reshape(-1, kv_heads, d)[:n].repeat_interleave(group, dim=1)\n"
    "        s = torch.einsum('hd,khd->hk', q[b].float(), k) / math.sqrt(d)\n"
    "        lse[b] = torch.logsumexp(s, dim=-1)\n"
    "        out[b] = torch.einsum('hk,khd->hd', torch.softmax(s, dim=-1), v).to(q.dtype)\n"
    "    return out, lse\n",
    {"batch": 12, "num_pages": 60, "num_kv_indices": 50, "len_indptr": 13},
    without(SHARED, "first_key_missing", "one_tile_lost_in_long_rows") | GROUPS | without(LENGTHS, "padding_scores_zero")
    | {"the last page is full": "last_page_full", "the last page is skipped": "last_page_skipped",
       "the last sequence's pages start at 0": "pages_from_zero", "slots are one late": "slots_one_late"}, 6)
