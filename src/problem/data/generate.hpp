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
  std::filesystem::path root;  // folder of the trace set: paths of safetensors files count from it
  int threads = 0;             // 0: as many as the machine has
  Place line;                  // the workload's line, for messages
  Skew skew = Skew::none;      // skew of the values that `values` rules
};

// Returns all inputs in the Definition's order, in one sealed memory, each tensor on pages of its
// own. Random values are those of docs/inputs.md: what `values` says of an input (it may be empty),
// else FlashInfer-Bench's distributions. The same seed, trial and position give the same bits
// whatever the machine, the threads and, but for inputs that go together, the other inputs. Faults
// of a workload are reported; then the result is empty. Throws std::system_error where memory ends.
Inputs generate_inputs(const Problem& problem, const ValuePlan& values,
                       const GenerateOptions& options, Diagnostics& diagnostics);

// Place of a workload's stored tensors.
struct StoredPlace {
  std::filesystem::path file;
  std::string problem, hint;  // "": it may be read
};

// Returns the file that a workload of the trace set at `root` names. A file outside of the trace
// set, by "..", by a link or as an absolute path, is a problem: who judges others' workloads would
// read files for them.
StoredPlace stored_place(const std::filesystem::path& root, std::string_view path);

}  // namespace kbench
