// Held out: softmax, its logarithm and the loss of rows.
#pragma once

#include "calibration/mutants/heldout_making.hpp"

namespace kbench::mutants::heldout {

template <class T>
T exponential(T x, const Way& way) {
  if (way.is("by powers of 2")) return std::exp2(x * static_cast<T>(1.44269504088896340736L));
  if (way.is("powers of 2 without the factor")) return std::exp2(x);
  if (way.is("a polynomial of 3 terms")) {  // fits [0, 1), with the whole part exact
    const T y = x * static_cast<T>(1.44269504088896340736L), whole = std::floor(y), f = y - whole;
    const T p = T{1} + f * (static_cast<T>(0.6602L) + f * static_cast<T>(0.3398L));
    return p * std::exp2(std::max(whole, T{-1000}));
  }
  if (way.is("Schraudolph's exponential")) {
    const float y = std::max(-126.0F, static_cast<float>(x) * 1.442695F) + 126.94269504F;
    return static_cast<T>(std::bit_cast<float>(static_cast<std::uint32_t>(y * 8388608.0F)));
  }
  return std::exp(x);
}

template <class T>
struct Weights {
  std::vector<T> e;  // exponentials, not divided by their sum
  T highest = 0, sum = 0;
};

template <class T>
T online_sum(const std::vector<T>& x, T& highest) {
  T sum = 0;
  highest = x.front();
  for (const T v : x) {
    const T next = std::max(highest, v);
    sum = sum * std::exp(highest - next) + std::exp(v - next);
    highest = next;
  }
  return sum;
}

template <class T>
Weights<T> weights(const std::vector<T>& x, std::size_t id, const Way& way) {
  Weights<T> out;
  out.highest = *std::max_element(x.begin(), x.end());
  for (const T v : x) out.e.push_back(exponential<T>(v - out.highest, way));
  out.sum = total<T>(way, id, x.size(), [&](std::size_t k) { return out.e[k]; });
  if (way.is("online")) out.sum = online_sum(x, out.highest);
  if (way.is("an online sum that is not rescaled"))
    for (std::size_t k = 0, best = 0; k < x.size(); ++k) {
      if (x[k] > x[best]) best = k;
      out.sum += k == 0 ? T{1} - out.sum : std::exp(x[k] - x[best]);
    }
  return out;
}

// Softmax of x[A, N, I] over N.
struct Rows {
  std::size_t outer = 1, n = 1, inner = 1;
  bool logs = false;
};

template <class T>
Made softmaxes(const Rows& d, const Given& given, const Way& way) {
  const Floats& x = given["x"];
  Made out{Values(x.size())};
  const bool last = way.is("over the last axis");
  const std::size_t n = last ? d.inner : d.n, inner = last ? 1 : d.inner;
  for (std::size_t r = 0; r < x.size() / n; ++r) {
    const std::size_t base = r / inner * n * inner + r % inner;
    std::vector<T> mine;
    for (std::size_t k = 0; k < n; ++k) mine.push_back(static_cast<T>(x[base + k * inner]));
    const Weights<T> w = weights(mine, r, way);
    T log_sum = std::log(w.sum);
    if (way.is("log2 for the logarithm")) log_sum = std::log2(w.sum);
    for (std::size_t k = 0; k < n; ++k) {
      T v = d.logs ? mine[k] - w.highest - log_sum : w.e[k] / w.sum;
      if (way.is("by a reciprocal")) v = w.e[k] * (T{1} / w.sum);
      if (way.is("the maximum is not added back")) v = mine[k] - log_sum;
      if (way.is("the sum is not divided by")) v = w.e[k];
      out[0][base + k * inner] = v;
    }
  }
  return out;
}

inline const std::vector<std::string> wrong_exponentials{
    "powers of 2 without the factor", "a polynomial of 3 terms", "Schraudolph's exponential",
    "an online sum that is not rescaled"};

inline HeldOut log_softmax_float32() {
  const Rows d{.outer = 11, .n = 1537, .logs = true};
  Task task{"log_softmax",
            "softmax",
            DType::float32,
            {{"M", 11}, {"N", 1537}},
            {{"x", tensor({"M", "N"}, DType::float32)}},
            {{"y", tensor({"M", "N"}, DType::float32)}},
            "def run(x):\n    return torch.log_softmax(x, dim=-1)\n",
            {}};
  Making making(std::move(task), {{DType::float32, d.n}},
                [d]<class T>(T, const Given& g, const Way& w) { return softmaxes<T>(d, g, w); });
  return making.sums()
      .low_sums(DType::bfloat16)
      .outputs()
      .rows()
      .flushing()
      .downgrades({"x"})
      .rights({"online", "by powers of 2"})
      .wrongs(wrong_exponentials)
      .wrongs({"log2 for the logarithm", "the maximum is not added back"})
      .done();
}

// Channels are in the middle. Dropped: 16-bit sums, of 31 terms they may be as good as the output,
// and in bfloat16 the polynomial.
inline HeldOut softmax_middle(DType dtype) {
  const Rows d{.outer = 4, .n = 31, .inner = 9};
  Task task{"softmax of the middle axis",
            "softmax",
            dtype,
            {{"A", 4}, {"N", 31}, {"I", 9}},
            {{"x", tensor({"A", "N", "I"}, dtype)}},
            {{"y", tensor({"A", "N", "I"}, dtype)}},
            "def run(x):\n    return torch.softmax(x.float(), dim=1).to(x.dtype)\n",
            {}};
  Making making(std::move(task), {{dtype, d.inner}},
                [d]<class T>(T, const Given& g, const Way& w) { return softmaxes<T>(d, g, w); });
  if (dtype == DType::float16) making.wrongs({"a polynomial of 3 terms"});
  return making.sums()
      .outputs()
      .rows()
      .cutting()
      .rights({"online", "by powers of 2", "by a reciprocal"})
      .wrongs({"powers of 2 without the factor", "Schraudolph's exponential",
               "an online sum that is not rescaled"})
      .wrongs({"over the last axis", "the sum is not divided by"})
      .wrong("x through float8", {.before = through("x", DType::float8_e4m3fn)})
      .wrong("a temperature of 1.02", {.before = times("x", 1 / 1.02F)})
      .done();
}

// Losses of rows of bfloat16 logits, smoothed or not.
template <class T>
Made losses(std::size_t n, const Given& given, const Way& way) {
  const Floats& x = given["logits"];
  const auto& targets = given.integers.at("target");
  const T smooth = way.is("no smoothing") ? T{0} : static_cast<T>(0.1L);
  Made out(1);
  for (std::size_t r = 0; r < targets.size(); ++r) {
    if (targets[r] < 0) {  // the label that the loss ignores
      out[0].push_back(0);
      continue;
    }
    std::vector<T> mine;
    for (std::size_t k = 0; k < n; ++k) mine.push_back(static_cast<T>(x[r * n + k]));
    const Weights<T> w = weights(mine, r, way);
    T lse = w.highest + std::log(w.sum);
    if (way.is("log2 for the logarithm")) lse = w.highest + std::log2(w.sum);
    if (way.is("the maximum is not added back")) lse = std::log(w.sum);
    const T mean = total<T>(way, r, n, [&](std::size_t k) { return mine[k]; }) / static_cast<T>(n);
    const T mine_target = mine[static_cast<std::size_t>(targets[r])];
    const T loss = lse - (T{1} - smooth) * mine_target - smooth * mean;
    out[0].push_back(way.is("a gain") ? -loss : loss);
  }
  return out;
}

inline HeldOut cross_entropy_rows() {
  Task task{
      "cross entropy",
      "cross_entropy",
      DType::float32,
      {{"M", 13}, {"V", 999}},
      {{"logits", tensor({"M", "V"}, DType::bfloat16)}, {"target", tensor({"M"}, DType::int64)}},
      {{"loss", tensor({"M"}, DType::float32)}},
      "def run(logits, target):\n    return torch.nn.functional.cross_entropy(logits.float(), "
      "target, reduction='none', label_smoothing=0.1)\n",
      {}};
  Making making(std::move(task), {{DType::float32, 1}}, [](auto t, const Given& g, const Way& w) {
    return losses<decltype(t)>(999, g, w);
  });
  const auto moved = [](std::int64_t by) {
    return on_integers("target",
                       [=](std::int64_t v, std::size_t) { return v < 0 ? v : (v + by) % 999; });
  };
  return making.sums()
      .low_sums(DType::bfloat16)
      .outputs()
      .rights({"online", "by powers of 2"})
      .wrongs(wrong_exponentials)
      .wrongs({"log2 for the logarithm", "the maximum is not added back", "no smoothing", "a gain"})
      .wrong("the next class", {.before = moved(1)})
      .wrong("the class before", {.before = moved(998)})
      .wrong("the result through bfloat16", {.after = results_through(DType::bfloat16)})
      .wrong("logits through float8", {.before = through("logits", DType::float8_e4m3fn)})
      .done();
}

}  // namespace kbench::mutants::heldout
