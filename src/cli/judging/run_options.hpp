// The options of `kbench run`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "cli/judging/configuring.hpp"
#include "cli/judging/planned.hpp"
#include "cli/judging/settings_options.hpp"
#include "cli/judging/trace_events.hpp"
#include "cli/machine/cache.hpp"
#include "judge/job.hpp"
#include "judge/run.hpp"
#include "kernels/contract/kernel_contract.hpp"
#include "reference/evaluator.hpp"
#include "sandbox/isolation.hpp"
#include "schema/config.hpp"
#include "schema/judge_settings.hpp"
#include "schema/targets.hpp"
#include "schema/trace.hpp"

namespace kbench {

class CommandLine;

struct RunCommand {
  RunCommand();

  std::vector<std::string> traces;
  std::string root;
  std::vector<std::string> kernels;  // libraries, whose kernels are judged; none: the solutions
  std::optional<ContractOptions> contract;  // of kbench kernels test: every kernel is judged
  Selection selection;
  std::string baseline;  // judged beside what that selects; "": nothing is
  std::vector<std::string>
      sweep;                     // "batch_size=1,8,64": the workload at these sizes; none: its own
  std::size_t limit = 0;         // workloads of a sample; 0: all
  std::string plan;              // the file of kbench plan; "": none
  std::string shard;             // read_shard(); "": all
  std::optional<WorkPart> part;  // what that says
  std::string config_file;
  RunConfig settings;  // of the command line
  // What the library is told. run_options_of() adds what rests on the machine or on the file of
  // settings: the timeout, the memory, the threads.
  RunOptions options;
  std::optional<bool> profile_baseline;
  std::optional<std::int64_t> timeout;  // seconds
  std::string format = "table";
  bool rates = false;  // tables show them
  std::string out;
  bool no_save = false;
  bool resume = false;
  bool no_cache = false;
  std::optional<std::uint64_t> seed;  // none: 0, or of an audit a secret one
  bool audit = false;
  std::int64_t audit_calls = 0;  // 0: as many as the bounds of AuditPool allow
  int threads = 0;               // of a solution; 0: threads_for()
  bool rank = false;
  bool gate = false;
  bool allow_unrun = false;
  bool emulate = false;
  double emulate_limit = 60;  // seconds of a call
  bool allow_emulated = false;
  bool watch = false;
  GateOptions gate_options;
  ConfiguringOptions configuring;
  ConfiguringPlan configuration;  // what they say, when the command line has been read
  StampOptions stamps;
  double memory_gib = 8;
  std::string isolation = "auto";
  std::string required_isolation = "C";
  std::optional<UserCaches> caches;  // none: nothing is looked up or kept
  std::optional<Isolation> held_at;  // isolation_for()
  std::string given;                 // given_options(), when the command line has been read
};

// How solutions are held; nothing where this machine and user cannot, which is reported.
std::optional<Isolation> isolation_for(const RunCommand& command, Diagnostics& diagnostics);

// As many as there are cores; of an audit one less, which is the judge's.
int threads_for(const RunCommand& command);

// Programs, caches, compilers at a time and isolation level: what is no part of a judgement. What
// isolation_for() said is there.
RunOptions machine_options(const RunCommand& command);

void declare_run_options(CommandLine line, RunCommand& command);
// Declares the options that `kbench compare` shares with `run`.
void declare_compare_options(CommandLine line, RunCommand& command);
// Declares the options that `kbench tune` shares with `run`.
void declare_tune_options(CommandLine line, RunCommand& command);
// Every command that runs solutions has it. More threads than cores would take turns: no time of
// theirs means anything, and LibTorch's threads wait for each other for milliseconds.
void declare_threads(CommandLine line, RunCommand& command);
// Declares the options that `kbench build` shares with `run`.
void declare_building(CommandLine line, RunCommand& command);

// The options that were given and change what a single record says, as words for a shell.
std::string given_options(const CommandLine& line);

// The command that judges one record again, alone. `workloads`: the file its workload is from.
std::string reproduce_line(const Trace& trace, const RunCommand& command, const Target& target,
                           const std::string& workloads);

}  // namespace kbench
