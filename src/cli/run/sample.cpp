#include "cli/run/sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

namespace kbench {
namespace {

std::size_t with_bits_reversed(std::size_t number, std::size_t range) {
  std::size_t out = 0;
  for (; range > 1; range /= 2, number /= 2) out = 2 * out + number % 2;
  return out;
}

// The order of van der Corput, of which every beginning is spread over all.
template <class T>
std::vector<T> spread(std::vector<T> all) {
  const std::size_t range = std::bit_ceil(all.size());
  std::vector<T> out;
  for (std::size_t i = 0; i < range; ++i) {
    const std::size_t at = with_bits_reversed(i, range);
    if (at < all.size()) out.push_back(std::move(all[at]));
  }
  return out;
}

std::size_t count_definitions(const std::set<WorkloadKey>& workloads) {
  std::set<std::string> names;
  for (const auto& [definition, uuid] : workloads) names.insert(definition);
  return names.size();
}

WorkloadKey key_of(const Job& job) {
  return {job.definition->name, job.workload->record.workload.uuid};
}

}  // namespace

std::set<WorkloadKey> sample(const std::vector<WorkloadKey>& workloads, std::size_t limit) {
  std::set<WorkloadKey> seen;
  std::map<std::string, std::size_t> numbers;
  std::vector<std::vector<WorkloadKey>> by_definition;
  for (const WorkloadKey& key : workloads) {
    if (!seen.insert(key).second) continue;
    const auto [number, is_new] = numbers.try_emplace(key.first, by_definition.size());
    if (is_new) by_definition.emplace_back();
    by_definition[number->second].push_back(key);
  }
  for (auto& of_one : by_definition) of_one = spread(std::move(of_one));
  by_definition = spread(std::move(by_definition));
  limit = std::min(limit, seen.size());
  std::set<WorkloadKey> out;
  for (std::size_t round = 0; out.size() < limit; ++round)
    for (const auto& of_one : by_definition)
      if (round < of_one.size() && out.size() < limit) out.insert(of_one[round]);
  return out;
}

std::string take_sample(std::vector<std::vector<Job>>& jobs, std::size_t limit) {
  std::vector<WorkloadKey> keys;
  for (const auto& of_target : jobs)
    for (const Job& job : of_target) keys.push_back(key_of(job));
  const std::set<WorkloadKey> all(keys.begin(), keys.end());
  const std::set<WorkloadKey> taken = sample(keys, limit);
  for (auto& of_target : jobs)
    std::erase_if(of_target, [&](const Job& job) { return !taken.contains(key_of(job)); });
  return fmt::format("the sample has {} of {} workloads, and {} of {} definitions\n", taken.size(),
                     all.size(), count_definitions(taken), count_definitions(all));
}

}  // namespace kbench
