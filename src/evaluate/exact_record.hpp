// What a record says of the double-precision answer.
#pragma once

#include "problem/problem.hpp"
#include "reference/evaluator.hpp"
#include "schema/definition.hpp"
#include "schema/trace.hpp"

namespace kbench {

// Against what solutions are judged that `reference` is the answer for: the double answer, or the
// native one where there is no other or where the reference quantises inside. It does so if its
// native answer leaves the double one (quantises_inside() of verdict/criterion_k), or if the double
// run makes codes: then the two differ only where a value lies beside a step.
ExactRecord exact_record(const Definition& definition, const Problem& problem,
                         const ReferenceAnswer& reference);

}  // namespace kbench
