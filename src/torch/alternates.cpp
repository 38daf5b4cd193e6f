#include "torch/alternates.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <set>
#include <tuple>
#include <utility>

namespace kbench {
namespace {

constexpr std::int64_t most_elements = 1 << 26;
constexpr std::size_t most_alternates = 1 << 22;
constexpr int least_runs = 8, most_runs = 32;

using Clock = std::chrono::steady_clock;

bool operator<(const Alternate& a, const Alternate& b) {
  return std::tie(a.index, a.value) < std::tie(b.index, b.value);
}

// Those of one run.
std::vector<Alternate> alternates(const at::Tensor& own, const at::Tensor& moved) {
  if (own.sizes() != moved.sizes()) return {};
  const at::Tensor flat = moved.reshape(-1);
  const at::Tensor where = own.reshape(-1).ne(flat).nonzero().reshape(-1);
  const at::Tensor values = flat.index_select(0, where).to(at::kLong).contiguous();
  const auto* places = where.const_data_ptr<std::int64_t>();
  const auto* numbers = values.const_data_ptr<std::int64_t>();
  std::vector<Alternate> out;
  for (std::int64_t i = 0; i < where.numel(); ++i) out.push_back({places[i], numbers[i]});
  return out;
}

SeenAlternates seen_with(const std::vector<at::Tensor>& outputs, std::size_t output, double size,
                         const ExactEffort& effort, const MovedRun& run) {
  const auto begin = Clock::now();
  std::set<Alternate, decltype([](const Alternate& a, const Alternate& b) { return a < b; })> seen;
  double differing = 0;
  int runs = 0;
  while (runs < most_runs) {
    const std::chrono::duration<double> spent = Clock::now() - begin;
    if (runs >= least_runs && spent.count() >= effort.budget_seconds) break;
    const auto other = run(size, static_cast<std::uint64_t>(++runs));
    const std::vector<Alternate> found = alternates(outputs[output], other[output]);
    differing += static_cast<double>(found.size());
    seen.insert(found.begin(), found.end());
    if (seen.size() > most_alternates) return {};
  }
  return {{seen.begin(), seen.end()}, differing / runs};
}

}  // namespace

bool may_have_alternates(const at::Tensor& output) {
  return c10::isIntegralType(output.scalar_type(), false) && output.numel() <= most_elements;
}

std::vector<SeenAlternates> find_alternates(const std::vector<at::Tensor>& outputs,
                                            std::size_t output, const ExactEffort& effort,
                                            const MovedRun& run) {
  std::vector<SeenAlternates> out;
  for (const double size : effort.moves) {
    try {
      out.push_back(seen_with(outputs, output, size, effort, run));
    } catch (const std::exception&) {  // it does not take inputs that are moved
      out.emplace_back();
    }
  }
  return out;
}

}  // namespace kbench
