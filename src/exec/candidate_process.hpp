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
  double load_seconds = 30;  // time for loading the library, static constructors included
  double call_seconds = 60;  // time for one call
  std::uint64_t memory_bytes = std::uint64_t{8} << 30;   // memory beyond the tensors
  std::uint64_t file_bytes = std::uint64_t{4} << 20;     // largest file it may write
  std::uint64_t output_bytes = std::uint64_t{64} << 20;  // printed, stdout and stderr together
  std::uint64_t processes = 256;                         // threads included; no effect for uid 0
  int threads = 1;                                       // OMP_NUM_THREADS
  Isolation isolation = Isolation::limits;
  std::vector<std::filesystem::path> readable = {};  // paths that it may read at levels A and B,
                                                     // beside its library and the system's
};

// Settings of a run of a candidate that was built with sanitizers.
struct SanitizerPlan {
  Sanitizers which = {};
  std::filesystem::path runtime = {};     // library that the worker preloads, for `address`
  std::vector<std::string> sources = {};  // source names as in reports
};

// Emulation of a solution in CUDA that was built for the processor, or of one in Triton.
struct EmulationPlan {
  std::uint64_t seed = 0;     // seed of the order of blocks, warps and lanes in each call
  double limit_seconds = 60;  // limit of a launch's estimated time, in Triton
};

// The GPU that a candidate runs on, and how its worker gets at it.
struct GpuPlan {
  std::string driver;        // libcuda.so.1, or its path
  std::string cupti;         // libcupti.so, a path; "" where it is not there
  std::string uuid;          // uuid of the one device that the worker sees
  std::uint32_t copies = 1;  // copies of all tensors on it; timed calls take one after the other
  std::string torch_device = "cuda";                 // torch's name for the memory there
  std::vector<std::filesystem::path> devices = {};   // files that lead to it
  std::vector<std::filesystem::path> readable = {};  // paths that its driver reads
};

// A program of NVIDIA's that starts the worker and sees what that does on the GPU: gpu_tool.hpp.
struct GpuTool {
  std::string name;                       // "memcheck", "ncu"
  std::vector<std::string> command;       // the worker's follows
  std::filesystem::path writable = {};    // the one folder beside the worker's that it writes to
  std::vector<std::string> sources = {};  // source names as in its reports
};

// One of the ranks of a sharded call. The memory that they share is the judge's (rank_hub.hpp).
struct RankPlan {
  int rank = 0;
  int count = 1;
  bool meet = false;  // the ranks run at once, and can meet in collectives
  std::string axis;   // name of the axis that is cut
  const SharedMemory* hub = nullptr;
};

struct CandidatePlan {
  std::filesystem::path worker;       // kbench-worker
  std::filesystem::path library;      // shared library; with a host, the folder of sources
  std::string symbol;                 // function in it; with a host, "file::function"
  std::string prepare = {};           // function called once after loading; "": none. No host's
  std::optional<Launch> launch = {};  // launch of a kernel by itself
  ChosenConfiguration configuration = {};
  bool destination_passing = true;
  WorkerLimits limits;
  std::vector<std::string> scratch_inputs = {};  // names of the inputs that it may write to
  CandidateHost* host = nullptr;  // host of a candidate in Python; null: `worker` runs it
  CoreSplit cores = {};
  bool is_audited = false;
  SanitizerPlan sanitizers = {};
  std::optional<EmulationPlan> emulation = {};
  std::optional<GpuPlan> gpu = {};      // `worker` is kbench-worker-cuda then, if it has no host
  bool starts_compilers = false;        // its host lets it start them until its first call is over
  std::filesystem::path compiler = {};  // torch.compile's, with a host; "": it runs uncompiled
  std::optional<GpuTool> tool = {};
  std::optional<RankPlan> rank = {};  // its place among the ranks; a host ignores it
  std::shared_ptr<Forks> forks = {};  // process that forks it at level A; null: none
  std::string program = {};           // digest of what is run, for what is kept of it
  std::string solution = {};          // the solution's name
  std::string label = {};             // name of its calls in profilers of a GPU; "": none
};

// Reason that a candidate has no outputs: the status of the trace, and the finer cause.
struct CandidateFailure {
  Status status = Status::runtime_error;
  std::string cause;         // "CRASHED SIGSEGV in call 1: wrote to input \"A\""
  int signal = 0;            // by which it ended; 0: by none
  bool wrote_input = false;  // which is read-only
};

class CandidateProcess {
 public:
  // `stage`, which each trial's inputs are copied to, and `outputs` live as long as the process.
  CandidateProcess(const CandidatePlan& plan, const Problem& problem, const Inputs& layout,
                   SharedMemory& stage, PoisonedOutputs& outputs);
  ~CandidateProcess();
  CandidateProcess(const CandidateProcess&) = delete;
  CandidateProcess& operator=(const CandidateProcess&) = delete;

  // Waits until the library is loaded, and until it has prepared itself, where the plan says so.
  std::optional<CandidateFailure> load();
  // Time of that preparation by the judge's clock, nanoseconds; nothing where there was none.
  std::optional<double> prepare_ns() const;
  // Puts `inputs` on the stage, poisons the outputs with `secret`, calls once.
  std::optional<CandidateFailure> call(const Inputs& inputs, std::uint64_t secret);
  // Time of the last call, from the judge's word to the worker's; nanoseconds.
  double call_ns() const;
  // Tells whether no other thread than its first has worked so far.
  bool was_single_threaded() const;
  // Keeps its first thread to the worker's cores from now on, or to all that the caller may use
  // where no core is pinned. Returns false where that is impossible.
  bool keep_to(const CoreSplit& cores);

  // Epochs, timed by the worker, on the inputs on the stage; the outputs are poisoned before. The
  // worker sleeps between begin and end but for its epochs, and the last ones are of the candidate.
  std::optional<CandidateFailure> begin_timing(std::uint64_t secret);
  std::optional<CandidateFailure> run_epochs(const Epochs& epochs, std::vector<double>& samples_ns);
  // Runs them by Google Benchmark, where `worker` is the program that has it. `report` comes from
  // the worker, unchecked, and is no longer than there is room for.
  std::optional<CandidateFailure> run_google_benchmark(const Repetitions& asked,
                                                       std::string& report);
  std::optional<CandidateFailure> end_timing();
  // Waits, between epochs, until it uses no CPU time any more, where it has one core, which others
  // have next. It must not have used any since when its next epochs begin.
  std::optional<CandidateFailure> rest();
  // Poisons the outputs between epochs: values in them afterwards were written by the next ones.
  std::optional<CandidateFailure> poison_outputs(std::uint64_t secret);

  // Measures the median of 64 hand-overs without a candidate, nanoseconds; for audited calls,
  // before load().
  std::optional<CandidateFailure> measure_overhead(double& nanoseconds);
  // Makes one audited call, timed by the judge's clock. Fails also where the outputs were not there
  // when it said so, change later, or where the worker computes between calls.
  std::optional<CandidateFailure> audit(const Inputs& inputs, double& nanoseconds);

  // Ends the tool that the worker runs under, when it has seen all, and returns the end of the
  // output. Nothing else is asked of the candidate then.
  std::string end_tool();
  // Makes one more call, on the inputs on the stage, that a profiler sees.
  std::optional<CandidateFailure> call_profiled(std::uint64_t secret);

  // Outputs of the last call: the declared ones, or those that a value-returning candidate
  // returned. A returned tensor of another size or an unknown dtype has no data.
  std::vector<TensorView> outputs() const;
  // Failure where the returned tensors do not have the declared shapes or dtypes; else nothing.
  std::optional<CandidateFailure> mismatch() const;
  // Failure where it ended since its last answer, as one does that writes to its outputs then.
  std::optional<CandidateFailure> ended();

  // Text that it printed, at most 64 KiB, with a note when there was more.
  std::string log() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kbench
