// What a Definition's own check() is asked, and what is said of it, before it judges solutions.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "judge/prepare.hpp"

namespace kbench {

// A check() that refuses the reference's own answer, or fails on it, is no judge of others: an
// error at its line.
bool accepts_reference(const Definition& definition, const Problem& problem, const Trial& trial,
                       Diagnostics& diagnostics);

// Why the check() of `trial`, if it has one, cannot judge its structured inputs: tolerances may be
// for random ones. "" where it can.
std::string reason_of_check(const Problem& problem, const Trial& trial);

// A warning where the Definition has a check() that nobody asks: it takes no output, or `rule` has
// none.
void tell_unasked_check(const Definition& definition, const VerdictRule& rule,
                        Diagnostics& diagnostics);

}  // namespace kbench
