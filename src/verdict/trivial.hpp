// The gate that trivial answers must fail: what a program that computes nothing may return, judged
// as a solution is. A verdict says nothing where such an answer passes.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "verdict/verdict.hpp"

namespace kbench {

struct GateTrial {
  std::span<const NamedTensor> inputs;  // tensors
  std::span<const TensorView> answers;  // the reference's
  std::span<const Standard> standards;  // standards of VerdictContext
  // Tells whether the Definition's own check() accepts `answer` for an output that it judges,
  // beside the reference's answers to the others.
  std::function<bool(std::size_t output, const TensorView& answer)> check_accepts = {};
};

struct TrivialAnswers {
  std::vector<std::string> names;  // answers; if there are several outputs, as "lse: zeros"
  bool everywhere = false;  // each output has one: a program may return them all, and would pass
  bool by_check = false;    // check() accepts some of them
};

// Returns those answers to an output that `rule` accepts in every one of `trials`: "zeros", "ones",
// "mean" and "mean of each row" (of the reference's own answer, over finite elements), "copy of x"
// for each input with as many elements, "previous answer" (to the trial before; to the first, the
// last one's) where there are two trials. Each output is judged alone. Drawn outputs are left out,
// since single draws tell nothing; so are those that nobody judges. A copy is the right answer of
// an operation that `copies`. `context` needs no standards.
TrivialAnswers trivial_answers(const VerdictRule& rule, const VerdictContext& context,
                               std::span<const GateTrial> trials, bool copies = false);

}  // namespace kbench
