// The Definition's own check of outputs, as those who judge ask it (docs/verdict.md), and what its
// outputs will be judged by, as far as that can be said without running its reference.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "judge/prepare.hpp"
#include "problem/problem.hpp"
#include "problem/tensor_view.hpp"
#include "reference/evaluator.hpp"
#include "schema/check_function.hpp"
#include "schema/containers.hpp"
#include "schema/definition.hpp"
#include "verdict/verdict.hpp"

namespace kbench {

class OutputCheck {
 public:
  // Nothing where the reference has no check() of an output, or `judge_by` has other standards for
  // all that it takes. Both references must live as long as the result.
  static std::shared_ptr<const OutputCheck> of(const Definition& definition,
                                               const OrderedMap<std::string>& judge_by,
                                               ReferenceEvaluator& evaluator);

  // The outputs that it judges.
  const std::vector<std::string>& outputs() const { return outputs_; }

  // Asks it about `outputs`, of which it gets those it takes, beside the inputs and the reference's
  // answer to them.
  CheckAnswer ask(const Problem& problem, const Inputs& inputs, const ReferenceAnswer& reference,
                  std::span<const TensorView> outputs) const;

  // Makes a verdict of that. A NaN where the reference has none at all is wrong without being asked
  // about, and so is what check() fails on.
  Verdict judge(const Problem& problem, const Inputs& inputs, const ReferenceAnswer& reference,
                std::span<const TensorView> outputs) const;

 private:
  OutputCheck(const Definition& definition, CheckFunction function,
              std::vector<std::string> outputs, ReferenceEvaluator& evaluator)
      : definition_(definition),
        function_(std::move(function)),
        outputs_(std::move(outputs)),
        evaluator_(evaluator) {}

  const Definition& definition_;
  CheckFunction function_;
  std::vector<std::string> outputs_;
  ReferenceEvaluator& evaluator_;
};

// The outputs that it judges; none where there is no check.
std::span<const std::string> checked_outputs(const std::shared_ptr<const OutputCheck>& check);

// A check() that refuses the reference's own answer, or fails on it, is no judge of others: an
// error at its line.
bool accepts_reference(const Definition& definition, const Problem& problem, const Trial& trial,
                       Diagnostics& diagnostics);

// Returns why the check() of `trial`, if it has one, cannot judge its structured inputs: tolerances
// may be for random ones. "" where it can.
std::string reason_of_check(const Problem& problem, const Trial& trial);

// Warns of a check() of the Definition that nobody asks: it takes no output, or `rule` has none.
void tell_unasked_check(const Definition& definition, const VerdictRule& rule,
                        Diagnostics& diagnostics);

struct ExpectedStandard {
  std::string output;
  std::string standard;  // one of standard_names of verdict/verdict.hpp
  std::string why;       // reason, for people
};

// Standards by the output's dtype and the operators that the reference's text names. Findings of a
// run (error_tolerances_of) decide.
std::vector<ExpectedStandard> expected_standards(const Definition& definition);

}  // namespace kbench
