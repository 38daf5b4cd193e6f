// The inputs of a Problem: random by a seed, from files, or literal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "problem/data/numbers.hpp"
#include "problem/data/value_plan.hpp"
#include "problem/problem.hpp"
#include "problem/tensor_view.hpp"
#include "schema/place.hpp"

namespace kbench {

struct GenerateOptions {
  std::uint64_t seed = 0;
  std::uint32_t trial = 0;
  std::filesystem::path root;  // of the trace set: paths of safetensors files count from it
  int threads = 0;             // 0: as many as the machine has
  Place line;                  // of the workload, for messages
  Skew skew = Skew::none;      // of what `values` says
};

// All inputs in the Definition's order, in one sealed memory, each tensor on a page of its own.
// Random values are those of docs/inputs.md: what `values` says of an input (it may be empty), else
// FlashInfer-Bench's distributions; the same bits from the same seed, trial and position whatever
// the machine and the threads, and but for inputs that go together the other inputs. What a
// workload gives wrongly is reported; then the result is empty. Throws std::system_error where
// memory ends.
Inputs generate_inputs(const Problem& problem, const ValuePlan& values,
                       const GenerateOptions& options, Diagnostics& diagnostics);

// Where the stored tensors of workloads lie.
struct StoredPlace {
  std::filesystem::path file;
  std::string problem, hint;  // "": it may be read
};

// The file that a workload of the trace set at `root` names. What is outside of the trace set, by
// "..", by a link or as an absolute path, is a problem: who judges others' workloads would read
// files for them.
StoredPlace stored_place(const std::filesystem::path& root, std::string_view path);

}  // namespace kbench
