#include "judge/derive/gradient_functions.hpp"

#include <fmt/format.h>

#include "base/system.hpp"
#include "base/text.hpp"
#include "judge/unwritten.hpp"

namespace kbench {
namespace {

SharedMemory stage_for(const Inputs& layout) {
  SharedMemory stage("kbench stage", layout.memory.size());
  stage.seal_for_others();
  return stage;
}

}  // namespace

bool has_gradient_function(const Solution& solution, const Methods& declared) {
  const Methods methods = methods_of(solution, declared);
  const MethodQuery query = query_for(solution);
  return find_method(methods, "fwd_with_residuals", query) || find_method(methods, "vjp", query);
}

std::optional<GradientFunctions> gradient_functions(const Stored<Solution>& stored,
                                                    const Methods& declared, Diagnostics& reports) {
  const Solution& solution = stored.record;
  const Methods methods = methods_of(solution, declared);
  const MethodQuery query = query_for(solution);
  if (auto found = find_gradient(methods, query))
    return GradientFunctions{std::move(found->first), std::move(found->second)};
  reports.error({stored.path}, fmt::format("{} {}", solution.name, why_no_gradient(methods, query)),
                "docs/gradients.md says how a solution has gradients");
  return std::nullopt;
}

BuildResult entered_at(const BuildResult& build, const std::string& function) {
  BuildResult out = build;
  if (out.hosted.empty())
    out.symbol = function;
  else
    out.hosted = out.hosted.substr(0, out.hosted.find("::")) + "::" + function;
  return out;
}

FunctionProcess::FunctionProcess(CandidatePlan plan, const Problem& problem, const Inputs& layout)
    : plan_(std::move(plan)),
      stage_(stage_for(layout)),
      outputs_(problem.outputs),
      process_(std::make_unique<CandidateProcess>(plan_, problem, layout, stage_, outputs_)) {}

std::optional<CandidateFailure> FunctionProcess::fail(CandidateFailure failure) {
  is_over_ = true;
  failure.cause = printable(failure.cause);
  return failure;
}

std::optional<CandidateFailure> FunctionProcess::call(const Inputs& inputs) {
  if (is_over_) return CandidateFailure{Status::runtime_error, "its process is over"};
  if (!is_loaded_) {
    if (auto failure = process_->load()) return fail(std::move(*failure));
    is_loaded_ = true;
  }
  ++calls_;
  if (auto failure = process_->call(inputs, fresh_secret())) return fail(std::move(*failure));
  if (auto failure = process_->mismatch()) return fail(std::move(*failure));
  if (const int output = outputs_.overrun(); output >= 0)
    return fail(
        {Status::runtime_error, fmt::format("OUT_OF_BOUNDS: wrote beside output \"{}\"",
                                            outputs_.name(static_cast<std::size_t>(output)))});
  return std::nullopt;
}

std::string FunctionProcess::unwritten() const {
  return plan_.destination_passing ? unwritten_cause(outputs_, false) : "";
}

}  // namespace kbench
