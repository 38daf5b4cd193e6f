// Records of evaluations, from files and trace sets: what several commands read.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "report/results.hpp"
#include "schema/targets.hpp"

namespace kbench {

class CommandLine;

// An evaluated trace, and the trace set it belongs to.
struct FoundRecord {
  const TraceSet* set = nullptr;
  Stored<Trace>* stored = nullptr;
};

// What else is taken.
struct AlsoFound {
  bool without_set = false;     // files outside of any trace set
  bool emulated = false;        // records of --emulate, which nothing ranks or compares
  bool samples = true;          // of times: most of a record
  bool marks_outdated = false;  // those of another definition, workload or solution than the set's
};

// Where records come from: trace sets, folders with traces/ and .jsonl files; without paths, `root`
// or the trace set here.
struct RecordPlaces {
  const std::vector<std::string>& paths;
  const std::string& root;
  AlsoFound also = {};
};

// Reads the evaluated traces, and `targets` holds them then.
std::vector<FoundRecord> find_evaluated(const RecordPlaces& places, std::vector<Target>& targets,
                                        Diagnostics& diagnostics);

// Gives each to `take`, in the same order, which may move it away, and keeps none: however many
// there are. `targets` holds the trace sets.
void for_each_evaluated(const RecordPlaces& places, std::vector<Target>& targets,
                        Diagnostics& diagnostics,
                        const std::function<void(const FoundRecord& found)>& take);

// What `words` stand for among the names that records have: exactly, else by unique prefix;
// patterns with * and ? stand for all that they fit. What stands for none of them is reported.
// `noun` is what messages call them ("solution").
std::vector<std::string> names_meant(const std::vector<std::string>& words,
                                     std::vector<std::string> names, std::string_view noun,
                                     Diagnostics& diagnostics);

// Warns of the records that were left out since nobody may believe them.
void warn_of_doubts(const LeftOut& left_out, Diagnostics& diagnostics);

// The positional argument PATH of commands that read them.
void declare_evaluated(CommandLine line, std::vector<std::string>& paths);

// "traces/x.jsonl:3: rmsnorm_h128 batch_size=1 my_kernel"
std::string record_name(const Stored<Trace>& stored);

}  // namespace kbench
