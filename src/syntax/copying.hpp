// Whether a Python text copies its inputs and does nothing else with them, as far as its tokens
// tell.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kbench::python {

// True where all that it calls copies, converts or gives another shape (x.to(torch.float16),
// y.copy_(x), x.view(-1).contiguous()), where it calculates and branches nowhere, and where no
// input is an index. False for a text that is no Python.
bool only_copies(std::string_view text, std::span<const std::string> inputs);

}  // namespace kbench::python
