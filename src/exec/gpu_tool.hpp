// NVIDIA's tools that a worker runs under.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "exec/candidate_process.hpp"
#include "sandbox/process.hpp"

namespace kbench {

// compute-sanitizer with one of its tools, "memcheck". Its report stands in what the worker prints.
GpuTool sanitizer_tool(const std::filesystem::path& compute_sanitizer, const std::string& name,
                       std::vector<std::string> sources);

// ncu, which sees what kernels of a warm call do; it leaves its report in `folder`.
constexpr const char* profile_set = "basic";  // name of ncu's set of sections
GpuTool profiler_tool(const std::filesystem::path& ncu, const std::filesystem::path& folder);
constexpr const char* profile_name = "report.ncu-rep";

// Has the worker name its calls to a profiler: worker/cuda/driver.hpp. A profiler that the judge
// itself runs under says in its environment how programs do so. "": no names.
void name_calls(const std::string& label, ProcessPlan& process);

}  // namespace kbench
