// Third set: codes of 8 and 4 bits after a gate, by blocks, with zeros, and into a cache.
#pragma once

#include "calibration/mutants/third_making.hpp"

namespace kbench::mutants::heldout {

template <class T>
T cut(T v, DType code, const Way& way) {
  if (way.is("codes cut off")) return static_cast<T>(chopped(code, static_cast<float>(v)));
  return v;
}

// Relu squared, into float8_e5m2: x[9, 141] in float32. Dropped: cut at 8, which few reach.
inline HeldOut squares_to_e5m2() {
  const auto body = []<class T>(T, const Given& g, const Way& way) {
    Made out(1);
    for (const float given : g["x"]) {
      const T x = static_cast<T>(given), up = std::max(x, T{0});
      T v = up * up;
      if (way.is("a product with x")) v = up * x;
      if (way.is("relu alone")) v = up;
      if (way.is("no relu")) v = x * x;
      if (way.is("halved")) v /= 2;
      if (way.is("as float8_e4m3fn")) v = low(DType::float8_e4m3fn, v);
      if (way.is("the square of the code")) {
        v = low(DType::float8_e5m2, up);
        v *= v;
      }
      out[0].push_back(cut(v, DType::float8_e5m2, way));
    }
    return out;
  };
  Task task{"relu squared to float8",
            "activation",
            DType::float8_e5m2,
            {{"M", 9}, {"N", 141}},
            {{"x", tensor({"M", "N"}, DType::float32)}},
            {{"y", tensor({"M", "N"}, DType::float8_e5m2)}},
            "def run(x):\n    return torch.relu(x).square().to(torch.float8_e5m2)\n",
            {}};
  Making making(std::move(task), {{DType::float8_e5m2, 141}}, body);
  making.plain().outputs().rows();
  return slips(making)
      .rights({"a product with x"})
      .wrongs({"relu alone", "no relu", "halved", "as float8_e4m3fn", "the square of the code",
               "codes cut off"})
      .done();
}

// Row of silu(gate) * up of x[7, 2 * 90]: each is in float8_e4m3fn by its own scale.
template <class T>
std::vector<T> gated_row(const Given& g, N r, const Way& way) {
  constexpr N n = 90;
  const Read<T> x{g["x"]};
  std::vector<T> out;
  for (N c = 0; c < n; ++c) {
    const bool turns = way.is("gates by turns");
    T gate = x[r * 2 * n + (turns ? 2 * c : c)], up = x[r * 2 * n + (turns ? 2 * c + 1 : n + c)];
    if (way.is("gate and up swapped")) std::swap(gate, up);
    out.push_back(gate * (way.is("a sigmoid alone") ? T{1} : up) * logistic(gate));
  }
  return out;
}

template <class T>
T row_scale(const std::vector<T>& y, const Way& way) {
  T most = 0;
  for (const T v : y) most = std::max(most, way.is("amax without its sign") ? v : std::fabs(v));
  most = std::max(most, static_cast<T>(1e-10L));
  if (way.is("a code of 240")) return most / 240;
  if (way.is("a code of 480")) return most / 480;
  return way.is("the scale by a product") ? most * (T{1} / 448) : most / 448;
}

template <class T>
Made gated_codes(const Given& g, const Way& way) {
  Made out(2);
  T before = 1;
  for (N r = 0; r < 7; ++r) {
    const std::vector<T> y = gated_row<T>(g, r, way);
    const T scale = row_scale(y, way);
    for (const T v : y) {
      T code = way.is("by the reciprocal") ? v * (T{1} / scale) : v / scale;
      if (way.is("the scale of the row before")) code = v / before;
      if (way.is("times the scale")) code = v * scale;
      code = way.is("wraps to 0") && std::fabs(code) > 400 ? T{0} : code;
      out[0].push_back(cut(std::clamp(code, T{-448}, T{448}), DType::float8_e4m3fn, way));
    }
    out[1].push_back(way.is("the scale's reciprocal") ? T{1} / scale
                     : way.is("the row's largest")    ? scale * 448
                                                      : scale);
    before = scale;
  }
  return out;
}

inline HeldOut gated_to_e4m3() {
  const DType code = DType::float8_e4m3fn;
  Task task{"swiglu to float8 by token",
            "swiglu_quant",
            code,
            {{"T", 7}, {"W", 180}, {"N", 90}},
            {{"x", tensor({"T", "W"}, DType::bfloat16)}},
            {{"y", tensor({"T", "N"}, code)}, {"scale", tensor({"T"}, DType::float32)}},
            "def run(x):\n    f = x.float()\n"
            "    y = torch.nn.functional.silu(f[:, :90]) * f[:, 90:]\n"
            "    scale = y.abs().amax(-1).clamp(min=1e-10) / 448.0\n"
            "    codes = (y / scale.unsqueeze(-1)).clamp(-448.0, 448.0)\n"
            "    return codes.to(torch.float8_e4m3fn), scale\n",
            {}};
  Making making(
      std::move(task), {{code, 90}, {DType::float32, 7}},
      [](auto t, const Given& g, const Way& w) { return gated_codes<decltype(t)>(g, w); });
  making.plain().outputs();
  return slips(making)
      .rights({"by the reciprocal", "the scale by a product"})
      .wrongs({"gates by turns", "gate and up swapped", "a sigmoid alone", "amax without its sign",
               "a code of 240", "a code of 480", "the scale of the row before", "times the scale",
               "wraps to 0", "the scale's reciprocal", "the row's largest", "codes cut off"})
      .done();
}

// Exponent, an int8, of the power of 2 of a block of 32 float4 codes (MXFP4): x[6, 96].
template <class T>
int block_exponent(const std::vector<T>& x, N first, const Way& way) {
  T most = 0;
  for (N k = first; k < first + (way.is("amax of 16") ? 16 : 32); ++k)
    most = std::max(most, std::fabs(x[k]));
  most = std::max(most, T{0x1p-20F});
  int e = std::ilogb(most) - 2;
  if (way.is("the next power")) ++e;
  if (way.is("the power before")) --e;
  if (way.is("the power that holds all")) e = static_cast<int>(std::ceil(std::log2(most / 6)));
  if (way.is("the nearest power")) e = static_cast<int>(std::nearbyint(std::log2(most))) - 2;
  if (way.is("no 2 less")) e += 2;
  return e;
}

template <class T>
T float4_of(T x, int e, const Way& way) {
  const T v = std::clamp(std::ldexp(x, -e), T{-6}, T{6}), size = std::fabs(v);
  if (way.is("by a product with a power"))
    return std::clamp(x * std::exp2(static_cast<T>(-e)), T{-6}, T{6});
  if (way.is("cut at 4")) return std::clamp(v, T{-4}, T{4});
  if (way.is("halves to whole numbers") && size < 2) return std::nearbyint(v);
  if (way.is("codes cut off")) {
    if (size < 1) return size < T{0.5} ? T{0} : std::copysign(T{0.5}, v);
    return static_cast<T>(chopped(DType::float4_e2m1, static_cast<float>(v)));
  }
  if (way.is("the sign is lost")) return size;
  return way.is("nothing below 1") && size < T{0.75} ? T{0} : v;
}

template <class T>
Made block_codes(const Given& g, const Way& way) {
  const std::vector<T> x = all_of<T>(g, "x");
  const N shift = way.is("the next block's power") ? 32 : 0;
  Made out(2);
  for (N i = 0; i < x.size(); ++i) {
    const int e = block_exponent(x, (i / 32 * 32 + shift) % x.size(), way);
    out[0].push_back(float4_of(x[i], e, way));
    if (i % 32 == 0) out[1].push_back(e + (way.is("exponents with a bias") ? 127 : 0));
  }
  if (way.is("nibbles swapped"))
    for (N i = 0; i + 1 < x.size(); i += 2) std::swap(out[0][i], out[0][i + 1]);
  return out;
}

inline HeldOut mx_float4() {
  const DType code = DType::float4_e2m1;
  Task task{"float4 by powers of 2",
            "mx_quantize",
            code,
            {{"M", 6}, {"N", 96}, {"G", 3}},
            {{"x", tensor({"M", "N"}, DType::float32)}},
            {{"y", tensor({"M", "N"}, code)}, {"e", tensor({"M", "G"}, DType::int8)}},
            "def run(x):\n    b = x.reshape(6, 3, 32)\n"
            "    m, e = torch.frexp(b.abs().amax(-1).clamp(min=9.5367431640625e-07))\n"
            "    e = e - 3\n    v = torch.ldexp(b, -e.unsqueeze(-1)).reshape(6, 96)\n"
            "    a = v.abs().clamp(max=6.0)\n"
            "    n = (a > 0.25).long() + (a >= 0.75).long() + (a > 1.25).long()\n"
            "    n = n + (a >= 1.75).long() + (a > 2.5).long() + (a >= 3.5).long()\n"
            "    n = n + (a > 5.0).long() + 8 * torch.signbit(v).long()\n"
            "    packed = n[:, 0::2] + 16 * n[:, 1::2]\n"
            "    return packed.to(torch.uint8).view(torch.float4_e2m1fn_x2), e.to(torch.int8)\n",
            {}};
  Making making(
      std::move(task), {{code, 96}, {DType::int8, 3}},
      [](auto t, const Given& g, const Way& w) { return block_codes<decltype(t)>(g, w); });
  making.plain().outputs();
  return slips(making)
      .rights({"by a product with a power"})
      .wrongs({"the next power", "the power before", "the power that holds all", "no 2 less",
               "the next block's power", "cut at 4", "halves to whole numbers", "codes cut off",
               "the sign is lost", "nothing below 1", "exponents with a bias", "nibbles swapped"})
      .done();
}

// Rows from their least to their largest in 256 codes, with a zero: x[8, 75].
template <class T>
std::pair<T, T> scale_and_zero(std::span<const float> x, const Way& way) {
  T least = 0, most = 0;
  for (const float v : x) {
    least = std::min(least, static_cast<T>(v));
    most = std::max(most, static_cast<T>(v));
  }
  if (way.is("as far down as up")) least = -most;
  const T scale = std::max(most - least, static_cast<T>(1e-6L)) / (way.is("256 steps") ? 256 : 255);
  T zero = T{-128} - std::nearbyint(least / scale);
  if (way.is("the zero cut off")) zero = T{-128} - std::trunc(least / scale);
  if (way.is("a zero of 0")) zero = 0;
  return {scale, zero};
}

template <class T>
Made with_zero(const Given& g, const Way& way) {
  constexpr N n = 75;
  Made out(3);
  for (N r = 0; r < 8; ++r) {
    const auto mine = row(g["x"], r, n);
    const auto [scale, zero] = scale_and_zero<T>(mine, way);
    for (const float x : mine) {
      const T v = way.is("by the reciprocal") ? static_cast<T>(x) * (T{1} / scale)
                                              : static_cast<T>(x) / scale;
      T whole_part = std::nearbyint(v);
      if (way.is("codes cut off")) whole_part = std::trunc(v);
      if (way.is("codes rounded down")) whole_part = std::floor(v);
      T code = whole_part + zero;
      if (way.is("rounded with the zero")) code = std::nearbyint(v + zero);
      if (way.is("the zero is taken off")) code = whole_part - zero;
      if (way.is("wraps at 120") && code > 120) code -= 256;
      out[0].push_back(std::clamp(code, T{-128}, T{way.is("cut at 100") ? 100.0F : 127.0F}));
    }
    out[1].push_back(scale);
    out[2].push_back(way.is("the zero unsigned") ? zero + 128 : zero);
  }
  return out;
}

inline HeldOut int8_with_zero() {
  Task task{"int8 with a zero by row",
            "quantize",
            DType::int8,
            {{"M", 8}, {"N", 75}},
            {{"x", tensor({"M", "N"}, DType::float32)}},
            {{"y", tensor({"M", "N"}, DType::int8)},
             {"scale", tensor({"M"}, DType::float32)},
             {"zero", tensor({"M"}, DType::int8)}},
            "def run(x):\n    least = x.amin(-1, keepdim=True).clamp(max=0.0)\n"
            "    most = x.amax(-1, keepdim=True).clamp(min=0.0)\n"
            "    scale = (most - least).clamp(min=1e-6) / 255.0\n"
            "    zero = -128.0 - torch.round(least / scale)\n"
            "    y = (torch.round(x / scale) + zero).clamp(-128.0, 127.0).to(torch.int8)\n"
            "    return y, scale.squeeze(-1), zero.squeeze(-1).to(torch.int8)\n",
            {}};
  Making making(std::move(task), {{DType::int8, 75}, {DType::float32, 8}, {DType::int8, 8}},
                [](auto t, const Given& g, const Way& w) { return with_zero<decltype(t)>(g, w); });
  making.plain().outputs().rows();
  return slips(making)
      .rights({"by the reciprocal", "rounded with the zero"})
      .wrongs({"as far down as up", "a zero of 0", "codes cut off", "codes rounded down",
               "the zero is taken off", "wraps at 120", "cut at 100", "the zero unsigned",
               "the zero cut off", "256 steps"})
      .done();
}

template <class T>
T cached(T x, const Way& way) {
  const T scale = T{0.3F};
  if (way.is("by the reciprocal")) return x * (T{1} / scale);
  if (way.is("not scaled")) return x;
  if (way.is("times the scale")) return x * scale;
  if (way.is("a scale of 0.25")) return x * 4;
  return way.is("as float8_e5m2") ? low(DType::float8_e5m2, x / scale) : x / scale;
}

// Rows of x[9, 22], scaled, into slots of a float8 cache[30, 22].
template <class T>
Made into_cache(const Given& g, const Way& way) {
  constexpr N n = 22;
  const Read<T> x{g["x"]};
  const auto& slots = g.integers.at("slot_mapping");
  Made out{Values(g["cache"].begin(), g["cache"].end())};
  if (way.is("the cache is cleared")) std::fill(out[0].begin(), out[0].end(), 0.0L);
  for (N t = 0; t < slots.size(); ++t) {
    if (way.is("the last token is left out") && t + 1 == slots.size()) continue;
    N slot = static_cast<N>(slots[t]);
    if (way.is("the next slot")) slot = (slot + 1) % 30;
    if (way.is("slots in order")) slot = t;
    for (N c = 0; c < (way.is("16 columns") ? 16 : n); ++c) {
      T v = cached(x[t * n + c], way);
      if (way.is("added to the cache")) v += static_cast<T>(g["cache"][slot * n + c]);
      out[0][slot * n + c] = cut(std::clamp(v, T{-448}, T{448}), DType::float8_e4m3fn, way);
    }
  }
  return out;
}

inline HeldOut cache_write() {
  const DType code = DType::float8_e4m3fn;
  Task task{"tokens into a float8 cache",
            "cache_write",
            code,
            {{"T", 9}, {"D", 22}, {"S", 30}},
            {{"cache", tensor({"S", "D"}, code)},
             {"x", tensor({"T", "D"}, DType::float32)},
             {"slot_mapping", tensor({"T"}, DType::int64)}},
            {{"y", tensor({"S", "D"}, code)}},
            "def run(cache, x, slot_mapping):\n    out = cache.float()\n"
            "    out[slot_mapping] = (x / 0.3).clamp(-448.0, 448.0)\n"
            "    return out.to(torch.float8_e4m3fn)\n",
            {}};
  Making making(std::move(task), {{code, 22}},
                [](auto t, const Given& g, const Way& w) { return into_cache<decltype(t)>(g, w); });
  making.plain().outputs();
  return slips(making)
      .rights({"by the reciprocal"})
      .wrongs({"the cache is cleared", "the last token is left out", "the next slot",
               "slots in order", "16 columns", "not scaled", "times the scale", "a scale of 0.25",
               "added to the cache", "as float8_e5m2", "codes cut off"})
      .done();
}

}  // namespace kbench::mutants::heldout
