// The rule of FlashInfer-Bench (flashinfer_bench/bench/evaluators, commit 40e6ca7), bit for bit:
// its evaluators default, low bit and DSA sparse attention. Its looseness is described in
// docs/verdict.md and kept, since its purpose is to give the same verdict.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "verdict/error_statistics.hpp"
#include "verdict/rules.hpp"

namespace kbench {
namespace {

struct FibEvaluator {
  bool (*serves)(const VerdictContext&);
  double matched_ratio = 1;       // ratio required, unless the tolerance says otherwise
  bool records_ratio = false;     // ratio goes to correctness.extra
  bool optional_last = false;     // the solution may give one of two outputs
  std::string_view missing = "";  // difference of this verdict from FlashInfer-Bench's
};

constexpr double usual_tolerance = 1e-2;

// Tolerances, absolute and relative, as torch compares.
struct Limits {
  explicit Limits(const Tolerance& tolerance)
      : atol(tolerance.atol.value_or(usual_tolerance)),
        rtol(tolerance.rtol.value_or(usual_tolerance)) {}
  double atol, rtol;
  float absolute() const { return static_cast<float>(atol); }
  float relative() const { return static_cast<float>(rtol); }
};

// The first that serves is used: they stand in the order of their exclusiveness, the default last.
constexpr FibEvaluator evaluators[] = {
    {.serves =
         [](const VerdictContext& c) {
           return c.definition.find("moe_fp8_block_scale") != std::string_view::npos;
         },
     .matched_ratio = 0.95,
     .records_ratio = true},
    {.serves =
         [](const VerdictContext& c) {
           return c.definition == "dsa_sparse_attention_h16_ckv512_kpe64_topk2048_ps1" ||
                  c.definition == "dsa_sparse_attention_h16_ckv512_kpe64_topk2048_ps64";
         },
     .optional_last = true},
    {.serves = [](const VerdictContext& c) { return c.op_type == "sampling"; },
     .missing = "FlashInfer-Bench compares distributions of samples; kbench compares the samples"},
    {.serves = [](const VerdictContext& c) { return c.definition.starts_with("dsa_topk_indexer"); },
     .missing = "FlashInfer-Bench compares the scores of the indices; kbench compares the indices"},
    {.serves = [](const VerdictContext&) { return true; }},
};

const FibEvaluator& evaluator_for(const VerdictContext& context) {
  return *std::find_if(std::begin(evaluators), std::end(evaluators),
                       [&](const FibEvaluator& row) { return row.serves(context); });
}

Verdict refuse_not_finite(const std::string& which, const TensorView& output,
                          const TensorView& reference, double error) {
  const Worst worst = first_not_finite(output, reference);
  Verdict verdict = refuse(
      Status::incorrect_numerical,
      fmt::format("{}: {} at {}, reference {}; the rule refuses every "
                  "infinity and NaN",
                  which, worst.output, place_text(worst.index, output.shape), worst.reference));
  verdict.correctness.max_absolute_error = verdict.correctness.max_relative_error = error;
  return verdict;
}

std::string beyond_text(const std::string& which, const TensorView& output,
                        const TensorView& reference, const ErrorStatistics& statistics,
                        const Limits& limits) {
  std::string text = fmt::format("{}: {} of {} elements are beyond atol {} and rtol {}", which,
                                 statistics.beyond, statistics.count, limits.atol, limits.rtol);
  const Worst worst = worst_element(output, reference, limits.absolute(), limits.relative());
  if (worst.index < statistics.count) {
    text += fmt::format("; worst at {}: {}, reference {}", place_text(worst.index, output.shape),
                        worst.output, worst.reference);
  }
  return text;
}

// Adds an output, called `which`, to the verdict so far; returns false when that ends the judging.
bool judge_output(Verdict& verdict, const Tolerance& tolerance, const std::string& which,
                  const TensorView& output, const TensorView& reference) {
  if (auto refused = refuse_unlike(which, output, reference)) {
    verdict = std::move(*refused);
    return false;
  }
  const Limits limits(tolerance);
  const ErrorStatistics statistics =
      error_statistics(output, reference, limits.absolute(), limits.relative());
  if (statistics.output_has_infinity || statistics.output_has_nan) {
    const double error = statistics.output_has_infinity ? std::numeric_limits<double>::infinity()
                                                        : std::numeric_limits<double>::quiet_NaN();
    verdict = refuse_not_finite(which, output, reference, error);
    return false;
  }
  const double count = static_cast<double>(std::max<std::uint64_t>(statistics.count, 1));
  const double matched = 1.0 - static_cast<double>(statistics.beyond) / count;
  if (matched < *tolerance.required_matched_ratio) {
    verdict.status = Status::incorrect_numerical;
    if (verdict.detail.empty())
      verdict.detail = beyond_text(which, output, reference, statistics, limits);
  }
  Correctness& correctness = verdict.correctness;
  correctness.max_absolute_error =
      python_max(correctness.max_absolute_error, statistics.max_absolute);
  correctness.max_relative_error =
      python_max(correctness.max_relative_error, statistics.max_relative);
  if (verdict.matched_ratio) verdict.matched_ratio = std::min(*verdict.matched_ratio, matched);
  return true;
}

// Checks the number of outputs for an evaluator whose last output is optional.
std::optional<Verdict> refuse_count(std::size_t outputs, std::size_t references) {
  if (references != 2)
    return refuse(Status::runtime_error,
                  fmt::format("the reference gave {} outputs, the rule needs 2", references));
  if (outputs == 0 || outputs > 2)
    return refuse(Status::incorrect_shape, fmt::format("{} outputs, expected 1 or 2", outputs));
  return std::nullopt;
}

}  // namespace

Verdict judge_flashinfer_bench(const VerdictContext& context, std::span<const TensorView> outputs,
                               std::span<const TensorView> reference) {
  const FibEvaluator& evaluator = evaluator_for(context);
  if (evaluator.optional_last)
    if (auto refused = refuse_count(outputs.size(), reference.size())) return *refused;
  Tolerance tolerance = context.tolerance;
  if (!tolerance.required_matched_ratio) tolerance.required_matched_ratio = evaluator.matched_ratio;
  Verdict verdict;
  if (evaluator.records_ratio) verdict.matched_ratio = 1;
  const std::size_t pairs = std::min(outputs.size(), reference.size());
  bool goes_on = true;
  for (std::size_t i = 0; i < pairs && goes_on; ++i) {
    const bool was_right = verdict.detail.empty();
    goes_on = judge_output(verdict, tolerance, output_name(context, i), outputs[i], reference[i]);
    if (!was_right || verdict.status != Status::incorrect_numerical) continue;
    const Limits limits(tolerance);
    draw_misses(verdict, context, i,
                beyond_limits(outputs[i], reference[i], limits.absolute(), limits.relative()),
                outputs[i].shape);
  }
  if (goes_on) record_extra(verdict);
  if (!verdict.detail.empty() && !evaluator.missing.empty())
    verdict.detail += fmt::format(" ({})", evaluator.missing);
  return verdict;
}

}  // namespace kbench
