// Tests whose candidates are references themselves: the rule judges one beside another.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"
#include "judge/output_standards.hpp"
#include "reference/exact_case.hpp"
#include "verdict/rules.hpp"

namespace kbench {

class BesideTest : public ExactTest {
 protected:
  // Returns the rule's verdict on `other`, run as a candidate, beside the reference `c`. The first
  // output is judged by one of these standards.
  static Verdict judge_beside(const Case& c, const Case& other,
                              std::initializer_list<std::string_view> standards,
                              EvaluatorChoice evaluator = EvaluatorChoice::libtorch) {
    const ReferenceAnswer answer = evaluate(evaluator, c, 8, moves_for(c.definition, c.problem));
    const ReferenceAnswer output = evaluate(EvaluatorChoice::libtorch, other, 1);
    EXPECT_EQ(answer.outcome, ReferenceOutcome::ok) << answer.message;
    EXPECT_EQ(output.outcome, ReferenceOutcome::ok) << output.message;
    const ErrorTolerances made = error_tolerances_of(c.definition, c.problem, c.inputs, answer);
    const std::string_view by = name_of(made.outputs.at(0));
    EXPECT_TRUE(is_one_of(by, standards)) << by << answer.exact_absent;
    std::vector<std::string> names;
    for (const TensorPlan& one : c.problem.outputs) names.push_back(one.name);
    VerdictContext context{"beside", "", {}, names};
    context.standards = made.outputs;
    return judge_kbench(context, output.outputs, answer.outputs);
  }
};

}  // namespace kbench
