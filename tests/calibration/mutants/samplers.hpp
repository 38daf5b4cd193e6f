// Samplers: their weights, their ways to draw, and what can be wrong with either.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>

#include "calibration/mutants/program.hpp"

namespace kbench::mutants {

using Weights = std::vector<double>;  // weights of one row
using Random = std::mt19937_64;

// Draws once from each row of probs[8, 64].
using Draw = std::function<std::vector<std::int64_t>(const std::vector<Weights>& rows, Random&)>;
using Weighting = std::function<Weights(Weights probabilities)>;

struct SamplerProgram {
  std::string name;
  bool right = false;
  Weighting weighting;
  std::function<Draw()> start;  // makes a new one for each workload: some remember
};

struct SamplerTask : Task {
  std::vector<SamplerProgram> samplers;
};

// Inverts the cumulated weights, at u in [0, 1).
template <typename Real>
std::int64_t inverse(const Weights& weights, double u) {
  std::vector<Real> sums;
  Real sum = 0;
  for (const double w : weights) sums.push_back(sum += static_cast<Real>(w));
  const Real at = static_cast<Real>(u) * sum;
  const auto found = std::upper_bound(sums.begin(), sums.end(), at);
  if (found != sums.end()) return found - sums.begin();
  std::size_t last = weights.size() - 1;  // u·sum was rounded up to the sum
  while (last > 0 && weights[last] == 0) --last;
  return static_cast<std::int64_t>(last);
}

inline double uniform(Random& random) { return std::uniform_real_distribution<double>()(random); }

// Draws the argmax of log w + Gumbel noise, as that of w / -log u.
template <typename Real>
std::int64_t gumbel(const Weights& weights, Random& random) {
  std::size_t best = 0;
  Real highest = -1;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Real at =
        static_cast<Real>(weights[i]) / -static_cast<Real>(std::log(1 - uniform(random)));
    if (weights[i] == 0 || !(at > highest)) continue;
    highest = at;
    best = i;
  }
  return static_cast<std::int64_t>(best);
}

// Draws row by row.
template <typename One>
std::function<Draw()> each(const One& one) {
  return [one] {
    return [one](const std::vector<Weights>& rows, Random& random) {
      std::vector<std::int64_t> out;
      for (const Weights& row : rows) out.push_back(one(row, random));
      return out;
    };
  };
}

inline std::int64_t honest(const Weights& row, Random& random) {
  return inverse<double>(row, uniform(random));
}

inline std::int64_t most_likely(const Weights& row) {
  return std::max_element(row.begin(), row.end()) - row.begin();
}

inline std::function<Draw()> one_number_for_all() {
  return [] {
    return [](const std::vector<Weights>& rows, Random& random) {
      const double u = uniform(random);
      std::vector<std::int64_t> out;
      for (const Weights& row : rows) out.push_back(inverse<double>(row, u));
      return out;
    };
  };
}

// Draws anew in every `period`th call and repeats that in the others; 0: draws in the first only.
inline std::function<Draw()> repeating(std::size_t period) {
  return [period] {
    return [period, calls = std::size_t{0}, last = std::vector<std::int64_t>()](
               const std::vector<Weights>& rows, Random& random) mutable {
      const bool draws = period == 0 ? calls == 0 : calls % period == 0;
      ++calls;
      if (draws) last = each(honest)()(rows, random);
      return last;
    };
  };
}

inline Weighting powers(double power) {
  return [power](Weights w) {
    for (double& x : w) x = std::pow(x, power);
    return w;
  };
}

// Keeps the k most likely ones.
inline Weights best(Weights w, std::size_t k) {
  Weights sorted = w;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  for (double& x : w) x = x >= sorted[k - 1] ? x : 0;
  return w;
}

// Keeps the fewest that have more than `part` together.
inline Weights nucleus(Weights w, double part) {
  std::vector<std::size_t> order(w.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return w[a] > w[b]; });
  double before = 0;
  for (const std::size_t i : order) {
    const double mine = w[i];
    if (before >= part) w[i] = 0;
    before += mine;
  }
  return w;
}

inline void add_samplers(SamplerTask& task, const Weighting& usual) {
  const auto add = [&](const std::string& name, bool right, const std::function<Draw()>& start,
                       const Weighting& after = {}) {
    const Weighting both = [=](const Weights& w) { return after ? after(usual(w)) : usual(w); };
    task.samplers.push_back({name, right, both, start});
  };
  add("by the inverse, in double", true, each(honest));
  add("by the inverse, in float32", true, each([](const Weights& row, Random& random) {
        return inverse<float>(row, uniform(random));
      }));
  add("by Gumbel noise, in double", true, each(gumbel<double>));
  add("by Gumbel noise, in float32", true, each(gumbel<float>));
  add("always the most likely", false,
      each([](const Weights& row, Random&) { return most_likely(row); }));
  add("probabilities squared", false, each(honest), powers(2));
  add("roots of probabilities", false, each(honest), powers(0.5));
  add("another temperature", false, each(honest), powers(0.8));
  add("one random number for all rows", false, one_number_for_all());
  add("the same in each call", false, repeating(0));
  add("every second call repeats", false, repeating(2));
  add("the next index", false, each([](const Weights& row, Random& random) {
        return (honest(row, random) + 1) % static_cast<std::int64_t>(row.size());
      }));
  add("the most likely is never drawn", false, each(honest), [](Weights w) {
    w[static_cast<std::size_t>(most_likely(w))] = 0;
    return w;
  });
  add("all are alike", false, each(honest), powers(0));
}

inline SamplerTask sampler(const std::string& name, const std::string& reference,
                           const Weighting& usual) {
  SamplerTask task;
  task.name = name;
  task.op_type = "sampling";
  task.dtype = DType::int64;
  task.axes = {{"B", 8}, {"V", 64}};
  task.inputs = {{"probs", tensor({"B", "V"}, DType::float32)}};
  task.outputs = {{"samples", tensor({"B"}, DType::int64)}};
  task.reference = "def run(probs):\n" + reference;
  add_samplers(task, usual);
  return task;
}

inline std::vector<SamplerTask> sampler_tasks() {
  constexpr std::size_t k = 10;
  constexpr double part = 0.7;
  std::vector<SamplerTask> all;
  all.push_back(sampler("multinomial", "    return torch.multinomial(probs, 1).squeeze(-1)\n",
                        [](Weights w) { return w; }));
  all.push_back(sampler("top-k",
                        "    best, order = torch.topk(probs, 10, dim=-1)\n"
                        "    i = torch.multinomial(best, 1)\n"
                        "    return order.gather(-1, i).squeeze(-1)\n",
                        [](Weights w) { return best(std::move(w), k); }));
  all.back().samplers.push_back({"no limit", false, [](Weights w) { return w; }, each(honest)});
  all.back().samplers.push_back(
      {"two more", false, [](Weights w) { return best(std::move(w), k + 2); }, each(honest)});
  all.push_back(sampler("top-p",
                        "    p, order = torch.sort(probs, -1, descending=True)\n"
                        "    before = p.cumsum(-1) - p\n"
                        "    kept = torch.where(before < 0.7, p, torch.zeros_like(p))\n"
                        "    i = torch.multinomial(kept, 1)\n"
                        "    return order.gather(-1, i).squeeze(-1)\n",
                        [](Weights w) { return nucleus(std::move(w), part); }));
  all.back().samplers.push_back({"no limit", false, [](Weights w) { return w; }, each(honest)});
  all.back().samplers.push_back({"a smaller part", false,
                                 [](Weights w) { return nucleus(std::move(w), 0.6); },
                                 each(honest)});
  return all;
}

}  // namespace kbench::mutants
