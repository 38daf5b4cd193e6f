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
  std::optional<ContractOptions> contract;  // kbench kernels test: every kernel is judged
  Selection selection;
  std::string baseline;  // solution judged beside the selected ones; "": none
  std::vector<std::string>
      sweep;                     // "batch_size=1,8,64": the workload at these sizes; none: its own
  std::size_t limit = 0;         // workloads of a sample; 0: all
  std::string plan;              // file of kbench plan; "": none
  std::string shard;             // read_shard(); "": all
  std::optional<WorkPart> part;  // meaning of `shard`
  std::string config_file;
  RunConfig settings;  // those of the command line
  // Options for the library. run_options_of() adds those that rest on the machine or on the file of
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
  std::optional<std::uint64_t> seed;  // absent: 0, or a secret one for an audit
  bool audit = false;
  std::int64_t audit_calls = 0;  // 0: as many as the bounds of AuditPool allow
  int threads = 0;               // threads of a solution; 0: threads_for()
  bool rank = false;
  bool gate = false;
  bool allow_unrun = false;
  bool emulate = false;
  double emulate_limit = 60;  // seconds of a call
  bool allow_emulated = false;
  bool watch = false;
  GateOptions gate_options;
  ConfiguringOptions configuring;
  ConfiguringPlan configuration;  // made of these when the command line has been read
  StampOptions stamps;
  double memory_gib = 8;
  std::string isolation = "auto";
  std::string required_isolation = "C";
  std::optional<UserCaches> caches;  // absent: nothing is looked up or kept
  std::optional<Isolation> held_at;  // isolation_for()
  std::string given;                 // given_options(), when the command line has been read
};

// Isolation of solutions; nothing where this machine and user cannot have it, which is reported.
std::optional<Isolation> isolation_for(const RunCommand& command, Diagnostics& diagnostics);

// Cores of this process; an audit leaves one of them to the judge.
int threads_for(const RunCommand& command);

// Programs, caches, compilers at a time and isolation level, which are no part of a judgement.
// isolation_for() must have been asked before.
RunOptions machine_options(const RunCommand& command);

void declare_run_options(CommandLine line, RunCommand& command);
// Declares the options that `kbench compare` shares with `run`.
void declare_compare_options(CommandLine line, RunCommand& command);
// Declares the options that `kbench tune` shares with `run`.
void declare_tune_options(CommandLine line, RunCommand& command);
// Declares --threads, as every command that runs solutions has it. More threads than cores would
// take turns, which spoils all times, and LibTorch's wait for each other for milliseconds.
void declare_threads(CommandLine line, RunCommand& command);
// Declares the options that `kbench build` shares with `run`.
void declare_building(CommandLine line, RunCommand& command);

// The options that were given and change what a single record says, as words for a shell.
std::string given_options(const CommandLine& line);

// The command that judges one record again, alone. `workloads`: the file its workload is from.
std::string reproduce_line(const Trace& trace, const RunCommand& command, const Target& target,
                           const std::string& workloads);

}  // namespace kbench
