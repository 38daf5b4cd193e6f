// Held out: activations, gates, rotary positions, and numbers that are none.
#pragma once

#include "calibration/mutants/heldout_products.hpp"

namespace kbench::mutants::heldout {

template <class T>
T tanh_of_pade(T x) {  // an approximant of low order, clamped
  const T c = std::clamp(x, T{-3}, T{3});
  return c * (T{27} + c * c) / (T{27} + T{9} * c * c);
}

// Op on each element, by the program's name.
template <class F>
Making elementwise(const std::string& name, DType dtype, const std::string& expression,
                   const F& f) {
  Task task{name,
            "activation",
            dtype,
            {{"A", 3}, {"B", 7}, {"C", 43}},
            {{"x", tensor({"A", "B", "C"}, dtype)}},
            {{"y", tensor({"A", "B", "C"}, dtype)}},
            "def run(x):\n    f = x.float()\n    return (" + expression + ").to(x.dtype)\n",
            {}};
  Making making(std::move(task), {{dtype, 43}}, [f]<class T>(T, const Given& g, const Way& way) {
    Made out(1);
    for (const float x : g["x"]) out[0].push_back(f(static_cast<T>(x), way));
    return out;
  });
  making.plain().outputs().rows();
  if (dtype == DType::float32)
    making.downgrades({"x"}).flushing();
  else
    making.cutting().wrong("x through float8", {.before = through("x", DType::float8_e4m3fn)});
  return making;
}

inline const Change to_relu{.after = each([](long double v) { return std::max(v, 0.0L); })};

inline HeldOut gelu_float32() {
  return elementwise("gelu", DType::float32, "torch.nn.functional.gelu(f)",
                     []<class T>(T x, const Way& way) {
                       if (way.is("by erf"))
                         return x * T{0.5} * (T{1} + std::erf(x / std::sqrt(T{2})));
                       return activated(Act::gelu, x, way);
                     })
      .rights({"by erf"})
      .wrongs({"gelu by tanh", "gelu by sigmoid"})
      .wrong("relu", to_relu)
      .done();
}

// The sigmoid form shows in float16; a tanh of low order in all 16 bits.
inline HeldOut gelu_tanh_float16() {
  return elementwise("gelu of tanh", DType::float16,
                     "torch.nn.functional.gelu(f, approximate='tanh')",
                     []<class T>(T x, const Way& way) {
                       const T z = static_cast<T>(0.79788456080286535588L) *
                                   (x + static_cast<T>(0.044715L) * x * x * x);
                       if (way.is("without the cube"))
                         return gelu_by_tanh(x) * T{0} +
                                T{0.5} * x * (T{1} + std::tanh(static_cast<T>(0.7978845608L) * x));
                       if (way.is("tanh by a fraction"))
                         return T{0.5} * x * (T{1} + tanh_of_pade(z));
                       if (way.is("by sigmoid of 2z")) return x * sigmoid(T{2} * z);
                       if (way.is("gelu by sigmoid")) return activated(Act::gelu, x, way);
                       return gelu_by_tanh(x);
                     })
      .rights({"by sigmoid of 2z"})
      .wrongs({"without the cube", "tanh by a fraction", "gelu by sigmoid"})
      .done();
}

inline HeldOut softplus_bfloat16() {
  return elementwise("softplus", DType::bfloat16, "torch.nn.functional.softplus(f)",
                     []<class T>(T x, const Way& way) {
                       if (way.is("as PyTorch does")) return x > 20 ? x : std::log1p(std::exp(x));
                       if (way.is("for all x as for x > 20")) return x;
                       if (way.is("log2 for the logarithm")) return std::log2(T{1} + std::exp(x));
                       if (way.is("of -x")) return std::log1p(std::exp(-x));
                       if (way.is("linear from 1")) return x > 1 ? x : std::log1p(std::exp(x));
                       return std::max(x, T{0}) + std::log1p(std::exp(-std::fabs(x)));
                     })
      .rights({"as PyTorch does"})
      .wrongs({"for all x as for x > 20", "log2 for the logarithm", "of -x", "linear from 1"})
      .done();
}

inline HeldOut mish_float32() {
  return elementwise("mish", DType::float32, "f * torch.tanh(torch.nn.functional.softplus(f))",
                     []<class T>(T x, const Way& way) {
                       const T s = std::max(x, T{0}) + std::log1p(std::exp(-std::fabs(x)));
                       if (way.is("by exponentials alone")) {
                         const T e = std::exp(std::min(x, T{20})), n = e * (e + T{2});
                         return x > 20 ? x : x * n / (n + T{2});
                       }
                       if (way.is("silu")) return x * sigmoid(x);
                       if (way.is("tanh by a fraction")) return x * tanh_of_pade(s);
                       if (way.is("no x before")) return std::tanh(s);
                       return x * std::tanh(s);
                     })
      .rights({"by exponentials alone"})
      .wrongs({"silu", "tanh by a fraction", "no x before"})
      .wrong("relu", to_relu)
      .done();
}

// Log1p: NaN below -1, and -inf nowhere.
inline HeldOut log1p_with_nan() {
  return elementwise("log1p", DType::float32, "torch.clamp(torch.log1p(f) * 3.0, max=2.0)",
                     []<class T>(T x, const Way& way) {
                       if (way.is("NaN lost in the clamp"))
                         return std::fmin(T{3} * std::log1p(x), T{2});
                       if (way.is("NaN becomes 0") && x < -1) return T{0};
                       if (way.is("of the absolute value")) x = std::fabs(x);
                       if (way.is("-inf for NaN") && x < -1)
                         return -std::numeric_limits<T>::infinity();
                       const T v = T{3} * (way.is("log2") ? std::log2(T{1} + x) : std::log1p(x));
                       return !way.is("no clamp") && v > 2 ? T{2} : v;
                     })
      .wrongs({"NaN lost in the clamp", "NaN becomes 0", "of the absolute value", "-inf for NaN",
               "log2", "no clamp"})
      .done();
}

// x[T, 2N] has gates and factors by turns, limited (gpt-oss, but for its limit of 7).
template <class T>
Made swiglu(const Given& given, const Way& way) {
  const Floats& x = given["x"];
  const bool halves = way.is("in halves");
  const T limit = way.is("no limit") ? T{1e30F} : T{2};
  const T slope = way.is("no slope") ? T{1} : static_cast<T>(1.702L);
  constexpr std::size_t n = 77;
  Made out(1);
  for (std::size_t i = 0; i < x.size() / 2; ++i) {
    const std::size_t r = i / n, c = i % n;
    T gate = static_cast<T>(x[r * 2 * n + (halves ? c : 2 * c)]);
    T factor = static_cast<T>(x[r * 2 * n + (halves ? n + c : 2 * c + 1)]);
    if (way.is("gate and factor swapped")) std::swap(gate, factor);
    gate = way.is("the gate limited below too") ? std::clamp(gate, -limit / 2, limit)
                                                : std::min(gate, limit);
    factor = way.is("the factor limited above alone") ? std::min(factor, limit)
                                                      : std::clamp(factor, -limit, limit);
    T s = sigmoid(slope * gate);
    if (way.is("sigmoid by tanh")) s = T{0.5} + T{0.5} * std::tanh(T{0.5} * slope * gate);
    if (way.is("a hard sigmoid")) s = std::clamp(slope * gate / T{6} + T{0.5}, T{0}, T{1});
    const T one = way.is("the factor without 1") ? T{0} : T{1};
    out[0].push_back(gate * s * (factor + one));
  }
  return out;
}

inline HeldOut swiglu_limited(DType dtype) {
  Task task{"swiglu with limits",
            "activation",
            dtype,
            {{"T", 19}, {"N", 77}, {"W", 154}},
            {{"x", tensor({"T", "W"}, dtype)}},
            {{"y", tensor({"T", "N"}, dtype)}},
            "def run(x):\n    f = x.float()\n    gate = f[:, 0::2].clamp(max=2.0)\n"
            "    factor = f[:, 1::2].clamp(-2.0, 2.0)\n"
            "    return (gate * torch.sigmoid(1.702 * gate) * (factor + 1.0)).to(x.dtype)\n",
            {}};
  Making making(std::move(task), {{dtype, 77}},
                [](auto t, const Given& g, const Way& w) { return swiglu<decltype(t)>(g, w); });
  making.plain().outputs().rows().rights({"sigmoid by tanh"});
  making.wrongs({"in halves", "no limit", "no slope", "gate and factor swapped", "a hard sigmoid",
                 "the gate limited below too", "the factor limited above alone",
                 "the factor without 1"});
  if (dtype == DType::float32)
    making.flushing().downgrades({"x"});
  else
    making.cutting();
  return making.done();
}

// x[T, 3, 48], of which 32 turn, pairs of neighbours; cos and sin of position p in cache[P, 32].
struct Rope {
  std::size_t tokens = 13, heads = 3, width = 48, turned = 32;
};

template <class T>
Made roped(const Rope& d, const Given& given, const Way& way) {
  const Floats &x = given["x"], &cache = given["cos_sin_cache"];
  const auto& positions = given.integers.at("positions");
  const std::size_t half = d.turned / 2;
  const bool halves = way.is("pairs of halves"), fused = way.is("by fused multiply-add");
  const T sign = way.is("turned back") ? T{-1} : T{1};
  Made out{Values(x.begin(), x.end())};
  for (std::size_t r = 0; r < d.tokens * d.heads; ++r) {
    const auto p = static_cast<std::size_t>(positions[r / d.heads]);
    const std::size_t pairs = way.is("all of the head") ? d.width / 2 : half;
    for (std::size_t i = 0; i < pairs - (way.is("the last pair stays") ? 1 : 0); ++i) {
      const std::size_t a = r * d.width + (halves ? i : 2 * i), b = a + (halves ? half : 1);
      const T c = static_cast<T>(cache[p * d.turned + i % half]);
      const T s = sign * static_cast<T>(cache[p * d.turned + half + i % half]);
      const T u = static_cast<T>(x[a]), v = static_cast<T>(x[b]);
      out[0][a] = fused ? std::fma(u, c, -(v * s)) : static_cast<T>(u * c - v * s);
      out[0][b] = fused ? std::fma(v, c, u * s) : static_cast<T>(v * c + u * s);
      if (way.is("the second by the new first"))
        out[0][b] = static_cast<T>(v * c + static_cast<T>(out[0][a]) * s);
    }
  }
  return out;
}

inline HeldOut rope_partial(DType dtype) {
  Task task{"partial rope of pairs",
            "rope",
            dtype,
            {{"T", 13}, {"H", 3}, {"D", 48}, {"P", 50}, {"R", 32}},
            {{"x", tensor({"T", "H", "D"}, dtype)},
             {"cos_sin_cache", tensor({"P", "R"}, DType::float32)},
             {"positions", tensor({"T"}, DType::int64)}},
            {{"y", tensor({"T", "H", "D"}, dtype)}},
            "def run(x, cos_sin_cache, positions):\n"
            "    c = cos_sin_cache[positions][:, :16].unsqueeze(1)\n"
            "    s = cos_sin_cache[positions][:, 16:].unsqueeze(1)\n    f = x.float()\n"
            "    a = f[:, :, 0:32:2]\n    b = f[:, :, 1:32:2]\n"
            "    t = torch.stack([a * c - b * s, b * c + a * s], dim=-1).flatten(2)\n"
            "    return torch.cat([t, f[:, :, 32:]], dim=-1).to(x.dtype)\n",
            {}};
  Making making(std::move(task), {{dtype, 48}},
                []<class T>(T, const Given& g, const Way& w) { return roped<T>(Rope{}, g, w); });
  const auto moved = [](std::int64_t by) {
    return on_integers("positions", [=](std::int64_t v, std::size_t) { return (v + by) % 50; });
  };
  making.plain().outputs().rows().rights({"by fused multiply-add"});
  making.wrongs({"pairs of halves", "turned back", "all of the head", "the last pair stays",
                 "the second by the new first"});
  making.wrong("the next position", {.before = moved(1)});
  making.wrong("the position is the index",
               {.before = on_integers("positions", [](std::int64_t, std::size_t i) {
                  return static_cast<std::int64_t>(i);
                })});
  making.wrong("sine and cosine swapped", {.before = rolled("cos_sin_cache", 16)});
  if (dtype == DType::float32)
    making.downgrades({"cos_sin_cache"}).flushing();
  else
    making.cutting();
  return making.done();
}

}  // namespace kbench::mutants::heldout
