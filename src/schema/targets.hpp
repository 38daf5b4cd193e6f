// Where `kbench run` takes its definitions from, and the lines it judges.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "schema/trace.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

struct Target {
  TraceSet set;
  std::vector<Stored<Trace>> workloads;
  bool from_files = false;  // the workloads are not those of the trace set, but of these
  std::vector<std::filesystem::path> files;
};

// The trace set around a file: the nearest folder above it that is one.
std::optional<std::filesystem::path> enclosing_root(const std::filesystem::path& file);

struct TargetOptions {
  bool with_traces = false;     // load what has been judged already, too, without its samples
  bool leaves_files = false;    // unread, for who wants their lines one by one
  bool may_lack_a_set = false;  // a file around which there is no trace set is taken by itself
};

// `paths` are trace sets, all of whose workloads are judged, and .jsonl files, whose definitions
// lie in the trace set `root`, or around the file where `root` is ""; no paths: all workloads of
// `root` or of the trace set here. What is not there is reported.
std::vector<Target> load_targets(const std::vector<std::string>& paths, const std::string& root,
                                 const TargetOptions& options, Diagnostics& diagnostics);

}  // namespace kbench
