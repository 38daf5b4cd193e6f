// A solution in CUDA under NVIDIA's ncu: docs/cuda.md.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "judge/evaluate.hpp"

namespace kbench {

// Prefix of the folders, below the one for temporary files, that ncu writes to.
constexpr std::string_view profile_prefix = "kbench-profile-";

constexpr const char* no_ncu =
    "--profile needs ncu, which is not there: install NVIDIA Nsight Compute (docs/cuda.md)";

struct ProfilePlan {
  std::string solution;  // its name
  std::filesystem::path ncu;
  std::filesystem::path file;  // that the report becomes; its figures are beside it, as .csv
  std::filesystem::path out;   // that has traces/
};

// Calls it twice, the second time seen by ncu. Nothing where that gives no report, which is said:
// it is no verdict.
std::optional<ProfileRecord> profile_call(const PreparedWorkload& workload, SharedMemory& stage,
                                          CandidatePlan plan, const ProfilePlan& profile,
                                          Diagnostics& reports);

// Why ncu has measured nothing, from what it printed; "" where it says nothing of that.
std::string problem_of_profiler(std::string_view output);

}  // namespace kbench
