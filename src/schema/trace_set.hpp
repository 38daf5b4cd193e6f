// Trace set on disk: the only place that knows its folders.
//   definitions/<op_type>/<name>.json solutions/<author>/<op_type>/<definition>/<name>.json
//   workloads/<op_type>/<definition>.jsonl        traces/<author>/<op_type>/<definition>.jsonl
// Files are found at any depth, read in the order of their paths, as FlashInfer-Bench reads them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "schema/definition.hpp"
#include "schema/solution.hpp"
#include "schema/trace.hpp"

namespace kbench {

// Record and its place.
template <class Record>
struct Stored {
  Record record;
  std::string path;  // path of its file, as the user can open it
  int line = 0;      // line of a .jsonl file, 0: the whole file
};

struct TraceSet {
  std::filesystem::path root;
  std::vector<Stored<Definition>> definitions;
  std::vector<Stored<Solution>> solutions;
  std::vector<Stored<Trace>> workloads;  // lines of workloads/
  std::vector<Stored<Trace>> traces;     // lines of traces/
  // Names of unreadable ones, as far as they can be told.
  std::vector<std::string> broken_definitions;
  std::vector<std::string> broken_solutions;

  const Definition* definition(std::string_view name) const;
  const Solution* solution(std::string_view name) const;
  // Returns the one that a record names: of its definition, where several have the name.
  const Solution* solution_of(const Trace& trace) const;
  // Returns the place of one of its Solutions; nullptr for any other, be it equal.
  const Stored<Solution>* stored(const Solution& solution) const;
};

struct LoadOptions {
  bool solutions = true;
  bool traces = true;   // part that grows; a run that does not resume does not need it
  int threads = 0;      // 0: one a core
  bool strict = false;  // ReadOptions::strict
  bool samples = true;  // samples of times, in traces: the larger part of most records
};

// Reads all that can be read; every problem goes to `diagnostics`, and a broken file or line hides
// no other. Duplicate names are errors, with both places; the first one stays.
TraceSet load_trace_set(const std::filesystem::path& root, const LoadOptions& options,
                        Diagnostics& diagnostics);

// Workloads are named by their uuid in records: of two with one, the second is reported and left
// out. FlashInfer-Bench's loader takes both.
void drop_duplicate_workloads(TraceSet& set, Diagnostics& diagnostics);

// Returns the file of an evaluated trace: traces/<author>/<op_type>/<definition>.jsonl below `out`,
// and for an emulated one the same below emulated/. A '/' in a name becomes '_'.
std::filesystem::path trace_file(const std::filesystem::path& out, const Solution& solution,
                                 const Definition& definition, const Evaluation& evaluation);

// Returns profiles/<definition>/<solution>/<workload>.ncu-rep below `out`, numbered where taken.
std::filesystem::path next_profile_file(const std::filesystem::path& out, const Solution& solution,
                                        const std::string& workload);
std::filesystem::path workload_file(const std::filesystem::path& root,
                                    const Definition& definition);

// Appends a record to a .jsonl file and syncs it to disk; makes the folders that are missing. A
// last line that a writer left torn as it died, which is no record, is cut off.
void append_trace(const std::filesystem::path& file, const Trace& trace);

// Tells whether `path` looks like a trace set's root: it has definitions/ or workloads/.
bool is_trace_set(const std::filesystem::path& path);

}  // namespace kbench
