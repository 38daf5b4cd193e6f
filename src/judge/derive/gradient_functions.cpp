#include "judge/derive/gradient_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/system.hpp"
#include "base/text.hpp"
#include "judge/trial_verdict.hpp"
#include "problem/element.hpp"
#include "verdict/verdict.hpp"

namespace kbench {
namespace {

SharedMemory stage_for(const Inputs& layout) {
  SharedMemory stage("kbench stage", layout.memory.size());
  stage.seal_for_others();
  return stage;
}

// Distance in parts of the bound.
double distance(double value, double expected, double bound) {
  if (std::isnan(value) && std::isnan(expected)) return 0;
  const double off = std::fabs(value - expected);
  if (value == expected || off == 0) return 0;
  if (std::isnan(off) || bound <= 0) return std::numeric_limits<double>::infinity();
  return off / bound;
}

// The statistic's own worst element is none where one rounding explains all of them.
WorstElement worst_of(const TensorView& tensor, const ErrorTolerance& error_tolerance) {
  const std::size_t count = error_tolerance.size();
  std::vector<double> expected(count), bound(count);
  for (std::size_t i = 0; i < count; ++i) {
    expected[i] = error_tolerance.answer(i);
    bound[i] = std::isfinite(expected[i]) ? error_tolerance.allowed(i) : 0;
  }
  return furthest_off(decoded(tensor), expected, bound, tensor.shape);
}

}  // namespace

bool has_gradient_function(const Solution& solution, const Methods& declared) {
  const Methods methods = methods_of(solution, declared);
  const MethodQuery query = query_for(solution);
  return find_method(methods, "fwd_with_residuals", query) || find_method(methods, "vjp", query);
}

std::optional<DeclaredGradient> declared_gradient(const Stored<Solution>& stored,
                                                  const Sidecar& sidecar,
                                                  const Definition& definition,
                                                  Diagnostics& reports, bool is_emulated) {
  if (!fits(sidecar.gradients, definition, reports)) return std::nullopt;
  const Solution& solution = stored.record;
  const Methods methods = methods_of(solution, sidecar.methods);
  const MethodQuery query = query_for(solution);
  auto found = find_gradient(methods, query);
  const Where where{stored.path};
  if (!found) {
    reports.error(where, fmt::format("{} {}", solution.name, why_no_gradient(methods, query)),
                  "docs/gradients.md says how a solution has gradients");
    return std::nullopt;
  }
  if (solution.spec.language == Language::cuda && !is_emulated) {
    reports.warning(where,
                    fmt::format("{} runs on a GPU: gradients are judged on the CPU, and it is left "
                                "out",
                                solution.name),
                    "kbench grad --emulate judges it");
    return std::nullopt;
  }
  return DeclaredGradient{sidecar.gradients, {std::move(found->first), std::move(found->second)}};
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

std::vector<KeptTensor> kept(const std::vector<TensorView>& views) {
  std::vector<KeptTensor> out;
  for (const TensorView& view : views) {
    KeptTensor& tensor = out.emplace_back();
    tensor.view = view;
    tensor.bytes.assign(view.data, view.data + view.bytes);
    tensor.view.data = tensor.bytes.data();
  }
  return out;
}

std::vector<TensorView> views_of(const std::vector<KeptTensor>& tensors) {
  std::vector<TensorView> out;
  for (const KeptTensor& tensor : tensors) out.push_back(tensor.view);
  return out;
}

std::size_t differing_elements(const TensorView& a, const TensorView& b) {
  if (a.bytes == b.bytes && std::memcmp(a.data, b.data, a.bytes) == 0) return 0;
  const std::size_t size = static_cast<std::size_t>(std::max(info(a.dtype).bits / 8, 1));
  std::size_t count = 0;
  for (std::size_t at = 0; at + size <= std::min(a.bytes, b.bytes); at += size)
    count += std::memcmp(a.data + at, b.data + at, size) != 0;
  return count;
}

bool RepeatedTensors::add(const std::vector<TensorView>& tensors) {
  if (first.empty()) {
    first = kept(tensors);
    return true;
  }
  std::size_t differing = 0;
  all = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    differing += differing_elements(first[i].view, tensors[i]);
    all += element_count(tensors[i].shape);
  }
  others = std::max(others, differing);
  return differing == 0;
}

GradientRow judged_row(std::string check, const std::string& name, const TensorView& tensor,
                       const TensorView& reference, const Standard& standard) {
  GradientRow row{std::move(check), name};
  VerdictContext context;
  context.names = std::span(&name, 1);
  context.standards = std::span(&standard, 1);
  const Verdict verdict =
      find_rule("kbench")->judge(context, std::span(&tensor, 1), std::span(&reference, 1));
  if (verdict.status != Status::passed) row.status = RowStatus::wrong;
  row.detail = verdict.detail;
  const auto* const error_tolerance = std::get_if<ErrorTolerance>(&standard);
  const bool is_alike = tensor.shape == reference.shape && tensor.dtype == reference.dtype;
  if (error_tolerance != nullptr && is_alike && error_tolerance->size() > 0)
    row.worst = worst_of(tensor, *error_tolerance);
  for (const Evidence& evidence : verdict.evidence)
    row.visible_factor = evidence.errors.visible_factor();
  return row;
}

WorstElement furthest_off(std::span<const double> value, std::span<const double> expected,
                          std::span<const double> bound, const std::vector<std::int64_t>& shape) {
  std::size_t worst = 0;
  double furthest = -1;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const double d = distance(value[i], expected[i], bound[i]);
    if (d > furthest) {
      furthest = d;
      worst = i;
    }
  }
  if (value.empty()) return {};
  return {place_text(worst, shape), value[worst], expected[worst],
          std::fabs(value[worst] - expected[worst]), bound[worst]};
}

}  // namespace kbench
