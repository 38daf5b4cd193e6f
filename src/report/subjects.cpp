#include "report/subjects.hpp"

#include <algorithm>

#include "report/wording.hpp"

namespace kbench {
namespace {

constexpr std::size_t short_id = 6;  // digits

std::pair<std::string, std::string> machine_of(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  return {trace.evaluation->environment.hardware,
          details && details->basis ? details->basis->machine : ""};
}

}  // namespace

Subjects::Subjects(std::span<const Trace> traces) {
  std::map<std::string, int> of_hardware;
  for (const Trace& trace : traces) {
    if (!trace.evaluation) continue;
    const Machine machine = machine_of(trace);
    if (names_.try_emplace(machine, machine.first).second) ++of_hardware[machine.first];
  }
  for (auto& [machine, name] : names_) {
    if (of_hardware[machine.first] > 1 && !machine.second.empty())
      name += " (" + machine.second.substr(0, short_id) + ")";
  }
}

std::string Subjects::of(const Trace& trace) const {
  if (names_.size() < 2 || !trace.evaluation) return trace.definition;
  return trace.definition + " on " + names_.at(machine_of(trace));
}

std::string benchmark_name(const Trace& trace, const Subjects& subjects) {
  std::string workload = workload_text(trace.workload);
  std::replace(workload.begin(), workload.end(), ' ', '/');
  return trace.solution.value_or("") + "/" + subjects.of(trace) + "/" + workload;
}

}  // namespace kbench
