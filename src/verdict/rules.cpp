// Names every rule. A new one: its file, its declaration in rules.hpp, its row here.
#include "verdict/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "schema/dtype.hpp"

namespace kbench {
namespace {

constexpr VerdictRule table[] = {
    {"kbench",
     "kbench's own: errors in units of what honest arithmetic makes, beside the double-precision "
     "answer; indices by what they choose, samplers by many draws, integers and bools to the bit",
     judge_kbench, true, false},
    {"flashinfer-bench",
     "FlashInfer-Bench's own: an element is right if its absolute or its relative error is within "
     "the tolerance, errors in float32",
     judge_flashinfer_bench},
    {"kernelbench",
     "KernelBench's by our reading: torch.allclose with atol = rtol = 1e-4, for floating types of "
     "16 bits and fewer 1e-2",
     judge_kernelbench},
    {"robust-kbench", "robust-kbench's by our reading: torch.allclose with atol = rtol = 1e-5",
     judge_robust_kbench},
};

}  // namespace

std::span<const VerdictRule> verdict_rules() { return table; }

const VerdictRule* find_rule(std::string_view name) {
  for (const VerdictRule& rule : table)
    if (rule.name == name) return &rule;
  return nullptr;
}

// Functions that every rule uses alike.
Verdict refuse(Status status, std::string detail) {
  Verdict verdict;
  verdict.status = status;
  verdict.detail = std::move(detail);
  verdict.ends_judging = true;
  return verdict;
}

std::optional<Verdict> refuse_unlike(const std::string& which, const TensorView& output,
                                     const TensorView& reference) {
  if (output.shape != reference.shape) {
    return refuse(Status::incorrect_shape,
                  fmt::format("{}: shape {}, expected {}", which, shape_text(output.shape),
                              shape_text(reference.shape)));
  }
  if (output.dtype != reference.dtype) {
    return refuse(Status::incorrect_dtype,
                  fmt::format("{}: dtype {}, expected {}", which, info(output.dtype).name,
                              info(reference.dtype).name));
  }
  return std::nullopt;
}

std::string output_name(const VerdictContext& context, std::size_t index) {
  if (index < context.names.size()) return fmt::format("output \"{}\"", context.names[index]);
  return fmt::format("output {}", index);
}

void draw_misses(Verdict& verdict, const VerdictContext& context, std::size_t index,
                 const std::vector<bool>& missed, const std::vector<std::int64_t>& shape) {
  if (missed.empty()) return;
  const std::string name =
      index < context.names.size() ? context.names[index] : std::to_string(index);
  verdict.error_map = error_map(name, missed, shape);
}

// Pairs stored outputs with the reference's by name.

namespace {

std::map<std::string_view, const NamedTensor*> by_name(std::span<const NamedTensor> tensors) {
  std::map<std::string_view, const NamedTensor*> out;
  for (const NamedTensor& tensor : tensors) out.emplace(tensor.name, &tensor);
  return out;
}

}  // namespace

std::optional<Verdict> judge_by_name(const VerdictRule& rule, const VerdictContext& context,
                                     std::span<const NamedTensor> outputs,
                                     std::span<const NamedTensor> reference,
                                     Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  const auto known = by_name(outputs), wanted_names = by_name(reference);
  std::vector<TensorView> left, right;
  std::vector<std::string> names;
  for (const NamedTensor& wanted : reference) {
    const auto output = known.find(wanted.name);
    if (output == known.end()) {
      diagnostics.error({},
                        fmt::format("the outputs lack '{}', which the reference has", wanted.name));
      continue;
    }
    left.push_back(output->second->tensor);
    right.push_back(wanted.tensor);
    names.push_back(wanted.name);
  }
  for (const NamedTensor& output : outputs) {
    if (wanted_names.contains(output.name)) continue;
    diagnostics.error({},
                      fmt::format("the reference lacks '{}', which the outputs have", output.name));
  }
  if (diagnostics.errors() != before) return std::nullopt;
  VerdictContext named = context;
  named.names = names;
  const Verdict verdict = rule.judge(named, left, right);
  return combine(std::span(&verdict, 1));
}

// Several outputs or trials in one verdict.

namespace {

std::string python_float(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

double python_max(double first, double second) { return second > first ? second : first; }

double max_or_nan(double first, double second) {
  return std::isnan(second) || second > first ? second : first;
}

void record_extra(Verdict& verdict) {
  if (verdict.matched_ratio) {
    verdict.correctness.extra =
        RawJson{fmt::format("{{\"matched_ratio\":{}}}", python_float(*verdict.matched_ratio))};
  } else if (verdict.margin) {
    verdict.correctness.extra = RawJson{fmt::format("{{\"margin\":{:.3g}}}", *verdict.margin)};
  }
}

Verdict combine(std::span<const Verdict> trials) {
  Verdict all;
  for (const Verdict& trial : trials) {
    if (trial.ends_judging) return trial;
    if (trial.status != Status::passed && all.status == Status::passed) {
      all.status = trial.status;
      all.detail = trial.detail;
      all.error_map = trial.error_map;
    }
    Correctness& correctness = all.correctness;
    const auto larger = trial.margin ? &max_or_nan : &python_max;  // rules of ours have a margin
    correctness.max_absolute_error =
        larger(correctness.max_absolute_error, trial.correctness.max_absolute_error);
    correctness.max_relative_error =
        larger(correctness.max_relative_error, trial.correctness.max_relative_error);
    if (trial.matched_ratio)
      all.matched_ratio = std::min(all.matched_ratio.value_or(1), *trial.matched_ratio);
    if (trial.margin) all.margin = std::max(all.margin.value_or(0), *trial.margin);
  }
  if (all.status == Status::passed && all.margin) {
    all.detail = wrong_together(trials, *all.margin);
    if (!all.detail.empty()) all.status = Status::incorrect_numerical;
  }
  record_extra(all);
  return all;
}

namespace {

// The indices of one axis at which something was missed.
std::vector<std::int64_t> indices(const std::vector<bool>& missed, std::size_t length,
                                  std::size_t inner) {
  std::vector<bool> seen(length);
  for (std::size_t i = 0; i < missed.size(); ++i)
    if (missed[i]) seen[i / inner % length] = true;
  std::vector<std::int64_t> out;
  for (std::size_t k = 0; k < length; ++k)
    if (seen[k]) out.push_back(static_cast<std::int64_t>(k));
  return out;
}

// The distance between neighbours where it is the same everywhere, else 0.
std::int64_t step_of(const std::vector<std::int64_t>& at) {
  const std::int64_t step = at[1] - at[0];
  for (std::size_t k = 2; k < at.size(); ++k)
    if (at[k] - at[k - 1] != step) return 0;
  return step;
}

std::string axis_text(const std::vector<std::int64_t>& at, std::int64_t length, std::size_t axis) {
  const auto count = static_cast<std::int64_t>(at.size());
  if (count == 0 || count == length) return "";
  if (count == 1) return fmt::format("all at index {} of axis {}", at[0], axis);
  const std::int64_t step = step_of(at);
  if (step > 1 && count > 2)
    return fmt::format("at every {}th index of axis {}, from {} on", step, axis, at[0]);
  if (at.back() - at.front() >= length / 2) return "";
  if (at.back() == length - 1)
    return fmt::format("all in the last {} of axis {}", length - at.front(), axis);
  if (at.front() == 0) return fmt::format("all in the first {} of axis {}", at.back() + 1, axis);
  return fmt::format("all at {} to {} of axis {}", at.front(), at.back(), axis);
}

}  // namespace

std::string misses_text(const std::vector<bool>& missed, const std::vector<std::int64_t>& shape) {
  std::vector<std::string> parts;
  std::size_t inner = missed.size();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto length = static_cast<std::size_t>(shape[axis]);
    if (length == 0) return "";
    inner /= length;
    std::string text = axis_text(indices(missed, length, inner), shape[axis], axis);
    if (!text.empty()) parts.push_back(std::move(text));
  }
  return join(parts, ", ");
}

namespace {

constexpr std::size_t most_lines = 32;
constexpr std::size_t most_columns = 64;

// Returns the character that the field's text describes (schema/details.hpp).
char sign_of(std::size_t missed, std::size_t of) {
  if (missed == 0) return '.';
  if (missed == of) return '#';
  return static_cast<char>('0' + 10 * missed / of);
}

}  // namespace

ErrorMap error_map(const std::string& output, const std::vector<bool>& missed,
                   const std::vector<std::int64_t>& shape) {
  ErrorMap map{output, shape, {}};
  if (missed.empty()) return map;
  const std::size_t width = shape.empty() ? 1 : static_cast<std::size_t>(shape.back());
  const std::size_t height = missed.size() / width;
  const std::size_t columns = std::min(width, most_columns), lines = std::min(height, most_lines);
  for (std::size_t line = 0; line < lines; ++line) {
    std::vector<std::size_t> found(columns), of(columns);
    for (std::size_t y = line * height / lines; y < (line + 1) * height / lines; ++y) {
      for (std::size_t column = 0; column < columns; ++column) {
        const std::size_t first = column * width / columns, end = (column + 1) * width / columns;
        const auto begin = missed.begin() + static_cast<std::ptrdiff_t>(y * width);
        of[column] += end - first;
        found[column] +=
            static_cast<std::size_t>(std::count(begin + static_cast<std::ptrdiff_t>(first),
                                                begin + static_cast<std::ptrdiff_t>(end), true));
      }
    }
    std::string& text = map.rows.emplace_back();
    for (std::size_t column = 0; column < columns; ++column)
      text += sign_of(found[column], of[column]);
  }
  return map;
}

}  // namespace kbench
