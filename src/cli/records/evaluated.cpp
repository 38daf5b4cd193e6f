#include "cli/records/evaluated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/match.hpp"
#include "base/text.hpp"
#include "cli/shell/command_line.hpp"
#include "evaluate/replay.hpp"
#include "evaluate/timed_reference.hpp"
#include "registry/checked_sidecar.hpp"
#include "schema/find_files.hpp"
#include "schema/record_origin.hpp"
#include "schema/scan.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// A folder that `kbench run --out` wrote has traces/ alone: its files stand for it. So do those of
// a folder traces/ itself.
std::vector<std::string> with_files_of_outputs(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    std::error_code error;
    std::vector<std::string> files;
    if (!is_trace_set(path) && fs::is_directory(path, error)) files = trace_files(path);
    if (files.empty()) files.push_back(path);
    for (std::string& file : files) out.push_back(std::move(file));
  }
  return out;
}

std::vector<fs::path> files_of_traces(const Target& target) {
  std::vector<fs::path> files;
  const fs::path folder = target.set.root / folder_name(Folder::traces);
  if (!is_folder(folder)) return files;
  for (const std::string& file : files_below(folder, ".jsonl")) files.push_back(folder / file);
  return files;
}

// Whether it is one, once it is as it is asked for.
bool is_evaluated(Trace& trace, const AlsoFound& also) {
  if (also.emulated && trace.emulation) trace.evaluation = *trace.emulation;
  if (!also.samples) drop_samples(trace);
  return trace.evaluation && trace.solution;
}

}  // namespace

std::vector<FoundRecord> find_evaluated(const RecordPlaces& places, std::vector<Target>& targets,
                                        Diagnostics& diagnostics) {
  const auto kept_in = [](Target& target) -> std::vector<Stored<Trace>>& {
    return target.from_files ? target.workloads : target.set.traces;
  };
  for_each_evaluated(places, targets, diagnostics, [&](const FoundRecord& found) {
    const auto target = std::find_if(targets.begin(), targets.end(),
                                     [&found](const Target& one) { return &one.set == found.set; });
    kept_in(*target).push_back(std::move(*found.stored));
  });
  std::vector<FoundRecord> found;
  for (Target& target : targets) {
    auto& records = kept_in(target);
    for (const std::string_view name : names_of_references)
      if (std::any_of(records.begin(), records.end(),
                      [&](const auto& stored) { return stored.record.solution == name; }))
        add_references(name, target.set);
    for (Stored<Trace>& stored : records) found.push_back({&target.set, &stored});
  }
  return found;
}

void for_each_evaluated(const RecordPlaces& places, std::vector<Target>& targets,
                        Diagnostics& diagnostics,
                        const std::function<void(const FoundRecord& found)>& take) {
  targets = load_targets(with_files_of_outputs(places.paths), places.root,
                         {false, true, places.also.without_set}, diagnostics);
  for (const Target& target : targets) {
    std::optional<RecordChecker> checker;
    if (places.also.marks_outdated) checker.emplace(target.set, &solution_as_run);
    for (const fs::path& file : target.from_files ? target.files : files_of_traces(target)) {
      const auto take_line = [&](TraceLine&& line) {
        const bool is_misplaced = !target.from_files && is_workload_trace(line.trace);
        if (is_misplaced) report_misplaced(Folder::traces, file, line.line, diagnostics);
        if (is_misplaced || !is_evaluated(line.trace, places.also)) return;
        Stored<Trace> stored{std::move(line.trace), file.string(), line.line};
        if (checker) stored.record.is_outdated = checker->is_outdated(stored.record);
        warn_of_contradiction(stored.record, stored.path, stored.line, diagnostics);
        take({&target.set, &stored});
      };
      try {
        read_trace_file(file, diagnostics, take_line);
      } catch (const std::system_error& error) {
        diagnostics.error({file.string(), 0, 0, "", ""},
                          fmt::format("cannot be read: {}", error.code().message()));
      }
    }
  }
}

std::vector<std::string> names_meant(const std::vector<std::string>& words,
                                     std::vector<std::string> names, std::string_view noun,
                                     Diagnostics& diagnostics) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<std::string> meant;
  for (const std::string& word : words) {
    NameMatch why;
    const std::vector<std::string> found = match_names(word, names, noun, why);
    meant.insert(meant.end(), found.begin(), found.end());
    if (found.empty())
      diagnostics.error({}, fmt::format("no record matches: {}", why.message), why.hint);
  }
  return meant;
}

void warn_of_doubts(const LeftOut& left_out, Diagnostics& diagnostics) {
  // Contradictory ones are named one by one.
  constexpr std::array<std::string_view, doubts> texts = {
      "",
      "changed after being written, their digest is another, or is missing",
      "no key that is trusted has signed them",
      "signed in the old form, which covers their digest alone",
      "",
      "their definition, workload or solution has changed since"};
  for (std::size_t i = 0; i < doubts; ++i)
    if (const std::size_t count = left_out.doubted[i]; count > 0 && !texts[i].empty())
      diagnostics.warning({}, fmt::format("{} left out: {}", counted(count, "record"), texts[i]));
}

void declare_evaluated(CommandLine line, std::vector<std::string>& paths) {
  line.add_option("path", paths,
                  "Trace sets, what kbench run --out wrote, files of traces; default: the current "
                  "trace set")
      .text("[PATH]...");
}

std::string record_name(const Stored<Trace>& stored) {
  const Trace& trace = stored.record;
  return printable(fmt::format("{}:{}: {} {} {}", stored.path, stored.line, trace.definition,
                               trace.workload.uuid, *trace.solution));
}

}  // namespace kbench
