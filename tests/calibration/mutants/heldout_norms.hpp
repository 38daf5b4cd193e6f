// Held out: norms of rows, of groups of channels, and with a residual.
#pragma once

#include "calibration/mutants/heldout_making.hpp"

namespace kbench::mutants::heldout {

// Rows that are normalised. Weights: `per` neighbours share one, and rows take turns in `turns`.
struct Norm {
  std::size_t rows = 1, columns = 1, per = 1, turns = 1;
  DType dtype = DType::float32;
  float eps = 1e-5F;
  bool centres = false, weighted = true, biased = false;
};

template <class T>
struct Spread {
  T mean = 0, square = 0;  // square: the mean of squares, of deviations where it centres
};

template <class T>
Spread<T> welford(const T* x, std::size_t n) {
  T mean = 0, m2 = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const T delta = x[k] - mean;
    mean += delta / static_cast<T>(k + 1);
    m2 += delta * (x[k] - mean);
  }
  return {mean, m2 / static_cast<T>(n)};
}

template <class T>
Spread<T> spread(const Norm& d, const T* x, std::size_t id, const Way& way) {
  const std::size_t n = d.columns;
  if (way.is("Welford's way")) return welford(x, n);
  Spread<T> out;
  if (d.centres)
    out.mean = total<T>(way, id, n, [&](std::size_t k) { return x[k]; }) / static_cast<T>(n);
  const auto off = [&](std::size_t k) { return static_cast<T>(x[k] - out.mean); };
  const T divisor = static_cast<T>(way.is("divided by n - 1") ? n - 1 : n);
  out.square = dot<T>(way, id, n, off, off) / divisor;
  if (way.is("sum, not mean")) out.square *= divisor;
  if (way.is("the mean is kept")) out.mean = 0;
  return out;
}

template <class T>
T inverse_root(const Norm& d, T square, const Way& way) {
  const T eps = static_cast<T>(d.eps);
  if (way.is("no eps")) return T{1} / std::sqrt(square);
  if (way.is("eps outside of the root")) return T{1} / (std::sqrt(square) + eps);
  if (way.is("eps of 1e-3")) return T{1} / std::sqrt(square + static_cast<T>(1e-3L));
  if (way.is("no root")) return T{1} / (square + eps);
  if (way.is("Newton's step from 16 bits")) {
    const T v = square + eps;
    T y = low(DType::bfloat16, T{1} / std::sqrt(v));
    for (int step = 0; step < 3; ++step) y = y * (T{1.5} - T{0.5} * v * y * y);
    return y;
  }
  if (way.is("a root of 12 bits")) {
    const T y = T{1} / std::sqrt(square + eps);
    return static_cast<T>(chopped(DType::float16, static_cast<float>(y)));
  }
  return T{1} / std::sqrt(square + eps);
}

template <class T>
Values normed(const Norm& d, const std::vector<T>& x, const Given& given, const Way& way) {
  Values out;
  const bool rounds = way.is("rounded before the weight"), plus_one = way.is("1 + the weight");
  const std::size_t weights = d.columns / d.per;
  for (std::size_t r = 0; r < d.rows; ++r) {
    const T* mine = x.data() + r * d.columns;
    const Spread<T> s = spread(d, mine, r, way);
    const T scale = inverse_root(d, s.square, way);
    for (std::size_t c = 0; c < d.columns; ++c) {
      T v = (mine[c] - s.mean) * scale;
      if (rounds) v = low(d.dtype, v);
      const std::size_t at = r % d.turns * weights + c / d.per;
      if (d.weighted) v *= static_cast<T>(given["w"][at]) + (plus_one ? T{1} : T{0});
      if (d.biased) v += static_cast<T>(given["b"][at]);
      out.push_back(v);
    }
  }
  return out;
}

inline const std::vector<std::string> wrong_roots{"no root", "a root of 12 bits", "sum, not mean"};

// Eps shows in float32 only: 1e-5 of 1 is no 16-bit rounding. Dropped there: no eps.
inline HeldOut rmsnorm_residual(DType dtype, std::size_t rows, std::size_t columns) {
  const Norm d{.rows = rows, .columns = columns, .dtype = dtype};
  Task task{"rmsnorm with residual",
            "fused_add_rmsnorm",
            dtype,
            {{"T", whole(rows)}, {"H", whole(columns)}},
            {{"x", tensor({"T", "H"}, dtype)},
             {"residual", tensor({"T", "H"}, dtype)},
             {"w", tensor({"H"}, dtype)}},
            {{"y", tensor({"T", "H"}, dtype)}, {"sum", tensor({"T", "H"}, dtype)}},
            "def run(x, residual, w):\n    s = x.float() + residual.float()\n"
            "    y = s * torch.rsqrt(s.pow(2).mean(-1, keepdim=True) + 1e-5) * w.float()\n"
            "    return y.to(x.dtype), s.to(x.dtype)\n",
            {}};
  const auto body = [d]<class T>(T, const Given& given, const Way& way) {
    std::vector<T> s = all_of<T>(given, "x");
    const Floats& residual = given["residual"];
    const T factor = way.is("the residual twice") ? 2 : 1;
    for (std::size_t i = 0; i < s.size(); ++i) s[i] += factor * static_cast<T>(residual[i]);
    const Values sum(s.begin(), s.end());
    if (way.is("of the rounded sum"))
      for (T& v : s) v = low(d.dtype, v);
    const Values y = normed(d, way.is("of x alone") ? all_of<T>(given, "x") : s, given, way);
    return way.is("the sum is the norm") ? Made{y, y} : Made{y, sum};
  };
  Making making(std::move(task), {{dtype, columns}, {dtype, columns}}, body);
  making.sums().outputs().wrongs(wrong_roots);
  making.rights({"Newton's step from 16 bits"});
  making.wrongs({"the residual twice", "of x alone", "the sum is the norm", "1 + the weight"});
  making.wrong("no weight", {.before = filled("w", 1)});
  making.wrong("the next weight", {.before = rolled("w", 1)});
  making.wrong("the residual is subtracted", {.before = times("residual", -1)});
  if (rows > 1) making.wrong("the next row's residual", {.before = rolled("residual", columns)});
  if (is_16_bit(dtype)) {
    making.low_sums(dtype).cutting().rights({"rounded before the weight", "of the rounded sum"});
  } else {
    making.low_sums(DType::bfloat16).downgrades({"x", "w"});
    making.wrongs({"no eps", "eps outside of the root", "eps of 1e-3"});
  }
  if (rows == 1) return making.without({"tiles overlap by one", "no eps"}).done();
  return making.without({"tiles overlap by one", "a root of 12 bits", "16-bit partial sums"})
      .done();
}

inline HeldOut layernorm_float16() {
  const Norm d{
      .rows = 30, .columns = 770, .dtype = DType::float16, .centres = true, .biased = true};
  Task task{
      "layernorm",
      "layernorm",
      d.dtype,
      {{"B", 2}, {"S", 3}, {"G", 5}, {"H", 770}},
      {{"x", tensor({"B", "S", "G", "H"}, d.dtype)},
       {"w", tensor({"H"}, d.dtype)},
       {"b", tensor({"H"}, d.dtype)}},
      {{"y", tensor({"B", "S", "G", "H"}, d.dtype)}},
      "def run(x, w, b):\n    return torch.nn.functional.layer_norm(x.float(), [x.shape[-1]], "
      "w.float(), b.float(), 1e-5).to(x.dtype)\n",
      {}};
  Making making(std::move(task), {{d.dtype, d.columns}},
                [d]<class T>(T, const Given& g, const Way& w) {
                  return Made{normed(d, all_of<T>(g, "x"), g, w)};
                });
  return making.sums()
      .low_sums(DType::bfloat16)
      .outputs()
      .rows()
      .cutting()
      .rights({"Welford's way", "rounded before the weight", "Newton's step from 16 bits"})
      .wrongs({"no root", "sum, not mean", "the mean is kept", "eps of 1e-3"})
      .wrong("no bias", {.before = filled("b", 0)})
      .wrong("weight and bias swapped", {.before = swapped("w", "b")})
      .wrong("the bias is subtracted", {.before = times("b", -1)})
      .wrong("the next weight", {.before = rolled("w", 1)})
      .done();
}

inline HeldOut groupnorm_float32() {
  const Norm d{.rows = 6, .columns = 140, .per = 35, .turns = 3, .centres = true, .biased = true};
  Task task{"groupnorm",
            "groupnorm",
            d.dtype,
            {{"N", 2}, {"C", 12}, {"Y", 5}, {"X", 7}},
            {{"x", tensor({"N", "C", "Y", "X"}, d.dtype)},
             {"w", tensor({"C"}, d.dtype)},
             {"b", tensor({"C"}, d.dtype)}},
            {{"y", tensor({"N", "C", "Y", "X"}, d.dtype)}},
            "def run(x, w, b):\n    return torch.nn.functional.group_norm(x, 3, w, b, 1e-5)\n",
            {}};
  Making making(std::move(task), {{d.dtype, d.columns}},
                [d]<class T>(T, const Given& g, const Way& w) {
                  Norm mine = d;
                  if (w.is("each channel alone"))
                    mine.rows = 24, mine.columns = 35, mine.turns = 12;
                  if (w.is("all groups together"))
                    mine.rows = 2, mine.columns = 420, mine.turns = 1;
                  return Made{normed(mine, all_of<T>(g, "x"), g, w)};
                });
  return making.sums()
      .low_sums(DType::float16)
      .outputs()
      .rows()
      .flushing()
      .downgrades({"x"})
      .rights({"Welford's way", "Newton's step from 16 bits"})
      .wrongs(wrong_roots)
      .wrongs({"each channel alone", "all groups together", "no eps", "eps outside of the root",
               "divided by n - 1", "the mean is kept"})
      .wrong("no bias", {.before = filled("b", 0)})
      .wrong("the next channel's weight", {.before = rolled("w", 1)})
      .done();
}

// Attention's q and k, normalised by head. Dropped: no eps, 16-bit partial sums.
inline HeldOut l2norm_bfloat16() {
  const Norm d{
      .rows = 35, .columns = 96, .dtype = DType::bfloat16, .eps = 1e-6F, .weighted = false};
  Task task{"l2norm",
            "l2norm",
            d.dtype,
            {{"T", 7}, {"H", 5}, {"D", 96}},
            {{"x", tensor({"T", "H", "D"}, d.dtype)}},
            {{"y", tensor({"T", "H", "D"}, d.dtype)}},
            "def run(x):\n    f = x.float()\n"
            "    return (f * torch.rsqrt((f * f).sum(-1, keepdim=True) + 1e-6)).to(x.dtype)\n",
            {}};
  Making making(std::move(task), {{d.dtype, d.columns}},
                [d]<class T>(T, const Given& g, const Way& w) {
                  Way mine = w;  // the sum is right here, and the mean is the mistake
                  if (mine.what == "mean, not sum") return Made{normed(d, all_of<T>(g, "x"), g, w)};
                  std::vector<T> x = all_of<T>(g, "x");
                  Norm over = d;
                  over.eps = d.eps / 96;
                  Values y = normed(over, x, g, w);
                  for (long double& v : y) v = static_cast<T>(v) / std::sqrt(T{96});
                  return Made{y};
                });
  return making.sums()
      .low_accumulator(d.dtype)
      .outputs()
      .rows()
      .cutting()
      .rights({"Newton's step from 16 bits"})
      .wrongs({"no root", "mean, not sum"})
      .wrong("over all heads", {.after = each([](long double v) { return v / std::sqrt(5.0L); })})
      .wrong("x through float8", {.before = through("x", DType::float8_e4m3fn)})
      .wrong("the result through float8", {.after = results_through(DType::float8_e4m3fn)})
      .done();
}

}  // namespace kbench::mutants::heldout
