// Translation of CUDA C++ to C++ that the host's compiler takes with the headers of
// include/kbench/emulation: docs/emulation.md. CUDA's syntax is rewritten; its words are macros.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "schema/solution.hpp"

namespace kbench {

// Words of binding torch: `pose` rewrites questions about devices: CPU tensors pose as CUDA's.
enum class TorchWords { keep, pose };

// Keeps every line where it was. Unknown language is reported, each with its place.
std::string translate_cuda(const Source& source, TorchWords torch, Diagnostics& diagnostics);

// Text at the begin of each file (translate.cpp), and its name; it gets the flags' macros: "-DA=1".
constexpr const char* closed_header = "kbench_emulated_closed.h";
std::string closed_text(TorchWords torch, const std::vector<std::string>& flags);
// Refuses a program whose words `##`, or macros of its flags, may put together to a name that only
// kbench's own code has.
void refuse_made_names(const std::vector<SourceFile>& sources,
                       const std::vector<std::string>& flags, Diagnostics& diagnostics);

}  // namespace kbench
