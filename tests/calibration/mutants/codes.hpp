// Quantisation: codes of 8 and 4 bits, with the scale of each row where there is one.
#pragma once

#include "calibration/mutants/generic.hpp"

namespace kbench::mutants {

enum class Rounding : std::uint8_t { nearest, chopped, down };

struct Quantise {
  Rounding rounding = Rounding::nearest;
  float largest = 0;  // largest code; 0: the dtype's
  bool by_reciprocal = false, row_before = false, in_double = false;
  float scale_off = 1;       // factor of the scale that is returned
  float used_off = 1;        // factor of the scale that is used
  std::size_t unseen = 0;    // columns that the scale leaves out
  std::size_t code_off = 0;  // one code in so many is one step off
  bool swaps_pairs = false;
};

inline float largest_code(DType dtype) {
  return dtype == DType::int8            ? 127.0F
         : dtype == DType::float8_e4m3fn ? 448.0F
         : dtype == DType::float8_e5m2   ? 57344.0F
                                         : 6.0F;
}

inline float code(DType dtype, float value, Rounding rounding) {
  const bool is_integer = dtype == DType::int8;
  if (rounding == Rounding::nearest) return is_integer ? std::nearbyint(value) : value;
  if (rounding == Rounding::down)
    return is_integer ? std::floor(value) : chopped(dtype, value) * 0.9F;
  return is_integer ? std::trunc(value) : chopped(dtype, value);
}

inline Floats row_scales(const Floats& x, std::size_t width, float top, std::size_t unseen) {
  Floats scales(x.size() / width);
  for (std::size_t r = 0; r < scales.size(); ++r) {
    float highest = 0;
    for (std::size_t c = 0; c + unseen < width; ++c)
      highest = std::max(highest, std::fabs(x[r * width + c]));
    scales[r] = std::max(highest, 1e-5F) * (1.0F / top);
  }
  return scales;
}

inline float scaled(float x, float scale, const Quantise& how) {
  if (how.in_double) return static_cast<float>(static_cast<double>(x) / scale);
  return how.by_reciprocal ? x * (1.0F / scale) : x / scale;
}

// Returns codes and the scale of each row of x[M, 256].
inline Outputs quantised(const Given& given, DType dtype, const Quantise& how) {
  constexpr std::size_t width = 256;
  const Floats& x = given["x"];
  const float top = how.largest > 0 ? how.largest : largest_code(dtype);
  Floats codes(x.size()), scales = row_scales(x, width, top, how.unseen);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t r = i / width;
    const float scale = scales[how.row_before && r > 0 ? r - 1 : r] * how.used_off;
    float v = code(dtype, std::clamp(scaled(x[i], scale, how), -top, top), how.rounding);
    if (how.code_off > 0 && i % how.code_off == 3) v += dtype == DType::int8 ? 1.0F : v * 0.15F;
    codes[i] = v;
  }
  if (how.swaps_pairs)
    for (std::size_t i = 0; i + 1 < codes.size(); i += 2) std::swap(codes[i], codes[i + 1]);
  for (float& s : scales) s *= how.scale_off;
  return {stored(dtype, codes), stored(DType::float32, scales)};
}

inline std::string to_codes(DType dtype) {
  if (dtype == DType::int8) return "torch.round(v).clamp(-127.0, 127.0).to(torch.int8)";
  if (dtype == DType::float4_e2m1) return "pack(v.clamp(-6.0, 6.0))";
  const std::string top = std::to_string(largest_code(dtype));
  return "v.clamp(-" + top + ", " + top + ").to(torch." + std::string(info(dtype).name) + ")";
}

inline Task quantise(DType dtype, DType in) {
  Task task{std::string("quantize ") + std::string(info(in).name),
            "quantize",
            dtype,
            {{"M", 90}, {"N", 256}},
            {{"x", tensor({"M", "N"}, in)}},
            {{"codes", tensor({"M", "N"}, dtype)}, {"scale", tensor({"M"}, DType::float32)}},
            "def pack(v):\n"
            "    steps = torch.tensor([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0])\n"
            "    code = torch.bucketize(v.abs(), steps) + 8 * (v < 0).to(torch.int64)\n"
            "    packed = code[:, 0::2] + 16 * code[:, 1::2]\n"
            "    return packed.to(torch.uint8).view(torch.float4_e2m1fn_x2)\n"
            "def run(x):\n    f = x.float()\n"
            "    scale = f.abs().amax(-1).clamp(min=1e-5) * (1.0 / " +
                std::to_string(largest_code(dtype)) +
                ")\n    v = f / scale.unsqueeze(-1)\n    return " + to_codes(dtype) + ", scale\n",
            {}};
  const auto add = [&](const std::string& name, bool right, const Quantise& how) {
    task.programs.push_back(
        {name, right, [=](const Given& given) { return quantised(given, dtype, how); }});
  };
  add("as written", true, {});
  add("by a reciprocal", true, {.by_reciprocal = true});
  add("in double", true, {.in_double = true});
  add("cut off, not rounded", false, {.rounding = Rounding::chopped});
  add("rounded down", false, {.rounding = Rounding::down});
  add("a smaller largest code", false, {.largest = largest_code(dtype) * 0.875F});
  add("the scale of the row before", false, {.row_before = true});
  add("the scale returned is 1 % off", false, {.scale_off = 1.01F});
  add("the scale used is 1 % off", false, {.used_off = 1.01F});
  add("the scale is of a part of the row", false, {.unseen = 128});
  add("one code of 100 is a step off", false, {.code_off = 100});
  add("neighbours are swapped", false, {.swaps_pairs = true});
  add_generic(task, {dtype, 90, 256});
  return task;
}

}  // namespace kbench::mutants
