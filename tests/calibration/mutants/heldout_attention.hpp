// Held out: attention of a prompt behind a cache, and of single queries over a cache of pages.
#pragma once

#include "calibration/mutants/heldout_softmax.hpp"

namespace kbench::mutants::heldout {

// Outcome of one query: of its scores and the values' rows.
template <class T>
struct Attended {
  std::vector<T> o;
  T lse = 0;  // logarithm to base 2
};

template <class T>
struct Query {
  std::size_t id = 0, width = 0;
  DType dtype = DType::float32;
  std::vector<T> scores;
  std::vector<const float*> values;
};

template <class T>
Attended<T> attend(const Query<T>& q, const Way& way) {
  Weights<T> w = weights(q.scores, q.id, way);
  Attended<T> out;
  out.lse = w.highest * static_cast<T>(1.44269504088896340736L) + std::log2(w.sum);
  if (way.is("lse to base e")) out.lse = w.highest + std::log(w.sum);
  if (way.is("lse without the maximum")) out.lse = std::log2(w.sum);
  const DType coarse = way.is("weights in 8 bits") ? DType::float8_e4m3fn : q.dtype;
  if (way.is("weights rounded before the values") || way.is("weights in 8 bits"))
    for (T& e : w.e) e = low(coarse, e);
  if (way.is("weights rounded when divided"))
    for (T& e : w.e) e = low(coarse, e / w.sum) * w.sum;
  for (std::size_t c = 0; c < q.width; ++c) {
    const T v = dot<T>(
        way, q.id, w.e.size(), [&](std::size_t s) { return w.e[s]; },
        [&](std::size_t s) { return static_cast<T>(q.values[s][c]); });
    out.o.push_back(way.is("not divided by the sum") ? v : v / w.sum);
  }
  return out;
}

// Returns a dot of q and k times 1/sqrt(D).
template <class T>
T score(const float* q, const float* k, std::size_t width, const Way& way) {
  const Way plain{.order = way.order == Order::fused ? Order::fused : Order::forward};
  const T s = dot<T>(
      plain, 0, width, [&](std::size_t c) { return static_cast<T>(q[c]); },
      [&](std::size_t c) { return static_cast<T>(k[c]); });
  if (way.is("no scale")) return s;
  if (way.is("scale 1 / D")) return s / static_cast<T>(width);
  return s / std::sqrt(static_cast<T>(width));
}

inline const std::vector<std::string> wrong_attention{"no scale", "scale 1 / D", "lse to base e",
                                                      "lse without the maximum",
                                                      "not divided by the sum"};

// q[3, 17, 40] are the last 17 of 29 tokens; one head of keys and values.
struct Prefill {
  std::size_t heads = 3, queries = 17, keys = 29, width = 40;
  DType dtype = DType::float16;
};

inline std::size_t seen_keys(const Prefill& d, std::size_t t, const Way& way) {
  const std::size_t right = t + 1 + d.keys - d.queries;
  if (way.is("not causal")) return d.keys;
  if (way.is("causal, one less")) return right - 1;
  if (way.is("causal, one more")) return std::min(d.keys, right + 1);
  if (way.is("causal from the start")) return t + 1;
  return right;
}

template <class T>
Made prefill(const Prefill& d, const Given& given, const Way& way) {
  const Floats &q = given["q"], &k = given["k"], &v = given["v"];
  Made out(2);
  for (std::size_t r = 0; r < d.heads * d.queries; ++r) {
    Query<T> mine{.id = r, .width = d.width, .dtype = d.dtype, .scores = {}, .values = {}};
    const std::size_t seen = seen_keys(d, r % d.queries, way);
    const std::size_t first = way.is("a window of 16") && seen > 16 ? seen - 16 : 0;
    for (std::size_t s = first; s < seen; ++s) {
      mine.scores.push_back(score<T>(q.data() + r * d.width, k.data() + s * d.width, d.width, way));
      mine.values.push_back(v.data() + s * d.width);
    }
    const Attended<T> a = attend(mine, way);
    out[0].insert(out[0].end(), a.o.begin(), a.o.end());
    out[1].push_back(a.lse);
  }
  return out;
}

inline HeldOut prefill_causal(DType dtype) {
  const Prefill d{.dtype = dtype};
  Task task{"prefill behind a cache",
            "gqa",
            dtype,
            {{"H", 3}, {"T", 17}, {"S", 29}, {"D", 40}},
            {{"q", tensor({"H", "T", "D"}, dtype)},
             {"k", tensor({"S", "D"}, dtype)},
             {"v", tensor({"S", "D"}, dtype)}},
            {{"o", tensor({"H", "T", "D"}, dtype)}, {"lse", tensor({"H", "T"}, DType::float32)}},
            "def run(q, k, v):\n    T = q.shape[1]\n    S = k.shape[0]\n"
            "    s = q.float() @ k.float().T / 40.0 ** 0.5\n"
            "    hidden = torch.ones(T, S, dtype=torch.bool).triu(1 + S - T)\n"
            "    s = s.masked_fill(hidden, float('-inf'))\n"
            "    o = torch.softmax(s, dim=-1) @ v.float()\n"
            "    return o.to(q.dtype), torch.logsumexp(s, dim=-1) * 1.4426950408889634\n",
            {}};
  Making making(std::move(task), {{dtype, d.width}, {DType::float32, 1}},
                [d]<class T>(T, const Given& g, const Way& w) { return prefill<T>(d, g, w); });
  making.sums().outputs().rows().rights({"online", "by powers of 2"});
  making.wrongs(wrong_attention);
  making.wrongs({"not causal", "causal, one less", "causal, one more", "causal from the start",
                 "a window of 16", "weights in 8 bits", "a polynomial of 3 terms",
                 "an online sum that is not rescaled"});
  making.wrong("the next head's queries", {.before = rolled("q", std::size_t{17} * 40)});
  making.wrong("the next token's values", {.before = rolled("v", 40)});
  if (is_16_bit(dtype))
    making.cutting().rights({"weights rounded before the values", "weights rounded when divided"});
  else
    making.downgrades({"q", "v"}).flushing();
  return making.done();
}

// q[3, 4, 32] over pages[9, 4, 2, 32] by a table [3, 3] and lengths; two heads of keys and values.
struct Paged {
  std::size_t batch = 3, heads = 4, groups = 2, width = 32, page = 4, table = 3;
  DType dtype = DType::bfloat16;
};

inline std::size_t seen_slots(const Paged& d, std::int64_t length, const Way& way) {
  const auto n = static_cast<std::size_t>(length);
  if (way.is("padding is seen")) return d.page * d.table;
  if (way.is("whole pages are seen")) return (n + d.page - 1) / d.page * d.page;
  if (way.is("the last token is not seen")) return std::max<std::size_t>(n, 2) - 1;
  if (way.is("only whole pages")) return std::max<std::size_t>(n / d.page * d.page, 1);
  if (way.is("one page")) return std::min(n, d.page);
  return n;
}

template <class T>
Made paged(const Paged& d, const Given& given, const Way& way) {
  const Floats &q = given["q"], &k = given["k_cache"], &v = given["v_cache"];
  const auto &pages = given.integers.at("page_table"), &lengths = given.integers.at("seq_lens");
  const bool strided = way.is("heads interleaved"), in_order = way.is("pages in order");
  Made out(2);
  for (std::size_t r = 0; r < d.batch * d.heads; ++r) {
    const std::size_t b = r / d.heads, h = r % d.heads;
    const std::size_t group = strided ? h % d.groups : h * d.groups / d.heads;
    Query<T> mine{.id = r, .width = d.width, .dtype = d.dtype, .scores = {}, .values = {}};
    for (std::size_t s = 0; s < seen_slots(d, lengths[b], way); ++s) {
      const std::size_t entry = b * d.table + s / d.page;
      const std::size_t page = in_order ? entry : static_cast<std::size_t>(pages[entry]);
      const std::size_t at = ((page * d.page + s % d.page) * d.groups + group) * d.width;
      mine.scores.push_back(score<T>(q.data() + r * d.width, k.data() + at, d.width, way));
      mine.values.push_back(v.data() + at);
    }
    const Attended<T> a = attend(mine, way);
    out[0].insert(out[0].end(), a.o.begin(), a.o.end());
    out[1].push_back(a.lse);
  }
  return out;
}

// Sequences are short, so a race and an overlap are the only mistakes in sums here.
inline HeldOut decode_paged(DType dtype) {
  const Paged d{.batch = 5, .dtype = dtype};
  Task task{"paged decode",
            "gqa_paged",
            dtype,
            {{"B", 5}, {"H", 4}, {"G", 2}, {"D", 32}, {"P", 16}, {"L", 4}, {"E", 3}},
            {{"q", tensor({"B", "H", "D"}, dtype)},
             {"k_cache", tensor({"P", "L", "G", "D"}, dtype)},
             {"v_cache", tensor({"P", "L", "G", "D"}, dtype)},
             {"page_table", tensor({"B", "E"}, DType::int32)},
             {"seq_lens", tensor({"B"}, DType::int32)}},
            {{"o", tensor({"B", "H", "D"}, dtype)}, {"lse", tensor({"B", "H"}, DType::float32)}},
            "def run(q, k_cache, v_cache, page_table, seq_lens):\n"
            "    o = torch.zeros(q.shape, dtype=torch.float32)\n"
            "    lse = torch.zeros(q.shape[0], q.shape[1], dtype=torch.float32)\n"
            "    for b in range(q.shape[0]):\n        n = int(seq_lens[b])\n"
            "        pages = page_table[b].to(torch.int64)\n"
            "        k = k_cache[pages].reshape(-1, 2, 32)[:n].float().transpose(0, 1)\n"
            "        v = v_cache[pages].reshape(-1, 2, 32)[:n].float().transpose(0, 1)\n"
            "        k = k.repeat_interleave(2, dim=0)\n"
            "        v = v.repeat_interleave(2, dim=0)\n"
            "        s = (k @ q[b].float().unsqueeze(2)).squeeze(2) / 32.0 ** 0.5\n"
            "        lse[b] = torch.logsumexp(s, dim=-1) * 1.4426950408889634\n"
            "        o[b] = (torch.softmax(s, dim=-1).unsqueeze(1) @ v).squeeze(1)\n"
            "    return o.to(q.dtype), lse\n",
            {}};
  Making making(std::move(task), {{dtype, d.width}, {DType::float32, 1}},
                [d]<class T>(T, const Given& g, const Way& w) { return paged<T>(d, g, w); });
  making.plain().right("from the end", {.order = Order::backward});
  making.right("by fused multiply-add", {.order = Order::fused});
  making.right("split in four", {.order = Order::split}).outputs().rows();
  making.rights({"online", "by powers of 2"}).wrongs(wrong_attention);
  making.wrongs({"padding is seen", "whole pages are seen", "the last token is not seen",
                 "only whole pages", "one page", "heads interleaved", "pages in order"});
  making.wrong("tiles overlap by one", {.order = Order::border_twice});
  making.wrong("the next head's queries", {.before = rolled("q", 32)});
  making.wrong("the next sequence's length", {.before = [](Given& g) {
                 auto& v = g.integers.at("seq_lens");
                 std::rotate(v.begin(), v.begin() + 1, v.end());
               }});
  if (is_16_bit(dtype))
    making.cutting().rights({"weights rounded before the values", "weights rounded when divided"});
  else
    making.downgrades({"q", "k_cache"}).flushing();
  return making.done();
}

}  // namespace kbench::mutants::heldout
