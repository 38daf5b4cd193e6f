// The Definition's own check of outputs, as those who judge ask it: docs/verdict.md.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "problem/problem.hpp"
#include "problem/tensor_view.hpp"
#include "reference/evaluator.hpp"
#include "schema/check_function.hpp"
#include "schema/containers.hpp"
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

  // What it says of `outputs`, of which it gets those it takes, beside the inputs and the
  // reference's answer to them.
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

}  // namespace kbench
