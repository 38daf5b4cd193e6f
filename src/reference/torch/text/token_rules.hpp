// Small rewritings of a reference, token by token: from what Python's torch takes to what
// LibTorch's compiler takes. Each rule is a row of the table in token_rules.cpp.
#pragma once

#include "reference/torch/text/draft.hpp"

namespace kbench {

void apply_token_rules(Draft& draft);

}  // namespace kbench
