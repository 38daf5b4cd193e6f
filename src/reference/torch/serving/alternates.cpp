#include "reference/torch/serving/alternates.hpp"

#include <ATen/ATen.h>

#include <exception>
#include <set>

#include "reference/torch/exact/rounding_work.hpp"

namespace kbench {
namespace {

constexpr std::int64_t most_elements = 1 << 26;
constexpr std::size_t most_alternates = 1 << 22;
constexpr RunCounts moved_runs{8, 32};

// float4 in pairs.
at::Tensor codes_of(const at::Tensor& output) {
  return output.scalar_type() == at::kFloat4_e2m1fn_x2 ? output.view(at::kByte) : output;
}

// Returns the alternates of one run.
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

// What was seen of one output.
struct Series {
  std::size_t output = 0;
  std::set<Alternate> seen;
  double differing = 0;  // elements in a run, on average
};

std::vector<Series> seen_with(const std::vector<at::Tensor>& outputs,
                              const std::vector<std::size_t>& wanted, double size, int runs,
                              const MovedRun& run) {
  std::vector<Series> all;
  for (const std::size_t output : wanted) all.push_back({output, {}, 0});
  for (int number = 1; number <= runs; ++number) {
    const auto other = run(size, static_cast<std::uint64_t>(number));
    for (Series& one : all) {
      if (one.seen.size() > most_alternates) continue;
      const std::vector<Alternate> found =
          alternates(codes_of(outputs[one.output]), codes_of(other[one.output]));
      one.differing += static_cast<double>(found.size()) / runs;
      one.seen.insert(found.begin(), found.end());
    }
  }
  return all;
}

}  // namespace

bool may_have_alternates(const at::Tensor& output) {
  const auto type = output.scalar_type();
  return (c10::isIntegralType(type, false) || type == at::kFloat4_e2m1fn_x2) &&
         output.numel() <= most_elements;
}

std::vector<std::vector<SeenAlternates>> find_alternates(const std::vector<at::Tensor>& outputs,
                                                         const std::vector<std::size_t>& wanted,
                                                         const ExactEffort& effort,
                                                         double run_seconds, const MovedRun& run) {
  std::vector<std::vector<SeenAlternates>> out(outputs.size());
  const int runs = runs_within(effort.budget_seconds, run_seconds, moved_runs);
  for (const double size : effort.moves) {
    for (const std::size_t output : wanted) out[output].emplace_back();
    try {
      for (const Series& one : seen_with(outputs, wanted, size, runs, run)) {
        if (one.seen.size() > most_alternates) continue;
        out[one.output].back() = {{one.seen.begin(), one.seen.end()}, one.differing};
      }
    } catch (const std::exception&) {  // it does not take inputs that are moved
    }
  }
  return out;
}

}  // namespace kbench
