// The judge's side of kbench-worker: one process for one (solution, workload).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/epochs.hpp"
#include "build/sanitizers.hpp"
#include "exec/candidate_host.hpp"
#include "exec/cores.hpp"
#include "exec/poisoned_outputs.hpp"
#include "problem/problem.hpp"
#include "problem/tensor_view.hpp"
#include "sandbox/forks.hpp"
#include "sandbox/isolation.hpp"
#include "schema/solution.hpp"
#include "schema/trace.hpp"

namespace kbench {

// Prefix of the folders in the temporary one that candidates work in.
constexpr std::string_view scratch_prefix = "kbench-scratch-";

struct WorkerLimits {
  double load_seconds = 30;  // to map the library, static constructors included
  double call_seconds = 60;  // one call
  std::uint64_t memory_bytes = std::uint64_t{8} << 30;   // beyond the tensors
  std::uint64_t file_bytes = std::uint64_t{4} << 20;     // largest file it may write
  std::uint64_t output_bytes = std::uint64_t{64} << 20;  // printed, stdout and stderr together
  std::uint64_t processes = 256;                         // threads included; no effect for uid 0
  int threads = 1;                                       // OMP_NUM_THREADS
  Isolation isolation = Isolation::limits;
  std::vector<std::filesystem::path> readable = {};  // at the levels A and B, beside the library
                                                     // and those of the system
};

// What a candidate is run with that was built with sanitizers.
struct SanitizerPlan {
  Sanitizers which = {};
  std::filesystem::path runtime = {};     // for `address`: what the worker starts with
  std::vector<std::string> sources = {};  // as reports name them
};

// For a solution in CUDA that was built for the processor, or one in Triton.
struct EmulationPlan {
  std::uint64_t seed = 0;  // from which the order of blocks, warps and lanes of each call follows
  double limit_seconds = 60;  // that a launch may take by an estimate; in Triton
};

// The GPU that a candidate runs on, and how its worker gets at it.
struct GpuPlan {
  std::string driver;        // libcuda.so.1, or its path
  std::string cupti;         // libcupti.so, a path; "" where it is not there
  std::string uuid;          // uuid of the one device that the worker sees
  std::uint32_t copies = 1;  // of all tensors there, of which timed calls take one after the other
  std::string torch_device = "cuda";                 // what torch calls memory there
  std::vector<std::filesystem::path> devices = {};   // files that lead to it
  std::vector<std::filesystem::path> readable = {};  // what its driver reads
};

// A program of NVIDIA's that starts the worker and sees what that does on the GPU: gpu_tool.hpp.
struct GpuTool {
  std::string name;                       // "memcheck", "ncu"
  std::vector<std::string> command;       // the worker's follows
  std::filesystem::path writable = {};    // the one folder beside the worker's that it writes to
  std::vector<std::string> sources = {};  // as its reports name them
};

// One of the ranks of a sharded call. What they share is the judge's (rank_hub.hpp).
struct RankPlan {
  int rank = 0;
  int count = 1;
  bool meet = false;  // they run at once
  std::string axis;   // what is cut
  const SharedMemory* hub = nullptr;
};

struct CandidatePlan {
  std::filesystem::path worker;       // kbench-worker
  std::filesystem::path library;      // with a host: the folder of the candidate's sources
  std::string symbol;                 // with a host: "file::function"
  std::string prepare = {};           // called once when it is loaded; "": nothing is. No host's
  std::optional<Launch> launch = {};  // for a kernel by itself
  ChosenConfiguration configuration = {};
  bool destination_passing = true;
  WorkerLimits limits;
  std::vector<std::string> scratch_inputs = {};  // names of those that it may write to
  CandidateHost* host = nullptr;  // for a candidate that runs in Python; others kbench-worker runs
  CoreSplit cores = {};
  bool is_audited = false;
  SanitizerPlan sanitizers = {};
  std::optional<EmulationPlan> emulation = {};
  std::optional<GpuPlan> gpu = {};      // `worker` is kbench-worker-cuda then, if it has no host
  bool starts_compilers = false;        // its host lets it, until its first call is over
  std::filesystem::path compiler = {};  // torch.compile's, with a host; "": it runs as it is
  std::optional<GpuTool> tool = {};
  std::optional<RankPlan> rank = {};  // not of a candidate with a host, which knows of no ranks
  std::shared_ptr<Forks> forks = {};  // not null: its starts at level A are forks of one process
  std::string solution = {};          // its name
  std::string label = {};  // of its calls, for profilers of a GPU; "": they are not named
};

// Why a candidate has no outputs: the status of the trace, and the finer cause.
struct CandidateFailure {
  Status status = Status::runtime_error;
  std::string cause;         // "CRASHED SIGSEGV in call 1: wrote to input \"A\""
  int signal = 0;            // by which it ended; 0: by none
  bool wrote_input = false;  // which is read-only
};

class CandidateProcess {
 public:
  // `stage` is what the worker sees as inputs: the judge copies each trial's inputs there. It and
  // `outputs` live as long as the process.
  CandidateProcess(const CandidatePlan& plan, const Problem& problem, const Inputs& layout,
                   SharedMemory& stage, PoisonedOutputs& outputs);
  ~CandidateProcess();
  CandidateProcess(const CandidateProcess&) = delete;
  CandidateProcess& operator=(const CandidateProcess&) = delete;

  // Waits until the library is loaded, and until it has prepared itself, where the plan says so.
  std::optional<CandidateFailure> load();
  // What that took by the judge's clock, nanoseconds; nothing where there was nothing to prepare.
  std::optional<double> prepare_ns() const;
  // Puts `inputs` on the stage, poisons the outputs with `secret`, calls once.
  std::optional<CandidateFailure> call(const Inputs& inputs, std::uint64_t secret);
  // What that took, from the judge's word to the worker's; nanoseconds.
  double call_ns() const;
  // Whether no other thread than its first has worked so far.
  bool was_single_threaded() const;
  // From now on its first thread has these cores alone, or all that the caller may use. False where
  // that is impossible.
  bool keep_to(const CoreSplit& cores);

  // Epochs, timed by the worker, on what is on the stage; the outputs are poisoned before. Between
  // begin and end it sleeps but for its epochs, and the last ones are of the candidate.
  std::optional<CandidateFailure> begin_timing(std::uint64_t secret);
  std::optional<CandidateFailure> run_epochs(const Epochs& epochs, std::vector<double>& samples_ns);
  // Runs them by Google Benchmark, where `worker` is the program that has it. `report` is what the
  // worker says it is, and no longer than there is room for.
  std::optional<CandidateFailure> run_google_benchmark(const Repetitions& asked,
                                                       std::string& report);
  std::optional<CandidateFailure> end_timing();
  // Between epochs, where it has one core, which others have next: waits until it uses no CPU time
  // any more. When its next epochs begin it must not have used any since.
  std::optional<CandidateFailure> rest();
  // Between epochs: what is in the outputs afterwards was written by the next ones.
  std::optional<CandidateFailure> poison_outputs(std::uint64_t secret);

  // Audited, before load(): the median of what 64 hand-overs take without a candidate,
  // nanoseconds.
  std::optional<CandidateFailure> measure_overhead(double& nanoseconds);
  // One audited call, timed by the judge's clock. Fails also where the outputs were not there when
  // it said so, change later, or where the worker computes between calls.
  std::optional<CandidateFailure> audit(const Inputs& inputs, double& nanoseconds);

  // Under a tool: ends it when it has seen all, and gives the last that was printed. Nothing else
  // is asked of the candidate then.
  std::string end_tool();
  // One more call, on what is on the stage, that a profiler sees.
  std::optional<CandidateFailure> call_profiled(std::uint64_t secret);

  // What the last call left: the declared outputs, or what a value-returning candidate returned. A
  // returned tensor of another size or an unknown dtype has no data.
  std::vector<TensorView> outputs() const;
  // Not nothing: the returned tensors do not have the declared shapes or dtypes.
  std::optional<CandidateFailure> mismatch() const;
  // Not nothing: it ended since its last answer, as one does that writes to its outputs then.
  std::optional<CandidateFailure> ended();

  // What it printed, at most 64 KiB, with a note when there was more.
  std::string log() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kbench
