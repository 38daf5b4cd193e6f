// kbench's own rule: docs/verdict.md.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "problem/element.hpp"
#include "verdict/cut_off.hpp"
#include "verdict/rules.hpp"
#include "verdict/within_tolerance.hpp"

namespace kbench {
namespace {

double value_at(const TensorView& tensor, std::size_t i) {
  double value = 0;
  decode(tensor.dtype, tensor.data, i, std::span(&value, 1));
  return value;
}

constexpr double largest_margin = 1e9;  // JSON has no infinity

// The largest part of a limit that is used: above 1 it is not kept.
double margin_of(const KStatistic& statistic) {
  double margin = std::max(statistic.largest_z / k_largest_z, statistic.rms / statistic.rms_limit);
  margin = std::max({margin, statistic.cut_off.part_of_limit(), statistic.codes_part,
                     statistic.bias.part_of_limit()});
  if (const auto& slice = statistic.biased_slice)
    margin = std::max(margin, slice->bias.part_of_limit());
  if (const auto& slice = statistic.worst_slice)
    margin = std::max(margin, slice->rms / slice->limit);
  return std::min(margin, largest_margin);
}

// Fault of an output, and the elements that have it, where single ones do.
struct Wrong {
  std::string text;  // "": nothing
  std::vector<bool> missed;
};

// Numbers where the reference's answer is NaN, and NaN where it is a number.
struct NanMisses {
  std::size_t numbers = 0, first = 0, nans = 0;
};

NanMisses nan_misses(const TensorView& output, const ErrorTolerance& error_tolerance) {
  NanMisses found;
  if (error_tolerance.scale().is_special) return found;  // anything is right there
  for (std::size_t i = error_tolerance.size(); i-- > 0;) {
    const bool is_nan = std::isnan(value_at(output, i));
    if (is_nan == std::isnan(error_tolerance.answer(i))) continue;
    ++(is_nan ? found.nans : found.numbers);
    if (!is_nan) found.first = i;
  }
  return found;
}

// Returns the digits that tell a number from another, three at least.
std::string shown(double value, double other) {
  if (std::isnan(value)) return "nan";
  for (int digits = 3; digits < 17; ++digits) {
    std::string text = fmt::format("{:.{}g}", value, digits);
    if (text != fmt::format("{:.{}g}", other, digits)) return text;
  }
  return fmt::format("{}", value);
}

std::string misses_detail(const TensorView& output, const ErrorTolerance& error_tolerance,
                          const KStatistic& statistic) {
  const NanMisses misses = nan_misses(output, error_tolerance);
  const std::string of_nan =
      fmt::format("{} of {} elements are not NaN where the reference's answer is NaN",
                  misses.numbers, error_tolerance.size());
  if (misses.numbers > 0 && misses.numbers == statistic.misses)
    return fmt::format("{}; first at {}: {}", of_nan, place_text(misses.first, output.shape),
                       value_at(output, misses.first));
  const std::size_t i = statistic.worst;
  const double got = value_at(output, i), expected = error_tolerance.answer(i);
  std::string text =
      fmt::format("{} of {} elements wrong", statistic.misses, error_tolerance.size());
  if (misses.nans > 0) text += fmt::format(", {} of them NaN", misses.nans);
  text += fmt::format("; worst at {}: got {}, expected {}", place_text(i, output.shape),
                      shown(got, expected), shown(expected, got));
  if (std::isfinite(expected)) text += fmt::format(", allowed ±{:.2g}", error_tolerance.allowed(i));
  return misses.numbers > 0 ? text + "; " + of_nan : text;
}

std::string rms_text(double rms, double limit) {
  return fmt::format("errors are together {:.3g} times those of honest arithmetic, limit {:.3g}",
                     rms, limit);
}

std::string rms_detail(const KStatistic& statistic) {
  if (statistic.rms > statistic.rms_limit) return rms_text(statistic.rms, statistic.rms_limit);
  const KSlice& slice = *statistic.worst_slice;
  return rms_text(slice.rms, slice.limit) +
         fmt::format(", at index {} of axis {}", slice.index, slice.axis);
}

std::string cut_off_detail(const CutOff& found) {
  if (found.outside < found.least_outside) {
    return fmt::format(
        "results look cut off instead of rounded: {:.0f} of {:.0f} errors are between 0 and one "
        "step "
        "towards zero, limit {:.0f}",
        found.inside, found.inside + found.outside,
        found.inside + found.outside - found.least_outside);
  }
  return fmt::format(
      "errors are of one sign: results look {} instead of rounded, by {:.2f} of a step on average, "
      "limit {:.2f}",
      found.drift < 0 ? "cut off" : "rounded up", std::fabs(found.drift), found.limit);
}

std::string bias_text(const Bias& bias) {
  return fmt::format("results are together {:.2g} % too {}, limit {:.2g} %",
                     100 * std::fabs(bias.part), bias.part < 0 ? "small" : "large",
                     100 * bias.limit);
}

std::string codes_detail(const KStatistic& statistic) {
  const CodeShare& codes = statistic.codes;
  const std::size_t rows = statistic.evidence.rows;
  return fmt::format(
      "{:.0f} of {:.0f} codes are not what the answer is rounded to, {:.0f} of them nearer to "
      "zero; "
      "honest arithmetic has at most {:.0f}, and {:.0f} more on one side",
      codes.others, statistic.evidence.count, codes.inwards, codes.limit(rows),
      codes.limit_of_one_direction(rows));
}

// Describes the fault of the errors together, where no element misses its limit.
std::string together_detail(const KStatistic& statistic) {
  if (!statistic.cut_off.accepts()) return cut_off_detail(statistic.cut_off);
  if (statistic.codes_part > 1) return codes_detail(statistic);
  if (!statistic.bias.accepts()) return bias_text(statistic.bias);
  if (!statistic.is_biased()) return rms_detail(statistic);
  const BiasedSlice& slice = *statistic.biased_slice;
  return bias_text(slice.bias) + fmt::format(", at index {} of axis {}", slice.index, slice.axis);
}

void add_error(Correctness& correctness, double absolute, double relative) {
  correctness.max_absolute_error = max_or_nan(correctness.max_absolute_error, absolute);
  correctness.max_relative_error = max_or_nan(correctness.max_relative_error, relative);
}

Wrong judge(Verdict& verdict, const TensorView& output, const TensorView& reference,
            const ErrorTolerance& error_tolerance) {
  KStatistic statistic = k_statistic(output, error_tolerance);
  if (error_tolerance.other() != nullptr && !statistic.accepts()) {
    const KStatistic other = k_statistic(output, *error_tolerance.other());
    if (other.accepts()) statistic = other;
  }
  add_error(verdict.correctness, statistic.max_absolute, statistic.max_relative);
  verdict.margin = std::max(verdict.margin.value_or(0), margin_of(statistic));
  if (error_tolerance.other() == nullptr)
    verdict.evidence.push_back({"", error_tolerance.digest(), std::move(statistic.evidence)});
  if (statistic.misses == 0) {
    if (const auto dtype = rounded_to(output, reference)) {
      verdict.margin = largest_margin;
      return {
          fmt::format("the elements are {} numbers: it was rounded to 16 bits", info(*dtype).name)};
    }
  }
  if (statistic.accepts()) return {};
  if (statistic.misses == 0) return {together_detail(statistic)};
  Wrong wrong{misses_detail(output, error_tolerance, statistic)};
  k_statistic(output, error_tolerance, &wrong.missed);
  return wrong;
}

// Tells whether a bool is neither 0 nor 1: a program that reads it as a byte gets another number.
bool is_no_bool(const TensorView& output, std::size_t i) {
  return output.dtype == DType::boolean && std::to_integer<int>(output.data[i]) > 1;
}

Wrong judge(Verdict& verdict, const TensorView& output, const TensorView& reference,
            const SameBits&) {
  if (output.bytes == 0 || std::memcmp(output.data, reference.data, output.bytes) == 0) return {};
  const std::size_t count = element_count(output.shape);
  std::vector<bool> missed(count);
  std::size_t misses = 0, first = count;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_alike =
        element(output.dtype, output.data, i) == element(reference.dtype, reference.data, i);
    if (is_alike && !is_no_bool(output, i)) continue;
    missed[i] = true;
    ++misses;
    first = std::min(first, i);
    const double r = value_at(reference, i), error = std::fabs(value_at(output, i) - r);
    add_error(verdict.correctness, error, error / (std::fabs(r) + 1e-8));
  }
  if (misses == 0) return {};
  verdict.margin = largest_margin;
  const std::string what =
      is_no_bool(output, first)
          ? fmt::format("byte {} is neither 0 nor 1", std::to_integer<int>(output.data[first]))
          : fmt::format("got {}, expected {}", element_text(output, first),
                        element_text(reference, first));
  return {fmt::format("{} of {} elements wrong; first at {}: {}", misses, count,
                      place_text(first, output.shape), what),
          std::move(missed)};
}

Wrong judge(Verdict& verdict, const TensorView& output, const TensorView& reference,
            const Choice& choice) {
  ChoiceMisses misses = choice_misses(output, reference, choice);
  add_error(verdict.correctness, misses.max_difference, 0);
  verdict.margin = std::max(verdict.margin.value_or(0), misses.margin);
  if (misses.count == 0) return {};
  verdict.margin = largest_margin;
  return {fmt::format("{} of {} elements are no right choice; first at {}", misses.count,
                      misses.missed.size(), misses.first),
          std::move(misses.missed)};
}

Wrong judge(Verdict& verdict, const TensorView& output, const TensorView&, const Codes& codes) {
  CodeMisses misses = code_misses(output, codes);
  const double part = static_cast<double>(misses.others) / misses.limit;
  verdict.margin = std::max(verdict.margin.value_or(0), misses.count > 0 ? largest_margin : part);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const double error = std::fabs(value_at(output, i) - codes.own(i));
    add_error(verdict.correctness, error, error / (std::fabs(codes.own(i)) + 1e-8));
  }
  if (misses.count > 0) {
    const Codes::Range range = codes.range(misses.first);
    const std::string wanted = range.low == range.high
                                   ? fmt::format("{}", range.low)
                                   : fmt::format("{} to {}", range.low, range.high);
    return {fmt::format("{} of {} integers are not what honest numbers are rounded to; first at "
                        "{}: {}, expected {}",
                        misses.count, codes.size(), place_text(misses.first, output.shape),
                        value_at(output, misses.first), wanted),
            std::move(misses.missed)};
  }
  if (misses.accepts()) return {};
  return {fmt::format("{} of {} integers are a step off, honest arithmetic has at most {:.0f}",
                      misses.others, codes.size(), misses.limit)};
}

Wrong judge(Verdict& verdict, const TensorView& output, const TensorView& reference,
            const Ties& ties) {
  TieMisses misses = tie_misses(output, reference, ties);
  for (std::size_t i = 0; i < misses.missed.size(); ++i) {
    const double r = value_at(reference, i), error = std::fabs(value_at(output, i) - r);
    add_error(verdict.correctness, error, error / (std::fabs(r) + 1e-8));
  }
  const double part = misses.others == 0 ? 0 : static_cast<double>(misses.others) / misses.limit;
  verdict.margin = std::max(verdict.margin.value_or(0), std::min(part, largest_margin));
  if (misses.accepts()) return {};
  const char* noun = info(output.dtype).kind == DTypeKind::integer ? "integers" : "numbers";
  if (misses.far == 0 && static_cast<double>(misses.others) > misses.limit) {
    return {fmt::format("{} of {} {} differ, honest arithmetic has at most {:.0f}", misses.others,
                        misses.missed.size(), noun, misses.limit)};
  }
  verdict.margin = largest_margin;
  return {
      fmt::format("{} of {} {} are not what the reference has or has where its inputs are a "
                  "little other; first at {}: {}, expected {}",
                  misses.unseen, misses.missed.size(), noun, place_text(misses.first, output.shape),
                  value_at(output, misses.first), value_at(reference, misses.first)),
      std::move(misses.missed)};
}

Wrong judge(Verdict&, const TensorView&, const TensorView&, const Anything&) { return {}; }
Wrong judge(Verdict&, const TensorView&, const TensorView&, const Checked&) { return {}; }

}  // namespace

Verdict judge_kbench(const VerdictContext& context, std::span<const TensorView> outputs,
                     std::span<const TensorView> reference) {
  Verdict verdict;
  verdict.margin = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const std::string which = output_name(context, i);
    if (i >= outputs.size()) return refuse(Status::incorrect_shape, which + " is missing");
    if (auto refused = refuse_unlike(which, outputs[i], reference[i])) return *refused;
    const Standard same_bits;
    const Standard& standard = i < context.standards.size() ? context.standards[i] : same_bits;
    const Wrong wrong = std::visit(
        [&](const auto& by) { return judge(verdict, outputs[i], reference[i], by); }, standard);
    if (!verdict.evidence.empty() && verdict.evidence.back().output.empty())
      verdict.evidence.back().output = which;
    if (wrong.text.empty()) continue;
    verdict.status = Status::incorrect_numerical;
    if (!verdict.detail.empty()) continue;
    verdict.detail = which + ": " + wrong.text;
    if (const std::string where = misses_text(wrong.missed, outputs[i].shape); !where.empty())
      verdict.detail += "; " + where;
    draw_misses(verdict, context, i, wrong.missed, outputs[i].shape);
  }
  record_extra(verdict);
  return verdict;
}

std::string wrong_together(std::span<const Verdict> trials, double& margin) {
  struct Sum {
    std::set<std::uint64_t> answers;
    KEvidence errors;
  };
  std::map<std::string, Sum> outputs;
  for (const Verdict& trial : trials) {
    for (const Evidence& evidence : trial.evidence) {
      Sum& sum = outputs[evidence.output];
      if (sum.answers.insert(evidence.answers).second) sum.errors.add(evidence.errors);
    }
  }
  for (const auto& [output, sum] : outputs) {
    if (sum.answers.size() < 2) continue;
    const double rms = sum.errors.rms(), limit = k_rms_limit(sum.errors.rows);
    const CutOff cut = cut_off(sum.errors.rounding);
    const Bias bias = bias_of(sum.errors.bias);
    margin = std::max(
        {margin, std::min(rms / limit, largest_margin), cut.part_of_limit(), bias.part_of_limit()});
    const std::string wrong = rms > limit       ? rms_text(rms, limit)
                              : !cut.accepts()  ? cut_off_detail(cut)
                              : !bias.accepts() ? bias_text(bias)
                                                : "";
    if (!wrong.empty())
      return fmt::format("{}: over {} input sets {}", output, sum.answers.size(), wrong);
  }
  return "";
}

}  // namespace kbench
