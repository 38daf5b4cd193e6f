// Held out: products of matrices, with what is done to their results, and with quantised weights.
#pragma once

#include "calibration/mutants/heldout_making.hpp"

namespace kbench::mutants::heldout {

enum class Act : std::uint8_t { none, relu, gelu, silu };

template <class T>
T normal_cdf(T z) {
  return T{0.5} * std::erfc(-z * static_cast<T>(0.70710678118654752440084L));
}
template <class T>
T gelu_by_tanh(T z) {
  const T inner =
      static_cast<T>(0.79788456080286535588L) * (z + static_cast<T>(0.044715L) * z * z * z);
  return T{0.5} * z * (T{1} + std::tanh(inner));
}
template <class T>
T sigmoid(T z) {
  return T{1} / (T{1} + std::exp(-z));
}
template <class T>
T activated(Act act, T z, const Way& way) {
  if (way.is("gelu by tanh")) return gelu_by_tanh(z);
  if (way.is("gelu by sigmoid")) return z * sigmoid(static_cast<T>(1.702L) * z);
  if (way.is("sigmoid by tanh")) return z * (T{0.5} + T{0.5} * std::tanh(T{0.5} * z));
  if (way.is("leaky at 0.01") && z < 0) return z * static_cast<T>(0.01L);
  if (act == Act::relu) return std::max(z, T{0});
  if (act == Act::gelu) return z * normal_cdf(z);
  return act == Act::silu ? z * sigmoid(z) : z;
}

// y[B, M, N] = act(x[B, M, K] · w[B, N, K] + b[N]); w[B, K, N] if `turned`.
struct Gemm {
  std::size_t batch = 1, m = 1, n = 1, k = 1;
  DType in = DType::float32, out = DType::float32;
  Act act = Act::none;
  bool biased = true, turned = false;
};

template <class T>
T epilogue(const Gemm& d, T z, T bias, const Way& way) {
  if (way.is("rounded before the bias")) z = low(d.out, z);
  if (way.is("the bias after the activation")) return activated(d.act, z, way) + bias;
  z += bias;
  if (way.is("rounded before the activation")) z = low(d.out, z);
  return way.is("no activation") ? z : activated(d.act, z, way);
}

template <class T>
Made gemm(const Gemm& d, const Given& given, const Way& way) {
  const Floats &x = given["x"], &w = given["w"];
  Made out(1);
  const bool turned = d.turned != way.is("w the other way round");
  const std::size_t column = turned ? 1 : d.k, step = turned ? d.n : 1;
  for (std::size_t id = 0; id < d.batch * d.m * d.n; ++id) {
    const std::size_t j = id % d.n, r = id / d.n, b = r / d.m;
    const float* a = x.data() + r * d.k;
    const float* c = w.data() + b * d.n * d.k + j * column;
    const T z = dot<T>(
        way, id, d.k, [&](std::size_t k) { return static_cast<T>(a[k]); },
        [&](std::size_t k) { return static_cast<T>(c[k * step]); });
    const T bias = d.biased ? static_cast<T>(given["b"][j]) : T{0};
    out[0].push_back(epilogue(d, z, bias, way));
  }
  return out;
}

inline std::string act_text(Act act) {
  return act == Act::none   ? "y"
         : act == Act::relu ? "torch.relu(y)"
         : act == Act::gelu ? "torch.nn.functional.gelu(y)"
                            : "torch.nn.functional.silu(y)";
}

inline Making product(const std::string& name, const Gemm& d) {
  const std::vector<std::string> w =
      d.turned ? std::vector<std::string>{"B", "K", "N"} : std::vector<std::string>{"B", "N", "K"};
  Task task{name,
            d.batch > 1 ? "batched_gemm" : "gemm",
            d.out,
            {{"B", whole(d.batch)}, {"M", whole(d.m)}, {"N", whole(d.n)}, {"K", whole(d.k)}},
            {{"x", tensor({"B", "M", "K"}, d.in)}, {"w", tensor(w, d.in)}},
            {{"y", tensor({"B", "M", "N"}, d.out)}},
            std::string("def run(x, w") + (d.biased ? ", b" : "") +
                "):\n    y = x.float() @ w.float()" + (d.turned ? "" : ".transpose(1, 2)") +
                (d.biased ? " + b.float()" : "") + "\n    return " + act_text(d.act) + ".to(" +
                torch_name(d.out) + ")\n",
            {}};
  if (d.biased) task.inputs["b"] = tensor({"N"}, d.in);
  Making making(std::move(task), {{d.out, d.n}},
                [d]<class T>(T, const Given& g, const Way& way) { return gemm<T>(d, g, way); });
  making.sums().outputs();
  if (d.m > 1) making.rows();
  making.wrong("w of the next column", {.before = rolled("w", d.turned ? 1 : d.k)});
  if (d.biased)
    making.wrong("no bias", {.before = filled("b", 0)})
        .wrong("the bias twice", {.before = times("b", 2)})
        .wrong("the next column's bias", {.before = rolled("b", 1)});
  return making;
}

// Sums have 1100 terms, so 16-bit ones lose much. Results are large: all forms of gelu are near
// relu. Dropped, as nothing is to be seen of it: gelu by tanh or sigmoid, activated twice.
inline HeldOut linear_gelu_bfloat16() {
  const DType dtype = DType::bfloat16;
  return product("linear_gelu",
                 {.m = 23, .n = 17, .k = 1100, .in = dtype, .out = dtype, .act = Act::gelu})
      .low_sums(dtype)
      .rights({"rounded before the activation"})
      .wrongs({"no activation", "the bias after the activation"})
      .cutting()
      .done();
}

// Dropped: 16-bit partial sums.
inline HeldOut linear_relu_float16() {
  const DType dtype = DType::float16;
  return product("linear_relu",
                 {.m = 31, .n = 13, .k = 769, .in = dtype, .out = dtype, .act = Act::relu})
      .low_accumulator(dtype)
      .rights({"rounded before the activation", "rounded before the bias"})
      .wrongs({"no activation", "leaky at 0.01", "the bias after the activation"})
      .wrong("x through float8", {.before = through("x", DType::float8_e4m3fn)})
      .cutting()
      .done();
}

inline HeldOut linear_silu_float32() {
  return product("linear_silu", {.m = 9, .n = 41, .k = 515, .act = Act::silu})
      .low_sums(DType::bfloat16)
      .downgrades({"x", "w"})
      .flushing()
      .rights({"sigmoid by tanh"})
      .wrongs({"no activation", "gelu by tanh", "the bias after the activation"})
      .done();
}

inline HeldOut linear_gelu_float32() {
  return product("linear_gelu", {.m = 14, .n = 35, .k = 95, .act = Act::gelu})
      .low_sums(DType::float16)
      .downgrades({"x", "b"})
      .wrongs({"no activation", "gelu by tanh", "gelu by sigmoid"})
      .done();
}

inline HeldOut one_row_float32() {
  return product("gemv", {.m = 1, .n = 13, .k = 5001, .biased = false})
      .low_sums(DType::float16)
      .downgrades({"x", "w"})
      .flushing()
      .done();
}

// Dropped: w the other way round reads the same elements in a square; N is not K here, so it is in.
inline HeldOut batched_float16_to_float32() {
  return product("bmm", {.batch = 3,
                         .m = 5,
                         .n = 19,
                         .k = 333,
                         .in = DType::float16,
                         .biased = false,
                         .turned = true})
      .low_sums(DType::float16)
      .wrongs({"w the other way round"})
      .wrong("the next matrix's w", {.before = rolled("w", std::size_t{19} * 333)})
      .wrong("the result through bfloat16", {.after = results_through(DType::bfloat16)})
      .wrong("the result through float16", {.after = results_through(DType::float16)})
      .done();
}

// Dropped: 16-bit partial sums.
inline HeldOut batched_float8() {
  return product("bmm of float8", {.batch = 2,
                                   .m = 11,
                                   .n = 21,
                                   .k = 640,
                                   .in = DType::float8_e4m3fn,
                                   .out = DType::float16,
                                   .biased = false})
      .low_accumulator(DType::float16)
      .wrongs({"w the other way round"})
      .wrong("the next matrix's w", {.before = rolled("w", std::size_t{21} * 640)})
      .wrong("x as float8_e5m2", {.before = through("x", DType::float8_e5m2)})
      .cutting()
      .done();
}

// y[M, N] = x[M, K] · (w[N, K] · s[N, K / G]); w in int8 or float8.
struct Dequant {
  std::size_t m, n, k, group;
  DType weights, out;
};

template <class T>
Made dequantised_gemm(const Dequant& d, const Given& given, const Way& way) {
  const Floats &x = given["x"], &w = given["w"], &s = given["s"];
  const std::size_t groups = d.k / d.group;
  const std::size_t shift = way.is("the next group's scale") ? 1 : 0;
  const bool one = way.is("the first group's scale"), late = way.is("scaled after each group");
  const bool rounds = way.is("weights rounded to 16 bits");
  Made out(1);
  for (std::size_t id = 0; id < d.m * d.n; ++id) {
    const std::size_t i = id / d.n, j = id % d.n;
    const auto scale = [&](std::size_t k) {
      const std::size_t g = one ? 0 : (k / d.group + shift) % groups;
      return static_cast<T>(s[j * groups + g]);
    };
    const auto factor = [&](std::size_t k) { return static_cast<T>(x[i * d.k + k]); };
    T sum = 0;
    if (late) {
      for (std::size_t g = 0; g < groups; ++g)
        sum += scale(g * d.group) *
               dot<T>(
                   way, id, d.group, [&](std::size_t k) { return factor(g * d.group + k); },
                   [&](std::size_t k) { return static_cast<T>(w[j * d.k + g * d.group + k]); });
    } else {
      sum = dot<T>(way, id, d.k, factor, [&](std::size_t k) {
        const T v = static_cast<T>(w[j * d.k + k]) * scale(k);
        return rounds ? low(d.out, v) : v;
      });
    }
    out[0].push_back(sum);
  }
  return out;
}

inline const std::string unpacking =
    "values = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, "
    "-0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0])\n"
    "def unpacked(w):\n    codes = w.view(torch.uint8).to(torch.int64)\n"
    "    return values[torch.stack([codes % 16, codes // 16], dim=-1).flatten(1)]\n";

inline Making dequantising(const std::string& name, const Dequant& d) {
  Task task{name,
            "quantized_gemm",
            d.out,
            {{"M", whole(d.m)}, {"N", whole(d.n)}, {"K", whole(d.k)}, {"G", whole(d.k / d.group)}},
            {{"x", tensor({"M", "K"}, d.out)},
             {"w", tensor({"N", "K"}, d.weights)},
             {"s", tensor({"N", "G"}, DType::float32)}},
            {{"y", tensor({"M", "N"}, d.out)}},
            unpacking + "def run(x, w, s):\n    wide = " +
                (d.weights == DType::float4_e2m1 ? "unpacked(w)" : "w.float()") +
                " * s.repeat_interleave(" + size(d.group) +
                ", dim=1)\n    return (x.float() @ wide.T).to(" + torch_name(d.out) + ")\n",
            {}};
  Making making(std::move(task), {{d.out, d.n}}, [d]<class T>(T, const Given& g, const Way& w) {
    return dequantised_gemm<T>(d, g, w);
  });
  making.sums().outputs();
  if (d.m > 1) making.rows();
  making.rights({"scaled after each group"});
  making.wrongs({"the next group's scale", "the first group's scale"});
  making.wrong("the next row's scale", {.before = rolled("s", d.k / d.group)});
  making.wrong("no scale", {.before = filled("s", 1)});
  making.wrong("scales in float8", {.before = through("s", DType::float8_e4m3fn)});
  return making;
}

// Dropped: 16-bit partial sums of 15 tiles, weights of 7 bits. Marlin and bitsandbytes dequantise
// weights to 16 bits before the tensor cores: right.
inline HeldOut int8_weights() {
  return dequantising("w8a16", {.m = 6,
                                .n = 26,
                                .k = 480,
                                .group = 96,
                                .weights = DType::int8,
                                .out = DType::bfloat16})
      .low_accumulator(DType::bfloat16)
      .rights({"weights rounded to 16 bits"})
      .wrong("weights without sign", {.before = on("w",
                                                   [](Floats& v) {
                                                     for (float& x : v) x = x < 0 ? x + 128 : x;
                                                   })})
      .cutting()
      .done();
}

// Dropped: 16-bit partial sums of 12 tiles; cut off, not rounded, of 47 elements.
inline HeldOut float4_weights() {
  return dequantising("w4a16", {.m = 1,
                                .n = 47,
                                .k = 384,
                                .group = 32,
                                .weights = DType::float4_e2m1,
                                .out = DType::float16})
      .low_accumulator(DType::float16)
      .rights({"weights rounded to 16 bits"})
      .wrong("nibbles swapped", {.before = on("w",
                                              [](Floats& v) {
                                                for (std::size_t i = 0; i + 1 < v.size(); i += 2)
                                                  std::swap(v[i], v[i + 1]);
                                              })})
      .wrong("code 1 read as 0", {.before = on("w",
                                               [](Floats& v) {
                                                 for (float& x : v)
                                                   x = std::fabs(x) == 0.5F ? 0.0F : x;
                                               })})
      .done();
}

}  // namespace kbench::mutants::heldout
