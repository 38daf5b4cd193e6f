// The command that judges one record again.
#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/judging/run_options.hpp"
#include "derive/sweep.hpp"

namespace kbench {
namespace {

// Adds the workload; for a sweep, the workload that it is made from and the lengths that this one
// has.
void add_workload(const Trace& trace, const RunCommand& c, std::string& line) {
  const auto add = [&line](std::string_view option, const std::string& value) {
    line += fmt::format(" {} {}", option, shell_quote(value));
  };
  if (c.sweep.empty()) return add("--workload", trace.workload.uuid);
  for (const std::string& uuid : c.selection.workloads) add("--workload", uuid);
  Diagnostics unused;
  for (const SweepAxis& axis : read_sweep(c.sweep, unused)) {
    if (const std::int64_t* length = trace.workload.axes.find(axis.name))
      add("--sweep", fmt::format("{}={}", axis.name, *length));
  }
}

}  // namespace

std::string reproduce_line(const Trace& trace, const RunCommand& c, const Target& target,
                           const std::string& workloads) {
  std::string line = c.contract ? "kbench kernels test" : "kbench run";
  const auto add = [&line](std::string_view option, std::string_view value) {
    line += fmt::format(" {} {}", option, shell_quote(value));
  };
  add("--root", target.set.root.string());
  if (target.from_files) add("--trace", workloads);
  for (const std::string& library : c.kernels)
    c.contract ? void(line += " " + shell_quote(library)) : add("--kernels", library);
  add("--definition", trace.definition);
  add("--solution", trace.solution.value_or(""));
  if (trace.solution == c.baseline) add("--baseline", c.baseline);
  add_workload(trace, c, line);
  // The seed of an audit is not secret any more: who wants the same inputs again says so.
  const bool has_details = trace.evaluation && trace.evaluation->kbench;
  add("--seed", has_details ? trace.evaluation->kbench->seed : std::to_string(c.seed.value_or(0)));
  if (has_details && trace.evaluation->kbench->configuration)
    add("--cfg", configuration_text(trace.evaluation->kbench->configuration->values));
  return line + c.given;
}

}  // namespace kbench
