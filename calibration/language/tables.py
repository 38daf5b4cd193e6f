"""Tasks of rope.cpp and embedding.cpp."""

from helpers import WRITES, make_task, output_mistakes, pick, right_programs, spread, wrong_programs

TASKS = []
WAYS = {"products, then their sum": "usual", "cosine product fused": "fused_cosine", "sine product fused": "fused_sine", "negated difference": "negated",
        "three products": "three_products"}
ROUNDED = {"table in 16 bits": "table_rounded", "table in 16 bits, fused": "table_rounded_fused", "products rounded": "products_rounded",
           "eager in 16 bits": "eager16"}
DEFECTS = {"pairs are interleaved": "interleaved", "the sine has the other sign": "sine_sign", "halves are swapped": "halves_swapped",
           "positions are one more": "position_one_more", "positions of the previous token": "position_of_previous",
           "positions in 8 bits": "position_in_8_bits", "the last token has position 0": "position_zero_in_last_row",
           "positions end at 199": "position_below_200", "the last head is not rotated": "last_head_unrotated", "the key is not rotated": "key_unrotated",
           "the last dimensions are not rotated": "last_dimensions_unrotated", "cosine and sine are swapped": "cosine_and_sine_swapped",
           "the next frequency": "next_frequency", "the last pair is not rotated": "last_pair_unrotated",
           "the first head's second half stays": "second_half_unrotated_first", "head 1 uses what was overwritten": "first_overwritten",
           "sines in few bits": "sine_in_few_bits", "the key's positions are reversed": "key_positions_reversed",
           "the last sine is the one before": "table_row_too_short", "odd tokens turn backwards": "odd_tokens_backwards",
           "the row is the position": "row_index_as_position", "one token has no sine": "cosine_alone_in_one_token", "the last pair reaches into the next head": "pair_across_heads"}
for dtype in ("float16",):
    right = [(f"{name}{' in double' if real == 'double' else ''}", True, [f"-DWAY={way}", f"-DREAL={real}"])
             for name, way in WAYS.items() for real in ("float", "double")]
    right += [(name, True, [f"-DWAY={way}"]) for name, way in ROUNDED.items()]
    wrong = [(name, False, [f"-DDEFECT={defect}"]) for name, defect in DEFECTS.items()] + output_mistakes(dtype)
    wrong += [(name, False, [f"-DWRITE={write}"]) for name, write in pick(WRITES, 5, 4)]
    TASKS.append(make_task(
        "rope_neox", "rope", dtype, "Rotary embedding of q and k, cosines and sines from a table",
        {"tokens": None, "heads": 4, "kv_heads": 2, "head_dim": 52, "max_position": 300},
        {"q": (["tokens", "heads", "head_dim"], None), "k": (["tokens", "kv_heads", "head_dim"], None), "positions": (["tokens"], "int32"),
         "cos_sin_cache": (["max_position", "head_dim"], "float32")},
        {"q_out": (["tokens", "heads", "head_dim"], None), "k_out": (["tokens", "kv_heads", "head_dim"], None)},
        "import torch\n\ndef rotate(x, cos, sin):\n    a, b = x.float().chunk(2, dim=-1)\n"
        "    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1).to(x.dtype)\n\n"
        "def run(q, k, positions, cos_sin_cache):\n    cos, sin = cos_sin_cache[positions.long()][:, None, :].chunk(2, dim=-1)\n"
        "    return rotate(q, cos, sin), rotate(k, cos, sin)\n",
        {"tokens": 21}, "rope.cpp", [], right + spread(wrong, 26)))

for dtype in ("float16",):
    mine = {"ids are one more": "id_one_more", "the table's last row is never used": "last_row_of_table_unused", "the first rows are padding": "first_row_is_padding",
            "ids in 8 bits": "id_in_8_bits", "weights of the next id": "weight_of_next", "no residual": "residual_missing",
            "every eighth bag has the ids of the one before": "ids_of_previous_bag", "no weights": "weight_missing", "the last bag has the first one's ids": "id_of_first_bag_in_last",
            "the residual of the next row": "residual_of_next_row", "the last columns are of the next id": "last_columns_of_next_id",
            "every second id is the one before": "repeated_ids_once", "weights in few bits": "weight_in_few_bits", "weights below -1.5 are dropped": "negative_weights_dropped",
            "ids above 250 are dropped": "ids_above_250_are_zero", "the mean": "mean_instead", "one bag's columns are shifted": "columns_shifted"}
    TASKS.append(make_task(
        "embedding_bag", "embedding", dtype, "Weighted sum of table rows, added to a residual", {"bags": None, "bag_size": None, "vocab_size": 310, "hidden": 44},
        {"ids": (["bags", "bag_size"], "int64"), "weights": (["bags", "bag_size"], "float32"), "table": (["vocab_size", "hidden"], None), "residual": (["bags", "hidden"], None)},
        {"out": (["bags", "hidden"], None)},
        "import torch\n\ndef run(ids, weights, table, residual):\n    rows = table[ids].float()\n"
        "    return ((rows * weights[:, :, None]).sum(dim=1) + residual.float()).to(table.dtype)\n",
        {"bags": 26, "bag_size": 37}, "embedding.cpp", [],
        right_programs({"plain": [], "on top of the residual": ["-DWAY=residual_first"], "the sum is rounded before the residual": ["-DWAY=sum_rounded"]}, 17, 8)
        + wrong_programs(dtype, mine, 4, 3, 3, most=25)))
