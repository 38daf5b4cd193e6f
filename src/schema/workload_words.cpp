#include "schema/workload_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace kbench {
namespace {

bool has_length(const Workload& workload, std::string_view part) {
  return std::any_of(workload.axes.begin(), workload.axes.end(), [&](const auto& axis) {
    return part == axis.first + "=" + std::to_string(axis.second);
  });
}

}  // namespace

bool is_lengths(std::string_view word) { return word.find('=') != word.npos; }

bool has_lengths(const Workload& workload, std::string_view word) {
  std::string parts(word);
  std::replace(parts.begin(), parts.end(), ' ', ',');
  const auto all = split(parts, ',');
  return std::all_of(all.begin(), all.end(), [&](std::string_view part) {
    return trim(part).empty() || has_length(workload, trim(part));
  });
}

bool is_named_by(const Workload& workload, std::string_view word) {
  return is_lengths(word) ? has_lengths(workload, word) : workload.uuid.starts_with(word);
}

std::string lengths_text(const OrderedMap<std::int64_t>& axes, std::string_view between) {
  std::vector<std::string> out;
  for (const auto& [name, length] : axes) out.push_back(fmt::format("{}={}", name, length));
  return join(out, between);
}

}  // namespace kbench
