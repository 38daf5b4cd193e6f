// Products of matrices, alone, in groups and in a mixture of experts.
#pragma once

#include "calibration/mutants/generic.hpp"

namespace kbench::mutants {

// One product y[M, N] of x[M, K] and w[N, K], and what can be wrong with it.
struct Product {
  How how;
  std::size_t first_k = 0;    // terms missing at the begin
  std::size_t last_k = 0;     // terms missing at the end
  std::size_t hole = 0;       // terms missing before the middle
  std::size_t row_shift = 0;  // rows by which w is off
  bool halves_swapped = false;
};

inline Floats product(const Floats& x, const Floats& w, std::size_t length, const Product& how) {
  const std::size_t rows = x.size() / length, columns = w.size() / length;
  Floats out(rows * columns), mine(length);
  for (std::size_t m = 0; m < rows; ++m) {
    const auto given = row(x, m, length);
    std::copy(given.begin(), given.end(), mine.begin());
    if (how.halves_swapped)
      std::rotate(mine.begin(), mine.begin() + std::ssize(mine) / 2, mine.end());
    std::fill_n(mine.begin(), how.first_k, 0.0F);
    std::fill(mine.end() - static_cast<std::ptrdiff_t>(how.last_k), mine.end(), 0.0F);
    const auto middle = mine.begin() + std::ssize(mine) / 2;
    std::fill(middle - static_cast<std::ptrdiff_t>(how.hole), middle, 0.0F);
    for (std::size_t n = 0; n < columns; ++n)
      out[m * columns + n] = dot(mine, row(w, (n + how.row_shift) % columns, length), how.how);
  }
  return out;
}

inline const std::vector<std::pair<std::string, Product>>& wrong_products() {
  static const std::vector<std::pair<std::string, Product>> all{
      {"the last term is missing", {.last_k = 1}},
      {"the first term is missing", {.first_k = 1}},
      {"a term in the middle is missing", {.hole = 1}},
      {"the last 16 terms are missing", {.last_k = 16}},
      {"the weights of the next column", {.row_shift = 1}},
      {"the halves of the row are swapped", {.halves_swapped = true}},
  };
  return all;
}

inline Task gemm(DType in, DType out, int length = 256) {
  Task task{std::string("gemm of ") + std::string(info(in).name),
            "gemm",
            out,
            {{"M", 90}, {"N", 32}, {"K", length}},
            {{"x", tensor({"M", "K"}, in)}, {"w", tensor({"N", "K"}, in)}},
            {{"y", tensor({"M", "N"}, out)}},
            "def run(x, w):\n    return (x.float() @ w.float().T).to(torch." +
                std::string(info(out).name) + ")\n",
            {}};
  const auto k = static_cast<std::size_t>(length);
  const auto add = [&](const std::string& name, bool right, const Product& how) {
    task.programs.push_back({name, right, [=](const Given& given) {
                               return Outputs{stored(out, product(given["x"], given["w"], k, how))};
                             }});
  };
  for (const auto& [name, how] : honest_sums) add(name, true, {.how = how});
  for (const auto& [name, how] : wrong_products()) add(name, false, how);
  if (info(out).bits >= 16) {
    const DType low = out == DType::float32 ? DType::float16 : out;
    add("sums in 16 bits", false, {.how = {Sum::low_each, low}});
    add("sums of blocks in 16 bits", false, {.how = {Sum::low_blocks, low}});
  }
  if (out != DType::float32) {
    task.programs.push_back(
        {"cut off, not rounded", false, [=](const Given& given) {
           return Outputs{stored(out, chopped(out, product(given["x"], given["w"], k, {})))};
         }});
  }
  add_generic(task, {out, 90, 32});
  return task;
}

// Computes y[G, M, N] = x[G, M, K] · w[G, N, K].
inline Floats groups(const Given& given, std::size_t count, std::size_t length, const Product& how,
                     std::size_t group_shift = 0) {
  const Floats &x = given["x"], &w = given["w"];
  const std::size_t a = x.size() / count, b = w.size() / count;
  Floats out;
  for (std::size_t g = 0; g < count; ++g) {
    const std::size_t other = g + 1 == count ? (g + group_shift) % count : g;
    const auto mine = row(x, g, a), theirs = row(w, other, b);
    const Floats part =
        product({mine.begin(), mine.end()}, {theirs.begin(), theirs.end()}, length, how);
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

inline Task grouped_gemm(DType dtype) {
  Task task{
      "grouped_gemm",
      "grouped_gemm",
      dtype,
      {{"G", 3}, {"M", 9}, {"N", 32}, {"K", 256}},
      {{"x", tensor({"G", "M", "K"}, dtype)}, {"w", tensor({"G", "N", "K"}, dtype)}},
      {{"y", tensor({"G", "M", "N"}, dtype)}},
      "def run(x, w):\n    return torch.bmm(x.float(), w.float().transpose(1, 2)).to(x.dtype)\n",
      {}};
  const auto add = [&](const std::string& name, bool right, const Product& how, std::size_t shift) {
    task.programs.push_back({name, right, [=](const Given& given) {
                               return Outputs{stored(dtype, groups(given, 3, 256, how, shift))};
                             }});
  };
  for (const auto& [name, how] : honest_sums) add(name, true, {.how = how}, 0);
  for (const auto& [name, how] : wrong_products()) add(name, false, how, 0);
  add("the last group has the first one's weights", false, {}, 1);
  add_generic(task, {dtype, 27, 32});
  return task;
}

struct Moe {
  How how;
  bool renormalises = true;
  bool one_expert = false;  // leaves out the second one
  bool swaps_weights = false;
  bool last_expert = true;  // the last one's part counts
  bool activates = true;
};

// Finds one token's two best experts, and their weights.
inline std::array<std::pair<std::size_t, float>, 2> route(std::span<const float> logits,
                                                          const Moe& how) {
  std::size_t best = 0;
  for (std::size_t e = 1; e < logits.size(); ++e)
    if (logits[e] > logits[best]) best = e;
  std::size_t next = best == 0 ? 1 : 0;
  for (std::size_t e = 0; e < logits.size(); ++e)
    if (e != best && logits[e] > logits[next]) next = e;
  const float ratio = std::exp(logits[next] - logits[best]);
  float first = 1.0F / (1.0F + ratio), second = ratio / (1.0F + ratio);
  if (!how.renormalises) {
    float all = 0;
    for (const float l : logits) all += std::exp(l - logits[best]);
    first = 1.0F / all;
    second = ratio / all;
  }
  if (how.swaps_weights) std::swap(first, second);
  if (how.one_expert) second = 0;
  return {{{best, first}, {next, second}}};
}

// Computes Σ weight · silu(x·wᵀ) of x[T, H], logits[T, 4], w[4, H, H].
inline Floats mixture(const Given& given, std::size_t width, const Moe& how) {
  const Floats &x = given["x"], &w = given["w"], &logits = given["logits"];
  Floats out(x.size());
  for (std::size_t t = 0; t < x.size() / width; ++t) {
    for (const auto& [expert, weight] : route(row(logits, t, 4), how)) {
      if (expert == 3 && !how.last_expert) continue;
      for (std::size_t n = 0; n < width; ++n) {
        const float z = dot(row(x, t, width), row(w, expert * width + n, width), how.how);
        out[t * width + n] += weight * (how.activates ? z / (1.0F + std::exp(-z)) : z);
      }
    }
  }
  return out;
}

inline Task moe(DType dtype) {
  Task task{"moe",
            "moe",
            dtype,
            {{"T", 18}, {"H", 64}, {"E", 4}},
            {{"x", tensor({"T", "H"}, dtype)},
             {"logits", tensor({"T", "E"}, DType::float32)},
             {"w", tensor({"E", "H", "H"}, dtype)}},
            {{"y", tensor({"T", "H"}, dtype)}},
            "def run(x, logits, w):\n    best, experts = torch.topk(logits, 2, dim=-1)\n"
            "    weights = torch.softmax(best, dim=-1)\n    f = x.float()\n"
            "    y = torch.zeros_like(f)\n    for e in range(w.shape[0]):\n"
            "        share = (weights * (experts == e).float()).sum(-1, keepdim=True)\n"
            "        z = f @ w[e].float().T\n        y = y + share * (z / (1.0 + torch.exp(-z)))\n"
            "    return y.to(x.dtype)\n",
            {}};
  const auto add = [&](const std::string& name, bool right, const Moe& how) {
    task.programs.push_back({name, right, [=](const Given& given) {
                               return Outputs{stored(dtype, mixture(given, 64, how))};
                             }});
  };
  for (const auto& [name, how] : honest_sums) add(name, true, {.how = how});
  add("weights are not made to sum to 1", false, {.renormalises = false});
  add("only the best expert", false, {.one_expert = true});
  add("the weights of the two are swapped", false, {.swaps_weights = true});
  add("the last expert is left out", false, {.last_expert = false});
  add("no activation", false, {.activates = false});
  add_generic(task, {dtype, 18, 64});
  return task;
}

}  // namespace kbench::mutants
