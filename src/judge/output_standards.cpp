#include "judge/output_standards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "base/words.hpp"
#include "judge/contraction.hpp"
#include "problem/element.hpp"
#include "problem/problem.hpp"
#include "schema/check_function.hpp"
#include "syntax/called.hpp"
#include "verdict/within_tolerance.hpp"

namespace kbench {
namespace {

// Size below which a value is as good as 0. e^-3000 may be what e^-87 is, the end of float32's
// normal numbers: exponentials have such ends. Some intermediates beside tiny numbers of float16
// may have been float16's subnormals, whose rounding errors add up.
double nothing(InputSet set, DType output) {
  if (set == InputSet::random) return 0;
  return set != InputSet::exact && output == DType::float16 ? 0x1p-21 : 0x1p-104;
}

KProblem k_problem(const Definition& definition, const Problem& problem) {
  KProblem out;
  out.multiplies = multiplies_matrices(text_without_check(definition));
  out.rounds_weights = weighs_by_integers(definition);
  for (const InputPlan& input : problem.inputs) {
    if (!input.tensor.is_scalar) out.inputs.push_back(input.tensor.dtype);
  }
  for (const TensorPlan& output : problem.outputs) out.outputs.push_back(output.dtype);
  out.terms = reduction_length(definition, problem);
  return out;
}

// Nobody is asked for more than the reference itself gives: where that needs its intermediates
// rounded, solutions may round theirs. Its answer is known to be right by `wide`, with the native
// scale.
ErrorTolerance exact_error_tolerance(const KProblem& problem, const TensorView& native,
                                     const KAnswer& answer, ErrorTolerance wide) {
  const KScale scale = solution_scale(problem, native.dtype);
  if (scale == wide.scale()) return wide;
  ErrorTolerance strict(answer, native.shape, scale);
  return k_statistic(native, strict).accepts() ? std::move(strict) : std::move(wide);
}

// Tells whether the native answer is the double one, rounded once.
bool is_rounded(const TensorView& native, const KAnswer& answer) {
  const double u = unit_roundoff(native.dtype), least = info(native.dtype).smallest / 2;
  const std::vector<double> own = decoded(native);
  return std::equal(own.begin(), own.end(), answer.values.begin(), [&](double y, double r) {
    return std::fabs(y - r) <= u * std::fabs(r) + least || (std::isnan(y) && std::isnan(r)) ||
           y == r;
  });
}

}  // namespace

ErrorTolerance error_tolerance_of(KProblem problem, const TensorView& native,
                                  const ReferenceAnswer& from, std::size_t output,
                                  bool& is_native) {
  const ExactTensor* exact = from.exact ? &from.exact->outputs[output] : nullptr;
  if (exact == nullptr || !exact->is_floating || exact->shape != native.shape) {
    is_native = true;
    return {native, native_scale(problem, native.dtype)};
  }
  const KAnswer answer{exact->values, exact->condition, from.exact->perturbed_runs,
                       exact->roundings, from.exact->rounded_runs};
  problem.knows_roundings = !exact->roundings.empty();
  const auto natively = [&] {
    return ErrorTolerance(answer, native.shape, native_scale(problem, native.dtype));
  };
  ErrorTolerance wide = natively();
  bool quantises_inside = !k_statistic(native, wide).accepts();
  if (quantises_inside && problem.stands_alone) {
    problem.stands_alone = false;  // its elements share an error, whatever the shapes say
    wide = natively();
    quantises_inside = !k_statistic(native, wide).accepts();
  }
  const KScale scale = wide.scale();
  const bool rounds_codes = from.exact->makes_codes && exact->after_codes && !scale.is_narrow;
  is_native = quantises_inside || (rounds_codes && !is_rounded(native, answer));
  if (!is_native) return exact_error_tolerance(problem, native, answer, std::move(wide));
  ErrorTolerance by_native(answer, native, scale);
  by_native.or_by({answer, native.shape, scale});
  return by_native;
}

namespace {

// Other outputs go with the picks, place by place: their order matters.
bool has_companion(const ReferenceAnswer& reference, std::size_t output) {
  for (std::size_t i = 0; i < reference.outputs.size(); ++i) {
    if (i != output && reference.outputs[i].shape == reference.outputs[output].shape) return true;
  }
  return false;
}

// Standard by what the reference has where its inputs are moved a little: by the least move by
// which its own answer passes.
std::optional<Ties> ties(const TensorView& native, const ExactTensor& exact) {
  for (const Alternates& moved : exact.moved) {
    if (moved.seen.empty()) continue;
    Ties out(moved, exact.stored);
    if (tie_misses(native, exact.stored, out).accepts()) return out;
  }
  return std::nullopt;
}

// Scores that no computed operand of a product leads to are kept in float32, unless the reference's
// own picks show that it rounds them.
std::optional<Choice> choice_of(const KProblem& problem, const ReferenceAnswer& from,
                                std::size_t output) {
  const ExactTensor& exact = from.exact->outputs[output];
  const TensorView& native = from.outputs[output];
  KProblem strict = problem;
  strict.multiplies = exact.after_product;
  for (const KScale& scale :
       {solution_scale(strict, DType::float32), native_scale(problem, DType::float32)}) {
    Choice choice{*exact.chosen, from.exact->perturbed_runs, scale, has_companion(from, output)};
    if (choice_misses(native, native, choice).count == 0) return choice;
  }
  return std::nullopt;
}

// Returns the standard of an integer output. Findings about the reference decide only where its own
// answer passes.
Standard integer_standard(const KProblem& problem, const ReferenceAnswer& from,
                          std::size_t output) {
  if (!from.exact) return SameBits{};
  const ExactTensor& exact = from.exact->outputs[output];
  const TensorView& native = from.outputs[output];
  const int runs = from.exact->perturbed_runs;
  KScale scale = native_scale(problem, DType::float32);
  if (exact.is_floating || exact.shape != native.shape) return SameBits{};
  if (exact.chosen) {
    if (auto choice = choice_of(problem, from, output)) return *choice;
  }
  if (exact.rounded) {
    scale.u_int = scale.u_acc;  // rounded integers were calculated in float32
    Codes codes(*exact.rounded, runs, exact.stored, scale);
    if (code_misses(native, codes).accepts()) return codes;
  }
  if (const auto by = ties(native, exact)) return *by;
  return SameBits{};
}

// The double answer, if it is all integers up to which the dtype has every one, and the native
// answer is the same.
bool is_integral(const TensorView& native, const ExactTensor& exact) {
  if (!exact.is_floating || exact.shape != native.shape) return false;
  const double largest = 1 / unit_roundoff(native.dtype);
  std::array<double, 1024> values{};
  for (std::size_t first = 0; first < exact.values.size(); first += values.size()) {
    const auto part = std::span(values).first(std::min(values.size(), exact.values.size() - first));
    decode(native.dtype, native.data, first, part);
    for (std::size_t k = 0; k < part.size(); ++k) {
      const double r = exact.values[first + k];
      if (r != std::trunc(r) || std::fabs(r) > largest || part[k] != r) return false;
    }
  }
  return true;
}

// Returns an error bound by which nothing may differ.
ErrorTolerance to_the_bit(const ExactTensor& exact) {
  return {{exact.values, exact.condition, 1}, exact.shape, {.u_acc = 0, .half_smallest = 0}};
}

// Number of terms summed up: what the reference's operators showed. A loop may sum as well, over
// whatever there is.
double terms(const Definition& definition, const Problem& problem, const ExactAnswer& answer) {
  double longest = answer.longest_sum;
  if (!python::Calls(text_without_check(definition)).has_loops()) return longest;
  longest = std::max(longest, reduction_length(definition, problem));
  for (const auto& [name, length] : problem.axes)
    longest = std::max(longest, static_cast<double>(length));
  return longest;
}

}  // namespace

KProblem observed_problem(const Definition& definition, const Problem& problem,
                          const ReferenceAnswer& reference) {
  KProblem out = k_problem(definition, problem);
  if (!reference.exact) return out;
  out.terms = terms(definition, problem, *reference.exact);
  out.shares_an_error = reference.exact->shares_an_error;
  return out;
}

namespace {

// Returns the standard of a floating output that is not measured by an error bound of its errors.
std::optional<Standard> special_standard(const TensorView& native, const ReferenceAnswer& from,
                                         std::size_t output, InputSet set) {
  if (!from.exact) return std::nullopt;
  const ExactTensor& exact = from.exact->outputs[output];
  if (set == InputSet::exact && is_integral(native, exact)) return to_the_bit(exact);
  if (exact.is_floating) return std::nullopt;
  if (auto codes = ties(native, exact)) return *codes;  // float4 alone
  return std::nullopt;
}

// Tells whether rows are so unlike that a formula which is good elsewhere cancels there.
bool may_cancel(InputSet set) {
  return set == InputSet::mixed || set == InputSet::special || set == InputSet::clustered ||
         set == InputSet::keeping;
}

// Tells whether honest arithmetic may have others where the reference has infinities and NaN:
// unless the Definition says that these must come out.
bool may_lose_specials(const Definition& definition, InputSet set) {
  const auto& tags = definition.tags;
  return set == InputSet::special &&
         std::find(tags.begin(), tags.end(), "special_outputs") == tags.end();
}

}  // namespace

std::vector<double> moves_for(const Definition& definition, const Problem& problem) {
  const auto has_codes = [](const TensorPlan& output) {
    return info(output.dtype).kind == DTypeKind::integer || output.dtype == DType::float4_e2m1;
  };
  if (std::none_of(problem.outputs.begin(), problem.outputs.end(), has_codes)) return {};
  const KProblem k = k_problem(definition, problem);
  const KScale scale = native_scale(k, DType::float32);
  std::vector<double> out{8 * scale.u_acc * std::max(3.0, std::sqrt(scale.terms))};
  if (scale.u_int > scale.u_acc) out.push_back(4 * scale.u_int);
  return out;
}

namespace {

// Standards of the outputs of one input set.
class Standards {
 public:
  Standards(const Definition& definition, const Problem& problem, const Inputs& inputs,
            const ReferenceAnswer& reference, InputSet set)
      : definition_(definition),
        problem_(problem),
        inputs_(inputs),
        reference_(reference),
        set_(set),
        k_(observed_problem(definition, problem, reference)) {
    if (set != InputSet::random) k_.terms *= k_.terms;  // errors of equal terms add up
    k_.only_sums =
        reference.exact && (is_contraction(definition, problem, inputs, *reference.exact) ||
                            is_named_contraction(definition));
    k_.is_special = may_lose_specials(definition, set);
    k_.is_random = set == InputSet::random;
  }

  Standard of(std::size_t i) {
    const TensorView& native = reference_.outputs[i];
    if (info(native.dtype).kind != DTypeKind::floating) return integer_standard(k_, reference_, i);
    if (auto special = special_standard(native, reference_, i, set_)) return std::move(*special);
    const TensorSpec& spec = *definition_.outputs.find(problem_.outputs[i].name);
    bool is_native = false;
    ErrorTolerance by = error_tolerance_of(problem_of(i, spec), native, reference_, i, is_native);
    any_native_ = any_native_ || is_native;
    if (may_cancel(set_) && !k_.only_sums)  // a sum of products has no other formula
      by.raise_floor(operand_sizes(definition_, spec, problem_.outputs[i], inputs_));
    return by;
  }

  bool any_native() const { return any_native_; }

 private:
  // Facts that the double run tells of the output's own way through the reference.
  KProblem problem_of(std::size_t i, const TensorSpec& spec) const {
    const TensorView& native = reference_.outputs[i];
    KProblem k = k_;
    // A number alone in its row, of sums that are exact, has lost nothing to others.
    const bool is_exact_sum =
        set_ == InputSet::exact && k.terms <= 1 && row_length(native.shape) == 1;
    k.stands_alone = is_exact_sum || stands_alone(definition_, spec);
    k.nothing = nothing(set_, native.dtype);
    if (!reference_.exact) return k;
    k.multiplies = reference_.exact->outputs[i].after_product;
    k.only_sums = k.only_sums || reference_.exact->outputs[i].only_sums;
    return k;
  }

  const Definition& definition_;
  const Problem& problem_;
  const Inputs& inputs_;
  const ReferenceAnswer& reference_;
  InputSet set_;
  KProblem k_;
  bool any_native_ = false;
};

}  // namespace

ErrorTolerances error_tolerances_of(const Definition& definition, const Problem& problem,
                                    const Inputs& inputs, const ReferenceAnswer& reference,
                                    const JudgedSet& set) {
  Standards standards(definition, problem, inputs, reference, set.kind);
  ErrorTolerances out;
  OrderedMap<std::string> judged_by;
  for (std::size_t i = 0; i < reference.outputs.size(); ++i) {
    const bool is_checked = std::find(set.checked.begin(), set.checked.end(),
                                      problem.outputs[i].name) != set.checked.end();
    out.outputs.push_back(is_checked ? Standard(Checked{}) : standards.of(i));
    judged_by[problem.outputs[i].name] = name_of(out.outputs[i]);
  }
  out.record.judged_by = std::move(judged_by);
  out.record.judged_against = standards.any_native() || !reference.exact ? "native" : "exact";
  if (reference.exact)
    out.record.runs = reference.exact->perturbed_runs;
  else
    out.record.absent = reference.exact_absent;
  return out;
}

std::string demand(ErrorTolerances& error_tolerances, const Problem& problem,
                   const OrderedMap<std::string>& judge_by) {
  for (const auto& [name, wanted] : judge_by) {
    const auto output = std::find_if(problem.outputs.begin(), problem.outputs.end(),
                                     [&](const TensorPlan& one) { return one.name == name; });
    if (output == problem.outputs.end()) return fmt::format("there is no output \"{}\"", name);
    if (!is_one_of(wanted, standard_names)) {
      return fmt::format("\"{}\" is nothing to judge \"{}\" by: there are {}", wanted, name,
                         fmt::join(standard_names, ", "));
    }
    Standard& standard =
        error_tolerances.outputs[static_cast<std::size_t>(output - problem.outputs.begin())];
    if (wanted == name_of(standard)) continue;
    if (wanted == "check")
      return fmt::format("the reference has no function check that takes \"{}\"", name);
    if (wanted != "bits") {
      return fmt::format(
          "output \"{}\" cannot be judged by {}: by what the reference does it is {}", name, wanted,
          name_of(standard));
    }
    standard = SameBits{};
    (*error_tolerances.record.judged_by)[name] = wanted;
  }
  return "";
}

}  // namespace kbench
