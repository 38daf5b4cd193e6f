#include "tune/recorded_search.hpp"

#include "base/words.hpp"

namespace kbench {

std::optional<RecordedSearch> record_of(std::vector<SpaceParameter> parameters,
                                        const std::vector<RecordedEntry>& entries) {
  std::vector<Configuration> configurations;
  configurations.reserve(entries.size());
  for (const RecordedEntry& entry : entries) configurations.push_back(entry.configuration);
  auto space = space_of(std::move(parameters), configurations);
  if (!space) return std::nullopt;
  RecordedSearch record;
  record.space = *std::move(space);
  record.values.resize(record.space.size());
  record.failures.resize(record.space.size());
  for (const RecordedEntry& entry : entries) {
    const std::uint32_t number = record.space.number(entry.configuration).value();
    record.values[number] = entry.value;
    record.failures[number] = entry.failure;
  }
  return record;
}

// Kernel Tuner 1.5.0's defaults, docs "Optimization objectives".
std::optional<bool> is_higher_better(std::string_view objective) {
  if (is_one_of(objective, {"time", "energy", "cost", "loss"})) return false;
  if (is_one_of(objective, {"fitness", "GFLOP/s", "TFLOP/s", "GB/s", "TB/s", "GFLOPS/W", "TFLOPS/W",
                            "GFLOP/J", "TFLOP/J"}))
    return true;
  return std::nullopt;
}

Objective replay(const RecordedSearch& record) {
  const double sign = record.is_higher_better ? -1 : 1;
  return [&record, sign](std::span<const std::uint32_t> configurations, int) {
    std::vector<std::optional<double>> costs;
    costs.reserve(configurations.size());
    for (const std::uint32_t number : configurations) {
      const std::optional<double>& value = record.values[number];
      costs.push_back(value ? std::optional(sign * *value) : std::nullopt);
    }
    return costs;
  };
}

}  // namespace kbench
