// Configurations of Solutions that declare parameters, as `kbench build` builds them: those that
// `kbench run` would take.
#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "build/builder.hpp"
#include "schema/solution.hpp"
#include "schema/trace_set.hpp"
#include "tune/configured_jobs.hpp"

namespace kbench {

class BuildChoice {
 public:
  explicit BuildChoice(ConfiguringPlan plan) : plan_(plan), jobs_(std::move(plan)) {}

  // Puts in the place of each Solution that declares parameters one for each set of macros that the
  // workloads of its Definition get, or each row of its heuristic if there are none. Others stay as
  // they are; those without a choice are reported and left out. All live as long as this.
  std::vector<const Solution*> solutions(const TraceSet& set,
                                         const std::vector<const Solution*>& chosen,
                                         const Toolchain& toolchain, Diagnostics& reports);
  // Choices that were made, and by whom: a line each.
  const std::vector<std::string>& said() const { return said_; }

 private:
  struct Wanted {
    Configuration values;
    std::string why;
  };

  std::vector<Wanted> wanted_of(const Tunables& tunables, const Definition* definition) const;
  std::vector<const Solution*> by_workloads(const TraceSet& set, const Solution& solution,
                                            const Toolchain& toolchain, Diagnostics& reports);
  std::vector<const Solution*> by_rows(const Stored<Solution>& stored, const Definition* definition,
                                       Diagnostics& reports);

  ConfiguringPlan plan_;
  ConfiguredJobs jobs_;
  std::deque<Solution> made_;  // those of rows
  std::vector<std::string> said_;
};

// Products of `kbench build --output` for programs that load solutions themselves.

// Returns the macros that a solution is built with, such as "BLOCK=128"; "" for none.
std::string macros_of(const Solution& solution);

struct PlacedBuild {
  std::filesystem::path library;  // a shared library, a kernel's code, or a module of Python
  std::string function;           // the name that it has there
};

// Puts what was built of a solution into a folder of its name below `folder`: a library, or all of
// its sources in Python. Files that another process has loaded stay whole. Throws std::system_error
// where it cannot be written.
PlacedBuild place_build(const Solution& solution, const BuildResult& result,
                        const std::filesystem::path& folder);

}  // namespace kbench
