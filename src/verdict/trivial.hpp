// The gate that trivial answers must fail: what a program that computes nothing may return, judged
// as a solution is. Where such an answer passes, a verdict says nothing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "verdict/verdict.hpp"

namespace kbench {

struct GateTrial {
  std::span<const NamedTensor> inputs;  // tensors
  std::span<const TensorView> answers;  // the reference's
  std::span<const Standard> standards;  // as in VerdictContext
};

// Those answers to an output that `rule` accepts in every one of `trials`: "zeros", "ones", "mean"
// and "mean of each row" (of the reference's own answer, over finite elements), "copy of x" for
// each input with as many elements, "previous answer" (to the trial before; to the first, the last
// one's) where there are two trials. With several outputs each is judged alone and named: "lse:
// zeros". What is drawn is left out: single draws tell nothing. `context` needs no standards.
std::vector<std::string> trivial_answers(const VerdictRule& rule, const VerdictContext& context,
                                         std::span<const GateTrial> trials);

}  // namespace kbench
