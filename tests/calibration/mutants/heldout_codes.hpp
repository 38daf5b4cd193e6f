// Held out: quantisation by row, by block and by a fixed scale.
#pragma once

#include "calibration/mutants/heldout_making.hpp"

namespace kbench::mutants::heldout {

inline long double top_code(DType dtype) {
  switch (dtype) {
    case DType::int8:
      return 127;
    case DType::int16:
      return 32767;
    case DType::float8_e4m3fn:
      return 448;
    case DType::float8_e5m2:
      return 57344;
    default:
      return 6;
  }
}

template <class T>
T to_whole(T v, const Way& way) {
  if (way.is("codes cut off")) return std::trunc(v);
  if (way.is("codes rounded down")) return std::floor(v);
  if (way.is("halves away from zero")) return std::round(v);
  if (way.is("halves up")) return std::floor(v + T{0.5});
  const T magic = T{12582912};  // 1.5 * 2^23: a float32 beside it has no fraction
  if (way.is("by the magic number")) return static_cast<T>(v + magic) - magic;
  return std::nearbyint(v);
}

// Rounds to the nearest code, halves to even; stored_values() does that for floating codes already.
template <class T>
T to_code(DType dtype, T v, const Way& way) {
  const bool whole = info(dtype).kind == DTypeKind::integer;
  if (way.is("rounded twice")) v = low(DType::bfloat16, v);
  if (way.is("a step more of a few") && std::fabs(v) > 1 && std::fmod(std::fabs(v), T{1}) < T{0.1})
    return whole ? v + 1 : v * static_cast<T>(1.15L);
  if (whole) return to_whole(v, way);
  return way.is("codes cut off") ? static_cast<T>(chopped(dtype, static_cast<float>(v))) : v;
}

// x[M, N] by blocks of `block` neighbours: codes and a scale each, float32 or float8.
struct Blocks {
  std::size_t m, n, block;
  DType in, code, scale = DType::float32;
  float least = 0.000125F;  // the least amax: a float8 scale of less would be 0
};

template <class T>
T scale_of(const Blocks& d, const std::vector<T>& x, std::size_t first, const Way& way) {
  T highest = 0;
  std::size_t count = d.block;
  if (way.is("amax of all but the last")) count -= 1;
  if (way.is("amax of the first half")) count /= 2;
  for (std::size_t k = first; k < first + count; ++k) {
    const T v = way.is("the largest for amax") ? x[k] : std::fabs(x[k]);
    highest = std::max(highest, v);
  }
  T top = static_cast<T>(top_code(d.code));
  if (way.is("one too large a code")) top = static_cast<T>(d.code == DType::int8 ? 128 : 512);
  T scale = std::max(highest, static_cast<T>(d.least)) / top;
  if (way.is("scale by a product"))
    scale = std::max(highest, static_cast<T>(d.least)) * (T{1} / top);
  if (way.is("a power of 2 for scale")) scale = std::exp2(std::ceil(std::log2(scale)));
  return low(d.scale, scale);
}

template <class T>
Made quantised(const Blocks& d, const Given& given, const Way& way) {
  const std::vector<T> x = all_of<T>(given, "x");
  Made out(2);
  const T top = static_cast<T>(top_code(d.code));
  std::vector<T> scales;
  for (std::size_t first = 0; first < x.size(); first += d.block)
    scales.push_back(scale_of(d, x, first, way));
  const std::size_t shift = way.is("the neighbour's scale") ? 1 : 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const T scale = scales[(i / d.block + shift) % scales.size()];
    T v = way.is("by a reciprocal") ? x[i] * (T{1} / scale) : x[i] / scale;
    if (way.is("multiplied by the scale")) v = x[i] * scale;
    out[0].push_back(to_code(d.code, std::clamp(v, -top, top), way));
  }
  out[1] = Values(scales.begin(), scales.end());
  if (way.is("the scale's reciprocal"))
    for (long double& s : out[1]) s = 1 / s;
  return out;
}

inline std::string code_text(DType dtype) {
  if (dtype == DType::int8) return "torch.round(v).clamp(-127.0, 127.0).to(torch.int8)";
  if (dtype == DType::float4_e2m1) return "pack(v.clamp(-6.0, 6.0))";
  const auto top = size(static_cast<std::size_t>(top_code(dtype)));
  return "v.clamp(-" + top + ".0, " + top + ".0).to(" + torch_name(dtype) + ")";
}

inline Making quantising(const std::string& name, const Blocks& d) {
  Task task{
      name,
      "quantize",
      d.code,
      {{"M", whole(d.m)}, {"N", whole(d.n)}, {"G", whole(d.n / d.block)}},
      {{"x", tensor({"M", "N"}, d.in)}},
      {{"codes", tensor({"M", "N"}, d.code)}, {"scale", tensor({"M", "G"}, d.scale)}},
      "def pack(v):\n    a = v.abs()\n"
      "    code = (a > 0.25).long() + (a >= 0.75).long() + (a > 1.25).long() + (a >= 1.75).long()\n"
      "    code = code + (a > 2.5).long() + (a >= 3.5).long() + (a > 5.0).long()\n"
      "    code = code + 8 * (v < 0).long()\n"
      "    packed = code[:, 0::2] + 16 * code[:, 1::2]\n"
      "    return packed.to(torch.uint8).view(torch.float4_e2m1fn_x2)\n"
      "def run(x):\n    f = x.float().reshape(x.shape[0], -1, " +
          size(d.block) + ")\n    scale = (f.abs().amax(-1).clamp(min=" + std::to_string(d.least) +
          ") / " + size(static_cast<std::size_t>(top_code(d.code))) + ".0).to(" +
          torch_name(d.scale) +
          ")\n    v = (f / scale.float().unsqueeze(-1)).reshape(x.shape)\n    return " +
          code_text(d.code) + ", scale\n",
      {}};
  Making making(std::move(task), {{d.code, d.block}, {d.scale, d.n / d.block}},
                [d]<class T>(T, const Given& g, const Way& w) { return quantised<T>(d, g, w); });
  making.plain().outputs().rights({"by a reciprocal"});
  if (d.block < 100)
    making.wrongs({"amax of all but the last"});  // hits no row of longer blocks in some draws
  making.wrongs({"codes cut off", "amax of the first half", "the largest for amax",
                 "the neighbour's scale", "multiplied by the scale", "the scale's reciprocal",
                 "a power of 2 for scale", "a step more of a few"});
  making.wrong("the scale is left at 1",
               {.after = [](Made& made) { std::fill(made[1].begin(), made[1].end(), 1.0L); }});
  making.wrong("scales of the next row", {.after = [](Made& made) {
                 std::rotate(made[1].begin(), made[1].begin() + 1, made[1].end());
               }});
  return making;
}

// Scales by a product are a rounding of float32 apart: right where the scale is float32.
inline HeldOut rows_to_e4m3() {
  return quantising(
             "row to float8",
             {.m = 19, .n = 520, .block = 520, .in = DType::bfloat16, .code = DType::float8_e4m3fn})
      .rights({"scale by a product"})
      .wrongs({"one too large a code"})
      .done();
}
inline HeldOut blocks_to_e5m2() {
  return quantising(
             "blocks to float8",
             {.m = 7, .n = 384, .block = 128, .in = DType::float32, .code = DType::float8_e5m2})
      .rights({"scale by a product"})
      .wrong("x through float8_e4m3fn", {.before = through("x", DType::float8_e4m3fn)})
      .done();
}
inline HeldOut blocks_to_int8() {
  return quantising("blocks to int8",
                    {.m = 9, .n = 160, .block = 32, .in = DType::float32, .code = DType::int8})
      .rights({"scale by a product"})
      .wrongs({"codes rounded down", "one too large a code"})
      .wrong("x through float8", {.before = through("x", DType::float8_e4m3fn)})
      .without({"amax of all but the last"})
      .done();
}
// NVFP4's blocks: scales in float8.
inline HeldOut blocks_to_float4() {
  return quantising("blocks to float4", {.m = 5,
                                         .n = 208,
                                         .block = 16,
                                         .in = DType::bfloat16,
                                         .code = DType::float4_e2m1,
                                         .scale = DType::float8_e4m3fn,
                                         .least = 0.125F})
      .wrong("nibbles swapped", {.after =
                                     [](Made& made) {
                                       for (std::size_t i = 0; i + 1 < made[0].size(); i += 2)
                                         std::swap(made[0][i], made[0][i + 1]);
                                     }})
      .without({"a step more of a few"})
      .done();
}

// A fixed scale: y = x * factor, saturated. Halves are frequent where inputs have 16 bits, so that
// to divide by the reciprocal is right only where that is exact, or x has float32's digits.
struct Fixed {
  std::string name;
  DType in, code;
  float factor;
};

template <class T>
Made fixed_codes(const Fixed& d, const Given& given, const Way& way) {
  Made out(1);
  const T top = static_cast<T>(top_code(d.code));
  const T bottom = way.is("nothing below 0")                                         ? T{0}
                   : info(d.code).kind == DTypeKind::integer && !way.is("symmetric") ? -top - 1
                                                                                     : -top;
  const T factor = static_cast<T>(d.factor) * (way.is("factor 1 % off") ? T{1.01F} : T{1});
  const bool saturates = !way.is("wraps where it should saturate");
  const T limit = way.is("saturates one code early") ? top * T{0.875F} : top;
  for (const float x : given["x"]) {
    T v = static_cast<T>(x) * factor;
    if (way.is("by division")) v = static_cast<T>(x) / (T{1} / factor);
    if (way.is("in two steps")) v = static_cast<T>(x) * (factor / 16) * 16;
    T code = to_code(d.code, saturates ? std::clamp(v, bottom, limit) : v, way);
    if (!saturates && std::fabs(code) > top) code -= std::copysign(2 * (top + 1), code);
    out[0].push_back(code);
  }
  return out;
}

inline Making fixed(const Fixed& d) {
  const bool whole_codes = info(d.code).kind == DTypeKind::integer;
  const std::string top = size(static_cast<std::size_t>(top_code(d.code)));
  const std::string bottom =
      size(static_cast<std::size_t>(top_code(d.code)) + (whole_codes ? 1 : 0));
  const std::string v = "x.float() * " + size(static_cast<std::size_t>(d.factor)) + ".0";
  Task task{d.name,
            "quantize",
            d.code,
            {{"A", 4}, {"B", 3}, {"N", 131}},
            {{"x", tensor({"A", "B", "N"}, d.in)}},
            {{"codes", tensor({"A", "B", "N"}, d.code)}},
            "def run(x):\n    return (" + (whole_codes ? "torch.round(" + v + ")" : v) +
                ").clamp(-" + bottom + ".0, " + top + ".0).to(" + torch_name(d.code) + ")\n",
            {}};
  Making making(std::move(task), {{d.code, 131}},
                [d]<class T>(T, const Given& g, const Way& w) { return fixed_codes<T>(d, g, w); });
  making.plain().outputs().rows().rights({"in two steps"});
  making.wrongs({"codes cut off", "nothing below 0", "factor 1 % off", "a step more of a few",
                 "wraps where it should saturate", "saturates one code early"});
  making.wrong("the sign is lost", {.before = on("x", [](Floats& f) {
                                      for (float& v : f) v = std::fabs(v);
                                    })});
  making.wrong("x through float8", {.before = through("x", DType::float8_e4m3fn)});
  return making;
}

inline HeldOut fixed_int8() {
  return fixed({"fixed scale to int8", DType::bfloat16, DType::int8, 64})
      .rights({"by division", "by the magic number"})
      .wrongs({"codes rounded down", "halves away from zero", "halves up", "symmetric"})
      .done();
}
inline HeldOut fixed_int16() {
  return fixed({"fixed scale to int16", DType::bfloat16, DType::int16, 12000})
      .rights({"by the magic number"})
      .wrongs({"codes rounded down", "rounded twice"})
      .done();
}
inline HeldOut fixed_e5m2() {
  return fixed({"gradients to float8", DType::float16, DType::float8_e5m2, 20000}).done();
}
inline HeldOut fixed_e4m3() {
  return fixed({"fixed scale to float8", DType::float32, DType::float8_e4m3fn, 160})
      .rights({"by division"})
      .done();
}

}  // namespace kbench::mutants::heldout
