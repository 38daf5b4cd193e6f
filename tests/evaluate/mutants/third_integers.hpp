// Third set: bits, places, orders and masks. Every element is right or wrong.
#pragma once

#include <numeric>

#include "evaluate/mutants/third_making.hpp"

namespace kbench::mutants::heldout {

// 16 flags in an int16, the first one lowest: flags[9, 208].
inline std::int64_t word_of(const Floats& flags, N first, const Way& way) {
  std::uint32_t word = 0;
  const N count = way.is("15 flags") ? 15 : 16;
  for (N k = 0; k < count; ++k) {
    N from = first + k, to = k;
    if (way.is("the first one highest")) to = 15 - k;
    if (way.is("bytes swapped")) to = (k + 8) % 16;
    if (way.is("one flag late")) from = (from + 1) % flags.size();
    if (way.is("every other twice")) from = first + k / 2 * 2;
    if ((flags[from] != 0) != way.is("the others")) word |= 1U << to;
  }
  if (way.is("saturates")) return std::min<std::int64_t>(word, 32767);
  if (way.is("the sign is lost")) return word & 0x7fff;
  return static_cast<std::int16_t>(word);
}

inline HeldOut packed_flags() {
  const auto body = [](auto, const Given& g, const Way& way) {
    const Floats& flags = g["flags"];
    Made out(1);
    for (N i = 0; i < flags.size() / 16; ++i) {
      if (way.is("from the end")) {
        std::int64_t word = 0;
        for (N k = 16; k-- > 0;) word = 2 * word + (flags[16 * i + k] != 0 ? 1 : 0);
        out[0].push_back(word > 32767 ? word - 65536 : word);
      } else if (way.is("words of a column")) {
        out[0].push_back(word_of(flags, i % 9 * 208 + i / 9 * 16, way));
      } else {
        out[0].push_back(word_of(flags, 16 * i, way));
      }
    }
    return out;
  };
  Task task{"flags into words",
            "pack_bits",
            DType::int16,
            {{"M", 9}, {"N", 208}, {"W", 13}},
            {{"flags", tensor({"M", "N"}, DType::boolean)}},
            {{"y", tensor({"M", "W"}, DType::int16)}},
            "def run(flags):\n    bits = flags.reshape(9, 13, 16).to(torch.int32)\n"
            "    shifts = torch.arange(16).to(torch.int32)\n"
            "    return (bits << shifts).sum(-1).to(torch.int16)\n",
            {}};
  Making making(std::move(task), {{DType::int16, 13}}, body);
  making.plain().outputs().rows();
  return slips(making)
      .rights({"from the end"})
      .wrongs({"15 flags", "the first one highest", "bytes swapped", "one flag late",
               "every other twice", "the others", "saturates", "the sign is lost",
               "words of a column"})
      .done();
}

// Where the token at a position of a sequence lies: page_table[5, 7], pages of 12.
inline HeldOut token_slots() {
  const auto body = [](auto, const Given& g, const Way& way) {
    const auto &pages = g.integers.at("page_table"), &positions = g.integers.at("positions");
    Made out(1);
    for (N i = 0; i < positions.size(); ++i) {
      const std::int64_t p = positions[i], page = way.is("pages of 16") ? 16 : 12;
      const auto b = static_cast<std::int64_t>(way.is("the first sequence") ? 0 : i / 23);
      std::int64_t at = b * 7 + std::min<std::int64_t>(p / page, 6);
      if (way.is("the next page")) at = std::min<std::int64_t>(at + 1, 34);
      if (way.is("the page rounded")) at = b * 7 + std::min<std::int64_t>((p + 6) / 12, 6);
      if (way.is("the table the other way round")) at = (p / 12 * 5 + b) % 35;
      const std::int64_t id = way.is("pages in order") ? at : pages[static_cast<N>(at)];
      std::int64_t y = id * page + p % page;
      if (way.is("by a difference")) y = p + (id - p / page) * page;
      if (way.is("a place less")) y = id * page + (p + 11) % page;
      if (way.is("the page alone")) y = id;
      if (way.is("the place alone")) y = p % page;
      if (way.is("shifted by 4")) y = (id << 4) + p % page;
      out[0].push_back(y);
    }
    return out;
  };
  Task task{"slots of tokens",
            "slot_mapping",
            DType::int64,
            {{"B", 5}, {"E", 7}, {"num_pages", 64}, {"T", 23}, {"D", 1}},
            {{"kv_cache", tensor({"num_pages", "D"}, DType::float16)},
             {"page_table", tensor({"B", "E"}, DType::int32)},
             {"positions", tensor({"B", "T"}, DType::int64)}},
            {{"y", tensor({"B", "T"}, DType::int64)}},
            "def run(kv_cache, page_table, positions):\n    assert positions.max() < 84\n"
            "    page = torch.gather(page_table.to(torch.int64), 1, positions // 12)\n"
            "    return page * 12 + positions % 12\n",
            {}};
  Making making(std::move(task), {{DType::int64, 23}}, body);
  making.plain().outputs().rows();
  return slips(making)
      .rights({"by a difference"})
      .wrongs({"pages of 16", "the first sequence", "the next page", "the page rounded",
               "the table the other way round", "pages in order", "a place less", "the page alone",
               "the place alone", "shifted by 4"})
      .wrong(
          "the next position",
          {.before = on_integers(
               "positions", [](std::int64_t v, N) { return std::min<std::int64_t>(v + 1, 83); })})
      .done();
}

// The order of rows of 130 small keys, equal ones as they came.
inline std::vector<N> order_of(std::span<const std::int64_t> keys, const Way& way) {
  std::vector<N> order(keys.size());
  std::iota(order.begin(), order.end(), N{0});
  if (way.is("equal ones from the end")) std::reverse(order.begin(), order.end());
  const auto key = [&](N i) {
    if (way.is("the largest first")) return -keys[i];
    if (way.is("by absolute value")) return std::abs(keys[i]);
    if (way.is("without a sign")) return keys[i] & 0xffff;
    if (way.is("by halves of keys")) return keys[i] >> 1;
    return keys[i];
  };
  const N block = way.is("blocks of 64 stand alone") ? 64 : keys.size();
  for (N first = 0; first < keys.size(); first += block)
    std::stable_sort(order.begin() + static_cast<long>(first),
                     order.begin() + static_cast<long>(std::min(first + block, keys.size())),
                     [&](N a, N b) { return key(a) < key(b); });
  return order;
}

inline HeldOut stable_order() {
  const auto body = [](auto, const Given& g, const Way& way) {
    Made out(1);
    for (N r = 0; r < 6; ++r) {
      std::vector<std::int64_t> keys;
      for (N c = 0; c < 130; ++c) keys.push_back(g.integers.at("x")[r * 130 + c] >> 6);
      std::vector<N> order = order_of(keys, way), places(130);
      for (N c = 0; c < 130; ++c) places[order[c]] = c;
      if (way.is("places, not the order")) order = places;
      if (way.is("by counting"))
        for (N c = 0; c < 130; ++c) {
          N before = 0;
          for (N k = 0; k < 130; ++k)
            if (keys[k] < keys[c] || (keys[k] == keys[c] && k < c)) ++before;
          order[before] = c;
        }
      for (const N i : order)
        out[0].push_back(static_cast<long double>(
                             way.is("keys, not places") ? static_cast<N>(keys[i] + 16) : i) +
                         (way.is("indices of the whole") ? 130.0L * r : 0));
    }
    return out;
  };
  Task task{"stable order",
            "sort",
            DType::int64,
            {{"M", 6}, {"N", 130}},
            {{"x", tensor({"M", "N"}, DType::int32)}},
            {{"y", tensor({"M", "N"}, DType::int64)}},
            "def run(x):\n    values, order = torch.sort(x >> 6, dim=-1, stable=True)\n"
            "    return order\n",
            {}};
  Making making(std::move(task), {{DType::int64, 130}}, body);
  making.plain().outputs().rows();
  return slips(making)
      .rights({"by counting"})
      .wrongs({"equal ones from the end", "the largest first", "by absolute value",
               "without a sign", "by halves of keys", "blocks of 64 stand alone",
               "places, not the order", "keys, not places", "indices of the whole"})
      .done();
}

// Where experts' blocks of 16 tokens begin: 21 experts, 1900 tokens.
inline HeldOut aligned_offsets() {
  const auto body = [](auto, const Given& g, const Way& way) {
    const auto& ids = g.integers.at("expert");
    const N tokens =
        way.is("the last partial block is dropped") ? ids.size() / 64 * 64 : ids.size();
    std::vector<std::int64_t> counts(21);
    for (N t = 0; t < tokens; ++t) {
      if (way.is("updates lost between warps") && t % 32 == 31) continue;
      ++counts[static_cast<N>((ids[t] + (way.is("counted from 1") ? 1 : 0)) % 21)];
    }
    Made out(1);
    std::int64_t sum = 0;
    for (N e = 0; e < 21; ++e) {
      std::int64_t blocks = (counts[e] + 15) / 16;
      if (way.is("by a mask")) blocks = ((counts[e] + 15) & ~std::int64_t{15}) >> 4;
      if (way.is("rounded down")) blocks = counts[e] / 16;
      if (way.is("blocks of 8")) blocks = (counts[e] + 7) / 8;
      const std::int64_t more = way.is("not aligned") ? counts[e] : 16 * blocks;
      if (!way.is("where they end")) out[0].push_back(way.is("counts alone") ? more : sum);
      sum += more;
      if (way.is("where they end")) out[0].push_back(sum);
    }
    out[0].push_back(sum);
    return out;
  };
  Task task{"offsets of experts",
            "moe_align",
            DType::int32,
            {{"T", 1900}, {"F", 22}},
            {{"expert", tensor({"T"}, DType::int32)}},
            {{"y", tensor({"F"}, DType::int32)}},
            "def run(expert):\n    y = torch.zeros(22, dtype=torch.int32)\n    at = 0\n"
            "    for e in range(21):\n        count = int((expert == e).sum())\n"
            "        at = at + (count + 15) // 16 * 16\n        y[e + 1] = at\n    return y\n",
            {}};
  Making making(std::move(task), {{DType::int32, 22}}, body);
  making.plain().outputs();
  return slips(making)
      .rights({"by a mask"})
      .wrongs({"the last partial block is dropped", "updates lost between warps", "counted from 1",
               "rounded down", "blocks of 8", "not aligned", "where they end", "counts alone"})
      .done();
}

// Which tokens of packed documents see which: the same document, and what is not later.
inline HeldOut document_mask() {
  const auto body = [](auto, const Given& g, const Way& way) {
    const auto& ids = g.integers.at("ids");
    Made out(1);
    for (N i = 0; i < 60; ++i)
      for (N j = 0; j < 60; ++j) {
        bool same = (ids[i] & 3) == (ids[j] & 3), behind = j <= i;
        if (way.is("documents as in C")) same = std::abs(ids[i] % 4) == std::abs(ids[j] % 4);
        if (way.is("by a difference of bits")) same = ((ids[i] ^ ids[j]) & 3) == 0;
        if (way.is("no documents")) same = true;
        if (way.is("documents up to this one")) same = (ids[j] & 3) <= (ids[i] & 3);
        if (way.is("documents of 2")) same = (ids[i] & 1) == (ids[j] & 1);
        if (way.is("not causal")) behind = true;
        if (way.is("causal without itself")) behind = j < i;
        if (way.is("causal the other way")) behind = j >= i;
        if (way.is("causal by blocks of 8")) behind = j / 8 <= i / 8;
        const bool in = way.is("either of them") ? same || behind : same && behind;
        out[0].push_back(in != way.is("what is not seen") ? 1 : 0);
      }
    return out;
  };
  Task task{"mask of documents",
            "attention_mask",
            DType::boolean,
            {{"T", 60}, {"S", 60}},
            {{"ids", tensor({"T"}, DType::int64)}},
            {{"y", tensor({"T", "S"}, DType::boolean)}},
            "def run(ids):\n    d = torch.remainder(ids, 4)\n    i = torch.arange(60)\n"
            "    same = d.unsqueeze(1) == d.unsqueeze(0)\n"
            "    return same & (i.unsqueeze(0) <= i.unsqueeze(1))\n",
            {}};
  Making making(std::move(task), {{DType::boolean, 60}}, body);
  making.plain().rows();
  return making.rights({"by a difference of bits"})
      .wrongs({"no documents", "documents as in C", "documents up to this one", "documents of 2",
               "not causal", "causal without itself", "causal the other way",
               "causal by blocks of 8", "either of them", "what is not seen"})
      .wrong("the next token's document", {.before = rolled_integers("ids", 1)})
      .done();
}

// A hash of each row of 9 words that wraps at 32 bits (FNV's way).
inline std::int64_t hash_of(std::span<const std::int64_t> words, const Way& way) {
  std::uint32_t h = way.is("starts from 0") ? 0 : 40389;
  const N n = way.is("the last word is left out") ? words.size() - 1 : words.size();
  for (N k = 0; k < n; ++k) {
    const auto word =
        static_cast<std::uint32_t>(words[way.is("words from the end") ? n - 1 - k : k]);
    if (way.is("the product first")) {
      h = (h * 16777619U) ^ word;
      continue;
    }
    h = way.is("added") ? h + word : way.is("or for exclusive or") ? h | word : h ^ word;
    if (way.is("by shifts"))
      h = h + (h << 1) + (h << 4) + (h << 7) + (h << 8) + (h << 24);
    else
      h *= way.is("another factor") ? 16777621U : 16777619U;
    if (way.is("31 bits")) h &= 0x7fffffffU;
    if (way.is("through float"))
      h = static_cast<std::uint32_t>(static_cast<float>(h) * 0.99999994F);
  }
  return static_cast<std::int32_t>(h);
}

inline HeldOut hashed_rows() {
  const auto body = [](auto, const Given& g, const Way& way) {
    const std::span<const std::int64_t> x = g.integers.at("x");
    Made out(1);
    for (N r = 0; r < 77; ++r) out[0].push_back(hash_of(x.subspan(r * 9, 9), way));
    return out;
  };
  Task task{"hashes of rows",
            "hash",
            DType::int32,
            {{"M", 77}, {"K", 9}},
            {{"x", tensor({"M", "K"}, DType::int32)}},
            {{"y", tensor({"M"}, DType::int32)}},
            "def run(x):\n    h = torch.full([77], 40389, dtype=torch.int32)\n"
            "    for k in range(9):\n        h = (h ^ x[:, k]) * 16777619\n    return h\n",
            {}};
  Making making(std::move(task), {{DType::int32, 77}}, body);
  making.plain().outputs();
  return slips(making)
      .rights({"by shifts"})
      .wrongs({"starts from 0", "the last word is left out", "words from the end",
               "the product first", "added", "or for exclusive or", "another factor", "31 bits",
               "through float"})
      .done();
}

}  // namespace kbench::mutants::heldout
