#include "schema/trace_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "schema/place.hpp"
#include "schema/scan.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Reserves memory, as traces are large and many: growing step by step would need twice as much.
void reserve(const std::vector<ScannedFile>& files, TraceSet& set) {
  std::size_t counts[4] = {};
  for (const ScannedFile& file : files) counts[static_cast<int>(file.folder)] += file.objects();
  set.definitions.reserve(counts[0]);
  set.solutions.reserve(counts[1]);
  set.workloads.reserve(counts[2]);
  set.traces.reserve(counts[3]);
}

// Returns the name that an unreadable file gives its record, else the file's own.
std::string broken_name(const fs::path& path) {
  try {
    const Source source{path.string(), read_file(path)};
    json::Memory memory;
    Diagnostics ignored;
    const json::Value value = json::parse(source, 0, source.text.size(), memory, ignored);
    const json::Value* name = value.find("name");
    if (name != nullptr && name->is_string() && !name->text.empty()) return std::string(name->text);
  } catch (const std::system_error&) {  // unreadable before, too
  }
  return path.stem().string();
}

// "stage: prefill", as FlashInfer-Bench's pages print it, is the tag "stage:prefill".
void close_up(std::string& tag) {
  if (const std::size_t colon = tag.find(": "); colon != tag.npos)
    tag.erase(colon + 1, tag.find_first_not_of(' ', colon + 1) - colon - 1);
}

void take(ScannedFile&& file, TraceSet& set) {
  const fs::path path = file_of(set.root, file);
  if (file.definition && !file.duplicate) {
    std::for_each(file.definition->tags.begin(), file.definition->tags.end(), &close_up);
    set.definitions.push_back({std::move(*file.definition), path.string(), 0});
  }
  if (file.solution && !file.duplicate)
    set.solutions.push_back({std::move(*file.solution), path.string(), 0});
  if (file.folder == Folder::definitions && !file.definition)
    set.broken_definitions.push_back(broken_name(path));
  if (file.folder == Folder::solutions && !file.solution)
    set.broken_solutions.push_back(broken_name(path));
  auto& kept = file.folder == Folder::workloads ? set.workloads : set.traces;
  for (TraceLine& line : file.lines)
    if (!line.misplaced) kept.push_back({std::move(line.trace), path.string(), line.line});
}

// Returns a file name that no file system refuses for its length: for a longer one its beginning, a
// digest of all of it, and its extension.
std::string fitting(const std::string& name) {
  constexpr std::size_t longest = 255;  // NAME_MAX of Linux, bytes
  constexpr std::size_t digits = 16;
  if (name.size() <= longest) return name;
  const std::string extension = fs::path(name).extension().string();
  const std::string kept = extension.size() > 16 ? "" : extension;
  std::size_t end = longest - digits - 1 - kept.size();
  while (end > 0 && continues_character(name[end])) --end;
  return name.substr(0, end) + "-" + sha256_hex(name).substr(0, digits) + kept;
}

// Returns a name as one folder: an author called "../.." writes nowhere else.
std::string folder_of(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '\0'; }, '_');
  return name.empty() || name == "." || name == ".." ? "_" : fitting(name);
}

bool is_json(std::string_view text) {
  const Source source{"", std::string(text)};
  json::Memory memory;
  Diagnostics problems;
  json::parse(source, 0, source.text.size(), memory, problems);
  return problems.errors() == 0;
}

template <class Record>
const Record* find_named(const std::vector<Stored<Record>>& records, std::string_view name) {
  const auto found = std::find_if(records.begin(), records.end(),
                                  [&](const auto& stored) { return stored.record.name == name; });
  return found == records.end() ? nullptr : &found->record;
}

}  // namespace

const Definition* TraceSet::definition(std::string_view name) const {
  return find_named(definitions, name);
}

const Solution* TraceSet::solution(std::string_view name) const {
  return find_named(solutions, name);
}

const Solution* TraceSet::solution_of(const Trace& trace) const {
  const std::string& name = trace.solution.value();
  if (!is_of_reference(name)) return solution(name);
  const auto found = std::find_if(solutions.begin(), solutions.end(), [&](const auto& stored) {
    return stored.record.name == name && stored.record.definition == trace.definition;
  });
  return found == solutions.end() ? nullptr : &found->record;
}

const Stored<Solution>* TraceSet::stored(const Solution& solution) const {
  const auto found = std::find_if(solutions.begin(), solutions.end(),
                                  [&](const auto& one) { return &one.record == &solution; });
  return found == solutions.end() ? nullptr : &*found;
}

TraceSet load_trace_set(const fs::path& root, const LoadOptions& options,
                        Diagnostics& diagnostics) {
  TraceSet set;
  set.root = root;
  std::error_code error;
  if (!fs::is_directory(root, error)) {
    diagnostics.error({root.string()}, "there is no such folder",
                      "a trace set is a folder with definitions/ or workloads/");
    return set;
  }
  const bool any = std::any_of(std::begin(all_folders), std::end(all_folders), [&](Folder folder) {
    return fs::is_directory(root / folder_name(folder), error);
  });
  if (!any) {
    diagnostics.error({root.string()}, "is no trace set: it has no definitions/",
                      is_trace_set(root / "..") ? "the folder above it is one" : "name its folder");
  }
  std::vector<ScannedFile> files = scan_trace_set(root, options);
  reserve(files, set);
  for (ScannedFile& file : files) {
    diagnostics.append(std::move(file.problems));
    take(std::move(file), set);
    file = ScannedFile();  // frees all that was not moved
  }
  return set;
}

void drop_duplicate_workloads(TraceSet& set, Diagnostics& diagnostics) {
  std::set<std::pair<std::string, std::string>> seen;
  std::erase_if(set.workloads, [&](const Stored<Trace>& stored) {
    const Trace& trace = stored.record;
    if (seen.emplace(trace.definition, trace.workload.uuid).second) return false;
    diagnostics.error(Place(stored.path, stored.line).value("/workload/uuid"),
                      fmt::format("duplicate workload uuid \"{}\" of {}: not taken",
                                  trace.workload.uuid, trace.definition),
                      "the first one stands further up, or in another file");
    return true;
  });
}

fs::path trace_file(const fs::path& out, const Solution& solution, const Definition& definition,
                    const Evaluation& evaluation) {
  return out / (is_emulated(evaluation) ? "emulated" : "traces") / folder_of(solution.author) /
         folder_of(definition.op_type) / folder_of(definition.name + ".jsonl");
}

fs::path next_profile_file(const fs::path& out, const Solution& solution,
                           const std::string& workload) {
  const fs::path folder =
      out / "profiles" / folder_of(solution.definition) / folder_of(solution.name);
  fs::path file = folder / folder_of(workload + ".ncu-rep");
  for (int number = 2; fs::exists(file); ++number)
    file = folder / folder_of(workload + "-" + std::to_string(number) + ".ncu-rep");
  return file;
}

fs::path workload_file(const fs::path& root, const Definition& definition) {
  return root / "workloads" / folder_of(definition.op_type) / folder_of(definition.name + ".jsonl");
}

void append_trace(const fs::path& file, const Trace& trace) {
  append_line(file, to_json(trace, Dump::full), &is_json);
}

bool is_trace_set(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path / "definitions", error) ||
         fs::is_directory(path / "workloads", error);
}

}  // namespace kbench
