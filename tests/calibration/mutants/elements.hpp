// Activations, rotary positions, reductions, and arithmetic of integers and bools.
#pragma once

#include "calibration/mutants/generic.hpp"

namespace kbench::mutants {

using Gate = std::function<float(float)>;

// Computes f(first half) · second half of x[M, 2N].
inline Outputs gated(const Given& given, std::size_t width, DType dtype, const Gate& f) {
  const Floats& x = given["x"];
  Floats out(x.size() / 2);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t at = i / width * 2 * width + i % width;
    out[i] = f(x[at]) * x[at + width];
  }
  return {stored(dtype, out)};
}

inline Task activation(DType in, DType out) {
  constexpr std::size_t width = 192;
  Task task{"silu_and_mul",
            "activation",
            out,
            {{"M", 90}, {"N", 192}, {"W", 384}},
            {{"x", tensor({"M", "W"}, in)}},
            {{"y", tensor({"M", "N"}, out)}},
            "def run(x):\n    n = x.shape[1] // 2\n    f = x.float()\n    gate = f[:, :n]\n"
            "    return (gate / (1.0 + torch.exp(-gate)) * f[:, n:]).to(torch." +
                std::string(info(out).name) + ")\n",
            {}};
  const auto silu = [](float g) { return g / (1.0F + std::exp(-g)); };
  const auto add = [&](const std::string& name, bool right, const Gate& f) {
    task.programs.push_back(
        {name, right, [=](const Given& given) { return gated(given, width, out, f); }});
  };
  add("as written", true, silu);
  add("by a reciprocal", true, [](float g) { return g * (1.0F / (1.0F + std::exp(-g))); });
  add("by tanh", true, [](float g) { return g * 0.5F + g * 0.5F * std::tanh(0.5F * g); });
  add("in double", true, [](float g) {
    return static_cast<float>(static_cast<double>(g) / (1.0 + std::exp(-static_cast<double>(g))));
  });
  if (is_16_bit(out)) add("rounded between", true, [=](float g) { return rounded(out, silu(g)); });
  add("the gate alone", false, [](float g) { return 1.0F / (1.0F + std::exp(-g)); });
  add("a gelu", false, [](float g) { return 0.5F * g * (1.0F + std::erf(g * 0.70710678F)); });
  add("relu", false, [](float g) { return std::max(g, 0.0F); });
  const float slope = info(out).bits == 8 ? 1.05F : 1.01F;
  add("another slope", false, [=](float g) { return silu(slope * g) / slope; });
  add("nothing below -4", false, [=](float g) { return g < -4 ? 0.0F : silu(g); });
  add("a quick sigmoid", false,
      [](float g) { return g * std::clamp(0.25F * g + 0.5F, 0.0F, 1.0F); });
  task.programs.push_back({"gate and factor are swapped", false, [=](const Given& given) {
                             Given other = given;
                             Floats& x = other.numbers["x"];
                             for (std::size_t r = 0; r < x.size(); r += 2 * width)
                               std::rotate(x.begin() + static_cast<long>(r),
                                           x.begin() + static_cast<long>(r + width),
                                           x.begin() + static_cast<long>(r + 2 * width));
                             return gated(other, width, out, silu);
                           }});
  if (out != DType::float32) {
    task.programs.push_back({"cut off, not rounded", false, [=](const Given& given) {
                               const Floats y =
                                   decoded({DType::float32, 90, width},
                                           gated(given, width, DType::float32, silu)[0]);
                               return Outputs{stored(out, chopped(out, y))};
                             }});
  }
  add_generic(task, {out, 90, width});
  return task;
}

// Task of a·b·1.0038: the constant is 1 in bfloat16, off by nearly one unit roundoff everywhere.
inline Task scaled_products(DType dtype) {
  constexpr float constant = 1.0038F;
  Task task{"scaled_products",
            "elementwise",
            dtype,
            {{"M", 90}, {"N", 192}},
            {{"a", tensor({"M", "N"}, dtype)}, {"b", tensor({"M", "N"}, dtype)}},
            {{"y", tensor({"M", "N"}, dtype)}},
            "def run(a, b):\n    return (a.float() * b.float() * 1.0038).to(a.dtype)\n",
            {}};
  const auto add = [&](const std::string& name, bool right, const auto& f) {
    task.programs.push_back({name, right, [=](const Given& given) {
                               Floats out = given["a"];
                               for (std::size_t i = 0; i < out.size(); ++i)
                                 out[i] = f(out[i], given["b"][i]);
                               return Outputs{stored(dtype, out)};
                             }});
  };
  add("as written", true, [](float a, float b) { return a * b * constant; });
  add("the constant first", true, [](float a, float b) { return constant * a * b; });
  add("subtracted", false, [](float a, float b) { return a - b * constant; });
  if (is_16_bit(dtype)) {
    const float low = rounded(dtype, constant);
    add("the constant in 16 bits", true, [=](float a, float b) { return a * b * low; });
    add("rounded between", true,
        [=](float a, float b) { return rounded(dtype, a * b) * constant; });
    add("cut off, not rounded", false,
        [=](float a, float b) { return chopped(dtype, a * b * constant); });
  }
  if (dtype != DType::bfloat16) add("no constant", false, [](float a, float b) { return a * b; });
  add_generic(task, {dtype, 90, 192});
  return task;
}

struct Rope {
  bool wide = false, fused = false, flips = false, interleaved = false;
  bool skips_last_pair = false, swaps = false;
  std::size_t shift = 0;  // places by which the position is off
  std::size_t from = 0;   // the first token that is turned
};

// Turns x[T, 64] by cos and sin [T, 32].
inline Floats rope(const Given& given, const Rope& how) {
  constexpr std::size_t half = 32;
  const Floats &x = given["x"], &c = given[how.swaps ? "sin" : "cos"],
               &s = given[how.swaps ? "cos" : "sin"];
  Floats out = x;
  const std::size_t tokens = x.size() / (2 * half);
  for (std::size_t t = how.from; t < tokens; ++t) {
    for (std::size_t i = 0; i + (how.skips_last_pair ? 1 : 0) < half; ++i) {
      const std::size_t a = t * 2 * half + (how.interleaved ? 2 * i : i);
      const std::size_t b = how.interleaved ? a + 1 : a + half;
      const std::size_t at = (t + how.shift) % tokens * half + i;
      const float sine = how.flips ? -s[at] : s[at];
      out[a] = x[a] * c[at] - x[b] * sine;
      out[b] = x[b] * c[at] + x[a] * sine;
      if (how.fused) out[a] = std::fma(x[a], c[at], -(x[b] * sine));
      if (how.wide)
        out[b] = static_cast<float>(static_cast<double>(x[b]) * c[at] +
                                    static_cast<double>(x[a]) * sine);
    }
  }
  return out;
}

inline Task rope(DType dtype) {
  Task task{"rope",
            "rope",
            dtype,
            {{"T", 90}, {"D", 64}, {"P", 32}},
            {{"x", tensor({"T", "D"}, dtype)},
             {"cos", tensor({"T", "P"}, DType::float32)},
             {"sin", tensor({"T", "P"}, DType::float32)}},
            {{"y", tensor({"T", "D"}, dtype)}},
            "def run(x, cos, sin):\n    half = x.shape[1] // 2\n    a = x[:, :half].float()\n"
            "    b = x[:, half:].float()\n"
            "    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1).to(x.dtype)\n",
            {}};
  const auto add = [&](const std::string& name, bool right, const Rope& how) {
    task.programs.push_back({name, right, [=](const Given& given) {
                               return Outputs{stored(dtype, rope(given, how))};
                             }});
  };
  add("as written", true, {});
  add("fused multiply-add", true, {.fused = true});
  add("in double", true, {.wide = true});
  add("turned the other way", false, {.flips = true});
  add("pairs of neighbours", false, {.interleaved = true});
  add("the last pair is not turned", false, {.skips_last_pair = true});
  add("sine and cosine are swapped", false, {.swaps = true});
  add("the next position", false, {.shift = 1});
  add("the first token is not turned", false, {.from = 1});
  if (dtype != DType::float32) {
    task.programs.push_back({"cut off, not rounded", false, [=](const Given& given) {
                               return Outputs{stored(dtype, chopped(dtype, rope(given, {})))};
                             }});
  }
  add_generic(task, {dtype, 90, 64});
  return task;
}

inline constexpr std::size_t sum_width = 600;

inline Task row_sums(DType dtype) {
  constexpr std::size_t width = sum_width;
  Task task{"sum",
            "reduction",
            dtype,
            {{"M", 90}, {"N", static_cast<int>(width)}},
            {{"x", tensor({"M", "N"}, dtype)}},
            {{"y", tensor({"M"}, dtype)}},
            "def run(x):\n    return x.float().sum(-1).to(x.dtype)\n",
            {}};
  const auto sums = [](const Given& given, const How& how, std::size_t first, std::size_t count) {
    Floats out;
    for (std::size_t r = 0; r < 90; ++r)
      out.push_back(dot(row(given["x"], r, width).subspan(first, count), ones(count), how));
    return out;
  };
  const auto add = [&](const std::string& name, bool right, const How& how, std::size_t first = 0,
                       std::size_t count = sum_width) {
    task.programs.push_back({name, right, [=](const Given& given) {
                               return Outputs{stored(dtype, sums(given, how, first, count))};
                             }});
  };
  for (const auto& [name, how] : honest_sums) add(name, true, how);
  add("the last term is missing", false, {}, 0, width - 1);
  add("the first term is missing", false, {}, 1, width - 1);
  add("the last 8 terms are missing", false, {}, 0, width - 8);
  const DType low = dtype == DType::float32 ? DType::bfloat16 : dtype;
  add("sums in 16 bits", false, {Sum::low_each, low});
  add("sums of blocks in 16 bits", false, {Sum::low_blocks, low});
  if (dtype != DType::float32) {
    task.programs.push_back({"cut off, not rounded", false, [=](const Given& given) {
                               return Outputs{
                                   stored(dtype, chopped(dtype, sums(given, {}, 0, width)))};
                             }});
  }
  add_generic(task, {dtype, 1, 90});
  return task;
}

// Logarithm of a sum over what a mask leaves; -inf where it leaves nothing.
struct MaskedLse {
  float empty = -INFINITY;
  bool masks = true, backwards = false, subtracts = true;
};

inline Outputs masked_lse(const Given& given, const MaskedLse& how) {
  constexpr std::size_t width = 6, rows = 400;
  Floats out(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    Floats kept;
    for (std::size_t c = 0; c < width; ++c) {
      const float x = given["x"][r * width + c];
      const bool some = given["keep"][r * width + c] != 0 &&
                        given["keep"][(r + rows - 1) % rows * width + c] != 0 && x > 0;
      if (some || !how.masks) kept.push_back(x);
    }
    if (how.backwards) std::reverse(kept.begin(), kept.end());
    float highest = 0, sum = 0;
    if (how.subtracts && !kept.empty()) highest = *std::max_element(kept.begin(), kept.end());
    for (const float x : kept) sum += std::exp(x - highest);
    out[r] = kept.empty() ? how.empty : highest + std::log(sum);
  }
  return {stored(DType::float32, out)};
}

inline Task masked_lse() {
  Task task{
      "masked_lse",
      "reduction",
      DType::float32,
      {{"M", 400}, {"N", 6}},
      {{"x", tensor({"M", "N"}, DType::float32)}, {"keep", tensor({"M", "N"}, DType::boolean)}},
      {{"y", tensor({"M"}, DType::float32)}},
      "def run(x, keep):\n    some = keep & keep.roll(1, 0) & (x > 0)\n"
      "    return torch.logsumexp(x.masked_fill(~some, float('-inf')), dim=-1)\n",
      {}};
  const auto add = [&](const std::string& name, bool right, const MaskedLse& how) {
    task.programs.push_back(
        {name, right, [=](const Given& given) { return masked_lse(given, how); }});
  };
  add("in order", true, {});
  add("backwards", true, {.backwards = true});
  add("without the maximum", true, {.subtracts = false});
  add("zero where all is hidden", false, {.empty = 0});
  add("-1e30 where all is hidden", false, {.empty = -1e30F});
  add("no number where all is hidden", false, {.empty = NAN});
  add("the other infinity", false, {.empty = INFINITY});
  add("no mask", false, {.masks = false});
  return task;
}

}  // namespace kbench::mutants
