// Values that follow from what the reference was seen to do with its inputs
// (problem/seen_use.hpp): constants that it looks for, and the forms that its
// operators need. They are put into drawn inputs; inputs from files stay as they are.
#pragma once

#include <cstdint>
#include <vector>

#include "problem/data/structure.hpp"
#include "problem/data/value_plan.hpp"
#include "problem/problem.hpp"
#include "problem/seen_use.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {

using SeenUses = std::vector<SeenUse>;  // one for each input of the Problem; none: nothing is known

// Adds what a call was seen to do. Returns whether inputs are to be drawn otherwise because of it.
bool learn(const SeenUses& seen, const Problem& problem, const ValuePlan& plan, SeenUses& known);

// Puts constants that the reference looks for at one of eight places and, of several rows, into the
// last; whole numbers within what they index; and rows and matrices into the form that is needed.
void adapt(const Problem& problem, const ValuePlan& plan, const SeenUses& known,
           const Structure& structure, Inputs& inputs);

struct WholeNumbers {
  Structure structure;
  int bits = 0;  // magnitude of the large integers
};

// Makes one of the sets `large_integers`, `constants`, `masks`. Returns false where there is
// nothing to vary.
bool make_whole_numbers(const Problem& problem, const ValuePlan& plan, const SeenUses& known,
                        const WholeNumbers& set, Inputs& inputs);

// Turns of such a set.
std::uint32_t turns_of_whole_numbers(const SeenUses& known, InputSet set);

}  // namespace kbench
