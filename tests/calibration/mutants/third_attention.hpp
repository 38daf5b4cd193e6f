// Third set: attention with sinks, with capped scores, over a latent cache, and merged.
#pragma once

#include "calibration/mutants/third_making.hpp"

namespace kbench::mutants::heldout {

// Softmax over `s` with something more in its sum, and its mean of values(k, c).
template <class T>
struct Mix {
  std::vector<T> s;
  T sink = -std::numeric_limits<T>::infinity();
  N width = 1, id = 0;
  DType dtype = DType::float32;
};

template <class T>
T natural(T x, const Way& way) {
  if (way.is("by powers of 2")) return std::exp2(x * static_cast<T>(1.44269504088896340736L));
  return std::exp(x);
}

template <class T, class V>
std::vector<T> online_mix(const Mix<T>& m, const V& values) {
  T top = m.sink, sum = std::isinf(m.sink) ? T{0} : T{1};
  std::vector<T> out(m.width);
  for (N k = 0; k < m.s.size(); ++k) {
    const T next = std::max(top, m.s[k]);
    const T old = std::isinf(top) ? T{0} : std::exp(top - next), mine = std::exp(m.s[k] - next);
    sum = sum * old + mine;
    for (N c = 0; c < m.width; ++c) out[c] = out[c] * old + mine * values(k, c);
    top = next;
  }
  for (T& v : out) v /= sum;
  return out;
}

template <class T, class V>
std::vector<T> mixed(const Mix<T>& m, const V& values, const Way& way) {
  if (way.is("online")) return online_mix(m, values);
  const T top = std::max(m.sink, *std::max_element(m.s.begin(), m.s.end()));
  std::vector<T> e, out;
  for (const T s : m.s) e.push_back(natural<T>(s - top, way));
  const T more = std::isinf(m.sink) ? T{0} : natural<T>(m.sink - top, way);
  const T sum = total<T>(way, m.id, e.size(), [&](N k) { return e[k]; }) + more;
  if (way.is("weights rounded before the values"))
    for (T& x : e) x = low(m.dtype, x);
  for (N c = 0; c < m.width; ++c) {
    T v = dot<T>(
        way, m.id, e.size(), [&](N k) { return e[k]; }, [&](N k) { return values(k, c); });
    if (way.is("the sink has the first value")) v += more * values(0, c);
    out.push_back(way.is("not divided by the sum") ? v : v / sum);
  }
  return out;
}

// q[4, 13, 24], two heads of keys; a window of 6.
struct Sinks {
  N heads = 4, tokens = 13, width = 24, window = 6;
};

inline N first_seen(const Sinks& d, N t, const Way& way) {
  N window = d.window;
  if (way.is("a window of 5")) window = 5;
  if (way.is("a window of 7")) window = 7;
  if (way.is("no window")) window = 100;
  return t + 1 > window ? t + 1 - window : 0;
}

template <class T>
Made with_sinks(const Sinks& d, const Given& g, const Way& way) {
  const Read<T> q{g["q"]}, k{g["k"]}, v{g["v"]}, sinks{g["sinks"]};
  const T scale = way.is("the scale is 1 / sqrt D") ? T{1} / std::sqrt(T{24}) : T{0.35F};
  Made out(1);
  for (N r = 0; r < d.heads * d.tokens; ++r) {
    const N h = r / d.tokens, t = r % d.tokens;
    const N base = (way.is("heads interleaved") ? h % 2 : h / 2) * d.tokens * d.width;
    const N end = way.is("not causal") ? d.tokens : t + 1, first = first_seen(d, t, way);
    Mix<T> m{.s = {}, .sink = sinks[h], .width = d.width, .id = r, .dtype = DType::bfloat16};
    if (way.is("the sink is 0")) m.sink = 0;
    if (way.is("the sink is scaled too")) m.sink *= scale;
    if (way.is("no sink")) m.sink = -std::numeric_limits<T>::infinity();
    for (N s = first; s < end; ++s)
      m.s.push_back(scale *
                    dot<T>(way, r, d.width, q.from(r * d.width), k.from(base + s * d.width)));
    const auto o = mixed(
        m, [&](N s, N c) { return v[base + (first + s) * d.width + c]; }, way);
    out[0].insert(out[0].end(), o.begin(), o.end());
  }
  return out;
}

inline HeldOut window_with_sinks() {
  const DType dtype = DType::bfloat16;
  Task task{"window with sinks",
            "attention",
            dtype,
            {{"H", 4}, {"G", 2}, {"T", 13}, {"D", 24}},
            {{"q", tensor({"H", "T", "D"}, dtype)},
             {"k", tensor({"G", "T", "D"}, dtype)},
             {"v", tensor({"G", "T", "D"}, dtype)},
             {"sinks", tensor({"H"}, dtype)}},
            {{"o", tensor({"H", "T", "D"}, dtype)}},
            "def run(q, k, v, sinks):\n    T = q.shape[1]\n"
            "    kk = k.float().repeat_interleave(2, dim=0)\n"
            "    vv = v.float().repeat_interleave(2, dim=0)\n"
            "    s = (q.float() @ kk.transpose(1, 2)) * 0.35\n    i = torch.arange(T)\n"
            "    far = i.unsqueeze(1) - i.unsqueeze(0)\n"
            "    s = s.masked_fill((far < 0) | (far >= 6), float('-inf'))\n"
            "    s = torch.cat([s, sinks.float().reshape(4, 1, 1).expand(4, T, 1)], dim=-1)\n"
            "    p = torch.softmax(s, dim=-1)[:, :, :-1]\n    return (p @ vv).to(q.dtype)\n",
            {}};
  Making making(std::move(task), {{dtype, 24}}, []<class T>(T, const Given& g, const Way& w) {
    return with_sinks<T>(Sinks{}, g, w);
  });
  making.sums().rows().cutting();
  return slips(making)
      .rights({"online", "by powers of 2", "weights rounded before the values"})
      .wrongs({"a window of 5", "a window of 7", "no window", "not causal", "no sink",
               "the sink is 0", "the sink is scaled too", "the sink has the first value",
               "the scale is 1 / sqrt D", "heads interleaved", "not divided by the sum"})
      .wrong("the next head's sink", {.before = rolled("sinks", 1)})
      .wrong("values one token late", {.before = rolled("v", 24)})
      .done();
}

// Scores are 1.5 tanh(s / 1.5): q[2, 9, 33] behind a cache of 21 keys.
template <class T>
T capped(T s, const Way& way) {
  const T cap = way.is("a cap of 2") ? T{2} : T{1.5}, x = s / cap;
  if (way.is("no cap")) return s;
  if (way.is("cut at the cap")) return std::clamp(s, -cap, cap);
  if (way.is("not scaled back")) return std::tanh(x);
  if (way.is("not scaled before")) return cap * std::tanh(s);
  if (way.is("a tanh of 16 bits")) return cap * low(DType::float16, std::tanh(x));
  if (way.is("a tanh of 3 terms")) return cap * std::clamp(x - x * x * x / 3, T{-1}, T{1});
  if (way.is("tanh by exponentials")) {
    const T e = std::exp(T{-2} * std::fabs(x));
    return std::copysign(cap * (T{1} - e) / (T{1} + e), x);
  }
  if (way.is("tanh by a sigmoid")) return cap * (T{2} * logistic(T{2} * x) - T{1});
  return cap * std::tanh(x);
}

template <class T>
Made with_cap(const Given& g, const Way& way) {
  constexpr N tokens = 9, keys = 21, width = 33;
  const Read<T> q{g["q"]}, k{g["k"]}, v{g["v"]};
  Made out(1);
  for (N r = 0; r < 2 * tokens; ++r) {
    const N base = r / tokens * keys * width, end = r % tokens + 1 + keys - tokens;
    const bool leaks = way.is("the cap after the mask");
    Mix<T> m{.s = {}, .width = width, .id = r};
    for (N s = 0; s < (leaks ? keys : end); ++s) {
      const T raw = dot<T>(way, r, width, q.from(r * width), k.from(base + s * width));
      const T scaled = raw / std::sqrt(T{width});
      T score = way.is("the cap before the scale") ? capped(raw, way) / std::sqrt(T{width})
                                                   : capped(scaled, way);
      if (s >= end) score = T{-1.5};
      m.s.push_back(score);
    }
    const auto o = mixed(
        m, [&](N s, N c) { return v[base + s * width + c]; }, way);
    out[0].insert(out[0].end(), o.begin(), o.end());
  }
  return out;
}

inline HeldOut capped_scores() {
  const DType dtype = DType::float32;
  Task task{"attention with a soft cap",
            "attention",
            dtype,
            {{"H", 2}, {"T", 9}, {"S", 21}, {"D", 33}},
            {{"q", tensor({"H", "T", "D"}, dtype)},
             {"k", tensor({"H", "S", "D"}, dtype)},
             {"v", tensor({"H", "S", "D"}, dtype)}},
            {{"o", tensor({"H", "T", "D"}, dtype)}},
            "def run(q, k, v):\n    T = q.shape[1]\n    S = k.shape[1]\n"
            "    s = 1.5 * torch.tanh(q @ k.transpose(1, 2) / 33.0 ** 0.5 / 1.5)\n"
            "    hidden = torch.ones(T, S, dtype=torch.bool).triu(1 + S - T)\n"
            "    return torch.softmax(s.masked_fill(hidden, float('-inf')), dim=-1) @ v\n",
            {}};
  Making making(std::move(task), {{dtype, 33}},
                [](auto t, const Given& g, const Way& w) { return with_cap<decltype(t)>(g, w); });
  making.sums().downgrades({"q", "v"}).flushing();
  return slips(making)
      .rights({"online", "by powers of 2", "tanh by exponentials", "tanh by a sigmoid"})
      .wrongs({"no cap", "cut at the cap", "a cap of 2", "not scaled back", "not scaled before",
               "a tanh of 16 bits", "a tanh of 3 terms", "the cap after the mask",
               "the cap before the scale"})
      .done();
}

// Scores of two parts over a latent cache, whose first part is the values too.
struct Latent {
  N batch = 3, heads = 3, wide = 40, narrow = 12;
};

template <class T>
T lse_of(const Mix<T>& m, const Way& way) {
  const T top = *std::max_element(m.s.begin(), m.s.end());
  const T sum =
      total<T>(way, m.id, m.s.size(), [&](N s) { return static_cast<T>(std::exp(m.s[s] - top)); });
  const T lse = way.is("lse without the maximum") ? std::log(sum) : top + std::log(sum);
  return way.is("lse to base e") ? lse : lse / std::log(T{2});
}

template <class T>
Made latent(const Latent& d, const Given& g, const Way& way) {
  const Read<T> qn{g["q_nope"]}, qp{g["q_pe"]}, c{g["ckv_cache"]}, p{g["kpe_cache"]};
  const auto &ends = g.integers.at("kv_indptr"), &pages = g.integers.at("kv_indices");
  const T scale = way.is("the scale of one part") ? T{1} / std::sqrt(T{40}) : T{0.11F};
  const T pe = way.is("no rotated part") ? T{0} : way.is("the rotated part twice") ? T{2} : T{1};
  Made out(2);
  for (N r = 0; r < d.batch * d.heads; ++r) {
    const N b = r / d.heads;
    N first = way.is("from the first page") ? 0 : static_cast<N>(ends[b]);
    const N end = way.is("to the last page") ? pages.size() : static_cast<N>(ends[b + 1]);
    if (way.is("a page too many before") && first > 0) --first;
    Mix<T> m{.s = {}, .width = d.wide, .id = r, .dtype = DType::float16};
    std::vector<N> rows;
    for (N i = first; i < end; ++i) {
      const N page = way.is("pages in order") ? i : static_cast<N>(pages[i]);
      const T near = dot<T>(way, r, d.wide, qn.from(r * d.wide), c.from(page * d.wide));
      const T far = dot<T>(way, r, d.narrow, qp.from(r * d.narrow), p.from(page * d.narrow));
      m.s.push_back(scale * (near + pe * far));
      rows.push_back(page);
    }
    const auto o = mixed(
        m, [&](N s, N col) { return c[rows[s] * d.wide + col]; }, way);
    out[0].insert(out[0].end(), o.begin(), o.end());
    out[1].push_back(lse_of(m, way));
  }
  return out;
}

inline HeldOut latent_decode() {
  const DType dtype = DType::float16;
  Task task{"latent decode",
            "mla_paged",
            dtype,
            {{"B", 3}, {"I", 4}, {"H", 3}, {"C", 40}, {"R", 12}, {"P", 60}, {"S", 45}},
            {{"q_nope", tensor({"B", "H", "C"}, dtype)},
             {"q_pe", tensor({"B", "H", "R"}, dtype)},
             {"ckv_cache", tensor({"P", "C"}, dtype)},
             {"kpe_cache", tensor({"P", "R"}, dtype)},
             {"kv_indptr", tensor({"I"}, DType::int32)},
             {"kv_indices", tensor({"S"}, DType::int32)}},
            {{"o", tensor({"B", "H", "C"}, dtype)}, {"lse", tensor({"B", "H"}, DType::float32)}},
            "def run(q_nope, q_pe, ckv_cache, kpe_cache, kv_indptr, kv_indices):\n"
            "    o = torch.zeros(q_nope.shape, dtype=torch.float32)\n"
            "    lse = torch.zeros(q_nope.shape[0], q_nope.shape[1], dtype=torch.float32)\n"
            "    for b in range(q_nope.shape[0]):\n"
            "        pages = kv_indices[int(kv_indptr[b]):int(kv_indptr[b + 1])].long()\n"
            "        c = ckv_cache[pages].float()\n        p = kpe_cache[pages].float()\n"
            "        s = (q_nope[b].float() @ c.T + q_pe[b].float() @ p.T) * 0.11\n"
            "        lse[b] = torch.logsumexp(s, dim=-1) / 0.6931471805599453\n"
            "        o[b] = torch.softmax(s, dim=-1) @ c\n    return o.to(q_nope.dtype), lse\n",
            {}};
  Making making(std::move(task), {{dtype, 40}, {DType::float32, 1}},
                []<class T>(T, const Given& g, const Way& w) { return latent<T>(Latent{}, g, w); });
  making.sums().cutting();
  return slips(making)
      .rights({"online", "by powers of 2", "weights rounded before the values"})
      .wrongs({"the scale of one part", "no rotated part", "the rotated part twice",
               "from the first page", "to the last page", "a page too many before",
               "pages in order", "lse without the maximum", "lse to base e"})
      .wrong("the next head's rotated part", {.before = rolled("q_pe", 12)})
      .wrong("rotated keys one page late", {.before = rolled("kpe_cache", 12)})
      .wrong("keys through float8", {.before = through("ckv_cache", DType::float8_e4m3fn)})
      .done();
}

// States of attention over two halves of the keys, with sums to base 2.
template <class T>
T first_weight(T a, T b, const Way& way) {
  if (way.is("sums to base e")) return logistic(a - b);
  if (way.is("weights swapped")) return T{1} / (T{1} + std::exp2(a - b));
  if (way.is("the mean")) return T{0.5};
  if (way.is("the larger alone")) return a > b ? T{1} : T{0};
  if (way.is("weights by the sums themselves")) return a / (a + b);
  if (way.is("by a sigmoid")) return logistic((a - b) * static_cast<T>(0.693147180559945309417L));
  const T top = std::max(a, b), ea = std::exp2(a - top), eb = std::exp2(b - top);
  return way.is("not divided by both") ? ea : ea / (ea + eb);
}

template <class T>
T merged_sum(T a, T b, const Way& way) {
  const T top = std::max(a, b), rest = std::exp2(std::min(a, b) - top);
  if (way.is("the sum is the larger one")) return top;
  if (way.is("the sum is the first one")) return a;
  if (way.is("the sum to base e")) return top + std::log(T{1} + rest);
  if (way.is("sums added")) return a + b;
  if (way.is("the sum by log1p"))
    return top + std::log1p(rest) * static_cast<T>(1.44269504088896340736L);
  return top + std::log2(T{1} + rest);
}

template <class T>
Made merged(const Given& g, const Way& way) {
  const Read<T> va{g["v_a"]}, vb{g["v_b"]}, sa{g["s_a"]}, sb{g["s_b"]};
  Made out(2);
  for (N r = 0; r < g["s_a"].size(); ++r) {
    const T a = first_weight(sa[r], sb[r], way);
    for (N i = r * 19; i < r * 19 + 19; ++i) {
      const bool steps = way.is("by the difference");
      out[0].push_back(steps ? vb[i] + a * (va[i] - vb[i]) : a * va[i] + (T{1} - a) * vb[i]);
    }
    out[1].push_back(merged_sum(sa[r], sb[r], way));
  }
  return out;
}

inline HeldOut merged_states() {
  const DType dtype = DType::float32;
  Task task{"merge of two states",
            "merge_state",
            dtype,
            {{"T", 31}, {"H", 5}, {"D", 19}},
            {{"v_a", tensor({"T", "H", "D"}, dtype)},
             {"s_a", tensor({"T", "H"}, dtype)},
             {"v_b", tensor({"T", "H", "D"}, dtype)},
             {"s_b", tensor({"T", "H"}, dtype)}},
            {{"v", tensor({"T", "H", "D"}, dtype)}, {"s", tensor({"T", "H"}, dtype)}},
            "def run(v_a, s_a, v_b, s_b):\n    top = torch.maximum(s_a, s_b)\n"
            "    a = torch.exp2(s_a - top)\n    b = torch.exp2(s_b - top)\n"
            "    v = (a.unsqueeze(-1) * v_a + b.unsqueeze(-1) * v_b) / (a + b).unsqueeze(-1)\n"
            "    return v, top + torch.log2(a + b)\n",
            {}};
  Making making(std::move(task), {{dtype, 19}, {dtype, 5}},
                [](auto t, const Given& g, const Way& w) { return merged<decltype(t)>(g, w); });
  making.plain().rows().downgrades({"v_a", "s_b"}).flushing();
  return slips(making)
      .rights({"by a sigmoid", "by the difference", "the sum by log1p"})
      .wrongs({"sums to base e", "weights swapped", "the mean", "the larger alone",
               "weights by the sums themselves", "not divided by both", "the sum is the larger one",
               "the sum is the first one", "the sum to base e", "sums added"})
      .wrong("the next head's sums", {.before = rolled("s_a", 1)})
      .done();
}

}  // namespace kbench::mutants::heldout
