// Meaning of a worker's answer or death for the candidate: pure functions, so that each row of the
// fault table is tested without a process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exec/candidate_process.hpp"
#include "exec/sanitizer_report.hpp"
#include "problem/worker_protocol.hpp"
#include "sandbox/process.hpp"

namespace kbench {

struct Death {
  bool timed_out = false;    // killed by the judge
  bool flooded = false;      // killed by the judge: it printed too much
  bool filled_disk = false;  // killed by the judge: it wrote too much
  double seconds = 0;        // the limit that was over
  ExitStatus status;
  bool out_of_memory = false;  // the kernel's word on its group
  std::uint64_t peak_bytes = 0;
  std::uint64_t memory_limit = 0;
  std::uint64_t tensor_bytes = 0;  // shared with the judge, part of peak_bytes
};

struct TensorNames {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

// Returns nothing when the command was done.
std::optional<CandidateFailure> failure_of_answer(const worker::Control& control,
                                                  const TensorNames& names);

// Failure of a worker that its sanitizer ended.
CandidateFailure failure_of_report(const SanitizerReport& report, const worker::Control& control,
                                   const TensorNames& names);

// Failure of a worker that the emulation of CUDA ended.
CandidateFailure failure_of_report(const EmulationReport& report, const worker::Control& control);

CandidateFailure failure_of_death(const worker::Control& control, const Death& death,
                                  const TensorNames& names);

}  // namespace kbench
