// Verdict: outputs against the reference's, by a named rule. One rule a file, the table in
// rules.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/diagnostic.hpp"
#include "problem/tensor_view.hpp"
#include "schema/trace.hpp"
#include "verdict/choice.hpp"
#include "verdict/codes.hpp"
#include "verdict/error_tolerance.hpp"
#include "verdict/ties.hpp"
#include "verdict/within_tolerance.hpp"

namespace kbench {

// One output of one trial is judged by one of these under the rule `kbench`.
struct SameBits {};  // same bits as the reference's native answer
struct Checked {
};  // the Definition's own check() judges, which no rule can call: judge/output_check.hpp
struct Anything {};  // nobody knows what is right: what a candidate keeps for its own backward pass

// A new kind: its file, its row here and in standard_names, its judge() in kbench.cpp, and what an
// output gets it by in judge/output_standards.cpp.
using Standard = std::variant<SameBits, ErrorTolerance, Codes, Choice, Ties, Anything, Checked>;
inline constexpr std::string_view standard_names[] = {"bits", "numbers",  "codes", "choice",
                                                      "ties", "anything", "check"};

inline bool is_drawn(const Standard& standard) {
  const auto* choice = std::get_if<Choice>(&standard);
  return choice != nullptr && has_draws(*choice);
}

inline std::string_view name_of(const Standard& standard) {
  return standard_names[standard.index()];
}

struct Tolerance {
  // Nothing: the rule's default.
  std::optional<double> atol;
  std::optional<double> rtol;
  std::optional<double> required_matched_ratio;
};

// Facts that a rule may look at beyond the tensors.
struct VerdictContext {
  std::string_view definition;
  std::string_view op_type;
  Tolerance tolerance;
  std::span<const std::string> names = {};  // names of the outputs, for `detail`; may be empty
  // The standards of the outputs, for a rule that needs_exact.
  std::span<const Standard> standards = {};
};

// Evidence in the errors of one output beside the verdict on one trial: several trials tell more.
struct Evidence {
  std::string output;         // its name, for `detail`
  std::uint64_t answers = 0;  // digest of the answers: the same ones are no evidence twice
  KEvidence errors;
};

struct Verdict {
  Status status = Status::passed;  // passed, one of the three incorrect ones, or runtime_error
                                   // where the reference itself is not what the rule can judge by
  Correctness correctness;         // meaningful for passed and incorrect_numerical
  std::string detail;              // text for people: which output, where, how far; "" when passed
  std::optional<ErrorMap> error_map;    // map of the output that `detail` names
  std::optional<double> matched_ratio;  // the smallest of the outputs, where the rule records it
  std::optional<double> margin;  // the largest part of a limit that was used, where it is recorded
  std::vector<Evidence> evidence;  // evidence from random inputs, where the rule has some
  bool ends_judging = false;       // the rule makes no further trial, and this verdict stands
};

// Judges one trial: output i against reference i.
using Judge = Verdict (*)(const VerdictContext&, std::span<const TensorView> outputs,
                          std::span<const TensorView> reference);

struct VerdictRule {
  std::string_view name;
  std::string_view doc;
  Judge judge;
  bool needs_exact = false;   // judges by the double-precision answer, which is dear
  bool has_tolerance = true;  // takes the user's tolerance
};

// The first is the default.
std::span<const VerdictRule> verdict_rules();
const VerdictRule* find_rule(std::string_view name);

// Judges outputs that are paired with the reference by name, in the reference's order. A name that
// only one side has is reported, and nothing is returned.
std::optional<Verdict> judge_by_name(const VerdictRule& rule, const VerdictContext& context,
                                     std::span<const NamedTensor> outputs,
                                     std::span<const NamedTensor> reference,
                                     Diagnostics& diagnostics);

// The verdict over several trials, in order: the first that ends the judging decides, else the
// maxima of the errors as FlashInfer-Bench combines them: a NaN is lost, but not under a rule that
// has a margin. Trials that pass one by one are judged by their evidence together. No trial:
// passed.
Verdict combine(std::span<const Verdict> trials);

}  // namespace kbench
