// The format for programs that read text by the word: a line a solution, with what is next.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "report/format.hpp"
#include "report/results.hpp"
#include "report/wording.hpp"

namespace kbench {
namespace {

using Traces = std::vector<const Trace*>;

bool has_passed(const Trace* trace) { return trace->evaluation->status == Status::passed; }

// " 2.31x the reference (geometric mean of 5)"; "" where no speed-up is known.
std::string speed_text(const Traces& traces) {
  double sum = 0;
  std::size_t count = 0;
  for (const Trace* trace : traces) {
    const auto speedup = recorded_speedup(*trace->evaluation);
    if (!speedup) continue;
    sum += std::log(speedup->value);
    ++count;
  }
  if (count == 0) return "";
  const double mean = std::exp(sum / static_cast<double>(count));
  return fmt::format(", {:.3g}x the reference (geometric mean of {})", mean, count);
}

std::string failure_text(const Trace& trace, std::size_t failed, const ReportOptions& options) {
  std::string text =
      fmt::format(", {} FAILED; first {}: {} {}", failed, workload_text(trace.workload),
                  status_text(*trace.evaluation), cause_of(trace));
  if (options.again) text += "; next: " + options.again(trace);
  return text;
}

// The evaluated traces of each solution, in the order in which these come first.
std::vector<Traces> by_solution(std::span<const Trace> traces) {
  std::vector<Traces> groups;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const Trace& trace : traces) {
    if (!trace.evaluation) continue;
    const auto [place, is_new] =
        places.try_emplace({trace.definition, trace.solution.value_or("")}, groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(&trace);
  }
  return groups;
}

std::string line_of(const Traces& traces, const ReportOptions& options) {
  const auto failed = std::count_if(traces.begin(), traces.end(),
                                    [](const Trace* trace) { return !has_passed(trace); });
  std::string line = fmt::format("{} {}: {} passed", traces.front()->definition,
                                 traces.front()->solution.value_or(""),
                                 traces.size() - static_cast<std::size_t>(failed));
  const bool is_without_gpu = std::any_of(
      traces.begin(), traces.end(), [](const Trace* one) { return is_emulated(*one->evaluation); });
  line += is_without_gpu ? " by emulation, untimed" : speed_text(traces);
  if (failed > 0) {
    const Trace& first = **std::find_if_not(traces.begin(), traces.end(), &has_passed);
    line += failure_text(first, static_cast<std::size_t>(failed), options);
  }
  return printable(line) + "\n";
}

}  // namespace

std::string write_agent(std::span<const Trace> traces, const ReportOptions& options) {
  std::string out;
  for (const Traces& group : by_solution(traces)) out += line_of(group, options);
  return out;
}

}  // namespace kbench
