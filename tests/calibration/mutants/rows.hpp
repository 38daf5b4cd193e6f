// Norms, softmax and attention: what is calculated row by row.
#pragma once

#include "calibration/mutants/generic.hpp"

namespace kbench::mutants {

struct Norm {
  How how;
  bool centres = false;  // does a layernorm
  float eps = 1e-6F;
  std::size_t missing = 0;  // terms of the sum left out at the end
  int count_off = 0;        // error of the mean's count
  bool has_weight = true, has_bias = true, one_pass = false, subtracts = true;
  std::size_t weight_shift = 0;
  bool rounds_between = false;       // rounds to the dtype before the weight
  DType scales_in = DType::float32;  // dtype of 1/the deviation
  bool cuts = false;
};

struct Moments {
  float mean = 0, scale = 0;
};

inline Moments moments(std::span<const float> x, const Norm& how) {
  const auto used = x.first(x.size() - how.missing);
  const float n = static_cast<float>(x.size()) + static_cast<float>(how.count_off);
  const float size = static_cast<float>(x.size());
  Moments out;
  if (how.centres) out.mean = dot(used, ones(used.size()), how.how) / size;
  if (how.one_pass) {
    const float variance = dot(used, used, how.how) / size - out.mean * out.mean;
    out.scale = 1.0F / std::sqrt(std::max(variance, 0.0F) + how.eps);
    return out;
  }
  Floats centred(used.begin(), used.end());
  for (float& v : centred) v -= out.mean;
  out.scale = 1.0F / std::sqrt(dot(centred, centred, how.how) / n + how.eps);
  return out;
}

inline Outputs norm(const Given& given, std::size_t width, DType dtype, const Norm& how) {
  const Floats &x = given["x"], &w = given["w"];
  Floats out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % width != 0) continue;
    Moments m = moments(row(x, i / width, width), how);
    m.scale = rounded(how.scales_in, m.scale);
    for (std::size_t c = 0; c < width; ++c) {
      float v = (x[i + c] - (how.subtracts ? m.mean : 0)) * m.scale;
      if (how.rounds_between) v = rounded(dtype, v);
      if (how.has_weight) v *= w[(c + how.weight_shift) % width];
      if (how.centres && how.has_bias) v += given["b"][c];
      out[i + c] = how.cuts ? chopped(dtype, v) : v;
    }
  }
  return {stored(dtype, out)};
}

inline void add_norms(Task& task, DType dtype, const Norm& usual) {
  const auto add = [&](const std::string& name, bool right, const auto& change) {
    Norm how = usual;
    change(how);
    task.programs.push_back(
        {name, right, [=](const Given& given) { return norm(given, 256, dtype, how); }});
  };
  for (const auto& [name, sum] : honest_sums)
    add(name, true, [sum = sum](Norm& n) { n.how = sum; });
  if (is_16_bit(dtype)) {
    add("rounded before the weight", true, [](Norm& n) { n.rounds_between = true; });
    add("the scale in 16 bits", true, [=](Norm& n) { n.scales_in = dtype; });
  }
  if (dtype == DType::bfloat16)
    add("the eps in 16 bits", true, [=](Norm& n) { n.eps = rounded(dtype, n.eps); });
  add("no eps", false, [](Norm& n) { n.eps = 0; });
  add("ten times the eps", false, [](Norm& n) { n.eps *= 10; });
  add("the last term is missing", false, [](Norm& n) { n.missing = 1; });
  add("the last 8 terms are missing", false, [](Norm& n) { n.missing = 8; });
  add("no weight", false, [](Norm& n) { n.has_weight = false; });
  add("the weight of the next element", false, [](Norm& n) { n.weight_shift = 1; });
  add("sums in 16 bits", false, [=](Norm& n) {
    n.how = {Sum::low_each, dtype == DType::float32 ? DType::bfloat16 : dtype};
  });
  if (dtype != DType::float32) add("cut off, not rounded", false, [](Norm& n) { n.cuts = true; });
  add_generic(task, {dtype, 90, 256});
}

inline Task rmsnorm(DType dtype) {
  Task task{"rmsnorm",
            "rmsnorm",
            dtype,
            {{"M", 90}, {"N", 256}},
            {{"x", tensor({"M", "N"}, dtype)}, {"w", tensor({"N"}, dtype)}},
            {{"y", tensor({"M", "N"}, dtype)}},
            "def run(x, w):\n    f = x.float()\n    return (f * torch.rsqrt(f.pow(2).mean(-1, "
            "keepdim=True) + 1e-6) * w.float()).to(x.dtype)\n",
            {}};
  add_norms(task, dtype, {});
  return task;
}

inline Task layernorm(DType dtype) {
  Task task{
      "layernorm",
      "layernorm",
      dtype,
      {{"M", 90}, {"N", 256}},
      {{"x", tensor({"M", "N"}, dtype)}, {"w", tensor({"N"}, dtype)}, {"b", tensor({"N"}, dtype)}},
      {{"y", tensor({"M", "N"}, dtype)}},
      "def run(x, w, b):\n    f = x.float()\n    d = f - f.mean(-1, keepdim=True)\n"
      "    v = d.pow(2).mean(-1, keepdim=True)\n"
      "    return (d * torch.rsqrt(v + 1e-5) * w.float() + b.float()).to(x.dtype)\n",
      {}};
  const Norm usual{.centres = true, .eps = 1e-5F};
  add_norms(task, dtype, usual);
  const auto add = [&](const std::string& name, bool right, const Norm& how) {
    task.programs.push_back(
        {name, right, [=](const Given& given) { return norm(given, 256, dtype, how); }});
  };
  add("in one pass", true, {.centres = true, .eps = 1e-5F, .one_pass = true});
  add("divided by N - 1", false, {.centres = true, .eps = 1e-5F, .count_off = -1});
  add("no bias", false, {.centres = true, .eps = 1e-5F, .has_bias = false});
  add("the mean is not taken off", false, {.centres = true, .eps = 1e-5F, .subtracts = false});
  return task;
}

struct Softmax {
  How how;
  bool online = false, subtracts = true, base_two = false, max_of_first = false, cuts = false;
  std::size_t missing = 0;  // terms of the sum left out at the end
  float factor = 1;
  DType scale_in = DType::float32;
};

// Works in place; returns the logarithm of the sum.
inline float softmax(std::span<float> x, const Softmax& how) {
  float highest = *std::max_element(x.begin(), x.end());
  if (how.max_of_first) highest = x.front();
  if (!how.subtracts) highest = 0;
  Floats e(x.begin(), x.end());
  for (float& v : e)
    v = how.base_two ? std::exp2(v - highest) : std::exp((v - highest) * how.factor);
  float sum =
      dot(std::span(e).first(e.size() - how.missing), ones(e.size() - how.missing), how.how);
  if (how.online) {
    float best = -INFINITY, so_far = 0;
    for (const float v : x) {
      const float next = std::max(best, v);
      so_far = so_far * std::exp(best - next) + std::exp(v - next);
      best = next;
    }
    sum = so_far;
  }
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = e[i] / sum;
  return highest + std::log(sum);
}

// Makes the task of the softmax of x, or of 0.3·x.
inline Task softmax_rows(DType dtype, bool scaled = false) {
  constexpr std::size_t width = 300;
  Task task{scaled ? "scaled softmax" : "softmax",
            "softmax",
            dtype,
            {{"M", 90}, {"N", static_cast<int>(width)}},
            {{"x", tensor({"M", "N"}, dtype)}},
            {{"y", tensor({"M", "N"}, dtype)}},
            std::string("def run(x):\n    return torch.softmax(x.float()") +
                (scaled ? " * 0.3" : "") + ", dim=-1).to(x.dtype)\n",
            {}};
  const float usual = scaled ? 0.3F : 1.0F;
  const auto add = [&](const std::string& name, bool right, const Softmax& how) {
    task.programs.push_back({name, right, [=](const Given& given) {
                               Floats v = given["x"];
                               for (float& x : v) x *= rounded(how.scale_in, usual);
                               for (std::size_t i = 0; i < v.size(); i += width)
                                 softmax(std::span(v).subspan(i, width), how);
                               return Outputs{stored(dtype, how.cuts ? chopped(dtype, v) : v)};
                             }});
  };
  for (const auto& [name, how] : honest_sums) add(name, true, {.how = how});
  add("online", true, {.online = true});
  if (scaled) add("the scale in 16 bits", true, {.scale_in = dtype});
  add("the last term is missing", false, {.missing = 1});
  add("the last 16 terms are missing", false, {.missing = 16});
  if (!scaled) add("the maximum is not taken off", false, {.subtracts = false});
  add("powers of 2", false, {.base_two = true});
  add("sums in 16 bits", false,
      {.how = {Sum::low_each, dtype == DType::float32 ? DType::bfloat16 : dtype}});
  add("a factor of 1.01", false, {.factor = 1.01F});
  if (dtype != DType::float32) add("cut off, not rounded", false, {.cuts = true});
  add_generic(task, {dtype, 90, width});
  return task;
}

struct Attention {
  How how;
  Softmax softmax;
  float scale = 0.125F;
  int diagonal = 0;  // keys seen beyond the causal ones
  std::size_t head_shift = 0;
  bool swaps = false;  // swaps keys and values
  bool skips_first = false, skips_last_value = false;
  DType probabilities = DType::float32;
};

// Computes o and the logarithm of the sum, causal, of q[4, T, 64], k and v[2, T, 64].
inline Outputs attention(const Given& given, std::size_t tokens, DType dtype,
                         const Attention& how) {
  constexpr std::size_t width = 64, heads = 4;
  const Floats &q = given["q"], &k = given[how.swaps ? "v" : "k"],
               &v = given[how.swaps ? "k" : "v"];
  Floats out(q.size()), lse(heads * tokens);
  for (std::size_t r = 0; r < heads * tokens; ++r) {
    const std::size_t t = r % tokens, head = (r / tokens / 2 + how.head_shift) % 2;
    const auto seen = static_cast<std::size_t>(
        std::clamp<int>(static_cast<int>(t) + 1 + how.diagonal, 1, static_cast<int>(tokens)));
    Floats p(seen);
    for (std::size_t s = 0; s < seen; ++s)
      p[s] = dot(row(q, r, width), row(k, head * tokens + s, width), how.how) * how.scale;
    if (how.skips_first && seen > 1) p[0] = -INFINITY;
    lse[r] = softmax(p, how.softmax);
    for (float& w : p) w = rounded(how.probabilities, w);
    if (how.skips_last_value && seen > 1) p[seen - 1] = 0;
    Floats column(seen);
    for (std::size_t d = 0; d < width; ++d) {
      for (std::size_t s = 0; s < seen; ++s) column[s] = v[(head * tokens + s) * width + d];
      out[r * width + d] = dot(p, column, how.how);
    }
  }
  return {stored(dtype, out), stored(DType::float32, lse)};
}

inline Task gqa(DType dtype) {
  constexpr std::size_t tokens = 48;
  Task task{"gqa",
            "gqa",
            dtype,
            {{"H", 4}, {"G", 2}, {"T", static_cast<int>(tokens)}, {"D", 64}},
            {{"q", tensor({"H", "T", "D"}, dtype)},
             {"k", tensor({"G", "T", "D"}, dtype)},
             {"v", tensor({"G", "T", "D"}, dtype)}},
            {{"o", tensor({"H", "T", "D"}, dtype)}, {"lse", tensor({"H", "T"}, DType::float32)}},
            "def run(q, k, v):\n    T = q.shape[1]\n"
            "    keys = k.float().repeat_interleave(2, dim=0)\n"
            "    values = v.float().repeat_interleave(2, dim=0)\n"
            "    s = q.float() @ keys.transpose(1, 2) * 0.125\n"
            "    hidden = torch.ones(T, T, dtype=torch.bool).triu(1)\n"
            "    s = s.masked_fill(hidden, float('-inf'))\n"
            "    o = torch.softmax(s, dim=-1) @ values\n"
            "    return o.to(q.dtype), torch.logsumexp(s, dim=-1)\n",
            {}};
  const auto add = [&](const std::string& name, bool right, const Attention& how) {
    task.programs.push_back(
        {name, right, [=](const Given& given) { return attention(given, tokens, dtype, how); }});
  };
  for (const auto& [name, how] : honest_sums)
    add(name, true, {.how = how, .softmax = {.how = how}});
  add("online", true, {.softmax = {.online = true}});
  if (is_16_bit(dtype)) add("probabilities in 16 bits", true, {.probabilities = dtype});
  add("no scale", false, {.scale = 1});
  add("the last key is hidden", false, {.diagonal = -1});
  add("the next key is seen", false, {.diagonal = 1});
  add("the first key is hidden", false, {.skips_first = true});
  add("the last value is missing", false, {.skips_last_value = true});
  add("the other head's keys", false, {.head_shift = 1});
  add("keys and values are swapped", false, {.swaps = true});
  add("probabilities in 8 bits", false, {.probabilities = DType::float8_e4m3fn});
  add_generic(task, {dtype, 4 * tokens, 64});
  return task;
}

}  // namespace kbench::mutants
