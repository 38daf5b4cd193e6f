// Third set: bits, places, orders and masks. Every element is right or wrong.
#pragma once

#include <numeric>

#include "calibration/mutants/third_making.hpp"

namespace kbench::mutants::heldout {

// Word of 16 flags, an int16, the first one lowest: flags[9, 208].
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

// Place of the token at a position of a sequence: page_table[5, 7], pages of 12.
inline std::int64_t table_entry(std::int64_t p, N b, std::int64_t page, const Way& way) {
  const auto row = static_cast<std::int64_t>(way.is("the first sequence") ? 0 : b);
  if (way.is("the table the other way round")) return (p / 12 * 5 + row) % 35;
  if (way.is("the page rounded")) return row * 7 + std::min<std::int64_t>((p + 6) / 12, 6);
  const std::int64_t at = row * 7 + std::min<std::int64_t>(p / page, 6);
  return way.is("the next page") ? std::min<std::int64_t>(at + 1, 34) : at;
}

inline std::int64_t slot_of(std::int64_t p, std::int64_t id, std::int64_t page, const Way& way) {
  if (way.is("by a difference")) return p + (id - p / page) * page;
  if (way.is("a place less")) return id * page + (p + 11) % page;
  if (way.is("the page alone")) return id;
  if (way.is("the place alone")) return p % page;
  return way.is("shifted by 4") ? (id << 4) + p % page : id * page + p % page;
}

inline HeldOut token_slots() {
  const auto body = [](auto, const Given& g, const Way& way) {
    const auto &pages = g.integers.at("page_table"), &positions = g.integers.at("positions");
    const std::int64_t page = way.is("pages of 16") ? 16 : 12;
    Made out(1);
    for (N i = 0; i < positions.size(); ++i) {
      const std::int64_t at = table_entry(positions[i], i / 23, page, way);
      const std::int64_t id = way.is("pages in order") ? at : pages[static_cast<N>(at)];
      out[0].push_back(slot_of(positions[i], id, page, way));
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

// Order of rows of 130 small keys, equal ones as they came.
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

inline std::vector<N> order_by_counting(std::span<const std::int64_t> keys) {
  std::vector<N> order(keys.size());
  for (N c = 0; c < keys.size(); ++c) {
    N before = 0;
    for (N k = 0; k < keys.size(); ++k)
      if (keys[k] < keys[c] || (keys[k] == keys[c] && k < c)) ++before;
    order[before] = c;
  }
  return order;
}

inline Values ordered_row(std::span<const std::int64_t> x, N row, const Way& way) {
  std::vector<std::int64_t> keys;
  for (const std::int64_t v : x) keys.push_back(v >> 6);
  const std::vector<N> order =
      way.is("by counting") ? order_by_counting(keys) : order_of(keys, way);
  Values out(order.size());
  for (N c = 0; c < order.size(); ++c) {
    if (way.is("places, not the order"))
      out[order[c]] = static_cast<long double>(c);
    else if (way.is("keys, not places"))
      out[c] = static_cast<long double>(keys[order[c]]);
    else
      out[c] =
          static_cast<long double>(order[c] + (way.is("indices of the whole") ? 130 * row : 0));
  }
  return out;
}

inline HeldOut stable_order() {
  const auto body = [](auto, const Given& g, const Way& way) {
    const std::span<const std::int64_t> x = g.integers.at("x");
    Made out(1);
    for (N r = 0; r < 6; ++r) {
      const Values mine = ordered_row(x.subspan(r * 130, 130), r, way);
      out[0].insert(out[0].end(), mine.begin(), mine.end());
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

// Begins of experts' blocks of 16 tokens: 21 experts, 1900 tokens.
inline std::vector<std::int64_t> expert_counts(const std::vector<std::int64_t>& ids,
                                               const Way& way) {
  const N block = way.is("the last partial block is dropped") ? 256 : 1;
  std::vector<std::int64_t> counts(21);
  for (N t = 0; t < ids.size() / block * block; ++t) {
    if (way.is("updates lost between warps") && t % 32 == 31) continue;
    ++counts[static_cast<N>((ids[t] + (way.is("counted from 1") ? 1 : 0)) % 21)];
  }
  return counts;
}

inline std::int64_t padded(std::int64_t count, const Way& way) {
  if (way.is("by a mask")) return (count + 15) & ~std::int64_t{15};
  if (way.is("rounded down")) return count / 16 * 16;
  if (way.is("blocks of 8")) return (count + 7) / 8 * 8;
  return way.is("not aligned") ? count : (count + 15) / 16 * 16;
}

inline HeldOut aligned_offsets() {
  const auto body = [](auto, const Given& g, const Way& way) {
    Made out(1);
    std::int64_t sum = 0;
    for (const std::int64_t count : expert_counts(g.integers.at("expert"), way)) {
      const std::int64_t more = padded(count, way);
      out[0].push_back(way.is("counts alone") ? more : way.is("where they end") ? sum + more : sum);
      sum += more;
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

// Tokens of packed documents see each other in the same document, and none that is later.
inline bool same_document(std::int64_t a, std::int64_t b, const Way& way) {
  if (way.is("documents as in C")) return std::abs(a % 4) == std::abs(b % 4);
  if (way.is("by a difference of bits")) return ((a ^ b) & 3) == 0;
  if (way.is("documents up to this one")) return (b & 3) <= (a & 3);
  if (way.is("documents of 2")) return (a & 1) == (b & 1);
  return (a & 3) == (b & 3) || way.is("no documents");
}

inline bool not_later(N i, N j, const Way& way) {
  if (way.is("causal without itself")) return j < i;
  if (way.is("causal the other way")) return j >= i;
  if (way.is("causal by blocks of 8")) return j / 8 <= i / 8;
  return j <= i || way.is("not causal");
}

inline HeldOut document_mask() {
  const auto body = [](auto, const Given& g, const Way& way) {
    const auto& ids = g.integers.at("ids");
    Made out(1);
    for (N at = 0; at < 60 * 60; ++at) {
      const bool same = same_document(ids[at / 60], ids[at % 60], way);
      const bool behind = not_later(at / 60, at % 60, way);
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

// Hash of each row of 9 words that wraps at 32 bits (FNV's way).
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
