// What LibTorch's compiler takes, and means something else by than Python: known by the text.
#pragma once

#include "reference/torch/text/draft.hpp"
#include "reference/torch/text/reference_text.hpp"

namespace kbench {

// Throws UnsupportedText for each of the rows in other_meanings.cpp. What is only known once the
// types are, graph_rules.hpp refuses.
void refuse_other_meanings(const Draft& draft, const ReferenceText& text);

}  // namespace kbench
