#include "report/recorded_speedup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/text.hpp"

namespace kbench {
namespace {

constexpr std::string_view not_asked = "--no-profile-baseline";

const SpeedupRecord* record_of(const std::optional<Evaluation>& evaluation) {
  if (!evaluation || evaluation->status != Status::passed) return nullptr;
  const auto& details = evaluation->kbench;
  if (!details || !details->timing || !details->timing->speedup) return nullptr;
  return &*details->timing->speedup;
}

// Numbers differ from row to row: the first of a kind stands for all of them.
std::string kind_of(const std::string& reason) {
  return reason.substr(0, reason.find_first_of("0123456789"));
}

std::string_view help_for(const std::string& kind) {
  if (kind == "load ") return "end what else runs";
  if (kind.starts_with("another program ")) return "a machine of one's own, or later";
  if (kind == "±") return "a quiet machine or a larger --budget may tell it";
  if (kind.empty()) return "a larger --budget gives more of them";
  return "";
}

}  // namespace

std::optional<RecordedSpeedup> recorded_speedup(const Evaluation& evaluation) {
  if (evaluation.kbench) {
    const auto& timing = evaluation.kbench->timing;
    if (!timing || !timing->speedup || !timing->speedup->ratio) return std::nullopt;
    RecordedSpeedup out{*timing->speedup->ratio, std::nullopt};
    if (const auto& ends = timing->speedup->interval; ends && ends->size() == 2)
      out.interval = {(*ends)[0], (*ends)[1]};
    return out.ratio > 0 ? std::optional(out) : std::nullopt;
  }
  if (!evaluation.performance || !(evaluation.performance->speedup_factor > 0)) return std::nullopt;
  return RecordedSpeedup{evaluation.performance->speedup_factor, std::nullopt};
}

double reference_ns(const Evaluation& evaluation) {
  if (evaluation.kbench && evaluation.kbench->timing)
    if (const auto& median = evaluation.kbench->timing->reference_median_ns) return *median;
  return evaluation.performance ? evaluation.performance->reference_latency_ms * 1e6 : 0;
}

std::string why_no_speedup(const Evaluation& evaluation) {
  const SpeedupRecord* const record = record_of(evaluation);
  if (record == nullptr || !record->absent || *record->absent == not_asked) return "";
  return *record->absent;
}

std::string missing_speedups(std::span<const Trace> traces) {
  struct Kind {
    std::string first;
    std::size_t count = 0;
  };
  std::map<std::string, Kind> kinds;
  std::size_t count = 0, all = 0;
  for (const Trace& trace : traces) {
    const SpeedupRecord* const record = record_of(trace.evaluation);
    if (record == nullptr || record->absent == not_asked) continue;
    ++all;
    if (!record->absent) continue;
    ++count;
    Kind& kind = kinds[kind_of(*record->absent)];
    if (kind.count++ == 0) kind.first = *record->absent;
  }
  if (count == 0) return "";
  std::vector<std::string> texts;
  for (const auto& [name, kind] : kinds) {
    const std::string_view help = help_for(name);
    texts.push_back(kind.first +
                    (kinds.size() > 1 ? fmt::format(" ({})", counted(kind.count, "row")) : "") +
                    (help.empty() ? "" : fmt::format(", {}", help)));
  }
  return fmt::format("{} of {} without a speed-up: {}", count, counted(all, "row"),
                     join(texts, "; "));
}

std::string timed_beside(std::span<const Trace> traces) {
  std::map<std::string, std::size_t> kinds;
  for (const Trace& trace : traces) {
    const SpeedupRecord* const record = record_of(trace.evaluation);
    if (record == nullptr || !record->ratio) continue;
    ++kinds[fmt::format("in {} with {}", record->evaluator == "python" ? "Python" : "LibTorch",
                        counted(static_cast<std::size_t>(record->threads), "thread"))];
  }
  std::vector<std::string> texts;
  for (const auto& [kind, count] : kinds)
    texts.push_back(kinds.size() == 1 ? kind : fmt::format("{} ({})", kind, counted(count, "row")));
  return texts.empty() ? "" : "the reference was timed " + join(texts, ", ");
}

}  // namespace kbench
