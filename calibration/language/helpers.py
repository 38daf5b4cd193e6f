"""Makes lists of programs out of what all operations share (orders of summation, lost parts, last roundings)."""

BITS16 = ("float16", "bfloat16")

ORDERS = {"in order": "forward", "backwards": "backward", "in halves": "pairwise", "in 4 lanes": "lanes4",
          "in 8 lanes": "lanes8", "in 16 lanes": "lanes16", "in 32 lanes": "lanes32", "in tiles of 16": "tiles16",
          "in tiles of 64": "tiles64", "split in 2": "split2", "split in 3": "split3", "split in 8": "split8",
          "Kahan": "kahan", "fused multiply-add": "fused", "atomics": "shuffled"}

LOSSES = {"the sum misses its last element": "lost_last", "the sum misses its first element": "lost_first",
          "the sum misses its incomplete last tile of 16": "lost_tail", "lane 5 of 32 is lost": "lost_lane",
          "a race loses an eighth of every seventh sum": "lost_part_now_and_then",
          "tiles of 32 overlap by one element": "overlapping_tiles",
          "the last row sums three quarters": "lost_quarter_in_last_row"}

WRITES = {"two rows are swapped": "rows_swapped", "the last row is zero": "last_row_zero",
          "the second row is the first": "second_row_is_first", "the last column repeats": "last_column_repeats",
          "halves of one row are swapped": "halves_swapped_in_a_row", "small results are zero": "small_flushed",
          "results are clamped at 1.5": "large_clamped", "large negative results lose their sign": "large_negative_flipped",
          "odd rows have no tail": "odd_tail_unwritten", "one element in 1009 is its neighbour": "one_in_thousands_is_neighbour"}


def pick(names, start, count):
    """`count` entries of a dict from `start` on, around its end."""
    items = list(names.items())
    return [items[(start + i) % len(items)] for i in range(min(count, len(items)))]


MOST_WRONG = 25


def spread(items, most):
    """At most so many of a list, from all over it."""
    kept = min(most, len(items))
    return [items[i * len(items) // kept] for i in range(kept)]


def right_programs(ways, orders, start=0, doubles=True):
    """Each way once with the next of the orders, then the first way with the rest up to `orders` of them.

    ways: {name: flags}, the plainest first."""
    around = pick(ORDERS, start, len(ORDERS))
    made = []
    for i in range(max(orders, len(ways))):
        order_name, order = around[i if i < len(around) else (i + 3) % len(around)]
        way_name, flags = list(ways.items())[i if i < len(ways) else i // len(around)]
        made.append((f"{way_name}, {order_name}", True, [*flags, f"-DORDER={order}"]))
    if doubles:
        made.append(("in double", True, [*list(ways.values())[0], "-DREAL=double"]))
    return made


def output_mistakes(dtype):
    """The last rounding, and results that are too large."""
    cases = {"float32": {"the output went through bf16": ["-DOUTPUT=through_bf16"],
                         "the output went through fp16": ["-DOUTPUT=through_f16"],
                         "the output went through tf32": ["-DOUTPUT=through_tf32"],
                         "0.1 % too large": ["-DFACTOR=1.001"],
                         "one element in 97 is 1 % too large": ["-DFACTOR=1.01", "-DEVERY=97"]},
             "float16": {"cut off, not rounded": ["-DOUTPUT=cut_off"],
                         "rounded through bf16": ["-DOUTPUT=through_bf16"],
                         "0.5 % too large": ["-DFACTOR=1.005"],
                         "one element in 97 is 2 % too large": ["-DFACTOR=1.02", "-DEVERY=97"]},
             "bfloat16": {"cut off, not rounded": ["-DOUTPUT=cut_off"],
                          "rounded away from zero": ["-DOUTPUT=rounded_up_at_half_always"],
                          "1 % too large": ["-DFACTOR=1.01"],
                          "one element in 97 is 5 % too large": ["-DFACTOR=1.05", "-DEVERY=97"]}}
    return [(name, False, flags) for name, flags in cases[dtype].items()]


def accumulator_mistakes(dtype):
    made = [("sums in bf16", False, ["-DSUM=sum_in_bf16"])]
    return made if dtype == "bfloat16" else [*made, ("sums in fp16", False, ["-DSUM=sum_in_f16"])]


def wrong_programs(dtype, defects, losses, writes, start=0, sums=True, most=MOST_WRONG):
    """defects: {name: DEFECT} of the operation; losses and writes: how many of the shared ones."""
    made = ([(name, False, [f"-DDEFECT={defect}"]) for name, defect in defects.items()]
            + [(name, False, [f"-DLOSS={loss}"]) for name, loss in pick(LOSSES, start, losses)]
            + [(name, False, [f"-DWRITE={write}"]) for name, write in pick(WRITES, start, writes)]
            + output_mistakes(dtype) + (accumulator_mistakes(dtype) if sums else []))
    return spread(made, most)


def make_task(name, op_type, dtype, description, axes, inputs, outputs, reference, lengths, source, flags, programs,
              given=None):
    """inputs, outputs: {name: (shape, dtype or None for the task's)}; axes: {name: None for var, or the length}."""
    def specs(tensors):
        return {key: {"shape": shape, "dtype": kind or dtype} for key, (shape, kind) in tensors.items()}
    return {"definition": {
                "name": f"{name}_{dtype}", "op_type": op_type, "description": description,
                "axes": {key: {"type": "var"} if length is None else {"type": "const", "value": length}
                         for key, length in axes.items()},
                "inputs": specs(inputs), "outputs": specs(outputs), "reference": reference},
            "axes": lengths, "inputs": given or {}, "source": source,
            "flags": [f"-DDTYPE={dtype}", *flags], "truth": ["-DTRUTH=1"], "programs": programs}
