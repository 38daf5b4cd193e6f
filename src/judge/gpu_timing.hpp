// A solution on a GPU: how it is timed, and a profile of one in CUDA by NVIDIA's ncu
// (docs/cuda.md).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "exec/gpus.hpp"
#include "judge/evaluate.hpp"
#include "judge/prepare.hpp"
#include "measure/machine/gpu_state.hpp"
#include "measure/sampling.hpp"
#include "schema/details.hpp"

namespace kbench {

// Events have a resolution of half a microsecond ("CUDA Driver API", cuEventElapsedTime).
constexpr double gpu_epoch_ns = 500'000;

// Checks whether events around the calls see all that the calls do: the judge's clock around as
// many calls as take milliseconds, which end when all of the device's work has, says how long that
// is. Returns "" or why it is not so. Nothing: a call failed. The tries stay well below limit_ns,
// after which a try is ended.
std::optional<std::string> hidden_work(const RunEpochs& run, const Clock& judges_clock,
                                       double limit_ns);

// The median of some single calls by the device's own records, nanoseconds; 0 where it keeps none.
// Nothing: a call failed.
std::optional<double> activity_ns(const RunEpochs& run);

// State of the GPU before the samples and after; nothing of what cannot be read.
GpuTiming describe_gpu(const std::optional<GpuState>& before, const std::optional<GpuState>& after);

// Roofline by the clocks and widths that the device says it has, at their most.
Roofline gpu_roofline(const PreparedWorkload& workload, const Gpu& gpu, const Timing& timing);

// Prefix of the folders, below the one for temporary files, that ncu writes to.
constexpr std::string_view profile_prefix = "kbench-profile-";

constexpr const char* no_ncu =
    "--profile needs ncu, which is not there: install NVIDIA Nsight Compute (docs/cuda.md)";

struct ProfilePlan {
  std::string solution;  // its name
  std::filesystem::path ncu;
  std::filesystem::path file;  // destination of the report; its figures are beside it, as .csv
  std::filesystem::path out;   // folder that has traces/
};

// Calls it twice, the second time seen by ncu. Nothing where that gives no report, which is said:
// it is no verdict.
std::optional<ProfileRecord> profile_call(const PreparedWorkload& workload, SharedMemory& stage,
                                          CandidatePlan plan, const ProfilePlan& profile,
                                          Diagnostics& reports);

// Returns why ncu has measured nothing, from what it printed; "" where it says nothing of that.
std::string problem_of_profiler(std::string_view output);

}  // namespace kbench
