// Held out: reductions over several axes, prefix sums, extremes.
#pragma once

#include "calibration/mutants/heldout_making.hpp"

namespace kbench::mutants::heldout {

enum class Reduce : std::uint8_t { sum, mean, variance, lse };

// Reduction of x[A, N, I] over N.
struct Reduction {
  std::size_t outer = 1, n = 1, inner = 1;
  Reduce what = Reduce::sum;
};

template <class T, class F>
T reduced(const Reduction& d, std::size_t id, const F& x, const Way& way) {
  const T n = static_cast<T>(d.n);
  if (d.what == Reduce::lse) {
    T top = x(0);
    for (std::size_t k = 1; k < d.n; ++k) top = std::max(top, x(k));
    const T sum =
        total<T>(way, id, d.n, [&](std::size_t k) { return static_cast<T>(std::exp(x(k) - top)); });
    return (way.is("the maximum is not added back") ? T{0} : top) +
           (way.is("log2") ? std::log2(sum) : std::log(sum));
  }
  const T sum = total<T>(way, id, d.n, x);
  if (d.what == Reduce::sum) return sum;
  if (way.is("not divided")) return sum;
  if (d.what == Reduce::mean) return way.is("divided by n - 1") ? sum / (n - 1) : sum / n;
  const T mean = way.is("not centred") ? T{0} : sum / n;
  const auto off = [&](std::size_t k) { return static_cast<T>(x(k) - mean); };
  const T v = dot<T>(way, id, d.n, off, off) / (way.is("divided by n") ? n : n - 1);
  return way.is("the deviation") ? std::sqrt(v) : v;
}

template <class T>
Made reductions(const Reduction& d, const Given& given, const Way& way) {
  const Floats& x = given["x"];
  Made out(1);
  for (std::size_t r = 0; r < d.outer * d.inner; ++r) {
    std::size_t base = r / d.inner * d.n * d.inner + r % d.inner, step = d.inner;
    if (way.is("along memory")) base = r * d.n, step = 1;
    out[0].push_back(reduced<T>(
        d, r, [&](std::size_t k) { return static_cast<T>(x[base + k * step]); }, way));
  }
  return out;
}

inline Making reduction(Task task, DType out, const Reduction& d) {
  Making making(std::move(task), {{out, d.outer * d.inner}},
                [d]<class T>(T, const Given& g, const Way& w) { return reductions<T>(d, g, w); });
  making.sums();
  return making;
}

// Takes the mean of 1000 rows, an axis that is not the last: rows are read along memory by mistake.
inline HeldOut mean_of_rows() {
  Task task{"mean over the first axis",
            "reduction",
            DType::float32,
            {{"N", 1001}, {"I", 9}},
            {{"x", tensor({"N", "I"}, DType::float32)}},
            {{"y", tensor({"I"}, DType::float32)}},
            "def run(x):\n    return x.mean(0)\n",
            {}};
  return reduction(std::move(task), DType::float32, {1, 1001, 9, Reduce::mean})
      .low_sums(DType::float16)
      .outputs()
      .flushing()
      .downgrades({"x"})
      .wrongs({"along memory", "not divided", "divided by n - 1"})
      .done();
}

// Dropped: 16-bit partial sums, within three roundings of the output in some draws.
inline HeldOut variance_bfloat16() {
  Task task{"variance over the middle axis",
            "reduction",
            DType::bfloat16,
            {{"A", 3}, {"N", 501}, {"I", 5}},
            {{"x", tensor({"A", "N", "I"}, DType::bfloat16)}},
            {{"y", tensor({"A", "I"}, DType::bfloat16)}},
            "def run(x):\n    return x.float().var(1).to(x.dtype)\n",
            {}};
  return reduction(std::move(task), DType::bfloat16, {3, 501, 5, Reduce::variance})
      .low_accumulator(DType::bfloat16)
      .outputs()
      .wrongs({"along memory", "not divided", "the deviation"})
      .without({"tiles overlap by one"})
      .done();
}

inline HeldOut variance_float32() {
  Task task{"variance of long rows",
            "reduction",
            DType::float32,
            {{"A", 6}, {"N", 1200}},
            {{"x", tensor({"A", "N"}, DType::float32)}},
            {{"y", tensor({"A"}, DType::float32)}},
            "def run(x):\n    return x.var(1)\n",
            {}};
  return reduction(std::move(task), DType::float32, {6, 1200, 1, Reduce::variance})
      .low_sums(DType::bfloat16)
      .outputs()
      .downgrades({"x"})
      .wrongs({"not divided", "divided by n", "not centred", "the deviation"})
      .done();
}

inline HeldOut scalar_sum() {
  Task task{"sum of squares into a scalar",
            "reduction",
            DType::float32,
            {{"M", 333}, {"N", 7}},
            {{"x", tensor({"M", "N"}, DType::float32)}},
            {{"y", tensor({}, DType::float32)}},
            "def run(x):\n    return x.pow(2).sum()\n",
            {}};
  Making making(std::move(task), {{DType::float32, 1}},
                []<class T>(T, const Given& g, const Way& w) {
                  const Floats& x = g["x"];
                  const auto at = [&](std::size_t k) { return static_cast<T>(x[k]); };
                  const T sum = dot<T>(w, 0, x.size(), at, at);
                  return Made{{w.is("a root too many") ? std::sqrt(sum) : sum}};
                });
  return making.sums()
      .low_sums(DType::float16)
      .downgrades({"x"})
      .wrongs({"a root too many"})
      .wrong("the last row is missing",
             {.before = on("x", [](Floats& v) { std::fill(v.end() - 7, v.end(), 0.0F); })})
      .wrong("one element is missing",
             {.before = on(
                  "x",
                  [](Floats& v) {
                    v[static_cast<std::size_t>(std::max_element(v.begin(), v.end()) - v.begin())] =
                        0;
                  })})
      .without(
          {"tiles overlap by one", "x through bfloat16", "x through float16", "x through tf32"})
      .done();
}

// Dropped: 16-bit partial sums, as above.
inline HeldOut lse_float16() {
  Task task{"logsumexp over two axes",
            "reduction",
            DType::float16,
            {{"A", 10}, {"N", 30}, {"I", 41}},
            {{"x", tensor({"A", "N", "I"}, DType::float16)}},
            {{"y", tensor({"A"}, DType::float16)}},
            "def run(x):\n    return torch.logsumexp(x.float().flatten(1), dim=1).to(x.dtype)\n",
            {}};
  return reduction(std::move(task), DType::float16, {10, 1230, 1, Reduce::lse})
      .low_accumulator(DType::float16)
      .wrong("bfloat16 accumulator", {.order = Order::low_each})
      .outputs()
      .wrongs({"log2", "the maximum is not added back"})
      .without({"tiles overlap by one"})
      .done();
}

template <class T>
T carried(T sum, const Way& way) {
  if (way.is("a bfloat16 carry")) return low(DType::bfloat16, sum);
  return way.is("a float16 carry") ? low(DType::float16, sum) : sum;
}

// Prefix sums of rows: in order, or block by block with what came before.
template <class T>
Made prefix_sums(std::size_t n, const Given& given, const Way& way) {
  const Floats& x = given["x"];
  const std::size_t block = way.is("by blocks") || way.is("a block's carry is lost") ? 32 : n;
  const bool excludes = way.is("exclusive"), backwards = way.is("from the end");
  const std::size_t lost = way.is("a block's carry is lost") ? 5 : 8;
  Made out{Values(x.size())};
  T carry = 0, sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t c = i % n, at = backwards ? i / n * n + n - 1 - c : i;
    if (c % block == 0) {
      if (c / block % 8 != lost) carry += sum;
      if (c == 0 && !way.is("rows run on")) carry = 0;
      sum = 0;
    }
    const T before = carry + sum;
    sum += static_cast<T>(x[at]);
    sum = carried(sum, way);
    out[0][at] = excludes ? before : carry + sum;
  }
  return out;
}

inline HeldOut prefix_sum() {
  constexpr std::size_t n = 777;
  Task task{"prefix sum",
            "cumsum",
            DType::float32,
            {{"M", 5}, {"N", 777}},
            {{"x", tensor({"M", "N"}, DType::float32)}},
            {{"y", tensor({"M", "N"}, DType::float32)}},
            "def run(x):\n    return torch.cumsum(x, dim=1)\n",
            {}};
  Making making(std::move(task), {{DType::float32, n}}, [](auto t, const Given& g, const Way& w) {
    return prefix_sums<decltype(t)>(n, g, w);
  });
  return making.plain()
      .rights({"by blocks"})
      .outputs()
      .rows()
      .downgrades({"x"})
      .wrongs({"exclusive", "from the end", "rows run on", "a block's carry is lost",
               "a bfloat16 carry", "a float16 carry"})
      .done();
}

// Returns the largest of a row of a function that is NaN for some.
template <class T>
T extreme(std::span<const float> x, const Way& way) {
  T best = -std::numeric_limits<T>::infinity();
  bool none = false;
  for (const float given : x) {
    T v = std::log1p(static_cast<T>(given));
    if (way.is("of absolute values")) v = std::fabs(v);
    none = none || std::isnan(v);
    best = way.is("the smallest") ? -std::fmax(-v, -best) : std::fmax(best, v);
    if (way.is("the last, not the largest")) best = v;
  }
  if (way.is("NaN lost") || way.is("the last, not the largest")) return best;
  return none ? std::numeric_limits<T>::quiet_NaN() : best;
}

template <class T>
Made extremes(std::size_t n, const Given& given, const Way& way) {
  const Floats& x = given["x"];
  const std::size_t first = way.is("the first element is not seen") ? 1 : 0;
  const std::size_t end = way.is("the last element is not seen") ? n - 1 : n;
  Made out(1);
  for (std::size_t r = 0; r < x.size() / n; ++r)
    out[0].push_back(extreme<T>(row(x, r, n).subspan(first, end - first), way));
  return out;
}

inline HeldOut largest_with_nan(DType dtype) {
  Task task{"largest, with NaN",
            "reduction",
            dtype,
            {{"A", 15}, {"B", 11}, {"N", 4}},
            {{"x", tensor({"A", "B", "N"}, dtype)}},
            {{"y", tensor({"A", "B"}, dtype)}},
            "def run(x):\n    return torch.log1p(x.float()).amax(-1).to(x.dtype)\n",
            {}};
  Making making(std::move(task), {{dtype, 11}}, [](auto t, const Given& g, const Way& w) {
    return extremes<decltype(t)>(4, g, w);
  });
  making.plain().outputs().rows();
  making.wrongs({"NaN lost", "of absolute values", "the smallest", "the last element is not seen",
                 "the first element is not seen", "the last, not the largest"});
  if (dtype == DType::float32)
    making.flushing().downgrades({"x"});
  else
    making.cutting().right("subnormals flushed", {.after = flush});
  return making.done();
}

}  // namespace kbench::mutants::heldout
