#include "schema/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace kbench {

template class Boxed<Details>;

bool is_emulated(const Evaluation& evaluation) {
  return evaluation.kbench && evaluation.kbench->emulation.has_value();
}

std::string status_text(const Evaluation& evaluation) {
  return (is_emulated(evaluation) ? "emulated " : "") + std::string(status_name(evaluation.status));
}

bool is_workload_trace(const Trace& trace) { return !trace.solution && !trace.evaluation; }

bool has_passed(const Trace& trace) {
  return trace.evaluation && trace.evaluation->status == Status::passed;
}

std::string cause_of(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  return details && details->cause ? *details->cause : "";
}

bool is_skipped(const Trace& trace) {
  const auto* evaluation = trace.evaluation ? &*trace.evaluation : nullptr;
  return evaluation != nullptr && evaluation->kbench && evaluation->kbench->skipped.value_or(false);
}

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
