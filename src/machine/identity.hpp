// Which machine this is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kbench {

std::string cpu_model();  // as the kernel names it

// What the processor can do, in the kernel's words: "avx512f", …
std::vector<std::string> cpu_features();
// Of the text of /proc/cpuinfo, of its first processor.
std::vector<std::string> cpu_features(std::string_view cpuinfo);

// That this process may use; at least 1.
int core_count();

// This machine among others: the CPU's model and the installation, and the host's name. What was
// measured on it holds for no other.
std::string machine_identity();

}  // namespace kbench
