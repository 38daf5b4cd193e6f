// The workload that `kbench new workload` makes, before anything is written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "problem/tensor_view.hpp"
#include "schema/definition.hpp"
#include "schema/place.hpp"
#include "schema/trace.hpp"

namespace kbench {

struct NewWorkload {
  Trace trace;
  std::vector<std::pair<std::string, std::string>> signs;  // input: its kind, and the sign of it
  std::string blob;  // file of the fixed tensors below the root; "": none
  Inputs fixed;      // their values; others are empty
};

struct NewWorkloadOptions {
  std::uint64_t seed = 0;
  Place definition;  // place in messages
  // Inputs of a kind that FlashInfer-Bench does not draw go to a file; the line names the kind of
  // others and kbench draws them.
  bool fix = true;
};

// Result of the reference run once on a workload whose files are below `root`: mistakes are
// warnings. A note says why it cannot be run. A reference that takes the workload has neither.
struct Tried {
  Diagnostics problems;
  std::string note;
};
Tried try_reference(const Definition& definition, const Place& place, const Trace& trace,
                    const std::filesystem::path& root, std::uint64_t seed);

// The uuid follows from the definition's name, axes, scalars and seed: the same words make the same
// workload. Returns nothing when no valid inputs were found, which is reported.
std::optional<NewWorkload> make_workload(const Definition& definition,
                                         const OrderedMap<std::int64_t>& axes,
                                         const NewWorkloadOptions& options,
                                         Diagnostics& diagnostics);

// Writes the fixed tensors below `root`.
void write_blob(const NewWorkload& workload, const std::filesystem::path& root);

}  // namespace kbench
