// From LibTorch's messages to ours: which construct, which line of the reference, one sentence.
#pragma once

#include <string_view>

#include "problem/reference_protocol.hpp"
#include "reference/torch/script/program.hpp"

namespace kbench {

// The name under which the reference's text is known to LibTorch; its messages say
// 'File "reference", line 3'.
inline constexpr const char* reference_file = "reference";

// From what the compiler threw.
CompileError compile_error(std::string_view what);

// From what a running reference threw: outcome failed or out_of_memory, message and line.
ReferenceReply run_error(std::string_view what);

}  // namespace kbench
