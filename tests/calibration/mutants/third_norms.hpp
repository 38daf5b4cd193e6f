// Third set: norms, with what is done before and after, and backwards.
#pragma once

#include "calibration/mutants/third_making.hpp"

namespace kbench::mutants::heldout {

template <class T>
T inverse(T square, T eps, const Way& way) {
  if (way.is("no eps")) return T{1} / std::sqrt(square);
  if (way.is("eps outside of the root")) return T{1} / (std::sqrt(square) + eps);
  if (way.is("eps squared")) return T{1} / std::sqrt(square + eps * eps);
  if (way.is("not rooted")) return T{1} / (square + eps);
  if (way.is("the larger of it and eps")) return T{1} / std::sqrt(std::max(square, eps));
  if (way.is("the root, then divided")) return T{1} / std::sqrt(square + eps);
  return std::sqrt(T{1} / (square + eps));
}

inline const std::vector<std::string> wrong_eps{"no eps", "eps outside of the root", "eps squared",
                                                "not rooted", "the larger of it and eps"};

// Gemma's norm: x / rms times 1 + w, with an eps that shows.
template <class T>
Made one_more(const Given& g, const Way& way) {
  constexpr N n = 515;
  const Read<T> x{g["x"]}, w{g["w"]};
  Made out(1);
  for (N r = 0; r < 9; ++r) {
    const auto mine = x.from(r * n);
    T square = dot<T>(way, r, n, mine, mine) / T{n};
    if (way.is("a mean over padding")) square = square * T{n} / T{1024};
    if (way.is("a sum for the mean")) square *= T{n};
    const T scale = inverse(square, T{0.125}, way);
    for (N c = 0; c < n; ++c) {
      T weight = T{1} + w[c];
      if (way.is("w alone")) weight = w[c];
      if (way.is("1 - w")) weight = T{1} - w[c];
      const T v = mine(c) * scale;
      if (way.is("1 added to the product"))
        out[0].push_back(v * w[c] + T{1});
      else
        out[0].push_back(way.is("the weight in two terms") ? std::fma(v, w[c], v) : v * weight);
    }
  }
  return out;
}

inline HeldOut norm_with_one_more() {
  const DType dtype = DType::bfloat16;
  Task task{"rmsnorm by 1 + w",
            "rmsnorm",
            dtype,
            {{"T", 9}, {"H", 515}},
            {{"x", tensor({"T", "H"}, dtype)}, {"w", tensor({"H"}, dtype)}},
            {{"y", tensor({"T", "H"}, dtype)}},
            "def run(x, w):\n    f = x.float()\n"
            "    f = f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 0.125)\n"
            "    return (f * (1.0 + w.float())).to(x.dtype)\n",
            {}};
  Making making(std::move(task), {{dtype, 515}},
                [](auto t, const Given& g, const Way& w) { return one_more<decltype(t)>(g, w); });
  making.sums().rows().cutting().low_accumulator(dtype);
  return slips(making)
      .rights({"the root, then divided", "the weight in two terms"})
      .wrongs(wrong_eps)
      .wrongs({"a mean over padding", "a sum for the mean", "w alone", "1 - w",
               "1 added to the product"})
      .wrong("the next weight", {.before = rolled("w", 1)})
      .done();
}

// Queries normalised by head, then turned by halves; angles of the position.
constexpr N turned_width = 20, turned_heads = 3;

template <class T>
void turn(std::vector<T>& x, std::int64_t position, const Way& way) {
  constexpr N half = turned_width / 2;
  const bool pairs = way.is("pairs of neighbours");
  for (N i = 0; i < half; ++i) {
    const long double base = way.is("a base of 1e6") ? 1e6L : 1e4L;
    const long double part = static_cast<long double>(i) / (way.is("powers of i / D") ? 20 : 10);
    const T angle = static_cast<T>(position) * static_cast<T>(std::pow(base, -part));
    const T c = std::cos(angle), s = way.is("turned back") ? -std::sin(angle) : std::sin(angle);
    const N a = pairs ? 2 * i : i, b = pairs ? a + 1 : i + half;
    const T u = x[a], v = x[b];
    x[a] = u * c - v * s;
    x[b] = v * c + (way.is("the second from the new first") ? x[a] : u) * s;
    if (way.is("one sign for both")) x[a] = u * c + v * s;
  }
}

template <class T>
Made normed_and_turned(const Given& g, const Way& way) {
  const Read<T> q{g["q"]}, w{g["w"]};
  const auto& positions = g.integers.at("positions");
  Made out(1);
  for (N r = 0; r < g["q"].size() / turned_width; ++r) {
    const N token = way.is("the position of the row") ? r % positions.size() : r / turned_heads;
    const auto mine = q.from(r * turned_width);
    std::vector<T> x;
    for (N c = 0; c < turned_width; ++c) x.push_back(mine(c));
    if (way.is("turned before the weight")) turn(x, positions[token], way);
    const T scale = inverse(dot<T>(way, r, turned_width, mine, mine) / T{turned_width},
                            static_cast<T>(1e-6L), way);
    for (N c = 0; c < turned_width; ++c)
      x[c] *= (way.is("no norm") ? T{1} : scale) * (way.is("no weight") ? T{1} : w[c]);
    if (way.is("rounded before it turns"))
      for (T& v : x) v = low(DType::bfloat16, v);
    if (!way.is("turned before the weight") && !way.is("not turned"))
      turn(x, positions[token], way);
    out[0].insert(out[0].end(), x.begin(), x.end());
  }
  return out;
}

inline HeldOut norm_then_rope() {
  const DType dtype = DType::bfloat16;
  Task task{"norm of queries, then rope",
            "qk_norm_rope",
            dtype,
            {{"T", 15}, {"H", 3}, {"D", 20}},
            {{"q", tensor({"T", "H", "D"}, dtype)},
             {"w", tensor({"D"}, dtype)},
             {"positions", tensor({"T"}, DType::int64)}},
            {{"y", tensor({"T", "H", "D"}, dtype)}},
            "def run(q, w, positions):\n    assert positions.max() < 200\n    f = q.float()\n"
            "    f = f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-6) * w.float()\n"
            "    i = torch.arange(10).float() / 10.0\n"
            "    angle = positions.float().unsqueeze(1) * torch.pow(10000.0, -i)\n"
            "    c = torch.cos(angle).unsqueeze(1)\n    s = torch.sin(angle).unsqueeze(1)\n"
            "    a = f[:, :, :10]\n    b = f[:, :, 10:]\n"
            "    return torch.cat([a * c - b * s, b * c + a * s], dim=-1).to(q.dtype)\n",
            {}};
  Making making(std::move(task), {{dtype, 20}}, [](auto t, const Given& g, const Way& w) {
    return normed_and_turned<decltype(t)>(g, w);
  });
  making.sums().outputs().rows().cutting();
  return slips(making)
      .rights({"the root, then divided", "rounded before it turns"})
      .wrongs({"pairs of neighbours", "a base of 1e6", "powers of i / D", "turned back",
               "the second from the new first", "one sign for both", "the position of the row",
               "turned before the weight", "no norm", "no weight", "not turned", "not rooted"})
      .wrong("the next position",
             {.before = on_integers("positions", [](std::int64_t v, N) { return v + 1; })})
      .done();
}

// Layer norm without weights, moved by what each of three batches has: x[3, 7, 130].
template <class T>
Made modulated(const Given& g, const Way& way) {
  constexpr N n = 130;
  const Read<T> x{g["x"]}, shift{g["shift"]}, scale{g["scale"]};
  Made out(1);
  for (N r = 0; r < 21; ++r) {
    const auto mine = x.from(r * n);
    const T mean = way.is("not centred") ? T{0} : total<T>(way, r, n, mine) / T{n};
    const auto off = [&](N c) { return mine(c) - mean; };
    const T divisor = static_cast<T>(way.is("divided by n - 1") ? n - 1 : n);
    T square = dot<T>(way, r, n, off, off) / divisor;
    const T y = inverse(square, T{0.25}, way);
    const N b = way.is("the batch of the token") ? r % 3 : r / 7;
    for (N c = 0; c < n; ++c) {
      const T by = way.is("scaled without 1") ? scale[b * n + c] : T{1} + scale[b * n + c];
      T v = off(c) * y;
      if (way.is("the norm in 16 bits")) v = low(DType::float16, v);
      out[0].push_back(way.is("moved, then scaled") ? (v + shift[b * n + c]) * by
                                                    : v * by + shift[b * n + c]);
    }
  }
  return out;
}

inline HeldOut modulated_norm() {
  const DType dtype = DType::float16;
  Task task{"layernorm with shift and scale",
            "adaln",
            dtype,
            {{"B", 3}, {"S", 7}, {"H", 130}},
            {{"x", tensor({"B", "S", "H"}, dtype)},
             {"shift", tensor({"B", "H"}, dtype)},
             {"scale", tensor({"B", "H"}, dtype)}},
            {{"y", tensor({"B", "S", "H"}, dtype)}},
            "def run(x, shift, scale):\n"
            "    y = torch.nn.functional.layer_norm(x.float(), [130], eps=0.25)\n"
            "    y = y * (1.0 + scale.float().unsqueeze(1)) + shift.float().unsqueeze(1)\n"
            "    return y.to(x.dtype)\n",
            {}};
  Making making(std::move(task), {{dtype, 130}},
                [](auto t, const Given& g, const Way& w) { return modulated<decltype(t)>(g, w); });
  making.sums().rows().cutting().low_accumulator(DType::bfloat16);
  return slips(making)
      .rights({"the root, then divided", "the norm in 16 bits"})
      .wrongs(wrong_eps)
      .wrongs({"divided by n - 1", "not centred", "the batch of the token", "scaled without 1",
               "moved, then scaled"})
      .wrong("shift and scale swapped", {.before = swapped("shift", "scale")})
      .done();
}

// Batch norm with learnt moments: x[4, 6, 23] by channel. Dropped: var in 16 bits or tf32, six
// numbers that may be rounded by little.
template <class T>
Made by_channel(const Given& g, const Way& way) {
  const Read<T> x{g["x"]}, mean{g["mean"]}, var{g["var"]}, w{g["w"]}, b{g["b"]};
  Made out(1);
  for (N i = 0; i < g["x"].size(); ++i) {
    N c = i / 23 % 6;
    if (way.is("channels last")) c = i % 6;
    if (way.is("the batch for the channel")) c = i / 138;
    const T r =
        way.is("the variance as deviation") ? T{1} / var[c] : inverse(var[c], T{0.0625}, way);
    T y = (x[i] - mean[c]) * r * w[c] + b[c];
    if (way.is("folded into one factor")) y = x[i] * (r * w[c]) + (b[c] - mean[c] * (r * w[c]));
    if (way.is("the mean is added")) y = (x[i] + mean[c]) * r * w[c] + b[c];
    if (way.is("the mean after the factor")) y = x[i] * r * w[c] - mean[c] + b[c];
    if (way.is("and relu")) y = std::max(y, T{0});
    out[0].push_back(y);
  }
  return out;
}

inline HeldOut learnt_batchnorm() {
  const DType dtype = DType::float32;
  Task task{"batchnorm that has learnt",
            "batchnorm",
            dtype,
            {{"B", 4}, {"C", 6}, {"L", 23}},
            {{"x", tensor({"B", "C", "L"}, dtype)},
             {"mean", tensor({"C"}, dtype)},
             {"var", tensor({"C"}, dtype)},
             {"w", tensor({"C"}, dtype)},
             {"b", tensor({"C"}, dtype)}},
            {{"y", tensor({"B", "C", "L"}, dtype)}},
            "def run(x, mean, var, w, b):\n    r = torch.rsqrt(var + 0.0625)\n"
            "    y = (x - mean.reshape(1, 6, 1)) * r.reshape(1, 6, 1)\n"
            "    return y * w.reshape(1, 6, 1) + b.reshape(1, 6, 1)\n",
            {}};
  Making making(std::move(task), {{dtype, 552}},
                [](auto t, const Given& g, const Way& w) { return by_channel<decltype(t)>(g, w); });
  making.plain().outputs().downgrades({"x"}).flushing();
  return slips(making)
      .rights({"the root, then divided", "folded into one factor"})
      .wrongs(wrong_eps)
      .wrongs({"channels last", "the batch for the channel", "the variance as deviation",
               "the mean is added", "the mean after the factor", "and relu"})
      .wrong("weight and bias swapped", {.before = swapped("w", "b")})
      .done();
}

// Gradient of rmsnorm by x[13, 210].
template <class T>
Made norm_backwards(const Given& g, const Way& way) {
  constexpr N n = 210;
  const Read<T> x{g["x"]}, w{g["w"]}, dy{g["dy"]};
  Made out(1);
  for (N r = 0; r < 13; ++r) {
    const auto mine = x.from(r * n);
    const T y = inverse(dot<T>(way, r, n, mine, mine) / T{n}, static_cast<T>(1e-5L), way);
    const auto up = [&](N c) { return dy[r * n + c] * (way.is("no weight") ? T{1} : w[c]); };
    T along = dot<T>(way, r, n, up, mine) * y * y / T{n};
    if (way.is("no part along x")) along = 0;
    if (way.is("the part along x is added")) along = -along;
    if (way.is("a sum for the mean")) along *= T{n};
    if (way.is("a root too few along x")) along /= y;
    for (N c = 0; c < n; ++c) {
      const T part = way.is("the weight is left out along x") ? along * w[c] : along;
      out[0].push_back((way.is("not divided by the norm") ? T{1} : y) * (up(c) - mine(c) * part));
    }
  }
  return out;
}

inline HeldOut rmsnorm_gradient() {
  const DType dtype = DType::float32;
  Task task{"gradient of rmsnorm",
            "rmsnorm_backward",
            dtype,
            {{"T", 13}, {"H", 210}},
            {{"dy", tensor({"T", "H"}, dtype)},
             {"x", tensor({"T", "H"}, dtype)},
             {"w", tensor({"H"}, dtype)}},
            {{"dx", tensor({"T", "H"}, dtype)}},
            "def run(dy, x, w):\n    r = torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5)\n"
            "    u = dy * w\n    along = (u * x).mean(-1, keepdim=True) * r * r\n"
            "    return r * (u - x * along)\n",
            {}};
  Making making(std::move(task), {{dtype, 210}}, [](auto t, const Given& g, const Way& w) {
    return norm_backwards<decltype(t)>(g, w);
  });
  making.sums().rows().downgrades({"dy", "x"}).low_sums(DType::bfloat16);
  return slips(making)
      .rights({"the root, then divided"})
      .wrongs({"no part along x", "the part along x is added", "a sum for the mean",
               "a root too few along x", "the weight is left out along x", "no weight",
               "not divided by the norm", "not rooted"})
      .done();
}

}  // namespace kbench::mutants::heldout
