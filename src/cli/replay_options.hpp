// What `kbench verify` and `kbench replay` share: records from files and trace sets, and the
// options by which they are judged again.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "cli/run_options.hpp"
#include "cli/targets.hpp"
#include "evaluate/replay.hpp"

namespace CLI {
class App;
}

namespace kbench {

// An evaluated trace, and the trace set it belongs to.
struct FoundRecord {
  const TraceSet* set = nullptr;
  const Stored<Trace>* stored = nullptr;
};

// Those of trace sets, of folders with traces/ and of .jsonl files, in their order; no paths: those
// of `root` or of the trace set here. `targets` holds them.
std::vector<FoundRecord> find_evaluated(const std::vector<std::string>& paths,
                                        const std::string& root, std::vector<Target>& targets,
                                        Diagnostics& diagnostics);

// --root, --isolation, --no-cache
void declare_replay_options(CLI::App& app, RunCommand& command);

// Nothing where the machine cannot hold solutions as is asked, which is reported.
std::optional<RunOptions> replay_options(RunCommand& command, Diagnostics& diagnostics);

// Events that report to `reports` and do nothing else.
RunEvents quiet_events(Diagnostics& reports);

// "traces/x.jsonl:3: rmsnorm_h128 batch_size=1 my_kernel"
std::string record_name(const Stored<Trace>& stored);

// Errors, and unless --quiet warnings, on stderr.
void tell_reports(const Diagnostics& reports);

}  // namespace kbench
