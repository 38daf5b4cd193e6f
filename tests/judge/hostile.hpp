// Candidates of tests/hostile as a trace set.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "judge/judge.hpp"
#include "schema/read.hpp"

namespace kbench {

inline std::filesystem::path hostile_folder() {
  return std::filesystem::path(KBENCH_SOURCE_DIR) / "tests" / "hostile";
}

inline const nlohmann::json& hostile_expectations() {
  static const nlohmann::json all =
      nlohmann::json::parse(read_file(hostile_folder() / "expect.json"));
  return all;
}

template <class Record>
Record read_file_record(const std::filesystem::path& path) {
  Diagnostics problems;
  auto record =
      read_text<Record>({path.string(), read_file(path)}, {false, path.parent_path()}, problems);
  if (!record) throw std::runtime_error(problems.items().front().message);
  return std::move(*record);
}

// Returns the hostile solutions beside the definitions they claim to compute: shipped ones, and
// those of tests/hostile/set.
inline TraceSet hostile_set() {
  Diagnostics problems;
  TraceSet set = load_trace_set(KBENCH_SOURCE_DIR, {false, false, 0}, problems);
  const TraceSet more = load_trace_set(hostile_folder() / "set", {false, false, 0}, problems);
  set.definitions.insert(set.definitions.end(), more.definitions.begin(), more.definitions.end());
  set.workloads.insert(set.workloads.end(), more.workloads.begin(), more.workloads.end());
  for (const auto& [name, expected] : hostile_expectations().items()) {
    set.solutions.push_back(
        {read_file_record<Solution>(hostile_folder() / name / (name + ".json")), name, 1});
  }
  return set;
}

// Returns the product of its axes.
inline std::int64_t size_of(const Stored<Trace>& workload) {
  std::int64_t product = 1;
  for (const auto& [name, value] : workload.record.workload.axes) product *= value;
  return product;
}

// Returns one of each definition.
inline std::vector<Stored<Trace>> smallest_workloads(const TraceSet& set) {
  std::map<std::string, const Stored<Trace>*> smallest;
  for (const auto& stored : set.workloads) {
    const Stored<Trace>*& best = smallest[stored.record.definition];
    if (best == nullptr || size_of(stored) < size_of(*best)) best = &stored;
  }
  std::vector<Stored<Trace>> out;
  for (const auto& [definition, stored] : smallest) out.push_back(*stored);
  return out;
}

}  // namespace kbench
