// The candidates of tests/hostile as a trace set.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "evaluate/judge.hpp"
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

// The hostile solutions beside the shipped definitions they claim to compute, on their smallest
// workload.
inline TraceSet hostile_set() {
  Diagnostics problems;
  TraceSet set = load_trace_set(KBENCH_SOURCE_DIR, {false, false, 0}, problems);
  for (const auto& [name, expected] : hostile_expectations().items()) {
    set.solutions.push_back(
        {read_file_record<Solution>(hostile_folder() / name / (name + ".json")), name, 1});
  }
  return set;
}

inline std::vector<Stored<Trace>> smallest_workloads(const TraceSet& set) {
  const auto size = [](const Stored<Trace>& stored) {
    std::int64_t product = 1;
    for (const auto& [name, value] : stored.record.workload.axes) product *= value;
    return product;
  };
  std::map<std::string, const Stored<Trace>*> smallest;
  for (const auto& stored : set.workloads) {
    const Stored<Trace>*& best = smallest[stored.record.definition];
    if (best == nullptr || size(stored) < size(*best)) best = &stored;
  }
  std::vector<Stored<Trace>> out;
  for (const auto& [definition, stored] : smallest) out.push_back(*stored);
  return out;
}

}  // namespace kbench
