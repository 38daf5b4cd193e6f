// A reference's answers as what solutions are measured by.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "problem/data/structure.hpp"
#include "problem/problem.hpp"
#include "reference/evaluator.hpp"
#include "schema/definition.hpp"
#include "schema/trace.hpp"
#include "verdict/verdict.hpp"

namespace kbench {

struct ErrorTolerances {
  std::vector<Standard> outputs;
  ExactRecord record;
};

// Input set that outputs are judged on, and those of them that the Definition's check() judges.
struct JudgedSet {
  JudgedSet(InputSet of = InputSet::random, std::span<const std::string> by_check = {})
      : kind(of), checked(by_check) {}
  InputSet kind;
  std::span<const std::string> checked;  // names of outputs
};

// Standard of each output: a choice, or integers that were rounded, where the double run found that
// out, else the bits of integers and bools. One error bound for each floating output: of the double
// answer, or of the native one where there is no other or where the reference quantises inside. It
// does so if its native answer leaves the double one by more than its arithmetic makes, or if the
// double run makes codes and the native answer is not just the double one, rounded: then the two
// differ only where a value lies beside a step. Outputs of 8 bits or fewer have such steps
// themselves, and are told by the first alone. `reference` must live as long as the result.
// InputSet::exact: where double and native answer are the same small integers, a solution's are
// too, to the bit. Structured inputs: errors of equal terms add up, so that n stands for √n, and
// less than 2^-104 is as good as 0 (2^-21 where float16 goes out, but for InputSet::exact).
ErrorTolerances error_tolerances_of(const Definition& definition, const Problem& problem,
                                    const Inputs& inputs, const ReferenceAnswer& reference,
                                    const JudgedSet& set = {});

// Parts of it, for answers that are no Definition's outputs: gradients. Facts of a reference, as
// far as its text and its double run tell; nothing is known of single outputs yet.
KProblem observed_problem(const Definition& definition, const Problem& problem,
                          const ReferenceAnswer& reference);
// The error bound of floating output `output` of `from`, whose native answer is `native`;
// `is_native` becomes true where that is what it holds against.
ErrorTolerance error_tolerance_of(KProblem problem, const TensorView& native,
                                  const ReferenceAnswer& from, std::size_t output, bool& is_native);

// Relative moves of the inputs by which a double run sees what integers that are no choice may be
// (ExactEffort::moves): 8 times what float32 arithmetic makes of them, and 4 times what rounding
// intermediates to the coarsest dtype of 16 bits does, where there is one. They are large beside an
// honest error, so that few runs show both sides of a border. None where no output is an integer.
std::vector<double> moves_for(const Definition& definition, const Problem& problem);

// Makes the outputs that `judge_by` names be judged so: "bits" is always possible, any other
// standard only where it was found. Says what is not possible; "": all is.
std::string demand(ErrorTolerances& error_tolerances, const Problem& problem,
                   const OrderedMap<std::string>& judge_by);

}  // namespace kbench
