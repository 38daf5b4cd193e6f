// Records looked at again: whether they belong to what is there now, and whether they come out the
// same.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "judge/run.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

struct RecordCheck {
  // False where nothing can be said: another program wrote it, or it is of a kernel library, whose
  // kernels become Solutions for one run.
  bool has_hashes = false;
  std::vector<std::string> changed;  // differences from what was, in words; empty: the record holds
};

// Records against the definitions, workloads and solutions of a trace set.
class RecordChecker {
 public:
  // The Solution as it is run where it has a sidecar, with the values that a record has, if any;
  // the function that is called once before, "" where there is none; whether it has parameters; and
  // the digest of its conditions.
  using Run = std::tuple<Solution, std::string, bool, std::string>;
  using AsRun = std::function<Run(const Stored<Solution>& solution, const Definition* definition,
                                  const Configuration* values)>;

  RecordChecker(const TraceSet& set, AsRun as_run);
  RecordCheck check(const Trace& record);
  // Tells whether the set has what it is of, but not as it was.
  bool is_outdated(const Trace& record);

 private:
  struct Change {
    bool is_absent = false;  // the set lacks it
    std::string text;
  };
  // Nothing where it does not say what it rests on.
  std::optional<std::vector<Change>> changes_since(const Trace& record);
  struct Known {
    const void* record = nullptr;
    std::string hash;
  };
  template <class Record>
  void compare(std::string_view noun, const std::string& name, const std::string& recorded,
               const Record* found, std::vector<Change>& changes);

  static void compare_calls(const Trace& record, const Run& run, std::vector<Change>& changes);
  const Run& as_run(const Stored<Solution>& stored, const Details& details);

  const TraceSet& set_;
  AsRun as_run_;
  std::map<std::pair<const Stored<Solution>*, std::string>, Run> as_run_known_;
  std::map<std::string, const Definition*, std::less<>> definitions_;
  std::map<std::string, const Stored<Solution>*, std::less<>> solutions_;
  std::map<std::pair<std::string, std::string>, const Workload*> workloads_;  // definition, uuid
  std::map<const void*, std::string> hashes_;
};

// Judges the pairs of `records` (evaluated traces) again, each with the seed, the rule and the
// settings that it holds, on the workload as it holds it; where solutions work and how they are
// held is said by `base`. Nothing for a record without settings, of what the set does not have, and
// for what cannot be judged, which goes to `events`.
std::vector<std::optional<Trace>> judge_again(const TraceSet& set,
                                              const std::vector<const Stored<Trace>*>& records,
                                              const RunOptions& base, RunEvents events,
                                              const std::atomic<bool>& stop);

}  // namespace kbench
