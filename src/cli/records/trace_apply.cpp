#include "cli/records/trace_apply.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

bool is_of_flashinfer(const Definition& definition) {
  const auto& tags = definition.tags;
  return std::any_of(tags.begin(), tags.end(),
                     [](const std::string& tag) { return tag.starts_with("fi_api:"); });
}

std::string as_folder(const std::string& name) { return replace_all(name, "/", "_"); }

// Whole: what is left out means one thing to FlashInfer-Bench and another to some of FlashInfer's
// versions, destination_passing_style for one.
template <class Record>
void write_record(const fs::path& folder, const Record& record) {
  write_file(folder / (as_folder(record.name) + ".json"), to_json(record, Dump::full, 2) + "\n");
}

}  // namespace

std::string not_applicable(const Solution& solution) {
  const BuildSpec& spec = solution.spec;
  if (spec.launch) return "a kernel by itself";
  if (spec.binding == Binding::torch) return "of binding torch";
  if (spec.language == Language::cpp) return "in C++, for the CPU";
  return "";
}

void write_trace_apply(const fs::path& folder, const TraceSet& set,
                       const std::map<std::string, std::string>& chosen, Diagnostics& reports) {
  if (fs::exists(folder / "solutions")) {
    reports.error({folder.string()}, "it has solutions already, which would be applied, too",
                  "give a folder that is not there yet");
    return;
  }
  for (const auto& [name, solution] : chosen) {
    const Definition& definition = *set.definition(name);
    if (!is_of_flashinfer(definition))
      reports.warning({}, fmt::format("{} has no tag fi_api:…: Trace Apply never calls it", name));
    write_record(folder / "definitions" / as_folder(definition.op_type), definition);
    write_record(folder / "solutions" / as_folder(definition.op_type) / as_folder(name),
                 *set.solution(solution));
  }
}

}  // namespace kbench
