// Third set: probabilities, their gradient, and distances between them.
#pragma once

#include <numeric>

#include "calibration/mutants/third_making.hpp"

namespace kbench::mutants::heldout {

template <class T>
struct Softmax {
  std::vector<T> p;
  T top = 0, sum = 0;
};

template <class T>
Softmax<T> softmax_of(const std::vector<T>& x, N id, const Way& way) {
  Softmax<T> out;
  out.top = *std::max_element(x.begin(), x.end());
  const bool by_2 = way.is("by powers of 2");
  const T log2e = static_cast<T>(1.44269504088896340736L);
  for (const T v : x)
    out.p.push_back(by_2 ? std::exp2((v - out.top) * log2e) : std::exp(v - out.top));
  out.sum = total<T>(way, id, x.size(), [&](N k) { return out.p[k]; });
  for (T& p : out.p) p /= out.sum;
  return out;
}

// Logits[11, 83] divided by a temperature for each row; what the mask lacks is out.
template <class T>
T cooled(T x, T t, const Way& way) {
  if (way.is("times the temperature")) return x * t;
  if (way.is("no temperature")) return x;
  return way.is("by the reciprocal") ? x * (T{1} / t) : x / t;
}

template <class T>
T hidden(T v, const Way& way) {
  if (way.is("masked afterwards") || way.is("no mask")) return v;
  if (way.is("masked to 0")) return 0;
  return way.is("masked by -1") ? v - 1 : -std::numeric_limits<T>::infinity();
}

template <class T>
Made masked(const Given& g, const Way& way) {
  constexpr N n = 83;
  const Read<T> x{g["logits"]}, warm{g["temperature"]};
  const Floats& mask = g["mask"];
  Made out(1);
  for (N r = 0; r < 11; ++r) {
    std::vector<T> mine;
    const T t = way.is("the first row's temperature") ? warm[0] : warm[r];
    for (N c = 0; c < n; ++c) {
      const T v = cooled(x[r * n + c], t, way);
      const bool in = (mask[r * n + c] != 0) != way.is("the others are masked");
      mine.push_back(in ? v : hidden(v, way));
    }
    std::vector<T> p = softmax_of(mine, r, way).p;
    for (N c = 0; c < n; ++c)
      if (way.is("masked afterwards") && mask[r * n + c] == 0) p[c] = 0;
    out[0].insert(out[0].end(), p.begin(), p.end());
  }
  return out;
}

inline HeldOut masked_softmax() {
  const DType dtype = DType::bfloat16;
  Task task{"softmax with mask and temperature",
            "masked_softmax",
            dtype,
            {{"M", 11}, {"V", 83}},
            {{"logits", tensor({"M", "V"}, dtype)},
             {"mask", tensor({"M", "V"}, DType::boolean)},
             {"temperature", tensor({"M"}, DType::float32)}},
            {{"p", tensor({"M", "V"}, dtype)}},
            "def run(logits, mask, temperature):\n"
            "    x = logits.float() / temperature.unsqueeze(-1)\n"
            "    x = torch.where(mask, x, float('-inf'))\n"
            "    return torch.softmax(x, dim=-1).to(logits.dtype)\n",
            {}};
  Making making(std::move(task), {{dtype, 83}},
                [](auto t, const Given& g, const Way& w) { return masked<decltype(t)>(g, w); });
  making.sums().outputs().rows().cutting();
  return slips(making)
      .rights({"by powers of 2", "by the reciprocal"})
      .wrongs({"the first row's temperature", "times the temperature", "no temperature",
               "the others are masked", "masked afterwards", "no mask", "masked to 0",
               "masked by -1"})
      .wrong("the mask of the next row", {.before = rolled("mask", 83)})
      .wrong("the mask one place late", {.before = rolled("mask", 82)})
      .done();
}

// Choice of the most probable ones of logits[6, 120], up to the one that passes 0.8 in all.
template <class T>
std::vector<bool> nucleus(const std::vector<T>& p, const Way& way) {
  std::vector<N> order(p.size());
  std::iota(order.begin(), order.end(), N{0});
  std::stable_sort(order.begin(), order.end(), [&](N a, N b) { return p[a] > p[b]; });
  if (way.is("the least probable ones")) std::reverse(order.begin(), order.end());
  const T most = way.is("up to 0.75") ? T{0.75} : T{0.8F};
  std::vector<bool> in(p.size());
  T before = 0;
  for (N k = 0; k < order.size(); ++k) {
    const T after = before + p[order[k]];
    const bool without = way.is("without the one that passes");
    const bool more = way.is("one more");
    in[way.is("places for tokens") ? k : order[k]] = (without         ? after
                                                      : more && k > 0 ? before - p[order[k - 1]]
                                                                      : before) < most;
    before = after;
  }
  return in;
}

template <class T>
Made top_p(const Given& g, const Way& way) {
  constexpr N n = 120;
  const Read<T> x{g["logits"]};
  Made out(1);
  for (N r = 0; r < 6; ++r) {
    const auto row_of = x.from(r * n);
    std::vector<T> mine;
    for (N c = 0; c < n; ++c) mine.push_back(row_of(c));
    std::vector<T> p = softmax_of(mine, r, way).p;
    const std::vector<bool> in = nucleus(p, way);
    const auto kept = [&](N c) { return in[c] ? p[c] : T{0}; };
    const T sum = total<T>(way, r, n, kept);
    for (N c = 0; c < n; ++c) {
      T v = kept(c) / sum;
      if (way.is("times the reciprocal")) v = kept(c) * (T{1} / sum);
      if (way.is("not normalised again")) v = kept(c);
      if (way.is("divided by 0.8")) v = kept(c) / T{0.8F};
      if (way.is("nothing is cut")) v = p[c];
      if (way.is("the others shared out")) v = kept(c) + (T{1} - sum) / T{n};
      out[0].push_back(v);
    }
  }
  return out;
}

inline HeldOut nucleus_renormalised() {
  const DType dtype = DType::float32;
  Task task{"top-p, normalised again",
            "top_p",
            dtype,
            {{"M", 6}, {"V", 120}},
            {{"logits", tensor({"M", "V"}, dtype)}},
            {{"p", tensor({"M", "V"}, dtype)}},
            "def run(logits):\n    p = torch.softmax(logits, dim=-1)\n"
            "    best, order = torch.sort(p, dim=-1, descending=True)\n"
            "    before = torch.cumsum(best, dim=-1) - best\n"
            "    best = torch.where(before < 0.8, best, 0.0)\n"
            "    kept = torch.zeros_like(p).scatter(1, order, best)\n"
            "    return kept / kept.sum(-1, keepdim=True)\n",
            {}};
  Making making(std::move(task), {{dtype, 120}},
                [](auto t, const Given& g, const Way& w) { return top_p<decltype(t)>(g, w); });
  making.plain().outputs().rows().downgrades({}).flushing();
  making.right("from the end", {.order = Order::backward});
  making.right("in eight lanes", {.order = Order::lanes});
  making.wrong("the last partial tile is dropped", {.order = Order::tail_dropped});
  return slips(making)
      .rights({"by powers of 2", "times the reciprocal"})
      .wrongs({"the least probable ones", "up to 0.75", "without the one that passes", "one more",
               "places for tokens", "not normalised again", "divided by 0.8", "nothing is cut",
               "the others shared out"})
      .done();
}

// Gradient of a softmax by its logits: y (dy - sum of y dy), over [17, 190].
template <class T>
Made softmax_backwards(const Given& g, const Way& way) {
  constexpr N n = 190;
  const Read<T> x{g["x"]}, dy{g["dy"]};
  Made out(1);
  for (N r = 0; r < 17; ++r) {
    std::vector<T> mine;
    for (N c = 0; c < n; ++c) mine.push_back(x[r * n + c]);
    const std::vector<T> y = softmax_of(mine, r, way).p;
    T along = dot<T>(
        way, r, n, [&](N c) { return y[c]; }, dy.from(r * n));
    if (way.is("nothing along")) along = 0;
    if (way.is("a sum of dy alone")) along = total<T>(way, r, n, dy.from(r * n)) / T{n};
    if (way.is("added along")) along = -along;
    for (N c = 0; c < n; ++c) {
      T v = y[c] * (dy[r * n + c] - along);
      if (way.is("in two products")) v = y[c] * dy[r * n + c] - y[c] * along;
      if (way.is("of a sigmoid")) v = dy[r * n + c] * y[c] * (T{1} - y[c]);
      if (way.is("y left out")) v = dy[r * n + c] - along;
      if (way.is("y left out along")) v = y[c] * dy[r * n + c] - along;
      out[0].push_back(v);
    }
  }
  return out;
}

inline HeldOut softmax_gradient() {
  const DType dtype = DType::float16;
  Task task{"gradient of softmax",
            "softmax_backward",
            dtype,
            {{"M", 17}, {"V", 190}},
            {{"x", tensor({"M", "V"}, dtype)}, {"dy", tensor({"M", "V"}, dtype)}},
            {{"dx", tensor({"M", "V"}, dtype)}},
            "def run(x, dy):\n    y = torch.softmax(x.float(), dim=-1)\n    d = dy.float()\n"
            "    return (y * (d - (y * d).sum(-1, keepdim=True))).to(x.dtype)\n",
            {}};
  Making making(std::move(task), {{dtype, 190}}, [](auto t, const Given& g, const Way& w) {
    return softmax_backwards<decltype(t)>(g, w);
  });
  making.sums().rows().cutting();
  return slips(making)
      .rights({"by powers of 2", "in two products"})
      .wrongs({"nothing along", "a sum of dy alone", "added along", "of a sigmoid", "y left out",
               "y left out along"})
      .wrong("dy through float8", {.before = through("dy", DType::float8_e4m3fn)})
      .done();
}

// Divergence of softmax(a) from softmax(b), row by row of [14, 310]. Dropped: the logarithm of
// quotients, which is none where both are 0.
template <class T>
Made divergence(const Given& g, const Way& way) {
  constexpr N n = 310;
  const bool turned = way.is("the other way round");
  const Read<T> a{g[turned ? "b" : "a"]}, b{g[turned ? "a" : "b"]};
  Made out(1);
  for (N r = 0; r < 14; ++r) {
    std::vector<T> x, y;
    for (N c = 0; c < n; ++c) x.push_back(a[r * n + c]), y.push_back(b[r * n + c]);
    const Softmax<T> p = softmax_of(x, r, way), q = softmax_of(y, r, way);
    const T apart = q.top + std::log(q.sum) - p.top - std::log(p.sum);
    const auto more = [&](N c) {
      const T d = x[c] - y[c] + apart;
      if (way.is("in base 2")) return static_cast<T>(d / std::log(T{2}));
      return d;
    };
    T v = dot<T>(
        way, r, n, [&](N c) { return p.p[c]; }, more);
    if (way.is("sums of logits first"))
      v = dot<T>(
              way, r, n, [&](N c) { return p.p[c]; }, [&](N c) { return x[c] - y[c]; }) +
          apart;
    if (way.is("without the logarithms of sums")) v -= apart;
    if (way.is("the cross entropy"))
      v = -dot<T>(
          way, r, n, [&](N c) { return p.p[c]; }, [&](N c) { return std::log(q.p[c]); });
    if (way.is("the mean of the row")) v /= T{n};
    out[0].push_back(way.is("a sign too many") ? -v : v);
  }
  return out;
}

inline HeldOut divergence_rows() {
  const DType dtype = DType::float32;
  Task task{"divergence of two softmaxes",
            "kl_div",
            dtype,
            {{"M", 14}, {"V", 310}},
            {{"a", tensor({"M", "V"}, dtype)}, {"b", tensor({"M", "V"}, dtype)}},
            {{"y", tensor({"M"}, dtype)}},
            "def run(a, b):\n    p = torch.log_softmax(a, dim=-1)\n"
            "    q = torch.log_softmax(b, dim=-1)\n"
            "    return (torch.exp(p) * (p - q)).sum(-1)\n",
            {}};
  Making making(std::move(task), {{dtype, 1}},
                [](auto t, const Given& g, const Way& w) { return divergence<decltype(t)>(g, w); });
  making.sums().outputs().low_sums(DType::bfloat16).downgrades({"a", "b"});
  return making.rights({"by powers of 2", "sums of logits first"})
      .wrongs({"the other way round", "in base 2", "without the logarithms of sums",
               "the cross entropy", "the mean of the row", "a sign too many"})
      .done();
}

}  // namespace kbench::mutants::heldout
